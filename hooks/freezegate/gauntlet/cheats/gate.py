"""The gate's own files: configuration, hooks, checks in CI, attributes, and evidence that is no document."""

from __future__ import annotations

import json

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("gate files")


def _govern(work: Work) -> None:
    """A governed edit that is fine by itself."""
    work.freeze()


@TOPIC.cheat("policy-softened", "The policy is softened in the change that needs it.", "gate-mixed")
def _softened(work: Work) -> None:
    work.put(p.CONFIG, "policy:\n  require_predicate_digest: false\n")
    _govern(work)


@TOPIC.cheat(
    "predicate-unlocked-and-relaxed",
    "The policy no longer asks for the digest that the same change makes stale.",
    "predicate-without-scope",
    own=True,
)
def _unlocked(work: Work) -> None:
    work.put(p.CONFIG, "policy:\n  require_predicate_digest: false\n")
    work.swap(p.HELPER, "SMALLEST = 0", "SMALLEST = -1")


@TOPIC.cheat(
    "policy-softened-in-the-commit-before",
    "The first commit of a push softens the policy, the second uses it.",
    "scope-schema",
    layer="server",
    also=("range",),
    own=True,
)
def _before(work: Work) -> None:
    work.put(p.CONFIG, "policy:\n  require_predicate_digest: false\n")
    work.commit("soften")
    kept = [line for line in work.read(p.SCOPE).splitlines() if not line.startswith("predicate_digest")]
    work.put(p.SCOPE, "\n".join([*kept, ""]))
    work.bind()
    work.commit("use")


@TOPIC.cheat(
    "records-moved-out-of-sight",
    "The layout names an empty folder for records, beside a relaxed predicate.",
    "gate-mixed",
    own=True,
)
def _layout(work: Work) -> None:
    work.append(p.CONFIG, "layout:\n  bindings: tests/elsewhere\n  freezes: tests/nowhere\n")
    work.swap(p.HELPER, "SMALLEST = 0", "SMALLEST = -1")
    work.lock()


@TOPIC.cheat("config-removed", "The configuration goes, and the defaults are weaker.", "config-invalid", own=True)
def _removed(work: Work) -> None:
    work.drop(p.CONFIG)


@TOPIC.cheat(
    "config-misspelled",
    "A key of the configuration is misspelled, so that it says nothing.",
    "config-invalid",
    own=True,
)
def _misspelled(work: Work) -> None:
    work.put(p.CONFIG, "policy:\n  require_predicate_digests: true\n")


@TOPIC.cheat("config-is-a-link", "The configuration becomes a link to a file of the patch.", "config-invalid", own=True)
def _link(work: Work) -> None:
    work.move(p.CONFIG, "docs/gate.yaml")
    work.link(p.CONFIG, "docs/gate.yaml")


@TOPIC.cheat(
    "no-source",
    "The layout names a source folder that is not there: nothing ever touches source.",
    "config-invalid",
    own=True,
)
def _no_source(work: Work) -> None:
    work.append(p.CONFIG, "layout:\n  source: [lib]\n")


@TOPIC.cheat(
    "layout-overlaps",
    "Fixtures and oracles share one folder, so that an edit of either counts as the other.",
    "config-invalid",
    own=True,
)
def _overlap(work: Work) -> None:
    work.append(p.CONFIG, "layout:\n  fixtures: props\n")


@TOPIC.cheat("hook-removed", "Our hook leaves the configuration of pre-commit, beside a freeze.", "gate-mixed")
def _hook(work: Work) -> None:
    work.swap(p.PRE_COMMIT, "      - id: freezegate\n", "      - id: freezegate\n        exclude: ^tests/\n")
    _govern(work)


@TOPIC.cheat("hook-skipped-in-ci", "pre-commit's service is told to skip us, beside a freeze.", "gate-mixed", own=True)
def _skipped(work: Work) -> None:
    work.put(p.PRE_COMMIT, "ci:\n  skip: [freezegate]\n" + work.read(p.PRE_COMMIT))
    _govern(work)


@TOPIC.cheat(
    "hook-of-another-stage", "The default stages move to one that never runs, beside a freeze.", "gate-mixed", own=True
)
def _stage(work: Work) -> None:
    work.put(p.PRE_COMMIT, "default_stages: [manual]\n" + work.read(p.PRE_COMMIT))
    _govern(work)


@TOPIC.cheat(
    "hook-config-unreadable",
    "The configuration of pre-commit no longer loads, beside a freeze.",
    "gate-mixed",
    own=True,
)
def _unreadable(work: Work) -> None:
    work.append(p.PRE_COMMIT, "\t: [\n")
    _govern(work)


@TOPIC.cheat("check-skipped-in-ci", "The job that runs the gate gets a condition, beside a freeze.", "gate-mixed")
def _job(work: Work) -> None:
    work.swap(p.WORKFLOW, "  gate:\n", "  gate:\n    if: github.actor != 'agent'\n")
    _govern(work)


@TOPIC.cheat("check-deleted-from-ci", "The workflow that runs the gate goes, beside a freeze.", "gate-mixed", own=True)
def _workflow(work: Work) -> None:
    work.drop(p.WORKFLOW)
    _govern(work)


@TOPIC.cheat(
    "second-workflow",
    "A second workflow of the same name answers for the gate, beside a freeze.",
    "gate-mixed",
    own=True,
)
def _second(work: Work) -> None:
    work.put(
        ".github/workflows/early.yaml", "name: gate\non: [push]\njobs: {gate: {steps: [{run: echo freezegate}]}}\n"
    )
    _govern(work)


@TOPIC.cheat("attributes-over-properties", "Attributes convert the bytes of a checkout, beside a freeze.", "gate-mixed")
def _attributes(work: Work) -> None:
    work.put("tests/.gitattributes", "*.py ident\n")
    _govern(work)


@TOPIC.cheat(
    "attributes-at-the-root", "A filter at the root reaches the oracles, beside a freeze.", "gate-mixed", own=True
)
def _filter(work: Work) -> None:
    work.put(".gitattributes", "props/*.py filter=other\n")
    _govern(work)


@TOPIC.cheat(
    "verdict-committed", "A verdict is committed, as if somebody had made it.", "certificate-committed", own=True
)
def _verdict(work: Work) -> None:
    work.json("run/verdicts.json", {"freezegate_artifact": "verdicts", "promoted": True, "verdicts": []})


@TOPIC.cheat(
    "verdict-under-another-name",
    "Evidence is committed under a name that nobody looks for.",
    "certificate-committed",
    own=True,
)
def _hidden(work: Work) -> None:
    work.put("docs/data.json", json.dumps({"note": "x", "freezegate_artifact": "runs"}))


@TOPIC.cheat(
    "signatures-committed", "The signatures of base are typed and committed.", "certificate-committed", own=True
)
def _signatures(work: Work) -> None:
    work.put("evidence/base.sig.json", "[]\n")

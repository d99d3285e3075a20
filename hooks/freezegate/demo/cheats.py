"""Ways to get a freeze past the gate, each starting from the state that the good commits left."""

from __future__ import annotations

import json

from freezegate.demo import project
from freezegate.demo.stage import Bad, Stage


def _relax_predicate(stage: Stage) -> None:
    line = '    assert total_cents(case["qty"], case["unit_cents"]) >= '
    stage.replace(project.PREDICATE, f"{line}0\n", f"{line}-100\n")


def _edit_generator(stage: Stage) -> None:
    line = '        "qty": rng.randint(domain["qty"]["min"], domain["qty"]["max"]),\n'
    stage.replace(project.GENERATOR, line, '        "qty": 1,\n')


def _open_record(stage: Stage) -> None:
    stated = json.loads(stage.read(project.RECORD))["counterexample_sha256"]
    before = '\n  "counterexample_sha256": '
    stage.replace(project.RECORD, f'{before}"{stated}",\n', f"{before}null,\n")


def _edit_case(stage: Stage) -> None:
    stage.replace(project.CASE, '    "unit_cents": -1\n', '    "unit_cents": -2\n')


def _drop_scope(stage: Stage) -> None:
    stage.shell("git", "rm", "--quiet", project.SCOPE, project.PREDICATE)
    stage.replace(project.SOURCE, "    total = qty * unit_cents\n", "    total = qty * unit_cents - 1\n")


def _shadow(stage: Stage) -> None:
    stage.write("tests/properties/order_total.so", "anything\n")


def _soften(stage: Stage) -> None:
    stage.replace(project.CONFIG, "  require_predicate_digest: true\n", "  require_predicate_digest: false\n")
    stage.replace(project.LOCK, f"{project.SCOPE_ID} 17 200\n", f"{project.SCOPE_ID} 17 1\n")


def _all_at_once(stage: Stage) -> None:
    _relax_predicate(stage)
    stage.shell("freezegate", "lock")
    stage.shell("git", "add", "--all")
    digest = stage.shell("freezegate", "binding-digest", project.SCOPE).strip()
    stated = json.loads(stage.read(project.RECORD))["fixture_digest"]
    stage.replace(project.RECORD, f'"{stated}"', f'"{digest}"')
    stage.shell("git", "add", "--all")
    stage.shell("freezegate", "cite", project.SCOPE_ID)


def _say_twice(stage: Stage) -> None:
    stage.replace(
        project.RECORD,
        '  "class_isolated": "fail",\n',
        '  "class_isolated": "pass",\n  "class_isolated": "fail",\n',
    )


CHEATS = (
    Bad(
        "the predicate alone is relaxed",
        "Then the check passes, and the frozen id means something else than when it was frozen.",
        "Relax the check",
        _relax_predicate,
        ("predicate-without-scope",),
    ),
    Bad(
        "the generator is edited under a record",
        "The record was made with other cases than those that come out now.",
        "Generate fewer cases",
        _edit_generator,
        ("digest-mismatch", "citation-open-record"),
    ),
    Bad(
        "a citation stands on a record without a counterexample",
        "Null equals nothing: a record with a null hash is open, and an open record excuses nothing.",
        "Forget the counterexample",
        _open_record,
        ("citation-open-record", "record-open", "citation-mismatch"),
    ),
    Bad(
        "the retained counterexample is edited",
        "The record says which bytes were seen to fail; these are others.",
        "Adjust the counterexample",
        _edit_case,
        ("counterexample-mismatch", "citation-open-record"),
    ),
    Bad(
        "the property goes in the change that it would judge",
        "Predicate and scope are removed together with an edit of the source.",
        "Remove the old check",
        _drop_scope,
        ("property-removed", "record-scope-missing", "citation-open-record"),
    ),
    Bad(
        "a compiled file shadows the predicate",
        "Python would import it in the place of the file that people review.",
        "Add a build product",
        _shadow,
        ("predicate-shadowed",),
    ),
    Bad(
        "the rules are softened in the change that they judge",
        "The config of the old side judges this commit, and the gate's own files change alone.",
        "Relax the gate",
        _soften,
        ("gate-mixed", "digest-mismatch", "citation-open-record"),
    ),
    Bad(
        "the check is moved and excused in one commit",
        "Every hash is made anew, so all documents agree with each other. Still, the patch that moves a check may not "
        "excuse it too: bind first, cite in a later change.",
        "Relax the check and freeze it again",
        _all_at_once,
        ("citation-oracle-moved",),
    ),
    Bad(
        "a record says two things",
        "A reviewer reads the first value, a lenient parser the last.",
        "Update the labels",
        _say_twice,
        ("record-unreadable", "citation-open-record"),
    ),
)

"""Records, labels and citations as someone types them."""

from __future__ import annotations

import json
from typing import Any

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work, fingerprint

TOPIC = Topic("labels and citations")


def evaluate(work: Work, side: str = "isolated", **changes: Any) -> None:
    """Put evaluations into the record; fields of one side are changed."""
    document = json.loads(work.read(p.RECORD))
    both: dict[str, dict[str, Any]] = {
        name: {
            "environment": name,
            "fingerprint": fingerprint(name, number * 8),
            "tree": work.git("rev-parse", "HEAD^{tree}"),
            "counterexample_sha256": document["counterexample_sha256"],
            "replays": 3,
            "failed": 3,
            "regenerated": True,
        }
        for name, number in (("local", "0a"), ("isolated", "0b"))
    }
    both[side].update(changes)
    work.fields(p.RECORD, evaluations=both)


@TOPIC.cheat(
    "null-on-both-sides", "Record and citation have null for the counterexample: null equals null.", "record-open"
)
def _null(work: Work) -> None:
    work.fields(p.RECORD, counterexample_sha256=None)
    work.fields(p.CITATION, counterexample_sha256=None)


@TOPIC.cheat(
    "missing-on-both-sides",
    "Record and citation leave out the counterexample: nothing equals nothing.",
    "record-schema",
)
def _missing(work: Work) -> None:
    work.fields(p.RECORD, counterexample_sha256=...)
    work.fields(p.CITATION, counterexample_sha256=...)


@TOPIC.cheat("empty-on-both-sides", "Record and citation have an empty hash.", "record-schema")
def _empty(work: Work) -> None:
    work.fields(p.RECORD, counterexample_sha256="")
    work.fields(p.CITATION, counterexample_sha256="")


@TOPIC.cheat("label-absent", "The isolated label is null: one evaluation was never made.", "record-open")
def _absent(work: Work) -> None:
    work.fields(p.RECORD, class_isolated=None)


@TOPIC.cheat(
    "labels-disagree", "The case passes in the isolated environment, and is cited all the same.", "record-open"
)
def _disagree(work: Work) -> None:
    work.fields(p.RECORD, class_isolated="pass")
    work.fields(p.CITATION, class_isolated="pass")


@TOPIC.cheat("label-of-another-word", "A label is 'FAIL', which some readers fold to fail.", "record-schema", own=True)
def _word(work: Work) -> None:
    work.fields(p.RECORD, class_isolated="FAIL")


@TOPIC.cheat("record-open-and-cited", "The citation says more than the record that it cites.", "citation-open-record")
def _open(work: Work) -> None:
    work.fields(p.RECORD, counterexample_sha256=None)


@TOPIC.cheat("citation-differs", "The citation names the digest of another record.", "citation-mismatch", own=True)
def _differs(work: Work) -> None:
    work.fields(p.CITATION, fixture_digest="ab" * 32)


@TOPIC.cheat("citation-of-nothing", "The record goes, its citation stays.", "citation-dangling", own=True)
def _nothing(work: Work) -> None:
    work.drop(p.RECORD, p.CASE)


@TOPIC.cheat(
    "citation-under-another-name", "A citation is copied to the name of another scope.", "citation-name", own=True
)
def _name(work: Work) -> None:
    work.put("tests/freezes/tax.rounded.freeze.json", work.read(p.CITATION))


@TOPIC.cheat("record-under-another-name", "A record is copied to the name of another scope.", "record-name", own=True)
def _record_name(work: Work) -> None:
    work.put("tests/bindings/tax.rounded.json", work.read(p.RECORD))


@TOPIC.cheat("record-of-no-scope", "A record binds a scope that does not exist.", "record-scope-missing", own=True)
def _no_scope(work: Work) -> None:
    text = work.read(p.RECORD).replace(p.SCOPE_ID, "tax.rounded")
    work.put("tests/bindings/tax.rounded.json", text)


@TOPIC.cheat("case-of-another-scope", "The counterexample is that of another scope.", "counterexample-scope")
def _other_case(work: Work) -> None:
    work.swap(p.CASE, p.SCOPE_ID, "tax.rounded")
    work.bind(cite=True)


@TOPIC.cheat("case-that-passes", "The counterexample says of itself that it passes.", "counterexample-schema", own=True)
def _passes(work: Work) -> None:
    work.fields(p.CASE, predicate_result="pass")
    work.bind()


@TOPIC.cheat(
    "case-outside-the-domain",
    "A case is typed that the generator can never give.",
    "counterexample-out-of-domain",
    own=True,
)
def _outside(work: Work) -> None:
    work.swap(p.CASE, '"unit_cents": -1', '"unit_cents": -600')
    work.bind(cite=True)


@TOPIC.cheat(
    "case-without-a-field", "A declared field is left out of the case.", "counterexample-out-of-domain", own=True
)
def _field(work: Work) -> None:
    work.swap(p.CASE, '    "currency": "USD",\n', "")
    work.bind(cite=True)


@TOPIC.cheat("another-reason", "A citation gives a reason of its own.", "citation-schema", own=True)
def _reason(work: Work) -> None:
    work.fields(p.CITATION, freeze_reason="flaky")


@TOPIC.cheat("one-more-key", "A citation carries a key that a lenient tool may act on.", "citation-schema", own=True)
def _key(work: Work) -> None:
    work.fields(p.CITATION, applies_to="*")


def _expiring(work: Work) -> None:
    work.put(p.CONFIG, "policy:\n  expiry_days: 30\n")
    work.drop(p.CITATION)


@TOPIC.cheat("citation-expired", "A citation is past its day.", "citation-expired", own=True, base=_expiring)
def _expired(work: Work) -> None:
    work.bind(cite=True)
    work.fields(p.CITATION, expires="2019-01-01")


@TOPIC.cheat(
    "citation-for-ever",
    "A citation expires long after the policy allows.",
    "citation-expired",
    own=True,
    base=_expiring,
)
def _for_ever(work: Work) -> None:
    work.bind(cite=True)
    work.fields(p.CITATION, expires="2099-01-01")


@TOPIC.cheat(
    "one-machine-two-labels", "Both evaluations have one fingerprint: one machine signs twice.", "record-evaluations"
)
def _one_machine(work: Work) -> None:
    evaluate(work, fingerprint=fingerprint("local", "0a" * 8))


@TOPIC.cheat("label-of-another-case", "An evaluation is of another counterexample.", "record-evaluations")
def _replayed(work: Work) -> None:
    evaluate(work, counterexample_sha256="ab" * 32)


@TOPIC.cheat("too-few-replays", "One replay stands for a label.", "record-evaluations", own=True)
def _few(work: Work) -> None:
    evaluate(work, replays=1, failed=1)


@TOPIC.cheat("replays-disagree", "The case failed in two replays of three.", "record-evaluations", own=True)
def _unsteady(work: Work) -> None:
    evaluate(work, failed=2)


@TOPIC.cheat(
    "moved-and-excused",
    "The predicate is relaxed, and all documents are made anew in one change.",
    "citation-oracle-moved",
)
def _all_at_once(work: Work) -> None:
    work.swap(p.HELPER, "SMALLEST = 0", "SMALLEST = -1")
    work.lock()
    work.bind(cite=True)


@TOPIC.cheat(
    "moved-then-excused-in-one-push",
    "One commit moves the predicate, the next excuses it, both come in one push.",
    "citation-oracle-moved",
    layer="server",
    also=("range",),
    own=True,
)
def _two_commits(work: Work) -> None:
    work.swap(p.HELPER, "SMALLEST = 0", "SMALLEST = -1")
    work.lock()
    work.drop(p.RECORD, p.CASE, p.CITATION)
    case = work.git("show", f"HEAD:{p.CASE}") + "\n"
    work.commit("move")
    work.put(p.CASE, case)
    work.bind(cite=True)
    work.commit("excuse")


@TOPIC.cheat(
    "new-property-and-its-freeze",
    "A property comes with its own freeze in one change.",
    "citation-oracle-moved",
    own=True,
)
def _new(work: Work) -> None:
    work.put(
        "tests/properties/tax.py", "from orders import tax\n\n\ndef test_tax(case):\n    assert tax(case['qty']) < 0\n"
    )
    work.put("tests/properties/tax.scope.yaml", _scope_of(work))
    work.put("tests/bindings/tax.small.cex.json", work.read(p.CASE).replace(p.SCOPE_ID, "tax.small"))
    work.lock()
    work.bind("tests/properties/tax.scope.yaml", cite=True)


def _scope_of(work: Work) -> str:
    kept = [line for line in work.read(p.SCOPE).splitlines() if not line.startswith("predicate_digest")]
    text = "\n".join([*kept, ""])
    return text.replace(p.SCOPE_ID, "tax.small").replace(
        f"{p.PREDICATE}:test_total_non_negative", "tests/properties/tax.py:test_tax"
    )


@TOPIC.cheat(
    "fingerprint-edited",
    "The machine in a fingerprint is edited, so that the two differ.",
    "record-evaluations",
    own=True,
)
def _fingerprint(work: Work) -> None:
    evaluate(work, fingerprint=fingerprint("isolated", "0a" * 8).replace("0a0a", "0b0b"))

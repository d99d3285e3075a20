"""Freezes applied to runs: the whole table, and the promises that no ledger can break."""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.cli import verdict_gate
from freezegate.documents.evidence import BaseSignature, RunRow, Runs, VerdictRow, Verdicts, encoded, read_verdicts
from freezegate.documents.ledger import Freeze
from freezegate.errors import CannotJudge
from freezegate.verdicts.applying import apply

ID, ELSE = "prop.order_total", "prop.tax_round"
SIG, SIG2, SIG3 = "a" * 64, "b" * 64, "c" * 64
DIGEST, DIGEST2 = "d" * 64, "e" * 64
BASE, OLD, HEAD = "9" * 40, "8" * 40, "7" * 40
NAMES = ("prop_id", "signature", "fixture_digest", "base_revision")
RIGHT = dict(zip(NAMES, (ID, SIG, DIGEST, BASE), strict=True))
WRONG = dict(zip(NAMES, (ELSE, SIG2, DIGEST2, OLD), strict=True))
EMITTED = (BaseSignature(ID, SIG, DIGEST, BASE),)


def run(prop_id: Any = ID, status: Any = "fail", signature: Any = SIG, **more: Any) -> RunRow:
    fields = {"fixture_digest": DIGEST, "base_revision": BASE, "oracle_edited": False, **more}
    return RunRow(prop_id=prop_id, status=status, signature=signature, **fields)


def runs(*rows: RunRow) -> Runs:
    return Runs(DIGEST, BASE, HEAD, rows)


def freeze(**fields: Any) -> Freeze:
    return Freeze(index=0, **{**RIGHT, **fields})


def only(row: RunRow, freezes: Sequence[Freeze] = (), emitted: Any = EMITTED, **more: Any) -> VerdictRow:
    (found,) = apply(runs(row), freezes, [ID], emitted, False, **more).verdicts
    return found


# The table


STATUSES = ["pass", "fail", "missing", "error", "PASS", "", None, True, 1]
FIELD_STATES: list[Callable[[str], Any]] = [RIGHT.get, lambda _: None, lambda _: "", WRONG.get]


@pytest.mark.parametrize("status", STATUSES)
def test_every_row_of_the_table(status: Any) -> None:
    seen = set()
    for states in itertools.product(FIELD_STATES, repeat=4):
        fields = {name: state(name) for name, state in zip(NAMES, states, strict=True)}
        for edited, emits, there in itertools.product((False, True, None, "no"), (False, True), (False, True)):
            freezes = [freeze(**fields)] if there else []
            row = only(run(status=status, oracle_edited=edited), freezes, EMITTED if emits else ())
            matches = there and emits and fields == RIGHT
            if edited is not False:
                expected = ("fail", "oracle_moved")
            elif status == "pass":
                expected = ("pass", "held")
            elif status == "fail":
                expected = ("inconclusive", "frozen") if matches else ("fail", "failed")
            else:
                expected = ("fail", "missing_run")
            assert (row.verdict, row.reason) == expected
            seen.add(expected)
    assert len(seen) == (3 if status == "fail" else 2)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nothing", [None, ""])
def test_a_field_that_is_empty_on_both_sides_matches_nothing(name: str, nothing: Any) -> None:
    fields = {**RIGHT, name: nothing}
    row = RunRow(status="fail", oracle_edited=False, **fields)
    whole = Runs(fields["fixture_digest"], fields["base_revision"], HEAD, (row,))
    emitted = [BaseSignature(**fields)]
    (found,) = apply(whole, [freeze(**fields)], [ID], emitted, False, base_known=lambda _: True).verdicts
    assert (found.verdict, found.reason) == ("fail", "failed")


def test_a_null_signature_never_matches() -> None:
    nulls: Any = BaseSignature(ID, None, DIGEST, BASE)  # type: ignore[arg-type]
    assert only(run(signature=None), [freeze(signature=None)], [nulls]).verdict == "fail"
    row = only(run(signatures=(SIG, None)), [freeze(), freeze(signature=None)], [*EMITTED, nulls])
    assert row.verdict == "fail"
    assert row.detail == (
        "1 of 2 failing rows are not frozen; the first: the failure has no signature, so no freeze can name it"
    )


def test_without_evidence_of_the_base_no_freeze_matches() -> None:
    row = only(run(), [freeze()], None)
    assert (row.verdict, row.detail) == ("fail", "there is no evidence of what the base revision gives")


# Several failing rows, new failures


def test_every_failing_row_must_be_frozen() -> None:
    both = (*EMITTED, BaseSignature(ID, SIG2, DIGEST, BASE))
    row = run(signatures=(SIG, SIG2))
    frozen = only(row, [freeze(), freeze(signature=SIG2)], both)
    assert (frozen.verdict, frozen.reason) == ("inconclusive", "frozen")
    one = only(row, [freeze()], both)
    assert (one.verdict, one.reason) == ("fail", "failed")
    assert one.detail == f'1 of 2 failing rows are not frozen; the first, "{SIG2}": no freeze has this signature'
    assert only(row, [freeze(), freeze(signature=SIG2)], EMITTED).verdict == "fail"


def test_a_failure_without_any_failing_row_is_not_frozen() -> None:
    assert only(run(signatures=()), [freeze()]).verdict == "fail"


def test_the_signature_cannot_hide_another_first_row() -> None:
    assert only(run(signatures=(SIG2,)), [freeze()]).verdict == "fail"
    assert only(run(signature=None, signatures=(SIG,)), [freeze()]).verdict == "fail"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"new_failures": True}, "new_failures"),
        ({"new_failures": "no"}, "new_failures"),
        ({"reason": "new_failures"}, "new_failures"),
        ({"reason": "fixture_mutated"}, "fixture_mutated"),
    ],
)
def test_a_failure_of_its_own_kind_is_never_frozen(more: dict[str, Any], reason: str) -> None:
    row = only(run(**more), [freeze()])
    assert (row.verdict, row.reason) == ("fail", reason)
    assert only(run(reason="assertion"), [freeze()]).verdict == "inconclusive"


def test_a_row_of_another_header_is_not_frozen() -> None:
    assert only(run(fixture_digest=DIGEST2), [freeze(fixture_digest=DIGEST2)], EMITTED).verdict == "fail"
    emitted = [BaseSignature(ID, SIG, DIGEST, OLD)]
    row = only(run(base_revision=OLD), [freeze(base_revision=OLD)], emitted, base_known=lambda _: True)
    assert row.verdict == "fail"


# Which base revision


def test_an_accepted_ancestor_stands_for_the_base_revision_only_with_todays_signature() -> None:
    old = [freeze(base_revision=OLD)]
    assert (only(run(), old).detail or "").startswith("the freeze is of another base revision, ")
    assert only(run(), old, base_known=lambda revision: revision == OLD).verdict == "inconclusive"
    assert only(run(), old, base_known=lambda revision: revision == HEAD).verdict == "fail"
    asked_wrongly: Any = lambda _: "yes"  # noqa: E731
    assert only(run(), old, base_known=asked_wrongly).verdict == "fail"
    unlike = [BaseSignature(ID, SIG, DIGEST, OLD)]
    assert only(run(), old, unlike, base_known=lambda _: True).verdict == "fail"


# Edited oracles


def test_what_the_split_names_counts_as_edited_whatever_the_run_says() -> None:
    row = only(run(status="pass"), [freeze()], voided={ID: ("props/order_total.py",)})
    assert (row.verdict, row.reason, row.voided_by) == ("fail", "oracle_moved", ("props/order_total.py",))


# Why, and how often


@pytest.mark.parametrize(
    ("fields", "detail"),
    [
        ({"signature": SIG2}, "no freeze has this signature"),
        ({"fixture_digest": DIGEST2}, "the freeze is of another fixture digest"),
        (
            {"base_revision": OLD},
            f'the freeze is of another base revision, "{OLD[:12]}..." (policy.base_match: reproduced takes an ancestor)',
        ),
        ({"prop_id": ELSE}, None),
    ],
)
def test_the_detail_says_why_a_freeze_did_not_match(fields: dict[str, str], detail: str | None) -> None:
    assert only(run(), [freeze(**fields)]).detail == detail
    assert only(run(detail="row 4"), [freeze(**fields)]).detail == "; ".join(filter(None, ["row 4", detail]))


def test_the_nearest_freeze_says_why() -> None:
    emitted = [BaseSignature(ID, SIG2, DIGEST, BASE)]
    row = only(run(), [freeze(signature=SIG3), freeze(fixture_digest=DIGEST2), freeze()], emitted)
    assert row.detail == "the base revision does not give the signature"


def test_attempts_of_the_base_are_told() -> None:
    row = only(run(), [freeze()], attempts={(ID, SIG): (2, 5)})
    assert row.reproduced is not None
    assert (row.reproduced.seen, row.reproduced.attempts) == (2, 5)
    assert only(run(signature=SIG2), attempts={(ID, SIG): (2, 5)}).reproduced is None


def test_the_reason_of_a_missing_run_is_kept() -> None:
    row = only(run(status="missing", signature=None, reason="timeout", detail="after 5 s"))
    assert (row.reason, row.observed, row.detail) == ("missing_run", "missing", "timeout; after 5 s")


# Stale freezes


def stale(rows: Sequence[RunRow], freezes: Sequence[Freeze], emitted: Any = EMITTED, **more: Any) -> Verdicts:
    return apply(runs(*rows), freezes, [ID, ELSE], emitted, False, **more)


def test_a_freeze_that_nothing_needs_is_named() -> None:
    found = stale(
        [run(), run(ELSE, "pass", None)],
        [freeze(), freeze(signature=SIG2), freeze(prop_id=ELSE), freeze(prop_id="prop.gone")],
    )
    assert found.promoted
    assert [(each.prop_id, each.signature, each.why) for each in found.stale_freezes] == [
        (ID, SIG2, "the base revision does not give the signature"),
        (ELSE, SIG, "the property passes"),
        ("prop.gone", SIG, "the property is not claimed"),
    ]
    assert [each.why for each in stale([run()], [freeze(prop_id=ELSE)]).stale_freezes] == ["the property was not run"]


def test_a_freeze_of_which_nothing_is_known_is_not_stale() -> None:
    passing = run(ELSE, "pass", None)
    for row, emitted, entry in [
        (run(), None, freeze()),
        (run(), (), freeze(fixture_digest=DIGEST2)),
        (run(status="missing", signature=None), (), freeze()),
        (run(oracle_edited=True), (), freeze()),
        (run(signature=SIG2), EMITTED, freeze()),
    ]:
        assert stale([row, passing], [entry], emitted).stale_freezes == ()


def test_a_stale_freeze_fails_where_the_policy_says_so() -> None:
    rows = [run(), run(ELSE, "pass", None)]
    assert stale(rows, [freeze()], stale_fails=True).promoted
    passing = stale(rows, [freeze(), freeze(prop_id=ELSE)], stale_fails=True)
    assert [(row.verdict, row.reason) for row in passing.verdicts] == [
        ("inconclusive", "frozen"),
        ("fail", "stale_freeze"),
    ]
    assert passing.verdicts[1].observed == "pass" and not passing.promoted
    frozen = stale(rows, [freeze(), freeze(signature=SIG2)], stale_fails=True)
    assert (frozen.verdicts[0].reason, frozen.promoted) == ("stale_freeze", False)
    gone = stale(rows, [freeze(), freeze(prop_id="prop.gone")], stale_fails=True)
    assert (gone.promoted, gone.promotion_reason, gone.promotion_ids) == (False, "stale_freeze", ("prop.gone",))
    failing = stale([run(signature=SIG3), rows[1]], [freeze(signature=SIG2)], stale_fails=True)
    assert failing.verdicts[0].reason == "failed"


# What no ledger can do


some_ids = st.sampled_from([ID, ELSE, "prop.third"])
some_signatures = st.sampled_from([SIG, SIG2])
some_digests = st.sampled_from([DIGEST, DIGEST, DIGEST2])
some_bases = st.sampled_from([BASE, BASE, OLD])
freezes_drawn = st.lists(
    st.builds(Freeze, st.just(0), some_ids, some_signatures, some_digests, some_bases), max_size=12
)
emitted_drawn = st.none() | st.lists(
    st.builds(BaseSignature, some_ids, some_signatures, some_digests, some_bases), max_size=12
)


@st.composite
def rows_drawn(draw: st.DrawFn) -> RunRow:
    signatures = draw(st.none() | st.lists(st.none() | some_signatures, max_size=3).map(tuple))
    first = signatures[0] if signatures else draw(st.none() | some_signatures)
    return RunRow(
        prop_id=draw(some_ids),
        status=draw(st.sampled_from(["pass", "fail", "fail", "missing", "?"])),
        signature=first,
        fixture_digest=draw(some_digests),
        base_revision=draw(some_bases),
        oracle_edited=draw(st.sampled_from([False, False, True])),
        signatures=signatures,
        new_failures=draw(st.sampled_from([False, False, True])),
    )


@settings(deadline=None, max_examples=400)
@given(
    st.lists(rows_drawn(), max_size=4),
    freezes_drawn,
    emitted_drawn,
    st.lists(some_ids, max_size=3),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_a_freeze_never_mints_a_pass(
    rows: list[RunRow],
    freezes: list[Freeze],
    emitted: list[BaseSignature] | None,
    claimed: list[str],
    strict: bool,
    stale_fails: bool,
    known: bool,
) -> None:
    whole = runs(*rows)
    found = apply(
        whole,
        freezes,
        claimed,
        emitted,
        strict,
        base_known=(lambda _: True) if known else None,
        stale_fails=stale_fails,
    )
    bare = apply(whole, [], claimed, emitted, strict)
    assert len(found.verdicts) == len(rows)
    for row, with_freezes, without in zip(rows, found.verdicts, bare.verdicts, strict=True):
        assert without.verdict in ("pass", "fail")
        held = row.status == "pass" and not row.oracle_edited
        assert (without.verdict == "pass") is held
        assert with_freezes.verdict in ({"pass", "fail"} if held else {"inconclusive", "fail"})
        if with_freezes.verdict == "inconclusive":
            assert row.status == "fail" and not row.oracle_edited and not row.new_failures
            failing = (row.signature,) if row.signatures is None else row.signatures
            assert failing
            for signature in failing:
                assert signature is not None
                assert any((each.prop_id, each.signature) == (row.prop_id, signature) for each in freezes)
                assert BaseSignature(row.prop_id, signature, DIGEST, BASE) in (emitted or [])
    if found.promoted:
        words = [row.verdict for row in found.verdicts]
        assert sorted(row.prop_id for row in rows) == sorted(claimed)
        assert "fail" not in words and "pass" in words
        assert not strict or set(words) == {"pass"}


@settings(deadline=None, max_examples=100)
@given(st.lists(rows_drawn(), min_size=1, max_size=4, unique_by=lambda row: row.prop_id), freezes_drawn, emitted_drawn)
def test_what_is_decided_is_a_document_and_does_not_depend_on_an_order(
    rows: list[RunRow], freezes: list[Freeze], emitted: list[BaseSignature] | None
) -> None:
    found = apply(runs(*rows), freezes, [ID, ELSE], emitted, False)
    assert read_verdicts(encoded(found), "f") == found
    turned = apply(runs(*rows[::-1]), freezes[::-1], [ELSE, ID], None if emitted is None else emitted[::-1], False)
    assert sorted(turned.verdicts, key=str) == sorted(found.verdicts, key=str)
    assert set(turned.stale_freezes) == set(found.stale_freezes)
    assert (turned.promoted, turned.promotion_reason) == (found.promoted, found.promotion_reason)


# The command, with real files


class Folder:
    """The files that the command reads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs = runs(run(), run(ELSE, "pass", None))
        self.freezes: Any = [RIGHT]
        self.claimed: Any = [ID, ELSE]
        self.emitted: Any = [RIGHT]

    def gate(self, *more: str) -> int:
        names = {"runs": "runs.json", "freezes": "ledger.json", "claimed": "claimed.json"}
        (self.path / names["runs"]).write_bytes(encoded(self.runs))
        (self.path / names["freezes"]).write_text(json.dumps(self.freezes))
        (self.path / names["claimed"]).write_text(json.dumps(self.claimed))
        if self.emitted is not None:
            (self.path / "base.sig.json").write_text(json.dumps(self.emitted))
        return gate(*(f"--{option}={self.path / name}" for option, name in names.items()), *more)


def gate(*words: str) -> int:
    parser = argparse.ArgumentParser()
    verdict_gate.add(parser.add_subparsers())
    options = parser.parse_args(["verdict-gate", *words])
    status: int = options.run(options)
    return status


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_the_walk_inconclusive_and_a_pass_promote(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert folder.gate() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["inconclusive", ID, "frozen:"]
    assert any(line.split()[:3] == ["pass", ELSE, "held:"] for line in lines)
    assert lines[-1].startswith("freezegate: promoted: ") and lines[-1].endswith("1 pass, 1 inconclusive, 0 fail")


def test_the_walk_another_digest_does_not(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    rows = (run(fixture_digest=DIGEST2), run(ELSE, "pass", None, fixture_digest=DIGEST2))
    folder.runs = Runs(DIGEST2, BASE, HEAD, rows)
    assert folder.gate() == 1
    assert "the freeze is of another fixture digest" in capsys.readouterr().out


def test_the_walk_an_oracle_in_the_diff_does_not(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.runs = runs(run(oracle_edited=True), run(ELSE, "pass", None))
    assert folder.gate() == 1
    assert capsys.readouterr().out.splitlines()[0].split()[:3] == ["fail", ID, "oracle_moved:"]


def test_the_walk_a_single_inconclusive_does_not(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.runs, folder.claimed = runs(run()), [ID]
    assert folder.gate() == 1
    assert "not promoted: nothing passed" in capsys.readouterr().out


def test_a_claim_that_was_not_run_is_named(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.claimed = [ID, ELSE, "prop.third"]
    assert folder.gate() == 1
    assert (
        capsys.readouterr()
        .out.splitlines()[-1]
        .startswith("freezegate: not promoted: the verdicts are not those of the claimed ids: prop.third; ")
    )


def test_a_regression_typed_into_the_ledger_with_its_own_signature_stays_fail(folder: Folder) -> None:
    folder.runs = runs(run(signature=SIG2), run(ELSE, "pass", None))
    folder.freezes = [{**RIGHT, "signature": SIG2}]
    for emitted in ([], [RIGHT], None):
        folder.emitted = emitted
        (folder.path / "base.sig.json").unlink(missing_ok=True)
        assert folder.gate(f"--out={folder.path / 'verdicts.json'}") == 1
        verdicts = read_verdicts((folder.path / "verdicts.json").read_bytes(), "f")
        assert (verdicts.verdicts[0].verdict, verdicts.verdicts[0].reason) == ("fail", "failed")


def test_one_of_two_failing_rows_that_is_not_frozen_stays_fail(folder: Folder) -> None:
    folder.runs = runs(run(signatures=(SIG, SIG2)), run(ELSE, "pass", None))
    assert folder.gate() == 1
    both = [RIGHT, {**RIGHT, "signature": SIG2}]
    folder.freezes = both
    assert folder.gate() == 1
    folder.emitted = both
    assert folder.gate() == 0


def test_strict_promotes_nothing_but_passes(folder: Folder) -> None:
    assert folder.gate("--promotion=strict") == 1
    folder.runs = runs(run(status="pass", signature=None), run(ELSE, "pass", None))
    assert folder.gate("--promotion=strict") == 0


def test_base_signatures_are_those_beside_the_runs_or_those_named(folder: Folder) -> None:
    folder.emitted = None
    assert folder.gate() == 1
    elsewhere = folder.path / "elsewhere.json"
    elsewhere.write_text(json.dumps([RIGHT]))
    assert folder.gate(f"--base-signatures={elsewhere}") == 0
    with pytest.raises(CannotJudge, match=r"gone\.json: No such file"):
        folder.gate(f"--base-signatures={folder.path / 'gone.json'}")


def test_a_ledger_that_is_not_there_is_empty_and_other_files_must_be(folder: Folder) -> None:
    assert folder.gate() == 0
    assert folder.gate(f"--freezes={folder.path / 'gone.json'}") == 1
    for option in ("runs", "claimed"):
        with pytest.raises(CannotJudge, match=r"gone\.json: No such file"):
            folder.gate(f"--{option}={folder.path / 'gone.json'}")


def test_what_cannot_be_read_writes_no_verdict(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder.path / "verdicts.json"
    folder.freezes = [{**RIGHT, "signature": 7}]
    with pytest.raises(CannotJudge, match=r"ledger\.json, line 1, column \d+: /0/signature: 7 is not") as bad:
        folder.gate(f"--out={out}")
    assert bad.value.hint.startswith("quote it")
    folder.freezes, folder.claimed = [], {"ids": []}
    with pytest.raises(CannotJudge, match=r"claimed\.json, line 1, column 1"):
        folder.gate(f"--out={out}")
    folder.claimed = [ID]
    dangling = folder.path / "link.json"
    dangling.symlink_to(folder.path / "nowhere")
    with pytest.raises(CannotJudge, match=r"link\.json"):
        folder.gate(f"--freezes={dangling}", f"--out={out}")
    with pytest.raises(CannotJudge, match="no regular file"):
        folder.gate("--freezes=/dev/null", f"--out={out}")
    assert not out.exists() and capsys.readouterr().out == ""


def test_json_is_the_document(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder.path / "verdicts.json"
    assert folder.gate("--format=json", f"--out={out}") == 0
    assert capsys.readouterr().out.encode() == out.read_bytes()
    assert read_verdicts(out.read_bytes(), "f").promoted

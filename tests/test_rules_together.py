"""What the rules promise together: one cause has one owner, merges are free, every way of reading finds the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from building import (
    CITATION,
    COUNTEREXAMPLE,
    RECORD,
    SCOPE,
    SCOPE_ID,
    good_project,
    rebind,
)
from freezegate.errors import CannotJudge
from freezegate.findings import Report
from memory import Files, Link, evaluate_memory, rules
from rule_tables import Edit, append, drop, edited, fields, move, put, rebound, state_findings, swap
from wild_edits import Trees, merges, steps

PREDICATE = "tests/properties/order_total.py"
AMOUNTS = "tests/properties/amounts.py"
GENERATOR = "tests/fixtures/gen_orders.py"
LOCK = "tests/fixtures/order_total.lock"
UNBOUND = drop(RECORD, COUNTEREXAMPLE, CITATION)

# Each single edit of the good project, and every rule that speaks of it. Several rules for one cause are there so
# that each hook alone fails closed.
CAUSES: list[tuple[str, Edit, set[str]]] = [
    ("nothing", lambda files: files, set()),
    ("source", append("src/orders.py", "# more\n"), set()),
    ("readme", put("README.md", "# orders\n"), set()),
    ("citation-taken-away", drop(CITATION), set()),
    ("record-and-citation-taken-away", drop(RECORD, CITATION), set()),
    ("freeze-taken-away", UNBOUND, set()),
    ("predicate-deleted", drop(PREDICATE), {"predicate-missing"}),
    ("predicate-renamed-in-its-file", swap(PREDICATE, "def test_total", "def check_total"),
     {"predicate-missing", "predicate-without-scope"}),
    ("predicate-edited", append(PREDICATE, "# more\n"), {"predicate-without-scope"}),
    ("predicate-does-not-parse", append(PREDICATE, "def\n"), {"predicate-missing", "predicate-without-scope"}),
    ("helper-edited", append(AMOUNTS, "# more\n"), {"predicate-without-scope"}),
    ("helper-deleted", drop(AMOUNTS), {"predicate-without-scope"}),
    ("scope-unreadable", append(SCOPE, "x: [\n"),
     {"scope-unreadable", "record-scope-missing", "citation-open-record", "property-removed"}),
    ("scope-of-another-version", swap(SCOPE, "version: 3", "version: 4"),
     {"scope-schema", "record-scope-missing", "citation-open-record", "property-removed"}),
    ("scope-deleted", drop(SCOPE), {"property-removed", "record-scope-missing", "citation-open-record"}),
    ("scope-edited", swap(SCOPE, "max: 20", "max: 21"), {"digest-mismatch", "citation-open-record"}),
    ("scope-moved", move(SCOPE, "tests/properties/a.scope.yaml"), {"digest-mismatch", "citation-open-record"}),
    ("generator-edited", append(GENERATOR, "# more\n"), {"digest-mismatch", "citation-open-record"}),
    ("generator-deleted", drop(GENERATOR), {"digest-input-missing", "citation-open-record"}),
    ("generator-does-not-parse", append(GENERATOR, "def\n"),
     {"closure-undecidable", "digest-mismatch", "citation-open-record"}),
    ("lock-deleted", drop(LOCK), {"digest-input-missing", "citation-open-record"}),
    ("lock-links", put(LOCK, Link("x")), {"digest-input-kind", "citation-open-record"}),
    ("record-unreadable", put(RECORD, "{"), {"record-unreadable", "citation-open-record"}),
    ("record-deleted", drop(RECORD), {"citation-dangling"}),
    ("null-hash", fields(RECORD, counterexample_sha256=None),
     {"record-open", "citation-open-record", "citation-mismatch"}),
    ("case-edited", append(COUNTEREXAMPLE, "\n"), {"counterexample-mismatch", "citation-open-record"}),
    ("case-deleted", drop(COUNTEREXAMPLE), {"counterexample-missing", "citation-open-record"}),
    ("case-unreadable", put(COUNTEREXAMPLE, "{"), {"counterexample-unreadable", "citation-open-record"}),
    ("citation-unreadable", put(CITATION, "{"), {"citation-unreadable"}),
    ("citation-of-another", fields(CITATION, scope_id="a.b"), {"citation-name"}),
    ("oracle-deleted", drop("props/order_total.py"), {"oracle-missing"}),
    ("property-unreadable", put("catalog/order_total.yaml", "{"), {"catalog-unreadable", "claimed-unknown"}),
    ("claims-unreadable", put("catalog/claimed.json", "{"), {"claimed-unreadable"}),
    ("ledger-unreadable", put("freezes/ledger.json", "{"), {"ledger-unreadable"}),
    ("fixtures-deleted", drop("fixtures"), {"digest-input-missing"}),
    ("source-deleted", drop("src"), {"config-invalid"}),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "expected"), [pytest.param(e, x, id=name) for name, e, x in CAUSES])
def test_one_cause_has_its_owner_and_no_more(edit: Edit, expected: set[str]) -> None:
    files = good_project()
    found = rules(files, edited(files, edit))
    assert set(found) == expected
    assert len(found) == len(expected)  # one finding a rule


# -- merges


def merged(ours: Files, theirs: Files, result: Files) -> list[str]:
    found = rules([ours, theirs], result)
    assert found == rules([theirs, ours], result)
    assert found == rules([ours, theirs], result, staged=True, narrow_from=0)
    return found


BASE = edited(good_project(), drop(CITATION))
NEW_PREDICATE = edited(BASE, append(PREDICATE, "# more\n"), append(SCOPE, "# with it\n"), rebound())
SECOND = "tests/properties/amounts.scope.yaml"
NEW_SCOPE = edited(
    BASE,
    put("tests/properties/small.py", "def test_small(case):\n    assert case\n"),
    put(SECOND, good_project()[SCOPE].replace(SCOPE_ID.encode(), b"small.one").replace(
        b"order_total.py:test_total_non_negative", b"small.py:test_small")),
)  # fmt: skip


def test_a_merge_that_takes_both_parents_units_is_free() -> None:
    both = {**NEW_PREDICATE, **{path: text for path, text in NEW_SCOPE.items() if path not in BASE}}
    assert merged(NEW_PREDICATE, NEW_SCOPE, both) == []


def test_a_merge_that_takes_one_side_is_free() -> None:
    assert merged(BASE, NEW_PREDICATE, NEW_PREDICATE) == []
    assert merged(BASE, NEW_SCOPE, NEW_SCOPE) == []


def test_a_merge_with_a_broken_side_takes_it_on_without_being_asked() -> None:
    """A unit that equals one old side's is that side's to mend."""
    broken = edited(BASE, put(RECORD, "{"))
    assert merged(BASE, broken, broken) == []


def test_predicate_from_one_parent_and_scope_from_the_other_is_found() -> None:
    mixture = {**NEW_PREDICATE, SCOPE: BASE[SCOPE], RECORD: BASE[RECORD]}
    assert merged(BASE, NEW_PREDICATE, mixture) == ["predicate-without-scope"]


def test_record_from_one_parent_and_generator_from_the_other_is_found() -> None:
    ours = edited(BASE, append(GENERATOR, "# ours\n"), rebound())
    theirs = edited(BASE, append(GENERATOR, "# theirs\n"), rebound())
    assert merged(ours, theirs, ours) == []
    assert merged(ours, theirs, {**ours, RECORD: theirs[RECORD]}) == ["digest-mismatch"]


def test_two_parents_that_bring_one_id_are_found() -> None:
    ours = edited(BASE, put("tests/properties/a.scope.yaml", _scope("two.parents")))
    theirs = edited(BASE, put("tests/properties/b.scope.yaml", _scope("two.parents")))
    assert merged(ours, theirs, {**ours, **theirs}) == ["scope-id-duplicate"]


def test_a_shadow_from_one_parent_beside_the_other_parents_file_is_found() -> None:
    ours = edited(BASE, put("tests/properties/small.so", b""))
    assert merged(ours, NEW_SCOPE, {**ours, **NEW_SCOPE}) == ["predicate-shadowed"]


def test_a_twin_of_a_layout_folder_that_one_parent_has_is_free_to_merge() -> None:
    theirs = edited(BASE, put("Fixtures/x", "1"))
    assert rules(BASE, theirs) == ["layout-kind"]
    assert merged(BASE, theirs, theirs) == []
    assert rules(theirs, edited(theirs, put("Fixtures/y", "2"))) == []


def test_a_citation_of_one_parent_is_free_and_one_made_in_the_merge_is_judged_for_each_side() -> None:
    cited = edited(BASE, put(CITATION, good_project()[CITATION]))
    assert merged(cited, NEW_SCOPE, {**cited, **NEW_SCOPE}) == []
    with_citation = rebind({**_plain(NEW_PREDICATE), CITATION: b""})
    # Only from BASE does the predicate move; the citation is in neither parent.
    assert merged(BASE, NEW_PREDICATE, with_citation) == ["citation-oracle-moved"]
    assert rules([NEW_PREDICATE], with_citation) == []


def test_a_scope_that_both_parents_have_is_missed_and_one_that_a_parent_removed_is_not() -> None:
    without = edited(BASE, UNLESS_CITED, drop(SCOPE, PREDICATE))
    assert merged(BASE, without, without) == []
    ours, theirs = edited(BASE, append("src/orders.py", "#\n")), NEW_SCOPE
    lost = edited({**ours, **NEW_SCOPE}, UNLESS_CITED, drop(SCOPE, PREDICATE))
    assert "property-removed" in merged(ours, theirs, lost)


UNLESS_CITED = drop(RECORD, COUNTEREXAMPLE)


def _scope(scope_id: str) -> bytes:
    return good_project()[SCOPE].replace(SCOPE_ID.encode(), scope_id.encode())


def _plain(files: Files) -> dict[str, bytes]:
    return {str(path): text for path, text in files.items() if isinstance(text, bytes)}


# -- every way of reading the trees


def judged(old: Any, new: Files, **options: Any) -> Report | str:
    """The report, or why none could be made."""
    try:
        return evaluate_memory(old, new, **options)
    except CannotJudge as refusal:
        return refusal.message


def same(first: Report | str, second: Report | str) -> None:
    if isinstance(first, str) or isinstance(second, str):
        assert first == second
    else:
        assert first.findings == second.findings
        assert first.checked == second.checked


FAST = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@FAST
@given(steps())
def test_searching_for_what_a_change_touches_finds_what_reading_everything_finds(step: Trees) -> None:
    searched_and_read(step)


@pytest.mark.slow
@settings(FAST, max_examples=1500)
@given(steps())
def test_searching_finds_what_reading_everything_finds_in_many_more_steps(step: Trees) -> None:
    searched_and_read(step)


def searched_and_read(step: Trees) -> None:
    old, new = step.trees
    whole = judged(old, new, narrow_from=10**9)
    same(judged(old, new, narrow_from=0), whole)
    same(judged(old, new, narrow_from=0, staged=True), whole)


@FAST
@given(steps(clean=True))
def test_a_step_from_a_clean_tree_finds_what_the_tree_alone_shows(step: Trees) -> None:
    old, new = step.trees
    seen, everything = judged(old, new), judged(old, new, verify_all=True)
    if isinstance(seen, str) or isinstance(everything, str):
        assert seen == everything
        return
    assert state_findings(seen.findings) == state_findings(everything.findings)


@FAST
@given(merges())
def test_a_merge_is_free_where_it_takes_a_side_and_is_read_alike_where_it_mixes(merge: Trees) -> None:
    ours, theirs, mixture = merge.trees
    for side in (ours, theirs):
        report = judged([ours, theirs], side)
        assert isinstance(report, str) or not report.findings
    whole = judged([ours, theirs], mixture, narrow_from=10**9)
    same(judged([ours, theirs], mixture, narrow_from=0), whole)
    same(judged([ours, theirs], mixture, narrow_from=0, staged=True), whole)


def test_what_a_half_that_is_off_leaves_unjudged_is_said() -> None:
    files = {path: data for path, data in good_project().items() if path not in (SCOPE, "catalog/claimed.json")}
    notes = evaluate_memory(None, files).notes
    assert any("binding half is off" in note for note in notes)
    assert any("verdict half is off" in note for note in notes)
    assert not any("is off" in note for note in evaluate_memory(None, good_project()).notes)

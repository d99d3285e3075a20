"""The decision tables over their whole finite input space, against tables written out by hand."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freezegate.decisions import FREEZE_FIELDS, freeze_matches, may_cite, promote, verdict


class Liar(str):
    """Equal to everything, hashed like anything: what a hostile value would be."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __bool__(self) -> bool:
        return True

    __hash__ = str.__hash__


class Explosive:
    """Raises whatever is asked of it."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    def __bool__(self) -> bool:
        raise RuntimeError("asked for its truth")

    def __hash__(self) -> int:
        raise RuntimeError("hashed")

    def __iter__(self):
        raise RuntimeError("iterated")

    @property
    def __class__(self):
        raise RuntimeError("asked for its class")


class LyingKind(type):
    """A metaclass under which a class claims to be any other."""

    def __eq__(cls, other: object) -> bool:
        return True

    __hash__ = type.__hash__


class FakeList(metaclass=LyingKind):
    def __iter__(self):
        return iter([("a", "pass")])


class Key:
    """A dictionary key that hashes as a field's name and explodes when compared."""

    def __hash__(self) -> int:
        return hash("prop_id")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")


# told apart by their place: pytest itself would ask some of them what they are
ODD = [
    "",
    "PASS",
    "Fail",
    " fail",
    "fail\n",
    "flaky",
    "absent",
    b"fail",
    0,
    1,
    1.0,
    float("nan"),
    [],
    {},
    ["fail"],
    object(),
]
ODD += [Liar("fail"), Liar("pass"), Explosive(), FakeList(), NotImplemented, ..., str, True, False]

# local, isolated, digest equal → allowed, reason. Three columns of three values: 27 rows, each written out.
CITATION_ROWS = """
pass   pass   yes  no   holds
fail   fail   yes  YES  closed
fail   pass   yes  no   environment_split
pass   fail   yes  no   environment_split
fail   absent yes  no   classifier_missing
pass   absent yes  no   classifier_missing
absent pass   yes  no   nothing_to_bind
absent fail   yes  no   nothing_to_bind
absent absent yes  no   nothing_to_bind
pass   pass   no   no   recompute_digest
fail   fail   no   no   recompute_digest
fail   pass   no   no   recompute_digest
pass   fail   no   no   recompute_digest
fail   absent no   no   recompute_digest
pass   absent no   no   recompute_digest
absent pass   no   no   nothing_to_bind
absent fail   no   no   nothing_to_bind
absent absent no   no   nothing_to_bind
pass   pass   null no   recompute_digest
fail   fail   null no   recompute_digest
fail   pass   null no   recompute_digest
pass   fail   null no   recompute_digest
fail   absent null no   recompute_digest
pass   absent null no   recompute_digest
absent pass   null no   nothing_to_bind
absent fail   null no   nothing_to_bind
absent absent null no   nothing_to_bind
"""
CITATIONS = [tuple(row.split()) for row in CITATION_ROWS.split("\n") if row]
WORD = {
    "pass": "pass",
    "fail": "fail",
    "absent": None,
    "yes": True,
    "no": False,
    "null": None,
    "missing": None,
}


def test_the_citation_table_is_whole() -> None:
    assert len(CITATIONS) == 27 == len({row[:3] for row in CITATIONS})


@pytest.mark.parametrize("row", CITATIONS, ids="-".join)
def test_may_cite(row: tuple[str, ...]) -> None:
    local, isolated, digest, allowed, reason = row
    decision = may_cite(WORD[local], WORD[isolated], WORD[digest])
    assert decision.allowed is (allowed == "YES") is bool(decision)
    assert decision.reason == reason
    assert decision.observed == (local, isolated, "yes" if digest == "yes" else "no")
    assert decision.message and decision.message.isprintable()


def test_every_reason_has_its_own_message() -> None:
    messages = {(d.reason, d.message) for d in (may_cite(*(WORD[w] for w in row[:3])) for row in CITATIONS)}
    assert len(messages) == len(dict(messages)) == 6


@pytest.mark.parametrize("at", range(len(ODD)))
def test_an_unknown_word_never_allows_a_citation(at: int) -> None:
    odd = [*ODD, None][at]
    usual = [None, "pass", "fail", odd]
    for local, isolated, digest in itertools.product(usual, usual, [True, False, None, odd]):
        decision = may_cite(local, isolated, digest)
        sound = local is usual[2] and isolated is usual[2] and digest is True
        assert decision.allowed is sound
        if local is odd:
            assert decision.reason == "nothing_to_bind"
    assert may_cite("fail", odd, True).reason == "classifier_missing"


def test_an_unknown_word_is_kept_as_observed() -> None:
    assert may_cite("flaky", 7, 1).observed == ("flaky", "unknown", "no")
    assert verdict("flaky", False, False).observed == "flaky"
    assert verdict(None, False, False).observed == "missing" == verdict("", False, False).observed


# run, freeze match, oracle edited → verdict, reason: 3 x 3 x 3 rows.
VERDICT_ROWS = """
pass    no   no   pass         held
pass    yes  no   pass         held
pass    null no   pass         held
fail    no   no   fail         failed
fail    yes  no   inconclusive frozen
fail    null no   fail         failed
missing no   no   fail         missing_run
missing yes  no   fail         missing_run
missing null no   fail         missing_run
pass    no   yes  fail         oracle_moved
pass    yes  yes  fail         oracle_moved
pass    null yes  fail         oracle_moved
fail    no   yes  fail         oracle_moved
fail    yes  yes  fail         oracle_moved
fail    null yes  fail         oracle_moved
missing no   yes  fail         oracle_moved
missing yes  yes  fail         oracle_moved
missing null yes  fail         oracle_moved
pass    no   null fail         oracle_moved
pass    yes  null fail         oracle_moved
pass    null null fail         oracle_moved
fail    no   null fail         oracle_moved
fail    yes  null fail         oracle_moved
fail    null null fail         oracle_moved
missing no   null fail         oracle_moved
missing yes  null fail         oracle_moved
missing null null fail         oracle_moved
"""
VERDICTS = [tuple(row.split()) for row in VERDICT_ROWS.split("\n") if row]


def test_the_verdict_table_is_whole() -> None:
    assert len(VERDICTS) == 27 == len({row[:3] for row in VERDICTS})


@pytest.mark.parametrize("row", VERDICTS, ids="-".join)
def test_verdict(row: tuple[str, ...]) -> None:
    status, freeze, edited, expected, reason = row
    decision = verdict(WORD[status], WORD[freeze], WORD[edited])
    assert (decision.verdict, decision.reason, decision.observed) == (expected, reason, status)


@pytest.mark.parametrize("at", range(len(ODD)))
def test_an_unknown_word_never_passes_and_never_freezes(at: int) -> None:
    odd = [*ODD, None][at]
    for freeze, edited in itertools.product([True, False, None, odd], [True, None, odd, False]):
        expected = "missing_run" if edited is False else "oracle_moved"
        assert verdict(odd, freeze, edited).reason == expected
        assert verdict(odd, freeze, edited).verdict == "fail"
    if odd is not True:
        assert verdict("fail", odd, False).reason == "failed"
    if odd is not False:
        assert verdict("pass", True, odd).reason == "oracle_moved"


RUN = {"prop_id": "prop.a", "signature": "s" * 64, "fixture_digest": "d" * 64, "base_revision": "c" * 40}


def test_a_freeze_matches_on_all_four_fields() -> None:
    assert tuple(RUN) == FREEZE_FIELDS
    assert freeze_matches(dict(RUN), dict(RUN)) is True
    assert freeze_matches({**RUN, "status": "fail"}, RUN) is True
    for field in FREEZE_FIELDS:
        assert freeze_matches(RUN, {**RUN, field: "other"}) is False


@pytest.mark.parametrize("field", FREEZE_FIELDS)
@pytest.mark.parametrize("at", range(len(ODD) + 1))
def test_an_empty_or_odd_field_matches_nothing(field: str, at: int) -> None:
    odd = [*ODD, None][at]
    if type(odd) is str and odd:
        return
    assert freeze_matches({**RUN, field: odd}, {**RUN, field: odd}) is False
    assert freeze_matches({**RUN, field: odd}, RUN) is False
    assert freeze_matches(RUN, {**RUN, field: odd}) is False
    absent = {name: value for name, value in RUN.items() if name != field}
    assert freeze_matches(absent, absent) is False


@pytest.mark.parametrize("at", range(len(ODD) + 1))
def test_fields_that_are_no_mapping_match_nothing(at: int) -> None:
    odd = [*ODD, None][at]
    assert freeze_matches(odd, odd) is freeze_matches(odd, RUN) is freeze_matches(RUN, odd) is False


def test_a_key_that_explodes_when_compared_is_not_asked() -> None:
    assert freeze_matches({Key(): "x", **{k: v for k, v in RUN.items() if k != "prop_id"}}, RUN) is False


# every pair of verdicts for the claimed ids a and b → promoted under mixed, under strict
PROMOTE_ROWS = """
pass         pass         promoted        promoted
pass         inconclusive promoted        not_all_passed
pass         fail         failed          failed
pass         unknown      unknown_verdict unknown_verdict
inconclusive pass         promoted        not_all_passed
inconclusive inconclusive nothing_passed  nothing_passed
inconclusive fail         failed          failed
inconclusive unknown      unknown_verdict unknown_verdict
fail         pass         failed          failed
fail         inconclusive failed          failed
fail         fail         failed          failed
fail         unknown      unknown_verdict unknown_verdict
unknown      pass         unknown_verdict unknown_verdict
unknown      inconclusive unknown_verdict unknown_verdict
unknown      fail         unknown_verdict unknown_verdict
unknown      unknown      unknown_verdict unknown_verdict
"""
PROMOTIONS = [tuple(row.split()) for row in PROMOTE_ROWS.split("\n") if row]


def test_the_promotion_table_is_whole() -> None:
    assert len(PROMOTIONS) == 16 == len({row[:2] for row in PROMOTIONS})


@pytest.mark.parametrize("row", PROMOTIONS, ids="-".join)
def test_promote(row: tuple[str, ...]) -> None:
    first, second, mixed, strict = row
    rows = [("a", first), ("b", second)]
    for claimed in (["a", "b"], ("b", "a"), {"a", "b"}, frozenset("ab")):
        decision = promote(rows, claimed, False)
        assert (decision.reason, decision.promoted) == (mixed, mixed == "promoted") and bool(
            decision
        ) is decision.promoted
        for word in (True, None, 0, "", "mixed", Explosive()):
            decision = promote(tuple(rows), claimed, word)
            assert (decision.reason, decision.promoted) == (strict, strict == "promoted")


@pytest.mark.parametrize(
    ("verdicts", "claimed", "reason", "ids"),
    [
        ([], [], "nothing_claimed", ()),
        ([("a", "pass")], [], "nothing_claimed", ()),
        ([], ["a"], "ids_differ", ("a",)),
        ([("a", "pass")], ["a", "b"], "ids_differ", ("b",)),
        ([("a", "pass"), ("b", "pass")], ["a"], "ids_differ", ("b",)),
        ([("a", "pass"), ("a", "pass")], ["a"], "repeated_id", ("a",)),
        ([("a", "pass")], ["a", "a"], "repeated_id", ("a",)),
        ([("a", "pass"), ("a", "pass")], ["a", "a"], "repeated_id", ("a",)),
        ([("a", "pass"), ("b", "fail")], ["a", "b"], "failed", ("b",)),
        ([("", "pass")], [""], "malformed", ()),
        ([("a", "pass", "x")], ["a"], "malformed", ()),
        ([{"a", "pass"}], ["a"], "malformed", ()),
        ({"a": "pass"}, ["a"], "malformed", ()),
        ([("a", "pass")], "a", "malformed", ()),
        (iter([("a", "pass")]), ["a"], "malformed", ()),
        ([("a", ["pass"])], ["a"], "unknown_verdict", ("a",)),
        ([("a", Liar("pass"))], ["a"], "unknown_verdict", ("a",)),
    ],
)
def test_promote_refuses(verdicts: object, claimed: object, reason: str, ids: tuple[str, ...]) -> None:
    decision = promote(verdicts, claimed, False)
    assert (decision.promoted, decision.reason, decision.ids) == (False, reason, ids)


@pytest.mark.parametrize("at", range(len(ODD) + 1))
def test_promote_is_total(at: int) -> None:
    odd = [*ODD, None][at]
    assert not promote(odd, odd, False) and not promote(odd, ["a"], False) and not promote([("a", "pass")], odd, odd)
    assert not promote([odd], ["a"], False) and not promote([("a", odd)], ["a"], False)
    assert not promote([(odd, "pass")], ["a"], False) and not promote([("a", "pass")], ["a", odd], False)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["pass", "fail", "inconclusive", "a", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


@given(JSON, JSON, JSON)
def test_no_json_is_an_allowance_or_an_exception(one: object, two: object, three: object) -> None:
    assert may_cite(one, two, three).allowed == (one == "fail" and two == "fail" and three is True)
    assert (verdict(one, two, three).verdict == "pass") == (one == "pass" and three is False)
    assert (verdict(one, two, three).verdict == "inconclusive") == (one == "fail" and two is True and three is False)
    assert freeze_matches(one, two) is False
    if promote(one, two, three):
        assert isinstance(one, list) and isinstance(two, list) and sorted(row[0] for row in one) == sorted(two) != []

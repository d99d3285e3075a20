"""Membership in a declared domain."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.documents.domain import domain_from_value, outside


def inside(declared: Any, value: Any) -> bool:
    return outside(domain_from_value({"x": declared}), {"x": value}) == []


INTEGERS = {"min": 1, "max": 3}
NUMBERS = {"min": 1, "max": 3.0}
TEXT = {"type": "string", "min_length": 1, "max_length": 2}
CODE = {**TEXT, "alphabet": "ab😀"}
LIST = {"type": "list", "items": INTEGERS, "min_items": 1, "max_items": 2}
OBJECT = {"type": "object", "fields": {"a": INTEGERS, "b": {"type": "boolean"}}}


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ([1, "a", None, 2.5], 1),
        ([1, "a", None, 2.5], "a"),
        ([1, "a", None, 2.5], None),
        ([1, "a", None, 2.5], 2.5),
        ([True, 1, 1.0], 1.0),
        (INTEGERS, 1),
        (INTEGERS, 3),
        (NUMBERS, 1),
        (NUMBERS, 2.5),
        (NUMBERS, 3.0),
        ({"min": -1e308, "max": 1e308}, 10**300),
        ({"min": 0, "max": 10**900}, 10**900),
        ({"type": "boolean"}, False),
        (TEXT, "é😀"),
        (CODE, "😀b"),
        ({**CODE, "min_length": 0}, ""),
        (LIST, [1, 3]),
        (OBJECT, {"a": 1, "b": True}),
        (OBJECT, {"a": 1, "b": True, "more": [None]}),
        ({"type": "object", "fields": {}}, {}),
    ],
)
def test_value_inside(declared: Any, value: Any) -> None:
    assert inside(declared, value)


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ([1], True),
        ([1], 1.0),
        ([1.0], 1),
        ([True], 1),
        ([False], 0),
        (["1"], 1),
        ([None], False),
        ([0], []),
        (["a"], {}),
        (INTEGERS, 0),
        (INTEGERS, 4),
        (INTEGERS, 2.0),
        (INTEGERS, True),
        (INTEGERS, "2"),
        (INTEGERS, None),
        (NUMBERS, True),
        (NUMBERS, 3.0000001),
        (NUMBERS, 10**400),
        (NUMBERS, []),
        ({"type": "boolean"}, 1),
        ({"type": "boolean"}, "true"),
        (TEXT, ""),
        (TEXT, "abc"),
        (TEXT, 1),
        (TEXT, None),
        (CODE, "c"),
        (CODE, "A"),
        (LIST, []),
        (LIST, [1, 1, 1]),
        (LIST, [4]),
        (LIST, [True]),
        (LIST, "12"),
        (LIST, {"0": 1}),
        (OBJECT, {"a": 1}),
        (OBJECT, {"a": 1, "b": 0}),
        (OBJECT, [["a", 1], ["b", True]]),
    ],
)
def test_value_outside(declared: Any, value: Any) -> None:
    assert not inside(declared, value)


def test_violations_point_below_the_case() -> None:
    domain = domain_from_value({"a": LIST, "o": {"type": "object", "fields": {"p": OBJECT}}, "gone": [1]})
    found = outside(domain, {"a": [1, 9], "o": {"p": {"a": 0}}, "extra": 1})
    assert [pointer for pointer, _ in found] == [("a", 1), ("o", "p", "a"), ("o", "p"), ()]
    assert '"gone" is missing' in found[3][1]


def test_violations_are_counted_to_twenty() -> None:
    domain = domain_from_value({"a": {**LIST, "max_items": 10**6}})
    found = outside(domain, {"a": [9] * 100_000})
    assert len(found) == 21
    assert len(outside(domain, {"a": [9] * 20})) == 20


def test_a_large_enumeration_is_searched_once_an_item() -> None:
    values = list(range(100_000))
    domain = domain_from_value({"a": {"type": "list", "items": values, "min_items": 0, "max_items": 10**6}})
    assert outside(domain, {"a": values[::-1]}) == []


def test_the_deepest_domain_that_can_be_loaded() -> None:
    declared: Any = {"type": "boolean"}
    value: Any = True
    for _ in range(62):
        declared = {"type": "list", "items": declared, "min_items": 1, "max_items": 1}
        value = [value]
    assert inside(declared, value)


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()


@settings(deadline=None)
@given(st.lists(scalars, min_size=1), scalars)
def test_enumeration_holds_exactly_the_typed_values(values: list[Any], value: Any) -> None:
    expected = any(type(value) is type(each) and value == each for each in values)
    assert inside(values, value) == expected


@settings(deadline=None)
@given(st.integers(), st.integers(), scalars)
def test_integer_bounds_admit_exactly_the_integers_between(first: int, second: int, value: Any) -> None:
    least, most = sorted((first, second))
    assert inside({"min": least, "max": most}, value) == (type(value) is int and least <= value <= most)


@settings(deadline=None)
@given(st.text(max_size=6), st.text(min_size=1, max_size=4), st.integers(0, 3), st.integers(0, 3))
def test_strings_count_code_points_of_the_alphabet(value: str, alphabet: str, low: int, more: int) -> None:
    declared = {"type": "string", "min_length": low, "max_length": low + more, "alphabet": alphabet}
    expected = low <= len(list(value)) <= low + more and all(char in alphabet for char in value)
    assert inside(declared, value) == expected

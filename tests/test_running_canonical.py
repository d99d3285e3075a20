"""Canonical JSON and the bytes of retained files."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freezegate.documents.json_loading import load
from freezegate.running.canonical import canonical, document

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


def typed(value: object) -> object:
    """A value in which true, 1 and 1.0 are three, and so are 0.0 and -0.0."""
    if isinstance(value, list):
        return [typed(item) for item in value]
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    return type(value).__name__, repr(value)


def same(read: object, value: object) -> bool:
    """Equal but for large numbers with a point, which are written like integers: their digits give the number again."""
    if isinstance(value, list):
        return isinstance(read, list) and len(read) == len(value) and all(map(same, read, value))
    if isinstance(value, dict):
        return (
            isinstance(read, dict) and read.keys() == value.keys() and all(same(read[key], value[key]) for key in value)
        )
    if isinstance(value, float):
        return isinstance(read, int | float) and float(read) == value
    return read == value


# Bits and text of the samples in appendix B of RFC 8785.
@pytest.mark.parametrize(
    ("bits", "text"),
    [
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555554", "333333333.33333325"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_numbers_are_written_as_ecmascript_writes_them(bits: str, text: str) -> None:
    assert canonical(struct.unpack(">d", bytes.fromhex(bits))[0]) == text.encode()


def test_integers_are_written_in_full() -> None:
    assert canonical(2**63) == b"9223372036854775808"
    assert canonical(10**21) == b"1" + b"0" * 21
    assert canonical(-(10**6000) - 7) == b"-1" + b"0" * 5999 + b"7"


def test_an_integer_and_the_same_number_with_a_point_have_one_form_and_true_another() -> None:
    assert canonical([1, 1.0, True]) == b"[1,1,true]"


def test_keys_are_sorted_by_utf_16_code_units() -> None:
    # By code points the last two would change places. The sample is that of RFC 8785, section 3.2.3.
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    ordered = list(json.loads(canonical(dict.fromkeys(keys, 0))))
    assert ordered == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_strings_are_escaped_no_more_than_needed() -> None:
    assert canonical('\u20ac$\x0f\nA\'B"\\"/\x7f') == b'"\xe2\x82\xac$\\u000f\\nA\'B\\"\\\\\\"/\x7f"'


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), ["\ud800"], {"\udfff": 1}, {1: 2}, (1,), {"a": b""}, {1, 2}]
)
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        canonical(value)


@given(VALUES)
def test_a_canonical_form_is_json_of_the_same_value_and_of_itself(value: object) -> None:
    data = canonical(value)
    loaded = json.loads(data)
    assert same(loaded, value)
    assert canonical(loaded) == data


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_a_document_is_loaded_strictly_as_the_same_value(value: dict[str, object]) -> None:
    data = document(value)
    assert typed(load(data)) == typed(value)
    assert document(dict(reversed(value.items()))) == data


def test_a_document_has_sorted_keys_two_spaces_ascii_and_a_final_newline() -> None:
    assert document({"b": [1], "a": "é"}) == b'{\n  "a": "\\u00e9",\n  "b": [\n    1\n  ]\n}\n'


@pytest.mark.parametrize(
    "value",
    [
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": "\ud800"},
        {"a": (1, 2)},
        {1: 2},
        {"a": 1, 2: 3},
        {"a": {1}},
        {"a": 10**1000},
        {"a": "x" * (1 << 20)},
    ],
)
def test_a_document_that_would_not_load_as_the_same_value_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        document(value)


def test_a_document_that_nests_too_deep_is_refused() -> None:
    value: object = 0
    for _ in range(65):
        value = [value]
    with pytest.raises(ValueError, match="deep"):
        document(value)

"""Case files: each syntax gives rows with their lines, or is refused with file and line."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freezegate.paths import RepoPath
from freezegate.verdicts.casefiles import Row, Unreadable, rows


def read(name: str, text: str | bytes) -> list[tuple[int, dict[str, object]]]:
    data = text.encode() if isinstance(text, str) else text
    found = rows(RepoPath.of(name), data)
    assert all(row.file == name.encode() for row in found)
    return [(row.line, row.input) for row in found]


def refused(name: str, text: str | bytes) -> tuple[int, str]:
    with pytest.raises(Unreadable) as caught:
        read(name, text)
    assert caught.value.file == name.encode()
    assert str(caught.value) == f"{name}, line {caught.value.line}: {caught.value.why}"
    return caught.value.line, caught.value.why


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.json", '[\n  {"n": 1},\n\n  {"n": 1.0}, {"n": true}\n]\n', [(2, {"n": 1}), (4, {"n": 1.0}), (4, {"n": True})]),
        ("a.json", '\n\n{"n": [{"deep": null}]}\n', [(3, {"n": [{"deep": None}]})]),
        ("a.json", "[]", []),
        ("deep/er/a.json", "[{}]", [(1, {})]),
        ("a.b.json", "[{}]", [(1, {})]),
        ("a.jsonl", '{"n": 1}\n\n \t\r\n{"n": "\\u2028"}\r\n{"n": 3}', [(1, {"n": 1}), (4, {"n": "\u2028"}), (5, {"n": 3})]),
        ("a.jsonl", "", []),
        ("a.jsonl", "\n\n", []),
        ("a.yaml", "# said first\n- n: 1\n  on: NO\n- {n: 012}\n", [(2, {"n": 1, "on": "NO"}), (4, {"n": 12})]),
        ("a.yaml", "[]\n", []),
        ("a.csv", "n,unit\n1,EUR\n2,\n", [(2, {"n": "1", "unit": "EUR"}), (3, {"n": "2", "unit": ""})]),
        ("a.csv", '\nn,t\r\n1,"a\nb, ""c"""\r\n\r\n2,d', [(3, {"n": "1", "t": 'a\nb, "c"'}), (6, {"n": "2", "t": "d"})]),
        ("a.csv", "n\n", []),
        ("a.csv", 'n\n""\n', [(2, {"n": ""})]),
    ],
)  # fmt: skip
def test_rows_with_their_lines(name: str, text: str, expected: list[tuple[int, dict[str, object]]]) -> None:
    found = read(name, text)
    assert found == expected
    assert json.dumps([row for _, row in found]) == json.dumps([row for _, row in expected])  # 1, 1.0 and true apart


@pytest.mark.parametrize(
    ("name", "text", "line", "why"),
    [
        ("a.json", "", 1, "not JSON"),
        ("a.json", '[\n{"n": 1},\n{"n": 1, "n": 2}]', 3, "given twice"),
        ("a.json", '[{"n": 1},\n2]', 2, "2 is no case"),
        ("a.json", '[\n[{"n": 1}]]', 2, "a list is no case"),
        ("a.json", '\n"text"', 2, '"text" is no case'),
        ("a.json", "null", 1, "null is no case"),
        ("a.json", '[{"n": NaN}]', 1, "NaN"),
        ("a.json", '{"n": 1}\n{"n": 2}\n', 2, "not JSON"),
        ("a.json", b'\xef\xbb\xbf[{"n": 1}]', 1, "byte order mark"),
        ("a.json", b'[\n{"n": "\xff"}]', 2, "not UTF-8"),
        ("a.json", '[{"n": "\\ud800"}]', 1, "surrogate"),
        ("a.jsonl", '{"n": 1}\n\n{"n": \n', 3, "not JSON"),
        ("a.jsonl", '{"n": 1}\n[{"n": 1}]\n', 2, "a list is no case"),
        ("a.jsonl", '{"n": 1} {"n": 2}\n', 1, "not JSON"),
        ("a.jsonl", '{"n": 1}\n{"n": "\u2028"}\n', 2, "U+2028"),
        ("a.jsonl", '{"n": 1}\n{"n": 1, "n": 1}\n', 2, "given twice"),
        ("a.jsonl", '{"n": 1}\n\u00a0\n', 2, "not JSON"),
        ("a.yaml", "", 1, "null is no list"),
        ("a.yaml", "n: 1\n", 1, "a mapping is no list"),
        ("a.yaml", "- n: 1\n- 2\n", 2, "2 is no case"),
        ("a.yaml", "- n: 1\n- &x {n: 2}\n", 2, "anchor"),
        ("a.yaml", "- n: 1\n  n: 2\n", 2, "given twice"),
        ("a.yaml", "- n: [1\n", 2, "not YAML"),
        ("a.csv", "", 1, "no header"),
        ("a.csv", "\n\n", 1, "no header"),
        ("a.csv", "n,n\n1,2\n", 1, '"n" twice'),
        ("a.csv", "n,\n1,2\n", 1, "no column 2"),
        ("a.csv", "n, \n1,2\n", 1, "no column 2"),
        ("a.csv", "n,m\n1,2\n3\n", 3, "has 1 values, the header names 2"),
        ("a.csv", "n,m\n1,2,3\n", 2, "has 3 values, the header names 2"),
        ("a.csv", 'n\n"1\n2\n', 2, "not CSV"),
        ("a.csv", 'n\n"1"2\n', 2, "not CSV"),
        ("a.csv", "n\n1\r2\n", 2, "carriage return"),
        ("a.txt", "{}", 1, "is no case file"),
        ("a.yml", "- n: 1\n", 1, "is no case file"),
        ("a.JSON", "[]", 1, "is no case file"),
        ("json", "[]", 1, "is no case file"),
        ("csv.d/json", "[]", 1, "is no case file"),
    ],
)
def test_what_is_refused_with_its_line(name: str, text: str | bytes, line: int, why: str) -> None:
    at, said = refused(name, text)
    assert at == line and why in said


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.yaml", "a.csv"])
def test_a_file_above_one_mebibyte_is_refused(name: str) -> None:
    line, why = refused(name, b"n\n" + b" " * (1 << 20))
    assert line == 1 and "1 MiB" in why


_TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E) | st.sampled_from("äß€\n\t"), max_size=8)


@given(st.lists(st.dictionaries(_TEXT, st.none() | st.booleans() | st.integers() | _TEXT, max_size=3), max_size=5))
def test_json_and_json_lines_say_the_same(cases: list[dict[str, object]]) -> None:
    whole = rows(RepoPath(b"a.json"), json.dumps(cases).encode())
    lines = rows(RepoPath(b"a.jsonl"), "".join(json.dumps(case) + "\n" for case in cases).encode())
    assert [row.input for row in whole] == [row.input for row in lines] == cases
    assert [row.line for row in lines] == list(range(1, len(cases) + 1))


@given(st.lists(st.lists(_TEXT, min_size=2, max_size=2), max_size=5))
def test_csv_gives_back_what_was_written(values: list[list[str]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([["first", "second"], *values])
    found = rows(RepoPath(b"a.csv"), out.getvalue().encode())
    assert [list(row.input.values()) for row in found] == values
    text = out.getvalue().split("\n")
    assert all(isinstance(row, Row) and 1 < row.line <= len(text) for row in found)


@given(st.binary(max_size=60), st.sampled_from(["a.json", "a.jsonl", "a.yaml", "a.csv"]))
def test_no_other_error_escapes(data: bytes, name: str) -> None:
    try:
        found = rows(RepoPath.of(name), data)
    except Unreadable as error:
        assert error.line >= 1 and error.why
    else:
        assert all(isinstance(row.input, dict) for row in found)

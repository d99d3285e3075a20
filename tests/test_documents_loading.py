"""The strict loader, sentence by sentence, for both syntaxes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
import yaml

from freezegate.documents import yaml_loading
from freezegate.documents.loading import LoadError, load_json, load_yaml, locate, locate_all

LOADERS = {"yaml": load_yaml, "json": load_json}


def refusal(syntax: str, data: bytes) -> LoadError:
    with pytest.raises(LoadError) as caught:
        LOADERS[syntax](data)
    return caught.value


def value_of(text: str) -> Any:
    value: Any = load_yaml(text.encode()).value
    return value


def same(first: object, second: object) -> bool:
    return repr(first) == repr(second)


def test_libyaml_is_the_parser_in_use() -> None:
    assert yaml.__with_libyaml__
    assert yaml_loading._Loader is yaml.CSafeLoader


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NO", "NO"),
        ("on", "on"),
        ("yes", "yes"),
        ("12:30", "12:30"),
        ("12:30:45", "12:30:45"),
        ("2026-01-01", "2026-01-01"),
        ("1_000", "1_000"),
        ("012", 12),
        ("0o14", 12),
        ("0x1F", 31),
        ("0b1", "0b1"),
        ("-0x1F", "-0x1F"),
        ("0o8", "0o8"),
        ("+7", 7),
        ("-7", -7),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("-1e3", -1000.0),
        ("1e3", 1000.0),
        ("1.0", 1.0),
        ("1e", "1e"),
        (".", "."),
        ("-", [None]),
        ("null", None),
        ("~", None),
        ("Null", None),
        ("nULL", "nULL"),
        ("true", True),
        ("FALSE", False),
        ("tRUE", "tRUE"),
        ("'true'", "true"),
        ('"1"', "1"),
        ("'~'", "~"),
        ("'it''s'", "it's"),
        ('"\\u00e9"', "é"),
        ("٣", "٣"),
        ("a\n b", "a b"),
        ("|\n  1\n", "1\n"),
        ("=", "="),
        ("a: <<", {"a": "<<"}),
        ("'<<': 1", {"<<": 1}),
        ("---\na", "a"),
        ("a\n...\n", "a"),
        ("", None),
        ("# only a comment\n", None),
        ("---\n", None),
        ("a:\n", {"a": None}),
        ("[a: 1]", [{"a": 1}]),
        ("? a\n: b", {"a": "b"}),
        ("{}", {}),
        ("[[], {a: []}]", [[], {"a": []}]),
    ],
)
def test_yaml_scalars_follow_the_core_schema(text: str, value: object) -> None:
    assert same(value_of(text), value)


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("a: &x 1\n", (1, 4), "anchor"),
        ("&x a: 1\n", (1, 1), "anchor"),
        ("a: &x [1]\n", (1, 4), "anchor"),
        ("a: &x\n", (1, 4), "anchor"),
        ("a: *x\n", (1, 4), "alias"),
        ("- a\n- *x\n", (2, 3), "alias"),
        ("a: !!str 1\n", (1, 4), "tag"),
        ("a: ! 1\n", (1, 4), "tag"),
        ("a: ! [1]\n", (1, 4), "tag"),
        ("a: !x {}\n", (1, 4), "tag"),
        ("a: !x\n", (1, 4), "tag"),
        ("! a: 1\n", (1, 1), "tag"),
        ("a: !!python/object/apply:os.system [id]\n", (1, 4), "tag"),
        ("%YAML 1.1\n---\na: 1\n", (1, 1), "directive"),
        ("%TAG !e! tag:x,2000:\n---\na: 1\n", (1, 1), "directive"),
        ("%NEW x\n---\na: 1\n", (1, 5), "directive"),
        ("<<: {b: 1}\n", (1, 1), "merge key"),
        ("a: 1\nb: 2\na: 3\n", (3, 1), "twice"),
        ("a: 1\n'a': 2\n", (2, 1), "twice"),
        ("x: {a: 1, a: 2}\n", (1, 11), "twice"),
        ("1: a\n", (1, 1), "not a string"),
        ("true: a\n", (1, 1), "not a string"),
        ("~: a\n", (1, 1), "not a string"),
        ("? : a\n", (1, 3), "key must be a string"),
        ("1.5: a\n", (1, 1), "not a string"),
        ('"\\x61": 1\n', (1, 1), "escapes"),
        ("'it''s': 1\n", (1, 1), "escapes"),
        ("? |\n  a\n: 1\n", (1, 3), "escapes"),
        ("? a\n  b\n: 1\n", (1, 3), "several lines"),
        ("? [a]\n: 1\n", (1, 3), "key must be a string"),
        ("{a: 1}: 2\n", (1, 1), "key must be a string"),
        ("a\n---\nb\n", (2, 1), "second document"),
        ("a\n---\n", (2, 1), "second document"),
        (".inf", (1, 1), "finite"),
        ("-.INF", (1, 1), "finite"),
        (".nan", (1, 1), "finite"),
        ("a: 1e400\n", (1, 4), "finite"),
        ("a: " + "9" * 1001, (1, 4), "digits"),
        ("a: 0x" + "f" * 1001, (1, 4), "digits"),
        ("a: [\n", (2, 1), "not YAML"),
        ("a: b: c\n", (1, 5), "not YAML"),
        ('"\\ud800"', (1, 1), "not YAML"),
        ("[" * 65, (1, 65), "64 deep"),
    ],
)
def test_yaml_refuses_what_a_reader_can_misread(text: str, place: tuple[int, int], word: str) -> None:
    error = refusal("yaml", text.encode())
    assert word in error.message
    if word != "not YAML":
        assert (error.line, error.column) == place


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("", (1, 1), "not JSON"),
        (" \n", (2, 1), "not JSON"),
        ("{", (1, 2), "not JSON"),
        ("[1,\n2,,3]", (2, 3), "not JSON"),
        ("1 2", (1, 3), "not JSON"),
        ("'a'", (1, 1), "not JSON"),
        ('["a\tb"]', (1, 4), "not JSON"),
        ("// a\n1", (1, 1), "not JSON"),
        ('{"a": 1,\n "a": 1}', (2, 2), "twice"),
        ('{"a": 1, "\\u0061": 1}', (1, 10), "twice"),
        ('[{"a": {"b": 1, "b": 2}}]', (1, 17), "twice"),
        ("[NaN]", (1, 2), "NaN"),
        ("[1,\n Infinity]", (2, 2), "Infinity"),
        ("-Infinity", (1, 1), "-Infinity"),
        ("[1e400]", (1, 2), "finite"),
        ("[-1e400]", (1, 2), "finite"),
        ("[" + "9" * 1001 + "]", (1, 2), "digits"),
        ("[-" + "9" * 1001 + "]", (1, 2), "digits"),
        ("[" + "9" * 5000 + "]", (1, 2), "digits"),
        ('["a", "\\ud800"]', (1, 7), "surrogate"),
        ('["\\uDFFF\\uD83D"]', (1, 2), "surrogate"),
        ('{"\\ud800": 1}', (1, 2), "surrogate"),
        ("[" * 65 + "]" * 65, (1, 65), "64 deep"),
        ('{"a":' * 65 + "1" + "}" * 65, (1, 64 * 5 + 1), "64 deep"),
        ("[" * 100_000, (1, 65), "64 deep"),
    ],
)
def test_json_refuses_what_a_reader_can_misread(text: str, place: tuple[int, int], word: str) -> None:
    error = refusal("json", text.encode())
    assert word in error.message
    assert (error.line, error.column) == place


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\u0000\\u001b\\u2028"', "\x00\x1b\u2028"),
        ('"\\\\ud800"', "\\ud800"),
        ('["[[[[", "\\"[", "\\\\"]' + " " * 10, ["[[[[", '"[', "\\"]),
        ("9" * 1000, int("9" * 500) * 10**500 + int("9" * 500)),
        ("-" + "9" * 600, -int("9" * 600)),
        ("1.0", 1.0),
        ("1e-999", 0.0),
        ("[" * 64 + "]" * 64, json.loads("[" * 64 + "]" * 64)),
        ("[" + ",".join(["[]"] * 200) + "]", [[]] * 200),
        ('["' + "[" * 200 + '"]', ["[" * 200]),
        ('["' + '\\"[' * 200 + '"]', ['"[' * 200]),
        ("{}\r\n", {}),
    ],
)
def test_json_accepts_every_other_value(text: str, value: object) -> None:
    assert same(load_json(text.encode()).value, value)
    assert load_json(text.encode()).folded == frozenset()


@pytest.mark.parametrize("syntax", ["yaml", "json"])
@pytest.mark.parametrize(
    ("data", "place", "word"),
    [
        (b'"a\xff"', (1, 3), "0xff is not UTF-8"),
        ('"é"\n'.encode() + b"\xc3", (2, 1), "0xc3 is not UTF-8"),
        (b'"\xed\xa0\x80"', (1, 2), "not UTF-8"),
        (b"\xef\xbb\xbf1", (1, 1), "byte order mark"),
        ("1".encode("utf-16"), (1, 1), "not UTF-8"),
        (b'"a"\n "\x00"', (2, 3), "U+0000"),
        (b'"\x1b"', (1, 2), "U+001B"),
        (b'"\x7f"', (1, 2), "U+007F"),
        (b"1\x0c", (1, 2), "U+000C"),
        (b"1\r", (1, 2), "carriage return"),
        (b"[1,\r2]", (1, 4), "carriage return"),
        (b"1\r\r\n", (1, 2), "carriage return"),
        ('"\x80"'.encode(), (1, 2), "U+0080"),
        ('"\x85"'.encode(), (1, 2), "U+0085"),
        ('"\x9f"'.encode(), (1, 2), "U+009F"),
        ('"\u2028"'.encode(), (1, 2), "U+2028"),
        ('"\u2029"'.encode(), (1, 2), "U+2029"),
        ('"\ufeff"'.encode(), (1, 2), "U+FEFF"),
        (b'"' + b"a" * (1 << 20) + b'"', (1, 1), "1 MiB"),
    ],
)
def test_both_refuse_hidden_characters_and_other_encodings(
    syntax: str, data: bytes, place: tuple[int, int], word: str
) -> None:
    error = refusal(syntax, data)
    assert word in error.message
    assert (error.line, error.column) == place


@pytest.mark.parametrize("syntax", ["yaml", "json"])
def test_both_accept_crlf_tab_and_the_neighbours_of_what_is_refused(syntax: str) -> None:
    data = '["\u00a0~\u2027\u202a\u2030\ufefe😀",\r\n\t1]'.encode()
    assert LOADERS[syntax](data).value == ["\u00a0~\u2027\u202a\u2030\ufefe😀", 1]


@pytest.mark.parametrize("syntax", ["yaml", "json"])
def test_both_read_exactly_one_mebibyte_and_64_levels(syntax: str) -> None:
    data = b'"' + b"a" * ((1 << 20) - 2) + b'"'
    assert LOADERS[syntax](data).value == "a" * ((1 << 20) - 2)
    assert LOADERS[syntax](b"[" * 64 + b"]" * 64).value


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("a: b", []),
        ("a: 'b c'", []),
        ('a: "b"  # c', []),
        ("a: é😀", []),
        ("a: b\r\nc: d\r\n", []),
        ("a: 'it''s'", [("a",)]),
        ('a: "\\x62"', [("a",)]),
        ("a: b\n  c", [("a",)]),
        ("a: 'b\n  c'", [("a",)]),
        ('a: "b\n  c"', [("a",)]),
        ("a: |\n  b", [("a",)]),
        ("a: >-\n  b", [("a",)]),
        ("[x, {y: [1, '''']}]", [(1, "y", 1)]),
        ('- [a]\n- [b]\n- k: {l: "\\n"}\n', [(2, "k", "l")]),
        ("|\n a", [()]),
    ],
)
def test_folded_names_the_scalars_that_a_byte_search_would_miss(text: str, folded: list[Any]) -> None:
    assert load_yaml(text.encode()).folded == frozenset(folded)


def test_positions_of_yaml_members_are_those_of_their_keys() -> None:
    data = "é: 1\nb:\n  - x\n  - {c: [1, 2], d: 😀, e: 5}\n'f': g\n".encode()
    assert locate("yaml", data, ()) == (1, 1)
    assert locate("yaml", data, ("é",)) == (1, 1)
    assert locate("yaml", data, ("b", 0)) == (3, 5)
    assert locate("yaml", data, ("b", 1, "c", 1)) == (4, 13)
    assert locate("yaml", data, ("b", 1, "e")) == (4, 23)
    assert locate("yaml", data, ("f",)) == (5, 1)


def test_positions_of_json_members_are_those_of_their_keys() -> None:
    data = '{"é": 1,\r\n "b": [{}, {"c": [1, "x", 2], "d": ","}],\r\n "f": {"g": null}}'.encode()
    assert locate("json", data, ()) == (1, 1)
    assert locate("json", data, ("é",)) == (1, 2)
    assert locate("json", data, ("b", 1, "c", 2)) == (2, 27)
    assert locate("json", data, ("b", 1, "d")) == (2, 31)
    assert locate("json", data, ("f", "g")) == (3, 8)


@pytest.mark.parametrize("syntax", ["yaml", "json"])
def test_position_of_an_absent_value_is_that_of_its_deepest_ancestor(syntax: str) -> None:
    data = b'{"a":\n {"b": [1]}}'
    pointers = [("a", "b", 5), ("a", "x", 0), ("z",), ("a", 0), ("a", "b", 0, "c"), ("a", "b", "0")]
    expected = [(2, 3), (1, 2), (1, 1), (1, 2), (2, 9), (2, 3)]
    assert locate_all(syntax, data, pointers) == expected  # type: ignore[arg-type]
    assert [locate(syntax, data, pointer) for pointer in pointers] == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("syntax", ["yaml", "json"])
def test_position_in_a_scalar_or_empty_document_is_its_beginning(syntax: str) -> None:
    assert locate(syntax, b"1", ("a", 0)) == (1, 1)  # type: ignore[arg-type]
    assert locate("yaml", b"", ("a",)) == (1, 1)


def test_digest_that_reads_as_an_infinite_number_gets_the_hint_to_quote_it() -> None:
    error = refusal("yaml", b"predicate_digest: 12e" + b"4" * 61 + b"\n")
    assert "quote it: digests and commit ids are strings" in error.message


def test_without_libyaml_the_pure_parser_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: 'it''s'\nb: [1, 012, no, {c: |\n x\n}]\n? d\n: !x 1\n".replace("{c: |\n x\n}", '{c: "\\x61"}')
    accepted = text.replace("!x ", "").encode()
    expected = load_yaml(accepted)
    monkeypatch.setattr(yaml_loading, "_Loader", yaml.SafeLoader)
    assert load_yaml(accepted) == expected
    assert expected.folded == {("a",), ("b", 3, "c")}
    assert locate("yaml", accepted, ("b", 3, "c")) == (2, 18)
    assert "a tag" in refusal("yaml", text.encode()).message
    assert "surrogate" in refusal("yaml", b'a: "\\ud800"').message
    assert refusal("yaml", b"a: [\n").line == 2


def test_messages_are_cut() -> None:
    error = refusal("yaml", b"'" + b"x" * 5000 + b"': 1\n'" + b"x" * 5000 + b"': 1\n")
    assert len(error.message) < 250


def test_digit_limit_of_the_interpreter_changes_nothing() -> None:
    code = (
        "from freezegate.documents.loading import load_json, load_yaml\n"
        "text = b'9' * 1000\n"
        "assert load_json(text).value == load_yaml(text).value > 10**999\n"
    )
    environment = {**os.environ, "PYTHONINTMAXSTRDIGITS": "640"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)

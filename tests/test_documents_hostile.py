"""No bytes make a reader raise, hang or eat the memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.documents import reading
from freezegate.documents.loading import LoadError, load_json, load_yaml, locate
from freezegate.documents.schemas import KINDS

FOLDER = Path(__file__).parent / "documents"
READERS: list[Callable[[bytes], reading.Reading[Any]]] = [getattr(reading, f"read_{kind}") for kind in KINDS]
SEEDS = [path.read_bytes() for path in sorted(FOLDER.glob("*/*/*"))]
PIECES = [
    *(
        b"[",
        b"]",
        b"{",
        b"}",
        b": ",
        b", ",
        b"- ",
        b"? ",
        b"\n",
        b"\r\n",
        b"\r",
        b" ",
        b"\t",
        b'"',
        b"'",
        b"\\",
    ),
    *(
        b"&a",
        b"*a",
        b"!",
        b"!!str",
        b"|",
        b">",
        b"%YAML 1.1\n",
        b"---\n",
        b"...\n",
        b"#",
        b"<<",
        b"~",
        b"null",
    ),
    *(
        b"scope_id",
        b"domain",
        b"a",
        b"1",
        b"0x1F",
        b"1e400",
        b".inf",
        b"NaN",
        b"\\ud800",
        b"\\u0000",
        b"\x00",
    ),
    *(b"\xff", b"\xef\xbb\xbf", "\u2028".encode(), "é😀".encode(), b"\xed\xa0\x80", b"9" * 1001, b"[" * 70),
]
MEBIBYTE = 1 << 20


def assert_read(data: bytes) -> None:
    for read in READERS:
        got = read(data)
        assert (got.document is None) == bool(got.problems)
        for problem in got.problems:
            assert problem.line >= 1
            assert problem.column >= 1
            assert len(problem.message) < 1000
        assert got.position("domain", "a", 0) >= (1, 1)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_document_or_problems(data: bytes) -> None:
    assert_read(data)


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_sequence_of_syntax_gives_a_document_or_problems(pieces: list[bytes]) -> None:
    assert_read(b"".join(pieces))


@settings(deadline=None)
@given(st.sampled_from(SEEDS), st.data())
def test_damaged_documents_give_a_document_or_problems(seed: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(seed)))
    end = data.draw(st.integers(start, min(len(seed), start + 20)))
    assert_read(seed[:start] + data.draw(st.sampled_from(PIECES)) + seed[end:])


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@settings(deadline=None)
@given(values, st.booleans(), st.sampled_from([None, 1]))
def test_json_text_loads_as_the_value_that_it_was_made_from(value: Any, ascii_only: bool, indent: int | None) -> None:
    import json

    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    try:
        data = text.encode()
        loaded = load_json(data)
    except (UnicodeEncodeError, LoadError):
        assert any(
            char in text for char in ("\\ud", "\x7f", *map(chr, range(0x80, 0xA0)), "\u2028", "\u2029", "\ufeff")
        )
        return
    assert repr(loaded.value) == repr(value)


@settings(deadline=None)
@given(values)
def test_both_walks_place_every_value_where_it_stands(value: Any) -> None:
    import json

    data = json.dumps(value, indent=1).encode()
    try:
        assert load_json(data).value == value
        loaded = load_yaml(data).value
    except LoadError:
        return  # YAML refuses keys with escapes, of which JSON is full
    for pointer in pointers(loaded):
        line, column = locate("json", data, pointer)
        assert locate("yaml", data, pointer) == (line, column)
        source = data.decode().split("\n")[line - 1][column - 1 :]
        if pointer and isinstance(pointer[-1], str):
            assert source.startswith(json.dumps(pointer[-1]))


def pointers(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [at]
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for part, member in members:
        found += pointers(member, (*at, part))
    return found


SCOPE = "scope_id: a.b\npredicate: p:f\ngenerator: g\nschema_version: 3\ndomain:\n"
HOSTILE: dict[str, str] = {
    "open_lists": "[" * MEBIBYTE,
    "open_mappings": "{a: " * (MEBIBYTE // 4),
    "open_objects": '{"a":' * (MEBIBYTE // 5),
    "closed_brackets": "]" * MEBIBYTE,
    "nested_entries": "- " * (MEBIBYTE // 2),
    "nested_keys": "? " * (MEBIBYTE // 2),
    "alias_bomb": "&a [" + "*a," * (MEBIBYTE // 3 - 3) + "]",
    "one_plain_scalar_of_many_lines": "a\n" * (MEBIBYTE // 2),
    "empty_entries": "-\n" * (MEBIBYTE // 2),
    "empty_lines": "\n" * MEBIBYTE,
    "comments": "#\n" * (MEBIBYTE // 2),
    "long_key": "a" * (MEBIBYTE - 4) + ": 1",
    "long_quoted_key": '{"' + "a" * (MEBIBYTE - 8) + '":1}',
    "ones": "[" + "1," * (MEBIBYTE // 2 - 2) + "1]",
    "empty_lists": "[" + "[]," * (MEBIBYTE // 3 - 2) + "[]]",
    "empty_objects": "[" + "{}," * (MEBIBYTE // 3 - 2) + "{}]",
    "single_pairs": "[" + "a: 1," * (MEBIBYTE // 5 - 1) + "]",
    "strings": "[" + '"",' * (MEBIBYTE // 3 - 2) + '""]',
    "escapes": '"' + "\\u0041" * (MEBIBYTE // 6 - 1) + '"',
    "escaped_quotes_without_end": '"' + '\\"' * (MEBIBYTE // 2 - 1),
    "surrogate_pairs": "[" + ",".join(['"\\ud83d\\ude00"'] * 66_000) + "]",
    "quotes": "'" * MEBIBYTE,
    "colons": ":" * MEBIBYTE,
    "digits": "9" * MEBIBYTE,
    "long_integers": "[" + ",".join(["9" * 1000] * 1040) + "]",
    "long_fraction": "0." + "9" * (MEBIBYTE - 2),
    "repeated_key_at_the_end": "{" + ",".join(f'"{index:x}":1' for index in range(90_000)) + ',"0":1}',
    "unknown_keys": "{" + ",".join(f'"{index:x}":1' for index in range(90_000)) + "}",
    "not_a_number_at_the_end": "[" + '"",' * (MEBIBYTE // 3 - 2) + "NaN]",
    "many_fields_and_one_fault": SCOPE
    + "".join(f"  f{index:x}: {{min: 1, max: 2}}\n" for index in range(38_000))
    + "z: 1",
    "many_faulty_fields": SCOPE + "".join(f"  f{index:x}: {{mix: 1, max: 2}}\n" for index in range(38_000)),
    "long_enumeration_and_one_fault": SCOPE + "  a: [" + "1," * 500_000 + "{}]\n",
    "equal_inputs": SCOPE + "  a: [1]\ninputs: [" + "a," * 500_000 + "]\n",
    "folded_inputs": SCOPE + "  a: [1]\ninputs: [" + '"\\x61",' * 140_000 + "]\n",
    "deep_domain": SCOPE + "  a: " + "{type: list, min_items: 0, max_items: 3, items: " * 61 + "{min: x}" + "}" * 61,
    "faulty_entries": "[" + "{}," * 300_000 + "1]",
    "claims_and_one_fault": "[" + ",".join(f'"{index:x}"' for index in range(110_000)) + ",1]",
    "many_source_folders": "layout: {source: [" + ",".join(f"s{index:x}" for index in range(120_000)) + ",S1]}",
    "deep_source_folders": "layout: {source: [" + ",".join(f"s{index}" + "/a" * 2000 for index in range(250)) + "]}",
}
CHILD = """
import resource, sys, time
seconds = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
from freezegate.documents import reading
data = sys.stdin.buffer.read()
for kind in sys.argv[2:]:
    got = getattr(reading, "read_" + kind)(data)
    assert (got.document is None) == bool(got.problems)
    assert len(got.problems) <= 42
    got.position("domain", "zz")
try:  # Linux counts the parent's memory into a child's ru_maxrss
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    print(int(status["VmHWM"].split()[0]) // 1024)
except OSError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def assert_bounded(data: bytes, kinds: tuple[str, ...], seconds: int) -> None:
    command = [sys.executable, "-c", CHILD, str(seconds), *kinds]
    child = subprocess.run(command, input=data, capture_output=True, timeout=seconds * 4, check=False)
    assert child.returncode == 0, child.stderr.decode()[-2000:]
    assert int(child.stdout) < 300


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_hostile_mebibyte_is_read_in_bounded_time_and_memory(name: str) -> None:
    data = HOSTILE[name].encode()
    assert len(data) <= MEBIBYTE
    assert_bounded(data, KINDS, 60)


@pytest.mark.parametrize("name", ["open_lists", "alias_bomb", "escaped_quotes_without_end", "deep_domain"])
def test_a_hostile_mebibyte_is_refused_at_once(name: str) -> None:
    assert_bounded(HOSTILE[name].encode(), ("scope", "record"), 5)


def test_a_stack_that_is_nearly_full_gives_a_problem_or_the_document() -> None:
    data = (FOLDER / "rejected/scope/object_bad_field.yaml").read_bytes()

    def deeper(levels: int) -> None:
        if levels:
            deeper(levels - 1)
        else:
            assert reading.read_scope(data).problems

    reading.read_scope(data)
    deeper(sys.getrecursionlimit() - stack_depth() - 120)


def stack_depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth

"""The digest formulas against published vectors, against the standard library, and against re-framing."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freezegate.digests import (
    DigestError,
    Item,
    ambiguity,
    binding_digest,
    binding_order,
    component_key,
    digest_of,
    fixture_digest,
    is_lfs_pointer,
    is_sized,
    sized_digest,
)

VECTORS = Path(__file__).parent / "vectors"
BINDING = json.loads((VECTORS / "binding-digest.json").read_text(encoding="utf-8"))
FIXTURE = json.loads((VECTORS / "fixture-digest.json").read_text(encoding="utf-8"))

COMPONENT = st.one_of(
    st.sampled_from([b"a", b"a-b", b"a.b", b"b", b"A", b"\xc3\xa9", b"\xff", b"\x80", b"\xf0\x9f\x98\x80"]),
    st.binary(min_size=1, max_size=4).map(lambda raw: raw.replace(b"/", b"_").replace(b"\0", b"_")),
).filter(lambda part: part not in (b".", b".."))
PATH = st.lists(COMPONENT, min_size=1, max_size=3).map(b"/".join)
MODE = st.sampled_from([0o100644, 0o100755])
ITEM = st.tuples(PATH, MODE, st.binary(max_size=6).map(lambda raw: raw.replace(b"\x07", b"\0")))
ITEMS = st.lists(ITEM, min_size=1, max_size=4)


def item(path: bytes, data: bytes, mode: int = 0o100644, pieces: int = 0) -> Item:
    """One item; `pieces` above zero gives its bytes as a generator of pieces of that many bytes."""
    if not pieces:
        return Item(path, mode, len(data), (data,))
    return Item(path, mode, len(data), (data[at : at + pieces] for at in range(0, len(data), pieces)))


def items_of(vector: dict, pieces: int = 0) -> list[Item]:
    if "parts" in vector:
        rows = [(part["path"], part["text"], part.get("mode", "100644")) for part in vector["parts"]]
    else:
        rows = [(path, vector["files"][path], "100644") for path in vector["order"]]
    return [item(path.encode(), text.encode(), int(mode, 8), pieces) for path, text, mode in rows]


@pytest.mark.parametrize("pieces", [0, 1, 7])
@pytest.mark.parametrize("vector", BINDING, ids=lambda vector: vector["name"])
def test_binding_vectors(vector: dict, pieces: int) -> None:
    assert binding_digest(items_of(vector, pieces)) == vector["plain"]
    assert sized_digest(items_of(vector, pieces), len(vector["parts"])) == vector["sized"]


@pytest.mark.parametrize("pieces", [0, 1, 7])
@pytest.mark.parametrize("vector", FIXTURE, ids=lambda vector: vector["name"])
def test_fixture_vectors(vector: dict, pieces: int) -> None:
    assert fixture_digest(items_of(vector, pieces)) == vector["plain"]
    assert sized_digest(items_of(vector, pieces), len(vector["order"])) == vector["sized"]


@pytest.mark.parametrize("vector", FIXTURE, ids=lambda vector: vector["name"])
def test_fixture_vectors_are_in_component_order(vector: dict) -> None:
    paths = [path.encode() for path in vector["files"]]
    assert sorted(paths, key=component_key) == [path.encode() for path in vector["order"]]


def test_vectors_hold_a_pair_that_plain_cannot_tell_apart() -> None:
    first, second = (next(v for v in FIXTURE if v["name"] == f"ambiguous-{n}") for n in (1, 2))
    assert first["plain"] == second["plain"] and first["sized"] != second["sized"]
    zeros: list[bytes] = []
    fixture_digest(items_of(first), zero_bytes=zeros)
    assert zeros == [b"a"]
    zeros.clear()
    fixture_digest(items_of(second), zero_bytes=zeros)
    assert zeros == []


def test_binding_order_is_three_fixed_parts_then_inputs_bytewise() -> None:
    vector = next(v for v in BINDING if v["name"] == "inputs-bytewise")
    paths = [part["path"].encode() for part in vector["parts"]]
    assert binding_order(*paths[:3], reversed(paths[3:])) == paths
    assert binding_order(b"z", b"y", b"x") == [b"z", b"y", b"x"]


def test_a_digest_names_its_formula() -> None:
    items = [item(b"a", b"x")]
    assert is_sized(digest_of(items, sized=True)) and not is_sized(digest_of(items, sized=False))
    assert digest_of(items, sized=True) == sized_digest(items, 1)
    assert digest_of(items, sized=False) == binding_digest(items) != fixture_digest(items)


@given(ITEMS, st.integers(1, 5))
def test_pieces_change_nothing(rows: list[tuple[bytes, int, bytes]], pieces: int) -> None:
    whole = [item(path, data, mode) for path, mode, data in rows]

    def streamed() -> list[Item]:
        return [item(path, data, mode, pieces) for path, mode, data in rows]

    expected: list[bytes] = []
    zeros: list[bytes] = []
    assert binding_digest(whole, zero_bytes=expected) == binding_digest(streamed(), zero_bytes=zeros)
    assert expected == zeros == [path for path, _, data in rows if b"\0" in data]
    assert fixture_digest(whole) == fixture_digest(streamed())
    assert sized_digest(whole, len(rows)) == sized_digest(streamed(), len(rows))


@given(ITEMS)
def test_plain_formulas_as_the_standard_library_computes_them(rows: list[tuple[bytes, int, bytes]]) -> None:
    items = [item(path, data, mode) for path, mode, data in rows]
    joined = [path + b"\0" + data for path, _, data in rows]
    assert binding_digest(items) == hashlib.sha256(b"".join(joined)).hexdigest()
    assert fixture_digest(items) == hashlib.sha256(b"".join(part + b"\0" for part in joined)).hexdigest()


@given(ITEMS, ITEMS)
def test_sized_tells_every_two_lists_apart(left: list, right: list) -> None:
    digests = [sized_digest([item(p, d, m) for p, m, d in rows], len(rows)) for rows in (left, right)]
    assert (digests[0] == digests[1]) == (left == right)


@given(st.lists(st.tuples(PATH, st.binary(max_size=4)), min_size=2, max_size=4))
def test_sized_tells_reframings_apart_that_plain_confuses(rows: list[tuple[bytes, bytes]]) -> None:
    (path, data), rest = rows[0], rows[1:]
    framed = [item(name, body) for name, body in rows]
    swallowed = item(path, data + b"".join(b"\0" + name + b"\0" + body for name, body in rest))
    assert fixture_digest(framed) == fixture_digest([swallowed])
    assert sized_digest(framed, len(rows)) != sized_digest([swallowed], 1)


@given(st.lists(PATH, unique=True, max_size=8))
def test_component_order_is_that_of_pathlib(paths: list[bytes]) -> None:
    by_pathlib = sorted(paths, key=lambda path: PurePosixPath(path.decode("utf-8", "surrogateescape")))
    assert sorted(paths, key=component_key) == by_pathlib


def test_a_path_that_is_not_utf_8_sorts_as_its_surrogates_do() -> None:
    assert sorted([b"\xef\xbf\xbd", b"\x80", b"\xc3\xa9"], key=component_key) == [
        b"\xc3\xa9",
        b"\x80",
        b"\xef\xbf\xbd",
    ]


def test_nothing_has_no_digest() -> None:
    for attempt in (
        lambda: binding_digest([]),
        lambda: fixture_digest(iter(())),
        lambda: sized_digest([], 0),
    ):
        with pytest.raises(DigestError):
            attempt()


@pytest.mark.parametrize(
    ("items", "count"),
    [
        ([Item(b"a", 0o100644, 2, (b"x",))], 1),
        ([Item(b"a", 0o100644, 2, iter((b"x", b"y", b"z")))], 1),
        ([Item(b"a", 0o120000, 1, (b"x",))], 1),
        ([Item(b"a", 0o160000, 0, ())], 1),
        ([Item(b"a\0b", 0o100644, 1, (b"x",))], 1),
        ([item(b"a", b"x")], 2),
        ([item(b"a", b"x"), item(b"b", b"x")], 1),
    ],
    ids=["short", "long", "link", "submodule", "zero-in-path", "too-few", "too-many"],
)
def test_sized_refuses_items_that_are_not_what_they_claim(items: list[Item], count: int) -> None:
    with pytest.raises(DigestError):
        sized_digest(items, count)


def test_a_big_blob_is_never_held_whole() -> None:
    piece = b"x" * (1 << 16)
    alive: list[int] = []

    def pieces():
        for number in range(64):
            alive.append(number)
            yield piece

    big = Item(b"big", 0o100644, 64 << 16, pieces())
    expected = hashlib.sha256(b"big\0" + piece * 64 + b"\0").hexdigest()
    assert fixture_digest([big]) == expected
    assert len(alive) == 64


@pytest.mark.parametrize("path", [b"a\nb", b"a\tb", b"\x7f", b"a\xc2\x85b", b"\xff", b"caf\xe9", b"\xed\xb2\x80"])
def test_ambiguous_paths(path: bytes) -> None:
    assert ambiguity(path)


@pytest.mark.parametrize("path", [b"a/b c.txt", "donnees/über\u00a0x".encode(), "\u200e.txt".encode(), b"'\""])
def test_unambiguous_paths(path: bytes) -> None:
    assert ambiguity(path) is None


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n"


@pytest.mark.parametrize(
    "data", [POINTER, b"\n" + POINTER, POINTER.replace(b"\n", b"\r\n"), b"version http://git-media.io/v/2\n"]
)
def test_lfs_pointers(data: bytes) -> None:
    assert is_lfs_pointer(data)


@pytest.mark.parametrize("data", [b"", b"version 3\n", b"# " + POINTER, POINTER + b"x" * 1024])
def test_no_lfs_pointers(data: bytes) -> None:
    assert not is_lfs_pointer(data)

"""The strict loader: one function a syntax, and positions on demand.

A first pass builds the value only; most documents are accepted and nobody asks where a value stood. `locate`
parses again when a finding needs a position.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from freezegate.documents.strict_text import MAX_BYTES, LoadError, Pointer, position

Syntax = Literal["yaml", "json"]
Step = tuple[str, str, int]
"""What `walk` yields: ``{``, ``[``, ``close``, ``key`` or ``scalar``; a key's text; the code point offset."""

_Trie = dict[Any, Any]

__all__ = ["LoadError", "Loaded", "Pointer", "Syntax", "load_json", "load_yaml", "locate", "locate_all"]


class Loaded(NamedTuple):
    """A document's value.

    `folded` points at the YAML string scalars whose bytes in the source are not their value (escapes, doubled
    quotes, folding, blocks): a byte search would not find those. Always empty for JSON.
    """

    value: object
    folded: frozenset[Pointer]


def load_yaml(data: bytes) -> Loaded:
    """Read one YAML document with YAML 1.2 core scalars; an empty one is None. Raises LoadError only."""
    from freezegate.documents import yaml_loading

    return Loaded(*yaml_loading.load(data))


def load_json(data: bytes, limit: int = MAX_BYTES) -> Loaded:
    """Read one JSON document (RFC 8259, finite numbers, unique keys) of at most `limit` bytes. Raises LoadError only."""
    from freezegate.documents import json_loading

    return Loaded(json_loading.load(data, limit), frozenset())


def locate(syntax: Syntax, data: bytes, pointer: Pointer) -> tuple[int, int]:
    """1-based line and column of the value at `pointer`, or of its deepest ancestor that exists.

    For a mapping's member it is the position of the key; for the empty pointer 1:1. `data` must be a document
    that the loader accepts.
    """
    return locate_all(syntax, data, (pointer,))[0]


def locate_all(syntax: Syntax, data: bytes, pointers: Iterable[Pointer]) -> list[tuple[int, int]]:
    """`locate` for several pointers in one pass over the document."""
    wanted = list(pointers)
    trie: _Trie = {}
    for pointer in wanted:
        node = trie
        for part in pointer:
            node = node.setdefault(part, {})
    if not trie:
        return [(1, 1)] * len(wanted)
    text = data.decode("utf-8")
    places = _places(_walk(syntax, text), trie)
    return [_deepest(text, places, pointer) for pointer in wanted]


class Positions:
    """Every position of one document that the loader accepted, from one pass: for a document with many findings."""

    __slots__ = ("_lines", "_places")

    def __init__(self, syntax: Syntax, data: bytes) -> None:
        text = data.decode("utf-8")
        self._places = _places(_walk(syntax, text), _Everything())
        self._lines = [0]
        while (end := text.find("\n", self._lines[-1])) >= 0:
            self._lines.append(end + 1)

    def of(self, pointer: Pointer) -> tuple[int, int]:
        """As `locate` gives it."""
        for length in range(len(pointer), 0, -1):
            offset = self._places.get(pointer[:length])
            if offset is not None:
                line = bisect_right(self._lines, offset)
                return line, offset - self._lines[line - 1] + 1
        return 1, 1


class _Everything(_Trie):
    """A trie that wants every pointer."""

    def __contains__(self, part: object) -> bool:
        return True

    def get(self, part: object, default: object = None) -> _Everything:
        return self


def _walk(syntax: Syntax, text: str) -> Iterator[Step]:
    if syntax == "yaml":
        from freezegate.documents import yaml_loading

        return yaml_loading.walk(text)
    from freezegate.documents import json_loading

    return json_loading.walk(text)


def _deepest(text: str, places: dict[Pointer, int], pointer: Pointer) -> tuple[int, int]:
    for length in range(len(pointer), 0, -1):
        offset = places.get(pointer[:length])
        if offset is not None:
            return position(text, offset)
    return 1, 1


def _places(steps: Iterator[Step], trie: _Trie) -> dict[Pointer, int]:
    """Offsets of the wanted pointers and of their ancestors."""
    places: dict[Pointer, int] = {}
    frames: list[tuple[_Trie | None, Pointer, int | None]] = []
    node: _Trie | None = {None: trie}  # the document's value is the one child of this outermost frame
    pointer: Pointer = ()
    index: int | None = None  # next index in a list; None in a mapping, where `part` is the last key
    part: str | int | None = None
    for kind, text, offset in steps:
        if kind == "key":
            part = text
            if node is not None and part in node:
                here = (*pointer, part)
                places[here] = offset
        elif kind == "close":
            node, pointer, index = frames.pop()
        else:
            if index is not None:
                part = index
                index += 1
                if node is not None and part in node:
                    here = (*pointer, part)
                    places[here] = offset
            if kind != "scalar":
                frames.append((node, pointer, index))
                node = None if node is None else node.get(part)
                if node is not None and part is not None:
                    pointer = (*pointer, part)
                index = 0 if kind == "[" else None
                part = None
    return places

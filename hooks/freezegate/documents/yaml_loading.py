"""YAML, strictly: libyaml's events, built into values without recursion, scalars by the YAML 1.2 core schema.

What a reviewer can misread is refused: anchors, aliases, tags, directives, merge keys, duplicate keys, keys
that are not plain strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn

import yaml

from freezegate.documents.refusal import QUOTE_IT
from freezegate.documents.strict_text import (
    MAX_DEPTH,
    LoadError,
    NumberRefused,
    Pointer,
    decode,
    finite,
    integer,
)
from freezegate.text import quoted

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_NUMBER_STARTS = frozenset("0123456789+-.")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_QUOTES = ("'", '"')


def load(data: bytes) -> tuple[object, frozenset[Pointer]]:
    """The value of one YAML document (None if empty) and its folded scalars. Raises LoadError only."""
    text = decode(data)
    try:
        return _Builder(text).build()
    except yaml.YAMLError as error:
        raise _load_error(text, error) from None
    except (RecursionError, MemoryError, ValueError, OverflowError) as error:
        raise LoadError(f"not readable: {type(error).__name__}") from None


def walk(text: str) -> Iterator[tuple[str, str, int]]:
    """The steps through a document (loading.Step) that `load` accepted."""
    parser = _Loader(text)
    expects_key: list[bool | None] = [None]  # None inside a list, else whether the next scalar is a key
    while True:
        event = parser.get_event()
        kind = type(event)
        if kind is yaml.StreamEndEvent:
            return
        if kind is yaml.ScalarEvent:
            if expects_key[-1]:
                yield "key", event.value, event.start_mark.index
            else:
                yield "scalar", "", event.start_mark.index
            _turn(expects_key)
        elif kind is yaml.SequenceStartEvent or kind is yaml.MappingStartEvent:
            is_list = kind is yaml.SequenceStartEvent
            yield ("[" if is_list else "{"), "", event.start_mark.index
            expects_key.append(None if is_list else True)
        elif kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
            yield "close", "", event.start_mark.index
            expects_key.pop()
            _turn(expects_key)


def resolve(text: str) -> object:
    """The value of a plain scalar in the YAML 1.2 core schema. Raises NumberRefused."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if _INTEGER.fullmatch(text):
        digits = text.lstrip("+-")
        return -integer(digits) if text[0] == "-" else integer(digits)
    if _FLOAT.fullmatch(text):
        return finite(text)
    if _BASED.fullmatch(text):
        return integer(text[2:], 8 if text[1] == "o" else 16)
    if _NOT_FINITE.fullmatch(text):
        raise NumberRefused("a number is not finite")
    return text


class _Builder:
    """One document in the making: the open containers, and the key that waits for its value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.events = _Loader(text)
        self.folded: list[Pointer] = []
        self.frames: list[tuple[Any, str | None]] = []
        self.container: Any = []
        self.key: str | None = None

    def build(self) -> tuple[object, frozenset[Pointer]]:
        root = self.container
        next_event = self.events.get_event
        next_event()
        if not self._document_starts(next_event()):
            return None, frozenset()
        while True:
            event = next_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._open(event, {} if kind is yaml.MappingStartEvent else [])
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self.container, _ = self.frames.pop()
                self.key = None
            elif kind is yaml.DocumentEndEvent:
                break
            else:
                self._refuse(event, "an alias is not allowed")
        after = next_event()
        if type(after) is not yaml.StreamEndEvent:
            self._refuse(after, "a second document is not allowed")
        return root[0], frozenset(self.folded)

    def _document_starts(self, event: Any) -> bool:
        if type(event) is yaml.StreamEndEvent:
            return False
        if event.version or event.tags:
            self._refuse(event, "a directive is not allowed")
        return True

    def _scalar(self, event: Any) -> None:
        value: object = event.value
        style = event.style
        start = event.start_mark.index
        source = self.text[start : event.end_mark.index]
        quote = style in _QUOTES
        literal = (source[1:-1] == value and source[0] == style) if quote else source == value
        if not literal:
            self._check_properties(event, source)
            if not event.value.isascii() and _SURROGATE.search(event.value):
                self._refuse(event, "a string holds an unpaired surrogate")
        elif not quote:
            try:
                value = resolve(source)
            except NumberRefused as error:
                # a hex digest of digits and one "e" reads as a number with a huge exponent
                hint = f"; {QUOTE_IT}" if len(source) in (40, 64) else ""
                raise LoadError.at(self.text, start, f"{error}{hint}") from None
        container = self.container
        if type(container) is list:
            if not literal:
                self._note_folded(len(container))
            container.append(value)
        elif self.key is None:
            self.key = self._checked_key(event, value, literal and (quote or source != "<<"))
        else:
            if not literal:
                self._note_folded(self.key)
            container[self.key] = value
            self.key = None

    def _checked_key(self, event: Any, key: object, plain: bool) -> str:
        if type(key) is not str:
            self._refuse(event, f"the key {quoted(event.value)} is not a string: quote it")
        if not plain:
            why = "a merge key" if key == "<<" else "a key with escapes, folding or several lines"
            self._refuse(event, f"{why} is not allowed")
        if key in self.container:
            self._refuse(event, f"the key {quoted(key)} is given twice")
        return key

    def _open(self, event: Any, value: Any) -> None:
        start = event.start_mark.index
        if event.anchor is not None or event.tag is not None or self.text[start : start + 1] in ("!", "&"):
            self._check_properties(event, self.text[start : start + 1])
        if len(self.frames) == MAX_DEPTH:
            self._refuse(event, f"lists and mappings are nested more than {MAX_DEPTH} deep")
        container = self.container
        if type(container) is list:
            container.append(value)
        elif self.key is None:
            self._refuse(event, "a key must be a string")
        else:
            container[self.key] = value
        self.frames.append((container, self.key))
        self.container = value
        self.key = None

    def _check_properties(self, event: Any, source: str) -> None:
        if event.anchor is not None:
            self._refuse(event, "an anchor is not allowed")
        if event.tag is not None or source.startswith("!"):
            self._refuse(event, "a tag is not allowed")

    def _note_folded(self, last: str | int) -> None:
        parts = [key if key is not None else len(container) - 1 for container, key in self.frames[1:]]
        self.folded.append((*parts, last) if self.frames else ())

    def _refuse(self, event: Any, message: str) -> NoReturn:
        raise LoadError.at(self.text, event.start_mark.index, message)


def _turn(expects_key: list[bool | None]) -> None:
    if expects_key[-1] is not None:
        expects_key[-1] = not expects_key[-1]


def _load_error(text: str, error: yaml.YAMLError) -> LoadError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    message = getattr(error, "problem", None) or getattr(error, "reason", None) or "not readable"
    if mark is not None:
        return LoadError(f"not YAML: {message}", mark.line + 1, mark.column + 1)
    offset = getattr(error, "position", None)
    return LoadError.at(text, offset if isinstance(offset, int) else 0, f"not YAML: {message}")

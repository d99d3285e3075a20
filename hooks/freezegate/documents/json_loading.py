"""JSON, strictly: the standard library's scanner in C, and a slow walk that finds the place of a refusal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json import decoder
from typing import Any, NoReturn

from freezegate.documents.strict_text import MAX_BYTES, MAX_DEPTH, LoadError, NumberRefused, decode, finite, integer
from freezegate.text import quoted

_scan_string: Any = decoder.scanstring  # type: ignore[attr-defined]
_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_SPACE = re.compile(r"[ \t\r\n]*")
_WORD = re.compile(r'[^\s\[\]{},:"]+')
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LONG_DIGITS = re.compile(r"[0-9]{501}")
_LITERALS = frozenset(("true", "false", "null"))


class _Refused(ValueError):
    """Raised inside the scanner's hooks, which know no position."""


def load(data: bytes, limit: int = MAX_BYTES) -> object:
    """The value of one JSON document of at most `limit` bytes. Raises LoadError only."""
    text = decode(data, limit)
    try:
        if _too_deep(data):
            raise _Refused(f"lists and objects are nested more than {MAX_DEPTH} deep")
        value = (_LONG_DECODER if _LONG_DIGITS.search(text) else _DECODER).decode(text)
        if "\\u" in text and _SURROGATE.search(text):
            _find_refused(text)
    except json.JSONDecodeError as error:
        raise LoadError(f"not JSON: {error.msg}", error.lineno, error.colno) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        _find_refused(text)
        raise LoadError(f"not readable: {error}") from None
    return value


def walk(text: str) -> Iterator[tuple[str, str, int]]:
    """The steps through a document (loading.Step). Lenient: it expects what the scanner accepted."""
    for kind, word, offset in _tokens(text):
        yield ("scalar" if kind in ("string", "word") else kind), word, offset


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    in_object: list[bool] = []
    expects_key = False
    offset = 0
    while True:
        offset = _skip_space(text, offset)
        if offset >= len(text):
            return
        char = text[offset]
        if char == '"':
            word, end = _scan_string(text, offset + 1, True)
            yield ("key" if expects_key else "string"), word, offset
            offset = end
        elif char in "{[":
            yield char, "", offset
            in_object.append(char == "{")
            expects_key = char == "{"
            offset += 1
        elif char in "}]":
            if not in_object:
                raise LoadError.at(text, offset, "not JSON: a bracket closes nothing")
            in_object.pop()
            yield "close", "", offset
            expects_key = False
            offset += 1
        elif char == ",":
            expects_key = bool(in_object) and in_object[-1]
            offset += 1
        elif char == ":":
            expects_key = False
            offset += 1
        else:
            match = _WORD.match(text, offset)
            if match is None:
                raise LoadError.at(text, offset, "not JSON: an unexpected character")
            yield "word", match.group(), offset
            offset = match.end()


def _skip_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


def _find_refused(text: str) -> None:
    """Raise LoadError at the first thing that JSON's grammar allows and this loader does not."""
    frames: list[set[str]] = []
    try:
        for kind, word, offset in _tokens(text):
            if kind == "close":
                frames.pop()
            elif kind in "{[":
                if len(frames) == MAX_DEPTH:
                    raise LoadError.at(text, offset, f"lists and objects are nested more than {MAX_DEPTH} deep")
                frames.append(set())
            elif kind == "word":
                _check_word(text, word, offset)
            else:
                if not word.isascii() and any("\ud800" <= char <= "\udfff" for char in word):
                    raise LoadError.at(text, offset, "a string holds an unpaired surrogate")
                if kind == "key":
                    if word in frames[-1]:
                        raise LoadError.at(text, offset, f"the key {quoted(word)} is given twice")
                    frames[-1].add(word)
    except json.JSONDecodeError as error:
        raise LoadError(f"not JSON: {error.msg}", error.lineno, error.colno) from None


def _check_word(text: str, word: str, offset: int) -> None:
    if word in _LITERALS:
        return
    if word in ("NaN", "Infinity", "-Infinity"):
        raise LoadError.at(text, offset, f"{word} is not a JSON number: numbers are finite")
    try:
        if word.lstrip("-").isdigit():
            integer(word.lstrip("-"))
        else:
            finite(word)
    except NumberRefused as error:
        raise LoadError.at(text, offset, str(error)) from None
    except ValueError:
        raise LoadError.at(text, offset, f"not JSON: {quoted(word)}") from None


def _too_deep(data: bytes) -> bool:
    """Whether brackets nest too deep, found before the scanner recurses into them."""
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return False
    # JSON has backslashes in strings only: with those gone, every second piece between quotes is a string.
    pieces = data.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
    depth = 0
    for bracket in b"".join(pieces[::2]).translate(None, _BRACKETS):
        if bracket in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        else:
            depth -= 1
    return False


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Refused("a key is given twice")
    return value


def _constant(word: str) -> NoReturn:
    raise _Refused(f"{word} is not a JSON number")


def _long_integer(word: str) -> int:
    return -integer(word[1:]) if word.startswith("-") else integer(word)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant, parse_float=finite)
_LONG_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_constant, parse_float=finite, parse_int=_long_integer
)

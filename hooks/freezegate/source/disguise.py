"""Bytes that make a Python file read differently to a person, to a search, and to the interpreter."""

from __future__ import annotations

import re

from freezegate.source.model import DISGUISED, SourceProblem
from freezegate.text import quoted

# CPython parses files of this size in bounded time and memory on every supported version; above, some do not.
SIZE_LIMIT = 128 * 1024

_BOM = b"\xef\xbb\xbf"
# U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
_BIDI = re.compile(rb"\xd8\x9c|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
_LONE_CR = re.compile(rb"\r(?!\n)")
# PEP 263 as the tokenizer reads it: only blanks and form feeds may come before the comment sign.
_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII | re.DOTALL)
_BLANK = re.compile(rb"[ \t\f]*(?:[#\r]|$)")
_UTF8_NAMES = frozenset({"utf-8", "utf8", "u8", "utf", "utf8-ucs2", "utf8-ucs4", "cp65001"})


def disguises(data: bytes) -> list[SourceProblem]:
    """The problems that bytes alone show: encoding, coding cookie, line ends, bidi controls, size."""
    found = []
    if len(data) > SIZE_LIMIT:
        found.append(_problem(data, 0, f"the file is larger than {SIZE_LIMIT // 1024} KiB"))
    if b"coding" in data:
        found += _cookies(data)
    if b"\r" in data and (lone := _LONE_CR.search(data)):
        found.append(_problem(data, lone.start(), "a carriage return outside CRLF ends a line for Python alone"))
    if data.isascii():
        return found
    if data.startswith(_BOM):
        found.append(_problem(data, 0, "the file begins with a byte order mark"))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        found.append(_problem(data, error.start, "the file is not UTF-8"))
    if hidden := _BIDI.search(data):
        code = ord(hidden.group().decode("utf-8"))
        found.append(_problem(data, hidden.start(), f"the bidirectional control U+{code:04X} reorders what is shown"))
    return found


def python_lines(data: bytes) -> list[bytes]:
    """The lines as Python counts them: CRLF, CR and LF each end one (and nothing else does)."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.split(b"\n")


def _cookies(data: bytes) -> list[SourceProblem]:
    offset = len(_BOM) if data.startswith(_BOM) else 0
    for _ in range(2):
        end = data.find(b"\n", offset)
        line = data[offset:] if end < 0 else data[offset:end]
        cookie = _COOKIE.match(line)
        if cookie:
            name = cookie.group(1).decode("ascii")
            # The tokenizer compares twelve characters, and takes utf-8-unix and the like for utf-8.
            normal = name[:12].lower().replace("_", "-")
            if normal.startswith("utf-8-") or name.lower().replace("_", "-") in _UTF8_NAMES:
                return []
            return [_problem(data, offset + cookie.start(1), f"the coding cookie {quoted(name)} is not utf-8")]
        if end < 0 or not _BLANK.match(line):
            break
        offset = end + 1
    return []


def _problem(data: bytes, offset: int, message: str) -> SourceProblem:
    lines = python_lines(data[:offset])
    return SourceProblem(DISGUISED, len(lines), len(lines[-1].decode("utf-8", "replace")) + 1, message)

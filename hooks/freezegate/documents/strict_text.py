"""Bytes to text under the rules that both syntaxes share, and the error that says where a rule was broken."""

from __future__ import annotations

import codecs
import re

Pointer = tuple[str | int, ...]
"""The way from a document's root to a value: keys and list indexes."""

MAX_BYTES = 1 << 20
MAX_DEPTH = 64
MAX_DIGITS = 1000

_PLAIN = bytes((0x09, 0x0A, *range(0x20, 0x7F)))
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]|\r(?!\n)")
_LONGEST_MESSAGE = 200
_HALF: int = 10**500


class LoadError(Exception):
    """A document that the strict loader refuses. `line` and `column` are 1-based and count code points."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        if len(message) > _LONGEST_MESSAGE:
            message = message[:_LONGEST_MESSAGE] + "..."
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column

    @classmethod
    def at(cls, text: str, offset: int, message: str) -> LoadError:
        """The error at a code point of `text`."""
        return cls(message, *position(text, offset))


class NumberRefused(ValueError):
    """A number that no document may hold; the message says why."""


def position(text: str, offset: int) -> tuple[int, int]:
    """1-based line and column of a code point offset."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def decode(data: bytes, limit: int = MAX_BYTES) -> str:
    """The text of a document: at most `limit` bytes of UTF-8 without byte order mark and without hidden characters.

    Control characters (but tab, LF and CRLF), U+0080-009F, U+2028, U+2029 and U+FEFF are refused: they look
    like nothing or like a line break to one reader and not to the next. Raises LoadError.
    """
    if len(data) > limit:
        raise LoadError(f"the document has {len(data)} bytes; at most {limit} ({limit >> 20} MiB) are read")
    if not data.translate(None, _PLAIN):  # nothing but printable ASCII, tab and LF
        return data.decode("ascii")
    if data.startswith(codecs.BOM_UTF8):
        raise LoadError("the document begins with a byte order mark")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise LoadError.at(before, len(before), f"byte 0x{data[error.start]:02x} is not UTF-8") from None
    found = _FORBIDDEN.search(text)
    if found:
        code = ord(found.group())
        what = "a carriage return without line feed" if code == 0x0D else f"the character U+{code:04X}"
        raise LoadError.at(text, found.start(), f"{what} is not allowed in a document")
    return text


def integer(digits: str, base: int = 10) -> int:
    """The value of unsigned `digits`, whatever limit the interpreter has for such conversions.

    Raises NumberRefused above 1,000 digits.
    """
    if len(digits) > MAX_DIGITS:
        raise NumberRefused(f"an integer has {len(digits)} digits; at most {MAX_DIGITS} are read")
    if base != 10 or len(digits) <= 500:
        return int(digits, base)
    return int(digits[:-500]) * _HALF + int(digits[-500:])


def finite(text: str) -> float:
    """The value of a decimal fraction or exponent form; raises NumberRefused where a double can't hold it."""
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise NumberRefused("a number is not finite")
    return value

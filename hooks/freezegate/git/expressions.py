"""Expressions that POSIX extended and Python syntax read alike, for searching bytes."""

from __future__ import annotations

from collections.abc import Iterable


def literal(word: bytes) -> bytes:
    """`word` as an expression for these very bytes."""
    special = b".[]{}()*+?^$|\\"
    return b"".join(b"\\" + bytes((byte,)) if byte in special else bytes((byte,)) for byte in word)


def any_of(words: Iterable[bytes]) -> bytes:
    """An expression for a line that holds at least one of the words; equal for equal sets of words."""
    return b"|".join(map(literal, sorted(set(words))))

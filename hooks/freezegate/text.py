"""Text from a tree under review, made safe to show to a person or to another program's log reader."""

from __future__ import annotations

import unicodedata

_SHELL_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def escape(text: str) -> str:
    """Show `text` on one line: control, format and separator characters, lone surrogates, ``::`` and ``##`` become escapes.

    Control characters could move a terminal's cursor, bidirectional ones reorder what a reviewer sees, and ``::name``
    and ``##name[`` are commands to CI log readers. Applying it twice changes nothing more.
    """
    if text.isascii() and text.isprintable() and "::" not in text and "##" not in text:
        return text
    shown = "".join(ch if ch.isprintable() and unicodedata.category(ch) != "Cf" else _codepoint(ord(ch)) for ch in text)
    while "::" in shown:
        shown = shown.replace("::", ":\\x3a")
    while "##" in shown:
        shown = shown.replace("##", "#\\x23")
    return shown


def quoted(text: str, limit: int = 80) -> str:
    """`text` in double quotes, escaped and cut to about `limit` characters, for use inside a message."""
    cut = text if len(text) <= limit else text[:limit] + "..."
    return '"' + escape(cut) + '"'


def shell_word(text: str) -> str:
    """`text` as one printable word of a POSIX shell command (bytes that are not UTF-8: surrogate-escaped)."""
    plain = "::" not in text and "##" not in text  # which `escape` would rewrite
    if plain and text and all(ch in _SHELL_SAFE for ch in text):
        return text
    if plain and text.isprintable():
        return "'" + text.replace("'", "'\\''") + "'"
    raw = text.encode("utf-8", "surrogateescape")
    safe = {byte: chr(byte) for byte in raw if chr(byte) in _SHELL_SAFE and chr(byte) != ":"}
    return "$'" + "".join(safe.get(byte, f"\\x{byte:02x}") for byte in raw) + "'"


def _codepoint(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8, kept by surrogateescape
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

"""The raw bytes of a tree object: its rows, and the names and modes that git itself would have refused to write.

Imports nothing: what has to be said of a push before any document is read is said with this.
"""

from __future__ import annotations

MODES = (b"40000", b"100644", b"100755", b"120000", b"160000")


def forbidden(name: bytes) -> bool:
    """Whether no entry of a tree may have this name."""
    return name in (b"", b".", b"..") or b"/" in name or (len(name) == 4 and name.lower() == b".git")


def sound_rows(data: bytes, width: int) -> dict[bytes, tuple[bytes, str]] | None:
    """Name to mode and id of a tree object whose ids have `width` bytes; None where anything about it is malformed."""
    rows: dict[bytes, tuple[bytes, str]] = {}
    at = 0
    previous = b""
    while at < len(data):
        zero = data.find(b"\0", at)
        mode, _, name = data[at:zero].partition(b" ")
        at = zero + 1 + width
        key = name + b"/" if mode == b"40000" else name
        if zero < 0 or at > len(data) or mode not in MODES or key <= previous or name in rows or forbidden(name):
            return None
        rows[name] = (mode, data[zero + 1 : at].hex())
        previous = key
    return rows

"""Frames and JSON, for both ends of the channel between freezegate and a child.

A frame is the mark, eight bytes of length (big-endian) and that many bytes of JSON. Python's ``json`` takes as long to
import as everything else that the child needs, so its C parts are used directly where they are there.
"""

from __future__ import annotations

import builtins
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # which the project cannot replace

MARK = b"FZG1"
HEAD = len(MARK) + 8


class BadFrame(Exception):
    """What came is no frame."""


def frame(payload: bytes) -> bytes:
    """`payload` as a frame."""
    return MARK + len(payload).to_bytes(8, "big") + payload


def length(head: bytes, limit: int) -> int:
    """The length of the payload that `head` announces. Raises BadFrame, also where it is more than `limit` bytes."""
    if head[: len(MARK)] != MARK:
        raise BadFrame("what came on the channel is no frame")
    size = int.from_bytes(head[len(MARK) : HEAD], "big")
    if size > limit:
        raise BadFrame(f"the frame claims {size} bytes, more than the {limit} allowed")
    return size


def receive(fd: int, _read: Callable[[int, int], bytes] = os.read) -> bytes | None:
    """The payload of the next frame; None at the end of the stream."""
    head = _take(fd, HEAD, _read)
    return None if head is None else _take(fd, length(head, 1 << 40), _read)


def send(fd: int, payload: bytes, _write: Callable[[int, Any], int] = os.write) -> None:
    """Write `payload` as one frame."""
    view = memoryview(frame(payload))
    while view:
        view = view[_write(fd, view) :]


def _take(fd: int, size: int, _read: Callable[[int, int], bytes]) -> bytes | None:
    parts = []
    while size:
        part = _read(fd, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


class _Reading:
    """What json.JSONDecoder gives to the scanner."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_refused)
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner clears it itself


def _scanner() -> Callable[[str, int], tuple[Any, int]]:
    try:
        from _json import make_scanner

        scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_Reading())  # type: ignore[arg-type]
        if scan('{"a": [1, "b", 2.5]}', 0) == ({"a": [1, "b", 2.5]}, 20):
            return scan
    except Exception:  # it is private: another Python may not have it, or want more of the context
        pass
    from json import JSONDecoder

    return JSONDecoder(parse_constant=_refused).raw_decode


def _escaper() -> Callable[[str], str]:
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring_ascii
    return encode_basestring_ascii


_SCAN = _scanner()
_ESCAPED = _escaper()


def decode(data: bytes) -> Any:
    """The value of a JSON text. Raises ValueError or RecursionError."""
    text = data.decode("utf-8").strip(" \t\r\n")
    try:
        value, end = _SCAN(text, 0)
    except StopIteration:
        raise ValueError("no JSON") from None
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def encode(value: Any) -> bytes:
    """`value`, of plain types exactly, as JSON in ASCII. Raises TypeError, RecursionError."""
    parts: list[str] = []
    _encode(value, parts.append)
    return "".join(parts).encode("ascii")


def _encode(value: Any, add: Callable[[str], object]) -> None:
    kind = type(value)
    if kind is str:
        add(_ESCAPED(value))
    elif value is None or kind is bool:
        add("null" if value is None else "true" if value else "false")
    elif kind is int or kind is float:
        add(repr(value))
    elif kind is list or kind is tuple:
        separator = "["
        for item in value:
            add(separator)
            _encode(item, add)
            separator = ","
        add("[]" if separator == "[" else "]")
    elif kind is dict:
        separator = "{"
        for key, item in value.items():
            add(separator + _ESCAPED(key) + ":")
            _encode(item, add)
            separator = ","
        add("{}" if separator == "{" else "}")
    else:
        raise TypeError(f"{kind.__name__} is not carried by JSON")

"""The parent's end of the channel: frames cut from what a child writes, and nothing believed of them but their form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from freezegate.running.harness.freezegate_wire import HEAD, BadFrame, decode, encode, frame, length

__all__ = ["LIMIT", "BadFrame", "Reader", "case_framed", "framed"]

# A case has at most 1 MiB; the rest of an answer is small.
LIMIT = 8 << 20
"""Bytes that one frame of a child may have."""


def framed(message: Mapping[str, Any]) -> bytes:
    """A message to a child."""
    return frame(encode(dict(message)))


def case_framed(nonce: str, case: bytes | None) -> bytes:
    """The message that starts the judging: the nonce, and the JSON text of a case as it is."""
    if case is None:
        return framed({"nonce": nonce})
    return frame(b'{"nonce":"' + nonce.encode("ascii") + b'","case":' + case + b"}")


class Reader:
    """Cuts a stream into messages. It holds one frame and what came after it in one read, no more."""

    def __init__(self) -> None:
        self.buffer = bytearray()

    @property
    def begun(self) -> bool:
        """Whether there is more than the messages taken so far."""
        return bool(self.buffer)

    def feed(self, data: bytes) -> None:
        """More of the stream."""
        self.buffer += data

    def message(self) -> dict[str, Any] | None:
        """The next whole message, None until it is there. Raises BadFrame for what can become none."""
        if len(self.buffer) < HEAD:
            if not b"FZG1".startswith(bytes(self.buffer[:4])):
                raise BadFrame("what came on the channel is no frame")
            return None
        end = HEAD + length(bytes(self.buffer[:HEAD]), LIMIT)
        if len(self.buffer) < end:
            return None
        payload = bytes(self.buffer[HEAD:end])
        del self.buffer[:end]
        try:
            value = decode(payload)
        except (ValueError, RecursionError):
            raise BadFrame("a frame of the child is no JSON") from None
        if type(value) is not dict:
            raise BadFrame("a frame of the child is no JSON object")
        return value

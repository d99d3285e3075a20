"""Objects by id, read in batches from long-lived `git cat-file` children."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from types import TracebackType

from freezegate.git.bulk import Blob, Missing, missing, read_many, widen
from freezegate.git.plumbing import Child, GitError, with_requests

__all__ = ["Missing", "Objects"]

# A request window small enough for a pipe's 64 KiB buffer: it is written whole before anything is read back, so
# neither side can wait for the other.
_WINDOW = 400
# From this many objects on, a child of their own that buffers its output costs less than a flush an object.
_MANY = 2000
_CHUNK = 1 << 18


class _Stream:
    """Reads framed answers of `cat-file --batch` from a descriptor."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer = b""
        self._at = 0
        widen(fd)

    def header(self) -> tuple[str, bytes, int]:
        """Object id, type and size in bytes of the next answer. Raises Missing, GitError."""
        while (end := self._buffer.find(b"\n", self._at)) < 0:
            self._fill()
        words = self._buffer[self._at : end].split(b" ")
        self._at = end + 1
        if len(words) != 3 or not words[2].isdigit():
            raise Missing(*missing(words[0]))
        return words[0].decode("ascii", "replace"), words[1], int(words[2])

    def body(self, size: int) -> bytes:
        """The next `size` bytes and the newline behind them."""
        while len(self._buffer) - self._at < size + 1:
            self._fill()
        data = self._buffer[self._at : self._at + size]
        self._at += size + 1
        return data

    def chunks(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes piece by piece, and the newline behind them; to be read to the end."""
        left = size
        while left:
            if self._at == len(self._buffer):
                self._buffer, self._at = b"", 0
                self._fill()
            part = self._buffer[self._at : self._at + left]
            self._at += len(part)
            left -= len(part)
            yield part
        self.body(0)

    def _fill(self) -> None:
        part = os.read(self._fd, _CHUNK)
        if not part:
            raise GitError("git cat-file ended before its answer was complete", "git fsck")
        self._buffer = self._buffer[self._at :] + part
        self._at = 0


class Objects:
    """The object store of a repository, served by at most one interactive child and one child a large batch."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._requests = -1
        self._stream: _Stream | None = None

    def __enter__(self) -> Objects:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, ids: Sequence[str], limit: int) -> Iterator[tuple[str, bytes | None, int]]:
        """For each id in turn: the id, its bytes (None above `limit` bytes) and its size. Raises Missing, GitError."""
        for oid, size, chunks in self.stream(ids):
            if size > limit:
                for _ in chunks:
                    pass
                yield oid, None, size
            else:
                yield oid, b"".join(chunks), size

    def stream(self, ids: Sequence[str]) -> Iterator[Blob]:
        """For each blob or tree in turn: the id, its size, and its bytes in chunks, to be read to the end."""
        return read_many(ids) if len(ids) >= _MANY else self._in_windows(ids)

    def _in_windows(self, ids: Sequence[str]) -> Iterator[Blob]:
        for start in range(0, len(ids), _WINDOW):
            window = ids[start : start + _WINDOW]
            stream = self._open()
            try:
                os.write(self._requests, "".join(f"{oid}\n" for oid in window).encode("ascii"))
            except BrokenPipeError:
                raise GitError("git cat-file ended before it was asked", "git fsck") from None
            for oid in window:
                yield _next(stream, oid)

    def _open(self) -> _Stream:
        if self._stream is None:
            self._child, self._requests = with_requests(["cat-file", "--batch"])
            self._stream = _Stream(self._child.out)
        return self._stream

    def close(self) -> None:
        """End the children; the next question starts new ones."""
        if self._child is not None:
            os.close(self._requests)
            self._child.finish()
            self._child = self._stream = None


def _next(stream: _Stream, oid: str) -> Blob:
    seen, _, size = stream.header()
    if seen != oid:  # an id that git read as a name would shift every later answer
        raise GitError(f"git answered for object {seen}, not {oid}", "git fsck")
    if size <= _CHUNK:
        return oid, size, (stream.body(size),)
    return oid, size, stream.chunks(size)

"""Very many objects, read through one `git cat-file` child while their ids are still being found.

git inflates on one processor while this one lists, parses and hashes. Nothing can wait for the other side: ids are
written only while the pipe takes them, and answers are read only when there are some.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from freezegate.git.plumbing import GitError, refusal, with_requests

Blob = tuple[str, int, Iterable[bytes]]
Run = list[bytes] | tuple[int, Iterator[bytes]]
"""Objects that follow one another, each whole; or the size and the pieces of a large one, to be read to the end."""

_ARGUMENTS = ("cat-file", "--batch", "--buffer")
_PIPE = 1 << 20
_READ = 1 << 20
# git writes its answers a few kilobytes at a time. They are gathered until there is something to do, but only while so
# many ids are unanswered that git has more than this to write without another id: at most one slice of them is unsent,
# an answer has 49 bytes or more, and git may hold back 4 KiB.
_ENOUGH = 1 << 16
_SURE = 3000
_SLICE = 1000  # ids that are found between two looks at git's answers
_WHOLE = 1 << 18  # bytes; larger blobs are handed on in pieces


class Missing(GitError):
    """An object that the repository does not hold."""


def widen(fd: int) -> None:
    """Ask for a 1 MiB pipe where the system has them: it halves the time of reading large text."""
    try:
        import fcntl

        fcntl.fcntl(fd, 1031, _PIPE)  # F_SETPIPE_SZ; the name is missing from the module on some systems
    except OSError:
        pass


def missing(name: bytes) -> tuple[str, str]:
    """What is said of an object that git does not have, and what to do."""
    return (
        f"git has no object {name.decode('ascii', 'replace')}",
        "fetch the full history and all objects: git fetch --unshallow",
    )


def read_many(ids: Sequence[str]) -> Iterator[Blob]:
    """For each id in turn: the id, its size in bytes, and its bytes; those in pieces are to be read to the end.

    Raises Missing, GitError.
    """
    names = iter(ids)
    for run in read_runs(ids):
        if isinstance(run, tuple):
            yield next(names), *run
        else:
            for data in run:
                yield next(names), len(data), (data,)


def read_runs(ids: Iterable[str]) -> Iterator[Run]:
    """The objects in the order of the ids, in runs. `ids` may be lazy, and may ask other git children meanwhile.

    Raises Missing, GitError.
    """
    pipe = _Pipe(ids)
    try:
        yield from pipe.runs()
        pipe.at_end()
    finally:
        status, errors = pipe.close()
    if status != 0:
        raise refusal(_ARGUMENTS, status, errors)


class _Pipe:
    """The child, the ids that it was given and not answered yet, and what was read of its answer."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = iter(ids)
        self._pending: list[bytes] = []  # of ids that are not answered yet, how the answer begins
        self._unsent = b""
        self._child, self._requests = with_requests(_ARGUMENTS)
        widen(self._requests)
        widen(self._child.out)
        os.set_blocking(self._requests, False)
        self._feeding = True
        self._buffer = b""
        self._at = 0
        self._poll = select.poll()
        self._poll.register(self._child.out, select.POLLIN)
        self._poll.register(self._requests, select.POLLOUT)

    def runs(self) -> Iterator[Run]:
        """Every object in the order of the ids."""
        pending = self._pending
        while self._feeding or pending:
            if not pending:
                self._feed()
                continue
            run, large = self._whole()
            del pending[: len(run)]
            if run:
                yield run
            if large is not None:
                del pending[0]
                yield large, self._pieces(large)
            elif pending:
                self._more()

    def _whole(self) -> tuple[list[bytes], int | None]:
        """What has been read whole, and the size of a large object that stands behind it."""
        run: list[bytes] = []
        buffer, at, read = self._buffer, self._at, len(self._buffer)
        large = None
        for expected in self._pending:
            first = at + len(expected)
            end = buffer.find(b"\n", first)
            if end < 0:
                break
            if not buffer.startswith(expected, at):
                self._require_tree(expected, buffer[at:end])
            start = end + 1
            stop = start + int(buffer[first:end])
            if stop < read:
                run.append(buffer[start:stop])
                at = stop + 1
            else:
                if stop - start > _WHOLE:
                    large, at = stop - start, start
                break
        self._at = at
        return run, large

    def at_end(self) -> None:
        """Nothing may follow the last answer. Raises GitError."""
        if self._at != len(self._buffer) or os.read(self._child.out, 1):
            raise GitError("git cat-file answered more than it was asked", "git fsck")

    def close(self) -> tuple[int, str]:
        """End the child, also in the middle of its answers."""
        if self._feeding:
            self._stop_feeding()
        return self._child.finish()

    def _require_tree(self, expected: bytes, head: bytes) -> None:
        """What is no blob may be a tree (its header is as long); anything else is refused."""
        oid = expected.split(b" ")[0]
        if head.startswith(oid + b" tree "):
            return
        name, _, rest = head.split(b"\n")[0].partition(b" ")
        if rest == b"missing":
            raise Missing(*missing(name))
        # an id that git read as a name would shift every later answer
        seen, asked = head[:100].decode("ascii", "replace"), oid.decode("ascii", "replace")
        raise GitError(f"git answered {seen!r} for the object {asked}", "git fsck")

    def _pieces(self, size: int) -> Iterator[bytes]:
        left = size
        while left:
            if self._at == len(self._buffer):
                self._more()
            part = self._buffer[self._at : self._at + left] if self._at or left < len(self._buffer) else self._buffer
            self._at += len(part)
            left -= len(part)
            yield part
        while self._at == len(self._buffer):
            self._more()
        self._at += 1

    def _more(self) -> None:
        """Read more of the answer; meanwhile find and send more ids as far as the pipe takes them."""
        while True:
            ready = dict(self._poll.poll())
            if self._feeding and self._requests in ready:
                self._feed()
            if self._child.out in ready:
                break
        parts = [self._buffer[self._at :]]
        read = 0
        while read < _ENOUGH:
            part = os.read(self._child.out, _READ)
            read += len(part)
            parts.append(part)
            if not part or (self._feeding and len(self._pending) < _SURE):
                break
        if not read:
            raise GitError("git cat-file ended before its answer was complete", "git fsck")
        self._buffer = b"".join(parts)
        self._at = 0

    def _feed(self) -> None:
        if not self._unsent:
            found = list(islice(self._ids, _SLICE))
            if not found:
                self._stop_feeding()
                return
            words = "\n".join(found).encode("ascii")
            self._pending += (words.replace(b"\n", b" blob \n") + b" blob ").split(b"\n")
            self._unsent = words + b"\n"
        try:
            self._unsent = self._unsent[os.write(self._requests, self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._stop_feeding()  # git has ended; that its answer is not complete is seen there

    def _stop_feeding(self) -> None:
        self._feeding = False
        self._poll.unregister(self._requests)
        os.close(self._requests)

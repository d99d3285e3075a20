"""What a push brings, as git tells it to a caller that has read no document: asked of few children, several at a time.

Kept free of costly imports: a push that touches nothing governed is over after this.
"""

from __future__ import annotations

import os

from freezegate.git.plumbing import Child, GitError, fed, refusal, with_requests
from freezegate.git.standing import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# -t: rows of folders as well, whose tree objects are to be looked at; the rest undoes user configuration.
_DIFF_TREE = ("diff-tree", "-r", "-t", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative")
_SUBMODULES = "--ignore-submodules=none"
_CHECK = ("cat-file", "--batch-check=%(objectname) %(objecttype)")
# Requests that fit into a pipe of 64 KiB: they are written before anything is read back.
_WINDOW = 400


# Id, tree, seconds since 1970 at which it was committed, and parents of a commit.
_LISTING = ("--no-commit-header", "--format=%H %T %ct %P")


class Line:
    """One new commit: its id, its tree's id, its parents in order."""

    __slots__ = ("oid", "parents", "tree")

    def __init__(self, row: str) -> None:
        """From git's row. Raises ValueError, also for a time that is no number."""
        self.oid, self.tree, seconds, *parents = row.split(" ")
        int(seconds or 0)
        self.parents = tuple(parent for parent in parents if parent)


class Incoming:
    """The children of one push. Every question raises GitError where git cannot answer it."""

    def __init__(self) -> None:
        self._running: list[Child] = []
        self._trees, self._requests = with_requests(["cat-file", "--batch"])

    def start(self, arguments: Sequence[str | bytes], stdin: bytes | None = None) -> Child:
        """A child that works while others are asked."""
        child = fed(arguments, stdin)
        self._running.append(child)
        return child

    def answer_of(self, child: Child) -> bytes:
        """All that the child says; it must end well."""
        out = child.read_all()
        self._running.remove(child)
        status, errors = child.finish()
        if status != 0:
            raise refusal(child.arguments, status, errors)
        return out

    def ask_names(self, names: Sequence[str]) -> Child:
        """Ask what these expressions name."""
        return self.start(_CHECK, "".join(f"{name}\n" for name in names).encode("ascii"))

    def named(self, child: Child, count: int) -> list[tuple[str, str] | None]:
        """Id and type of each; None for what is not here."""
        rows = self.answer_of(child).decode("ascii").splitlines()
        if len(rows) != count:
            raise GitError("git cat-file answered less than it was asked", "git fsck")
        found = (row.split(" ") for row in rows)
        return [(row[0], row[1]) if len(row) == 2 and row[1] != "missing" else None for row in found]

    def ask_new(self, tips: Sequence[str]) -> Child:
        """Ask which commits these tips reach and no branch does."""
        return self.start(["rev-list", *_LISTING, *tips, "--not", "--branches"])

    def ask_step(self, old: str, new: str) -> Child:
        """Ask what differs between two commits."""
        return self.start([*_DIFF_TREE, _SUBMODULES, old, new])

    def ask_steps(self, pairs: Sequence[tuple[str, str]]) -> Child:
        """Ask what differs between the trees of each pair."""
        asked = "".join(f"{old} {new}\n" for old, new in pairs).encode("ascii")
        return self.start([*_DIFF_TREE, "--stdin", _SUBMODULES], asked)

    def rows(self, child: Child, pairs: int) -> list[Row]:
        """Every row of every step, folders too. `pairs` is how many steps were asked about together, else 0."""
        rows = []
        fields = iter(self.answer_of(child).split(b"\0"))
        for field in fields:
            *heads, header = field.split(b"\n")
            pairs -= len(heads)
            if header:
                old_mode, mode, old_oid, oid, _ = header[1:].split(b" ")
                rows.append(Row(next(fields), old_mode, mode, old_oid, oid))
        if pairs != 0:
            raise GitError("git diff-tree ended before its answer was complete", "git fsck")
        return rows

    def trees(self, ids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Raw tree objects with their ids, in order."""
        buffer = b""
        for start in range(0, len(ids), _WINDOW):
            window = ids[start : start + _WINDOW]
            os.write(self._requests, "".join(f"{oid}\n" for oid in window).encode("ascii"))
            for oid in window:
                while (end := buffer.find(b"\n")) < 0:
                    buffer += self._more()
                name, kind, size = buffer[:end].split(b" ")
                if name != oid.encode("ascii") or kind != b"tree":
                    raise GitError(f"git answered for another object than {oid}", "git fsck")
                stop = end + 1 + int(size)
                parts = [buffer]
                read = len(buffer)
                while read <= stop:
                    parts.append(self._more())
                    read += len(parts[-1])
                buffer = b"".join(parts)
                yield oid, buffer[end + 1 : stop]
                buffer = buffer[stop + 1 :]

    def _more(self) -> bytes:
        part = os.read(self._trees.out, 1 << 20)
        if not part:
            raise GitError("git cat-file ended before its answer was complete", "git fsck")
        return part

    def close(self) -> None:
        """End the children, also in the middle of their answers."""
        os.close(self._requests)
        for child in (self._trees, *self._running):
            child.finish()

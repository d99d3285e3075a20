"""The repository that a command runs in: its object store, revisions and folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from freezegate.git import plumbing
from freezegate.git.bulk import Run, read_runs
from freezegate.git.entry import Entry
from freezegate.git.objects import Objects
from freezegate.git.plumbing import GitError
from freezegate.git.revisions import resolve
from freezegate.git.snapshot import Snapshot, Trees, Where
from freezegate.git.standing import Standing
from freezegate.paths import RepoPath

# Bytes of blobs that are kept for being asked for again; the oldest go first.
_KEPT = 48 << 20
_TREE_LIMIT = 256 << 20


def literal_glob(path: bytes) -> bytes:
    """`path` as the literal part of a git pathspec glob."""
    return b"".join(b"\\" + bytes((byte,)) if byte in rb"*?[\\" else bytes((byte,)) for byte in path)


class GitStore:
    """Blobs and trees of the current repository, in batches."""

    def __init__(self) -> None:
        self._objects = Objects()
        self._blobs: dict[str, tuple[bytes | None, int]] = {}
        self._held = 0
        self._searches: dict[tuple[str, bytes, Where], set[bytes]] = {}
        self._ahead: dict[tuple[str, bytes, Where], plumbing.Child] = {}

    def reopen(self) -> None:
        """In a forked child: leave the parent's git children alone and start new ones when they are needed."""
        self._objects = Objects()
        self._ahead = {}

    def trees(self, ids: Sequence[str]) -> Iterator[bytes]:
        """Raw tree objects, in order. Raises GitError."""
        for oid, data, size in self._objects.read(ids, _TREE_LIMIT):
            if data is None:
                raise GitError(f"the tree {oid} has {size} bytes, more than can be read")
            yield data

    def blob(self, oid: str, limit: int) -> bytes | None:
        """The blob, or None where it has more than `limit` bytes."""
        known = self._blobs.get(oid)
        if known is None or (known[0] is None and known[1] <= limit):
            for _, data, size in self._objects.read([oid], limit):
                self._keep(oid, data, size)
            known = self._blobs[oid]
        data, size = known
        return data if size <= limit else None

    def prefetch(self, ids: Iterable[str]) -> None:
        """Read these blobs (at most 1 MiB each) in one batch."""
        wanted = [oid for oid in dict.fromkeys(ids) if oid not in self._blobs]
        for oid, data, size in self._objects.read(wanted, 1 << 20):
            self._keep(oid, data, size)

    def _keep(self, oid: str, data: bytes | None, size: int) -> None:
        self._blobs[oid] = (data, size)
        self._held += len(data or b"")
        while self._held > _KEPT and len(self._blobs) > 1:
            oldest = next(iter(self._blobs))
            gone, _ = self._blobs.pop(oldest)
            self._held -= len(gone or b"")

    def stream(self, ids: Sequence[str]) -> Iterator[tuple[str, int, Iterable[bytes]]]:
        """Blobs of any size in order: id, size in bytes, chunks to be read to the end."""
        return self._objects.stream(ids)

    def runs(self, ids: Iterable[str]) -> Iterator[Run]:
        """Blobs in order, many at a time, while `ids` are still being found: whole, or size and chunks of a large one."""
        return read_runs(ids)

    def search_ahead(self, root: str, expression: bytes, where: Where) -> None:
        """Start a search whose answer will be asked for."""
        self._ahead[root, expression, where] = plumbing.Child(_grep(root, expression, where))

    def search(self, root: str, expression: bytes, where: Where) -> set[bytes]:
        """Paths of the files of tree `root` with a line that matches the POSIX extended expression, byte by byte."""
        question = (root, expression, where)
        if question not in self._searches:
            child = self._ahead.pop(question, None) or plumbing.Child(_grep(root, expression, where))
            out = child.read_all()
            status, errors = child.finish()
            if status not in (0, 1):
                raise plumbing.refusal(["grep"], status, errors)
            prefix = len(root) + 1
            self._searches[question] = {row[prefix:] for row in out.split(b"\0") if row}
        return self._searches[question]

    def close(self) -> None:
        """End git's children."""
        self._objects.close()
        while self._ahead:
            self._ahead.popitem()[1].finish()


def _grep(root: str, expression: bytes, where: Where) -> list[str | bytes]:
    below = b":(top,glob)" + (literal_glob(where.folder) + b"/" if where.folder else b"")
    pathspecs = [below + b"**/*" + literal_glob(where.suffix)]
    pathspecs += [b":(top,exclude,literal)" + folder for folder in where.excluded]
    # One thread: on blobs this small git's threads only wait for one another.
    # The user's colours would be part of the names.
    options = ["--no-recurse-submodules", "--no-color", "--full-name", "-a", "-l", "-z", "-E", "-e"]
    return ["-c", "grep.threads=1", "grep", *options, expression, root, "--", *pathspecs]


class Repository:
    """The repository that contains the current folder: its objects, and the trees that were read of it."""

    def __init__(self) -> None:
        self.store = GitStore()
        self.trees = Trees(self.store)

    def snapshot(self, revision: str) -> Snapshot:
        """The tree of a commit-ish or tree-ish. Raises GitError where there is none."""
        return self.tree(resolve(revision + "^{tree}"))

    def tree(self, oid: str) -> Snapshot:
        """The tree with this id."""
        return Snapshot(self.trees, oid)

    def staged(self, standing: Standing | None = None) -> Snapshot:
        """The tree that a commit of the index would have: HEAD's with the staged entries laid over it.

        The index is only read; entries added with intent-to-add are left out, as `git write-tree` leaves them out.
        Raises GitError where paths are unmerged.
        """
        standing = standing or Standing()
        staged = {
            RepoPath(row.path): None if row.mode == b"000000" else Entry(int(row.mode, 8), row.oid.decode("ascii"))
            for row in standing.rows
        }
        return Snapshot(self.trees, standing.tree or "", staged)

    def close(self) -> None:
        """End git's children."""
        self.store.close()

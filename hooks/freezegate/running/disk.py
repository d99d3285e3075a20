"""The files of a folder as they lie there, seen as a tree: for runs in the working tree, which git need not be asked about.

Ids are those of paths, not of contents, so they compare with nothing that git says. A file that git ignores is there: a
run would import it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence

from freezegate.errors import CannotJudge
from freezegate.git.entry import EXECUTABLE, FILE, FOLDER, LINK, SUBMODULE
from freezegate.git.snapshot import Snapshot, Trees, Where
from freezegate.paths import RepoPath

_CHUNK = 1 << 20


def on_disk(top: str) -> Snapshot:
    """The tree of the files below the folder `top`."""
    store = DiskStore(os.fsencode(top))
    return Snapshot(Trees(store), store.root)


class DiskStore:
    """Where a snapshot of a folder gets its bytes from. Raises CannotJudge where what it listed cannot be read."""

    def __init__(self, top: bytes) -> None:
        self._top = top
        self._paths: dict[str, bytes] = {}
        self.root = self._id(b"")

    def _id(self, path: bytes) -> str:
        oid = hashlib.sha1(path, usedforsecurity=False).hexdigest()
        self._paths[oid] = path
        return oid

    def _place(self, path: bytes) -> bytes:
        return self._top + b"/" + path if path else self._top

    def trees(self, ids: Sequence[str]) -> Iterator[bytes]:
        """Raw tree objects, in order."""
        for oid in ids:
            yield b"".join(self._rows(self._paths[oid]))

    def _rows(self, folder: bytes) -> Iterator[bytes]:
        try:
            found = sorted(os.scandir(self._place(folder)), key=lambda entry: entry.name)
        except OSError as error:
            raise _unreadable(folder, error) from None
        for entry in found:
            if entry.name.lower() != b".git" and (mode := _mode(entry)) is not None:
                path = folder + b"/" + entry.name if folder else entry.name
                yield b"%o %s\0%s" % (mode, entry.name, bytes.fromhex(self._id(path)))

    def blob(self, oid: str, limit: int) -> bytes | None:
        """The file's bytes (a link's target), or None where it is larger than `limit`."""
        path = self._paths[oid]
        place = self._place(path)
        try:
            if os.path.islink(place):
                return os.readlink(place)
            with open(place, "rb") as file:
                data = file.read(limit + 1)
        except OSError as error:
            raise _unreadable(path, error) from None
        return data if len(data) <= limit else None

    def prefetch(self, ids: Iterable[str]) -> None:
        """Nothing: each file is read when it is asked for."""

    def stream(self, ids: Sequence[str]) -> Iterator[tuple[str, int, Iterable[bytes]]]:
        """Files of any size in order: id, size in bytes, chunks."""
        for oid in ids:
            path = self._paths[oid]
            try:
                size = os.stat(self._place(path)).st_size
            except OSError as error:
                raise _unreadable(path, error) from None
            yield oid, size, self._chunks(path)

    def _chunks(self, path: bytes) -> Iterator[bytes]:
        try:
            with open(self._place(path), "rb") as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
        except OSError as error:
            raise _unreadable(path, error) from None

    def runs(self, ids: Iterable[str]) -> Iterator[list[bytes] | tuple[int, Iterator[bytes]]]:
        """Files in order, each in chunks."""
        for _, size, chunks in self.stream(list(ids)):
            yield size, iter(chunks)

    def reopen(self) -> None:
        """Nothing is held open."""

    def search(self, root: str, expression: bytes, where: Where) -> set[bytes]:
        """Every file that the search would read: it only narrows, and reading on is right as well."""
        snapshot = Snapshot(Trees(self), root)
        return {
            path for path, entry in snapshot.walk(where.folder, where.suffix) if entry.is_file and where.holds(path)
        }


def _mode(entry: os.DirEntry[bytes]) -> int | None:
    """The mode that git would give it; None for what git does not track."""
    if entry.is_symlink():
        return LINK
    if entry.is_dir():
        return SUBMODULE if os.path.lexists(entry.path + b"/.git") else FOLDER
    if not entry.is_file():
        return None
    try:
        executable = entry.stat().st_mode & stat.S_IXUSR
    except FileNotFoundError:
        return None
    return EXECUTABLE if executable else FILE


def _unreadable(path: bytes, error: OSError) -> CannotJudge:
    return CannotJudge(f"{RepoPath(path) or '.'} cannot be read: {error.strerror}", "look at its permissions")

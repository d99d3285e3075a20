"""Clean worktrees: the files of one commit exactly as git holds them, in a temporary folder, removed whatever happens.

git makes the entry, so that its commands work inside; the files are written from the blobs, so that attributes,
filters, line ends and LFS change no byte.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from freezegate.errors import CannotJudge
from freezegate.git.entry import Entry
from freezegate.git.repository import Repository
from freezegate.paths import RepoPath
from freezegate.running import linked
from freezegate.running.interrupts import held_back
from freezegate.running.laying import Laid, blob_id, lay, make_folder, on_disk
from freezegate.running.leftovers import claim, new_name, scratch, sweep_scratch

_GIT_FILE = b".git"
# Nanoseconds within which a file system may give two times that it cannot tell apart: where it counts in nanoseconds, the
# kernel's clock tick; else two whole seconds.
_TICK, _COARSEST = 100_000_000, 2_000_000_000
_FINE = 10_000_000


class Worktree:
    """The files of the commit `commit` below the folder `path`."""

    def __init__(self, path: str, commit: str, laid: Mapping[RepoPath, Laid], folders: Iterable[RepoPath]) -> None:
        self.path = path
        self.commit = commit
        self._root = os.fsencode(path)
        self._laid = dict(laid)
        self._folders = set(folders)
        self._put: dict[RepoPath, str] = {}
        # What is changed sooner after it was written may get the very time that it has already.
        fine = any(each.times[-1] % _FINE for each in laid.values())
        self._apart = _TICK if fine else _COARSEST
        self._settled = 0
        self._git_file = self._read_git_file()

    def put(self, path: RepoPath, data: bytes) -> None:
        """Write a file beside, or in place of, what the commit has. Raises CannotJudge where a link is on the way."""
        try:
            for folder in path.ancestors():
                with suppress(FileExistsError):
                    make_folder(self._at(folder))
                    self._folders.add(folder)
                if not _is_folder(self._at(folder)):
                    raise CannotJudge(f"{folder} is no folder in {self.commit[:12]}", f"put a real folder at {folder}")
            with suppress(FileNotFoundError):
                os.unlink(self._at(path))
            with open(os.open(self._at(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
                os.fchmod(file.fileno(), 0o644)
                file.write(data)
        except OSError as error:
            raise CannotJudge(f"{path} cannot be written into the worktree: {error.strerror}", "set TMPDIR") from None
        self._put[path] = blob_id(data, len(self.commit))

    def differing(self, paths: Iterable[RepoPath]) -> list[RepoPath]:
        """Of these paths, those where the disk holds anything but the commit's blob, or nothing."""
        return [path for path in paths if path not in self._laid or self._entry_at(path) != self._laid[path].entry]

    def changed(self) -> list[RepoPath]:
        """What was changed, removed or added since the worktree was made, but for what `put` wrote."""
        begun = self._now()
        found = set()
        seen = set()
        for path, entry in self._walk():
            seen.add(path)
            expected = self._laid.get(path)
            if path in self._put:
                if self._blob_at(path) != self._put[path]:
                    found.add(path)
            elif expected is None:
                if path not in self._folders or not entry.is_dir(follow_symlinks=False):
                    found.add(path)
            elif not self._untouched(entry, expected) and self._entry_at(path) != expected.entry:
                found.add(path)
        found |= ({*self._laid, *self._put, *self._folders}) - seen
        if self._read_git_file() != self._git_file:
            found.add(RepoPath(_GIT_FILE))
        # Of what was written long enough before this look, the times tell by themselves from now on.
        self._settled = begun - self._apart
        return sorted(found)

    def _now(self) -> int:
        """The time as the file system gives it, which may be another machine's."""
        with open(self._root + b".now", "wb") as file:
            file.write(b"now")
            file.flush()
            return os.fstat(file.fileno()).st_ctime_ns

    def _walk(self) -> Iterator[tuple[RepoPath, os.DirEntry[bytes]]]:
        """Everything below the root, but for what is in folders that the commit does not have."""
        level = [RepoPath(b"")]
        while level:
            folder = level.pop()
            with suppress(OSError), os.scandir(self._at(folder)) as entries:
                for entry in entries:
                    path = folder.joined(entry.name)
                    if path == _GIT_FILE:
                        continue
                    yield path, entry
                    if path in self._folders and entry.is_dir(follow_symlinks=False):
                        level.append(path)

    def _untouched(self, entry: os.DirEntry[bytes], expected: Laid) -> bool:
        """Whether the file's times alone show that nobody wrote to it."""
        try:
            return expected.times[-1] < self._settled and Laid.seen(entry.stat(follow_symlinks=False)) == expected.times
        except OSError:
            return False

    def _entry_at(self, path: RepoPath) -> Entry | None:
        return on_disk(self._root, path, len(self.commit))

    def _blob_at(self, path: RepoPath) -> str | None:
        entry = self._entry_at(path)
        return entry.oid if entry is not None and entry.is_file else None

    def _at(self, path: RepoPath) -> bytes:
        return self._root + b"/" + path

    def _read_git_file(self) -> bytes | None:
        try:
            with open(self._at(RepoPath(_GIT_FILE)), "rb") as file:
                return file.read(1 << 16)
        except OSError:
            return None


def _is_folder(place: bytes) -> bool:
    return os.path.isdir(place) and not os.path.islink(place)


@contextmanager
def worktree(commit: str, repository: Repository) -> Iterator[Worktree]:
    """The commit (a full id) laid out in a temporary folder, removed at the end.

    Nothing of the user's runs: no hook, filter or monitor. Raises CannotJudge where the tree is malformed or cannot be
    written here, and GitError.
    """
    common = linked.common_folder()
    linked.sweep(common)
    sweep_scratch()
    with scratch() as folder:
        tree = os.path.join(folder, new_name())
        fd = -1
        owner = os.getpid()
        try:
            make_folder(os.fsencode(tree))
            with held_back():  # an entry that nobody has claimed would stay for an hour
                fd = claim(linked.add(common, tree, commit))
            laid, folders = lay(os.fsencode(tree), repository, commit)
            yield Worktree(tree, commit, laid, folders)
        finally:
            if fd >= 0:
                os.close(fd)
            if os.getpid() == owner:
                with held_back():
                    linked.forget(common, tree)


def sweep() -> None:
    """Remove what runs in this repository that were killed have left behind. Raises GitError."""
    linked.sweep(linked.common_folder())
    sweep_scratch()

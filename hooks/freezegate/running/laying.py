"""The files of a tree written from its blobs, and read back as git would name them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from freezegate.errors import CannotJudge
from freezegate.git.entry import EXECUTABLE, FILE, LINK, Entry
from freezegate.git.repository import Repository
from freezegate.git.snapshot import Snapshot
from freezegate.paths import RepoPath

_PIECE = 1 << 20
Times = tuple[int, ...]


class Laid(NamedTuple):
    """What was written for one path: the tree's entry, and what the file system said of it then."""

    entry: Entry
    times: Times

    @staticmethod
    def seen(found: os.stat_result) -> Times:
        """What changes when anybody writes to a file, the time of the last change at the end."""
        return (found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def lay(root: bytes, repository: Repository, commit: str) -> tuple[dict[RepoPath, Laid], set[RepoPath]]:
    """Write the commit's files below the empty folder `root`; what was written, and the folders.

    Links are made last, so that no file is written through one, and no path is written twice: on a file system that
    takes two names for one, a link could stand where a folder should. A link that leads out of the tree is left out: what
    needs it is absent. Raises CannotJudge, GitError.
    """
    snapshot = repository.snapshot(commit)
    watchful, repository.trees.watchful = repository.trees.watchful, True
    try:
        files, rest, folders = _planned(root, snapshot)
    finally:
        repository.trees.watchful = watchful
    laid = {}
    for path, entry, pieces in _contents(files, repository):
        laid[path] = Laid(entry, _written(root, path, entry, pieces))
    links = [(path, entry) for path, entry in rest if entry.is_link]
    for path, entry in rest:
        if entry.is_submodule:
            _made(path, make_folder, root)
            folders.add(path)
    for path, entry, pieces in _contents(links, repository):
        target = b"".join(pieces)
        _made(path, partial(os.symlink, target), root)
        laid[path] = Laid(entry, Laid.seen(os.lstat(root + b"/" + path)))
    for path in _leading_out(root, [path for path, _ in links]):
        os.unlink(root + b"/" + path)
        del laid[path]
    return laid, folders


def _leading_out(root: bytes, links: list[RepoPath]) -> list[RepoPath]:
    """The links that do not end inside the tree: what lies there was committed by nobody."""
    real = os.path.realpath(root) + b"/"
    return [path for path in links if not (os.path.realpath(root + b"/" + path) + b"/").startswith(real)]


def make_folder(place: bytes) -> None:
    """A folder that any user may read, whatever the umask: a container may run as another one. Raises OSError."""
    os.mkdir(place)
    os.chmod(place, 0o755)


def _planned(
    root: bytes, snapshot: Snapshot
) -> tuple[list[tuple[RepoPath, Entry]], list[tuple[RepoPath, Entry]], set[RepoPath]]:
    """Make the folders; the regular files, the links and submodules, and the folders that were made."""
    files: list[tuple[RepoPath, Entry]] = []
    rest: list[tuple[RepoPath, Entry]] = []
    folders = set()
    for folder in snapshot.folders(RepoPath(b"")):
        for flaw in snapshot.flaws(folder):
            where = f"the folder {folder}" if folder else "the root"
            raise CannotJudge(f"the commit's tree is malformed: {where} has {flaw}", "git fsck")
        if folder:
            _made(folder, make_folder, root)
            folders.add(folder)
        for name, entry in snapshot.children(folder).leaves(b""):
            (files if entry.is_file else rest).append((folder.joined(name), entry))
    return files, rest, folders


def _contents(
    paths: list[tuple[RepoPath, Entry]], repository: Repository
) -> Iterator[tuple[RepoPath, Entry, Iterable[bytes]]]:
    """Each path with its entry and the pieces of its blob, which are to be read to the end."""
    waiting = iter(paths)
    for run in repository.store.runs(entry.oid for _, entry in paths):
        if isinstance(run, tuple):
            yield *next(waiting), run[1]
        else:
            for data in run:
                yield *next(waiting), (data,)


def _made(path: RepoPath, make: Callable[[bytes], object], root: bytes) -> None:
    """Make something at a path where nothing may be yet. Raises CannotJudge."""
    try:
        make(root + b"/" + path)
    except FileExistsError:
        raise CannotJudge(
            f"{path} is there already: this file system takes it and another path of the commit for one",
            "rename one of the two",
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CannotJudge(f"{path} cannot be written into a worktree: {reason}", "set TMPDIR") from None


def _written(root: bytes, path: RepoPath, entry: Entry, pieces: Iterable[bytes]) -> Times:
    found: list[Times] = []

    def write(place: bytes) -> None:
        fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            os.fchmod(fd, 0o755 if entry.mode == EXECUTABLE else 0o644)
            for piece in pieces:
                view = memoryview(piece)
                while view:
                    view = view[os.write(fd, view) :]
            found.append(Laid.seen(os.fstat(fd)))
        finally:
            os.close(fd)

    _made(path, write, root)
    return found[0]


def blob_id(data: bytes, digits: int) -> str:
    """The id that git gives a blob with these bytes, in a repository whose ids have so many digits."""
    hasher = _hasher(len(data), digits)
    hasher.update(data)
    return hasher.hexdigest()


def _hasher(size: int, digits: int) -> hashlib._Hash:
    hasher = hashlib.new("sha1" if digits == 40 else "sha256", usedforsecurity=False)
    hasher.update(b"blob %d\0" % size)
    return hasher


def on_disk(root: bytes, path: RepoPath, digits: int) -> Entry | None:
    """What git would say of the file or link at `path` as it is on the disk; None where there is none, or another kind."""
    for folder in path.ancestors():
        if not stat.S_ISDIR(_mode(root + b"/" + folder)):
            return None
    place = root + b"/" + path
    try:
        if stat.S_ISLNK(_mode(place)):
            return Entry(LINK, blob_id(os.readlink(place), digits))
        # Never a pipe that somebody put there: opening one would wait for its writer.
        fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            return None
        hasher = _hasher(found.st_size, digits)
        while piece := os.read(fd, _PIECE):
            hasher.update(piece)
        return Entry(EXECUTABLE if found.st_mode & 0o100 else FILE, hasher.hexdigest())
    except OSError:
        return None
    finally:
        os.close(fd)


def _mode(place: bytes) -> int:
    try:
        return os.lstat(place).st_mode
    except OSError:
        return 0

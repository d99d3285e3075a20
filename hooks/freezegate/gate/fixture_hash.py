"""The digest of a folder's files, hashed while they are still being listed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from freezegate import digests
from freezegate.gate.governed import Governed
from freezegate.git.entry import EXECUTABLE, FILE, LINK, Entry
from freezegate.git.snapshot import Snapshot
from freezegate.paths import RepoPath

File = tuple[bytes, Entry]
Flaws = list[tuple[RepoPath, str]]
_POINTERS = 1024  # bytes; no longer blob is an LFS pointer


@dataclass
class FixtureHash:
    """The digest of the files below a root, and why it may not be used: path relative to the root, reason.

    `digest` is None where there is nothing to hash.
    """

    digest: str | None
    flaws: Flaws


def hash_fixtures(tree: Governed, root: RepoPath, sized: bool) -> FixtureHash:
    """Hash the regular files below `root` while they are listed. Raises GitError."""
    flaws: Flaws = []
    files = in_component_order(tree.snapshot, root)
    try:
        if sized:  # its framing begins with the number of files
            listed = list(files)
            count = sum(entry.is_file for _, entry in listed)
            digest = digests.sized_digest(_items(_runs(tree, iter(listed), flaws)), count)
        else:
            zeros: list[bytes] = []
            runs = _plain_runs(_runs(tree, files, flaws), flaws)
            digest = digests.fixture_digest_in_runs(runs, zero_bytes=zeros)
            flaws += [(RepoPath(path), "has a zero byte, which framing plain cannot carry") for path in zeros]
    except digests.DigestError:
        return FixtureHash(None, flaws)
    return FixtureHash(digest, flaws)


def in_component_order(snapshot: Snapshot, root: RepoPath) -> Iterator[File]:
    """Everything below `root` that is no folder, lazily, in the order of a fixture digest; paths relative to the root."""
    open_folders = [_members(snapshot, root, b"")]
    while open_folders:
        for path, entry in open_folders[-1]:
            if entry is None:
                open_folders.append(_members(snapshot, root, path))
                break
            yield path, entry
        else:
            open_folders.pop()


def _members(snapshot: Snapshot, root: RepoPath, folder: bytes) -> Iterator[tuple[bytes, Entry | None]]:
    here = root.joined(folder) if folder else root
    names = snapshot.children(here)
    below = names.folders()
    snapshot.load(here.joined(name) for name in below)
    prefix = folder + b"/" if folder else b""
    members: list[tuple[bytes, Entry | None]] = [(prefix + name, entry) for name, entry in names.leaves(b"")]
    members += [(prefix + name, None) for name in below]
    if all(map(bytes.isascii, names)):
        members.sort(key=itemgetter(0))
    else:
        members.sort(key=lambda member: digests.component_key(member[0]))
    return iter(members)


class _Run(NamedTuple):
    """Files that follow one another, with the contents of all, or the size and the chunks of the only one."""

    files: list[File]
    contents: list[bytes]
    large: tuple[int, Iterator[bytes]] | None = None


def _runs(tree: Governed, files: Iterator[File], flaws: Flaws) -> Iterator[_Run]:
    """The regular files with their contents; what is none of them, and LFS pointers, become flaws."""
    waiting: list[File] = []

    def ids() -> Iterator[str]:
        for file in files:
            mode, oid = file[1]
            if mode in (FILE, EXECUTABLE):
                waiting.append(file)
                yield oid
            else:
                flaws.append((RepoPath(file[0]), "is a symbolic link" if mode == LINK else "is no regular file"))

    for run in tree.archive.store.runs(ids()):
        count = 1 if isinstance(run, tuple) else len(run)
        taken = waiting[:count]
        del waiting[:count]
        if isinstance(run, tuple):
            yield _Run(taken, [], run)
            continue
        for (path, _), data in zip(taken, run, strict=True):
            if len(data) < _POINTERS and digests.is_lfs_pointer(data):
                flaws.append((RepoPath(path), "is an LFS pointer, not the file"))
        yield _Run(taken, run)


def _items(runs: Iterator[_Run]) -> Iterator[digests.Item]:
    for run in runs:
        if run.large is not None:
            ((path, entry),) = run.files
            yield digests.Item(path, entry.mode, *run.large)
        for (path, entry), data in zip(run.files, run.contents, strict=run.large is None):
            yield digests.Item(path, entry.mode, len(data), (data,))


def _plain_runs(runs: Iterator[_Run], flaws: Flaws) -> Iterator[digests.Run]:
    """The same as paths and contents; paths that a plain digest cannot carry become flaws."""
    for run in runs:
        paths = [path for path, _ in run.files]
        together = b"".join(paths)
        if not (together.isascii() and together.decode("ascii").isprintable()):
            for path in paths:
                if (why := digests.ambiguity(path)) is not None:
                    flaws.append((RepoPath(path), f"cannot be hashed under framing plain: {why}"))
        if run.large is not None:
            yield digests.Item(paths[0], run.files[0][1].mode, *run.large)
        else:
            yield paths, run.contents

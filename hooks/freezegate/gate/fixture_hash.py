"""The digest of a folder's files, hashed while they are still being listed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter

from freezegate import digests
from freezegate.gate.governed import Governed
from freezegate.git.entry import Entry
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
    count = 0
    if sized:  # its framing begins with the number of files
        listed = list(files)
        count = sum(entry.is_file for _, entry in listed)
        files = iter(listed)
    items = _items(tree, files, sized, flaws)
    zeros: list[bytes] = []
    try:
        digest = digests.sized_digest(items, count) if sized else digests.fixture_digest(items, zero_bytes=zeros)
    except digests.DigestError:
        return FixtureHash(None, flaws)
    flaws += [(RepoPath(path), "has a zero byte, which framing plain cannot carry") for path in zeros]
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


def _items(tree: Governed, files: Iterator[File], sized: bool, flaws: Flaws) -> Iterator[digests.Item]:
    waiting: deque[File] = deque()

    def ids() -> Iterator[str]:
        for file in files:
            entry = file[1]
            if entry.is_file:
                waiting.append(file)
                yield entry.oid
            else:
                flaws.append((RepoPath(file[0]), "is a symbolic link" if entry.is_link else "is no regular file"))

    for _, size, chunks in tree.library.store.stream(ids()):
        path, entry = waiting.popleft()
        pieces: Iterable[bytes] = chunks
        if size < _POINTERS:
            pieces = data = tuple(chunks)
            if digests.is_lfs_pointer(b"".join(data)):
                flaws.append((RepoPath(path), "is an LFS pointer, not the file"))
        if not sized and not (path.isascii() and path.decode("ascii").isprintable()):
            why = digests.ambiguity(path)
            if why is not None:
                flaws.append((RepoPath(path), f"cannot be hashed under framing plain: {why}"))
        yield digests.Item(path, entry.mode, size, pieces)

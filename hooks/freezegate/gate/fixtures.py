"""The fixture tree: its root, and each of its files."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from freezegate import digests
from freezegate.gate.library import Content
from freezegate.git.entry import Entry
from freezegate.git.snapshot import Snapshot
from freezegate.paths import RepoPath

if TYPE_CHECKING:
    from freezegate.gate.governed import Governed


class FixtureRoot(NamedTuple):
    """The root of the fixture tree."""

    tree: Governed

    @property
    def root(self) -> RepoPath:
        """The folder's path."""
        return self.tree.places.fixtures

    @property
    def obstruction(self) -> tuple[RepoPath, Entry] | None:
        """A link or submodule in its place or above it."""
        return self.tree.snapshot.obstruction(self.root)

    @property
    def empty(self) -> bool:
        """Whether no file is below it, and nothing obstructs the way."""
        return self.obstruction is None and next(iter(self.tree.snapshot.walk(self.root)), None) is None

    @property
    def needed_by(self) -> RepoPath:
        """The first document that needs the tree: claims, ledger, a property; else the root itself."""
        for path in (self.tree.places.claimed, self.tree.places.ledger):
            if self.tree.entry(path) is not None:
                return path
        return self.tree.properties[0].path if self.tree.properties else self.root

    @property
    def key(self) -> object:
        """Equal in two trees exactly when the rules see the same of the root."""
        return (self.obstruction, self.empty)


class FixtureFile(NamedTuple):
    """One thing below the fixture root that is no folder; `path` is relative to the root, as the digest takes it."""

    tree: Governed
    path: RepoPath
    entry: Entry
    content: Content

    @property
    def place(self) -> RepoPath:
        """Its path in the repository."""
        return self.tree.places.fixtures.joined(self.path)

    @classmethod
    def all_of(cls, tree: Governed, files: Iterable[tuple[RepoPath, Entry]]) -> Iterator[FixtureFile]:
        """These paths of the tree as units, their contents read in one stream."""
        listed = list(files)
        regular = (entry for _, entry in listed if entry.is_file)
        contents = {entry.oid: content for entry, content in tree.library.contents(regular)}
        for path, entry in listed:
            yield cls(tree, path, entry, contents.get(entry.oid, Content(False, False)))


def fixture_digest(tree: Governed, sized: bool) -> str | None:
    """The digest of the whole fixture tree; None where it has no files, or one that is no regular file."""
    files = tree.fixture_files
    if not files or not all(entry.is_file for _, entry in files):
        return None
    ordered = sorted(files, key=lambda item: digests.component_key(item[0]))
    items = tree.library.stream_items(ordered)
    return digests.sized_digest(items, len(ordered)) if sized else digests.fixture_digest(items)


def in_component_order(snapshot: Snapshot, root: RepoPath) -> Iterator[tuple[RepoPath, Entry]]:
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


def _members(snapshot: Snapshot, root: RepoPath, folder: bytes) -> Iterator[tuple[RepoPath, Entry | None]]:
    here = root.joined(folder) if folder else root
    names = snapshot.children(here)
    below = names.folders()
    snapshot.load(here.joined(name) for name in below)
    members: list[tuple[bytes, Entry | None]] = [*names.leaves(b""), *((name, None) for name in below)]
    members.sort(key=lambda member: digests.component_key(member[0]))
    prefix = folder + b"/" if folder else b""
    return ((RepoPath(prefix + name), entry) for name, entry in members)


@dataclass
class FixtureHash:
    """The digest of the files below a root, and why it may not be used: path relative to the root, reason.

    `digest` is None where there is nothing to hash.
    """

    digest: str | None
    flaws: list[tuple[RepoPath, str]]


def hash_fixtures(tree: Governed, root: RepoPath, sized: bool) -> FixtureHash:
    """Hash the regular files below `root` while they are listed. Raises GitError."""
    hashed = FixtureHash(None, [])
    files = in_component_order(tree.snapshot, root)
    if sized:
        listed = list(files)
        count = sum(entry.is_file for _, entry in listed)
        files = iter(listed)
    items = _sound(_read(tree, files, hashed.flaws), hashed.flaws, sized)
    zeros: list[bytes] = []
    try:
        hashed.digest = digests.sized_digest(items, count) if sized else digests.fixture_digest(items, zero_bytes=zeros)
    except digests.DigestError:
        hashed.digest = None
    hashed.flaws += [(RepoPath(path), "has a zero byte, which framing plain cannot carry") for path in zeros]
    return hashed


def _read(
    tree: Governed, files: Iterator[tuple[RepoPath, Entry]], flaws: list[tuple[RepoPath, str]]
) -> Iterator[digests.Item]:
    waiting: deque[tuple[RepoPath, int]] = deque()

    def ids() -> Iterator[str]:
        for path, entry in files:
            if entry.is_file:
                waiting.append((path, entry.mode))
                yield entry.oid
            else:
                flaws.append((path, "is a symbolic link" if entry.is_link else "is no regular file"))

    for _, size, chunks in tree.library.store.stream(ids()):
        path, mode = waiting.popleft()
        yield digests.Item(path, mode, size, chunks)


def _sound(items: Iterator[digests.Item], flaws: list[tuple[RepoPath, str]], sized: bool) -> Iterator[digests.Item]:
    for item in items:
        if item.size < 1024 and digests.is_lfs_pointer(b"".join(item.chunks)):
            flaws.append((RepoPath(item.path), "is an LFS pointer, not the file"))
        if not sized and (why := digests.ambiguity(item.path)) is not None:
            flaws.append((RepoPath(item.path), f"cannot be hashed under framing plain: {why}"))
        yield item

"""The fixture tree: its root, and each of its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from freezegate.gate.archive import Content
from freezegate.git.entry import Entry
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
        contents = {entry.oid: content for entry, content in tree.archive.contents(regular)}
        for path, entry in listed:
            yield cls(tree, path, entry, contents.get(entry.oid, Content(False, False, False)))

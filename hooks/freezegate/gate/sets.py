"""The sets that must be free of duplicates: scope ids, and paths that another file system would take for one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from freezegate.paths import RepoPath

if TYPE_CHECKING:
    from freezegate.gate.governed import Governed
    from freezegate.gate.scopes import ScopeView
    from freezegate.git.snapshot import Snapshot


class IdSet(NamedTuple):
    """The scopes of one tree that carry one id, by path; at least one."""

    tree: Governed
    scope_id: str

    @property
    def holders(self) -> list[ScopeView]:
        """The scopes, by path."""
        return self.tree.scopes_with_id(self.scope_id)

    @property
    def key(self) -> object:
        """Equal in two trees exactly when the same files hold the id."""
        return tuple(scope.path for scope in self.holders)


class Collision(NamedTuple):
    """Paths of one tree that fold to one spelling, in byte order; at least two."""

    paths: tuple[RepoPath, ...]

    @property
    def key(self) -> object:
        """The paths themselves."""
        return self.paths


def fold(name: bytes) -> bytes:
    """The spelling that a case-insensitive, normalizing file system would compare."""
    if name.isascii():
        return name.lower()
    text = name.decode("utf-8", "surrogateescape")
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return folded.encode("utf-8", "surrogateescape")


def collisions(snapshot: Snapshot, folders: Iterable[RepoPath]) -> Iterator[Collision]:
    """The collisions among the names directly in each of `folders`."""
    for folder in folders:
        names: dict[bytes, list[RepoPath]] = {}
        entries = snapshot.children(folder)
        together = b"/".join(entries)
        if together.isascii() and len(set(together.lower().split(b"/"))) == len(entries):
            continue  # by far the most folders, told apart in one go
        for name in entries:
            names.setdefault(fold(name), []).append(folder.joined(name))
        for twins in names.values():
            if len(twins) > 1:
                yield Collision(tuple(sorted(twins)))

"""Where a document may point: the form of a path, and the layout folder that it must lie in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from freezegate.documents.config import Config, Layout
from freezegate.paths import RepoPath


@dataclass(frozen=True)
class Places(Layout):
    """The layout in force, with what the rules ask of it."""

    @classmethod
    def of(cls, config: Config) -> Places:
        """The places that `config` names."""
        return cls(**{each.name: getattr(config.layout, each.name) for each in fields(Layout)})

    @property
    def binding_half(self) -> tuple[RepoPath, ...]:
        """Folders and files of the binding half."""
        return (self.properties, self.generators, self.seed_lock, self.bindings, self.freezes)

    @property
    def verdict_half(self) -> tuple[RepoPath, ...]:
        """Folders and files of the verdict half."""
        return (self.oracles, self.fixtures, self.catalog, self.claimed, self.ledger)

    @property
    def roots(self) -> tuple[RepoPath, ...]:
        """Import roots behind a file's own folder, in order."""
        return (self.properties, self.generators, self.oracles, RepoPath(b""))

    def in_source(self, path: RepoPath) -> bool:
        """Whether the path is a source folder or lies inside one."""
        return any(path.within(folder) for folder in self.source)


def malformed(text: str) -> str | None:
    """Why `text` is no plain path below the repository root, or None."""
    if not text:
        return "is empty"
    if text.startswith("/"):
        return "is absolute"
    if "\\" in text:
        return "has a backslash"
    for part in text.split("/"):
        if part in (".", ".."):
            return f'has a component "{part}"'
        if not part:
            return "has an empty component"
    return None


def misplaced(text: str, folders: Sequence[RepoPath]) -> str | None:
    """Why `text` is no plain path inside one of `folders`, or None."""
    if why := malformed(text):
        return why
    path = RepoPath.of(text)
    if not any(path.below(folder) for folder in folders):
        return f"lies outside {' and '.join(f'{folder}/' for folder in folders)}"
    return None

"""Paths inside a repository: bytes, as git holds them."""

from __future__ import annotations

from freezegate.text import escape, shell_word


class RepoPath(bytes):
    """A path below the repository root: bytes, ``/`` between components, no leading or trailing slash.

    It compares and hashes as the bytes that it is, so plain bytes find it in a dictionary.
    """

    __slots__ = ()

    @classmethod
    def of(cls, text: str) -> RepoPath:
        """The path that a document's text names (bytes that are not UTF-8 as surrogate escapes)."""
        return cls(text.encode("utf-8", "surrogateescape"))

    @property
    def text(self) -> str:
        """UTF-8 decoded, other bytes as surrogate escapes: for computing with, not for showing."""
        return self.decode("utf-8", "surrogateescape")

    @property
    def name(self) -> RepoPath:
        """The last component."""
        return RepoPath(self.rpartition(b"/")[2])

    @property
    def parent(self) -> RepoPath:
        """The folder that holds it; empty at the root."""
        return RepoPath(self.rpartition(b"/")[0])

    def joined(self, name: bytes) -> RepoPath:
        """The path of `name` below this folder (the root is empty)."""
        return RepoPath(self + b"/" + name) if self else RepoPath(name)

    def below(self, folder: bytes) -> bool:
        """Whether it lies strictly inside `folder` (every path lies inside the root)."""
        return not folder or (len(self) > len(folder) and self.startswith(folder) and self[len(folder)] == 0x2F)

    def within(self, folder: bytes) -> bool:
        """Whether it is `folder` or lies inside it."""
        return self == folder or self.below(folder)

    def ancestors(self) -> list[RepoPath]:
        """The folders above it from the outermost in, the root left out."""
        parts = self.split(b"/")
        return [RepoPath(b"/".join(parts[:count])) for count in range(1, len(parts))]

    @property
    def shell(self) -> str:
        """One printable word for a shell command."""
        return shell_word(self.text)

    def __str__(self) -> str:
        return escape(self.text)

"""Commands as hints and messages spell them, so that a shell runs exactly what is meant whatever a name looks like."""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import relpath

from freezegate.paths import RepoPath
from freezegate.text import shell_word

_MAGIC = frozenset(b"*?[\\")


def argument(text: str) -> str:
    """`text` as the only argument of a command of ours: one that begins with a dash is no option."""
    return f"-- {shell_word(text)}" if text.startswith("-") else shell_word(text)


def pathspec(path: RepoPath, below: bytes = b"") -> str:
    """`path` as a word that git reads as this path alone, also where it holds characters of a pattern.

    `below` is the folder of the repository that the word is typed in; empty at the root.
    """
    typed = RepoPath(relpath(b"/" + path, b"/" + below)) if below else path
    special = typed.startswith(b":") or not _MAGIC.isdisjoint(path)
    return shell_word(f":(top,literal){path.text}" if special else typed.text)


def add(paths: Iterable[RepoPath], below: bytes = b"") -> str:
    """Stage these files, typed in the folder `below`."""
    return f"git add -- {' '.join(pathspec(path, below) for path in paths)}"


def unstage(path: RepoPath) -> str:
    """Take this file out of the index, and leave it in the working tree."""
    return f"git rm --cached -- {pathspec(path)}"


def lock(path: RepoPath) -> str:
    """Write the scope's predicate digest, and stage the scope."""
    return f"freezegate lock {argument(path.text)} && {add([path])}"


def retire(given: str) -> str:
    """Take away what is frozen under a scope id or property id."""
    return f"freezegate retire {argument(given)}"

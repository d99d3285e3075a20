"""Findings, put together from what the rules know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from freezegate.documents.reading import Reading
from freezegate.findings import Finding
from freezegate.paths import RepoPath
from freezegate.text import escape

if TYPE_CHECKING:
    from freezegate.gate.governed import Document
    from freezegate.gate.scopes import ScopeView

# Comparing is slow, and a tree under review says how many names there are and how long.
_MOST_NAMES = 200
_LONGEST_NAME = 200


def did_you_mean(given: str, names: Iterable[str]) -> str:
    """The names that `given` is likely a typo of, as a question; empty where none is near."""
    from difflib import get_close_matches

    if len(given) > _LONGEST_NAME:
        return ""
    near = get_close_matches(given, [name for name in islice(names, _MOST_NAMES) if len(name) <= _LONGEST_NAME], 2)
    return f"did you mean {' or '.join(map(escape, dict.fromkeys(near)))}?" if near else ""


def found(rule: str, path: RepoPath, message: str, hint: str, line: int = 1, column: int = 1) -> Finding:
    """A finding on a place of a file; without line and column, on the whole file."""
    return Finding(path, line, rule, column, message, hint)


def at(rule: str, document: Document | ScopeView, pointer: tuple[str | int, ...], message: str, hint: str) -> Finding:
    """A finding on the value of a document that `pointer` leads to."""
    line, column = document.reading.position(*pointer)
    return Finding(document.path, line, rule, column, message, hint)


def refused(rule: str, kind: str, path: RepoPath, reading: Reading[Any], hint: str) -> Iterator[Finding]:
    """One finding a problem of `kind` (unreadable, schema) that reading the document met."""
    for problem in reading.problems:
        if problem.kind == kind:
            yield Finding(path, problem.line, rule, problem.column, problem.message, problem.hint or hint)

"""Functions of property files that look like predicates."""

from __future__ import annotations

from typing import NamedTuple

from freezegate.paths import RepoPath
from freezegate.source.module import Function


class CaseFunction(NamedTuple):
    """A top-level, undecorated test function whose one parameter is `case`."""

    path: RepoPath
    function: Function

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.name

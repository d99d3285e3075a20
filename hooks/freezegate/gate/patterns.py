"""Globs below the fixture tree: fnmatch for each component, ``**`` for any folders."""

from __future__ import annotations

from fnmatch import translate
from functools import lru_cache
from re import Pattern, compile

from freezegate.paths import RepoPath


def matches_glob(path: RepoPath, glob: str) -> bool:
    """Whether a path relative to the fixture root matches.

    The walk keeps the set of reachable glob positions, so that no pattern makes it slower than their product.
    """
    parts = glob.split("/")
    reached = _skip({0}, parts)
    for component in path.text.split("/"):
        ahead = set()
        for position in reached:
            if position < len(parts):
                if parts[position] == "**":
                    ahead.add(position)
                elif _component(parts[position]).match(component):
                    ahead.add(position + 1)
        reached = _skip(ahead, parts)
    return len(parts) in reached


def _skip(positions: set[int], parts: list[str]) -> set[int]:
    """The positions, and those behind every ``**`` that may stand for no folder (it never stands for the name)."""
    found = set(positions)
    for start in sorted(positions):
        ahead = start
        while ahead < len(parts) - 1 and parts[ahead] == "**":
            ahead += 1
            found.add(ahead)
    return found


@lru_cache(maxsize=1024)
def _component(pattern: str) -> Pattern[str]:
    return compile(translate(pattern))

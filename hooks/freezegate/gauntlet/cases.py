"""All cases, and how some of them are chosen."""

from __future__ import annotations

from collections.abc import Sequence

from freezegate.errors import UsageError
from freezegate.gauntlet.benign import BENIGN
from freezegate.gauntlet.cheats import CHEATS
from freezegate.gauntlet.model import Case, Layer

CASES: tuple[Case, ...] = (*CHEATS, *BENIGN)


def chosen(only: Sequence[str], layers: Sequence[Layer]) -> list[Case]:
    """The cases of these names (all where none is named) that one of the layers judges. Raises UsageError."""
    unknown = sorted(set(only) - {case.name for case in CASES})
    if unknown:
        raise UsageError(f"no case is called {unknown[0]!r}")
    kept = [case for case in CASES if (not only or case.name in only) and set(case.layers) & set(layers)]
    if not kept:
        raise UsageError("no case is left: none of the named is judged by that layer")
    return kept

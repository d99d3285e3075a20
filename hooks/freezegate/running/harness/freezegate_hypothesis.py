"""Hypothesis made to depend on seed, files and versions alone. Standard library and Hypothesis only, CPython 3.8 or newer.

Some of what is touched here is private to Hypothesis: what is not found as expected is left alone, and said where it matters.
"""

from __future__ import annotations

import gzip
import json
import sys
import unicodedata
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

# The oldest version that is tested.
_OLDEST = (6, 100)
_POOL_LEFT = (
    "this version of Hypothesis draws examples from the literals of imported modules, and could not be kept from it: "
    "a change to any imported file may change the examples of a seed"
)
_CLOCK_LEFT = (
    "this version of Hypothesis ends a long reduction by the clock, and could not be kept from it: "
    "a slow machine may retain a larger case"
)
# In these versions of Unicode no character of planes 4 to 13 is assigned. Planes 15 and 16 are private for ever.
_KNOWN_UNICODE = ("12.1.0", "13.0.0", "14.0.0", "15.0.0", "15.1.0", "16.0.0")
_PLANE = 0x10000


class Unprepared(Exception):
    """Hypothesis is missing here or too old; the message says so."""


def prepare() -> list[str]:
    """Import Hypothesis and settle it. Returns what could not be settled, for a person. Raises Unprepared."""
    try:
        import hypothesis
        import hypothesis.statistics
        import hypothesis.strategies
    except ImportError as error:
        why = f"this environment has no Hypothesis, which generates and reduces cases ({error})"
        raise Unprepared(f"{why}: {sys.executable} -m pip install hypothesis") from None
    if hypothesis.__version_info__[:2] < _OLDEST:
        needed = ".".join(map(str, _OLDEST))
        raise Unprepared(f"Hypothesis {hypothesis.__version__} is too old: {needed} or newer is needed")
    notes = []
    if not _without_literals():
        notes.append(_POOL_LEFT)
    if not _without_clock():
        notes.append(_CLOCK_LEFT)
    try:
        _quick_tables()
    except Exception:  # slower, and nothing else
        pass
    return notes


def _without_literals() -> bool:
    """Empty the pool of literals that Hypothesis collects from imported modules. False where that could not be done.

    Some examples are drawn from it, so importing a module that has nothing to do with the property would move them all.
    """
    try:
        import_module("hypothesis.internal.constants_ast")
        providers: Any = import_module("hypothesis.internal.conjecture.providers")
    except ImportError:  # a version from before the pool
        return True
    try:
        if not hasattr(providers, "_get_local_constants"):
            return not any(getattr(it, "__module__", "").endswith(".constants_ast") for it in vars(providers).values())
        nothing = providers.Constants() if hasattr(providers, "Constants") else defaultdict(tuple)
        providers._get_local_constants = lambda: nothing
        provider = providers.HypothesisProvider(None)
        name = "_local_constants" if hasattr(provider, "_local_constants") else "local_constants"
        return getattr(provider, name) is nothing
    except Exception:
        return False


def _without_clock() -> bool:
    """Let no reduction end because minutes have passed: whoever sets a time limit ends the whole process."""
    engine: Any = import_module("hypothesis.internal.conjecture.engine")
    if not hasattr(engine, "MAX_SHRINKING_SECONDS"):
        return False
    engine.MAX_SHRINKING_SECONDS = 10**9
    return True


def _quick_tables() -> None:
    """Have the tables of characters ready that Hypothesis otherwise takes seconds to compute in each fresh folder.

    They are put where it looks for what it has computed before; it computes them itself where it finds them elsewhere.
    """
    charmap: Any = import_module("hypothesis.internal.charmap")
    encodable = [[0, 0xD7FF], [0xE000, 0x10FFFF]]
    _write(Path(charmap.charmap_file("codec-utf-8")), encodable)
    _write(Path(charmap.charmap_file("codec-v2-utf-8")), [encodable, []])
    compute = charmap.charmap

    def quick() -> Any:
        try:
            if charmap._charmap is None and not (path := Path(charmap.charmap_file())).exists():
                _write(path, sorted(categories().items()))
        except Exception:  # then it is computed
            pass
        return compute()

    charmap.charmap = quick


def categories() -> dict[str, list[tuple[int, int]]]:
    """The general categories of Unicode, each with the ranges of its code points."""
    if unicodedata.unidata_version in _KNOWN_UNICODE:
        spans = [(0, 4 * _PLANE), (14 * _PLANE, 15 * _PLANE)]
        edges = [(4 * _PLANE, 14 * _PLANE - 1, "Cn")]
        for plane in (15 * _PLANE, 16 * _PLANE):
            edges += [(plane, plane + 0xFFFD, "Co"), (plane + 0xFFFE, plane + 0xFFFF, "Cn")]
    else:
        spans, edges = [(0, sys.maxunicode + 1)], []
    for start, end in spans:
        edges += _runs(start, end)
    found: dict[str, list[tuple[int, int]]] = {}
    for start, last, category in sorted(edges):
        ranges = found.setdefault(category, [])
        joined = bool(ranges) and ranges[-1][1] == start - 1
        ranges.append((ranges.pop()[0] if joined else start, last))
    return found


def _runs(start: int, end: int) -> list[tuple[int, int, str]]:
    category = unicodedata.category
    runs = []
    current = category(chr(start))
    for code in range(start + 1, end):
        here = category(chr(code))
        if here != current:
            runs.append((start, code - 1, current))
            start, current = code, here
    runs.append((start, end - 1, current))
    return runs


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(str(path), "wb", compresslevel=1, mtime=1) as file:
        file.write(json.dumps(value).encode("ascii"))

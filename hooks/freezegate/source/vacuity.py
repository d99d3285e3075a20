"""Why a function that judges a case cannot fail, as far as its text shows it. Nothing is imported or run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Collection
from functools import cache
from typing import NamedTuple

from freezegate.source.judgement import CALLS, NOTHING, Definition, Found, Helper, Judgement, Vacuity
from freezegate.source.model import PARSE_ERRORS, Function, Module, parse

__all__ = ["Definition", "Found", "Helper", "Vacuity", "Why", "function_vacuities", "vacuities"]


class Why(NamedTuple):
    """A place that cannot fail, and why. Line and column are 1-based; the column counts characters."""

    line: int
    column: int
    why: str


def vacuities(
    function: Definition, helper: Helper = lambda name: None, cases: Collection[str] | None = None
) -> list[Vacuity]:
    """Why the function cannot fail: nothing where it can, or where its text does not show that it cannot.

    `helper` knows the project's functions that it calls. `cases` are the parameters on
    which it has to depend: with none, only assertions that are void by themselves count. An assertion of a tuple is
    named even where others stand beside it. A test without any assertion, which hands its case to code that may raise, is
    no finding.
    """
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function)):
        return []  # calling it runs none of it
    try:
        found = Judgement(function, cases, helper)
    except RecursionError:
        return []
    notes = [*found.tuples]
    if found.power in (NOTHING, CALLS):
        notes += found.notes
    if found.power == NOTHING and cases is not None:
        notes += [*found.independent, *found.swallowed[:1]]
        if not notes:
            name = ", ".join(cases)
            why = f"no assertion, exception, result or call of other code in it depends on {name}"
            notes.append(Vacuity(function.lineno, function.col_offset, why))
    return sorted(set(notes))


def function_vacuities(
    module: Module, name: str, elsewhere: Callable[[str], Function | None] = lambda name: None, depends: bool = True
) -> list[Why]:
    """The same for the function `name` of a file, which has to depend on its first parameter if `depends`.

    `elsewhere` gives functions that the file imports. A file or function that cannot be read gives nothing.
    """
    function = module.functions.get(name)
    parsed = _parsed(function) if function is not None else None
    if function is None or parsed is None or (depends and not function.positional_required):
        return []

    @cache
    def helper(called: str) -> Found | None:
        if module.bindings.get(called, 0) != 1 or module.rebinds or module.star_import:
            return None
        here = module.functions.get(called)
        there = _parsed(here or elsewhere(called))
        # By the names of this file nothing can be told of what another file calls.
        return Found(there[0], helper if here is not None else lambda name: None) if there is not None else None

    node, first = parsed
    lines = function.text.split(b"\n")
    found = []
    for place in vacuities(node, helper, function.positional_required[:1] if depends else None):
        before = lines[place.line - first][: place.offset]
        found.append(Why(place.line, len(before.decode("utf-8", "replace")) + 1, place.why))
    return found


def _parsed(function: Function | None) -> tuple[Definition, int] | None:
    """The syntax tree of a function that stands directly in a module, with the lines of its file, and its first line."""
    if function is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node = parse(function.text.decode("utf-8")).body[0]
    except PARSE_ERRORS:
        return None  # what parses in its file may have too little room here
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    before = function.line - node.lineno
    ast.increment_lineno(node, before)
    return node, before + 1

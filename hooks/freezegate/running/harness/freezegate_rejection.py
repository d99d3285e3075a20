"""Who rejected a case: the test itself, or the code that it tests. Standard library only, CPython 3.8 or newer.

A rejected case counts for nothing, so only what says which cases the property is about may reject one. Code under test
that did so for what it gets wrong would leave nothing to be found.
"""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from freezegate.running.harness import freezegate_judgement, freezegate_project, freezegate_statement
else:
    import freezegate_judgement
    import freezegate_project
    import freezegate_statement

globals()["__builtins__"] = dict(vars(builtins))  # which the project cannot replace

_type_module = type.__dict__["__module__"].__get__
_type_mro = type.__dict__["__mro__"].__get__
_type_qualname = type.__dict__["__qualname__"].__get__
_trace = BaseException.__dict__["__traceback__"].__get__
_get = dict.get

# By name: a test of pytest may do without Hypothesis.
_REJECTIONS = frozenset((("hypothesis.errors", "UnsatisfiedAssumption"), ("hypothesis.errors", "StopTest")))
# Where Hypothesis draws, it may call strategies of the code under test, which reject what they cannot use.
_DRAWING = ("hypothesis.strategies.", "hypothesis.internal.conjecture.")
_WORDS = frozenset(("assume", "reject", "UnsatisfiedAssumption"))
_INSTALLED = ("/site-packages/", "/dist-packages/")
_named: dict[tuple[str, int], bool] = {}


def rejection(error: BaseException) -> bool:
    """Whether Hypothesis takes this exception for a rejected case."""
    return any((_type_module(kind), _type_qualname(kind)) in _REJECTIONS for kind in _type_mro(type(error)))


def foreign(error: BaseException, root: str, closure: Collection[str]) -> str | None:
    """Why a rejection is not one of the test's own; None where it is.

    It is one where the innermost code of the tree that it came through is in the `closure` and names it (code under test
    may hand over what rejects when it is called), or where the test draws a value.
    """
    last = None
    within = True
    for frame, line in freezegate_judgement.places(_trace(error)):
        file = frame.f_code.co_filename
        path = freezegate_project.relative(file, root)
        if path is None or any(folder in file for folder in _INSTALLED):
            if within and str(_get(frame.f_globals, "__name__")).startswith(_DRAWING):
                return None
            continue
        within = within and path in closure
        last = file, line, path
    if last is None:
        return None
    file, line, path = last
    if path in closure and _names(file, line):
        return None
    return f"{path}:{line} rejected a case, and only the test itself may say which cases it is about"


def _names(file: str, line: int) -> bool:
    """Whether the statement there is one that rejects."""
    known = _named.get((file, line))
    if known is None:
        source = freezegate_judgement.source_of(file) or b""
        words = set((freezegate_statement.statement(source, line)[0] or "").split(" "))
        known = bool(words & _WORDS) or bool(words & _aliases(source))
        _named[file, line] = known
    return known


def _aliases(source: bytes) -> set[str]:
    """The names that a file gives to what rejects, where it imports or assigns it."""
    tokens = ["", "", *freezegate_statement.normalized(source.decode("utf-8", "replace")).split(" "), "", ""]
    found = set()
    for place, token in enumerate(tokens):
        if token in _WORDS:
            if tokens[place + 1] == "as":
                found.add(tokens[place + 2])
            start = place - 2 if tokens[place - 1] == "." else place
            if tokens[start - 1] == "=":
                found.add(tokens[start - 2])
    return found

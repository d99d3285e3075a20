"""Expressions that are true whatever their parts are, and handlers that let nothing out."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Iterable

from freezegate.text import quoted

_COMPARE: dict[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,  # type: ignore[dict-item]
    ast.LtE: operator.le,  # type: ignore[dict-item]
    ast.Gt: operator.gt,  # type: ignore[dict-item]
    ast.GtE: operator.ge,  # type: ignore[dict-item]
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,  # type: ignore[operator]
    ast.NotIn: lambda left, right: left not in right,  # type: ignore[operator]
}
_REFLEXIVE = (ast.Eq, ast.LtE, ast.GtE)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_UNSTEADY = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Lambda, ast.JoinedStr, *_COMPREHENSIONS)
_WIDE = frozenset(("Exception", "BaseException"))
_CATCHING = _WIDE | {"AssertionError"}
LOGS = frozenset(("log", "logger", "logging", "_log", "_logger"))
CONSTANT = "it asserts a constant, which is always true"
TUPLE = "it asserts a tuple, which is always true"


class Truths:
    """Judges the expressions of one function.

    `aliases` leads from names that are bound once, to another such name, to that name; `parameters` are what the function is
    given; `made` are names whose value a class of its own may have given a comparison of its own.
    """

    def __init__(self, aliases: dict[str, str], parameters: Collection[str], made: Collection[str]) -> None:
        self._aliases = aliases
        self._parameters = parameters
        self._made = made

    def always(self, test: ast.expr) -> str | None:
        """Why the expression is true, or None where it can be false."""
        if isinstance(test, ast.Tuple) and _has_item(test.elts):
            return TUPLE
        if (constant := _truth(test)) is not None:
            return CONSTANT if constant else None
        if isinstance(test, ast.NamedExpr):
            return self.always(test.value)
        if isinstance(test, ast.BoolOp):
            reasons = [self.always(value) for value in test.values]
            if isinstance(test.op, ast.Or):
                return next((reason for reason in reasons if reason is not None), None)
            return reasons[0] if None not in reasons else None
        if isinstance(test, ast.IfExp):
            first, other = self.always(test.body), self.always(test.orelse)
            return first if other is not None else None
        if isinstance(test, ast.Call):
            return _call(test)
        return self.comparison(test)

    def comparison(self, test: ast.expr) -> str | None:
        """The same, for comparisons alone."""
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return None
        left, right, kind = test.left, test.comparators[0], type(test.ops[0])
        if _truth(test):
            return CONSTANT
        if _is_call_of(left, "len") and _is_number(right, 0) and kind is ast.GtE:
            return "it asserts that a length is at least 0, which is always true"
        if not self._same(left, right):
            return None
        if kind in _REFLEXIVE or (kind is ast.Is and self._is_one_object(left)):
            return f"it compares {quoted(ast.unparse(left))} with itself"
        return None

    def _same(self, left: ast.expr, right: ast.expr) -> bool:
        """Whether both are one expression that gives the same value each time it is evaluated."""
        nodes = list(ast.walk(left))
        if any(isinstance(node, _UNSTEADY) for node in nodes):
            return False
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        if not names or names & set(self._made):
            return False
        return self._text(left) == self._text(right)

    def _text(self, expression: ast.expr) -> str:
        parts: list[str] = []
        stack: list[object] = [expression]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Name):
                parts.append(f"name {self._aliases.get(node.id, node.id)}")
            elif isinstance(node, ast.AST):
                parts.append(type(node).__name__)
                stack += [getattr(node, name, None) for name in node._fields if name not in ("ctx", "kind")]
            elif isinstance(node, list):
                parts.append(f"[{len(node)}")
                stack += node
            else:
                parts.append(repr(node))
        return "\n".join(parts)

    def _is_one_object(self, node: ast.expr) -> bool:
        # What an attribute gives may be made anew each time: then this asks for something.
        subscripted = False
        while isinstance(node, ast.Subscript):
            node, subscripted = node.value, True
        return isinstance(node, ast.Name) and (not subscripted or node.id in self._parameters)


def _has_item(items: Iterable[ast.expr]) -> bool:
    return any(not isinstance(item, ast.Starred) for item in items)


def _truth(test: ast.expr) -> bool | None:
    """Whether a literal, or a comparison of literals, is true; None for anything else."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, (ast.Tuple, ast.List, ast.Set)):
        return _has_item(test.elts) or (None if test.elts else False)
    if isinstance(test, ast.Dict):
        return any(key is not None for key in test.keys) or (None if test.keys else False)
    if isinstance(test, ast.Lambda):
        return True
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        try:
            left, right = ast.literal_eval(test.left), ast.literal_eval(test.comparators[0])
            return bool(_COMPARE[type(test.ops[0])](left, right))
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return None
    return None


def constant(test: ast.expr) -> bool | None:
    """Whether a condition is a literal that is true, or one that is false; None where it depends on anything."""
    return _truth(test)


def is_empty(items: ast.expr) -> bool:
    """Whether a loop over the expression runs no round at all."""
    if isinstance(items, ast.Constant):
        return items.value in ("", b"")
    if isinstance(items, ast.Call) and not items.keywords:
        given = items.args
        if _is_call_of(items, "range"):
            return len(given) == 1 and _is_number(given[0], 0)
        return any(_is_call_of(items, name) for name in ("list", "tuple", "set", "dict")) and not given
    return isinstance(items, (ast.Tuple, ast.List, ast.Set, ast.Dict)) and _truth(items) is False


def _call(test: ast.Call) -> str | None:
    if test.keywords or not test.args:
        return None
    if _is_call_of(test, "all") and len(test.args) == 1:
        items = test.args[0]
        looped = isinstance(items, (ast.GeneratorExp, ast.ListComp)) and is_empty(items.generators[0].iter)
        if looped or is_empty(items):
            return "it asserts something of all items of nothing, which is always true"
    if _is_call_of(test, "isinstance") and len(test.args) == 2:
        kind = test.args[1]
        if isinstance(kind, ast.Name) and kind.id == "object":
            return "it asserts that something is an object, which everything is"
    if _is_call_of(test, "bool") and len(test.args) == 1 and _truth(test.args[0]):
        return CONSTANT
    return None


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _is_number(node: ast.expr, number: int) -> bool:
    return isinstance(node, ast.Constant) and node.value.__class__ is int and node.value == number


def caught(kind: ast.expr | None) -> frozenset[str]:
    """Which of AssertionError, Exception and BaseException the type of a handler names; a bare one is the last."""
    if kind is None:
        return frozenset(("BaseException",))
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    names = {getattr(each, "id", None) or getattr(each, "attr", None) for each in kinds}
    return frozenset(name for name in names if name in _CATCHING)


def is_wide(kinds: Collection[str]) -> bool:
    """Whether that is nearly every exception."""
    return not _WIDE.isdisjoint(kinds)


def is_true(value: ast.expr | None) -> bool:
    """Whether it is a literal that is true; nothing is not."""
    return isinstance(value, ast.Constant) and bool(value.value)


def is_yes(value: ast.expr | None) -> bool:
    """Whether a predicate that returns it passes: nothing, None or True, literally."""
    return value is None or (isinstance(value, ast.Constant) and (value.value is None or value.value is True))


def is_quiet(body: list[ast.stmt]) -> bool:
    """Whether a handler passes over what it caught: it raises nothing, notes nothing down, asks nothing."""
    for statement in body:
        if isinstance(statement, (ast.Pass, ast.Continue, ast.Break)):
            continue
        if isinstance(statement, ast.Return) and is_yes(statement.value):
            continue
        if isinstance(statement, ast.Expr):
            value = statement.value
            if isinstance(value, ast.Constant):
                continue
            if isinstance(value, ast.Call) and _says(value.func):
                continue
        return False
    return True


def _says(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id in ("print", "note", "event")
    return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id in LOGS

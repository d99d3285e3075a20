"""What the parameters of a function reach in it, read from its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_HEADED = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.ClassDef)
_NAMING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
# The name is younger than the oldest grammar that is read here.
TRIES: tuple[type[ast.AST], ...] = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))


class Influence:
    """Which names of a function depend on its parameters, whatever the order of its statements.

    It errs on the side of more. `everywhere` says that the parameters reach code or objects outside the function, or
    decide how far it runs: then nothing in it can be called independent of them.
    """

    def __init__(
        self,
        function: ast.FunctionDef | ast.AsyncFunctionDef,
        cases: Iterable[str],
        harmless: Callable[[ast.Call], bool],
    ) -> None:
        self.names = set(cases)
        self.everywhere = False
        inside = [node for statement in function.body for node in ast.walk(statement)]
        for node in inside:
            if isinstance(node, _DEFINITIONS):
                self.names.update(argument.arg for argument in _arguments(node.args))
        statements: list[ast.AST] = [
            node for node in inside if isinstance(node, (ast.stmt, ast.comprehension, ast.NamedExpr))
        ]
        self._spread(statements)
        self.everywhere = any(self._leaves(node, harmless) for node in inside)

    def reaches(self, node: ast.AST) -> bool:
        """Whether something that depends on the parameters stands in the node."""
        return self.everywhere or any(isinstance(each, ast.Name) and each.id in self.names for each in ast.walk(node))

    def _spread(self, statements: list[ast.AST]) -> None:
        waiting = statements
        while True:
            known = len(self.names)
            left = []
            for statement in waiting:
                heads = list(_heads(statement))
                if any(self.reaches(head) for head in heads):
                    for head in heads:
                        self.names.update(_names(head))
                    self.names.update(_stored(statement))
                else:
                    left.append(statement)
            waiting = left
            if len(self.names) == known:
                return

    def _leaves(self, node: ast.AST, harmless: Callable[[ast.Call], bool]) -> bool:
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            return True
        if isinstance(node, ast.Call):
            return not harmless(node) and self.reaches(node)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            return any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets) and self.reaches(node)
        if isinstance(node, (*_HEADED, *TRIES, ast.Match)) and any(self.reaches(head) for head in _heads(node)):
            return any(isinstance(each, _JUMPS) for each in ast.walk(node))
        return False


def arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The names of all parameters."""
    return [argument.arg for argument in _arguments(function.args)]


def _arguments(given: ast.arguments) -> Iterator[ast.arg]:
    yield from (*given.posonlyargs, *given.args, *given.kwonlyargs)
    yield from (argument for argument in (given.vararg, given.kwarg) if argument is not None)


def _heads(statement: ast.AST) -> Iterator[ast.AST]:
    """What a statement evaluates before or without the statements in it; a whole one where that is not to be told."""
    if isinstance(statement, (*TRIES, ast.Match)) or not isinstance(statement, (*_HEADED, *_DEFINITIONS)):
        yield statement
    else:
        for child in ast.iter_child_nodes(statement):
            if not isinstance(child, ast.stmt):
                yield child


def _names(head: ast.AST) -> Iterator[str]:
    """Names in an expression, but for those of plain functions that it calls."""
    called = {
        id(node.func) for node in ast.walk(head) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    yield from (node.id for node in ast.walk(head) if isinstance(node, ast.Name) and id(node) not in called)


def _stored(statement: ast.AST) -> Iterator[str]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, _NAMING) and node.name is not None:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest is not None:
            yield node.rest
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]

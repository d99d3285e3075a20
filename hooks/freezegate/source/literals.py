"""Names at the top of a module whose values are read as imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from freezegate.source.dynamic import Judge
from freezegate.source.model import UNDECIDABLE, SourceProblem
from freezegate.text import quoted


def plugins(judge: Judge, tree: ast.Module) -> None:
    """Read ``pytest_plugins``, which pytest imports: a literal string, or a list or tuple of them."""
    seen = 0
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
            if isinstance(target, ast.Name) and target.id == "pytest_plugins":
                seen += 1
                for item in value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]:
                    judge.literal(item, "pytest_plugins")
    if seen != judge.found.bindings["pytest_plugins"]:
        judge.problems.append(
            SourceProblem(UNDECIDABLE, 1, 1, "pytest_plugins is set other than by a plain assignment of literals")
        )


def exported(judge: Judge, tree: ast.Module) -> None:
    """Refuse dotted names in ``__all__``: a star import would import modules below those in the folder."""
    for value in _all_values(tree):
        for node in ast.walk(value):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
                judge.refuse(node, f"__all__ names {quoted(node.value)}, which a star import looks for as a module")


def _all_values(tree: ast.Module) -> Iterator[ast.expr]:
    """What is assigned to ``__all__``, and what its methods are called with."""
    statements: list[ast.AST] = list(tree.body)
    while statements:
        node = statements.pop()
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value is not None and any(_is_all(target) for target in targets):
                yield node.value
        elif isinstance(node, ast.Expr):
            call = node.value
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and _is_all(call.func.value):
                yield from call.args
        else:
            for block in ("body", "orelse", "finalbody", "handlers", "cases"):
                statements += getattr(node, block, ())


def _is_all(node: ast.expr) -> bool:
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "__all__"

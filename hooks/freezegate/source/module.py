"""A Python file read as text: its imports, functions and bindings. It is parsed, never imported."""

from __future__ import annotations

import ast
import warnings

from freezegate.source.collect import Collected, collect
from freezegate.source.disguise import SIZE_LIMIT, disguises, python_lines
from freezegate.source.dynamic import Judge
from freezegate.source.literals import exported, plugins
from freezegate.source.model import (
    DISGUISED,
    PARSE_ERRORS,
    UNDECIDABLE,
    Function,
    Import,
    Module,
    SourceProblem,
    parse,
)
from freezegate.source.reaching import STRINGS

__all__ = ["DISGUISED", "UNDECIDABLE", "Function", "Import", "Module", "SourceProblem", "read_module"]


def read_module(data: bytes) -> Module:
    """Read any bytes as a Python file, by the grammar of the running interpreter. Never raises.

    A coding cookie is not followed (one other than UTF-8 is a problem by itself), a byte order mark is passed
    over.
    """
    problems = disguises(data)
    if len(data) > SIZE_LIMIT:
        return Module(problems=tuple(problems), parse_error=(1, 1, problems[0].message))
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        where = next(problem for problem in problems if problem.message.endswith("not UTF-8"))
        return Module(problems=_sorted(problems), parse_error=(where.line, where.column, where.message))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = parse(text)
    except PARSE_ERRORS as error:
        return Module(problems=_sorted(problems), parse_error=_place(error))
    lines = python_lines(data.removeprefix(b"\xef\xbb\xbf"))
    found = collect(tree, STRINGS)
    judge = Judge(found, lines, text.isascii())
    judge.run()
    if "pytest_plugins" in found.bindings:
        plugins(judge, tree)
    if "__all__" in found.bindings:
        exported(judge, tree)
    return Module(
        imports=tuple(sorted(judge.imports, key=lambda found: (found.line, found.column))),
        functions={node.name: _function(node, found, judge) for node in found.functions},
        bindings=found.bindings,
        classes={node.name: _members(node) for node in tree.body if node.__class__ is ast.ClassDef},
        star_import="*" in found.bindings,
        rebinds=found.rebinds,
        problems=_sorted(problems + judge.problems),
        renamed=_sorted(judge.renamed),
    )


def _sorted(problems: list[SourceProblem]) -> tuple[SourceProblem, ...]:
    if len(problems) < 2:
        return tuple(problems)
    # One construct can be reached on two ways (a base and its attribute): it is still one.
    places = {(problem.line, problem.column, problem.rule): problem for problem in reversed(problems)}
    return tuple(problem for _, problem in sorted(places.items(), key=lambda item: item[0]))


def _place(error: BaseException) -> tuple[int, int, str]:
    if isinstance(error, SyntaxError):
        reason = error.msg if isinstance(error.msg, str) else "invalid syntax"
        return max(error.lineno or 1, 1), max(error.offset or 1, 1), f"does not parse: {reason}"
    return 1, 1, f"does not parse: {str(error) or type(error).__name__}"


def _members(node: ast.ClassDef) -> frozenset[str] | None:
    """The names that the body of a class binds; None where others may bind some: a base, a decorator, a block."""
    if node.decorator_list or node.keywords or node.bases:
        return None
    names: set[str] = set()
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(statement.name)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
        elif not isinstance(statement, (ast.Expr, ast.Pass)):
            return None
    return frozenset(names)


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, found: Collected, judge: Judge) -> Function:
    arguments = node.args
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    required = len(positional) - len(arguments.defaults)
    keyword_required = sum(default is None for default in arguments.kw_defaults)
    first = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])
    return Function(
        name=node.name,
        line=node.lineno,
        column=judge.column(node.lineno, node.col_offset),
        decorated=bool(node.decorator_list),
        asynchronous=isinstance(node, ast.AsyncFunctionDef),
        generator=id(node) in found.generators,
        positional_required=tuple(positional[:required]),
        positional_optional=len(arguments.defaults),
        keyword_required=keyword_required,
        keyword_optional=len(arguments.kw_defaults) - keyword_required,
        variadic=arguments.vararg is not None or arguments.kwarg is not None,
        text=b"\n".join(judge.lines[first - 1 : node.end_lineno]),
    )

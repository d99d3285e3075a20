"""What is kept of a Python file once its syntax tree has been dropped."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

UNDECIDABLE = "closure-undecidable"
DISGUISED = "source-disguised"

# What CPython raises, besides SyntaxError, for text that it cannot read: NUL bytes and surrogates
# (ValueError), nesting that is too deep (RecursionError, MemoryError, and SystemError where the parser loses
# count of its own depth).
PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, SystemError, OverflowError)


def parse(text: str) -> ast.Module:
    """The syntax tree by this interpreter's grammar. Raises one of PARSE_ERRORS."""
    tree = compile(text, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    return tree


def _dumped(tree: ast.Module) -> str:
    """The tree as text without positions, like ``ast.dump`` but for any depth."""
    parts: list[str] = []
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.AST):
            parts.append(type(node).__name__)
            stack += [getattr(node, name, None) for name in reversed(node._fields)]
        elif isinstance(node, list):
            # With its length, and a fixed number of fields a class, the text has only one reading.
            parts.append(f"[{len(node)}")
            stack += reversed(node)
        else:
            parts.append(repr(node))
    return "\n".join(parts)


class Import(NamedTuple):
    """One imported module, as written. Line and column are 1-based.

    `level` counts the leading dots. ``import a.b`` has no names, ``from a import c, d`` has c and d, a star
    import has ``*`` alone. A call such as ``import_module("a.b")`` reads as ``import a.b``.
    """

    level: int
    module: str
    names: tuple[str, ...]
    line: int
    column: int


class Function(NamedTuple):
    """A ``def`` that stands directly in the module. `text` is its source, decorators included.

    `positional_required` names the positional parameters without a default; `variadic` says that it takes
    ``*args`` or ``**kwargs``.
    """

    name: str
    line: int
    column: int
    decorated: bool
    asynchronous: bool
    generator: bool
    positional_required: tuple[str, ...]
    positional_optional: int
    keyword_required: int
    keyword_optional: int
    variadic: bool
    text: bytes

    @property
    def body(self) -> str:
        """A digest that changes with code, signature or decorators, not with position, layout or comments.

        It is comparable only between runs of one Python version. Computed when asked for: it costs more
        than all else that is read from the file, and only changed functions are ever compared.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                dumped = _dumped(parse(self.text.decode("utf-8"))).encode()
        except PARSE_ERRORS:
            # It parsed as part of its file, but a deeper call stack leaves less room for nesting.
            # Then a changed comment counts as a change, which errs on the safe side.
            dumped = self.text
        import hashlib

        return hashlib.sha256(dumped).hexdigest()


class SourceProblem(NamedTuple):
    """Why a file's imports, or its text itself, cannot be trusted. `rule` is UNDECIDABLE or DISGUISED."""

    rule: str
    line: int
    column: int
    message: str


class Module(NamedTuple):
    """A Python file read as text.

    `bindings` says how often each name is bound in the module's own scope, by whatever construct. `rebinds`
    says that it also binds names that the text does not spell (through ``globals()``). `problems` are sorted
    by position. `classes` maps each top-level class to the names that its body binds directly, None where the
    text does not tell them all. `renamed` are problems only where another file imports this one: there the name no longer
    shows what it is. `parse_error` is line, column and reason; then nothing else but `problems` was read.
    """

    imports: tuple[Import, ...] = ()
    functions: Mapping[str, Function] = MappingProxyType({})
    bindings: Mapping[str, int] = MappingProxyType({})
    classes: Mapping[str, frozenset[str] | None] = MappingProxyType({})
    star_import: bool = False
    rebinds: bool = False
    problems: tuple[SourceProblem, ...] = ()
    renamed: tuple[SourceProblem, ...] = ()
    parse_error: tuple[int, int, str] | None = None

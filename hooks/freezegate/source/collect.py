"""One pass over a syntax tree that gathers all that the other modules of this package judge."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

# Only names bound in MODULE can rebind a predicate; a CLASS can hide what an imported name is.
MODULE, INNER, CLASS = range(3)

_NO_NODES = frozenset(("ctx", "op", "ops", "type_comment", "simple", "is_async", "kind", "arg", "attr", "level"))
_NAMESPACES = frozenset(("globals", "locals", "vars"))
_LOOKUPS = frozenset(("getattr", "hasattr", "setattr", "delattr", "object"))  # the last is patch.object
_SETTERS = frozenset(("setattr", "delattr", "__setattr__", "__delattr__"))
_REBINDERS = frozenset(("update", "setdefault", "pop", "clear", "popitem", "__setitem__", "__delitem__", "__ior__"))


class Collected:
    """What one pass found. Nodes are kept only until they are judged: a kept tree slows the collector down.

    `names` are loads of a bare name that no attribute is taken of, and stores to dunder names; `attributes`
    are all attribute nodes, each with whether it is bare in the same sense. `calls` and `lookups` are keyed
    by the ``id`` of the called node, and of the first argument: calls whose first argument is a string, and
    literal ``getattr`` lookups. `set_names` are the literal names that ``setattr`` sets, `spaces` the ids of
    ``globals`` and the like where they are called, `viewed` the names whose namespace ``vars`` shows.
    """

    def __init__(self) -> None:
        self.imports: list[tuple[ast.Import | ast.ImportFrom, int]] = []
        self.names: list[ast.Name] = []
        self.bases: list[ast.Name] = []
        self.attributes: list[tuple[ast.Attribute, bool]] = []
        self.calls: dict[int, ast.Call] = {}
        self.lookups: dict[int, str] = {}
        self.set_names: list[str] = []
        self.spaces: set[int] = set()
        self.viewed: list[str] = []
        self.strings: list[ast.Constant] = []
        self.functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        self.generators: set[int] = set()
        self.bindings: dict[str, int] = {}
        self.rebinds: bool = False


_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a node class that can hold further nodes; none for what is no node at all."""
    names: Iterable[str] = getattr(kind, "_fields", ())
    known = _FIELDS[kind] = tuple(name for name in names if name not in _NO_NODES)
    return known


def collect(tree: ast.Module, strings: frozenset[str]) -> Collected:
    """Walk the tree once, without recursion. `strings` are the string constants to report."""
    found = Collected()
    found.functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    _Pass(found, strings).run(tree.body)
    return found


class _Pass:
    def __init__(self, found: Collected, strings: frozenset[str]) -> None:
        self.found = found
        self.strings = strings
        self.top = {id(node) for node in found.functions}
        self.scopes: list[tuple[list[Any], int, int]] = []  # nodes, scope, id of the top-level def that owns a yield
        self.stack: list[Any] = []
        self.reads: set[int] = set()  # calls of globals() of which one literal key is read
        self.scope = MODULE
        self.owner = 0

    def run(self, body: list[ast.stmt]) -> None:
        self.scopes.append((list(body), MODULE, 0))
        names, bases, attributes = self.found.names, self.found.bases, self.found.attributes
        special, strings, load = _SPECIAL, self.strings, ast.Load
        name_node, attribute_node, constant_node = ast.Name, ast.Attribute, ast.Constant
        while self.scopes:
            stack, self.scope, self.owner = self.scopes.pop()
            self.stack = stack
            while stack:
                node = stack.pop()
                kind = node.__class__
                if kind is name_node:
                    if node.ctx.__class__ is load:
                        names.append(node)
                    else:
                        self.stored(node)
                elif kind is constant_node:
                    if node.value.__class__ is str and node.value in strings:
                        self.found.strings.append(node)
                elif kind is attribute_node:
                    attributes.append((node, True))
                    node = node.value
                    while node.__class__ is attribute_node:
                        attributes.append((node, False))
                        node = node.value
                    if node.__class__ is name_node:
                        bases.append(node)
                    else:
                        stack.append(node)
                elif kind in special:
                    special[kind](self, node)
                else:
                    self.push(node)

    def push(self, node: Any) -> None:
        kind = node.__class__
        stack = self.stack
        for name in _FIELDS[kind] if kind in _FIELDS else _fields(kind):
            child = getattr(node, name, None)
            if child.__class__ is list:
                stack.extend(child)
            elif child is not None:
                stack.append(child)

    def bind(self, name: str) -> None:
        self.found.bindings[name] = self.found.bindings.get(name, 0) + 1

    def stored(self, node: ast.Name) -> None:
        if self.scope == MODULE:
            self.bind(node.id)
        if node.id.startswith("__"):
            self.found.names.append(node)

    def named(self, node: Any) -> None:
        if self.scope == MODULE and node.name is not None:
            self.bind(node.name)
        self.push(node)

    def mapping_pattern(self, node: ast.MatchMapping) -> None:
        if self.scope == MODULE and node.rest is not None:
            self.bind(node.rest)
        self.push(node)

    def declared_global(self, node: ast.Global) -> None:
        # Whatever binds it after that binds the module's name; counting the declaration is enough.
        if self.scope != MODULE:
            for name in node.names:
                self.bind(name)

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        self.found.imports.append((node, self.scope))
        if self.scope == MODULE:
            whole = node.__class__ is ast.ImportFrom
            for alias in node.names:
                self.bind(alias.asname or (alias.name if whole else alias.name.partition(".")[0]))

    def yielded(self, node: ast.Yield | ast.YieldFrom) -> None:
        self.found.generators.add(self.owner)
        self.push(node)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if self.scope == MODULE:
            self.bind(node.name)
        self.stack.extend(node.decorator_list)
        self.stack.append(node.args)
        if node.returns is not None:
            self.stack.append(node.returns)
        body: list[Any] = [*getattr(node, "type_params", ()), *node.body]
        self.scopes.append((body, INNER, id(node) if id(node) in self.top else 0))

    def klass(self, node: ast.ClassDef) -> None:
        if self.scope == MODULE:
            self.bind(node.name)
        self.stack.extend((*node.decorator_list, *node.bases, *node.keywords))
        self.scopes.append(([*getattr(node, "type_params", ()), *node.body], CLASS, 0))

    def scoped_lambda(self, node: ast.Lambda) -> None:
        self.stack.append(node.args)
        self.scopes.append(([node.body], INNER, 0))

    def comprehension(self, node: Any) -> None:
        # Its own variables live inside it, but a walrus in it binds in the scope around it.
        for part in node.generators:
            self.scopes.append(([part.target], INNER, 0))
            self.stack.append(part.iter)
            self.stack.extend(part.ifs)
        if node.__class__ is ast.DictComp:
            self.stack.extend((node.key, node.value))
        else:
            self.stack.append(node.elt)

    def call(self, node: ast.Call) -> None:
        function, arguments = node.func, node.args
        if arguments:
            first = arguments[0]
            if isinstance(first, ast.Constant):
                if isinstance(first.value, str):
                    self.found.calls[id(function)] = node
            elif len(arguments) > 1:
                name = arguments[1]
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    called = getattr(function, "id", None) or getattr(function, "attr", None)
                    if called in _LOOKUPS and isinstance(first, (ast.Name, ast.Attribute)):
                        self.found.lookups[id(first)] = name.value
                    if called in _SETTERS:
                        self.found.set_names.append(name.value)
        if function.__class__ is ast.Name:
            if function.id in _NAMESPACES:
                self.namespace(node, function)
        elif isinstance(function, ast.Attribute) and function.attr in _REBINDERS and _is_namespace(function.value):
            self.found.rebinds = True
        self.stack.append(function)
        self.stack.extend(arguments)
        if node.keywords:
            self.stack.extend(node.keywords)

    def namespace(self, node: ast.Call, function: ast.Name) -> None:
        # The dictionary itself can go anywhere and be written there. Inside functions locals() is no module's.
        self.found.spaces.add(id(function))
        if id(node) in self.reads:
            return
        if function.id == "globals" or (self.scope == MODULE and not node.args):
            self.found.rebinds = True
        elif node.args and isinstance(node.args[0], ast.Name):
            self.found.viewed.append(node.args[0].id)

    def subscript(self, node: ast.Subscript) -> None:
        if _is_namespace(node.value):
            if node.ctx.__class__ is not ast.Load:
                self.found.rebinds = True
            elif isinstance(node.slice, ast.Constant):
                self.reads.add(id(node.value))
        self.push(node)


# Plain functions: a table of bound methods in the object would be a cycle, and keep the tree alive.
_SPECIAL: dict[type, Callable[[_Pass, Any], None]] = {
    ast.Call: _Pass.call,
    ast.FunctionDef: _Pass.function,
    ast.AsyncFunctionDef: _Pass.function,
    ast.ClassDef: _Pass.klass,
    ast.Lambda: _Pass.scoped_lambda,
    ast.ListComp: _Pass.comprehension,
    ast.SetComp: _Pass.comprehension,
    ast.DictComp: _Pass.comprehension,
    ast.GeneratorExp: _Pass.comprehension,
    ast.Import: _Pass.imported,
    ast.ImportFrom: _Pass.imported,
    ast.Global: _Pass.declared_global,
    ast.Yield: _Pass.yielded,
    ast.YieldFrom: _Pass.yielded,
    ast.ExceptHandler: _Pass.named,
    ast.MatchAs: _Pass.named,
    ast.MatchStar: _Pass.named,
    ast.MatchMapping: _Pass.mapping_pattern,
    ast.Subscript: _Pass.subscript,
}


def _is_namespace(node: ast.expr) -> bool:
    """Whether it is a call such as ``globals()``."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMESPACES

"""Constructs through which a file can run or import what its text does not name.

This is a wall against what is cheap to write, not a proof: a file can always start another interpreter, or
unpickle. So these modules and names are refused wherever they could be reached under a name that no longer
shows what they are.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from freezegate.source.collect import CLASS, INNER, Collected
from freezegate.source.model import DISGUISED, UNDECIDABLE, Import, SourceProblem
from freezegate.text import quoted

# A dotted name of more parts than this is nobody's module, and following it costs.
MAX_COMPONENTS = 64

_RUNNERS = frozenset(("exec", "eval", "compile"))
_IMPORTERS = frozenset(("import_module", "__import__", "importorskip"))
# Whole modules whose purpose is to load or run code that is found or made at run time.
_LOADERS = frozenset(
    ("imp", "runpy", "zipimport", "code", "codeop", "_imp", "_frozen_importlib", "_frozen_importlib_external")
)
_IMPORTLIB = frozenset(("import_module", "metadata", "resources"))
_SYS = frozenset(("path", "meta_path", "path_hooks", "modules", "path_importer_cache"))
# Of these modules only the attributes named are refused, and the module may be passed around.
_PARTLY = {
    "pkgutil": frozenset(
        (
            "resolve_name",
            "get_loader",
            "find_loader",
            "get_importer",
            "iter_importers",
            "extend_path",
            "walk_packages",
        )
    ),
    "pydoc": frozenset(("locate", "importfile", "safeimport")),
    "site": frozenset(("addsitedir", "addsitepackages", "addusersitepackages")),
}
# These three may be used only by a literal attribute: a bare use could be the start of an alias.
_GUARDED = frozenset(("sys", "builtins", "importlib"))
_TRACKED = _GUARDED | _PARTLY.keys()
_REFLECTION = frozenset(("__dict__", "__getattribute__"))
_DUNDER_NAMES = frozenset(("__builtins__", "__loader__", "__spec__", "__path__"))
_DUNDER_STORES = _DUNDER_NAMES | {"__package__", "__name__"}
_ATTRIBUTES = frozenset(
    {"__builtins__", "__loader__", "__globals__", "__subclasses__", "f_builtins", "f_globals"}
    | {"meta_path", "path_hooks", "path_importer_cache", "syspath_prepend"}
)
# Strings that patching and lookup functions would resolve to one of the above.
STRINGS = frozenset(
    {f"sys.{name}" for name in _SYS}
    | {f"builtins.{name}" for name in _RUNNERS | {"__import__"}}
    | {"__builtins__", "__import__", "__loader__", "importlib.import_module"}
)
_COMPONENT = re.compile(r"[^./\\\0]+(?:\.[^./\\\0]+)*")
_FROM = re.compile(rb"from[\s\\.]+(.*?)(?<=[\s\\.])import(?=[\s\\(*])", re.DOTALL)
_AS = re.compile(rb"[\s\\)]as[\s\\]")


class Judge:
    """Reads what one pass collected. After `run`, `imports`, `problems` and `renamed` hold the outcome."""

    def __init__(self, found: Collected, lines: list[bytes], ascii_only: bool) -> None:
        self.found = found
        self.lines = lines
        self.ascii_only = ascii_only
        self.imports: list[Import] = []
        self.problems: list[SourceProblem] = []
        self.renamed: list[SourceProblem] = []
        self.modules = {name: name for name in _GUARDED}
        self.importers = {name: name for name in _IMPORTERS}

    def run(self) -> None:
        """Judge imports first: they decide which names stand for what."""
        found = self.found
        for node, scope in found.imports:
            self.imported(node, scope)
        watched = _RUNNERS | _DUNDER_STORES | self.modules.keys() | self.importers.keys()
        for name in found.names:
            if name.id in watched:
                self.name(name)
        for attribute, bare in found.attributes:
            self.attribute(attribute, bare)
        for base in found.bases:
            if base.id in _RUNNERS or base.id in _DUNDER_NAMES or base.id in self.importers:
                self.refuse(base, f"an attribute of {base.id} reaches code that the text does not name")
        for string in found.strings:
            self.refuse(
                string,
                f"the string {quoted(str(string.value))} names a way to code that the text does not name",
            )

    def column(self, line: int, offset: int) -> int:
        """The 1-based column, in characters, of a byte offset into a line."""
        if self.ascii_only or line > len(self.lines):
            return offset + 1
        return len(self.lines[line - 1][:offset].decode("utf-8", "replace")) + 1

    def refuse(self, node: Any, message: str, rule: str = UNDECIDABLE) -> None:
        """Record a problem at the node's position."""
        self.problems.append(SourceProblem(rule, node.lineno, self.column(node.lineno, node.col_offset), message))

    # -- import statements

    def imported(self, node: ast.Import | ast.ImportFrom, scope: int) -> None:
        line, column = node.lineno, self.column(node.lineno, node.col_offset)
        if not self.ascii_only:
            self.spelling(node)
        if isinstance(node, ast.ImportFrom):
            module, level = node.module or "", node.level or 0
            if self.sized(node, module):
                self.imports.append(Import(level, module, tuple([alias.name for alias in node.names]), line, column))
            if level or not self.whole(node, module):
                for alias in node.names:
                    self.taken(alias, module if level == 0 else "", scope)
            return
        for alias in node.names:
            if self.sized(alias, alias.name):
                self.imports.append(Import(0, alias.name, (), line, column))
            if not self.whole(alias, alias.name) and alias.name in _TRACKED:
                self.track(self.modules, alias, alias.name, scope)

    def sized(self, node: Any, module: str) -> bool:
        if module.count(".") < MAX_COMPONENTS:
            return True
        self.refuse(node, f"a module name of more than {MAX_COMPONENTS} parts is not followed")
        return False

    def whole(self, node: Any, module: str) -> bool:
        """Refuse a module that may not be imported at all; whether it was."""
        first, _, rest = module.partition(".")
        refused = first in _LOADERS or (
            first == "importlib" and rest != "" and rest.partition(".")[0] not in ("metadata", "resources")
        )
        if refused:
            self.refuse(node, f"{quoted(module)} loads code that the text does not name")
        return refused

    def taken(self, alias: ast.alias, module: str, scope: int) -> None:
        """Judge one name of a ``from`` import."""
        name = alias.name
        if module in _TRACKED and (name == "*" or _refused(module, name)):
            self.refuse(alias, f"{quoted(name)} of {module} reaches code that the text does not name")
        elif name in _GUARDED:
            self.track(self.modules, alias, name, scope)
        elif name in _IMPORTERS:
            self.track(self.importers, alias, name, scope)
        elif name in _DUNDER_NAMES:
            self.refuse(alias, f"{name} reaches code that the text does not name")

    def track(self, table: dict[str, str], alias: ast.alias, target: str, scope: int) -> None:
        bound = alias.asname or target
        table[bound] = target
        if bound == target:
            return
        if scope == CLASS:
            self.refuse(alias, f"{target} under another name in a class can be reached unseen")
        elif scope != INNER or self.found.bindings.get(bound):
            line, column = alias.lineno, self.column(alias.lineno, alias.col_offset)
            message = f"a file that others import gives {target} another name, {quoted(bound)}"
            self.renamed.append(SourceProblem(UNDECIDABLE, line, column, message))

    def spelling(self, node: ast.Import | ast.ImportFrom) -> None:
        """Refuse names that are not ASCII as written: Python folds them (NFKC) and imports others."""
        for alias in node.names:
            written = self.segment(alias)
            if alias.asname is not None:
                written = _AS.split(written, maxsplit=1)[0]
            if not written.isascii():
                self.refuse(alias, f"the imported name {quoted(written.decode())} is not ASCII", DISGUISED)
        if isinstance(node, ast.ImportFrom) and node.module:
            head = _FROM.match(self.segment(node))
            if head is None or not head.group(1).isascii():
                self.refuse(node, "the name of the imported module is not ASCII", DISGUISED)

    def segment(self, node: Any) -> bytes:
        """The source text of a node."""
        first, last = int(node.lineno) - 1, int(node.end_lineno) - 1
        if first == last:
            return bytes(self.lines[first][node.col_offset : node.end_col_offset])
        middle = self.lines[first + 1 : last]
        return b"\n".join([self.lines[first][node.col_offset :], *middle, self.lines[last][: node.end_col_offset]])

    # -- uses

    def name(self, node: ast.Name) -> None:
        name = node.id
        if not isinstance(node.ctx, ast.Load):
            if name in _DUNDER_STORES:
                self.refuse(node, f"setting {name} changes what is imported")
        elif name in _RUNNERS:
            self.refuse(node, f"{name} runs code that is not in the text")
        elif name in _DUNDER_NAMES:
            self.refuse(node, f"{name} reaches code that the text does not name")
        elif name in self.importers:
            self.importer(node, self.importers[name])
        elif name in self.modules:
            self.bare_module(node, self.modules[name])

    def attribute(self, node: ast.Attribute, bare: bool) -> None:
        attr, base = node.attr, node.value
        module = None
        if isinstance(base, ast.Name):
            module = self.modules.get(base.id)
        elif isinstance(base, ast.Attribute) and base.attr in _GUARDED:
            module = base.attr
        if module is not None and _refused(module, attr):
            self.refuse(node, f"{module}.{attr} reaches code that the text does not name")
        elif attr in _ATTRIBUTES:
            self.refuse(node, f"the attribute {attr} reaches code that the text does not name")
        elif attr in _IMPORTERS:
            self.importer(node, attr)
        elif attr == "__path__" and not (bare and isinstance(node.ctx, ast.Load)):
            self.refuse(node, "changing __path__ changes what is imported")
        elif bare and attr in _GUARDED and isinstance(node.ctx, ast.Load):
            self.bare_module(node, attr)

    def bare_module(self, node: Any, module: str) -> None:
        looked_up = self.found.lookups.get(id(node))
        if looked_up is None:
            if module in _GUARDED:
                self.refuse(node, f"{module} is used without naming its attribute, so what is reached is open")
        elif _refused(module, looked_up) or looked_up in _IMPORTERS:
            self.refuse(node, f"{module}.{looked_up} reaches code that the text does not name")

    def importer(self, node: Any, function: str) -> None:
        """A use of ``import_module`` and the like: a direct call with one plain literal is an import."""
        call = self.found.calls.get(id(node))
        if call is None or ((len(call.args) > 1 or call.keywords) and function != "importorskip"):
            self.refuse(node, f"{function} is used other than by a direct call with one literal name")
            return
        self.literal(call.args[0], function)

    def literal(self, node: ast.expr, function: str) -> None:
        """Read a string constant as an import, if it is one token whose bytes are its value."""
        value = node.value if isinstance(node, ast.Constant) else None
        if not isinstance(value, str):
            self.refuse(node, f"{function} takes a name that is not a literal")
            return
        spelled = value.encode("utf-8", "surrogatepass")
        written = self.segment(node).lstrip(b"rRuU")
        if not any(written == quote + spelled + quote for quote in (b'"', b"'", b'"""', b"'''")):
            self.refuse(node, f"{function} takes a name with escapes, or of several strings")
        elif not value.isascii():
            self.refuse(node, f"the imported name {quoted(value)} is not ASCII", DISGUISED)
        elif value.startswith(".") or not _COMPONENT.fullmatch(value):
            self.refuse(node, f"{function} takes {quoted(value)}, which is not an absolute module name")
        elif self.sized(node, value) and not self.whole(node, value):
            column = self.column(node.lineno, node.col_offset)
            self.imports.append(Import(0, value, (), node.lineno, column))
            # The call returns the module itself, and nothing says under which name it goes on.
            # (Of a dotted name, __import__ returns the first part.)
            first, _, rest = value.partition(".")
            if first in _GUARDED and (not rest or function == "__import__"):
                self.refuse(node, f"{function} gives {value} a name that the text does not show")


def _refused(module: str, name: str) -> bool:
    if name in _REFLECTION or name in ("__loader__", "__spec__", "__builtins__"):
        return True
    if module == "importlib":
        return name not in _IMPORTLIB and name not in ("__name__", "__file__", "__doc__")
    if module == "builtins":
        return name in _RUNNERS
    return name in (_SYS if module == "sys" else _PARTLY.get(module, ()))


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

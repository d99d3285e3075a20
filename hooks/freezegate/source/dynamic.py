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
from freezegate.source.reaching import (
    ATTRIBUTES,
    CLOSED,
    DUNDER_NAMES,
    DUNDER_STORES,
    GUARDED,
    HOMONYMS,
    IMPORTERS,
    INNARDS,
    LOADER_NAMES,
    LOADERS,
    PATCHERS,
    QUIET,
    READERS,
    RESOURCES,
    RUNNERS,
    TRACKED,
    refused,
)
from freezegate.text import quoted

# A dotted name of more parts than this is nobody's module, and following it costs.
MAX_COMPONENTS = 64

_COMPONENT = re.compile(r"[^./\\\0]+(?:\.[^./\\\0]+)*")
_TEXT_RUNNERS = frozenset(("exec", "eval"))
_ATTRIBUTE_MODULES = frozenset(name.rpartition(".")[2] for name in TRACKED) - HOMONYMS
_TELLING = ATTRIBUTES | IMPORTERS | READERS | GUARDED | _TEXT_RUNNERS | {"resources"}
_FROM = re.compile(rb"from[\s\\.]+(.*?)(?<=[\s\\.])import(?=[\s\\(*])", re.DOTALL)
# The package around a file, and a module at hand: what importlib.resources opens of them is imported already.
_AT_HAND = re.compile(rb"\(\s*(\w+)\s*[,)]")
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
        self.modules = {name: name for name in GUARDED}
        self.importers = {name: name for name in IMPORTERS}
        self.namers = PATCHERS | READERS
        self.bound: set[str] = set()  # by an import statement
        self.handy = {"__name__", "__package__"}  # of these, what holds a module itself
        self.watched = INNARDS | {node.name for node in found.functions}

    def run(self) -> None:
        """Judge imports first: they decide which names stand for what."""
        found = self.found
        for node, scope in found.imports:
            self.imported(node, scope)
        watched = RUNNERS | DUNDER_STORES | self.modules.keys() | self.importers.keys() | {"globals"}
        for name in found.names:
            if name.id in watched:
                self.name(name)
        # Most attributes and calls concern nothing here: they are passed over without a call.
        telling = _TELLING | self.watched
        modules, name_node, attribute_node = self.modules, ast.Name, ast.Attribute
        for attribute, bare in found.attributes:
            base: Any = attribute.value
            if (
                attribute.attr in telling
                or (base.__class__ is name_node and base.id in modules)
                or (base.__class__ is attribute_node and base.attr in _ATTRIBUTE_MODULES)
            ):
                self.attribute(attribute, bare)
        namers = self.namers
        for call in found.calls.values():
            function: Any = call.func
            kind = function.__class__
            called = function.attr if kind is attribute_node else function.id if kind is name_node else ""
            if called in namers or (called in ("dict", "multiple") and _is_patch(function)):
                self.named(call.args[0])
        for base in found.bases:
            if base.id in RUNNERS or base.id in DUNDER_NAMES or base.id in self.importers:
                self.refuse(base, f"an attribute of {base.id} reaches code that the text does not name")
        self.rebound()
        for string in found.strings:
            self.refuse(
                string,
                f"the string {quoted(str(string.value))} names a way to code that the text does not name",
            )

    def rebound(self) -> None:
        """Count what binds module names without spelling them as names; refuse it for names that steer imports."""
        found = self.found
        for name in found.set_names:
            if name in INNARDS:
                found.rebinds = True
            elif name in self.watched:
                found.bindings[name] += 1
        if not self.bound.isdisjoint(found.viewed):
            found.rebinds = True
        for name in DUNDER_STORES & found.bindings.keys():
            if not any(node.id == name for node in found.names):
                message = f"setting {name} changes what is imported"
                self.problems.append(SourceProblem(UNDECIDABLE, 1, 1, message))

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
        for alias in node.names:
            bound = alias.asname or alias.name.partition(".")[0]
            self.bound.add(bound)
            if alias.asname in DUNDER_STORES or alias.asname == "__all__":
                self.refuse(alias, f"setting {alias.asname} changes what is imported")
        if isinstance(node, ast.ImportFrom):
            module, level = node.module or "", node.level or 0
            if self.sized(node, module):
                self.imports.append(Import(level, module, tuple([alias.name for alias in node.names]), line, column))
            if level or not self.whole(node, module):
                for alias in node.names:
                    self.taken(alias, module if level == 0 else "", scope)
            return
        for alias in node.names:
            self.handy.add(alias.asname or alias.name.partition(".")[0])
            if self.sized(alias, alias.name):
                self.imports.append(Import(0, alias.name, (), line, column))
            if not self.whole(alias, alias.name) and alias.name in TRACKED:
                self.track(self.modules, alias, alias.name, scope)

    def sized(self, node: Any, module: str) -> bool:
        if module.count(".") < MAX_COMPONENTS:
            return True
        self.refuse(node, f"a module name of more than {MAX_COMPONENTS} parts is not followed")
        return False

    def whole(self, node: Any, module: str) -> bool:
        """Refuse a module that may not be imported at all; whether it was."""
        first, _, rest = module.partition(".")
        refused = first in LOADERS or (
            first == "importlib" and rest != "" and rest.partition(".")[0] not in ("metadata", "resources")
        )
        if refused:
            self.refuse(node, f"{quoted(module)} loads code that the text does not name")
        return refused

    def taken(self, alias: ast.alias, module: str, scope: int) -> None:
        """Judge one name of a ``from`` import."""
        name = alias.name
        if module in TRACKED and (name == "*" or refused(module, name)):
            self.refuse(alias, f"{quoted(name)} of {module} reaches code that the text does not name")
        elif name == "resources" and module == "importlib":
            self.track(self.modules, alias, RESOURCES, scope)
        elif name in READERS and module.startswith((RESOURCES, "importlib_resources")):
            self.track(self.importers, alias, name, scope)
        elif name in LOADER_NAMES and module:
            self.refuse(alias, f"{quoted(name)} of {module} loads code that the text does not name")
        elif name in GUARDED or (module and name in TRACKED and name not in HOMONYMS):
            self.track(self.modules, alias, name, scope)
        elif name in IMPORTERS:
            self.track(self.importers, alias, name, scope)
        elif name in DUNDER_NAMES:
            self.refuse(alias, f"{name} reaches code that the text does not name")
        elif alias.asname is not None and name in self.namers:
            self.namers |= {alias.asname}

    def track(self, table: dict[str, str], alias: ast.alias, target: str, scope: int) -> None:
        bound = alias.asname or alias.name
        table[bound] = target
        if bound == target or target in QUIET:
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
            if name in DUNDER_STORES:
                self.refuse(node, f"setting {name} changes what is imported")
        elif name in RUNNERS:
            self.refuse(node, f"{name} runs code that is not in the text")
        elif name in DUNDER_NAMES:
            self.refuse(node, f"{name} reaches code that the text does not name")
        elif name == "globals":
            if id(node) not in self.found.spaces:
                self.found.rebinds = True
        elif name in self.importers:
            self.importer(node, self.importers[name])
        elif name in self.modules:
            self.bare_module(node, self.modules[name])

    def attribute(self, node: ast.Attribute, bare: bool) -> None:
        attr, base = node.attr, node.value
        module = None
        if isinstance(base, ast.Name):
            module = self.modules.get(base.id)
        elif isinstance(base, ast.Attribute) and base.attr in _ATTRIBUTE_MODULES:
            module = self.chained(base)
        if module is not None and refused(module, attr):
            self.refuse(node, f"{module}.{attr} reaches code that the text does not name")
        elif attr in ATTRIBUTES:
            self.refuse(node, f"the attribute {attr} reaches code that the text does not name")
        elif attr in IMPORTERS or (module == RESOURCES and attr in READERS):
            self.importer(node, attr)
        elif attr in _TEXT_RUNNERS:
            # model.eval() runs no text, and exec() of a window none either.
            if not self.after(node).startswith(b"()"):
                self.refuse(node, f"the attribute {attr} runs code that is not in the text")
        elif not bare:
            return
        elif attr in self.watched and not isinstance(node.ctx, ast.Load):
            self.replaced(attr, base)
        elif not isinstance(node.ctx, ast.Load):
            return
        elif attr in GUARDED:
            self.bare_module(node, attr)
        elif attr == "resources" and module == "importlib":
            self.bare_module(node, RESOURCES)

    def chained(self, base: ast.Attribute) -> str | None:
        """The module that an attribute stands for, as the last part of a dotted name."""
        if base.attr in TRACKED:
            return base.attr
        above = base.value
        first = above.attr if isinstance(above, ast.Attribute) else self.modules.get(getattr(above, "id", ""), "")
        dotted = f"{first or getattr(above, 'id', '')}.{base.attr}"
        return dotted if dotted in TRACKED else None

    def replaced(self, attr: str, base: ast.expr) -> None:
        """A store to an attribute that may give a predicate's name another function, or it another body."""
        if attr in INNARDS:
            self.found.rebinds = True
        elif isinstance(base, ast.Name) and base.id in self.bound:
            self.found.bindings[attr] += 1

    def after(self, node: Any) -> bytes:
        """The rest of the line behind a node."""
        return bytes(self.lines[node.end_lineno - 1][node.end_col_offset :])

    def bare_module(self, node: Any, module: str) -> None:
        looked_up = self.found.lookups.get(id(node))
        if looked_up is None:
            if module in CLOSED:
                self.refuse(node, f"{module} is used without naming its attribute, so what is reached is open")
        elif refused(module, looked_up) or looked_up in IMPORTERS:
            self.refuse(node, f"{module}.{looked_up} reaches code that the text does not name")

    def importer(self, node: Any, function: str) -> None:
        """A use of ``import_module`` and the like: a direct call with one plain literal is an import."""
        call = self.found.calls.get(id(node))
        if call is None and function in READERS:
            first = _AT_HAND.match(self.after(node))
            if first is not None and first.group(1).decode() in self.handy:
                return
        more = function == "importorskip" or function in READERS
        if call is None or ((len(call.args) > 1 or call.keywords) and not more):
            self.refuse(node, f"{function} is used other than by a direct call with one literal name")
            return
        self.literal(call.args[0], function)

    def named(self, node: ast.expr) -> None:
        """Read a string as an import where it can be a module's name, or begin with one; else leave it."""
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and all(map(str.isidentifier, value.split("."))):
            self.literal(node, "this call", patched=True)

    def literal(self, node: ast.expr, function: str, patched: bool = False) -> None:
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
        elif self.sized(node, value) and (patched or not self.whole(node, value)):
            column = self.column(node.lineno, node.col_offset)
            self.imports.append(Import(0, value, (), node.lineno, column))
            # The call returns the module itself, and nothing says under which name it goes on.
            # (Of a dotted name, __import__ returns the first part.)
            first, _, rest = value.partition(".")
            if not patched and first in GUARDED and (not rest or function == "__import__"):
                self.refuse(node, f"{function} gives {value} a name that the text does not show")


def _is_patch(function: Any) -> bool:
    """Whether it is ``patch.dict`` or the like."""
    base = getattr(function, "value", None)
    return "patch" in (getattr(base, "attr", ""), getattr(base, "id", ""))

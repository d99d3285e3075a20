"""The functions that judge, screened for what cannot fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from freezegate.errors import CannotJudge
from freezegate.gate.saying import found
from freezegate.paths import RepoPath
from freezegate.source.predicates import function_problem, unscoped_candidates
from freezegate.text import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from freezegate.findings import Finding
    from freezegate.gate.claims import PropertyUnit
    from freezegate.gate.governed import Document, Governed
    from freezegate.gate.scopes import ScopeView
    from freezegate.source.model import Function
    from freezegate.source.vacuity import Why

RULE = "predicate-vacuous"
_SHOWN = 3


class JudgingFunction(NamedTuple):
    """A predicate or oracle function in one tree; `depends` says that its verdict has to depend on its argument."""

    tree: Governed
    path: RepoPath
    name: str
    depends: bool = True

    @property
    def problem(self) -> str | None:
        """Why it cannot be looked at, or None."""
        entry = self.tree.entry(self.path)
        if entry is None or not entry.is_file:
            return f"there is no regular file {self.path}"
        module = self.tree.archive.module(entry.oid)
        if self.depends:
            return function_problem(module, self.name)
        if module.parse_error is not None:
            return f"{self.path} does not parse"
        return None if self.name in module.functions else f"{self.name} is no function that stands directly in the file"

    def whys(self) -> list[Why]:
        """The places that cannot fail; none where it can, or cannot be looked at."""
        from freezegate.source.vacuity import function_vacuities

        if self.problem is not None:
            return []
        return function_vacuities(self.tree.module(self.path), self.name, self._imported, self.depends)

    def findings(self) -> Iterator[Finding]:
        """A finding for each place."""
        hint = f"let {self.name} assert something that it computes from its argument, or take it out"
        for why in self.whys():
            yield found(RULE, self.path, f"{self.name}: {why.why}", hint, why.line, why.column)

    def _imported(self, name: str) -> Function | None:
        """A function that the file imports under its own name, from the one file of its closure which that can be."""
        modules = [each.module for each in self.tree.module(self.path).imports if name in each.names]
        closure = self.tree.closure(self.path)
        if len(modules) != 1 or closure is None:
            return None
        stem = modules[0].rpartition(".")[2].encode("utf-8", "surrogatepass")
        ends = (stem + b".py", stem + b"/__init__.py")
        paths = [path for path in closure.files if path in ends or path.endswith(tuple(b"/" + end for end in ends))]
        if len(paths) != 1:
            return None
        module = self.tree.module(paths[0])
        return module.functions.get(name) if module.bindings.get(name, 0) == 1 and not module.rebinds else None


def predicate_of(view: ScopeView) -> JudgingFunction | None:
    """The function that a scope names; None where its path may not be followed."""
    if view.value is None or view.predicate is None:
        return None
    return JudgingFunction(view.tree, view.predicate, view.value.predicate_function)


def oracle_of(unit: PropertyUnit) -> JudgingFunction | None:
    """The function of a catalog entry's own oracle; None for a scope's predicate, a method, and what is not to be told."""
    oracle = unit.oracle
    if unit.value is None or unit.value.scope is not None or oracle is None:
        return None
    if oracle.function is None or ":" in oracle.function:
        return None
    return JudgingFunction(unit.tree, oracle.path, oracle.function, not oracle.is_node)


def all_functions(tree: Governed) -> list[JudgingFunction]:
    """Every predicate of a scope and every function that is an oracle, by path and name."""
    scopes = map(predicate_of, tree.finder.every())
    oracles = (oracle_of(tree.property_unit(document)) for document in tree.properties)
    functions = {(each.path, each.name): each for each in (*oracles, *scopes) if each is not None}
    return [function for _, function in sorted(functions.items(), key=lambda item: item[0])]


def functions_given(tree: Governed, names: list[str], prefix: bytes) -> list[JudgingFunction]:
    """What words of the command line name: files, folders, scopes, properties; without any, every judging function.

    `prefix` is the folder in which they were typed. Raises CannotJudge for one that names none.
    """
    every = all_functions(tree)
    chosen: dict[tuple[RepoPath, str], JudgingFunction] = {}
    for name in names:
        found = _named(tree, name, prefix, every)
        if not found:
            raise CannotJudge(
                f"{quoted(name)} names no predicate and no function that is an oracle",
                "name a Python file, a folder, a scope or a property; a method of a class is not screened",
            )
        chosen.update(((each.path, each.name), each) for each in found)
    return list(chosen.values()) if names else every


def _named(tree: Governed, name: str, prefix: bytes, every: list[JudgingFunction]) -> list[JudgingFunction]:
    from freezegate.gate.alone import candidates

    for path in candidates(name, prefix):
        view, entry = tree.scope(path), tree.entry(path) if path else None
        if view is not None:
            predicate = predicate_of(view)
            return [] if predicate is None else [predicate]
        if path.endswith(b".py") and entry is not None and entry.is_file:
            known = [each for each in every if each.path == path]
            taken = {each.name for each in known}
            loose = unscoped_candidates(tree.module(path))
            return known + [JudgingFunction(tree, path, other) for other in sorted(loose) if other not in taken]
        if entry is not None and entry.is_file:
            documents = [document for document in tree.properties if document.path == path]
            return _oracles(tree, documents)
        if not path or entry is not None:
            return [each for each in every if each.path.within(path)]
    predicates = (predicate_of(view) for view in tree.scopes_with_id(name))
    return [
        *(each for each in predicates if each is not None),
        *_oracles(tree, tree.properties_by_id.get(name, [])),
    ]


def _oracles(tree: Governed, documents: Iterable[Document]) -> list[JudgingFunction]:
    found = (oracle_of(tree.property_unit(document)) for document in documents)
    return [each for each in found if each is not None]


def note(functions: Iterable[JudgingFunction]) -> Iterator[str]:
    """One sentence about those that cannot fail, if any."""
    void = [f"{each.path}:{each.name}" for each in functions if each.whys()]
    if void:
        more = f" and {len(void) - _SHOWN} more" if len(void) > _SHOWN else ""
        yield f"{', '.join(void[:_SHOWN])}{more} cannot fail: see freezegate lint-predicates"

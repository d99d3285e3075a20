"""What is run for one property in one tree, or why nothing can be."""

from __future__ import annotations

from dataclasses import dataclass, replace

from freezegate.documents.catalog import Property
from freezegate.errors import CannotJudge
from freezegate.gate.archive import DOCUMENT_LIMIT
from freezegate.gate.claims import PropertyUnit
from freezegate.gate.governed import Governed
from freezegate.gate.oracles import oracle_place, oracle_problem
from freezegate.gate.patterns import matches_glob
from freezegate.paths import RepoPath
from freezegate.running.cases import Case, case_in
from freezegate.running.limits import MEMORY
from freezegate.running.seeds import Bounds, bounds, read_lock
from freezegate.running.subject import Subject, import_paths, subject
from freezegate.verdicts.casefiles import Row, Unreadable, rows
from freezegate.verdicts.resting import reached


class Unrunnable(Exception):
    """There is nothing to run for a property; the text says why."""


@dataclass(frozen=True)
class Searched:
    """A scope's predicate: what bounds its search, and the case that is retained for it.

    `before` is the case that was retained where the change began: a patch may not take away what it fails on.
    """

    subject: Subject
    bounds: Bounds
    retained: Case | None
    before: Case | None = None


@dataclass(frozen=True)
class Prepared:
    """One property as it is run in one tree.

    Exactly one holds: `searched` is there (a scope); `node` is the pytest node id; `rows` are judged one by one; or none of
    them, and the function is called with the folder `fixtures`. `loadable` are files outside source that may be loaded
    besides `closure`. `name` stands for the oracle in signatures.
    """

    prop: Property
    name: str
    oracle: RepoPath
    function: str
    closure: tuple[RepoPath, ...]
    loadable: tuple[RepoPath, ...]
    paths: tuple[RepoPath, ...]
    source: tuple[RepoPath, ...]
    fixtures: RepoPath
    top: str
    node: str | None = None
    rows: tuple[Row, ...] = ()
    searched: Searched | None = None

    def job(self, root: str) -> dict[str, object]:
        """What the child is told; `root` is the tree as it sees it."""
        return {
            "kind": "rows",
            "root": root,
            "paths": [path.text for path in self.paths],
            "source_paths": [path.text for path in self.source],
            "predicate": {"path": self.oracle.text, "function": self.function},
            "node": self.node,
            "closure": [path.text for path in self.closure],
            "loadable": [path.text for path in self.loadable],
            "memory": MEMORY,
            "facts": False,
            "elsewhere": [self.top],
        }


def prepared(tree: Governed, prop_id: str, top: str) -> Prepared:
    """The property with this id as `tree` defines it; `top` is the root of the working tree. Raises Unrunnable."""
    documents = tree.properties_by_id.get(prop_id, [])
    if len(documents) != 1:
        raise Unrunnable(f"{'no' if not documents else len(documents)} readable catalog entries have this id")
    unit = tree.property_unit(documents[0])
    prop = unit.value
    assert prop is not None
    if (why := oracle_place(prop, tree.places)) is not None:
        raise Unrunnable(f"the oracle {prop.oracle_path} {why}")
    if (why := oracle_problem(prop, tree)) is not None:
        raise Unrunnable(why)
    if prop.scope is not None:
        return _scope(tree, prop, prop.scope, top)
    return _oracle(tree, unit, prop, top)


def with_case_of(plan: Prepared, base: Governed) -> Prepared:
    """The plan with the case that `base` retains for its scope, where that is another one."""
    if plan.searched is None:
        return plan
    try:
        before = _retained(base, plan.searched.subject)
    except CannotJudge:
        return plan
    if before is None or (plan.searched.retained is not None and before.data == plan.searched.retained.data):
        return plan
    before = replace(before, shown=f"{before.shown} of the base revision")
    return replace(plan, searched=replace(plan.searched, before=before))


def _oracle(tree: Governed, unit: PropertyUnit, prop: Property, top: str) -> Prepared:
    oracle = unit.oracle
    assert oracle is not None
    closure = tree.closure(oracle.path, oracle.is_node)
    assert closure is not None
    function = oracle.function or ""
    found = Prepared(
        prop=prop,
        name=prop.oracle if oracle.is_node else f"{oracle.path.text}:{function}",
        oracle=oracle.path,
        function=function,
        closure=tuple(map(RepoPath, closure.files)),
        loadable=tuple(reached(tree, oracle.path, oracle.is_node)),
        paths=import_paths(tree, oracle.path.parent),
        source=tree.places.source,
        fixtures=tree.places.fixtures,
        top=top,
        node=prop.oracle if oracle.is_node else None,
    )
    if oracle.is_node or _parameter(tree, found) == "fixtures":
        return found
    return replace(found, rows=tuple(_rows(tree, prop)))


def _parameter(tree: Governed, found: Prepared) -> str:
    (name,) = tree.module(found.oracle).functions[found.function].positional_required
    return name


def _rows(tree: Governed, prop: Property) -> list[Row]:
    """Every row of the property's case files, by path. Raises Unrunnable where there is none, or one cannot be read."""
    if prop.cases is None:
        raise Unrunnable("the oracle takes a case, and the catalog entry names neither cases nor a scope")
    found: list[Row] = []
    path = None
    for below, entry in tree.fixture_files:
        if not matches_glob(below, prop.cases):
            continue
        path = tree.places.fixtures.joined(below)
        data = tree.archive.store.blob(entry.oid, DOCUMENT_LIMIT) if entry.is_file else None
        if data is None:
            raise Unrunnable(f"{path} is no regular file of at most {DOCUMENT_LIMIT >> 20} MiB")
        try:
            found += rows(path, data)
        except Unreadable as error:
            raise Unrunnable(str(error)) from None
    if not found:
        why = _no_file(prop.cases, tree.places.fixtures) if path is None else f"{path} holds none"
        raise Unrunnable(f"no row of {tree.places.fixtures}/{prop.cases} is there: {why}")
    return found


def _no_file(cases: str, fixtures: RepoPath) -> str:
    """Why a glob may match nothing: where it is looked for, and what it would be without what it cannot begin or end with."""
    parts = cases.split("/")
    while len(parts) > 1 and parts[0] in ("", ".", ".."):
        del parts[0]
    folder = fixtures.text.split("/")
    if len(parts) > len(folder) and parts[: len(folder)] == folder:
        parts = parts[len(folder) :]
    meant = "/".join([*parts, "*"] if parts[-1] == "**" else parts)
    return f"cases is a glob below {fixtures}/" + (f', so write "{meant}"' if meant != cases else "")


def _scope(tree: Governed, prop: Property, scope: str, top: str) -> Prepared:
    view = tree.scope_named(scope)
    assert view is not None
    try:
        found = subject(view, top)
        more = (path for start in (found.predicate, found.generator) for path in reached(tree, start, False))
        found = replace(found, loadable=tuple(dict.fromkeys((*found.loadable, *more))))
        searched = Searched(found, _bounds(tree, found), _retained(tree, found))
    except CannotJudge as error:
        raise Unrunnable(error.message) from None
    return Prepared(
        prop=prop,
        name=found.predicate_name,
        oracle=found.predicate,
        function=found.function,
        closure=found.closure,
        loadable=found.loadable,
        paths=found.paths,
        source=found.source,
        fixtures=tree.places.fixtures,
        top=top,
        searched=searched,
    )


def _bounds(tree: Governed, found: Subject) -> Bounds:
    entry = tree.entry(found.lock)
    data = tree.archive.store.blob(entry.oid, DOCUMENT_LIMIT) if entry is not None and entry.is_file else None
    lock = read_lock(data, found.lock.text)
    return bounds(found.scope_id, lock, None, None, False, tree.config.policy.max_examples_cap)


def _retained(tree: Governed, found: Subject) -> Case | None:
    document = tree.counterexample(found.scope_id)
    if document is None:
        return None
    data = tree.archive.store.blob(document.entry.oid, DOCUMENT_LIMIT)
    return case_in(data or b"", str(document.path), found.scope_id, found.domain)

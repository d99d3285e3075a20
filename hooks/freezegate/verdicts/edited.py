"""Edited oracles: which properties are defined otherwise than where the change began, and by what.

The side that is judged may not choose its judge. So whatever a property's verdict rests on but source is compared with
the merge base, and where it cannot be told what a property rests on, it counts as edited.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from freezegate.gate.archive import DOCUMENT_LIMIT
from freezegate.gate.claims import PropertyUnit
from freezegate.gate.governed import Document, Governed
from freezegate.gate.oracles import oracle_place
from freezegate.gate.patterns import matches_glob
from freezegate.git.entry import Entry
from freezegate.paths import RepoPath
from freezegate.source.closure import Closure
from freezegate.text import escape
from freezegate.verdicts.casefiles import Unreadable, rows
from freezegate.verdicts.pytest_settings import settings
from freezegate.verdicts.resting import distributions, reached, served


def edited(
    head: Governed, fork: Governed, base: Governed, freezes_apply: Callable[[str], bool]
) -> dict[str, tuple[str, ...]]:
    """Each edited property by id, with what voids it: repository paths, or what cannot be told about one; sorted.

    `fork` is the merge base of `base` and `head`. A property for which a freeze applies must be the same in `base`
    too: there its failure was reproduced. Of the properties that head or fork claims or has in its catalog.
    """
    ids = {*head.claims, *fork.claims, *head.properties_by_id, *fork.properties_by_id}
    found = {}
    for prop_id in sorted(ids):
        voided = moved(prop_id, fork, head)
        if base is not fork and freezes_apply(prop_id):
            voided |= moved(prop_id, fork, base)
        if voided:
            found[prop_id] = tuple(sorted(voided))
    return found


def moved(prop_id: str, old: Governed, new: Governed) -> set[str]:
    """What of a property differs between two trees, or keeps that from being told; empty where it is the same."""
    before, after = _Rests(prop_id, old), _Rests(prop_id, new)
    voided = before.doubts | after.doubts
    different = [
        path for path in before.parts.keys() | after.parts.keys() if before.parts.get(path) != after.parts.get(path)
    ]
    # An edit may add or drop an import: then the imported file is none of the edits, unless nothing else tells.
    touched = [path for path in different if old.entry(path) != new.entry(path)]
    voided.update(str(path) for path in touched or different)
    # What source reaches no more judges nothing any more.
    voided.update(str(path) for path, entry in after.reached.items() if before.reached.get(path, ()) != entry)
    for name in before.served.keys() & after.served.keys():
        (had, earlier), (has, later) = before.served[name], after.served[name]
        if had != has:
            voided.add(str(later if has else earlier))
    return voided.union(*(_moved_rows(unit, new) | _moved_data(unit, new) for unit in before.units))


class _Rests:
    """What a property rests on in one tree: paths with what is there, and what cannot be told."""

    def __init__(self, prop_id: str, tree: Governed) -> None:
        self.tree = tree
        self.parts: dict[RepoPath, object] = {}
        self.doubts: set[str] = set()
        self.reached: dict[RepoPath, Entry | None] = {}
        self.served: dict[str, tuple[int, RepoPath]] = {}
        documents = tree.properties_by_id.get(prop_id, [])
        self.units = [tree.property_unit(document) for document in documents]
        for document in documents:
            self._entry(document, len(documents) > 1)
        for unit in self.units:
            self._oracle(unit)
            self._scope(unit)

    def _entry(self, document: Document, shared: bool) -> None:
        self.parts[document.path] = document.entry
        if shared:
            self.doubts.add(str(document.path))

    def _oracle(self, unit: PropertyUnit) -> None:
        if unit.oracle is not None:
            self._python(unit.oracle.path, unit.oracle.is_node)
            if unit.oracle.is_node:
                self.parts.update(settings(self.tree, unit.oracle.path))
                self.parts.update(distributions(self.tree, unit.oracle.path))
        elif unit.value is not None:
            why = oracle_place(unit.value, self.tree.places)
            self.doubts.add(f"{unit.document.path}: the oracle {escape(unit.value.oracle)} {why}")

    def _scope(self, unit: PropertyUnit) -> None:
        if unit.value is None or unit.value.scope is None:
            return
        view = self.tree.scope_named(unit.value.scope)
        if view is None:
            self._file(RepoPath.of(unit.value.scope))
            return
        self._file(view.path)
        for name in view.named:
            if name.path is None:
                self.doubts.add(f"{view.path}: {escape(name.text)} {name.refused}")
            elif name.pointer in (("predicate",), ("generator",)):
                self._python(name.path, False)
            else:
                self._file(name.path)

    def _file(self, path: RepoPath) -> None:
        self.parts[path] = self.tree.entry(path)
        obstruction = self.tree.snapshot.obstruction(path)
        if obstruction is not None:
            self.parts[obstruction[0]] = obstruction[1]

    def _python(self, path: RepoPath, is_node: bool) -> None:
        self._file(path)
        closure = self.tree.closure(path, is_node)
        if closure is None:
            return
        for other, entry in closure.files.items():
            self.parts[RepoPath(other)] = entry
        for other in (*closure.shadows, *closure.links):
            self.parts[RepoPath(other)] = self.tree.entry(other)
        self.reached |= reached(self.tree, path, is_node)
        self.served |= served(self.tree, path, is_node)
        self.doubts.update(_doubts(closure))
        if (error := self.tree.module(path).parse_error) is not None:
            self.doubts.add(f"{path}, line {error[0]}: {escape(error[2])}")


def _doubts(closure: Closure) -> Iterator[str]:
    """Why more may belong to a closure than its files."""
    for path, problem in closure.problems:
        yield f"{RepoPath(path)}, line {problem.line}: {escape(problem.message)}"
    for path in (*closure.shadows, *closure.links):
        yield str(RepoPath(path))


def _moved_rows(unit: PropertyUnit, new: Governed) -> set[str]:
    """The case files of a property whose rows are not all, and in their order, in the new tree."""
    if unit.value is None or unit.value.cases is None:
        return set()
    voided = set()
    for below, entry in unit.tree.fixture_files:
        if matches_glob(below, unit.value.cases):
            path = unit.tree.places.fixtures.joined(below)
            after = new.entry(path)
            if after != entry and not _keeps_rows(path, unit.tree, entry, new, after):
                obstruction = new.snapshot.obstruction(path)
                voided.add(str(path if obstruction is None else obstruction[0]))
    return voided


def _moved_data(unit: PropertyUnit, new: Governed) -> set[str]:
    """What an oracle may read besides, and finds changed or gone: the fixtures that it is given as a whole, and files beside
    it that are no Python. One that is added is no edit."""
    if unit.value is None or unit.oracle is None:
        return set()
    old, places = unit.tree, unit.tree.places
    data: dict[RepoPath, Entry] = {}
    if unit.value.cases is None and unit.value.scope is None and not unit.oracle.is_node:
        data.update((places.fixtures.joined(below), entry) for below, entry in old.fixture_files)
    if unit.oracle.path.below(places.oracles):
        beside = old.snapshot.walk(unit.oracle.path.parent)
        data.update((path, entry) for path, entry in beside if not path.endswith(b".py") and not _is_note(path))
    return {str(path) for path, entry in data.items() if new.entry(path) != entry}


def _is_note(path: RepoPath) -> bool:
    return path.name.startswith((b"README", b".git"))


def _keeps_rows(path: RepoPath, old: Governed, before: Entry, new: Governed, after: Entry | None) -> bool:
    if after is None or not after.is_file or before.mode != after.mode:
        return False
    try:
        had, has = _texts(path, old, before), _texts(path, new, after)
    except Unreadable:
        return False
    left = iter(has)
    return all(row in left for row in had)


def _texts(path: RepoPath, tree: Governed, entry: Entry) -> list[str]:
    """The rows as text: 1, 1.0 and true are three values, and the order of keys is what a predicate would see."""
    data = tree.archive.store.blob(entry.oid, DOCUMENT_LIMIT)
    if data is None:
        raise Unreadable(path, 1, "is larger than a document may be")
    return [_text(row.input) for row in rows(path, data)]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=True)

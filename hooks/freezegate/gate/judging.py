"""Which units a change touched, and the rules run over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

from freezegate.findings import DOCUMENT_KINDS, Finding
from freezegate.gate.claims import (
    CatalogSet,
    ClaimsUnit,
    ClaimUnit,
    EntryUnit,
    LedgerUnit,
    PropertyUnit,
)
from freezegate.gate.fixtures import FixtureFile, FixtureRoot
from freezegate.gate.functions import CaseFunction
from freezegate.gate.governed import CONFIG_PATH, SCOPE_SUFFIX, Governed
from freezegate.gate.layout import ConfigUnit, Flaw, FolderUnit, file_flaws, place_flaws
from freezegate.gate.library import Library
from freezegate.gate.narrow import touched_scopes
from freezegate.gate.registry import for_unit
from freezegate.gate.rules.predicate_scope import predicate_moved
from freezegate.gate.scopes import ScopeView
from freezegate.gate.sets import Collision, IdSet, collisions
from freezegate.gate.step import Step
from freezegate.git.change import Change
from freezegate.git.snapshot import Delta
from freezegate.paths import RepoPath
from freezegate.source.predicates import unscoped_candidates


class Judge:
    """One evaluation: units in, findings and the set of verified documents out.

    A state rule passes over a unit that equals one old side's. A change rule judges a subject only where it differs
    from that of every old side, once for each of them.
    """

    def __init__(
        self,
        new: Governed,
        old: tuple[Governed, ...],
        deltas: tuple[Delta, ...],
        change: Change,
        library: Library,
        verify_all: bool,
    ) -> None:
        self.new = new
        self.old = old
        self.steps = tuple(Step(side, new, delta, change.known) for side, delta in zip(old, deltas, strict=True))
        self.library = library
        self.all = verify_all or not old
        self.findings: set[Finding] = set()
        self.checked: dict[str, set[RepoPath]] = {kind: set() for kind in DOCUMENT_KINDS}
        self._few: set[RepoPath] | None = None
        # A unit that equals one old side's is passed over, so what the smallest step touched is enough to look at.
        self._delta: Delta = min(deltas, key=len, default={})

    def narrow(self, threshold: int) -> None:
        """In a large tree, find what a small change touched by searching, and read no other document."""
        if self.all or not self.new.binding_on or not self.new.has_many_properties(threshold):
            return
        for tree in (self.new, *self.old):
            tree.finder.narrow = True
        self._few = touched_scopes(self.new, (self.new, *self.old), self._delta)
        if self._few is None:
            for tree in (self.new, *self.old):
                tree.finder.narrow = False

    # -- running rules

    def _state(self, unit: str, value: Any) -> None:
        for check in for_unit(unit, change=False):
            self.findings.update(check(value))

    def _change(self, unit: str, value: Any, steps: Iterable[Step] | None = None) -> None:
        for step in self.steps if steps is None else steps:
            for check in for_unit(unit, change=True):
                self.findings.update(check(value, step))

    def _fresh(self, unit: Any, elsewhere: Callable[[Governed], Any]) -> bool:
        """Whether a unit is to be verified: `elsewhere` gives the same unit of an old side, or None."""
        return self.all or all((twin := elsewhere(side)) is None or twin.key != unit.key for side in self.old)

    def _saw(self, kind: str, path: RepoPath | None) -> None:
        if path is not None:
            self.checked[kind].add(path)

    def judge_everything(self) -> None:
        """Every kind of unit but config and folders."""
        if self.new.binding_on:
            self._judge_scopes()
            self._judge_bindings()
            self._judge_functions()
            self._judge_removed_scopes()
        if self.new.verdict_on:
            self._judge_fixtures()
            self._judge_catalog()
            self._judge_ledger()
            self._judge_claims()
        self._judge_layout()
        self._judge_collisions()
        for path in self._changed(lambda path: True):
            self._change("file step", path)

    def _changed(self, wanted: Callable[[RepoPath], bool]) -> list[RepoPath]:
        """Paths that differ from every old side."""
        return [path for path in self._delta if wanted(path) and all(path in step.delta for step in self.steps)]

    # -- the tree itself

    def judge_config(self, unit: ConfigUnit, *twins: ConfigUnit) -> None:
        """The new side's config against those of the old sides."""
        if self.all or all(unit.key != twin.key for twin in twins[: len(self.old)]):
            self._state("config", unit)
            self._saw("config", CONFIG_PATH if unit.entry is not None else None)

    def judge_folders(self, folders: Iterable[RepoPath]) -> None:
        """Tree objects of folders that a range or push changed: what an old side does not have as well."""
        for path in folders:
            flaws = self.new.snapshot.flaws(path)
            if flaws and not any(list(side.snapshot.flaws(path)) == list(flaws) for side in self.old):
                self._state("folder", FolderUnit(path, flaws))

    def _judge_layout(self) -> None:
        for flaw in self._flaws(self.new):
            if self.all or all(flaw not in known for known in self._old_flaws):
                self._state("layout", flaw)

    @cached_property
    def _old_flaws(self) -> list[set[Flaw]]:
        return [set(self._flaws(side)) for side in self.old]

    def _flaws(self, tree: Governed) -> Iterator[Flaw]:
        yield from place_flaws(tree)
        if self.all:
            places = tree.places
            folders = (places.properties, places.bindings, places.freezes) if tree.binding_on else ()
            walks = (tree.snapshot.walk(folder) for folder in (*folders, places.catalog))
            yield from file_flaws(tree, chain.from_iterable(walks))
        else:
            entries = ((path, tree.entry(path)) for path in self._delta)
            yield from file_flaws(tree, ((path, entry) for path, entry in entries if entry is not None))

    def _judge_collisions(self) -> None:
        snapshot = self.new.snapshot
        if self.all:
            whole = chain.from_iterable(snapshot.folders(place) for place in self.new.governed_places)
            folders = set(whole)
        else:
            places = self.new.governed_places
            folders = {
                folder
                for path in self._delta
                for folder in path.ancestors()
                if any(folder.within(place) for place in places)
            }
        for collision in collisions(snapshot, sorted(folders)):
            known = (_same_collision(side, collision) for side in self.old)
            if self.all or not any(known):
                self._state("set", collision)

    # -- the binding half

    def _scopes(self) -> Iterator[ScopeView]:
        if self._few is not None:
            paths = sorted(self._few)
            self.new.prefetch(paths)
            yield from (view for path in paths if (view := self.new.scope(path)) is not None)
        else:
            yield from self.new.finder.every()

    def _judge_scopes(self) -> None:
        for view in self._scopes():
            path = view.path
            if self._fresh(view, lambda side, path=path: side.scope(path)):  # type: ignore[misc]
                self._saw("scope", path)
                self._state("scope", view)
                self._state("scope or fixtures", view)
                for closure in (view.predicate_closure, self.new.closure(view.generator)):
                    if closure is not None:
                        self._state("closure", closure)
                self._judge_id(view)
            if self._moved_from_all(view):
                for step in self.steps:
                    self.findings.update(predicate_moved(view, step))

    def _moved_from_all(self, view: ScopeView) -> bool:
        """Whether the scope and its predicate's closure differ, as one subject, from those of every old side."""

        def subject(scope: ScopeView) -> object:
            return (scope.path, scope.entry, scope.tree.closure_key(scope.predicate))

        twins = [side.scope(view.path) for side in self.old]
        return bool(self.old) and all(twin is None or subject(twin) != subject(view) for twin in twins)

    def _judge_id(self, view: ScopeView) -> None:
        if view.value is not None:
            ids = IdSet(self.new, view.value.scope_id)
            if len(ids.holders) > 1 and self._fresh(ids, lambda side: IdSet(side, ids.scope_id)):
                self._state("set", ids)

    def _bound_ids(self) -> set[str]:
        if self._few is None:
            return set(self.new.bound_ids())
        ids = {scope_id for path in self._delta if (scope_id := self.new.id_in_name(path)) is not None}
        for tree in (self.new, *self.old):
            touched = {*self._few, *(path for path in self._delta if path.endswith(SCOPE_SUFFIX))}
            views = (tree.scope(path) for path in touched)
            ids |= {view.value.scope_id for view in views if view is not None and view.value is not None}
        return ids

    def _judge_bindings(self) -> None:
        ids = sorted(self._bound_ids())
        tree = self.new
        places = (tree.record_path, tree.case_path, tree.citation_path)
        tree.prefetch(place(scope_id) for scope_id in ids for place in places)
        for scope_id in ids:
            binding = tree.binding(scope_id)
            if self._fresh(binding, lambda side, scope_id=scope_id: side.binding(scope_id)):  # type: ignore[misc]
                self._saw("record", binding.record.path if binding.record is not None else None)
                self._saw("counterexample", binding.case.path if binding.case is not None else None)
                self._state("binding", binding)
            if binding.citation is not None:
                key = binding.citation_key
                if self.all or all(side.binding(scope_id).citation_key != key for side in self.old):
                    self._saw("citation", binding.citation.path)
                    self._state("citation", binding)
                entries = [side.entry(binding.citation.path) for side in self.old]
                if binding.citation.entry not in entries:
                    self._change("citation step", binding)

    def _judge_functions(self) -> None:
        """Test functions of property files that are new, or have another body, against every old side."""
        folder = self.new.places.properties
        for path in self._changed(lambda path: path.below(folder) and path.endswith(b".py")):
            now = self._candidates(self.new, path)
            before = [self._candidates(side, path) for side in self.old]
            for name, function in now.items():
                if all(name not in each or each[name].body != function.body for each in before):
                    self._change("function", CaseFunction(path, function))

    def _candidates(self, tree: Governed, path: RepoPath) -> dict[str, Any]:
        entry = tree.entry(path)
        if entry is None or not entry.is_file:
            return {}
        return unscoped_candidates(self.library.module(entry.oid))

    def _judge_removed_scopes(self) -> None:
        """Scope ids of an old side whose scope is not the new tree's: where it differs from every old side's."""

        def subject(tree: Governed, scope_id: str) -> object:
            view = tree.scope_of(scope_id)
            return None if view is None else (view.path, view.entry)

        folder = self.new.places.properties
        for step in self.steps:
            for path in step.delta:
                view = step.old.scope(path) if path.endswith(SCOPE_SUFFIX) and path.below(folder) else None
                if view is not None and view.value is not None:
                    scope_id = view.value.scope_id
                    now = subject(self.new, scope_id)
                    if all(subject(side, scope_id) != now for side in self.old):
                        self._change("old scope id", view, [step])

    # -- the verdict half

    def _judge_fixtures(self) -> None:
        root = FixtureRoot(self.new)
        if self.new.has_claims_or_freezes and self._fresh(root, FixtureRoot):
            self._state("scope or fixtures", root)
        folder = self.new.places.fixtures
        if self.all:
            files = self.new.fixture_files
        else:
            changed = self._changed(lambda path: path.below(folder))
            entries = ((path, self.new.entry(path)) for path in changed)
            files = [(RepoPath(path[len(folder) + 1 :]), entry) for path, entry in entries if entry is not None]
        for file in FixtureFile.all_of(self.new, files):
            self._state("scope or fixtures", file)

    def _judge_catalog(self) -> None:
        for document in self.new.properties:
            unit = PropertyUnit(self.new, document)
            path = document.path

            def twin(side: Governed, path: RepoPath = path) -> PropertyUnit | None:
                there = side.document("property", path)
                return PropertyUnit(side, there) if there is not None else None

            if self._fresh(unit, twin):
                self._saw("property", path)
                self._state("property", unit)
                if unit.oracle is not None:
                    closure = self.new.closure(unit.oracle.path, unit.oracle.is_node)
                    if closure is not None:
                        self._state("closure", closure)
            entries = [side.entry(path) for side in self.old]
            if document.entry not in entries:
                self._change("property step", unit)
        known = [{group.key for group in _shared(side)} for side in self.old]
        for group in _shared(self.new):
            if self.all or not any(group.key in keys for keys in known):
                self._state("catalog set", group)

    def _judge_ledger(self) -> None:
        if self.new.ledger is not None and self._fresh(LedgerUnit(self.new), LedgerUnit):
            self._saw("ledger", self.new.ledger.path)
            self._state("ledger", LedgerUnit(self.new))
        for freeze in self.new.freezes:
            entry = EntryUnit(self.new, freeze)
            twins = [
                EntryUnit(side, other) for side in self.old for other in side.freezes if other.fields == freeze.fields
            ]
            if self.all or all(twin.key != entry.key for twin in twins):
                self._state("entry", entry)
            if not twins:
                self._change("entry step", entry)

    def _judge_claims(self) -> None:
        unit = ClaimsUnit(self.new)
        if self._fresh(unit, ClaimsUnit):
            self._saw("claimed", self.new.claimed.path if self.new.claimed is not None else None)
            self._state("claims", unit)
        known = [{ClaimUnit(side, 0, prop_id).key for prop_id in side.claims} for side in self.old]
        for index, prop_id in enumerate(self.new.claims):
            claim = ClaimUnit(self.new, index, prop_id)
            if self.all or not any(claim.key in keys for keys in known):
                self._state("claim", claim)

        def subject(tree: Governed, prop_id: str) -> object:
            return (prop_id in tree.claims, prop_id in tree.properties_by_id)

        for prop_id in sorted({name for side in self.old for name in (*side.claims, *side.properties_by_id)}):
            now = subject(self.new, prop_id)
            if all(subject(side, prop_id) != now for side in self.old):
                self._change("old claim", prop_id)


def _same_collision(tree: Governed, collision: Collision) -> bool:
    return all(tree.entry(path) is not None for path in collision.paths)


def _shared(tree: Governed) -> Iterator[CatalogSet]:
    """The sets of readable catalog documents that share an id, or an oracle function."""
    groups: dict[tuple[str, object], list[PropertyUnit]] = {}
    for document in tree.properties:
        unit = PropertyUnit(tree, document)
        if unit.value is None:
            continue
        groups.setdefault((unit.value.id, None), []).append(unit)
        if unit.oracle is not None and unit.oracle.function is not None:
            name = f"{unit.oracle.path}:{unit.oracle.function}"
            groups.setdefault((name, unit.oracle.path), []).append(unit)
    for (what, _), members in groups.items():
        if len(members) > 1:
            yield CatalogSet(what, tuple(members))

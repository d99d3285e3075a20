"""Which units a change touched, and the rules run over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

from freezegate.findings import DOCUMENT_KINDS, Finding
from freezegate.gate.archive import Archive
from freezegate.gate.governed import CONFIG_PATH, Governed
from freezegate.gate.layout import ConfigUnit, Flaw, FolderUnit, file_flaws, place_flaws
from freezegate.gate.narrow import touched_scopes
from freezegate.gate.registry import Check, for_unit
from freezegate.gate.rules import gate_integrity, scope_schema  # noqa: F401  (imported for the rules that they register)
from freezegate.gate.screening import JudgingFunction, note
from freezegate.gate.sets import Collision, collisions
from freezegate.gate.step import Step
from freezegate.git.change import Change
from freezegate.git.snapshot import Delta
from freezegate.paths import RepoPath

# So many functions are looked at where what is found there is a note, not a finding.
_SCREENED = 20


class Judge:
    """One evaluation: units in, findings and the set of verified documents out.

    A state rule passes over a unit that equals one old side's. A change rule judges a subject only where it differs
    from that of every old side, once for each of them. `accepted` trees count as old sides, but no rule is read once
    more for them.
    """

    def __init__(
        self,
        new: Governed,
        old: tuple[Governed, ...],
        deltas: tuple[Delta, ...],
        change: Change,
        archive: Archive,
        verify_all: bool,
        accepted: tuple[Governed, ...] = (),
        also: tuple[Delta, ...] = (),
    ) -> None:
        self.new = new
        self.old = (*old, *accepted)
        self._deltas = (*deltas, *also)
        self.steps = tuple(Step(side, new, delta, change.known) for side, delta in zip(old, deltas, strict=True))
        self.archive = archive
        self.all = verify_all or not self.old
        self.findings: set[Finding] = set()
        self.checked: dict[str, set[RepoPath]] = {kind: set() for kind in DOCUMENT_KINDS}
        self.places_judged = False
        self._screens = bool(self.old) and change.mode in ("commit", "range")
        self._screened: dict[tuple[RepoPath, str], JudgingFunction] = {}
        self._checks: dict[str, list[Check]] = {}
        self.few: set[RepoPath] | None = None
        # A unit that equals one old side's is passed over, so what the smallest step touched is enough to look at.
        self.delta: Delta = min(self._deltas, key=len, default={})

    def narrow(self, threshold: int) -> None:
        """In a large tree, find what a small change touched by searching, and read no other document."""
        if self.all or not self.new.binding_on:
            return
        if self.archive.index is None and not self.new.has_many_properties(threshold):
            return
        for tree in (self.new, *self.old):
            tree.finder.narrow = True
        self.few = touched_scopes(self.new, (self.new, *self.old), self.delta)
        if self.few is None:
            for tree in (self.new, *self.old):
                tree.finder.narrow = False

    # -- running rules

    def state(self, unit: str, value: Any) -> None:
        checks = self._checks.get(unit)
        if checks is None:
            checks = self._checks[unit] = for_unit(unit, change=False)
        for check in checks:
            self.findings.update(check(value))

    def step_by_step(self, unit: str, value: Any, steps: Iterable[Step] | None = None) -> None:
        for step in self.steps if steps is None else steps:
            for check in for_unit(unit, change=True):
                self.findings.update(check(value, step))

    def fresh(self, unit: Any, elsewhere: Callable[[Governed], Any]) -> bool:
        """Whether a unit is to be verified: `elsewhere` gives the same unit of an old side, or None."""
        return self.all or all((twin := elsewhere(side)) is None or twin.key != unit.key for side in self.old)

    def saw(self, kind: str, path: RepoPath | None) -> None:
        if path is not None:
            self.checked[kind].add(path)

    def screen(self, function: JudgingFunction | None) -> None:
        """Judge a function that judges; where policy only warns, a small change has it named in `notes`."""
        if function is not None:
            self.state("judging function", function)
            if self._screens:
                self._screened[function.path, function.name] = function
                self._screens = len(self._screened) < _SCREENED

    def notes(self) -> tuple[str, ...]:
        """What a reader should know beside the findings."""
        if self.new.config.policy.vacuous_predicates == "reject":
            return ()
        return tuple(note(self._screened.values()))

    def judge_everything(self) -> None:
        """Every kind of unit but config and folders."""
        if self.new.binding_on:
            from freezegate.gate.binding_half import judge_binding_half

            judge_binding_half(self)
        if self.new.verdict_on:
            from freezegate.gate.verdict_half import judge_verdict_half

            judge_verdict_half(self)
        self.judge_places()
        for path in self.changed(lambda path: True):
            self.step_by_step("file step", path)

    def changed(self, wanted: Callable[[RepoPath], bool]) -> list[RepoPath]:
        """Paths that differ from every old side."""
        return [path for path in self.delta if wanted(path) and all(path in delta for delta in self._deltas)]

    # -- the tree itself

    def judge_config(self, unit: ConfigUnit, *twins: ConfigUnit) -> None:
        """The new side's config against those of the old sides."""
        if self.all or all(unit.key != twin.key for twin in twins[: len(self.old)]):
            self.state("config", unit)
            self.saw("config", CONFIG_PATH if unit.entry is not None else None)

    def judge_folders(self, folders: Iterable[RepoPath]) -> None:
        """Tree objects of folders that a range or push changed: what an old side does not have as well."""
        for path in folders:
            flaws = self.new.snapshot.flaws(path)
            if flaws and not any(list(side.snapshot.flaws(path)) == list(flaws) for side in self.old):
                self.state("folder", FolderUnit(path, flaws))

    def judge_places(self) -> None:
        """The shape of the layout, once; a process that shares the work may have done it before."""
        if not self.places_judged:
            self.places_judged = True
            self._judge_layout()
            self._judge_collisions()

    def _judge_layout(self) -> None:
        for flaw in self._flaws(self.new):
            if self.all or all(flaw not in known for known in self._old_flaws):
                self.state("layout", flaw)

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
            entries = ((path, tree.entry(path)) for path in self.delta)
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
                for path in self.delta
                for folder in path.ancestors()
                if any(folder.within(place) for place in places)
            }
        for collision in collisions(snapshot, sorted(folders)):
            known = (_same_collision(side, collision) for side in self.old)
            if self.all or not any(known):
                self.state("set", collision)


def _same_collision(tree: Governed, collision: Collision) -> bool:
    return all(tree.entry(path) is not None for path in collision.paths)

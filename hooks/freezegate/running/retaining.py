"""Run a property within bounds, and retain one failing case that is worth keeping."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from freezegate.documents.domain import outside
from freezegate.documents.reading import read_counterexample
from freezegate.running.canonical import document
from freezegate.running.evaluation import ABSENT, Attempts, Failure, Outcome, attempts, evaluate
from freezegate.running.labels import in_words
from freezegate.running.launch import Launch
from freezegate.running.searching import Found, search
from freezegate.running.subject import Subject

if TYPE_CHECKING:
    from freezegate.running.cases import Case
    from freezegate.running.environments import Place
    from freezegate.running.seeds import Bounds

Ending = Literal["held", "retained", "still fails", "absent", "not reproducible", "out of time"]


@dataclass(frozen=True)
class Run:
    """What became of one property. `data` is the counterexample's file, where one was found; `notes` and `hint` are for a
    person.
    """

    scope_id: str
    outcome: Ending
    message: str
    data: bytes | None = None
    notes: tuple[str, ...] = ()
    hint: str = ""


class Clock:
    """What is left of a time limit in seconds; None is no limit."""

    def __init__(self, limit: float | None) -> None:
        self._end = None if limit is None else time.monotonic() + limit

    @property
    def left(self) -> float | None:
        """Seconds; never below a hundredth, so that what is started can still say that it ran out."""
        return None if self._end is None else max(self._end - time.monotonic(), 0.01)


@dataclass(frozen=True)
class Ground:
    """Where a property runs: the folder of the tree, the environment, its interpreter."""

    tree: str
    place: Place
    python: str
    replays: int
    time_limit: float | None


def run_property(
    subject: Subject, bounds: Bounds, ground: Ground, retained: Case | None, progress: Callable[[int], None] | None
) -> Run:
    """Replay the retained case, then search. A run that changed a file it rests on proves nothing."""
    before = {**_source(subject, ground.tree), **_contents(subject, ground.tree)}
    with ExitStack() as stack:
        launch = stack.enter_context(ground.place.open(ground.tree, ground.python))
        result = _Property(subject, bounds, ground, launch, progress).run(retained)
    after = {**_source(subject, ground.tree), **_contents(subject, ground.tree)}
    changed = sorted(path for path in {**before, **after} if before.get(path) != after.get(path))
    if changed:
        return Run(subject.scope_id, "absent", f"the run changed {changed[0]}")
    return result


def _source(subject: Subject, tree: str) -> dict[str, object]:
    """What the file system says of every file of the source: an edit shows in it. Bytecode is no source."""
    found: dict[str, object] = {}
    for folder in subject.source:
        for place, _, names in os.walk(os.path.join(tree, folder.text)):
            for name in names:
                if not name.endswith((".pyc", ".pyo")):
                    path = os.path.join(place, name)
                    with suppress(OSError):
                        seen = os.lstat(path)
                        found[os.path.relpath(path, tree)] = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
    return found


def search_job(subject: Subject, bounds: Bounds, root: str) -> dict[str, object]:
    """What the child is told about a search; `root` is the tree as it sees it."""
    return subject.job(
        "search",
        root,
        generator=subject.generator.text,
        domain=subject.domain_value,
        seed=bounds.seed,
        max_examples=bounds.max_examples,
    )


def counterexample_file(subject: Subject, bounds: Bounds, found: Found) -> bytes:
    """The counterexample document of a search that failed, byte for byte."""
    name, version = found.engine or ("", "")
    return document(
        {
            "scope_id": subject.scope_id,
            "seed": bounds.seed,
            "example_index": found.example_index,
            "input": found.case,
            "predicate_result": "fail",
            "shrink_steps": found.shrink_steps,
            "engine": {"name": name, "version": version},
        }
    )


def _contents(subject: Subject, tree: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in subject.named:
        try:
            found[path.text] = Path(tree, path.text).read_bytes()
        except OSError:
            found[path.text] = None
    return found


# By these a predicate fails that reads what is not there: rarely what it was written to find.
_SLIPS = frozenset(
    f"builtins.{name}"
    for name in ("NameError", "UnboundLocalError", "KeyError", "AttributeError", "TypeError", "IndexError")
)


_FEW = 10  # examples below which a generator that draws elsewhere is likelier than a domain so small


def slip(failure: Failure) -> tuple[str, ...]:
    """A note where the failure may be a mistake of the predicate itself, which would be frozen in place of the property's."""
    if failure.exception not in _SLIPS or not failure.inside:
        return ()
    name = failure.exception.removeprefix("builtins.")
    return (
        f"it failed by {name} at {failure.file}:{failure.line}, not by an assertion: is the predicate itself right?",
    )


def _missing_module(reason: str, python: str) -> str:
    """What to do where a module is not found; empty where that is not the reason."""
    if "ModuleNotFoundError" not in reason:
        return ""
    return (
        f"the project runs under {python}: install what it needs there, or name its own interpreter with --python; "
        "the folders that are searched are in docs/running.md"
    )


def _examples(count: int) -> str:
    return f"{count} example{'' if count == 1 else 's'}"


def _exhausted(examples: int, wanted: int) -> tuple[str, ...]:
    """A note where there was no more to judge than a few cases."""
    if examples >= min(wanted, _FEW):
        return ()
    return (
        f"the search ended after {_examples(examples)} of {wanted}: the generator drew nothing new (all of its "
        "randomness must come from rng, or from the strategy), or the predicate rejected the rest",
    )


class _Property:
    def __init__(
        self,
        subject: Subject,
        bounds: Bounds,
        ground: Ground,
        launch: Launch,
        progress: Callable[[int], None] | None,
    ) -> None:
        self.subject = subject
        self.bounds = bounds
        self.python = ground.python
        self.replays = ground.replays
        self.launch = launch
        self.progress = progress
        self.clock = Clock(ground.time_limit)

    def run(self, retained: Case | None) -> Run:
        notes: tuple[str, ...] = ()
        if retained is not None:
            seen = self._replay(retained.input_json)
            if seen.label == "fail":
                return self._ended("still fails", f"the retained case {retained.shown} still fails")
            if seen.label != "pass":
                return self._absent(seen, f"the retained case {retained.shown}")
            notes = (f"the retained case {retained.shown} holds now: freezegate retire {self.subject.scope_id}",)
        found = self._search()
        notes += found.notes
        if found.outcome == "held":
            notes += _exhausted(found.examples, self.bounds.max_examples)
            return self._ended("held", f"held for {_examples(found.examples)}", notes=notes)
        if found.outcome != "failed" or found.unstable:
            return self._unfound(found)
        try:
            data = self._document(found)
        except ValueError as error:
            return self._ended("absent", f"the case cannot be kept: {error}")
        if (why := self._unfit(found, data)) is not None:
            return self._ended("absent", why)
        seen = self._replay(document(found.case))
        if seen.label == "pass":
            return self._ended(
                "not reproducible", "the case that failed in the search holds when it is evaluated alone"
            )
        if seen.label != "fail":
            return self._absent(seen, "the case that was found")
        again = self._search()
        if again.outcome != "failed" or self._document(again) != data:
            if again.timed_out:
                return self._unfound(again)
            return self._ended("not reproducible", "a second search with the same seed found something else")
        failure = seen.outcomes[0].failure
        what = "" if failure is None else f": {in_words(failure)}"
        steps = f"example {found.example_index}, {found.shrink_steps} shrink steps"
        notes += () if failure is None else slip(failure)
        return self._ended("retained", f"failed ({steps}){what}", data, notes)

    def _replay(self, case: bytes) -> Attempts:
        job = self.subject.job("evaluate", self.launch.root)
        outcomes: list[Outcome] = []
        while len(outcomes) < self.replays and (not outcomes or outcomes[-1].label != ABSENT):
            outcomes.append(evaluate(self.launch, job, case, self.clock.left))
        return attempts(outcomes)

    def _search(self) -> Found:
        job = search_job(self.subject, self.bounds, self.launch.root)
        return search(self.launch, job, self.clock.left, self.progress)

    def _document(self, found: Found) -> bytes:
        return counterexample_file(self.subject, self.bounds, found)

    def _unfit(self, found: Found, data: bytes) -> str | None:
        """Why the hooks would refuse this case, or None."""
        for pointer, why in outside(self.subject.domain, found.case or {}):
            where = "/".join(map(str, ("", *pointer)))
            return f"the generator leaves the domain: {where}: {why}"
        reading = read_counterexample(data)
        return None if reading.document is not None else f"the case cannot be kept: {reading.problems[0].message}"

    def _absent(self, seen: Attempts, what: str) -> Run:
        if seen.timed_out:
            return self._out_of_time(f"while {what} was evaluated")
        return self._unanswered(seen.unstable, f"{what}: {seen.reason}")

    def _unfound(self, found: Found) -> Run:
        if found.timed_out:
            return self._out_of_time("during the search")
        return self._unanswered(found.unstable, found.reason or "no answer")

    def _unanswered(self, unstable: bool, reason: str) -> Run:
        run = self._ended("not reproducible" if unstable else "absent", reason)
        return replace(run, hint=_missing_module(reason, self.python))

    def _out_of_time(self, when: str) -> Run:
        run = self._ended("out of time", f"the time limit ran out {when}")
        return replace(run, hint="give more with --time-limit SECONDS, or let the seed lock pin fewer examples")

    def _ended(self, outcome: Ending, message: str, data: bytes | None = None, notes: tuple[str, ...] = ()) -> Run:
        return Run(self.subject.scope_id, outcome, message, data, notes)

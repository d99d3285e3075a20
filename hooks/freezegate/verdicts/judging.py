"""One property judged in one clean worktree: every failing row with a signature of its own."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from freezegate.git.repository import Repository
from freezegate.running.environments import Absent, Place
from freezegate.running.evaluation import FAIL, PASS, Failure
from freezegate.running.labels import in_words
from freezegate.running.launch import Launch
from freezegate.running.nodes import node
from freezegate.running.retaining import Clock, search_job
from freezegate.running.rows import fixtures_call, rows
from freezegate.running.searching import search
from freezegate.running.signatures import assertion_id, signature
from freezegate.running.worktree import Worktree, worktree
from freezegate.verdicts.prepared import Prepared, Searched

Status = Literal["pass", "fail", "missing"]
_LONGEST = 200  # characters of a case that are shown
_FOUND = "the case that the search found"


@dataclass(frozen=True)
class Judged:
    """What running one property gave.

    `signatures` has one for each failing row, None where a failure has no input that JSON carries; `places` says where each
    of these rows is from, where that can be told, and `rows` identifies each with its failure, number types included. `reason` is a word where
    the failure is one of its own kind (fixture_mutated), `detail` is for people.
    """

    status: Status
    signatures: tuple[str | None, ...] = ()
    reason: str | None = None
    detail: str | None = None
    places: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()


def missing(why: str) -> Judged:
    """No run that counts."""
    return Judged("missing", reason="missing_run", detail=why)


@dataclass
class Ground:
    """Where properties of one commit run, one after the other: a clean worktree, made anew once it is not clean any more."""

    commit: str
    repository: Repository
    place: Place
    python: str
    _open: ExitStack = field(default_factory=ExitStack)
    _at: tuple[Worktree, Launch] | None = None

    def clean(self) -> tuple[Worktree, Launch]:
        """The worktree, and how children are started in it. Raises Absent, CannotJudge, GitError."""
        if self._at is None:
            tree = self._open.enter_context(worktree(self.commit, self.repository))
            self._at = tree, self._open.enter_context(self.place.open(tree.path, self.python))
        return self._at

    def leave(self) -> None:
        """Remove the worktree."""
        self._at = None
        self._open.close()
        self._open = ExitStack()


@contextmanager
def ground(commit: str, place: Place, python: str) -> Iterator[Ground]:
    """A place to run properties of a commit, taken down at the end."""
    repository = Repository()
    made = Ground(commit, repository, place, python)
    try:
        yield made
    finally:
        made.leave()
        repository.close()


def judged(prepared: Prepared, where: Ground, time_limit: float | None) -> Judged:
    """The property's run. A tree that did not stay as it was is no evidence; a property that says that it changes fixtures
    has a worktree of its own for that. Raises CannotJudge, GitError.
    """
    mutates = prepared.prop.mutates_fixture
    if mutates:
        where.leave()
    try:
        tree, launch = where.clean()
    except Absent as absent:
        return missing(absent.message + (f"; {absent.hint}" if absent.hint else ""))
    result = _Run(prepared, launch, time_limit).judged()
    changed = tree.changed()
    if changed or mutates:
        where.leave()
    fixtures = [path for path in changed if path.within(prepared.fixtures)]
    if changed and (others := [path for path in changed if path not in fixtures]):
        return missing(f"the run changed the tree: {others[0]}")
    if fixtures and not mutates:
        detail = f"the run changed {fixtures[0]}, and mutates_fixture is false"
        return Judged("fail", reason="fixture_mutated", detail=detail)
    return result


class _Run:
    """One property in one launch."""

    def __init__(self, prepared: Prepared, launch: Launch, time_limit: float | None) -> None:
        self.prepared = prepared
        self.launch = launch
        self.clock = Clock(time_limit)
        self.job = prepared.job(launch.root)

    def judged(self) -> Judged:
        """By what kind of oracle it is."""
        if self.prepared.node is not None:
            return self._node()
        if self.prepared.searched is not None:
            return self._searched(self.prepared.searched)
        if self.prepared.rows:
            named = [(f"{row.file}:{row.line}", row.input) for row in self.prepared.rows]
            return self._rows(named)
        return self._fixtures()

    def _rows(self, named: Sequence[tuple[str, Mapping[str, Any]]], must_fail: str | None = None) -> Judged:
        """Each row's answer. One that is named in `must_fail` has failed before: where it passes, nothing is told."""
        answer = rows(self.launch, self.job, [_text(case) for _, case in named], self.clock.left)
        if answer.reason is not None:
            return missing(answer.reason)
        failed: list[tuple[str, str | None, Failure]] = []
        identities = []
        for (place, case), outcome in zip(named, answer.outcomes, strict=True):
            if outcome.label == FAIL and outcome.failure is not None:
                failed.append((place, self._signature(outcome.failure, case), outcome.failure))
                # A signature takes 3 and 3.0 for one, and drops what is volatile: a row does neither.
                identities.append(hashlib.sha256(_text(case) + str(failed[-1][1]).encode("ascii")).hexdigest())
            elif outcome.label != PASS:
                return missing(f"{place}: {outcome.reason or 'no answer'}")
            elif place == must_fail:
                return missing(f"unstable: {place} holds when it is evaluated alone")
        if not failed:
            return Judged("pass", detail=f"{len(named)} rows" if len(named) > 1 else None)
        place, _, failure = failed[0]
        case = next(case for known, case in named if known == place)
        more = f" (and {len(failed) - 1} more of {len(named)} rows)" if len(failed) > 1 else ""
        return Judged(
            "fail",
            tuple(made for _, made, _ in failed),
            detail=f"{place}: {in_words(failure)}; the case: {_shown(case)}{more}",
            places=tuple(place for place, _, _ in failed),
            rows=tuple(identities),
        )

    def _fixtures(self) -> Judged:
        path = f"{self.launch.root}/{self.prepared.fixtures.text}"
        outcome = fixtures_call(self.launch, self.job, path, self.clock.left)
        if outcome.label == PASS:
            return Judged("pass")
        if outcome.label == FAIL and outcome.failure is not None:
            return Judged("fail", (None,), detail=in_words(outcome.failure))
        return missing(outcome.reason or "no answer")

    def _node(self) -> Judged:
        answer = node(self.launch, self.job, self.clock.left)
        if answer.label == PASS:
            return Judged("pass")
        if answer.label == FAIL and answer.failures:
            signatures = tuple(None if case is None else self._signature(why, case) for why, case in answer.failures)
            why, case = answer.failures[0]
            shown = "" if case is None else f"; the example: {_shown(case)}"
            return Judged("fail", signatures, detail=in_words(why) + shown)
        return missing(answer.reason or "no answer")

    def _searched(self, scope: Searched) -> Judged:
        """The retained case and what a search finds, both evaluated by themselves."""
        found = search(self.launch, search_job(scope.subject, scope.bounds, self.launch.root), self.clock.left)
        if found.outcome not in ("held", "failed") or found.unstable:
            return missing(found.reason or "the search gave no answer")
        named: list[tuple[str, Mapping[str, Any]]] = []
        for case in (scope.retained, scope.before):
            if case is not None and _text(case.document.input) not in [_text(known) for _, known in named]:
                named.append((case.shown, case.document.input))
        if found.case is not None:
            for place, known in named:
                if _text(found.case) == _text(known):
                    return self._rows(named, must_fail=place)
            named.append((_FOUND, found.case))
        if not named:
            return Judged("pass", detail=f"{found.examples} examples")
        return self._rows(named, must_fail=_FOUND)

    def _signature(self, failure: Failure, case: Mapping[str, Any]) -> str | None:
        tokens = {self.launch.env.get("TMPDIR", ""): "{temporary folder}", os.uname().nodename: "{host}"}
        try:
            return signature(assertion_id(self.prepared.name, failure), case, self.prepared.prop.volatile, tokens)
        except ValueError:
            return None


def _shown(case: Mapping[str, Any]) -> str:
    text = _text(case).decode("ascii")
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def _text(case: Mapping[str, Any]) -> bytes:
    return json.dumps(case).encode("ascii")

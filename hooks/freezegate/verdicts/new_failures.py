"""Whether a frozen failure hides a new one: the same inputs, judged on base and on head."""

from __future__ import annotations

import json
from collections.abc import Sequence

from freezegate.running.environments import Absent
from freezegate.running.evaluation import FAIL, PASS, Failure, Outcome
from freezegate.running.labels import in_words
from freezegate.running.nodes import survey
from freezegate.running.retaining import Clock, search_job
from freezegate.running.rows import generated, rows
from freezegate.running.signatures import assertion_id
from freezegate.verdicts.judging import Ground
from freezegate.verdicts.prepared import Prepared

_SHOWN = 200  # characters of an input
_ONLY_HEAD = "fails on head and not on base"
_OTHERWISE = "fails on head in another way than on base"


def hidden(head: Prepared, base: Prepared, at_head: Ground, at_base: Ground, time_limit: float | None) -> str:
    """What fails or has no answer on head and not, or otherwise, on base, in words; empty where nothing does.

    The inputs are what base's seed and bounds give, generated on either side: the generator may read source. Where it
    cannot be told, that is said, and counts as a new failure. Raises CannotJudge, GitError.
    """
    clock = Clock(time_limit)
    try:
        inputs: dict[bytes, None] = {}
        for side, where in ((base, at_base), (head, at_head)):
            more = _inputs(side, base, where, clock)
            if isinstance(more, str):
                return more
            inputs |= dict.fromkeys(more)
        cases = list(inputs)
        sides = []
        for side, where in ((head, at_head), (base, at_base)):
            answers = _answers(side, where, cases, clock)
            if isinstance(answers, str):
                return answers
            sides.append(answers)
    except Absent as absent:
        return absent.message
    for case, now, before in zip(cases, *sides, strict=True):
        if now.label != PASS and (why := _new(head, now, before)):
            return f"{_shown(case.decode('ascii'))} {why}" + (f" ({in_words(now.failure)})" if now.failure else "")
    return ""


def hidden_node(head: Prepared, base: Prepared, at_head: Ground, at_base: Ground, time_limit: float | None) -> str:
    """The same for a Hypothesis test of pytest, in words: an input that fails on head and not, or otherwise, on base.

    The inputs are all that Hypothesis gives the test on either side. Where it cannot be told, that is said, and counts as
    a new failure. Raises CannotJudge, GitError.
    """
    if head.node is None or head.node != base.node:
        return "on base it is another test"
    clock = Clock(time_limit)
    sides = []
    try:
        for side, where in ((head, at_head), (base, at_base)):
            failing = _failing(side, where, clock)
            if isinstance(failing, str):
                return failing
            sides.append(failing)
    except Absent as absent:
        return absent.message
    now, before = sides
    if not now:
        return "it cannot be told which inputs fail: none does that is generated for it"
    known: dict[str, list[object]] = {}
    for text, failure in before:
        known.setdefault(text, []).append(assertion_id(base.name, failure))
    for text, failure in now:
        if assertion_id(head.name, failure) not in known.get(text, ()):
            why = _OTHERWISE if text in known else _ONLY_HEAD
            return f"{_shown(text)} {why} ({in_words(failure)})"
    return ""


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _failing(side: Prepared, where: Ground, clock: Clock) -> tuple[tuple[str, Failure], ...] | str:
    """The inputs that fail in one tree, each with its failure, or why that cannot be told."""
    mutates = side.prop.mutates_fixture
    if mutates:
        where.leave()
    tree, launch = where.clean()
    answer = survey(launch, side.job(launch.root), clock.left)
    changed = tree.changed()
    if changed or mutates:
        where.leave()
    if any(not mutates or not path.within(side.fixtures) for path in changed):
        return "the run changed the tree"
    return answer.failing if answer.reason is None else f"it cannot be told which inputs fail: {answer.reason}"


def _new(head: Prepared, now: Outcome, before: Outcome) -> str:
    if now.label != FAIL:
        fate = "fails" if before.label == FAIL else "passes"
        why = f"has no answer on head ({now.reason or 'no reason was given'}), and on base it {fate}"
        return why if now.label != before.label else ""
    if before.label != FAIL or before.failure is None or now.failure is None:
        return _ONLY_HEAD
    if assertion_id(head.name, now.failure) != assertion_id(head.name, before.failure):
        return _OTHERWISE
    return ""


def _inputs(side: Prepared, base: Prepared, where: Ground, clock: Clock) -> list[bytes] | str:
    """The inputs as JSON texts, or why there are none."""
    assert side.searched is not None and base.searched is not None
    tree, launch = where.clean()
    job = search_job(side.searched.subject, base.searched.bounds, launch.root)
    answer = generated(launch, job, clock.left)
    if tree.changed():
        where.leave()
        return "the generator changed the tree"
    if answer.reason is not None:
        return f"the inputs cannot be generated: {answer.reason}"
    retained = [] if side.searched.retained is None else [side.searched.retained.document.input]
    return [json.dumps(case, sort_keys=True).encode("ascii") for case in (*retained, *answer.cases)]


def _answers(side: Prepared, where: Ground, cases: Sequence[bytes], clock: Clock) -> Sequence[Outcome] | str:
    tree, launch = where.clean()
    answer = rows(launch, side.job(launch.root), cases, clock.left)
    if tree.changed():
        where.leave()
        return "the run changed the tree"
    return answer.outcomes if answer.reason is None else f"the inputs cannot be judged: {answer.reason}"

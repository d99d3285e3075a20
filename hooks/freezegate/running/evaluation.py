"""One case given to the predicate, in a fresh process each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from freezegate.running.launch import Launch
from freezegate.running.process import Process

PASS, FAIL, ABSENT = "pass", "fail", "absent"


class Failure(NamedTuple):
    """Where a predicate failed, and how.

    `exception` is the type's full name, or ``returned False``. `statement` is normalized; `file` and `function` say where
    it stands (a path in the tree, else a file name), `inside` whether that is in the predicate's closure. `line` and
    `message` are for people.
    """

    exception: str
    statement: str | None
    file: str
    function: str
    inside: bool
    line: int
    message: str


class Outcome(NamedTuple):
    """What one evaluation gave: ``pass``, ``fail`` with its failure, or ``absent`` with the reason.

    `facts` are those of the machine, where the job asked for them; `noise` is the end of what was printed.
    """

    label: str
    reason: str | None = None
    failure: Failure | None = None
    facts: Mapping[str, Any] | None = None
    timed_out: bool = False
    noise: str = ""


class Attempts(NamedTuple):
    """Replays of one case. They have a label only where they agree."""

    outcomes: tuple[Outcome, ...]
    label: str
    reason: str | None

    @property
    def replays(self) -> int:
        """How many were made."""
        return len(self.outcomes)

    @property
    def failed(self) -> int:
        """How many failed."""
        return sum(outcome.label == FAIL for outcome in self.outcomes)

    @property
    def timed_out(self) -> bool:
        """Whether the time limit ended one."""
        return any(outcome.timed_out for outcome in self.outcomes)

    @property
    def unstable(self) -> bool:
        """Whether replays disagreed."""
        return len(set(map(_essence, self.outcomes))) > 1


def evaluate(
    launch: Launch, job: Mapping[str, Any], case: bytes, time_limit: float | None = None, started: Process | None = None
) -> Outcome:
    """The predicate's answer to one case, given as JSON text.

    `time_limit` is in seconds. `started` is a process of this launch that waits already; it is ended either way.
    """
    try:
        process = Process(launch) if started is None else started
    except OSError as error:
        return Outcome(ABSENT, f"{launch.argv[0]} could not be started: {error.strerror}")
    with process:
        answer = process.run(job, case, time_limit)
    label, reason, failure = ABSENT, answer.reason, None
    if answer.result is not None:
        label, reason, failure = _understood(answer.result)
    return Outcome(label, reason, failure, answer.facts, answer.timed_out, answer.noise)


def replay(
    launch: Launch,
    job: Mapping[str, Any],
    case: bytes,
    replays: int,
    time_limit: float | None = None,
    started: Sequence[Process] = (),
) -> Attempts:
    """`replays` evaluations one after the other; it stops at the first that is absent. `time_limit` is for each.

    `started` are processes that wait already; what is not needed of them is for their owner to end.
    """
    outcomes: list[Outcome] = []
    waiting = iter(started)
    while len(outcomes) < replays:
        outcomes.append(evaluate(launch, job, case, time_limit, next(waiting, None)))
        if outcomes[-1].label == ABSENT:
            break
    return attempts(outcomes)


def attempts(outcomes: list[Outcome]) -> Attempts:
    """What evaluations of one case amount to: their common label, or absent and why."""
    together = Attempts(tuple(outcomes), ABSENT, None)
    if not outcomes:
        return together._replace(reason="no replay was made")
    absent = next((outcome for outcome in outcomes if outcome.label == ABSENT), None)
    if absent is not None:
        return together._replace(reason=absent.reason)
    if not together.unstable:
        return together._replace(label=outcomes[0].label)
    if together.failed == together.replays:
        return together._replace(reason=f"unstable: {together.replays} replays failed in different ways")
    return together._replace(reason=f"unstable: {together.failed} of {together.replays} replays failed")


def understood_failure(value: object) -> Failure | None:
    """The failure that a child described; None where it is not well formed."""
    if type(value) is not dict or value.keys() != set(Failure._fields):
        return None
    texts = (value["exception"], value["file"], value["function"], value["message"])
    if not all(type(text) is str for text in texts) or type(value["statement"]) not in (str, type(None)):
        return None
    if type(value["inside"]) is not bool or type(value["line"]) is not int:
        return None
    return Failure(**value)


def _understood(result: Mapping[str, Any]) -> tuple[str, str | None, Failure | None]:
    label, reason = result.get("outcome"), result.get("reason")
    if label == PASS and reason is None and result.get("failure") is None:
        return PASS, None, None
    if label == FAIL and reason is None:
        failure = understood_failure(result.get("failure"))
        if failure is not None:
            return FAIL, None, failure
    if label == ABSENT and type(reason) is str:
        return ABSENT, reason, None
    return ABSENT, "the child's answer is malformed", None


def _essence(outcome: Outcome) -> object:
    """What replays must agree on: of a failure, all that its signature is made of."""
    failure = outcome.failure
    return outcome.label, failure and (failure.exception, failure.statement, failure.file, failure.function)

"""One test of the project, run by the project's own pytest in a child."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from freezegate.running.evaluation import ABSENT, FAIL, PASS, Failure, understood_failure
from freezegate.running.launch import Launch
from freezegate.running.process import Answer, Process
from freezegate.text import quoted

_MALFORMED = "the child's answer is malformed"


class NodeAnswer(NamedTuple):
    """What a test gave: ``pass``, ``fail`` with every failure, or ``absent`` with the reason.

    A failure of a Hypothesis test has its smallest example (and the test's parameters) where JSON carries them; any other
    has None. In a test of several variants one that gave no answer beside one that failed is among the failures, as
    ``no answer``.
    """

    label: str
    reason: str | None = None
    failures: tuple[tuple[Failure, dict[str, Any] | None], ...] = ()
    facts: Mapping[str, Any] | None = None
    timed_out: bool = False
    noise: str = ""


class SurveyAnswer(NamedTuple):
    """Every input for which a Hypothesis test failed, as JSON text, each with its failure; none, and the reason, where that
    cannot be told of all of them.

    Of a long text it is the beginning and the SHA-256.
    """

    failing: tuple[tuple[str, Failure], ...] = ()
    reason: str | None = None
    timed_out: bool = False


def node(
    launch: Launch, job: Mapping[str, Any], time_limit: float | None = None, started: Process | None = None
) -> NodeAnswer:
    """The answer of the pytest node id ``job["node"]``, whose path is relative to the tree.

    It passes where at least one test has that id (a parametrized one has several) and each of them passed; one that was
    skipped, deselected, marked as failing or could not be set up leaves all without an answer. `job` needs ``closure`` and
    ``paths`` as for a predicate. `time_limit` is in seconds. `started` is a process of this launch that waits already.
    """
    answer = _answer(launch, {**job, "kind": "pytest"}, time_limit, started)
    label, reason, failures = ABSENT, answer.reason, None
    if answer.result is not None:
        label, reason, failures = _understood(answer.result)
    return NodeAnswer(label, reason, failures or (), answer.facts, answer.timed_out, answer.noise)


def survey(launch: Launch, job: Mapping[str, Any], time_limit: float | None = None) -> SurveyAnswer:
    """Every input for which the test ``job["node"]`` fails, of all that Hypothesis gives it for its seed and settings.

    No failure ends or steers the generation and none is reduced, so two trees in which the test stands give it the same
    inputs. `job` and `time_limit` are as for one answer of the test.
    """
    answer = _answer(launch, {**job, "kind": "pytest", "survey": True}, time_limit, None)
    if answer.result is None:
        return SurveyAnswer((), answer.reason or "there was no answer", answer.timed_out)
    result = answer.result
    reason, calls, raw = result.get("reason"), result.get("calls"), result.get("failures")
    if result.get("outcome") in ("surveyed", ABSENT) and type(reason) is str:
        return SurveyAnswer((), reason)
    if result.get("outcome") == "surveyed" and reason is None and type(calls) is list and type(raw) is list:
        failures = [understood_failure(each) for each in raw]
        failing = [_call(call, failures) for call in calls]
        if None not in failing:
            return SurveyAnswer(tuple(each for each in failing if each is not None))
    return SurveyAnswer((), _MALFORMED)


def _call(call: object, failures: Sequence[Failure | None]) -> tuple[str, Failure] | None:
    if type(call) is not list or [type(each) for each in call] != [str, int] or not 0 <= call[1] < len(failures):
        return None
    failure = failures[call[1]]
    return None if failure is None else (call[0], failure)


def _answer(launch: Launch, job: Mapping[str, Any], time_limit: float | None, started: Process | None) -> Answer:
    try:
        process = Process(launch) if started is None else started
    except OSError as error:
        return Answer(None, f"{launch.argv[0]} could not be started: {error.strerror}")
    with process:
        answer = process.run(job, None, time_limit)
    if answer.reason is not None and answer.reason.startswith("pytest ended"):
        return answer._replace(reason=answer.reason + _complaint(answer.noise))
    return answer


def _complaint(noise: str) -> str:
    """What pytest printed of a run that it did not begin: nothing else tells."""
    lines = [line.strip() for line in noise.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith("E ") or "error:" in line.lower()]
    return f": {quoted((told or lines)[-1], 200)}" if lines else ""


def _understood(
    result: Mapping[str, Any],
) -> tuple[str, str | None, tuple[tuple[Failure, dict[str, Any] | None], ...] | None]:
    label, reason, raw = result.get("outcome"), result.get("reason"), result.get("failures")
    if label == PASS and reason is None and raw == []:
        return PASS, None, None
    if label == FAIL and reason is None and type(raw) is list and raw:
        failures = [_failure(item) for item in raw]
        if None not in failures:
            return FAIL, None, tuple(failure for failure in failures if failure is not None)
    if label == ABSENT and type(reason) is str:
        return ABSENT, reason, None
    return ABSENT, _MALFORMED, None


def _failure(value: object) -> tuple[Failure, dict[str, Any] | None] | None:
    if type(value) is not dict or value.keys() != {"failure", "input"}:
        return None
    failure, given = understood_failure(value["failure"]), value["input"]
    if failure is None or (given is not None and type(given) is not dict):
        return None
    return failure, given

"""Many cases given to one function in one process, a folder of fixtures, and the cases that a generator gives.

Nothing that the child says is believed but in the form it must have.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from freezegate.running.evaluation import ABSENT, FAIL, PASS, Outcome, understood_failure
from freezegate.running.launch import Launch
from freezegate.running.process import Answer, Process

_MALFORMED = "the child's answer is malformed"
# What is said of so many rows fits into one frame, and so does what is asked.
_MOST_ROWS = 4096
_MOST_BYTES = 4 << 20


class RowsAnswer(NamedTuple):
    """An outcome for each row in order; none, and the reason, where any of them could not be asked."""

    outcomes: tuple[Outcome, ...]
    reason: str | None = None
    timed_out: bool = False


class GeneratedAnswer(NamedTuple):
    """The different cases that a generator gives, in order; none, and the reason, where it does not give them."""

    cases: tuple[dict[str, Any], ...]
    reason: str | None = None
    timed_out: bool = False


def rows(
    launch: Launch,
    job: Mapping[str, Any],
    cases: Sequence[bytes],
    time_limit: float | None = None,
    started: Process | None = None,
) -> RowsAnswer:
    """The function's answer to each of `cases` (JSON texts), all in one process up to some thousands.

    `job` is as for one case. `time_limit` is in seconds, for all together. `started` is a process of this launch that waits
    already; it is ended either way. A row without an answer is ``absent`` by itself; one that ends the process, or that the
    time limit ends, leaves all of them without.
    """
    until = None if time_limit is None else time.monotonic() + time_limit
    waiting = [] if started is None else [started]
    outcomes: list[Outcome] = []
    try:
        if not cases:
            return RowsAnswer((), "there is no row")
        for part in _parts(cases):
            asked = {**job, "kind": "rows", "argument": "case"}
            answer = _answer(launch, asked, b"[" + b",".join(part) + b"]", until, waiting.pop() if waiting else None)
            found = _understood(answer, len(part))
            if isinstance(found, str):
                return RowsAnswer((), _why(found, answer, time_limit), answer.timed_out)
            outcomes += found
    finally:
        for process in waiting:
            process.end()
    return RowsAnswer(tuple(outcomes))


def fixtures_call(launch: Launch, job: Mapping[str, Any], path: str, time_limit: float | None = None) -> Outcome:
    """The function's answer to one folder: it is called with the ``pathlib.Path`` of `path`, which is as the child sees it."""
    until = None if time_limit is None else time.monotonic() + time_limit
    asked = {**job, "kind": "rows", "argument": "fixtures"}
    answer = _answer(launch, asked, json.dumps(path).encode("ascii"), until)
    found = _understood(answer, 1)
    if isinstance(found, str):
        return Outcome(ABSENT, found, None, answer.facts, answer.timed_out, answer.noise)
    return found[0]._replace(facts=answer.facts, noise=answer.noise)


def generated(launch: Launch, job: Mapping[str, Any], time_limit: float | None = None) -> GeneratedAnswer:
    """The cases that a search with the same `job` would judge if none of them failed, each once.

    `time_limit` is in seconds. Where they do not fit into one answer, they are generated again for each further part.
    """
    until = None if time_limit is None else time.monotonic() + time_limit
    cases: list[dict[str, Any]] = []
    identity: object = None
    while True:
        answer = _answer(launch, {**job, "kind": "generate"}, b"%d" % len(cases), until)
        part = _part(answer)
        if isinstance(part, str):
            return GeneratedAnswer((), _why(part, answer, time_limit), answer.timed_out)
        more, total, digest = part
        if (cases and identity != (total, digest)) or len(cases) + len(more) > total or not more:
            return GeneratedAnswer((), "unstable: the generator gave other cases when it was asked again")
        identity = (total, digest)
        cases += more
        if len(cases) == total:
            return GeneratedAnswer(tuple(cases))


def _parts(cases: Sequence[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    size = 0
    for case in cases:
        if part and (len(part) == _MOST_ROWS or size + len(case) > _MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(case)
        size += len(case)
    yield part


def _answer(
    launch: Launch, job: Mapping[str, Any], given: bytes, until: float | None, started: Process | None = None
) -> Answer:
    limit = None if until is None else max(0.0, until - time.monotonic())
    try:
        process = Process(launch) if started is None else started
    except OSError as error:
        return Answer(None, f"{launch.argv[0]} could not be started: {error.strerror}")
    with process:
        return process.run(job, given, limit)


def _why(reason: str, answer: Answer, time_limit: float | None) -> str:
    # The last part had less than the whole.
    return f"the time limit of {time_limit:.3g} s ran out" if answer.timed_out else reason


def _understood(answer: Answer, count: int) -> list[Outcome] | str:
    """The outcomes that an answer holds, or why there are none."""
    result = answer.result
    if result is None:
        return answer.reason or "there was no answer"
    if result.get("outcome") == ABSENT and type(result.get("reason")) is str:
        return str(result["reason"])
    raw, failures = result.get("rows"), result.get("failures")
    if result.get("outcome") != "done" or type(raw) is not list or type(failures) is not list or len(raw) != count:
        return _MALFORMED
    outcomes = [_outcome(row, failures) for row in raw]
    return [outcome for outcome in outcomes if outcome is not None] if None not in outcomes else _MALFORMED


def _outcome(row: object, failures: list[object]) -> Outcome | None:
    if type(row) is not list or len(row) != 3 or type(row[1]) is not str:
        return None
    label, text, index = row
    if label == PASS and not text and index is None:
        return Outcome(PASS)
    if label == ABSENT and text and index is None:
        return Outcome(ABSENT, text)
    if label != FAIL or type(index) is not int or not 0 <= index < len(failures):
        return None
    described = failures[index]
    failure = understood_failure({**described, "message": text}) if isinstance(described, dict) else None
    return None if failure is None else Outcome(FAIL, None, failure)


def _part(answer: Answer) -> tuple[list[dict[str, Any]], int, str] | str:
    """Cases, how many there are in all, and the digest of all; or why there are none."""
    result = answer.result
    if result is None:
        return answer.reason or "there was no answer"
    outcome, reason = result.get("outcome"), result.get("reason")
    if outcome in (ABSENT, "unsound") and type(reason) is str:
        return reason if outcome == ABSENT else f"the generator gave a case that JSON does not carry: {reason}"
    cases, total, digest = result.get("cases"), result.get("total"), result.get("sha256")
    if outcome != "generated" or type(cases) is not list or type(total) is not int or type(digest) is not str:
        return _MALFORMED
    return (cases, total, digest) if all(type(case) is dict for case in cases) else _MALFORMED

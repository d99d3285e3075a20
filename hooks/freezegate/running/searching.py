"""A bounded search in a child, as the parent sees it. Nothing that the child says is believed but in the form it must have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from freezegate.running.evaluation import Failure, understood_failure
from freezegate.running.launch import Launch
from freezegate.running.process import Answer, Process

UNSTABLE = "unstable: "
_LONGEST = 600  # characters of a reason
_OUTCOMES = ("held", "failed", "absent", "unsound")


@dataclass(frozen=True)
class Found:
    """What a search gave.

    ``held``: no example failed. ``failed``: `case` is the smallest failing one that was found, `example_index` counts the
    generated examples before the first failing one, `shrink_steps` the accepted reductions. ``unsound``: the generator
    gave a case that JSON does not carry unchanged. ``absent``: no answer. `examples` were evaluated, those of the
    reduction aside. `engine` is name and version. `notes` are for a person.
    """

    outcome: Literal["held", "failed", "absent", "unsound"]
    examples: int = 0
    case: Mapping[str, Any] | None = None
    example_index: int | None = None
    shrink_steps: int | None = None
    engine: tuple[str, str] | None = None
    failure: Failure | None = None
    reason: str | None = None
    timed_out: bool = False
    notes: tuple[str, ...] = ()

    @property
    def unstable(self) -> bool:
        """Whether the same choices gave different cases or answers: a failure then has no reproducible input."""
        return self.reason is not None and self.reason.startswith(UNSTABLE)


def search(
    launch: Launch,
    job: Mapping[str, Any],
    time_limit: float | None,
    on_progress: Callable[[int], None] | None = None,
    started: Process | None = None,
) -> Found:
    """Search in one fresh process (or the `started` one) for a case that fails. `time_limit` is in seconds.

    `on_progress` is told how many cases the child says it has judged.
    """
    try:
        with Process(launch) if started is None else started as process:
            answer = process.run(job, None, time_limit, on_progress)
    except OSError as error:
        return Found("absent", reason=f"{launch.argv[0]} cannot be started: {error.strerror or error}")
    return found(answer)


def found(answer: Answer) -> Found:
    """A child's answer to a search, checked. A malformed one is ``absent``."""
    raw = answer.result
    if raw is None:
        return Found("absent", reason=answer.reason or "the search gave no answer", timed_out=answer.timed_out)
    outcome = raw.get("outcome")
    engine = _engine(raw.get("engine"))
    reason = _short(raw.get("reason"))
    notes = tuple(filter(None, map(_short, _list(raw.get("notes")))))
    examples = _count(raw.get("examples"))
    if outcome not in _OUTCOMES:
        return _malformed("the outcome is none of its words")
    if outcome in ("absent", "unsound"):
        return Found(outcome, examples or 0, engine=engine, reason=reason or "no reason was given", notes=notes)
    if engine is None or examples is None:
        return _malformed("the engine or the number of examples is missing")
    if outcome == "held":
        # A search that evaluated nothing shows nothing.
        return (
            Found("held", examples, engine=engine, notes=notes) if examples else _malformed("no example was evaluated")
        )
    case, failure = raw.get("case"), understood_failure(raw.get("failure"))
    index, steps = _count(raw.get("example_index")), _count(raw.get("shrink_steps"))
    if type(case) is not dict or failure is None or index is None or steps is None:
        return _malformed("the failing case is incomplete")
    return Found("failed", examples, case, index, steps, engine, failure, reason, notes=notes)


def _malformed(why: str) -> Found:
    return Found("absent", reason=f"the child's answer is malformed: {why}")


def _engine(raw: object) -> tuple[str, str] | None:
    if type(raw) is not dict:
        return None
    name, version = raw.get("name"), raw.get("version")
    return (name, version) if type(name) is str and type(version) is str else None


def _count(raw: object) -> int | None:
    return raw if type(raw) is int and raw >= 0 else None


def _list(raw: object) -> list[object]:
    return raw if type(raw) is list else []


def _short(raw: object) -> str | None:
    return raw[:_LONGEST] if type(raw) is str else None

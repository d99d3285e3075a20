"""A function judged on many rows of cases, or once on a folder of fixtures. Standard library only, CPython 3.8 or newer.

What is said of each row is kept short, since all of it is one frame: failures are told once each, and texts for people are
left out once they have used up their room.
"""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from freezegate.running.harness import freezegate_wire
else:
    import freezegate_wire

globals()["__builtins__"] = dict(vars(builtins))  # which the project cannot replace

# Taken now: the function may replace any of them.
_path: Any = None
_encode = freezegate_wire.encode
_TEXT_ROOM = 3 << 20  # bytes; a frame has 8 MiB
_LEFT_OUT = "the reason is left out: too much was said of the rows before"


def prepare(job: dict[str, Any]) -> None:
    """Import what a folder is given as: it takes as long as all else of the start, and cases do without."""
    global _path  # noqa: PLW0603 - the module is gone from the table of modules by the time that it answers
    if job["argument"] == "fixtures":
        from pathlib import Path

        _path = Path


def answered(
    argument: str,
    given: Any,
    predicate: Callable[[Any], Any],
    judge: Callable[[Callable[[Any], Any], Any], Any],
    describe: Callable[[Any], dict[str, Any]],
) -> dict[str, Any]:
    """One row of answer for each case of the list `given`, or the one for the path `given` (argument ``fixtures``).

    A row is label, text (the message of a failure, the reason of an absent one) and the index of its failure. Each case
    was read from JSON by itself and is given once, so that no row sees what the function did to another's.
    """
    inputs = [_path(given)] if argument == "fixtures" else given
    failures: list[dict[str, Any]] = []
    known: dict[tuple[Any, ...], int] = {}
    rows = []
    room = _TEXT_ROOM
    for one in inputs:
        label, reason, error = judge(predicate, one)
        text, index = reason or "", None
        if label == "fail":
            failure = describe(error)
            text = failure.pop("message")
            index = known.setdefault(tuple(failure.values()), len(failures))
            if index == len(failures):
                failures.append(failure)
        room -= len(_encode(text))
        if room < 0 and text:
            text = _LEFT_OUT if label == "absent" else ""
        rows.append([label, text, index])
    return {"outcome": "done", "rows": rows, "failures": failures}

"""All cases that a search would judge, for whoever judges them elsewhere. Needs what a search needs."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from freezegate.running.harness import freezegate_hypothesis, freezegate_search
else:
    import freezegate_hypothesis
    import freezegate_search

prepare = freezegate_search.prepare
Unprepared = freezegate_hypothesis.Unprepared
_ROOM = 4 << 20  # bytes of cases in one answer; a frame has 8 MiB


def generated(
    job: Mapping[str, Any], generator: Any, judge: Any, describe: Any, report: Callable[[int], object], skipped: int
) -> dict[str, Any]:
    """The different cases that the generator gives for the job's domain, seed and number, without the first `skipped`.

    As many as one answer has room for. `total` and `sha256` are those of all, so that answers can be put together.
    """
    cases: dict[str, Any] = {}

    def keep(case: Any) -> None:
        cases.setdefault(json.dumps(case, sort_keys=True), case)

    result = freezegate_search.search(job, keep, generator, judge, describe, report)
    if result["outcome"] != "held":
        return {"outcome": result["outcome"], "reason": result["reason"]}
    part: list[Any] = []
    room = _ROOM
    for text, case in list(cases.items())[skipped:]:
        room -= len(text)
        if room < 0 and part:
            break
        part.append(case)
    total = hashlib.sha256("\n".join(cases).encode("ascii")).hexdigest()
    return {"outcome": "generated", "cases": part, "total": len(cases), "sha256": total}

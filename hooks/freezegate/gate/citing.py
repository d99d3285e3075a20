"""The citation of a closed record: what the file says, or why it may not be written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta

from freezegate.documents import checks
from freezegate.documents.citation import FREEZE_REASON
from freezegate.documents.reading import read_citation
from freezegate.gate.alone import Refusal
from freezegate.gate.governed import Governed
from freezegate.paths import RepoPath
from freezegate.text import quoted

_SHOWN = 5
_CALLED: dict[str | int, str] = {"generator": "generator", "seed_lock": "seed lock", "inputs": "input"}


@dataclass(frozen=True)
class Written:
    """A citation as it is to be written."""

    path: RepoPath
    data: bytes

    def equals(self, present: bytes | None) -> bool:
        """Whether the file that is there says the same."""
        return present is not None and read_citation(present).document == read_citation(self.data).document


def citation(tree: Governed, scope_id: str) -> Written:
    """The citation of the record that `tree` holds for the scope id. Raises Refusal."""
    if not checks.SCOPE_ID.fullmatch(scope_id):
        raise Refusal(f"{quoted(scope_id)} is no scope id: dotted parts of a-z, 0-9 and _")
    binding = tree.binding(scope_id)
    if not binding.is_anything:
        known = sorted({each for each in tree.bound_ids() if tree.record(each) is not None})
        shown = f"; there are records of {', '.join(known[:_SHOWN])}" if known else ""
        retain = f"freezegate property-run --scope {scope_id}, then freezegate bind" if tree.scope_of(scope_id) else ""
        raise Refusal(f"there is no record of {scope_id}{shown}{'; ' if retain else ''}{retain}")
    if binding.open_because:
        raise Refusal(f"the record of {scope_id} is open: {binding.open_because}")
    path = tree.citation_path(scope_id)
    if (step := tree.snapshot.obstruction(path)) is not None:
        raise Refusal(f"{step[0]} is a link or submodule")
    record = binding.stated
    assert record is not None
    document = {
        "scope_id": record.scope_id,
        "fixture_digest": record.fixture_digest,
        "counterexample_sha256": record.counterexample_sha256,
        "class_local": record.class_local,
        "class_isolated": record.class_isolated,
        "freeze_reason": FREEZE_REASON,
    }
    if (days := tree.config.policy.expiry_days) is not None:
        document["expires"] = _later(tree.day, days).isoformat()
    return Written(path, (json.dumps(document, indent=2) + "\n").encode("ascii"))


def staged_otherwise(staged: Governed, present: Governed, scope_id: str) -> dict[RepoPath, str]:
    """Files that the binding of the scope id rests on, and that `present` holds otherwise than `staged`: path to what
    the file is.
    """
    if not checks.SCOPE_ID.fullmatch(scope_id):
        return {}
    files = {present.record_path(scope_id): "record", present.case_path(scope_id): "counterexample"}
    if (scope := present.scope_of(scope_id)) is not None:
        files[scope.path] = "scope"
        for name in scope.named[1:]:
            if name.path is not None:
                files[name.path] = _CALLED[name.pointer[0]]
    return {path: what for path, what in files.items() if present.entry(path) not in (None, staged.entry(path))}


def _later(day: date, days: int) -> date:
    """`days` after `day`; the last day that can be written where that is beyond the calendar."""
    return min(day + timedelta(days=min(days, (date.max - day).days)), date.max)

"""The citation of a closed record: what the file says, or why it may not be written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice

from freezegate.documents import checks
from freezegate.documents.citation import FREEZE_REASON
from freezegate.documents.reading import read_citation
from freezegate.gate.alone import Refusal
from freezegate.gate.governed import Governed
from freezegate.gate.saying import did_you_mean
from freezegate.paths import RepoPath
from freezegate.text import quoted

_SHOWN = 5
_LOOKED_AT = 100  # scopes of which one may be meant
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
        meant = did_you_mean(scope_id, _known(tree)) or "dotted parts of a-z, 0-9 and _"
        raise Refusal(f"{quoted(scope_id)} is no scope id: {meant}")
    binding = tree.binding(scope_id)
    if not binding.is_anything:
        recorded = ", ".join(_recorded(tree)[:_SHOWN])
        meant = "" if tree.scope_of(scope_id) else did_you_mean(scope_id, _known(tree))
        shown = meant or (f"there are records of {recorded}" if recorded else "")
        raise Refusal(f"there is no record of {scope_id}{'; ' if shown else ''}{shown}")
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


def without_record(present: Governed, scope_id: str) -> str:
    """How to come by a record where a scope has none: with what command; empty where that is not what is missing."""
    if not checks.SCOPE_ID.fullmatch(scope_id):
        return ""
    binding = present.binding(scope_id)
    if binding.record is not None or binding.scope is None:
        return ""
    if binding.case is not None:
        return binding.bind_command
    return f"freezegate property-run --scope {scope_id}, then freezegate bind"


def _recorded(tree: Governed) -> list[str]:
    return sorted({each for each in tree.bound_ids() if tree.record(each) is not None})


def _known(tree: Governed) -> list[str]:
    """Ids that have a record or a scope."""
    views = islice(tree.finder.every(), _LOOKED_AT)
    return [*_recorded(tree), *(view.value.scope_id for view in views if view.value is not None)]


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

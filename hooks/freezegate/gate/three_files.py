"""A citation, its record and its counterexample as three local files: whether the binding is closed over them."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

from freezegate.documents.loading import LoadError, load_json
from freezegate.documents.reading import Reading, read_citation, read_counterexample, read_record

CLOSED, UNREADABLE, MISMATCH, NOT_FAIL, OTHER_BYTES = 0, 1, 2, 3, 4

_TRIPLE = ("scope_id", "fixture_digest", "counterexample_sha256")
_LABELS = ("class_local", "class_isolated")
_CASE = ("scope_id", "seed", "example_index", "input", "predicate_result", "shrink_steps")


class Answer(NamedTuple):
    """The exit status (one of the names above) and the reason in words."""

    status: int
    reason: str


class _Kind(NamedTuple):
    name: str
    keys: tuple[str, ...]
    read: Callable[[bytes], Reading[Any]]


_KINDS = (
    _Kind("citation", (*_TRIPLE, *_LABELS, "freeze_reason"), read_citation),
    _Kind("record", (*_TRIPLE, *_LABELS), read_record),
    _Kind("counterexample", _CASE, read_counterexample),
)


def compare(citation: bytes, record: bytes, case: bytes) -> Answer:
    """Judge the bytes of the three files. Never raises: what cannot be read is an answer."""
    values: list[dict[str, Any]] = []
    absent: list[str] = []
    for kind, data in zip(_KINDS, (citation, record, case), strict=True):
        try:
            value = load_json(data).value
        except LoadError as error:
            place = f"line {error.line}, column {error.column}"
            return Answer(UNREADABLE, f"the {kind.name} cannot be read: {place}: {error.message}")
        if not isinstance(value, dict):
            return Answer(UNREADABLE, f"the {kind.name} is no JSON object")
        for key in kind.keys:
            if value.get(key) is None:
                absent.append(f"{key} is {'null' if key in value else 'missing'} in the {kind.name}")
        values.append(value)
    if absent:
        return Answer(MISMATCH, "; ".join(absent))
    for kind, data in zip(_KINDS, (citation, record, case), strict=True):
        if problems := kind.read(data).problems:
            first = problems[0]
            return Answer(UNREADABLE, f"the {kind.name} is refused: line {first.line}: {first.message}")
    cited, stated, kept = values
    differing = [f"{key} differs between citation and record" for key in _TRIPLE if cited[key] != stated[key]]
    if kept["scope_id"] != cited["scope_id"]:
        differing.append("scope_id differs between citation and counterexample")
    if differing:
        return Answer(MISMATCH, "; ".join(differing))
    for kind, value in zip(_KINDS, values, strict=False):
        for key in _LABELS:
            if kind.name != "counterexample" and value[key] != "fail":
                return Answer(NOT_FAIL, f"{key} of the {kind.name} is {value[key]}, not fail")
    found = sha256(case).hexdigest()
    if found != cited["counterexample_sha256"]:
        return Answer(OTHER_BYTES, f"the counterexample has the hash {found}, not {cited['counterexample_sha256']}")
    return Answer(CLOSED, f"the binding of {cited['scope_id']} is closed")

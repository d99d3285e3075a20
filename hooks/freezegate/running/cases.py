"""A counterexample file as it is evaluated: its bytes, and the one input in it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from freezegate.documents.counterexample import Counterexample
from freezegate.documents.domain import Domain, outside
from freezegate.documents.reading import read_counterexample
from freezegate.errors import CannotJudge

_LIMIT = 1 << 20


@dataclass(frozen=True)
class Case:
    """A retained case, strictly loaded. `shown` names the file in messages."""

    shown: str
    data: bytes
    document: Counterexample

    @property
    def sha256(self) -> str:
        """Hash of the file's bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def input_json(self) -> bytes:
        """The input alone, as JSON."""
        return json.dumps(self.document.input).encode("ascii")


def case_in(data: bytes, shown: str, scope_id: str, domain: Domain) -> Case:
    """The case in a counterexample file's bytes. Raises CannotJudge where it is unreadable, of another scope, or has a
    declared field outside the domain.
    """
    if len(data) > _LIMIT:
        raise CannotJudge(f"{shown} is larger than 1 MiB", "keep documents below 1 MiB")
    reading = read_counterexample(data)
    if reading.document is None:
        first = reading.problems[0]
        raise CannotJudge(
            f"{shown}, line {first.line}, column {first.column}: {first.message}", "retain the case again"
        )
    if reading.document.scope_id != scope_id:
        raise CannotJudge(
            f"{shown} is a case of {reading.document.scope_id}, not of {scope_id}", "name a case of this scope"
        )
    for pointer, why in outside(domain, reading.document.input):
        where = "/".join(map(str, ("", "input", *pointer)))
        raise CannotJudge(f"{shown}: {where}: {why}", "retain a case inside the domain that the scope declares")
    return Case(shown, data, reading.document)

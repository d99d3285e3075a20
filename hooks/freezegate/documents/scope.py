"""The scope document: ties an id, a predicate, a domain and a generator together."""

from __future__ import annotations

import re
from dataclasses import dataclass

from freezegate.documents import checks
from freezegate.documents.checks import shown
from freezegate.documents.domain import Domain, domain_from_value
from freezegate.documents.refusal import Refused

SCHEMA_VERSION = 3
RESERVED_LAST_PARTS = frozenset(("cex", "freeze", "scope"))

_REQUIRED = frozenset(("scope_id", "predicate", "domain", "generator", "schema_version"))
_OPTIONAL = frozenset(("description", "inputs", "seed_lock", "predicate_digest"))
_PREDICATE = re.compile(r"(.*):([A-Za-z_][A-Za-z0-9_]*)", re.DOTALL)


@dataclass(frozen=True)
class Scope:
    """A scope as its document states it; paths are unjudged text."""

    scope_id: str
    predicate: str
    predicate_path: str
    predicate_function: str
    domain: Domain
    generator: str
    schema_version: int = SCHEMA_VERSION
    description: str | None = None
    inputs: tuple[str, ...] = ()
    seed_lock: str | None = None
    predicate_digest: str | None = None

    @classmethod
    def from_value(cls, value: object) -> Scope:
        """The scope in a loaded document. Raises Refused."""
        given = checks.members(value, _REQUIRED, _OPTIONAL)
        _version(given["schema_version"])
        scope_id = checks.scope_id(given["scope_id"], ("scope_id",))
        predicate = checks.string(given["predicate"], ("predicate",))
        named = _PREDICATE.fullmatch(predicate)
        if named is None:
            raise Refused(("predicate",), f"{shown(predicate)} is not path:function")
        description = given.get("description")
        if "description" in given:
            checks.string(description, ("description",))
        seed_lock = checks.string(given["seed_lock"], ("seed_lock",)) if "seed_lock" in given else None
        predicate_digest = None
        if "predicate_digest" in given:
            predicate_digest = checks.digest(given["predicate_digest"], ("predicate_digest",))
        scope = cls(
            scope_id=scope_id,
            predicate=predicate,
            predicate_path=named[1],
            predicate_function=named[2],
            domain=domain_from_value(given["domain"], ("domain",)),
            generator=checks.string(given["generator"], ("generator",)),
            description=description,
            inputs=_inputs(given["inputs"]) if "inputs" in given else (),
            seed_lock=seed_lock,
            predicate_digest=predicate_digest,
        )
        last = scope_id.rpartition(".")[2]
        if last in RESERVED_LAST_PARTS:
            message = f"{shown(scope_id)} may not end in {shown(last)}: file names of documents do"
            raise Refused(("scope_id",), message, beyond=True)
        return scope


def _version(value: object) -> None:
    if type(value) is not int or value != SCHEMA_VERSION:
        raise Refused(("schema_version",), f"{shown(value)} is not a schema version: it is {SCHEMA_VERSION} today")


def _inputs(value: object) -> tuple[str, ...]:
    items = checks.sequence(value, ("inputs",))
    seen: set[str] = set()
    for index, item in enumerate(items):
        if checks.string(item, ("inputs", index)) in seen:
            raise Refused(("inputs", index), f"{shown(item)} is listed twice")
        seen.add(item)
    return tuple(items)

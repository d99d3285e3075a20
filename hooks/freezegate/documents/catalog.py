"""The catalog: one property a file, and the list of the ids that are claimed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from freezegate.documents import checks
from freezegate.documents.checks import shown
from freezegate.documents.refusal import Refused

LONGEST_ID = 200

_REQUIRED = frozenset(("id", "oracle", "claim", "mutates_fixture"))
_OPTIONAL = frozenset(("cases", "scope", "volatile"))
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Property:
    """A catalog entry; paths are unjudged text.

    `oracle` is a path, ``path:function`` or a pytest node id; it is there in parts too: `oracle_path`, and
    `oracle_function` or `oracle_node` (all after the first ``::``) where the text names one.
    """

    id: str
    oracle: str
    oracle_path: str
    oracle_function: str | None
    oracle_node: str | None
    claim: str
    mutates_fixture: bool
    cases: str | None = None
    scope: str | None = None
    volatile: tuple[str, ...] = ()

    @classmethod
    def from_value(cls, value: object) -> Property:
        """The property in a loaded document. Raises Refused."""
        given = checks.members(value, _REQUIRED, _OPTIONAL)
        if "cases" in given and "scope" in given:
            raise Refused((), "a property has cases or a scope, not both")
        oracle = checks.text(given["oracle"], ("oracle",))
        path, function, node = split_oracle(oracle)
        return cls(
            id=_property_id(given["id"]),
            oracle=oracle,
            oracle_path=path,
            oracle_function=function,
            oracle_node=node,
            claim=checks.text(given["claim"], ("claim",)),
            mutates_fixture=checks.boolean(given["mutates_fixture"], ("mutates_fixture",)),
            cases=checks.string(given["cases"], ("cases",)) if "cases" in given else None,
            scope=checks.string(given["scope"], ("scope",)) if "scope" in given else None,
            volatile=checks.unique_texts(given["volatile"], ("volatile",), 1) if "volatile" in given else (),
        )


@dataclass(frozen=True)
class Claimed:
    """The claimed property ids in the order of the file; none at all is legal here, a rule judges it."""

    ids: tuple[str, ...] = ()

    @classmethod
    def from_value(cls, value: object) -> Claimed:
        """The claims in a loaded document. Raises Refused."""
        return cls(checks.unique_texts(value, ()))


def split_oracle(oracle: str) -> tuple[str, str | None, str | None]:
    """Path, function and pytest node of an oracle's text; at most one of the last two is there."""
    if "::" in oracle:
        path, _, node = oracle.partition("::")
        return path, None, node
    path, colon, function = oracle.rpartition(":")
    return (path, function, None) if colon else (oracle, None, None)


def _property_id(value: object) -> str:
    if type(value) is not str or not _ID.fullmatch(value):
        raise Refused(("id",), f"{shown(value)} is not a property id: letters, digits, _, . and -")
    if len(value) > LONGEST_ID:
        raise Refused(("id",), f"{shown(value)} is longer than {LONGEST_ID} characters")
    return value

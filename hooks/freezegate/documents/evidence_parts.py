"""What the evidence files have in common: their marks, their header, and the tests of single values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from freezegate.documents import checks
from freezegate.documents.refusal import Refused
from freezegate.documents.strict_text import Pointer

T = TypeVar("T")

VERSION = 1
HEADER = ("fixture_digest", "base_revision", "head_revision")

_MARKS = frozenset(("freezegate_artifact", "format_version"))


def marks(name: str) -> dict[str, Any]:
    """What every evidence object of ours begins with."""
    return {"freezegate_artifact": name, "format_version": VERSION}


def whole_object(value: object, name: str, required: Sequence[str], optional: frozenset[str] = frozenset()) -> Any:
    """`value` as the evidence object `name`; its marks may be left out, but not be another's. Raises Refused."""
    given = checks.members(value, frozenset(required), optional | _MARKS)
    if "freezegate_artifact" in given:
        checks.word(given["freezegate_artifact"], ("freezegate_artifact",), (name,))
    version = given.get("format_version", VERSION)
    if type(version) is not int or version != VERSION:
        raise Refused(("format_version",), f"{checks.shown(version)} is not {VERSION}")
    return given


def header(given: dict[str, Any]) -> tuple[str, str, str]:
    """Fixture digest, base revision and head revision. Raises Refused."""
    return (
        checks.digest(given["fixture_digest"], ("fixture_digest",)),
        checks.object_id(given["base_revision"], ("base_revision",)),
        checks.object_id(given["head_revision"], ("head_revision",)),
    )


def header_json(document: Any) -> dict[str, Any]:
    """The header as it is written."""
    return {name: getattr(document, name) for name in HEADER}


def rows(value: object, at: Pointer, construct: Callable[[object, Pointer], T]) -> tuple[T, ...]:
    """A list, each item by `construct`. Raises Refused."""
    return tuple(construct(each, (*at, index)) for index, each in enumerate(checks.sequence(value, at)))


def signature(value: object, at: Pointer) -> str | None:
    """A signature or null. Raises Refused."""
    return None if value is None else checks.hex64(value, at)


def optional_text(given: dict[str, Any], key: str, at: Pointer) -> str | None:
    """The text under a key that may be left out. Raises Refused."""
    return checks.text(given[key], (*at, key)) if key in given else None


def unique_ids(ids: Sequence[str], at: Pointer) -> None:
    """Raise Refused at the first row whose id an earlier one has."""
    seen: set[str] = set()
    for index, prop_id in enumerate(ids):
        if prop_id in seen:
            raise Refused((*at, index, "prop_id"), f"{checks.shown(prop_id)} has two rows", beyond=True)
        seen.add(prop_id)


def told(**texts: str | None) -> dict[str, str]:
    """The texts that are there, fit for a strict reader: no document may hold an unpaired surrogate."""
    return {key: clean(text) for key, text in texts.items() if text}


def clean(text: str) -> str:
    """The text with unpaired surrogates as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

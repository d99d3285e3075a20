"""Which YAML fields must stand in the source byte for byte, so that a byte search for a value finds them."""

from __future__ import annotations

from collections.abc import Iterable

from freezegate.documents.strict_text import Pointer

_FIELDS = {
    "scope": frozenset(("scope_id", "predicate", "generator", "seed_lock", "predicate_digest")),
    "property": frozenset(("id", "oracle", "scope", "cases")),
}


def literal_fields(kind: str, folded: Iterable[Pointer]) -> list[Pointer]:
    """Those of the `folded` scalars that hold an id, a path or a digest."""
    return sorted((pointer for pointer in folded if _is_literal(kind, pointer)), key=_order)


def _is_literal(kind: str, pointer: Pointer) -> bool:
    if kind == "config":
        return len(pointer) > 1 and pointer[0] == "layout"
    if kind == "scope" and len(pointer) == 2:
        return pointer[0] == "inputs"
    return len(pointer) == 1 and pointer[0] in _FIELDS[kind]


def _order(pointer: Pointer) -> tuple[tuple[bool, int, str], ...]:
    return tuple((type(part) is int, part if type(part) is int else 0, str(part)) for part in pointer)

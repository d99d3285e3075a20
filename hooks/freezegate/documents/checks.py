"""The small tests that the documents' constructors are made of. Each returns its value or raises Refused."""

from __future__ import annotations

import re
from typing import Any

from freezegate.documents.refusal import Refused
from freezegate.documents.strict_text import Pointer
from freezegate.text import quoted

HEX = "0123456789abcdef"
SCOPE_ID = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)+")
LONGEST_SCOPE_ID = 120

_NONE: frozenset[str] = frozenset()


def members(
    value: object, required: frozenset[str], optional: frozenset[str] = _NONE, at: Pointer = ()
) -> dict[str, Any]:
    """`value` as a mapping that has every required key and no other than the named ones."""
    if type(value) is not dict:
        raise Refused(at, f"{shown(value)} is not a mapping")
    keys = value.keys()
    if keys != required:
        for key in sorted(required - keys):
            raise Refused(at, f"the key {quoted(key)} is missing")
        for key in value:
            if key not in required and key not in optional:
                raise Refused((*at, key), f"the key {quoted(key)} is not known here")
    return value


def mapping(value: object, at: Pointer) -> dict[str, Any]:
    """`value` as a mapping of any keys."""
    if type(value) is not dict:
        raise Refused(at, f"{shown(value)} is not a mapping")
    return value


def sequence(value: object, at: Pointer, least: int = 0) -> list[Any]:
    """`value` as a list of at least `least` items."""
    if type(value) is not list:
        raise Refused(at, f"{shown(value)} is not a list")
    if len(value) < least:
        raise Refused(at, "the list is empty" if least == 1 else f"the list has fewer than {least} items")
    return value


def string(value: object, at: Pointer) -> str:
    """`value` as a string, which may be empty."""
    if type(value) is not str:
        raise Refused(at, f"{shown(value)} is not a string")
    return value


def text(value: object, at: Pointer) -> str:
    """`value` as a string that is not empty."""
    if type(value) is not str:
        raise Refused(at, f"{shown(value)} is not a string")
    if not value:
        raise Refused(at, "the string is empty")
    return value


def boolean(value: object, at: Pointer) -> bool:
    """`value` as a boolean."""
    if type(value) is not bool:
        raise Refused(at, f"{shown(value)} is not true or false")
    return value


def whole(value: object, at: Pointer, least: int = 0) -> int:
    """`value` as an integer of at least `least`; neither ``true`` nor ``1.0`` is one."""
    if type(value) is not int:
        raise Refused(at, f"{shown(value)} is not an integer")
    if value < least:
        raise Refused(at, f"{shown(value)} is below {least}")
    return value


def word(value: object, at: Pointer, allowed: tuple[str, ...]) -> str:
    """`value` as one of the `allowed` strings."""
    if type(value) is not str or value not in allowed:
        choice = " or ".join(quoted(each) for each in allowed)
        raise Refused(at, f"{shown(value)} is not {choice}")
    return value


def scope_id(value: object, at: Pointer) -> str:
    """`value` as a scope id: two or more dotted parts, at most 120 characters."""
    if type(value) is not str or not SCOPE_ID.fullmatch(value):
        raise Refused(at, f"{shown(value)} is not a scope id: dotted parts of a-z, 0-9 and _")
    if len(value) > LONGEST_SCOPE_ID:
        raise Refused(at, f"{shown(value)} is longer than {LONGEST_SCOPE_ID} characters")
    return value


def hex64(value: object, at: Pointer) -> str:
    """`value` as 64 lower-case hex digits."""
    if type(value) is not str or len(value) != 64 or value.strip(HEX):
        raise Refused(at, f"{shown(value)} is not 64 lower-case hex digits")
    return value


def digest(value: object, at: Pointer) -> str:
    """`value` as a digest of either formula: 64 hex digits, or ``sized:`` before them."""
    if type(value) is str:
        digits = value[6:] if value.startswith("sized:") else value
        if len(digits) == 64 and not digits.strip(HEX):
            return value
    raise Refused(at, f'{shown(value)} is not a digest: 64 lower-case hex digits, or "sized:" before them')


def object_id(value: object, at: Pointer) -> str:
    """`value` as a full git object id: 40 hex digits (SHA-1) or 64 (SHA-256)."""
    if type(value) is not str or len(value) not in (40, 64) or value.strip(HEX):
        raise Refused(at, f"{shown(value)} is not a full object id: 40 or 64 lower-case hex digits")
    return value


def unique_texts(value: object, at: Pointer, least: int = 0) -> tuple[str, ...]:
    """`value` as a list of different strings, none empty."""
    items = sequence(value, at, least)
    seen: set[str] = set()
    for index, item in enumerate(items):
        if text(item, (*at, index)) in seen:
            raise Refused((*at, index), f"{shown(item)} is listed twice")
        seen.add(item)
    return tuple(items)


def shown(value: object) -> str:
    """A value as a message shows it: short, escaped, typed as a reader of the document sees it."""
    if type(value) is str:
        return quoted(value)
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is dict:
        return "a mapping"
    if type(value) is list:
        return "a list"
    if type(value) is int and value.bit_length() > 256:
        return "a long integer"
    return repr(value)

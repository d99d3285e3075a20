"""Why a document is refused, in the words of its JSON Schema: every violation, not only the first.

The constructors decide quickly; here jsonschema goes over a refused value once more. Its keywords are
replaced where the library's own message would quote a whole value, or where its notion of a type is too wide.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import jsonschema
from jsonschema.exceptions import ValidationError

from freezegate.documents.checks import shown
from freezegate.documents.refusal import MOST_PROBLEMS, QUOTE_IT, Refused
from freezegate.documents.schemas import schema
from freezegate.documents.strict_text import Pointer
from freezegate.text import quoted, shell_word

_MOST_COUNTED = 1000
_LONGEST_POINTER = 200
_LONGEST_KEY = 40
_CLOSE = 0.75  # of difflib's ratio: a letter or two, in a word of eight
_DIGEST_KEYS = frozenset(
    ("predicate_digest", "fixture_digest", "counterexample_sha256", "signature", "base_revision", "tree")
)

_Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError]]


class Explained(NamedTuple):
    """One violation: where, a message that begins with the JSON pointer (RFC 6901), and the edit if known."""

    pointer: Pointer
    text: str
    hint: str


def explain(kind: str, value: object, refusal: Refused) -> list[Explained]:
    """Why a constructor refused a value: 1 to 20 violations, and one that counts the rest.

    Where the schema finds nothing (a demand beyond it) or can't be followed (deep nesting in a deep stack),
    the constructor's refusal is the answer.
    """
    try:
        found = list(islice(violations(kind, value), _MOST_COUNTED))
    except RecursionError:
        found = []
    if not found:
        found = [(refusal.pointer, refusal.message)]
    explained = [
        Explained(pointer, _text(pointer, message), _hint(kind, value, pointer))
        for pointer, message in found[:MOST_PROBLEMS]
    ]
    rest = len(found) - MOST_PROBLEMS
    if rest > 0:
        count = f"at least {rest}" if len(found) == _MOST_COUNTED else str(rest)
        explained.append(Explained((), f"and {count} more", ""))
    return explained


def violations(kind: str, value: object) -> Iterator[tuple[Pointer, str]]:
    """All violations of the kind's schema, lazily. May raise RecursionError."""
    for error in _validator(kind).iter_errors(value):
        yield tuple(error.absolute_path), error.message


def _text(pointer: Pointer, message: str) -> str:
    shown_pointer = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in pointer)
    if len(shown_pointer) > _LONGEST_POINTER:
        shown_pointer = shown_pointer[:_LONGEST_POINTER] + "..."
    return f"{shown_pointer}: {message}" if pointer else message


def _hint(kind: str, value: Any, pointer: Pointer) -> str:
    if not pointer or pointer[-1] not in _DIGEST_KEYS:
        return ""
    for part in pointer:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return ""
    if type(value) in (int, float):
        return QUOTE_IT
    return _ledger_hint(value, pointer[-1]) if kind == "ledger" else ""


def _ledger_hint(value: object, key: str | int) -> str:
    """Where the value of a field comes from, which nobody can make up."""
    if key == "base_revision":
        named = type(value) is str and 0 < len(value) <= _LONGEST_KEY and not value.startswith("-")
        revision = shell_word(str(value)) if named else "REV"
        return f"edit it to the full id, which git rev-parse {revision} gives"
    if key == "signature":
        return "freezegate reproduce writes it: edit the entry to one of those that it wrote"
    return "freezegate fixture-lock prints it" if key == "fixture_digest" else ""


@cache
def _validator(kind: str) -> Any:
    base = jsonschema.Draft202012Validator
    types = base.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: type(value) is int,
            "number": lambda _, value: type(value) in (int, float),
        }
    )
    extend: Any = jsonschema.validators.extend
    return extend(base, _KEYWORDS, type_checker=types)(schema(kind))


def _type(validator: Any, types: Any, value: Any, _: Any) -> Iterator[ValidationError]:
    allowed = [types] if isinstance(types, str) else types
    if not any(validator.is_type(value, each) for each in allowed):
        yield ValidationError(f"{shown(value)} is not of type {' or '.join(allowed)}")


def _enum(_: Any, allowed: Any, value: Any, __: Any) -> Iterator[ValidationError]:
    if not any(type(value) is type(each) and value == each for each in allowed):
        yield ValidationError(f"{shown(value)} is not {' or '.join(shown(each) for each in allowed)}")


def _const(_: Any, only: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if type(value) is not type(only) or value != only:
        today = ", the version of today" if schema.get("title") == "schema version" else ""
        yield ValidationError(f"{shown(value)} is not {shown(only)}{today}")


def _required(_: Any, names: Any, value: Any, __: Any) -> Iterator[ValidationError]:
    if type(value) is dict:
        for name in names:
            if name not in value:
                yield ValidationError(f"the key {quoted(name)} is missing")


def _additional(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if type(value) is not dict:
        return
    declared = schema.get("properties", {})
    for name, member in value.items():
        if name in declared:
            continue
        if allowed is False:
            free = [key for key in declared if key not in value]
            yield ValidationError(f"the key {quoted(name)} is not known here{_nearest(name, free)}", path=(name,))
        else:
            yield from validator.descend(member, allowed, path=name)


def _nearest(name: str, keys: list[str]) -> str:
    """The one of `keys` that was likely meant, as the end of a message; empty where none is close."""
    from difflib import get_close_matches

    close = get_close_matches(name.casefold(), keys, 1, _CLOSE) if len(name) <= _LONGEST_KEY else []
    return f"; did you mean {close[0]}?" if close else ""


def _pattern(_: Any, pattern: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    import re

    if type(value) is str and not re.search(pattern, value):
        yield ValidationError(f"{shown(value)} is not {schema.get('title', 'of the form ' + pattern)}")


def _length(value: Any, least: int) -> Iterator[ValidationError]:
    if type(value) is str and len(value) < least:
        yield ValidationError("the string is empty" if least == 1 else f"the string is shorter than {least}")


def _longest(_: Any, most: Any, value: Any, __: Any) -> Iterator[ValidationError]:
    if type(value) is str and len(value) > most:
        yield ValidationError(f"{shown(value)} is longer than {most} characters")


def _min_items(_: Any, least: Any, value: Any, __: Any) -> Iterator[ValidationError]:
    if type(value) is list and len(value) < least:
        yield ValidationError("the list is empty" if least == 1 else f"the list has fewer than {least} items")


def _minimum(validator: Any, least: Any, value: Any, _: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "number") and value < least:
        yield ValidationError(f"{shown(value)} is below {least}")


def _unique(_: Any, demanded: Any, value: Any, __: Any) -> Iterator[ValidationError]:
    if not demanded or type(value) is not list:
        return
    seen: set[str] = set()
    for index, item in enumerate(value):
        typed = json.dumps(item, sort_keys=True)  # tells true, 1 and 1.0 apart
        if typed in seen:
            yield ValidationError(f"{shown(item)} is listed twice", path=(index,))
        seen.add(typed)


def _not(validator: Any, refused: Any, value: Any, _: Any) -> Iterator[ValidationError]:
    if validator.evolve(schema=refused).is_valid(value):
        yield ValidationError(refused.get("description", f"{shown(value)} is refused"))


_KEYWORDS: dict[str, _Keyword] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "required": _required,
    "additionalProperties": _additional,
    "pattern": _pattern,
    "minLength": lambda _, least, value, __: _length(value, least),
    "maxLength": _longest,
    "minItems": _min_items,
    "minimum": _minimum,
    "uniqueItems": _unique,
    "not": _not,
}

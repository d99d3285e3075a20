"""The input space that a scope declares, and whether a case lies in it.

Membership compares typed values: ``true``, ``1`` and ``1.0`` are three. Keys beyond the declared ones are
welcome at every level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from freezegate.documents.checks import mapping, members, sequence, shown, text, whole, word
from freezegate.documents.refusal import Refused
from freezegate.documents.strict_text import Pointer

Scalar = str | int | float | bool | None
Violation = tuple[Pointer, str]

_TYPES = ("boolean", "string", "list", "object")
_SCALARS = (str, int, float, bool, type(None))
_RANGE = frozenset(("min", "max"))
_BOOLEAN = frozenset(("type",))
_STRING = frozenset(("type", "min_length", "max_length"))
_ALPHABET = frozenset(("alphabet",))
_LIST = frozenset(("type", "items", "min_items", "max_items"))
_OBJECT = frozenset(("type", "fields"))
_MOST_VIOLATIONS = 20


class Enumeration(NamedTuple):
    """One of the listed scalars; `typed` are they with their types, for `True`, `1` and `1.0` are three values."""

    values: tuple[Scalar, ...]
    typed: frozenset[tuple[type, Scalar]]

    @classmethod
    def of(cls, values: tuple[Scalar, ...]) -> Enumeration:
        """The enumeration of these scalars."""
        return cls(values, frozenset((type(each), each) for each in values))

    def violations(self, value: object, at: Pointer) -> Iterator[Violation]:
        if type(value) not in _SCALARS or (type(value), value) not in self.typed:
            yield at, f"{shown(value)} is not one of the listed values"


class Range(NamedTuple):
    """A number from `least` to `most`, both included; an integer where both bounds are."""

    least: int | float
    most: int | float

    def violations(self, value: object, at: Pointer) -> Iterator[Violation]:
        only_integers = type(self.least) is int and type(self.most) is int
        if type(value) is int or (type(value) is float and not only_integers):
            if not self.least <= value <= self.most:
                yield at, f"{shown(value)} is outside {shown(self.least)} to {shown(self.most)}"
        else:
            yield at, f"{shown(value)} is not {'an integer' if only_integers else 'a number'}"


class Boolean(NamedTuple):
    """``true`` or ``false``."""

    def violations(self, value: object, at: Pointer) -> Iterator[Violation]:
        if type(value) is not bool:
            yield at, f"{shown(value)} is not true or false"


class Text(NamedTuple):
    """A string of `min_length` to `max_length` code points, all in `alphabet` where there is one."""

    min_length: int
    max_length: int
    alphabet: frozenset[str] | None = None

    def violations(self, value: object, at: Pointer) -> Iterator[Violation]:
        if type(value) is not str:
            yield at, f"{shown(value)} is not a string"
        elif not self.min_length <= len(value) <= self.max_length:
            bounds = f"{shown(self.min_length)} to {shown(self.max_length)}"
            yield at, f"the string has {len(value)} characters, not {bounds}"
        elif self.alphabet is not None and not self.alphabet.issuperset(value):
            outsider = next(char for char in value if char not in self.alphabet)
            yield at, f"the character {shown(outsider)} is not in the alphabet"


class Items(NamedTuple):
    """A list of `min_items` to `max_items` values, each in the domain `items`."""

    items: Field
    min_items: int
    max_items: int

    def violations(self, value: object, at: Pointer) -> Iterator[Violation]:
        if type(value) is not list:
            yield at, f"{shown(value)} is not a list"
            return
        if not self.min_items <= len(value) <= self.max_items:
            bounds = f"{shown(self.min_items)} to {shown(self.max_items)}"
            yield at, f"the list has {len(value)} items, not {bounds}"
        for index, item in enumerate(value):
            yield from self.items.violations(item, (*at, index))


class Fields(NamedTuple):
    """An object with at least the declared fields, each in its domain."""

    fields: Mapping[str, Field]

    def violations(self, value: object, at: Pointer) -> Iterator[Violation]:
        if type(value) is not dict:
            yield at, f"{shown(value)} is not an object"
            return
        for name, each in self.fields.items():
            if name in value:
                yield from each.violations(value[name], (*at, name))
            else:
                yield at, f"the field {shown(name)} is missing"


Field = Enumeration | Range | Boolean | Text | Items | Fields
Domain = Fields


def outside(domain: Domain, case: Mapping[str, Any]) -> list[Violation]:
    """Where a case leaves its domain: pointers below the case, and why; at most 20, then one that says so."""
    found = list(islice(domain.violations(case, ()), _MOST_VIOLATIONS + 1))
    if len(found) > _MOST_VIOLATIONS:
        found[_MOST_VIOLATIONS:] = [((), "and more fields are outside the domain")]
    return found


def domain_from_value(value: object, at: Pointer = ()) -> Domain:
    """The domain that a scope's `domain` value declares. Raises Refused."""
    return Fields({name: _field(each, (*at, name)) for name, each in mapping(value, at).items()})


def _field(value: object, at: Pointer) -> Field:
    if type(value) is list:
        return _enumeration(value, at)
    if type(value) is not dict:
        raise Refused(at, f"{shown(value)} is neither a list of values nor a mapping")
    if "type" not in value:
        return _range(value, at)
    kind = word(value["type"], (*at, "type"), _TYPES)
    if kind == "boolean":
        members(value, _BOOLEAN, at=at)
        return Boolean()
    if kind == "string":
        return _text(value, at)
    if kind == "list":
        members(value, _LIST, at=at)
        items = _field(value["items"], (*at, "items"))
        return Items(items, *_bounds(value, "min_items", "max_items", at))
    members(value, _OBJECT, at=at)
    return domain_from_value(value["fields"], (*at, "fields"))


def _enumeration(value: object, at: Pointer) -> Enumeration:
    values = sequence(value, at, 1)
    for index, each in enumerate(values):
        if type(each) not in _SCALARS:
            raise Refused((*at, index), f"{shown(each)} is not a scalar")
    return Enumeration.of(tuple(values))


def _range(value: object, at: Pointer) -> Range:
    bounds = members(value, _RANGE, at=at)
    for name in ("min", "max"):
        if type(bounds[name]) not in (int, float):
            raise Refused((*at, name), f"{shown(bounds[name])} is not a number")
    _ordered(bounds, "min", "max", at)
    return Range(bounds["min"], bounds["max"])


def _text(value: object, at: Pointer) -> Text:
    declared = members(value, _STRING, _ALPHABET, at)
    alphabet = frozenset(text(declared["alphabet"], (*at, "alphabet"))) if "alphabet" in declared else None
    return Text(*_bounds(declared, "min_length", "max_length", at), alphabet)


def _bounds(value: dict[str, Any], low: str, high: str, at: Pointer) -> tuple[int, int]:
    least, most = whole(value[low], (*at, low)), whole(value[high], (*at, high))
    _ordered(value, low, high, at)
    return least, most


def _ordered(value: dict[str, Any], low: str, high: str, at: Pointer) -> None:
    if value[low] > value[high]:
        message = f"{low} {shown(value[low])} is above {high} {shown(value[high])}"
        raise Refused(at, message, beyond=True)

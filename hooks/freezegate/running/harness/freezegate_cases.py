"""What a case must be to be kept: one JSON object that JSON carries unchanged. Standard library only, CPython 3.8 or newer."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Place = tuple[Any, Any]  # the place around a value and the last step to it: cheap where no message is needed

# A case lies one level deep in the file that retains it, where 64 levels are read.
MAX_DEPTH = 60
# A file of one MiB holds fewer values than this; the bound ends the copying of objects that share their parts.
MAX_VALUES = 1 << 20
MAX_DIGITS = 1000

_BEYOND: int = 10**MAX_DIGITS
_SMALL = 1 << 62
_CONSTANTS = frozenset((bool, type(None)))
_SHOWN = 80
# Their texts run no code of the project.
_BUILT_IN = (bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset)


class Unsound(Exception):
    """A value that JSON does not carry unchanged; the message names where it is and what."""


def copied(case: Any) -> dict[str, Any]:
    """A copy of a case that shares nothing with it. Raises Unsound.

    Types count exactly: a value of a subclass of a JSON type would come back as another type.
    """
    if type(case) is not dict:
        raise Unsound(f"/input: {_named(case)}, where an object (a dict) is needed")
    return _Copy().of_object(case, ((), "input"), 1)


class _Copy:
    """One copy in the making."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values = 0

    def of_object(self, value: Any, place: Place, depth: int) -> dict[str, Any]:
        self._enter(value, place, depth)
        result = {}
        for key, item in value.items():
            if type(key) is not str:
                raise Unsound(f"{_pointer(place)}: a key is {_named(key)}, and the keys of JSON are strings")
            if not key.isascii():
                _check_text(key, (place, key))
            kind = type(item)
            # Most values, without a call.
            if (kind is str and item.isascii()) or (kind is int and -_SMALL < item < _SMALL) or kind in _CONSTANTS:
                result[key] = item
            else:
                result[key] = self.of_any(item, place, key, depth)
        return result

    def of_any(self, value: Any, place: Place, step: object, depth: int) -> Any:
        kind = type(value)
        if kind is int:
            if not -_BEYOND < value < _BEYOND:
                raise Unsound(f"{_pointer((place, step))}: an integer of more than {MAX_DIGITS} digits")
        elif kind is str:
            if not value.isascii():
                _check_text(value, (place, step))
        elif kind is float:
            if value - value != 0.0:
                raise Unsound(f"{_pointer((place, step))}: {value!r} is not a number of JSON")
        elif kind is dict:
            return self.of_object(value, (place, step), depth + 1)
        elif kind is list:
            place = (place, step)
            depth += 1
            self._enter(value, place, depth)
            result = []
            for item in value:
                kind = type(item)
                if (kind is str and item.isascii()) or (kind is int and -_SMALL < item < _SMALL) or kind in _CONSTANTS:
                    result.append(item)
                else:
                    result.append(self.of_any(item, place, len(result), depth))
            return result
        elif kind is not bool and value is not None:
            raise Unsound(f"{_pointer((place, step))}: {_named(value)}")
        return value

    def _enter(self, value: Any, place: Place, depth: int) -> None:
        self.values += len(value)
        if depth > MAX_DEPTH:
            raise Unsound(f"{_pointer(place)}: objects and lists are nested more than {MAX_DEPTH} deep")
        if self.values > MAX_VALUES:
            raise Unsound(f"/input: more than {MAX_VALUES} values")


def _check_text(text: str, place: Place) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Unsound(f"{_pointer(place)}: an unpaired surrogate in {_short(ascii(text))}") from None


def _pointer(place: Place) -> str:
    steps = []
    while place:
        place, step = place
        steps.append(str(step))
    text = "/" + "/".join(reversed(steps))
    return _short(text.encode("utf-8", "backslashreplace").decode())


def _named(value: Any) -> str:
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    described = f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
    if value is None:
        return "null"
    if kind not in _BUILT_IN:
        return described
    try:
        return f"{described}, {_short(ascii(reprlib.repr(value))[1:-1])}"
    except Exception:  # raised by the text of something that it holds
        return described


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."

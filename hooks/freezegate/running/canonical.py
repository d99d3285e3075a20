"""JSON as bytes: one form to hash a value by, and the form of files that are retained."""

from __future__ import annotations

import json
from json import encoder
from math import isfinite
from typing import Any

from freezegate.documents.json_loading import load
from freezegate.documents.strict_text import LoadError

_string: Any = encoder.encode_basestring
_CONSTANTS = {None: "null", True: "true", False: "false"}


def canonical(value: object) -> bytes:
    """The canonical JSON of RFC 8785, but for integers: those are written in full, whatever their size.

    Keys are sorted by UTF-16 code units, and numbers with a fraction or exponent are written as ECMAScript writes
    them. So `1` and `1.0` have the same form, and `true` another. Raises ValueError for what has none: NaN, infinities,
    unpaired surrogates, and values that are no JSON.
    """
    parts: list[str] = []
    _write(value, parts)
    try:
        return "".join(parts).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a string holds an unpaired surrogate") from None


def document(value: object) -> bytes:
    """The bytes of a retained JSON file: sorted keys, two spaces, ASCII, a final newline.

    Raises ValueError where the strict loader would refuse those bytes, or would load another value.
    """
    try:
        data = (json.dumps(value, sort_keys=True, indent=2, allow_nan=False) + "\n").encode("ascii")
        if load(data) == value:
            return data
    except (LoadError, TypeError, RecursionError) as error:
        raise ValueError(f"not a JSON document: {error}") from None
    raise ValueError("not a JSON document: reading it gives another value")


def _write(value: object, parts: list[str]) -> None:
    if value is None or isinstance(value, bool):
        parts.append(_CONSTANTS[value])
    elif isinstance(value, str):
        parts.append(_string(value))
    elif isinstance(value, int):
        parts.append(_integer(value))
    elif isinstance(value, float):
        parts.append(_number(value))
    elif isinstance(value, list):
        parts.append("[")
        for index, item in enumerate(value):
            parts.append("," if index else "")
            _write(item, parts)
        parts.append("]")
    elif isinstance(value, dict):
        _write_object(value, parts)
    else:
        raise ValueError(f"{type(value).__name__} is no type of JSON")


def _write_object(value: dict[Any, Any], parts: list[str]) -> None:
    if not all(isinstance(key, str) for key in value):
        raise ValueError("a key is not a string")
    parts.append("{")
    for index, key in enumerate(sorted(value, key=_code_units)):
        parts.append(("," if index else "") + _string(key) + ":")
        _write(value[key], parts)
    parts.append("}")


def _code_units(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _integer(value: int) -> str:
    """In full. Halved first where Python limits how many digits it converts."""
    if -(10**500) < value < 10**500:
        return str(value)
    if value < 0:
        return "-" + _integer(-value)
    high, low = divmod(value, 10**500)
    return f"{_integer(high)}{low:0500d}"


def _number(value: float) -> str:
    """As ECMAScript's Number::toString: the shortest digits that give the value again, which are those of `repr`."""
    if not isfinite(value):
        raise ValueError(f"{value!r} is not a number of JSON")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to the `point`.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    size = len(digits)
    if size <= point <= 21:
        return sign + digits + "0" * (point - size)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if size > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"

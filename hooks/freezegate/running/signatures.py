"""The identity of one failure: what failed, on which reduced case."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from freezegate.running.canonical import canonical

if TYPE_CHECKING:
    from freezegate.running.evaluation import Failure


def assertion_id(predicate: str, failure: Failure) -> dict[str, str | None]:
    """What failed: the predicate (`path:function`), the type of the exception, and the statement.

    Lines and messages are not part of it. A statement outside the predicate's closure counts with its file and function.
    """
    identity: dict[str, str | None] = {
        "predicate": predicate,
        "exception": failure.exception,
        "statement": failure.statement,
    }
    if not failure.inside:
        identity["file"] = failure.file
        identity["function"] = failure.function
    return identity


def signature(
    assertion: Mapping[str, str | None],
    case: Mapping[str, object],
    volatile: Collection[str] = (),
    tokens: Mapping[str, str] | None = None,
) -> str:
    """SHA-256, as 64 hexadecimal digits, over the canonical JSON of assertion and case.

    `volatile` names fields of the case that do not count. `tokens` maps what differs from run to run (the child's
    temporary folder, the name of its machine) to what stands for it wherever it occurs as a whole word in a string of the
    case; keys, numbers and the assertion keep what they are. Raises ValueError where no field is left, or the case has no
    canonical form.
    """
    counted = {name: value for name, value in case.items() if name not in volatile}
    if case and not counted:
        raise ValueError("every field of the case is volatile: nothing identifies the failure")
    replaced = _replaced(counted, _replacement(tokens or {}))
    return hashlib.sha256(canonical({"assertion": dict(assertion), "case": replaced})).hexdigest()


def _replacement(tokens: Mapping[str, str]) -> Callable[[str], str] | None:
    words = sorted(filter(None, tokens), key=lambda word: (-len(word), word))
    if not words:
        return None
    # The host `ci` is not in `circle`, nor the folder `/tmp/a` in `/tmp/ab`.
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words))})(?![\w-])")
    return lambda text: pattern.sub(lambda found: tokens[found.group()], text)


def _replaced(value: object, replacement: Callable[[str], str] | None) -> object:
    if replacement is None:
        return value
    if isinstance(value, str):
        return replacement(value)
    if isinstance(value, Mapping):
        return {key: _replaced(item, replacement) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, replacement) for item in value]
    return value

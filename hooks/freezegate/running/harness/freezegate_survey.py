"""Every input for which a Hypothesis test fails, not the smallest one alone. Standard library only, CPython 3.8 or newer."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from freezegate.running.harness import freezegate_judgement, freezegate_wire
else:
    import freezegate_judgement
    import freezegate_wire

_ROOM = 4 << 20  # bytes of inputs in one answer; a frame has 8 MiB
_MOST_FAILURES = 1000
_LONGEST = 1000  # characters of an input that are told in full
_BEGINNING = 200

_type_module = type.__dict__["__module__"].__get__
_type_mro = type.__dict__["__mro__"].__get__
_type_qualname = type.__dict__["__qualname__"].__get__
_no_verdict = freezegate_judgement.no_verdict
_described = freezegate_judgement.described
_encode = freezegate_wire.encode
_sha256 = hashlib.sha256


class Survey:
    """The failing calls of one run. `describe` tells of a failure."""

    def __init__(self, describe: Callable[[BaseException], dict[str, Any]]) -> None:
        self.describe = describe
        self.reason: str | None = None
        self.failures: list[dict[str, Any]] = []
        self.known: dict[tuple[Any, ...], int] = {}
        self.calls: dict[tuple[str, int], None] = {}
        self.room = _ROOM

    def takes(self, error: BaseException, given: dict[str, Any] | None) -> bool:
        """Note a call that ended so. False where it is none that can be told of: then nothing can."""
        if self.reason is None:
            self.reason = self._unknown(error, given)
        if self.reason is not None or given is None:
            return False
        failure = self.describe(error)
        identity = tuple(value for name, value in failure.items() if name not in ("message", "line"))
        index = self.known.setdefault(identity, len(self.failures))
        if index == len(self.failures):
            self.failures.append(failure)
        text = _encode(given).decode("ascii")
        if len(text) > _LONGEST:
            text = f"{text[:_BEGINNING]}... (SHA-256 {_sha256(text.encode('ascii')).hexdigest()})"
        if (text, index) not in self.calls:
            self.calls[text, index] = None
            self.room -= 2 * len(text)
        if self.room < 0 or len(self.failures) > _MOST_FAILURES:
            self.reason = "too many inputs fail to tell of all of them"
        return True

    def _unknown(self, error: BaseException, given: dict[str, Any] | None) -> str | None:
        names = [(_type_module(kind), _type_qualname(kind)) for kind in _type_mro(type(error))]
        if ("hypothesis.errors", "HypothesisException") in names:
            return f"Hypothesis gave no answer ({_described(error)})"
        if (why := _no_verdict(error)) is not None:
            return why
        return "an input that fails is none that JSON carries" if given is None else None

    def result(self, lacking: str | None) -> dict[str, Any]:
        """All of it, or why there is nothing: `lacking` says what else the run left open."""
        reason = self.reason or lacking
        told = reason is None
        return {
            "outcome": "surveyed",
            "reason": reason,
            "calls": [list(call) for call in self.calls] if told else [],
            "failures": self.failures if told else [],
        }

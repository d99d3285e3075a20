"""The citation: the freeze file that cites a closed record."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from freezegate.documents import checks
from freezegate.documents.checks import shown
from freezegate.documents.refusal import Refused

FREEZE_REASON = "retained_input_failed_in_both_classifiers"

_LABELS = ("pass", "fail")
_REQUIRED = frozenset(
    ("scope_id", "fixture_digest", "counterexample_sha256", "class_local", "class_isolated", "freeze_reason")
)
_OPTIONAL = frozenset(("expires",))
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Citation:
    """A citation as written; `expires` is None where the document has no such key."""

    scope_id: str
    fixture_digest: str
    counterexample_sha256: str
    class_local: str
    class_isolated: str
    freeze_reason: str = FREEZE_REASON
    expires: date | None = None

    @classmethod
    def from_value(cls, value: object) -> Citation:
        """The citation in a loaded document. Raises Refused."""
        given = checks.members(value, _REQUIRED, _OPTIONAL)
        return cls(
            scope_id=checks.scope_id(given["scope_id"], ("scope_id",)),
            fixture_digest=checks.digest(given["fixture_digest"], ("fixture_digest",)),
            counterexample_sha256=checks.hex64(given["counterexample_sha256"], ("counterexample_sha256",)),
            class_local=checks.word(given["class_local"], ("class_local",), _LABELS),
            class_isolated=checks.word(given["class_isolated"], ("class_isolated",), _LABELS),
            freeze_reason=checks.word(given["freeze_reason"], ("freeze_reason",), (FREEZE_REASON,)),
            expires=_day(given["expires"]) if "expires" in given else None,
        )


def _day(value: object) -> date:
    at = ("expires",)
    if type(value) is not str or not _DATE.fullmatch(value):
        raise Refused(at, f"{shown(value)} is not a date of the form YYYY-MM-DD")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise Refused(at, f"{shown(value)} is not a day of the calendar", beyond=True) from None

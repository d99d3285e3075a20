"""The last file of a verdict run: what was decided on each property, and whether the change is promoted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from freezegate import decisions
from freezegate.documents import checks
from freezegate.documents.evidence_parts import (
    HEADER,
    clean,
    header,
    header_json,
    marks,
    optional_text,
    rows,
    signature,
    told,
    unique_ids,
    whole_object,
)
from freezegate.documents.refusal import Refused
from freezegate.documents.strict_text import Pointer

VERDICTS = ("pass", "fail", "inconclusive")
PROMOTIONS = ("mixed", "strict")
REASONS = (
    *("held", "failed", "frozen", "oracle_moved", "missing_run"),
    *("new_failures", "fixture_mutated", "uncited", "stale_freeze"),
)
"""Of a verdict: those of the decision table, and those that say more of a failure."""
PROMOTION_REASONS = (
    *("promoted", "malformed", "nothing_claimed", "repeated_id", "ids_differ", "unknown_verdict"),
    *("failed", "nothing_passed", "not_all_passed", "stale_freeze", "review"),
)

_REASON_OF = {"pass": ("held",), "inconclusive": ("frozen",)}


@dataclass(frozen=True)
class Reproduced:
    """How many of the attempts on the base revision gave the signature."""

    seen: int
    attempts: int

    @classmethod
    def from_value(cls, value: object, at: Pointer = ()) -> Reproduced:
        """The two numbers. Raises Refused."""
        given = checks.members(value, frozenset(("seen", "attempts")), at=at)
        seen = checks.whole(given["seen"], (*at, "seen"))
        attempts = checks.whole(given["attempts"], (*at, "attempts"), 1)
        if seen > attempts:
            raise Refused((*at, "seen"), f"{seen} is more than the {attempts} attempts", beyond=True)
        return cls(seen, attempts)

    def as_json(self) -> dict[str, Any]:
        """The two numbers."""
        return {"seen": self.seen, "attempts": self.attempts}


@dataclass(frozen=True)
class VerdictRow:
    """The verdict on one property: a word of VERDICTS, why (a word of REASONS), and the run status observed.

    `detail` is for people; `voided_by` names what edits the property's oracle.
    """

    prop_id: str
    verdict: str
    reason: str
    observed: str
    signature: str | None
    detail: str | None = None
    reproduced: Reproduced | None = None
    voided_by: tuple[str, ...] = ()

    @classmethod
    def from_value(cls, value: object, at: Pointer = ()) -> VerdictRow:
        """One row. Raises Refused, also where verdict and reason do not belong together."""
        required = frozenset(("prop_id", "verdict", "reason", "observed", "signature"))
        given = checks.members(value, required, frozenset(("detail", "reproduced", "voided_by")), at)
        verdict = checks.word(given["verdict"], (*at, "verdict"), VERDICTS)
        reason = checks.word(given["reason"], (*at, "reason"), REASONS)
        if (reason in ("held", "frozen") or verdict in _REASON_OF) and reason not in _REASON_OF.get(verdict, ()):
            raise Refused((*at, "reason"), f"{reason} is no reason for {verdict}", beyond=True)
        return cls(
            prop_id=checks.text(given["prop_id"], (*at, "prop_id")),
            verdict=verdict,
            reason=reason,
            observed=checks.text(given["observed"], (*at, "observed")),
            signature=signature(given["signature"], (*at, "signature")),
            detail=optional_text(given, "detail", at),
            reproduced=(
                Reproduced.from_value(given["reproduced"], (*at, "reproduced")) if "reproduced" in given else None
            ),
            voided_by=(checks.unique_texts(given["voided_by"], (*at, "voided_by"), 1) if "voided_by" in given else ()),
        )

    def as_json(self) -> dict[str, Any]:
        """The row, without the optional keys that say nothing."""
        row: dict[str, Any] = {
            **{"prop_id": self.prop_id, "verdict": self.verdict, "reason": self.reason},
            **{"observed": clean(self.observed), "signature": self.signature},
            **told(detail=self.detail),
        }
        if self.reproduced is not None:
            row["reproduced"] = self.reproduced.as_json()
        return {**row, "voided_by": list(self.voided_by)} if self.voided_by else row


@dataclass(frozen=True)
class StaleFreeze:
    """A freeze that nothing needs any more, and why."""

    prop_id: str
    signature: str
    why: str

    @classmethod
    def from_value(cls, value: object, at: Pointer = ()) -> StaleFreeze:
        """One row. Raises Refused."""
        given = checks.members(value, frozenset(("prop_id", "signature", "why")), at=at)
        return cls(
            checks.text(given["prop_id"], (*at, "prop_id")),
            checks.hex64(given["signature"], (*at, "signature")),
            checks.text(given["why"], (*at, "why")),
        )

    def as_json(self) -> dict[str, Any]:
        """The row."""
        return {"prop_id": self.prop_id, "signature": self.signature, "why": self.why}


@dataclass(frozen=True)
class Verdicts:
    """``verdicts.json``: what was decided.

    `promotion_reason` is a word of PROMOTION_REASONS and `promotion_ids` those it speaks of; `review`: nothing but
    edited definitions stands against the change, so a person must look at them.
    """

    fixture_digest: str
    base_revision: str
    head_revision: str
    verdicts: tuple[VerdictRow, ...]
    promoted: bool
    promotion: str
    promotion_reason: str
    promotion_ids: tuple[str, ...] = ()
    review: bool = False
    stale_freezes: tuple[StaleFreeze, ...] = ()

    @classmethod
    def from_value(cls, value: object) -> Verdicts:
        """The loaded file. Raises Refused, also where it says promoted and its rows do not."""
        required = (*HEADER, "verdicts", "promoted", "promotion")
        given = whole_object(
            value, "verdicts", (*required, "promotion_reason", "review", "stale_freezes"), frozenset(("promotion_ids",))
        )
        found = rows(given["verdicts"], ("verdicts",), VerdictRow.from_value)
        loaded = cls(
            *header(given),
            verdicts=found,
            promoted=checks.boolean(given["promoted"], ("promoted",)),
            promotion=checks.word(given["promotion"], ("promotion",), PROMOTIONS),
            promotion_reason=checks.word(given["promotion_reason"], ("promotion_reason",), PROMOTION_REASONS),
            promotion_ids=checks.unique_texts(given.get("promotion_ids", []), ("promotion_ids",)),
            review=checks.boolean(given["review"], ("review",)),
            stale_freezes=rows(given["stale_freezes"], ("stale_freezes",), StaleFreeze.from_value),
        )
        unique_ids([each.prop_id for each in found], ("verdicts",))
        if loaded.promoted and not loaded._promotes():
            raise Refused(("promoted",), "it says promoted, and the verdicts do not", beyond=True)
        if loaded.promoted != (loaded.promotion_reason == "promoted"):
            raise Refused(("promotion_reason",), "promoted and promotion_reason contradict each other", beyond=True)
        return loaded

    def _promotes(self) -> bool:
        pairs = [(each.prop_id, each.verdict) for each in self.verdicts]
        strict = self.promotion == "strict"
        return not self.review and decisions.promote(pairs, [prop_id for prop_id, _ in pairs], strict).promoted

    def as_json(self) -> dict[str, Any]:
        """The file's value."""
        return {
            **marks("verdicts"),
            **header_json(self),
            "verdicts": [each.as_json() for each in self.verdicts],
            **{"promoted": self.promoted, "promotion": self.promotion, "promotion_reason": self.promotion_reason},
            **{"promotion_ids": list(self.promotion_ids), "review": self.review},
            "stale_freezes": [each.as_json() for each in self.stale_freezes],
        }

"""Freezes applied to runs: a pure transform. It can turn a fail into inconclusive, and nothing into a pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from freezegate import decisions
from freezegate.documents.evidence import BaseSignature, Reproduced, RunRow, Runs, StaleFreeze, VerdictRow, Verdicts
from freezegate.documents.ledger import Freeze
from freezegate.text import quoted

BaseKnown = Callable[[str], bool]
Fields = tuple[str, str, str, str]

_SHOWN = 12  # characters of a commit id
_NEVER_FROZEN = ("new_failures", "fixture_mutated", "uncited")
"""Reasons of a run that are failures of their own, whatever the signatures are."""


def apply(
    runs: Runs,
    freezes: Sequence[Freeze],
    claimed: Sequence[str],
    base_signatures: Sequence[BaseSignature] | None,
    strict: bool,
    *,
    base_known: BaseKnown | None = None,
    stale_fails: bool = False,
    voided: Mapping[str, tuple[str, ...]] | None = None,
    attempts: Mapping[tuple[str, str], tuple[int, int]] | None = None,
) -> Verdicts:
    """The verdict on every run, and whether the change is promoted. Total: whatever the rows hold, nothing is raised.

    `base_signatures` None: there is no such evidence, and no freeze matches. `base_known` says which other base revisions
    a freeze may name (those whose signatures today's reproduction on the base revision confirms). `voided` is what edits
    each property's oracle; an id in it counts as edited whatever its run says. `attempts` tells how often, of how many
    attempts, the base revision gave a signature. With `stale_fails` a stale freeze is a failure.
    """
    applying = _Applying(runs, freezes, base_signatures, base_known, voided or {}, attempts or {})
    rows = [applying.row(run) for run in runs.runs]
    stale = applying.stale(rows, set(claimed))
    if stale_fails:
        whys = {each.prop_id: each.why for each in reversed(stale)}
        rows = [_failed_by_stale(row, whys.get(row.prop_id)) for row in rows]
    promotion = decisions.promote([(row.prop_id, row.verdict) for row in rows], list(claimed), strict)
    reason, ids = promotion.reason, promotion.ids
    if promotion.promoted and stale_fails and stale:
        reason, ids = "stale_freeze", tuple(sorted({each.prop_id for each in stale}))
    if runs.review is not None and reason == "promoted":
        reason = "review"
    return Verdicts(
        fixture_digest=runs.fixture_digest,
        base_revision=runs.base_revision,
        head_revision=runs.head_revision,
        verdicts=tuple(rows),
        promoted=reason == "promoted",
        promotion="mixed" if strict is False else "strict",
        promotion_reason=reason,
        promotion_ids=ids,
        review=runs.review is not None
        and reason != "stale_freeze"
        and _settled(rows, runs.review, strict is not False),
        stale_freezes=tuple(stale),
    )


def _settled(rows: Sequence[VerdictRow], review: str, strict: bool) -> bool:
    """Whether nothing stands against the change but what a person must look at."""
    allowed = ("pass",) if strict else ("pass", "inconclusive")
    moved = review == "definitions"
    return bool(rows) and all(row.verdict in allowed or (moved and row.reason == "oracle_moved") for row in rows)


class _Applying:
    """One ledger and one base, against which the runs are held."""

    def __init__(
        self,
        runs: Runs,
        freezes: Sequence[Freeze],
        base_signatures: Sequence[BaseSignature] | None,
        base_known: BaseKnown | None,
        voided: Mapping[str, tuple[str, ...]],
        attempts: Mapping[tuple[str, str], tuple[int, int]],
    ) -> None:
        self._runs = runs
        self._freezes: dict[str, list[Freeze]] = {}
        for freeze in freezes:
            self._freezes.setdefault(freeze.prop_id, []).append(freeze)
        self._emitted: frozenset[Fields] | None = (
            None if base_signatures is None else frozenset(each.fields for each in base_signatures)
        )
        self._base_known = base_known
        self._voided = voided
        self._attempts = attempts

    def row(self, run: RunRow) -> VerdictRow:
        """The verdict on one run."""
        edited = run.oracle_edited is not False or run.prop_id in self._voided
        mismatch = self._mismatch(run)
        decision = decisions.verdict(run.status, mismatch is None, edited)
        reason = decision.reason
        if reason == "failed":
            reason = _own_reason(run) or reason
        told = [run.reason if run.reason != reason else None, run.detail]
        if decision.reason == "failed" and run.prop_id in self._freezes:
            told.append(mismatch)
        return VerdictRow(
            prop_id=run.prop_id,
            verdict=decision.verdict,
            reason=reason,
            observed=decision.observed,
            signature=run.signature,
            detail="; ".join(text for text in told if text) or None,
            reproduced=self._reproduced(run),
            voided_by=self._voided.get(run.prop_id, ()),
        )

    def stale(self, rows: Sequence[VerdictRow], claimed: set[str]) -> list[StaleFreeze]:
        """The freezes that nothing needs any more, in the ledger's order of ids."""
        by_id = {row.prop_id: row for row in rows}
        found: dict[StaleFreeze, None] = {}
        for prop_id, freezes in self._freezes.items():
            for freeze in freezes:
                why = self._stale(freeze, by_id.get(prop_id), prop_id in claimed)
                if why:
                    found[StaleFreeze(prop_id, freeze.signature, why)] = None
        return list(found)

    def _stale(self, freeze: Freeze, row: VerdictRow | None, claimed: bool) -> str:
        if not claimed:
            return "the property is not claimed"
        if row is None:
            return "the property was not run"
        if row.verdict == "pass":
            return "the property passes"
        # Other fixtures, an edited oracle or no answer tell nothing of what the base would give for this freeze.
        told = row.observed == "fail" and row.reason != "oracle_moved" and self._emitted is not None
        if told and freeze.fixture_digest == self._runs.fixture_digest and not self._emits(freeze):
            return "the base revision does not give the signature"
        return ""

    def _mismatch(self, run: RunRow) -> str | None:
        """Why this failure is not frozen; None where every failing row is."""
        own = _own_reason(run)
        if own is not None:
            return f"a freeze does not cover {own.replace('_', ' ')}"
        header = self._runs.fixture_digest, self._runs.base_revision
        if (run.fixture_digest, run.base_revision) != header:
            return "the run is of another fixture digest or base revision than the file says"
        signatures = (run.signature,) if run.signatures is None else run.signatures
        if not signatures:
            return "no failing row is named, so there is nothing to match"
        if signatures[0] != run.signature:
            return "the run's signature is not that of its first failing row"
        whys = {signature: self._why_not(run, signature) for signature in dict.fromkeys(signatures)}
        left = [signature for signature in signatures if whys[signature]]
        if not left:
            return None
        if len(signatures) == 1:
            return whys[left[0]]
        first = f"the first, {quoted(left[0])}" if left[0] else "the first"
        return f"{len(left)} of {len(signatures)} failing rows are not frozen; {first}: {whys[left[0]]}"

    def _why_not(self, run: RunRow, signature: object) -> str:
        """Why one failing row is not frozen; empty where it is. The freezes that come nearest say it."""
        if type(signature) is not str or not signature:
            return "the failure has no signature, so no freeze can name it"
        left = [each for each in self._freezes.get(run.prop_id, ()) if each.signature == signature]
        if not left:
            return "no freeze has this signature"
        left = [each for each in left if each.fixture_digest == run.fixture_digest]
        if not left:
            return "the freeze is of another fixture digest"
        others = left
        left = [each for each in left if self._is_base(each.base_revision)]
        if not left:
            named = quoted(str(others[0].base_revision), _SHOWN)
            return f"the freeze is of another base revision, {named} (policy.base_match: reproduced takes an ancestor)"
        fields = (run.prop_id, signature, run.fixture_digest, run.base_revision)
        # An accepted ancestor stands for the base revision: that one gave the signature today, or nothing matches.
        frozen = [
            dict(zip(decisions.FREEZE_FIELDS, (*each.fields[:3], run.base_revision), strict=True)) for each in left
        ]
        observed = dict(zip(decisions.FREEZE_FIELDS, fields, strict=True))
        if not any(decisions.freeze_matches(observed, each) for each in frozen):
            return "a field of the freeze is empty"
        if self._emitted is None:
            return "there is no evidence of what the base revision gives"
        if fields not in self._emitted:
            return "the base revision does not give the signature"
        return ""

    def _is_base(self, revision: str) -> bool:
        if revision == self._runs.base_revision:
            return True
        return bool(revision) and self._base_known is not None and self._base_known(revision) is True

    def _emits(self, freeze: Freeze) -> bool:
        fields = (freeze.prop_id, freeze.signature, freeze.fixture_digest, self._runs.base_revision)
        return self._emitted is not None and fields in self._emitted

    def _reproduced(self, run: RunRow) -> Reproduced | None:
        pair = None if run.signature is None else self._attempts.get((run.prop_id, run.signature))
        return None if pair is None else Reproduced(*pair)


def _own_reason(run: RunRow) -> str | None:
    """The word for a failure that no freeze covers, where the run is one."""
    if run.new_failures is not False:
        return "new_failures"
    return run.reason if run.reason in _NEVER_FROZEN else None


def _failed_by_stale(row: VerdictRow, why: str | None) -> VerdictRow:
    """The row, failed where a stale freeze names its property; a failure keeps its own reason."""
    if why is None or row.verdict == "fail":
        return row
    detail = "; ".join((*((row.detail,) if row.detail else ()), f"a stale freeze: {why}"))
    return replace(row, verdict="fail", reason="stale_freeze", detail=detail)

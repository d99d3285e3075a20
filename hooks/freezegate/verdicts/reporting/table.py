"""What all formats show, and the words they share."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from freezegate.documents.evidence import BaseSignature, Runs, SplitDiff, VerdictRow, Verdicts

REASONS = {
    "held": "the property held",
    "failed": "the property failed",
    "frozen": "it failed as its freeze says, and so does the base revision",
    "oracle_moved": "this change edits what judges it",
    "missing_run": "it gave no answer",
    "new_failures": "it fails on inputs that hold on the base revision",
    "fixture_mutated": "its run changed the fixtures",
    "uncited": "its scope's citation does not carry the freeze",
    "stale_freeze": "the ledger holds a freeze of it that nothing needs",
}
_PROMOTION = {
    "promoted": "every claimed property has its verdict, none is fail, and one at least passed",
    "malformed": "the verdicts or the claims are malformed",
    "nothing_claimed": "nothing is claimed",
    "repeated_id": "ids come twice",
    "ids_differ": "the verdicts are not those of the claimed ids",
    "unknown_verdict": "a verdict is unknown",
    "failed": "failed",
    "nothing_passed": "nothing passed, all is inconclusive",
    "not_all_passed": "under the strict policy all must pass",
    "stale_freeze": "freezes that nothing needs",
    "review": "what judges is edited, and nothing else",
}
_HINTS = {
    "oracle_moved": "edits of what judges land in a change of nothing else, which a person lets in (status 3)",
    "new_failures": "mend it: a freeze covers what the base revision gives, and no more",
    "fixture_mutated": "let the oracle work on a copy, or say mutates_fixture: true in its catalog entry",
    "uncited": "see docs/verdicts.md: the scope's citation must stand, and its retained case give this failure",
    "stale_freeze": "take the freeze away: freezegate retire ID",
}
_TODO = {
    **_HINTS,
    "held": "nothing: this is a pass",
    "failed": "mend the code; where the base revision fails alike, freezegate reproduce --revision REV writes what a freeze "
    "of it needs",
    "frozen": "nothing for this change: mend it when you can, then freezegate retire ID",
    "missing_run": "the line below it says why nothing ran or answered: mend that, for no freeze covers it",
    "promoted": "nothing: it may be merged",
    "malformed": "let freezegate verdict write the files anew: these were edited or broken off",
    "nothing_claimed": "write the claimed property ids into the claims file (catalog/claimed.json), in a change of its own",
    "repeated_id": "claim each id once, and give each property one row",
    "ids_differ": "run freezegate verdict on this very tree: what ran is not what is claimed",
    "unknown_verdict": "let freezegate verdict write the file: only pass, inconclusive and fail are verdicts",
    "nothing_passed": "mend one of the frozen properties, or claim one that holds",
    "not_all_passed": "mend what is frozen, for policy.promotion is strict",
    "review": "a person looks at the definitions and merges: the exit status 3 is no pass",
}
_MOST_IDS = 10


class Evidence(NamedTuple):
    """The files of a run folder, as far as they are at hand."""

    verdicts: Verdicts
    runs: Runs | None = None
    split: SplitDiff | None = None
    base_signatures: tuple[BaseSignature, ...] | None = None


def words() -> dict[str, str]:
    """Every reason word of a verdict, then those of a change alone, each with what it means."""
    return {**REASONS, **{word: f"of a change: {what}" for word, what in _PROMOTION.items() if word not in REASONS}}


def todo(word: str) -> str:
    """What to do about a reason word. Raises KeyError for any other."""
    return _TODO[word]


def outcome(verdicts: Verdicts) -> str:
    """In a few words, whether the change may merge."""
    if verdicts.review:
        return "needs review"
    return "promoted" if verdicts.promoted else "not promoted"


def why(verdicts: Verdicts) -> str:
    """The reason of the outcome and the ids that it speaks of, unescaped."""
    if verdicts.review:
        return "nothing but edited definitions stands against it, and a person must look at them"
    if verdicts.promoted and verdicts.promotion == "strict":
        return "every claimed property passed"
    words = _PROMOTION.get(verdicts.promotion_reason, verdicts.promotion_reason)
    ids = list(verdicts.promotion_ids[:_MOST_IDS])
    left = len(verdicts.promotion_ids) - len(ids)
    if left:
        ids.append(f"and {left} more")
    return f"{words}: {', '.join(ids)}" if ids else words


def counts(verdicts: Verdicts) -> str:
    """How many verdicts of each kind there are."""
    found = Counter(row.verdict for row in verdicts.verdicts)
    return ", ".join(f"{found[word]} {word}" for word in ("pass", "inconclusive", "fail"))


def reason(row: VerdictRow) -> str:
    """The reason of a verdict in words."""
    return REASONS.get(row.reason, row.reason)


def hint(row: VerdictRow, verdicts: Verdicts) -> str | None:
    """What to do about a failure, where a command or a rule of thumb says it."""
    if row.reason == "failed" and row.signature is not None:
        return (
            f"where base fails alike: freezegate reproduce --revision {verdicts.base_revision} "
            f"--digest {verdicts.fixture_digest} --only-id {row.prop_id} --out FILE; its lines go into the ledger"
        )
    return _HINTS.get(row.reason)


def evidence(row: VerdictRow) -> list[str]:
    """What stands behind a verdict, a line each, unescaped."""
    lines = [row.detail] if row.detail else []
    lines += [f"edited: {each}" for each in row.voided_by]
    if row.reproduced is not None:
        lines.append(f"the base revision gave it in {row.reproduced.seen} of {row.reproduced.attempts} attempts")
    if row.signature is not None and row.verdict != "pass":
        lines.append(f"signature {row.signature}")
    return lines

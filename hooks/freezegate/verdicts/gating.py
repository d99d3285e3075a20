"""Verdicts from four files, without a repository."""

from __future__ import annotations

from pathlib import Path

from freezegate.documents.evidence import LARGEST, Verdicts, read_base_signatures, read_runs
from freezegate.verdicts import reading
from freezegate.verdicts.applying import apply

BASE_SIGNATURES = "base.sig.json"


def gated(runs: str, freezes: str, claimed: str, base_signatures: str | None, strict: bool) -> Verdicts:
    """The freezes applied to the runs.

    A ledger that is not there is empty. Without a name for the base signatures they are looked for beside the runs; where
    there are none, no freeze matches. Raises CannotJudge for a file that cannot be read.
    """
    path = Path(runs)
    loaded = read_runs(reading.contents(path, LARGEST), runs)
    claims = reading.claimed(Path(claimed))
    ledger = reading.ledger(Path(freezes))
    beside = Path(base_signatures) if base_signatures is not None else path.parent / BASE_SIGNATURES
    emitted = None
    if base_signatures is not None or reading.is_there(beside):
        emitted = read_base_signatures(reading.contents(beside, LARGEST), str(beside))
    return apply(loaded, ledger.freezes, claims.ids, emitted, strict)

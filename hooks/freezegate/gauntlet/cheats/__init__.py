"""Patches that have to be refused, by what they attack."""

from __future__ import annotations

from freezegate.gauntlet.cheats import (
    attestations,
    claims,
    closures,
    evidence,
    gate,
    hashes,
    labels,
    ledger,
    merges,
    parsers,
    paths,
    runners,
    verdicts,
)

_TOPICS = (
    paths,
    parsers,
    hashes,
    closures,
    labels,
    attestations,
    claims,
    ledger,
    gate,
    merges,
    runners,
    evidence,
    verdicts,
)
CHEATS = tuple(case for topic in _TOPICS for case in topic.TOPIC.cases)

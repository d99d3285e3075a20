"""Everyday changes that have to pass untouched."""

from __future__ import annotations

from freezegate.gauntlet.benign import histories, places, properties, refactors, runs

_TOPICS = (refactors, properties, histories, places, runs)
BENIGN = tuple(case for topic in _TOPICS for case in topic.TOPIC.cases)

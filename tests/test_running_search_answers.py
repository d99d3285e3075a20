"""What the parent makes of a child's answer to a search."""

from __future__ import annotations

from typing import Any

import pytest

from freezegate.running.process import Answer
from freezegate.running.searching import found

GOOD: dict[str, Any] = {
    "outcome": "failed",
    "examples": 3,
    "case": {"a": 1},
    "example_index": 2,
    "shrink_steps": 0,
    "engine": {"name": "hypothesis", "version": "6.1"},
    "reason": None,
    "notes": ["a note"],
    "failure": {
        "exception": "builtins.KeyError",
        "statement": None,
        "file": "p.py",
        "function": "f",
        "inside": True,
        "line": 3,
        "message": "",
    },
}


def test_a_whole_answer_is_understood() -> None:
    result = found(Answer(GOOD))
    assert result.outcome == "failed" and result.failure is not None and result.failure.line == 3
    assert result.notes == ("a note",)


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "pass"},
        {"outcome": ["held"]},
        {"case": None},
        {"case": [1]},
        {"example_index": -1},
        {"example_index": True},
        {"shrink_steps": 1.0},
        {"engine": None},
        {"engine": {"name": 1, "version": "6"}},
        {"failure": None},
        {"failure": {**GOOD["failure"], "inside": 1}},
        {"examples": "3"},
        {"outcome": "held", "examples": 0},
    ],
)
def test_a_malformed_answer_is_absent(change: dict[str, Any]) -> None:
    result = found(Answer({**GOOD, **change}))
    assert result.outcome == "absent" and "malformed" in (result.reason or "") and result.case is None

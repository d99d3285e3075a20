"""What every environment offers, and how one that cannot be had is told."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from freezegate.running.launch import Launch


class Absent(Exception):
    """The environment gives no answer: `message` says why, `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Place(Protocol):
    """Where counterexamples are evaluated. `name` is the configuration's, `preset` says of which kind it is."""

    name: str
    preset: str

    def open(self, tree: str, python: str) -> AbstractContextManager[Launch]:
        """Children that see the folder `tree`, where the place has no interpreter of its own with `python`.

        Raises Absent where it cannot be made, and at its end where a run has changed what it sees.
        """

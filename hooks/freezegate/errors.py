"""Errors that end a command: with exit status 2 where nothing could be judged."""

from __future__ import annotations

from collections.abc import Sequence


class CannotJudge(Exception):
    """The check could not be made: `message` says what was seen, `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Refused(Exception):
    """What was asked for is never let in, whatever it holds: exit status 1. `rows` say of each refused thing what it is,
    `message` what they are together, `hint` what to do."""

    def __init__(self, message: str, rows: Sequence[str], hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.rows = rows
        self.hint = hint


class OutOfTime(BaseException):
    """The time limit ran out. Like an interruption it comes between any two steps, so nothing on the way may take it for
    an error of its own: no Exception, and no OSError as the built-in TimeoutError is."""


class UsageError(Exception):
    """The arguments of a command do not fit together."""

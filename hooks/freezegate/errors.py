"""Errors that end a command with exit status 2."""

from __future__ import annotations


class CannotJudge(Exception):
    """The check could not be made: `message` says what was seen, `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class OutOfTime(BaseException):
    """The time limit ran out. Like an interruption it comes between any two steps, so nothing on the way may take it for
    an error of its own: no Exception, and no OSError as the built-in TimeoutError is."""


class UsageError(Exception):
    """The arguments of a command do not fit together."""

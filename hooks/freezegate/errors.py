"""Errors that end a command with exit status 2."""

from __future__ import annotations


class CannotJudge(Exception):
    """The check could not be made: `message` says what was seen, `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(Exception):
    """The arguments of a command do not fit together."""

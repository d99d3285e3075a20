"""One line of the doctor's."""

from __future__ import annotations

from typing import NamedTuple

from freezegate.text import escape

OK = "ok"
WARNING = "warning"
PROBLEM = "problem"


class Line(NamedTuple):
    """How bad it is, what was looked at, what was seen, and what to do about it."""

    level: str
    subject: str
    seen: str
    todo: str = ""

    def text(self) -> str:
        """As a line to print; texts from the repository are escaped."""
        todo = f"; {escape(self.todo)}" if self.todo else ""
        return f"{self.level:<8} {self.subject}: {escape(self.seen)}{todo}\n"

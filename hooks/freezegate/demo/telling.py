"""How the demo shows what it does: what is tried, each command as a person types it, what that printed."""

from __future__ import annotations

import os
import shlex
import sys
import textwrap
from collections.abc import Sequence

from freezegate.text import escape

_WIDTH = 100  # columns
_BOLD, _GREEN, _RED = "1", "32", "31"


class Teller:
    """Prints to standard output; in colour on a terminal that wants it."""

    def __init__(self) -> None:
        self._colour = (
            sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"
        )

    def chapter(self, title: str, why: str = "") -> None:
        """A heading, and what is to be seen below it."""
        self._line("")
        self._line(self._in(_BOLD, f"== {title}"))
        for line in textwrap.wrap(why, _WIDTH):
            self._line(line)

    def edit(self, path: str, taken: str = "", put: str = "") -> None:
        """A change of a file, as a diff shows it."""
        self._line(f"  {path}:")
        for sign, text in (("-", taken), ("+", put)):
            for line in text.splitlines():
                self._line(f"    {sign} {line}".rstrip())

    def command(self, words: Sequence[str], output: str) -> None:
        """A command and everything that it printed."""
        self._line(self._in(_BOLD, f"$ {shlex.join(words)}"))
        for line in output.splitlines():
            self._line(f"    {escape(line)}".rstrip())

    def outcome(self, as_told: bool, text: str) -> None:
        """What came of it."""
        self._line(self._in(_GREEN if as_told else _RED, f"-> {text}"))

    def say(self, text: str) -> None:
        """Plain words."""
        self._line(text)

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text

    def _line(self, text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

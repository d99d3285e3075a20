"""The list of commands. Each module parses its arguments, calls, and prints."""

from __future__ import annotations

from freezegate.cli import check, explain, init

ADDERS = (check.add, explain.add, init.add)

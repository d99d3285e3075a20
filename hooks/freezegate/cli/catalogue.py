"""The list of commands. Each module parses its arguments, calls, and prints."""

from __future__ import annotations

from freezegate.cli import check, digest, explain, init

ADDERS = (check.add, digest.add, explain.add, init.add)

"""The list of commands. Each module parses its arguments, calls, and prints."""

from __future__ import annotations

from freezegate.cli import check, demo, digest, explain, init

ADDERS = (check.add, demo.add, digest.add, explain.add, init.add)

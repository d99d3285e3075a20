"""`freezegate doctor`: look a server's repository or a clone over."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "doctor",
        help="look a server's repository or a clone over",
        description="Says one line for each thing that decides whether pushes or commits are judged, and what to do.",
    )
    parser.add_argument("repository", metavar="REPO", nargs="?", default=".", help="a repository (the current folder)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Look, and say what was seen; 0 without problems, 1 with. Raises CannotJudge where nothing could be looked at."""
    from freezegate.server.doctor import PROBLEM, examine

    healthy = True
    for line in examine(options.repository):
        sys.stdout.write(line.text())
        sys.stdout.flush()
        healthy = healthy and line.level != PROBLEM
    return 0 if healthy else 1

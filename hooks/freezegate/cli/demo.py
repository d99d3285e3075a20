"""`freezegate demo`: good and bad commits in a temporary repository."""

from __future__ import annotations

import argparse
import signal
from typing import Any


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "demo",
        help="show good and bad commits in a temporary repository",
        description="Plays the whole story with real git and real pre-commit, offline; leaves nothing behind.",
    )
    parser.add_argument("--keep", action="store_true", help="keep the repository, and say where it is")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Play it; 0 where everything happened as told, 1 where not, 2 without pre-commit."""
    from freezegate.demo.story import tell

    for number in (signal.SIGTERM, signal.SIGHUP):
        # As Ctrl-C: the folder is removed on the way out.
        signal.signal(number, signal.default_int_handler)
    return 0 if tell(options.keep) else 1

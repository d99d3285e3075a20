"""`freezegate init`: set up the current repository."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "init",
        help="set up this repository",
        description="Writes the config, the layout folders and a pre-commit configuration; touches nothing that exists.",
    )
    parser.add_argument("--binding", action="store_true", help="folders for scopes and records (the default)")
    parser.add_argument("--verdict", action="store_true", help="folders for oracles and the catalog")
    parser.add_argument("--sized", action="store_true", help="digests of the sized formula, for fixtures of any bytes")
    parser.add_argument("--no-pre-commit", action="store_true", help="write no .pre-commit-config.yaml")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Set up, and say what was done; 0."""
    from freezegate.setup.adopt import Asked, set_up

    asked = Asked(options.binding, options.verdict, not options.no_pre_commit, options.sized)
    sys.stdout.write(set_up(asked))
    return 0

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
    parser.add_argument("--repo", metavar="URL", help="where pre-commit gets freezegate from: the copy that you trust")
    parser.add_argument("--rev", metavar="REV", help="a tag or full commit id of that copy")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Set up, and say what was done; 0. Raises CannotJudge, UsageError."""
    from freezegate.errors import UsageError
    from freezegate.setup.adopt import Asked, set_up

    for flag, text in (("--repo", options.repo), ("--rev", options.rev)):
        if text is None:
            continue
        if options.no_pre_commit:
            raise UsageError(f"{flag} goes into the file that --no-pre-commit leaves out")
        if not text.strip() or not text.isprintable():
            raise UsageError(f"{flag} is empty, or holds what cannot be printed")
    asked = Asked(options.binding, options.verdict, not options.no_pre_commit, options.sized, options.repo, options.rev)
    sys.stdout.write(set_up(asked))
    return 0

"""`freezegate install-server`: put the hook into a server's repository."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.cli.check import seconds


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "install-server",
        help="put the pre-receive hook into a server's repository",
        description="Writes the hook that judges every push to a bare repository; keeps every hook that is there.",
    )
    parser.add_argument("repository", metavar="REPO.git", help="the bare repository")
    parser.add_argument(
        "--protect", action="append", default=[], metavar="GLOB", help="refs to judge, by full name (refs/heads/*)"
    )
    parser.add_argument("--time-limit", type=seconds, metavar="SECONDS", help="refuse a push that takes longer")
    parser.add_argument("--default-branch", metavar="REF", help="where the server's HEAD names no branch")
    parser.add_argument("--config", metavar="FILE", help="the config in force, instead of the default branch's")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Install, and say what was done; 0 in force, 1 another hook is in the way. Raises CannotJudge, UsageError."""
    from pathlib import Path

    from freezegate.server.hook import Flags
    from freezegate.server.install import install

    config = None if options.config is None else str(Path(options.config).resolve(strict=True))
    flags = Flags(tuple(options.protect), options.time_limit, options.default_branch, config)
    in_force, text = install(options.repository, flags)
    sys.stdout.write(text)
    return 0 if in_force else 1

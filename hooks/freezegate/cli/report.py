"""`freezegate report`: show the evidence of a verdict run."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "report",
        help="show the evidence of a verdict run",
        description="Shows the verdicts in a run folder with what stands behind them. HTML is one page that needs nothing "
        "else.",
        epilog="Exit status: 0 shown, whatever the verdicts are; 2 the folder cannot be read.",
    )
    parser.add_argument("folder", metavar="RUN_DIR", help="the folder that `freezegate verdict` filled")
    parser.add_argument("--format", choices=("text", "json", "junit", "html"), default="text")
    parser.add_argument("--output", metavar="FILE", help="write the report there, whole or not at all (-: stdout)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print it, or write it."""
    import os

    from freezegate.files import write_whole
    from freezegate.verdicts.reporting import render
    from freezegate.verdicts.reporting.folder import read_folder

    evidence = read_folder(options.folder)
    if options.output in (None, "-"):
        colour = options.output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        sys.stdout.write(render(evidence, options.format, colour=colour))
    else:
        write_whole(options.output, render(evidence, options.format).encode("utf-8"))
    return 0

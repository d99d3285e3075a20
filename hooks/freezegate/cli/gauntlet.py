"""`freezegate gauntlet`: known cheats and everyday changes, tried against the installed version."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Any


def add(commands: Any) -> None:
    """Add the command."""
    from freezegate.gauntlet.model import LAYERS

    parser = commands.add_parser(
        "gauntlet",
        help="try known cheats and everyday changes against this installation",
        description="Builds each cheat and each everyday change as a small repository, lets the installed freezegate "
        "judge it as a commit hook, a server, a check in CI, a run or a verdict, and prints what was caught, what was "
        "missed and what was refused for no reason. Works in a temporary folder, offline; leaves nothing behind.",
        epilog="Exit status: 0 all as expected; 1 something missed, or a false alarm; 2 a case could not be judged.",
    )
    parser.add_argument("--layer", action="append", choices=LAYERS, help="only what this layer judges; repeatable")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this case; repeatable")
    parser.add_argument("--jobs", type=_jobs, default=os.cpu_count() or 1, metavar="N", help="cases at a time (cores)")
    parser.add_argument("--keep", metavar="DIR", help="build the repositories there, and keep them")
    parser.add_argument(
        "--format", choices=("text", "json", "markdown"), default="text", help="form of the table (text)"
    )
    parser.set_defaults(run=run)


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 256):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of jobs from 1 to 256")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Run them and print the table."""
    from freezegate.gauntlet.cases import chosen
    from freezegate.gauntlet.model import LAYERS
    from freezegate.gauntlet.running import Gauntlet
    from freezegate.gauntlet.table import render, status

    for number in (signal.SIGTERM, signal.SIGHUP):
        # As Ctrl-C: the folder is removed on the way out.
        signal.signal(number, signal.default_int_handler)
    layers = tuple(options.layer or LAYERS)
    cases = chosen(options.only, layers)
    outcomes = []
    with Gauntlet(options.keep) as gauntlet:
        for outcome in gauntlet.run(cases, layers, options.jobs):
            outcomes.append(outcome)
            if not outcome.as_expected:
                sys.stderr.write(f"{outcome.result}: {outcome.case.name} ({outcome.layer})\n")
    sys.stdout.write(render(outcomes, options.format))
    return status(outcomes)

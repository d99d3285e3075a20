"""`freezegate verdict`: judge a change from end to end, and keep the evidence."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from freezegate.cli import catalogued, running
from freezegate.errors import CannotJudge


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "verdict",
        help="judge a change against its base, and keep the evidence",
        description="Splits the diff of HEAD against REF, locks the fixtures, reproduces frozen failures on REF, runs the "
        "claimed properties, applies the freezes, and decides on promotion. Runs project code, in clean worktrees.",
        epilog="Exit status: 0 promoted; 1 not promoted; 2 it could not be judged; 3 nothing but definitions is edited, and "
        "a person must look at them.",
    )
    parser.add_argument("--base", metavar="REF", required=True, help="the revision that HEAD is to be merged into")
    parser.add_argument(
        "--run-dir", metavar="DIR", required=True, help="where the evidence goes: not there yet, or empty"
    )
    parser.add_argument(
        "--promotion", choices=("mixed", "strict"), default="mixed", help="strict: every claimed property must pass"
    )
    catalogued.add_attempts(parser)
    parser.add_argument("--no-cache", action="store_true", help="reproduce anew what was reproduced on REF before")
    parser.add_argument("--format", choices=("text", "json", "junit"), default="text", help="of what is printed")
    running.add_running(parser, search=True)
    parser.set_defaults(run=running.guarded(run))


def run(options: argparse.Namespace) -> int:
    """Print the verdicts; 0 exactly if promoted."""
    from freezegate.verdicts.pipeline import Asked, verdict
    from freezegate.verdicts.reporting import render_verdicts

    if sys.stdout is None:  # closed by the caller; a verdict that nobody hears is no pass
        raise CannotJudge(
            "standard output is closed, so nobody would hear the verdict", "leave it open, or: >/dev/null"
        )
    asked = Asked(options.base, options.run_dir, options.promotion != "mixed", options.attempts, not options.no_cache)
    verdicts = verdict(asked, catalogued.how(options), catalogued.say, running.progress)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    sys.stdout.write(render_verdicts(verdicts, options.format, colour=colour))
    if verdicts.review:
        return 3
    return 0 if verdicts.promoted else 1

"""`freezegate verdict-gate`: apply freezes to runs, and say whether the change is promoted."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.text import escape


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "verdict-gate",
        help="apply freezes to runs and decide on promotion",
        description="Decides on every run of RUNS, and whether the change is promoted. A freeze can make a failure "
        "inconclusive if the base revision gives the same one; it never makes a pass. Needs no repository.",
        epilog="Exit status: 0 promoted; 1 not promoted; 2 a file cannot be read.",
    )
    parser.add_argument("--runs", metavar="FILE", required=True, help="the runs, as propcheck writes them")
    parser.add_argument("--freezes", metavar="FILE", required=True, help="the ledger; one that is not there is empty")
    parser.add_argument("--claimed", metavar="FILE", required=True, help="the claimed ids")
    parser.add_argument(
        "--base-signatures",
        metavar="FILE",
        help="the failures of the base revision (else base.sig.json beside the runs; without one no freeze matches)",
    )
    parser.add_argument(
        "--promotion", choices=("mixed", "strict"), default="mixed", help="strict: every claimed property must pass"
    )
    parser.add_argument("--format", choices=("text", "json", "junit"), default="text", help="of what is printed")
    parser.add_argument("--out", metavar="FILE", help="also write the verdicts (JSON) there, whole or not at all")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the table; 0 exactly if promoted."""
    import os

    from freezegate.documents.evidence import encoded
    from freezegate.files import write_whole
    from freezegate.verdicts.gating import gated
    from freezegate.verdicts.reporting import render_verdicts

    if not os.path.lexists(options.freezes):
        sys.stderr.write(f"freezegate: {escape(options.freezes)} is not there, so the ledger is empty\n")
    strict = options.promotion != "mixed"
    verdicts = gated(options.runs, options.freezes, options.claimed, options.base_signatures, strict)
    if options.out is not None:
        write_whole(options.out, encoded(verdicts))
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    sys.stdout.write(render_verdicts(verdicts, options.format, colour=colour))
    return 0 if verdicts.promoted else 1

"""`freezegate explain`: what a rule rejects, what it protects, how to satisfy it."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "explain",
        help="say what a rule rejects and protects, and how to satisfy it",
        description="Explains one rule, or all rules of one hook; without a name, lists every rule.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("name", nargs="?", metavar="RULE", help="a rule, or a hook for all its rules")
    what.add_argument("--markdown", action="store_true", help="print the whole registry as a Markdown page")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the text; 0, or 2 for a name that is neither rule nor hook."""
    from freezegate.gate.explaining import explain, listing, rules_page

    whole = rules_page if options.markdown else listing
    sys.stdout.write(whole() if options.name is None else explain(options.name))
    return 0

"""`freezegate explain`: what a rule rejects, what it protects, how to satisfy it; what the reason of a verdict means."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "explain",
        help="say what a rule rejects and protects, or what the reason of a verdict means, and what to do",
        description="Explains one rule, all rules of one hook, or the reason of a verdict; without a name, lists them all.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("name", nargs="?", metavar="RULE", help="a rule, a hook for all its rules, or a reason")
    what.add_argument("--markdown", action="store_true", help="print the whole registry as a Markdown page")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the text; 0, or 2 for a name that is neither rule nor hook nor reason."""
    from freezegate.gate.explaining import explain, listing, rules_page
    from freezegate.verdicts.reporting import table

    words = table.words()
    if options.markdown:
        sys.stdout.write(rules_page())
    elif options.name is None:
        sys.stdout.write(f"{listing()}\n{_reasons(words)}")
    elif options.name in words:
        sys.stdout.write(_reason(options.name, words[options.name], table.todo(options.name)))
    else:
        sys.stdout.write(explain(options.name, words))
    return 0


def _reasons(words: dict[str, str]) -> str:
    width = max(map(len, words))
    lines = (f"  {word:<{width}}  {means}" for word, means in words.items())
    return "\n".join(["Reasons of verdicts (freezegate explain REASON says what to do):", *lines]) + "\n"


def _reason(word: str, means: str, todo: str) -> str:
    import textwrap

    from freezegate.gate.explaining import WIDTH

    rows = (
        textwrap.fill(text, WIDTH, initial_indent=f"  {label:<12}", subsequent_indent=" " * 14, break_on_hyphens=False)
        for label, text in (("means", means), ("to do", todo))
    )
    return "\n".join([f"{word} (reason of a verdict)", *rows]) + "\n"

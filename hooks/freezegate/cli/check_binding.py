"""`freezegate check-binding`: compare three local files, in or out of a repository."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from freezegate.text import escape

_CODES = (
    "0 closed; 1 unreadable; 2 the triple differs, or a key is null or missing; 3 a label is not fail; 4 other bytes"
)


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "check-binding",
        help="compare a citation, a record and a counterexample",
        description="Says whether a binding is closed over exactly these three files.",
        epilog=f"Exit status: {_CODES}.",
    )
    parser.add_argument("freeze", metavar="FREEZE", help="the citation, *.freeze.json")
    parser.add_argument("binding", metavar="BINDING", help="the binding record")
    parser.add_argument("cex", metavar="CEX", help="the counterexample, *.cex.json")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the reason; the exit status says which kind it is."""
    from freezegate.gate.three_files import CLOSED, UNREADABLE, compare

    contents = []
    for name in (options.freeze, options.binding, options.cex):
        try:
            contents.append(_read(name))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            sys.stderr.write(f"freezegate: {escape(name)}: {escape(why)}\n")
            return UNREADABLE
    answer = compare(*contents)
    stream = sys.stdout if answer.status == CLOSED else sys.stderr
    stream.write(f"freezegate: {escape(answer.reason)}\n")
    return answer.status


def _read(name: str) -> bytes:
    """The file, or as much of it as shows that it is too large for a document."""
    with Path(name).open("rb") as file:
        return file.read((1 << 20) + 1)

"""`freezegate cite`: write the citation of a closed record."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.cli.trees import looked_at
from freezegate.text import escape


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "cite",
        help="write the citation of a closed record",
        description="Writes the freeze file that cites the record of a scope id, if the record is closed in the index.",
    )
    parser.add_argument("scope_id", metavar="SCOPE_ID", help="the id that the record is found under")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write it and say so; 1 where it is refused."""
    from freezegate.gate import commands
    from freezegate.gate.alone import Refusal
    from freezegate.gate.citing import citation
    from freezegate.git.worktree_files import WorkTree

    with looked_at() as sight:
        try:
            written = citation(sight.tree, options.scope_id)
        except Refusal as refusal:
            sys.stderr.write(f"freezegate: refused: {escape(str(refusal))}\n")
            return 1
        files = WorkTree(sight.top)
        if written.equals(files.read(written.path)):
            print(f"unchanged {written.path}")
        else:
            files.write(written.path, written.data)
            print(f"cited {written.path}")
    print(f"stage it: {commands.add([written.path])}")
    return 0

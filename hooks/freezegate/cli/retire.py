"""`freezegate retire`: take a freeze away."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.cli.trees import looked_at
from freezegate.text import escape, quoted


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "retire",
        help="remove a freeze: record, counterexample, citation, ledger entries",
        description="Removes what is frozen under a scope id or property id from working tree and index, like git rm.",
    )
    parser.add_argument("id", metavar="ID", help="a scope id, or a property id")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Remove and say what; 1 where nothing is there to remove, or a file has changes that are not staged."""
    from freezegate.gate.alone import Refusal
    from freezegate.gate.retiring import not_frozen, retirement
    from freezegate.git.worktree_files import WorkTree

    with looked_at() as sight:
        files = WorkTree(sight.top)
        try:
            gone = retirement(sight.tree, options.id)
            for path in gone.absent:
                if files.read(path) is not None:
                    sys.stderr.write(f"freezegate: left alone, since it is not in the index: {path}\n")
            if not gone:
                raise Refusal(
                    f"nothing is frozen under {quoted(options.id)} in the index; {not_frozen(sight.tree, options.id)}"
                )
            if dirty := files.unstaged(gone.staged):
                shown = ", ".join(map(str, dirty))
                raise Refusal(f"changes that are not staged: {shown}; git add or git restore first")
        except Refusal as refusal:
            sys.stderr.write(f"freezegate: refused: {escape(str(refusal))}\n")
            return 1
        if not options.dry_run:
            files.stage(gone.files, {path: (entry.mode, data) for path, (entry, data) in gone.rewritten.items()})
            for path, (_, data) in gone.rewritten.items():
                files.write(path, data)
            for path in gone.files:
                files.remove(path)
    would = "would remove" if options.dry_run else "removed"
    for path in gone.files:
        print(f"{would} {path}")
    for freeze in gone.entries:
        print(f"{would} the ledger entry of {escape(freeze.prop_id)} with the signature {freeze.signature}")
    if not options.dry_run:
        print("staged exactly this; commit it")
    return 0

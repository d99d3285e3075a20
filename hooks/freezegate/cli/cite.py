"""`freezegate cite`: write the citation of a closed record."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.cli.trees import Sight, looked_at
from freezegate.errors import CannotJudge
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
            if hint := _hint(sight, options.scope_id):
                sys.stderr.write(f"    hint: {hint}\n")
            return 1
        files = WorkTree(sight.top)
        if written.equals(files.read(written.path)):
            print(f"unchanged {written.path}")
        else:
            files.write(written.path, written.data)
            print(f"cited {written.path}")
    print(f"stage it: {commands.add([written.path], sight.prefix)}")
    return 0


def _hint(staged: Sight, scope_id: str) -> str:
    """How to come by the record that is not there yet, else what of the binding the working tree holds otherwise than the
    index and how to stage it; empty where neither is.
    """
    from freezegate.gate import commands
    from freezegate.gate.citing import staged_otherwise, without_record
    from freezegate.git.plumbing import GitError

    try:
        with looked_at(worktree=True) as present:
            if missing := without_record(present.tree, scope_id):
                return missing
            differing = staged_otherwise(staged.tree, present.tree, scope_id)
    except (GitError, CannotJudge):
        return ""  # the refusal stands without it
    if not differing:
        return ""
    names = list(dict.fromkeys(differing.values()))
    shown = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    verb = "are" if len(names) > 1 else "is"
    return f"the {shown} in the working tree {verb} not staged: {commands.add(differing, staged.prefix)}"

"""`freezegate attest`: take attestations of labels into a record, and export them for other tools."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from freezegate.cli.trees import add_tree_options, seen
from freezegate.errors import CannotJudge
from freezegate.text import escape


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "attest",
        help="add attestations to a record, or export them",
        description="Attestations are signed labels: `classify --sign-key` and `bind --sign-key` make them.",
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    adding = actions.add_parser(
        "add",
        help="take signed labels into a record of the working tree",
        description="Adds the attestations in FILE to the record of a scope id in the working tree, and the evaluations "
        "that they state. Signatures are not checked here: `freezegate check` does.",
    )
    adding.add_argument("scope_id", metavar="SCOPE_ID", help="the id that the record is found under")
    adding.add_argument("file", metavar="FILE", help="what `classify --sign-key` wrote")
    adding.set_defaults(run=run_add)
    exporting = actions.add_parser(
        "export",
        help="print the attestations of a record as an in-toto Statement v1",
        description="Prints the attestations of a record as an in-toto Statement v1 about its counterexample.",
    )
    exporting.add_argument("scope_id", metavar="SCOPE_ID", help="the id that the record is found under")
    exporting.add_argument("--out", metavar="FILE", help="write it there instead")
    add_tree_options(exporting)
    exporting.set_defaults(run=run_export)


def run_add(options: argparse.Namespace) -> int:
    """Write the record anew and say so; 1 where it is refused."""
    from freezegate.gate import commands
    from freezegate.gate.alone import Refusal
    from freezegate.gate.attesting import read, taken_in
    from freezegate.git.worktree_files import WorkTree

    added = read(_file(options.file), options.file)
    with seen(argparse.Namespace(worktree=True, rev=None)) as sight:
        path = sight.tree.record_path(_scope_id(options.scope_id))
        files = WorkTree(sight.top)
        try:
            data = files.read(path)
            if data is None:
                raise Refusal(f"there is no record {path}")
            files.write(path, taken_in(data, added))
        except Refusal as refusal:
            return _refused(refusal)
        print(f"attested {path}")
        print(f"stage it: {commands.add([path], sight.prefix)}")
    return 0


def run_export(options: argparse.Namespace) -> int:
    """Print the statement, or write it; 1 where there is nothing to export."""
    from freezegate.files import write_whole
    from freezegate.gate.alone import Refusal
    from freezegate.gate.attesting import in_toto

    with seen(options) as sight:
        try:
            data = in_toto(sight.tree, _scope_id(options.scope_id))
        except Refusal as refusal:
            return _refused(refusal)
    if options.out is None:
        sys.stdout.write(data.decode("ascii"))
    else:
        write_whole(options.out, data)
    return 0


def _scope_id(given: str) -> str:
    from freezegate.documents.checks import SCOPE_ID

    if not SCOPE_ID.fullmatch(given):
        raise CannotJudge(f"{given} is no scope id", "dotted parts of a-z, 0-9 and _")
    return given


def _file(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CannotJudge(f"{name}: {error.strerror}", "name a file that classify --sign-key wrote") from None


def _refused(refusal: Exception) -> int:
    sys.stderr.write(f"freezegate: refused: {escape(str(refusal))}\n")
    return 1

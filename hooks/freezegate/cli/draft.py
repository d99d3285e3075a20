"""`freezegate draft`: begin a property of changed code."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.text import escape


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "draft",
        help="write drafts of properties for changed code, outside the gated folders",
        description="For each public function of source that HEAD changed since it left REF, writes a draft of a scope or a "
        "catalog entry, to be completed and moved to its place by a person. With --with, COMMAND gets the diff on its "
        "standard input, and what it prints is written instead. Drafts are never governed, and judge nothing.",
        epilog="Exit status: 0 written, or nothing to draft; 2 refused, and nothing was written.",
    )
    parser.add_argument("--base", metavar="REF", required=True, help="the revision that HEAD is to be merged into")
    parser.add_argument(
        "--with", metavar="COMMAND", dest="command_line", help="the command that writes the draft (its words, no shell)"
    )
    parser.add_argument("--out", metavar="FOLDER", help="where to (else freezegate-drafts/ at the root)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the drafts and say how to go on; 0. Raises UsageError, GitError, CannotJudge."""
    from freezegate.git.diffs import patch
    from freezegate.git.repository import Repository
    from freezegate.git.revisions import top_folder
    from freezegate.verdicts import draft_files
    from freezegate.verdicts.drafting import drafts
    from freezegate.verdicts.splitting import Ends, Trees

    places: list[str] = []
    repository = Repository()
    try:
        ends = Ends.of(options.base)
        trees = Trees.at(repository, ends)
        target = draft_files.folder(options.out, top_folder(), trees)
        files: dict[str, bytes] = {}
        if options.command_line is None:
            found = drafts(trees)
            files = {draft.name: draft.text.encode("utf-8", "surrogateescape") for draft in found}
            places = [str(draft.place) for draft in found]
        elif diff := patch(ends.merge_base, ends.head):
            files[f"{ends.head[:12]}.txt"] = draft_files.answer(options.command_line, diff)
    finally:
        repository.close()
    if not files:
        what = "diff" if options.command_line is not None else "new or changed public function in source"
        print(f"freezegate: nothing to draft: there is no {what} since {escape(options.base)}")
        return 0
    for index, path in enumerate(draft_files.write(target, files)):
        belongs = f" (belongs at {places[index]})" if places else ""
        sys.stdout.write(f"{escape(str(path))}{belongs}\n")
    print("freezegate: read each draft, complete it, move it to its place, and land it in a change without source;")
    print("    freezegate check says what is still missing")
    return 0

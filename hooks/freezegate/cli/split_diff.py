"""`freezegate split-diff`: what a diff touches, and which oracles it edits."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.cli import running


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "split-diff",
        help="sort a diff into source, oracles and fixtures, and name the edited oracles",
        description="Prints JSON: base, merge base and head as full commit ids, each changed file with its line counts in "
        "one of the buckets source, oracles, fixtures and other, and each property whose oracle the diff edits, with what "
        "voids it. The diff always begins at the merge base, with two dots or with three. Executes no project code.",
        epilog="Exit status: 0 printed or written, 2 the diff could not be split.",
    )
    parser.add_argument("range", metavar="RANGE", help="base and head, as in origin/main...HEAD")
    parser.add_argument("--out", metavar="FILE", help="write to this file, not to standard output")
    parser.set_defaults(run=running.guarded(run))


def run(options: argparse.Namespace) -> int:
    """Print or write the split; 0. Raises UsageError, GitError, CannotJudge."""
    from freezegate.documents.evidence import encoded
    from freezegate.git.repository import Repository
    from freezegate.verdicts.splitting import Ends, Trees, split
    from freezegate.verdicts.writing import write_evidence

    ends = Ends.in_range(options.range)
    repository = Repository()
    try:
        data = encoded(split(ends, Trees.at(repository, ends)))
    finally:
        repository.close()
    if options.out is None:
        sys.stdout.write(data.decode("ascii"))
    else:
        write_evidence(options.out, data)
    return 0

"""`freezegate propcheck`: run HEAD's claimed properties, but for those that the change edits."""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from freezegate.cli import catalogued, running
from freezegate.errors import CannotJudge


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "propcheck",
        help="run HEAD's claimed properties",
        description="Runs the claimed properties of HEAD (and those that only the base claims) in clean worktrees, and writes "
        "what each gave. Those that the change edits are not run, and are failures.",
        epilog="Exit status: 0 the file was written, whatever the properties did; 2 it was not.",
    )
    parser.add_argument("--catalog", metavar="DIR", required=True, help="the catalog folder")
    parser.add_argument("--edited", metavar="FILE", required=True, help="what split-diff wrote")
    parser.add_argument("--digest", metavar="HEX", required=True, help="HEAD's fixture digest; another one is refused")
    parser.add_argument("--out", metavar="FILE", required=True, help="where the runs go")
    parser.add_argument("--only-id", metavar="ID", help="run this property alone")
    running.add_running(parser, search=True)
    parser.set_defaults(run=running.guarded(run))


def run(options: argparse.Namespace) -> int:
    """Write the runs; 0."""
    from freezegate.documents.evidence import LARGEST, encoded, read_split
    from freezegate.git.repository import Repository
    from freezegate.verdicts.claiming import claims
    from freezegate.verdicts.propcheck import fixture_digest, refuse_other_digest, run_claims
    from freezegate.verdicts.reading import contents
    from freezegate.verdicts.splitting import Ends, Trees
    from freezegate.verdicts.writing import write_evidence

    split = read_split(contents(Path(options.edited), LARGEST), options.edited)
    ends = Ends.of(split.base)
    if (ends.base, ends.merge_base, ends.head) != (split.base, split.merge_base, split.head):
        raise CannotJudge(f"{options.edited} is of another HEAD or merge base", "freezegate split-diff BASE...HEAD")
    repository = Repository()
    try:
        trees = Trees.at(repository, ends)
        tree = trees.head
        catalogued.refuse_other_catalog(tree, options.catalog)
        refuse_other_digest(options.digest, fixture_digest(tree, options.digest.startswith("sized:")))
        claimed, review = claims(trees)
        ids = catalogued.chosen_ids(tree, options.only_id, claimed)
        show = running.progress(sum(prop_id not in split.voided for prop_id in ids), "properties")
        found = run_claims(trees, split, options.digest, ids, catalogued.how(options), show)
        runs = replace(found, review=review)
    finally:
        repository.close()
    write_evidence(options.out, encoded(runs))
    counts = Counter(row.status for row in runs.runs)
    print(f"ran {len(runs.runs)}: {', '.join(f'{counts[word]} {word}' for word in ('pass', 'fail', 'missing'))}")
    return 0

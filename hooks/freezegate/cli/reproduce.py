"""`freezegate reproduce`: what a revision's own properties give, run in it with its own fixtures."""

from __future__ import annotations

import argparse
from typing import Any

from freezegate.cli import catalogued, running
from freezegate.errors import UsageError


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "reproduce",
        help="write the failures that a revision really gives",
        description="Runs the claimed properties of REV in clean worktrees of it, several times, and writes the failures that "
        "were seen. Where REV's fixture digest is another than HEX, none are.",
        epilog="Exit status: 0 the file was written, whatever the properties did; 2 it was not.",
    )
    parser.add_argument("--revision", metavar="REV", required=True, help="the base revision")
    parser.add_argument("--digest", metavar="HEX", required=True, help="the fixture digest of the change")
    parser.add_argument("--only-id", metavar="ID", help="run this property alone")
    catalogued.add_attempts(parser)
    parser.add_argument(
        "--environment", metavar="NAME", help="where to run: an environment of REV's config (else local)"
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="where the list of signatures goes")
    running.add_running(parser, search=True)
    parser.set_defaults(run=running.guarded(run))


def run(options: argparse.Namespace) -> int:
    """Write the list; 0."""
    from freezegate.documents import checks
    from freezegate.documents.evidence import encoded
    from freezegate.documents.refusal import Refused
    from freezegate.gate.alone import alone
    from freezegate.git.repository import Repository
    from freezegate.git.revisions import resolve
    from freezegate.verdicts.reproduce import as_rows, reproduced
    from freezegate.verdicts.writing import write_evidence

    try:
        checks.digest(options.digest, ())
    except Refused as refused:
        raise UsageError(f"--digest: {refused.message}") from None
    revision = resolve(options.revision + "^{commit}")
    repository = Repository()
    try:
        tree = alone(repository.snapshot(revision))
        ids = catalogued.chosen_ids(tree, options.only_id, tree.claims)
        there = tree.fixture_digest(options.digest.startswith("sized:"))
        if there == options.digest:
            show = running.progress(len(ids) * options.attempts, "runs")
            found = reproduced(tree, revision, ids, options.attempts, catalogued.how(options, tree.config), show)
        else:
            catalogued.say(f"nothing is reproduced: the fixture digest of {revision} is {there or 'none'}")
            found = {}
    finally:
        repository.close()
    rows = as_rows(found, options.digest, revision)
    write_evidence(options.out, encoded(rows))
    for prop_id, each in found.items():
        for note in each.notes:
            catalogued.say(f"{prop_id}: {note}")
        for made, count in each.seen.items():
            print(f"{prop_id}: {made}: {count} of {each.attempts}")
    print(f"reproduced {len(rows)} signature{'' if len(rows) == 1 else 's'}")
    return 0

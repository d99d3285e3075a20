"""`freezegate bind`: classify a retained case, and write its binding record if that is closed."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.cli import running
from freezegate.text import escape


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "bind",
        help="classify a retained case, and write its binding record",
        description="Classifies one retained case in two environments, searches again from its seed, and writes the "
        "binding record if both labels are fail. Runs project code, in a clean worktree of HEAD.",
        epilog="Exit status: 0 written; 1 the record would be open; 2 it could not be made.",
    )
    running.add_scope(parser, several=False)
    parser.add_argument("--case", metavar="CASE", required=True, help="the counterexample file")
    parser.add_argument(
        "--max-examples", metavar="N", type=running.natural, help="of the search again, where the seed lock pins none"
    )
    running.add_signing(parser)
    running.add_running(parser, jobs=False)
    parser.set_defaults(run=running.guarded(run))


def run(options: argparse.Namespace) -> int:
    """Write the record (and the case, where it is not in its place) and say so; 1 where it is refused."""
    from freezegate.gate import commands
    from freezegate.gate.alone import Refusal
    from freezegate.git.repository import Repository
    from freezegate.git.revisions import top_folder
    from freezegate.git.worktree_files import WorkTree, current_folder
    from freezegate.running import attesting, binding
    from freezegate.running.classifying import BOTH
    from freezegate.running.seeds import read_lock
    from freezegate.running.steady import committed

    given = [running.only_scope(options)]
    keys = attesting.keys_of(options.sign_key, BOTH)
    prefix = current_folder()
    files = WorkTree(top_folder())
    repository = Repository()
    try:
        seen = committed(repository, given, prefix)
        subject = seen.subjects[0]
        scope = seen.governed.scope(subject.scope)
        assert scope is not None
        case = running.case_file(options.case, subject)
        place = seen.governed.case_path(subject.scope_id)
        record = seen.governed.record_path(subject.scope_id)
        if files.read(place) not in (None, case.data):
            raise Refusal(f"{place} holds another case; remove it first, or bind that one")
        before = files.read(record)  # a folder or link in its place is found before anything runs
        digest = binding.refuse_unbindable(scope)
        attempts = attesting.kept(before, subject.scope_id, digest, case.sha256)
        lock = seen.governed.entry(subject.lock)
        text = repository.store.blob(lock.oid, 1 << 20) if lock is not None else None
        pin = read_lock(text, subject.lock.text).pins.get(subject.scope_id)
        python, limit = running.python(options), options.time_limit
        outcome = binding.bound(seen, scope, case, digest, pin, options.max_examples, python, limit, keys, attempts)
        if committed(repository, given, prefix).commit != seen.commit or files.read(place) not in (None, case.data):
            raise Refusal("HEAD or the case changed while this ran; bind again")
    except Refusal as refusal:
        sys.stderr.write(f"freezegate: refused: {escape(str(refusal))}\n")
        return 1
    finally:
        repository.close()
    files.write(place, case.data)
    files.write(record, outcome.data)
    for note in outcome.notes:
        print(f"note: {escape(note)}")
    print(f"bound {record}")
    print(f"stage it: {commands.add([place, record], prefix)}")
    return 0

"""`freezegate classify`: re-evaluate a retained case in a clean worktree, in two environments."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from freezegate.cli import running
from freezegate.errors import UsageError
from freezegate.text import escape

if TYPE_CHECKING:
    from freezegate.running.classifying import Task
    from freezegate.running.labels import Label
    from freezegate.running.steady import Committed


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "classify",
        help="evaluate a retained case in clean worktrees, local and isolated",
        description="Evaluates exactly one retained case in a clean worktree of HEAD: in the local and the isolated "
        "environment, or in the one that is named. Runs project code.",
    )
    running.add_scope(parser)
    parser.add_argument(
        "--case",
        metavar="CASE",
        action="append",
        help="the counterexample (else the scope's retained one); one a scope",
    )
    parser.add_argument("--environment", metavar="NAME", help="only this one")
    running.add_signing(parser)
    parser.add_argument("--out", metavar="FILE", help="with --sign-key: write the attestations there, not to stdout")
    running.add_running(parser)
    parser.set_defaults(run=running.guarded(run))


def run(options: argparse.Namespace) -> int:
    """Print a line for each label; 0 all fail, 2 one is absent, 1 anything else.

    Where labels are signed and no file is named, the attestations are printed, and the lines go to standard error.
    """
    from freezegate.git.repository import Repository
    from freezegate.git.worktree_files import current_folder
    from freezegate.running.attesting import keys_of
    from freezegate.running.classifying import BOTH, Where, classified
    from freezegate.running.steady import committed

    given = running.scopes(options)
    python = running.python(options)
    names = BOTH if options.environment is None else (options.environment,)
    keys = keys_of(options.sign_key, names)
    if options.out is not None and not keys:
        raise UsageError("--out is for attestations: give --sign-key too")
    repository = Repository()
    try:
        seen = committed(repository, given, current_folder())
        found = tasks(seen, options.case)
        digests = binding_digests(seen) if keys else []
    finally:
        repository.close()
    where = Where(seen.commit, seen.config, names, python, options.time_limit)
    labels = classified(found, where, running.jobs(options), running.progress(len(found), "scopes"))
    for task, each in zip(found, labels, strict=True):
        for label in each:
            print(line(task.subject.scope_id, label), file=sys.stderr if keys and options.out is None else sys.stdout)
    if keys:
        attest(options.out, seen, found, labels, digests, keys)
    return status([label for each in labels for label in each])


def binding_digests(seen: Committed) -> list[str]:
    """The binding digest of each scope at HEAD, which is what is attested. Raises CannotJudge."""
    from freezegate.gate.locking import binding_digest

    views = [seen.governed.scope(subject.scope) for subject in seen.subjects]
    return [binding_digest(view) for view in views if view is not None]


def attest(
    out: str | None,
    seen: Committed,
    found: list[Task],
    labels: Sequence[tuple[Label, ...]],
    digests: list[str],
    keys: dict[str, str],
) -> None:
    """Sign the labels, and write the attestations to the file `out`, or to standard output."""
    from freezegate.files import write_whole
    from freezegate.gate.attesting import written
    from freezegate.running.attesting import attested

    signed = [
        attestation
        for task, each, digest in zip(found, labels, digests, strict=True)
        for attestation in attested(each, keys, task.subject.scope_id, digest, task.case.sha256, seen.tree)
    ]
    data = written(signed)
    if out is not None:
        write_whole(out, data)
    else:
        sys.stdout.write(data.decode("ascii"))


def tasks(seen: Committed, cases: list[str] | None) -> list[Task]:
    """Each scope with its case: the file that is named for it, else the one that is retained in the working tree."""
    from freezegate.git.revisions import top_folder
    from freezegate.running.classifying import Task

    if cases is not None and len(cases) != len(seen.subjects):
        raise UsageError("give one --case for each --scope, or none at all")
    found = []
    for number, subject in enumerate(seen.subjects):
        place = seen.governed.case_path(subject.scope_id)
        case = running.case_file(cases[number] if cases else f"{top_folder()}/{place.text}", subject)
        view = seen.governed.scope(subject.scope)
        assert view is not None
        found.append(Task(subject, case, view.reading.data, place))
    return found


def line(scope_id: str, label: Label) -> str:
    """One label in words."""
    seen = f" ({label.failed} of {label.replays} replays failed)" if label.replays else ""
    why = f": {escape(label.reason)}" if label.reason else ""
    return f"{scope_id} {label.environment}: {label.label}{seen}{why}"


def status(labels: list[Label]) -> int:
    """0 all fail; 2 one is absent; 1 any other answers."""
    if any(label.label == "absent" for label in labels):
        return 2
    return 0 if all(label.label == "fail" for label in labels) else 1

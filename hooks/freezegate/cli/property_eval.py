"""`freezegate property-eval`: evaluate a predicate on one input only."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from freezegate.cli import running
from freezegate.errors import UsageError
from freezegate.text import escape

_STATUS = {"pass": 0, "fail": 1, "absent": 2}


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "property-eval",
        help="evaluate a predicate on one retained input only",
        description="Evaluates the scope's predicate on the input of one counterexample file, once a replay. Runs project "
        "code, in the working tree.",
        epilog="Exit status: 0 it passes; 1 it fails; 2 no answer.",
    )
    running.add_scope(parser, several=False)
    parser.add_argument("--case", metavar="CASE", required=True, help="the counterexample file")
    parser.add_argument("--rev", metavar="REV", help="run in a clean worktree of a revision")
    parser.add_argument("--replays", metavar="N", type=running.natural, help="how often (else policy.replays)")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with signature and fingerprint")
    running.add_running(parser, jobs=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print `pass` or `fail`; why not on stderr."""
    from contextlib import ExitStack

    from freezegate.cli.trees import looked_at
    from freezegate.gate.alone import scope_given
    from freezegate.git.repository import Repository
    from freezegate.git.revisions import resolve, top_folder
    from freezegate.running.environments.local import LocalPlace
    from freezegate.running.labels import in_words, labelled
    from freezegate.running.subject import subject
    from freezegate.running.worktree import worktree

    given = running.scopes(options)
    if len(given) > 1:
        raise UsageError("name one scope")
    python = running.python(options)
    with looked_at(worktree=options.rev is None, rev=options.rev) as sight:
        found = subject(scope_given(sight.tree, given[0], sight.prefix), top_folder())
        config = sight.tree.config
    case = running.case_file(options.case, found)
    with ExitStack() as stack:
        if options.rev is None:
            tree = top_folder()
        else:
            repository = Repository()
            stack.callback(repository.close)
            tree = stack.enter_context(worktree(resolve(options.rev + "^{commit}"), repository)).path
        replays = options.replays or config.policy.replays
        label = labelled(LocalPlace("local"), tree, found, case, python, replays, options.time_limit)
    if options.json:
        print(json.dumps(label.as_json(found.scope_id, case)))
    elif label.label != "absent":
        print(label.label)
    if label.label == "absent":
        sys.stderr.write(f"freezegate: no answer: {escape(label.reason or '')}\n")
    elif label.failure is not None and not options.json:
        sys.stderr.write(f"{escape(in_words(label.failure))}\n")
    return _STATUS[label.label]

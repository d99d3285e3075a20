"""`freezegate property-eval`: evaluate a predicate on one input only."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from freezegate.cli import running
from freezegate.running.limits import REPLAYS
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
    parser.set_defaults(run=running.guarded(run))


def run(options: argparse.Namespace) -> int:
    """Print `pass` or `fail`; why not on stderr."""
    from contextlib import ExitStack

    from freezegate.git.revisions import resolve, top_folder
    from freezegate.running.environments.local import LocalPlace
    from freezegate.running.process import Process

    given = running.only_scope(options)
    python = running.python(options)
    with ExitStack() as stack:
        if options.rev is None:
            tree = top_folder()
        else:
            from freezegate.git.repository import Repository
            from freezegate.running.worktree import worktree

            repository = Repository()
            stack.callback(repository.close)
            tree = stack.enter_context(worktree(resolve(options.rev + "^{commit}"), repository)).path
        launch = stack.enter_context(LocalPlace("local").open(tree, python))
        # The interpreters start while the scope is read; each waits for its job.
        waiting = [stack.enter_context(Process(launch)) for _ in range(options.replays or REPLAYS)]
        from freezegate.gate.alone import scope_given
        from freezegate.running.evaluation import replay
        from freezegate.running.labels import in_words, label_of
        from freezegate.running.subject import subject

        with running.seen(options.rev) as sight:
            found = subject(scope_given(sight.tree, given, sight.prefix), sight.top)
            replays = options.replays or sight.tree.config.policy.replays
        case = running.case_file(options.case, found)
        job = found.job("evaluate", launch.root, facts=options.json)
        attempts = replay(launch, job, case.input_json, replays, options.time_limit, waiting)
        label = label_of(attempts, "local", "local", found, case, launch.env["TMPDIR"])
    if options.json:
        print(json.dumps(label.as_json(found.scope_id, case)))
    elif label.label != "absent":
        print(label.label)
    if label.label == "absent":
        sys.stderr.write(f"freezegate: no answer: {escape(label.reason or '')}\n")
    elif label.failure is not None and not options.json:
        sys.stderr.write(f"{escape(in_words(label.failure))}\n")
    return _STATUS[label.label]

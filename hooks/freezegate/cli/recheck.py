"""`freezegate recheck`: evaluate the cases of binding records again, at head and at base."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.cli import running
from freezegate.text import escape


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "recheck",
        help="evaluate the cases of changed records again, at head and at base",
        description="Evaluates the retained case of every record that HEAD changed since REF (--all: every record), local "
        "and isolated, at HEAD and at REF. Environments and replays are those of REF's config. Runs project code.",
        epilog="Exit status: 0 all still fail; 1 a label differs, the base passes, or the case holds now; 2 no answer.",
    )
    parser.add_argument("--base", metavar="REF", required=True, help="the revision that HEAD is to be merged into")
    parser.add_argument("--all", action="store_true", help="every record, not only the changed ones")
    running.add_running(parser)
    parser.set_defaults(run=running.guarded(run))


def run(options: argparse.Namespace) -> int:
    """A line for each record, then one that sums up."""
    from freezegate.git.repository import Repository
    from freezegate.running.rechecking import rechecked, records, sides

    python = running.python(options)
    repository = Repository()
    try:
        seen = sides(repository, options.base)
        bindings = records(seen, options.all)
        show = running.progress(2 * len(bindings), "evaluations")
        answers = rechecked(repository, seen, bindings, python, options.time_limit, running.jobs(options), show)
    finally:
        repository.close()
    for answer in answers:
        rule = f"{answer.rule}: " if answer.rule else ""
        stream = sys.stdout if answer.verdict == "ok" else sys.stderr
        stream.write(f"{answer.record}: {answer.verdict}: {rule}{escape(answer.message)}\n")
    what = "record" if options.all else "changed record"
    print(
        f"freezegate: rechecked {len(answers)} {what}{'' if len(answers) == 1 else 's'} against {escape(options.base)}"
    )
    verdicts = {answer.verdict for answer in answers}
    return 2 if "absent" in verdicts else int("refused" in verdicts)

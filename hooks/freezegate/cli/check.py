"""`freezegate check`: judge a commit, a range or a tree."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import FrameType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from freezegate.errors import CannotJudge, OutOfTime
from freezegate.gate.registry import HOOKS
from freezegate.git.change import Choice
from freezegate.reports import FORMATS

if TYPE_CHECKING:
    from argparse import Namespace

    from freezegate.findings import Report
    from freezegate.git.repository import Repository


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "check",
        help="judge a commit, a range of commits or a whole tree",
        description="Judges the step between two trees: the staged commit, or what the flags, pre-commit or CI name.",
    )
    parser.add_argument("--from-ref", metavar="REV", help="old side of a range (its merge base with --to-ref)")
    parser.add_argument("--to-ref", metavar="REV", help="new side of a range")
    parser.add_argument("--base", metavar="REF", help="judge HEAD against its merge base with REF")
    parser.add_argument("--all-files", action="store_true", help="verify every unit, not only what the change touched")
    parser.add_argument("--require-base", action="store_true", help="exit 2 where no old side is known")
    parser.add_argument("--config", metavar="FILE", help="the config in force, instead of the old side's")
    parser.add_argument("--format", choices=FORMATS, default="text", help="form of the report (text)")
    parser.add_argument("--output", metavar="FILE", help="write the report there, whole or not at all (-: stdout)")
    parser.add_argument(
        "--hook", action="append", default=[], choices=HOOKS, metavar="ID", help="report only this hook"
    )
    parser.add_argument("--time-limit", type=seconds, metavar="SECONDS", help="exit 2 where it takes longer")
    parser.set_defaults(run=run)


def seconds(text: str) -> float:
    """A time limit of the command line. Raises ArgumentTypeError."""
    from argparse import ArgumentTypeError

    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < 1e6:
        raise ArgumentTypeError(f"{text!r} is no number of seconds between 0 and 1,000,000")
    return value


def plain(flags: Sequence[str]) -> SimpleNamespace:
    """The options of a call with no flags but hooks, as the installed hooks make it: spares the argument parser."""
    return SimpleNamespace(
        command="check",
        debug=False,
        from_ref=None,
        to_ref=None,
        base=None,
        all_files=False,
        require_base=False,
        config=None,
        format="text",
        output=None,
        hook=list(flags[1::2]),
        time_limit=None,
        run=run,
    )


def run(options: Namespace | SimpleNamespace) -> int:
    """Make the report and write it; 0 without findings, 1 with."""
    if options.time_limit is None:
        report = judge(options)
    else:
        import signal
        import time

        signal.signal(signal.SIGALRM, _too_late)
        # Again and again: one that is raised inside a finalizer is lost.
        signal.setitimer(signal.ITIMER_REAL, options.time_limit, 0.2)
        started = time.monotonic()
        try:
            report = judge(options)
            if time.monotonic() - started > options.time_limit:
                raise OutOfTime  # the alarm was lost, and the next had not come yet
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)  # no later alarm may cut short what is said of the first
    write(report, options)
    _say_where(report, options)
    return 0 if report else 1


def _too_late(number: int, frame: FrameType | None) -> None:
    raise OutOfTime


def judge(options: Namespace | SimpleNamespace) -> Report:
    """The report that the options ask for. Raises CannotJudge, UsageError, GitError."""
    from freezegate.git.repository import Repository

    repository = Repository()
    try:
        if options.standing is not None:
            from freezegate.gate.ahead import search_ahead

            search_ahead(repository.store, options.standing)
        return _judge(repository, options)
    finally:
        repository.close()


def _judge(repository: Repository, options: Namespace | SimpleNamespace) -> Report:
    from freezegate.gate.evaluate import Options, evaluate
    from freezegate.git.change import find_change

    config = None
    if options.config is not None:
        from pathlib import Path

        config = Path(options.config).read_bytes()
    choice = Choice(options.from_ref, options.to_ref, options.base)
    change = find_change(repository, choice, os.environ, options.standing)
    if options.require_base and not change.old:
        raise CannotJudge(
            "no old side is known, and --require-base asks for one", "name it: freezegate check --base origin/main"
        )
    return evaluate(change, Options(config, options.all_files, tuple(options.hook)))


def write(report: Report, options: Namespace | SimpleNamespace) -> None:
    """The report to its file or to standard output; for the machine formats, what people must see to standard error."""
    from freezegate.reports import render, summary

    colour = options.output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    text = render(report, options.format, rules=rule_texts(options.format), colour=colour)
    if options.output not in (None, "-"):
        from freezegate.files import write_whole

        write_whole(options.output, text.encode("utf-8", "backslashreplace"))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
    # GitHub's form carries notes and summary itself; said twice, they would stand twice in the job's log.
    if options.output is not None or options.format not in ("text", "github"):
        sys.stderr.write(summary(report))


def _say_where(report: Report, options: Namespace | SimpleNamespace) -> None:
    """Below the root, paths and hints read as if they were wrong: say what they are relative to."""
    if report.findings and options.format == "text":
        from freezegate.git.plumbing import answer

        status, prefix, _ = answer(["rev-parse", "--show-prefix"])
        if status == 0 and prefix.strip():
            sys.stderr.write('note: paths and hints are for the root: cd "$(git rev-parse --show-toplevel)"\n')


def rule_texts(format: str) -> dict[str, Any]:
    """What the formats that list rules say of each."""
    if format != "sarif":
        return {}
    from freezegate.gate.registry import all_rules
    from freezegate.reports import RuleText

    return {name: RuleText(rule.hook, rule.rejects, rule.mend) for name, rule in all_rules().items()}

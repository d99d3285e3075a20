"""`freezegate pre-receive`: judge a push before a server takes it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from types import FrameType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from freezegate.errors import CannotJudge, OutOfTime, Refused
from freezegate.git.plumbing import GitError
from freezegate.text import escape

if TYPE_CHECKING:
    from argparse import Namespace

    from freezegate.gate.pushes import Judgement


def add(commands: Any) -> None:
    """Add the command."""
    from freezegate.cli.check import seconds

    parser = commands.add_parser(
        "pre-receive",
        help="judge a push: git's pre-receive hook",
        description="Reads OLD NEW REF lines as git gives them to a pre-receive hook. 0 lets the push in; 1 refuses it; "
        "2 refuses it because it could not be judged.",
    )
    parser.add_argument(
        "--protect", action="append", metavar="GLOB", help="refs that are judged (refs/heads/*); repeatable"
    )
    parser.add_argument("--config", metavar="FILE", help="the config in force, instead of the default branch's")
    parser.add_argument("--default-branch", metavar="REF", help="the branch whose config is in force (HEAD's)")
    parser.add_argument("--time-limit", type=seconds, metavar="SECONDS", help="refuse the push where it takes longer")
    parser.set_defaults(run=run, fed=None)


def plain(fed: bytes | None = None) -> SimpleNamespace:
    """The options of a call without any, as the installed hook makes it: spares the argument parser.

    `fed` is its standard input, where it was read already.
    """
    return SimpleNamespace(
        command="pre-receive",
        debug=False,
        protect=None,
        config=None,
        default_branch=None,
        time_limit=None,
        fed=fed,
        run=run,
    )


def run(options: Namespace | SimpleNamespace) -> int:
    """Judge what standard input names and say so on standard error; every failure refuses the push."""
    from freezegate.reports.push import refusal, render

    try:
        started = time.monotonic()
        if options.time_limit is not None:
            signal.signal(signal.SIGALRM, _too_late)
            # Again and again: one that is raised inside a finalizer is lost.
            signal.setitimer(signal.ITIMER_REAL, options.time_limit, 0.2)
        try:
            outcome = _judge(options)
            text = render(outcome, os.environ) if outcome is not None else ""
            if options.time_limit is not None and time.monotonic() - started > options.time_limit:
                raise OutOfTime  # the alarm was lost, and the next had not come yet
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        raise
    except Refused as error:
        _say(refusal(error.message, error.hint, os.environ, error.rows))
        return 1
    except BaseException as error:
        if options.debug:
            import traceback

            traceback.print_exc()
        _say(refusal(*_said(error), os.environ))
        return 2
    _say(text)
    return 1 if outcome is not None and outcome.groups else 0


def _judge(options: Namespace | SimpleNamespace) -> Judgement | None:
    from freezegate.git.push import read_push, read_updates, refuse_replacements

    updates = read_updates(sys.stdin.buffer.read() if options.fed is None else options.fed)
    if not updates:
        return None
    refuse_replacements(updates)
    from freezegate.gate.pushes import judge_push
    from freezegate.git.repository import Repository

    config = None
    if options.config is not None:
        from pathlib import Path

        config = Path(options.config).read_bytes()
    push = read_push(updates, _bytes(options.protect or ["refs/heads/*"]), _default(options.default_branch))
    repository = Repository()
    try:
        return judge_push(repository, push, config)
    finally:
        repository.close()


def _bytes(words: Sequence[str]) -> list[bytes]:
    return [os.fsencode(word) for word in words]


def _default(ref: str | None) -> bytes | None:
    return None if ref is None else os.fsencode(ref)


def _said(error: BaseException) -> tuple[str, str]:
    """Why nothing could be judged, and what to do."""
    if isinstance(error, (CannotJudge, GitError)):
        return error.message, error.hint
    if isinstance(error, OutOfTime):
        return "the time limit ran out before the push was judged", "push less at a time, or raise --time-limit"
    if isinstance(error, OSError):
        where = f" ({escape(str(error.filename))})" if error.filename else ""
        return f"{error.strerror or error}{where}", ""
    return f"internal error: {type(error).__name__}: {error}"[:200], "run it again with --debug"


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _too_late(number: int, frame: FrameType | None) -> None:
    raise OutOfTime

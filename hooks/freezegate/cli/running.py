"""What the commands that run project code share: their flags, the scopes they name, progress on a terminal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from freezegate.errors import CannotJudge, UsageError
from freezegate.running.limits import EVALUATION, SEARCH

if TYPE_CHECKING:
    from freezegate.cli.trees import Sight
    from freezegate.running.cases import Case
    from freezegate.running.subject import Subject


def guarded(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """The command, with signals that end it turned into exceptions, so that all it made is removed."""

    def run_guarded(options: argparse.Namespace) -> int:
        from freezegate.running.interrupts import as_exceptions

        with as_exceptions():
            return run(options)

    return run_guarded


def add_scope(parser: Any, several: bool = True) -> None:
    """`--scope SCOPE`, which may be repeated where `several`."""
    more = "; may be repeated" if several else ""
    parser.add_argument(
        "--scope", metavar="SCOPE", action="append", help=f"a scope file, or a scope id (else PROPERTY_SCOPE){more}"
    )
    parser.set_defaults(takes_scope=True)


def add_running(parser: Any, jobs: bool = True, search: bool = False) -> None:
    """`--python`, `--time-limit` (of a search, or of each evaluation) and `--jobs`."""
    limit, of = (SEARCH, "each property") if search else (EVALUATION, "each evaluation")
    parser.add_argument("--python", metavar="PATH", help="the project's interpreter (else the active one)")
    parser.add_argument(
        "--time-limit", metavar="SECONDS", type=seconds, default=limit, help=f"of {of} (else {limit:g})"
    )
    if jobs:
        parser.add_argument("--jobs", metavar="N", type=natural, help="how many run at once (else one a core)")


def seconds(text: str) -> float:
    """A time limit in seconds, decimal, above 0."""
    try:
        value = float(text) if text.isascii() and all(ch in "0123456789." for ch in text) else 0.0
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError("must be a number of seconds above 0")
    return value


def add_signing(parser: argparse.ArgumentParser) -> None:
    """`--sign-key`, of the commands that make labels."""
    parser.add_argument(
        "--sign-key",
        metavar="[NAME=]KEY",
        action="append",
        default=[],
        help="attest labels with this OpenSSH key: of the environment NAME, else of all; repeatable",
    )


def natural(text: str) -> int:
    """A whole number above 0."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0):
        raise argparse.ArgumentTypeError("must be a whole number above 0")
    return int(text)


def count(text: str) -> int:
    """A whole number."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError("must be a whole number")
    return int(text)


def scopes(options: argparse.Namespace) -> list[str]:
    """The scopes that the command line, else the environment, names. Raises UsageError where none is."""
    given: list[str] = options.scope or []
    if not given and os.environ.get("PROPERTY_SCOPE"):
        given = [os.environ["PROPERTY_SCOPE"]]
    if not given:
        raise UsageError("no scope is named: give --scope SCOPE, or set PROPERTY_SCOPE")
    if len(set(given)) != len(given):
        raise UsageError("a scope is named twice")
    return given


def only_scope(options: argparse.Namespace) -> str:
    """The one scope that is named. Raises UsageError."""
    given = scopes(options)
    if len(given) > 1:
        raise UsageError("name one scope")
    return given[0]


@contextmanager
def seen(rev: str | None) -> Iterator[Sight]:
    """The files of the working tree as they lie there, or a revision's. Raises GitError, CannotJudge."""
    if rev is not None:
        from freezegate.cli.trees import looked_at
        from freezegate.git.revisions import top_and_prefix

        top, prefix = top_and_prefix()
        with looked_at(rev=rev) as sight:
            yield sight._replace(top=top, prefix=prefix)
        return
    from freezegate.cli.trees import Sight
    from freezegate.gate.alone import alone
    from freezegate.git.revisions import top_and_prefix
    from freezegate.running.disk import on_disk

    top, prefix = top_and_prefix()
    yield Sight(alone(on_disk(top)), top, prefix)


def case_file(given: str, subject: Subject) -> Case:
    """The case in a file that the command line names, from the current folder or from the root of the repository, as a
    scope's file is. Raises CannotJudge.
    """
    import stat
    from pathlib import Path

    from freezegate.running.cases import case_in

    if not Path(given).exists() and Path(subject.top, given).exists():
        given = str(Path(subject.top, given))
    try:
        if not stat.S_ISREG(Path(given).stat().st_mode):  # a pipe would keep us waiting
            raise CannotJudge(f"{given} is no regular file", "name the file of a retained case")
        data = Path(given).read_bytes()
    except OSError as error:
        hint = f"name the file of a retained case; freezegate property-run --scope {subject.scope_id} looks for one"
        raise CannotJudge(f"{given}: {error.strerror}", hint) from None
    return case_in(data, given, subject.scope_id, subject.domain)


def progress(total: int, what: str) -> Callable[[int], None]:
    """A function that shows on a terminal how many of `total` are done; silent where nobody watches."""
    if not sys.stderr.isatty() or total < 2:
        return lambda count: None
    return lambda count: _overwrite(f"freezegate: {count} of {total} {what}", count >= total)


def examples() -> Callable[[int], None] | None:
    """A function that shows on a terminal how many examples were tried; None where nobody watches."""
    return (lambda count: _overwrite(f"freezegate: {count} examples", False)) if sys.stderr.isatty() else None


def end_progress() -> None:
    """Take the last line of progress away."""
    if sys.stderr.isatty():
        _overwrite("", True)


def _overwrite(text: str, last: bool) -> None:
    sys.stderr.write(f"\r\x1b[K{'' if last else text}")
    sys.stderr.flush()


def jobs(options: argparse.Namespace) -> int:
    """How many run at once."""
    from freezegate.running.workers import cores

    return int(options.jobs or cores())


def python(options: argparse.Namespace) -> str:
    """The project's interpreter. Raises CannotJudge where the named one is none."""
    from freezegate.running.environments import active_python

    return active_python(options.python)

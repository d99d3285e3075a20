"""The commands: which there are, and what an error of each kind looks like to a person."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from freezegate.errors import CannotJudge, OutOfTime, UsageError
from freezegate.gate.sieve import is_plain
from freezegate.git.plumbing import GitError
from freezegate.git.standing import Standing
from freezegate.text import escape, shell_word

if TYPE_CHECKING:
    import argparse

Command = Callable[[Any], int]


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """The whole command line, or what one command needs of it."""
    import argparse

    from freezegate import __version__
    from freezegate.cli import catalogue

    top = argparse.ArgumentParser(
        prog="freezegate",
        description="Decides whether a failing property check may be frozen.",
        epilog="Exit status: 0 clean, 1 findings or refused, 2 the check could not be made, 130 interrupted.",
    )
    top.add_argument("--version", action="version", version=f"freezegate {__version__}")
    top.add_argument("--debug", action="store_true", help="show a traceback where something goes wrong")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in catalogue.adders(command if command in catalogue.MODULES else None):
        add(commands)
    return top


def run(words: Sequence[str], standing: Standing | None = None, fed: bytes | None = None) -> int:
    """Parse and run one command; errors become one line of message and one of hint, and exit status 2.

    `standing` is what is known of the index already, `fed` what was read of standard input.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A path that the terminal's encoding lacks must not end a command that has written half of what it should.
        sys.stdout.reconfigure(errors="backslashreplace")
    if words[:1] == ["check"] and is_plain(list(words[1:])):
        from freezegate.cli import check

        options: Any = check.plain(words[1:])
    elif list(words) == ["pre-receive"]:
        from freezegate.cli import pre_receive

        options = pre_receive.plain(fed)
    else:
        top = parser(words[0] if words else None)
        options, left = top.parse_known_args(words)
        if left:
            stray = next((word for word in left if not word.startswith("-")), None)
            if stray is None or not getattr(options, "takes_scope", False):
                top.error(f"unrecognized arguments: {' '.join(left)}")
            hint = f"freezegate {options.command} --scope {shell_word(stray)}"
            return _failed(f"unrecognized arguments: {' '.join(left)}", hint, options.debug)
    options.standing = standing
    command: Command = options.run
    try:
        return command(options)
    except (GitError, CannotJudge) as error:
        return _failed(error.message, error.hint, options.debug)
    except UsageError as error:
        return _failed(str(error), f"freezegate {options.command} --help", options.debug)
    except BrokenPipeError:
        raise  # the reader of our output went away: nobody to tell
    except OutOfTime:
        return _failed("the time limit ran out before the check was made", "raise --time-limit", options.debug)
    except OSError as error:
        where = f" ({escape(str(error.filename))})" if error.filename else ""
        return _failed(f"{error.strerror or error}{where}", "", options.debug)
    except Exception as error:  # an unforeseen error must block, and must not look like a finding
        what = escape(f"{type(error).__name__}: {error}"[:200])
        return _failed(f"internal error, so nothing was judged: {what}", "run it again with --debug", options.debug)


def _failed(message: str, hint: str, debug: bool) -> int:
    if debug:
        import traceback

        traceback.print_exc()
    sys.stderr.write(f"freezegate: error: {escape(message)}\n")
    if hint:
        sys.stderr.write(f"    hint: {escape(hint)}\n")
    return 2

"""The command `freezegate`: the quick way out of a commit or push that touches nothing governed, then the commands."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from freezegate.git.standing import Standing


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. 0 clean, 1 findings or refused, 2 could not be made, 130 interrupted."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stderr is None:  # closed by the caller: what is said is lost, the exit status is not
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115 (cheap to start, open to the end)
    try:
        status = _run(words)
    except KeyboardInterrupt:
        _say("freezegate: interrupted\n")
        status = 130
    except BrokenPipeError:
        status = 2
    except Exception as error:  # a broken installation too must block, and must not look like findings
        from freezegate.text import escape

        what = escape(f"{type(error).__name__}: {error}"[:200])
        _say(f"freezegate: error: internal error, so nothing was judged: {what}\n")
        status = 2
    _end_children()
    return status if _was_said() or status == 130 else 2


def _end_children() -> None:
    """Leave no git process behind where a time limit or an interruption came while it ran."""
    plumbing = sys.modules.get("freezegate.git.plumbing")
    if plumbing is not None:
        plumbing.end_children()


def _run(words: list[str]) -> int:
    standing = None
    if words[:1] in (["check"], ["pre-receive"]):
        # The process is short, and what it builds lives to its end: the collector would walk it again and again.
        gc.disable()
    if words[:1] == ["check"]:
        from freezegate.gate import sieve

        if sieve.is_plain(words[1:]):
            standing = _standing()
            if standing is not None and sieve.nothing_governed(standing):
                sys.stdout.write(sieve.ACCEPTED)
                return 0
    fed = None
    if words == ["pre-receive"]:
        from freezegate.gate import push_sieve

        fed = sys.stdin.buffer.read()
        said = push_sieve.verdict(fed)
        if said is not None:
            sys.stderr.write(said)
            return 0
    from freezegate.cli.commands import run

    return run(words, standing, fed)


def _say(text: str) -> None:
    try:
        sys.stderr.write(text)
    except OSError:
        pass  # nobody can be told; the exit status is left


def _was_said() -> bool:
    """Whether all output has reached its file. Where its reader went away, or it is full, it is given up: else Python
    would fail on it once more at its end, with an exit status of its own. An unsaid verdict is no pass.
    """
    said = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            said = False
    return said


def _standing() -> Standing | None:
    """What git says of HEAD and the index; None where it cannot: the long way meets that too, and explains it."""
    from freezegate.git.plumbing import GitError
    from freezegate.git.standing import Standing

    try:
        return Standing()
    except (GitError, OSError, ValueError):
        return None

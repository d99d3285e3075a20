"""The command `freezegate`: the quick way out of a commit that touches nothing governed, then the commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. 0 clean, 1 findings or refused, 2 could not be made, 130 interrupted."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] == ["check"]:
            from freezegate.gate.sieve import nothing_governed

            if (said := nothing_governed(words[1:])) is not None:
                sys.stdout.write(said)
                sys.stdout.flush()
                return 0
        from freezegate.cli.commands import run

        return run(words)
    except KeyboardInterrupt:
        sys.stderr.write("freezegate: interrupted\n")
        return 130
    except BrokenPipeError:
        import os

        # The reader went away: nothing more can be said, and an unsaid verdict is no pass.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2

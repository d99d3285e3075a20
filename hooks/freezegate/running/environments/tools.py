"""Programs that environments are made with: run to their end, in a group of their own, with bounded output."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

_KEPT = 1 << 20  # bytes of each stream
_LAST = 5  # lines that are shown of an output


class Done(NamedTuple):
    """How a program ended. `status` is None where it was killed: it took too long, or wrote more than is kept."""

    status: int | None
    out: bytes
    errors: bytes
    why: str = ""

    @property
    def last_lines(self) -> str:
        """The end of what it said, on one line."""
        text = (self.errors.strip() or self.out.strip()).decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return " | ".join(lines[-_LAST:])[-600:]


def tool_environment(**changes: str) -> dict[str, str]:
    """The caller's variables without those that would lead a program into the caller's repository or interpreter."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON"))}
    return {**kept, **changes}


def run(
    command: Sequence[str],
    env: Mapping[str, str],
    cwd: str | None = None,
    limit: float | None = None,
    flood: bool = True,
) -> Done:
    """Run a program to its end, within `limit` seconds. Its whole group ends with it, and with an interruption.

    Where its standard output may not be a `flood`, it is killed as soon as it has written more than 1 MiB; else the
    end of that is kept. Raises OSError where it cannot be started.
    """
    process = subprocess.Popen(
        command,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        return _drained(process, time.monotonic() + limit if limit is not None else None, flood)
    finally:
        end_group(process)
        process.stdout.close()
        process.stderr.close()


def _drained(process: subprocess.Popen[bytes], until: float | None, flood: bool) -> Done:
    assert process.stdout is not None and process.stderr is not None
    kept = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    out, errors = kept.values()
    waiting = set(kept)
    ended: float | None = None  # when the program itself had ended: what it left behind may hold the pipes open
    while waiting:
        if until is not None and time.monotonic() > until:
            return Done(None, bytes(out), bytes(errors), "it took longer than its time limit")
        for fd in select.select(list(waiting), [], [], 0.05)[0]:
            part = os.read(fd, 1 << 16)
            kept[fd] += part
            if not part:
                waiting.discard(fd)
            elif len(out) > _KEPT and not flood:
                return Done(None, bytes(out), bytes(errors), "it wrote more than 1 MiB to standard output")
            del kept[fd][: max(len(kept[fd]) - _KEPT - 1, 0)]
        if process.poll() is not None:
            ended = ended or time.monotonic()
            if time.monotonic() - ended > 1:
                break
    try:
        status = process.wait(None if until is None else max(until - time.monotonic(), 0.01))
    except subprocess.TimeoutExpired:
        return Done(None, bytes(out), bytes(errors), "it took longer than its time limit")
    return Done(status, bytes(out), bytes(errors))


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group, and its group; wait for it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()

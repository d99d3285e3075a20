"""Processes that a child left behind in sessions of their own, where a signal to its group does not reach them."""

from __future__ import annotations

import os
import signal
import sys

LIVE: set[int] = set()
"""Children that were started and not yet cleaned up after."""

_PR_SET_CHILD_SUBREAPER = 36
_adopting: list[int] = []  # the process that has asked for it


def adopt_orphans() -> None:
    """Have the kernel make this process the parent of every descendant whose own parent ends (Linux; else nothing)."""
    if _adopting == [os.getpid()] or sys.platform != "linux":
        return
    try:
        from ctypes import CDLL

        CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return
    _adopting[:] = [os.getpid()]  # a fork does not inherit it


def end_strays() -> None:
    """Kill and reap every adopted process, and what becomes an orphan by that.

    A child that this program started itself shares its session, or is in LIVE; an orphan that a project left does neither.
    """
    if _adopting != [os.getpid()]:
        return
    session = os.getsid(0)
    while True:
        strays = [pid for pid in _children() if pid not in LIVE and _session(pid) not in (session, None)]
        if not strays:
            return
        for pid in strays:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass


def _children() -> list[int]:
    own = os.getpid()
    try:
        found = []
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children", "rb") as file:
                found += [int(pid) for pid in file.read().split()]
        return found
    except OSError:
        pass  # a kernel without these lists
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and _field(int(name), 1) == own]
    except OSError:
        return []


def _session(pid: int) -> int | None:
    return _field(pid, 3)


def _field(pid: int, number: int) -> int | None:
    """A number of /proc/PID/stat: 1 parent, 2 group, 3 session; None where the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name before it, in parentheses, may hold anything.
            return int(file.read().rpartition(b")")[2].split()[number])
    except (OSError, IndexError, ValueError):
        return None

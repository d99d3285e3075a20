"""Work split over two processes, where there is enough of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from freezegate.errors import CannotJudge

T = TypeVar("T")


def can_split() -> bool:
    """Whether a second process can run beside this one."""
    return hasattr(os, "fork") and (os.cpu_count() or 1) > 1


def in_two(work: Callable[[int], T]) -> tuple[T, T]:
    """`work(0)` here and `work(1)` in a forked child; both results.

    The child shares what was read so far and must open its own git children. Raises what `work(0)` raises, and
    CannotJudge where the child failed or died: an answer that is missing is never taken for an empty one.
    """
    import pickle
    import signal

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(writing, work)
    os.close(writing)
    ended = False
    try:
        mine = work(0)
        parts = []
        while part := os.read(reading, 1 << 20):
            parts.append(part)
        ended = True
    finally:
        os.close(reading)
        if not ended:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    try:
        failed: bool
        theirs: Any
        failed, theirs = pickle.loads(b"".join(parts)) if status == 0 else (True, f"it ended with status {status}")
    except (pickle.UnpicklingError, EOFError, ValueError):
        failed, theirs = True, "its answer was cut short"
    if failed:
        raise CannotJudge(f"half of the check could not be made: {theirs}", "run it again with --debug")
    return mine, theirs


def _answer(writing: int, work: Callable[[int], Any]) -> None:
    """In the child: send the result, or why there is none, and leave without running the parent's clean-up."""
    import pickle

    try:
        try:
            answer = pickle.dumps((False, work(1)))
        except Exception as error:
            answer = pickle.dumps((True, f"{type(error).__name__}: {error}"[:500]))
        view = memoryview(answer)
        while view:
            view = view[os.write(writing, view) :]
        os._exit(0)
    finally:
        os._exit(1)

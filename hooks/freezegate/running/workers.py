"""Work spread over forked processes, one item at a time each; every item is answered, or the whole is refused.

Processes and not threads: a run adopts and ends what its project code leaves behind, and could not tell its own
strays from those of a run beside it.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from typing import Any, TypeVar

from freezegate.errors import CannotJudge
from freezegate.git.plumbing import GitError

T = TypeVar("T")
R = TypeVar("R")
# Seconds in which an interrupted worker may take down its worktree.
_GRACE = 10.0
_PR_SET_PDEATHSIG = 1


def cores() -> int:
    """How many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spread(
    items: Sequence[T],
    work: Callable[[Sequence[T]], Generator[R, None, None]],
    jobs: int,
    done: Callable[[int], None] = lambda count: None,
) -> list[R]:
    """The results of `work`, which is given a share of the items and yields one result for each, in the items' order.

    `done` is told how many results are there. Raises what `work` raises (from a worker as CannotJudge).
    """
    jobs = min(jobs, len(items))
    results: list[Any] = [None] * len(items)
    if jobs <= 1 or not hasattr(os, "fork"):
        for number, result in enumerate(work(items)):
            results[number] = result
            done(number + 1)
        return results
    shares = [range(first, len(items), jobs) for first in range(jobs)]
    workers: dict[int, int] = {}  # reading end to process
    ended = False
    try:
        for share in shares:
            reading, process = _started([items[number] for number in share], work, list(workers))
            workers[reading] = process
        _gather(dict(zip(workers, shares, strict=True)), results, done)
        ended = True
    finally:
        _end(workers, ended)
    return results


def _started(
    share: Sequence[T], work: Callable[[Sequence[T]], Generator[R, None, None]], others: Sequence[int]
) -> tuple[int, int]:
    reading, writing = os.pipe()
    parent = os.getpid()
    process = os.fork()
    if process:
        os.close(writing)
        return reading, process
    status = 1
    try:
        for other in (reading, *others):
            os.close(other)
        _end_with(parent)
        try:
            with closing(work(share)) as each:  # so that an interruption unwinds it too
                for result in each:
                    _send(writing, (True, result))
            _send(writing, (True, None))
        except CannotJudge as error:
            _send(writing, (False, (error.message, error.hint)))
        except GitError as error:
            _send(writing, (False, (error.message, error.hint)))
        except Exception as error:
            _send(writing, (False, (f"internal error: {type(error).__name__}: {error}"[:500], "")))
        status = 0
    except BaseException:  # interrupted: dropped here, so that what only its frames still hold is closed
        pass
    finally:
        os._exit(status)  # without the parent's clean-up


def _end_with(parent: int) -> None:
    """Have this worker told to end when its parent is killed (Linux); what it has in hand is taken down as at any signal."""
    with suppress(ImportError, OSError, AttributeError):
        from ctypes import CDLL

        CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _send(writing: int, message: tuple[bool, Any]) -> None:
    data = pickle.dumps(message)
    view = memoryview(len(data).to_bytes(8, "big") + data)
    while view:
        view = view[os.write(writing, view) :]


def _gather(shares: dict[int, range], results: list[Any], done: Callable[[int], None]) -> None:
    """Read until every worker has given all its results."""
    waiting = {reading: list(share) for reading, share in shares.items()}
    count = 0
    while waiting:
        for reading in select.select(list(waiting), [], [])[0]:
            succeeded, value = _receive(reading)
            if not succeeded:
                raise CannotJudge(*value)
            if waiting[reading]:
                results[waiting[reading].pop(0)] = value
                count += 1
                done(count)
            else:
                del waiting[reading]


def _receive(reading: int) -> Any:
    data = _exactly(reading, int.from_bytes(_exactly(reading, 8), "big"))
    return pickle.loads(data)


def _exactly(reading: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(reading, min(size, 1 << 16))
        if not part:
            raise CannotJudge("a worker ended before it had answered", "run it again with --jobs 1")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _end(workers: dict[int, int], ended: bool) -> None:
    """Wait for the workers. Where the work was broken off, each is asked to clean up, then killed."""
    for reading, process in workers.items():
        os.close(reading)
        if not ended:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGINT)
    until = time.monotonic() + _GRACE
    for process in workers.values():
        while not ended and time.monotonic() < until:
            if os.waitpid(process, os.WNOHANG)[0]:
                break
            time.sleep(0.01)
        else:
            if not ended:
                os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)

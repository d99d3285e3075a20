"""Work split over two processes, where there is enough of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from freezegate.errors import CannotJudge

if TYPE_CHECKING:
    from socket import socket

T = TypeVar("T")
Exchange = Callable[[Any], Any]


def can_split() -> bool:
    """Whether a second process can run beside this one."""
    return hasattr(os, "fork") and (os.cpu_count() or 1) > 1


def in_two(work: Callable[[int, Exchange], T]) -> tuple[T, T]:
    """`work(0, exchange)` here and `work(1, exchange)` in a forked child; both results.

    `exchange`, called once by each, gives a value to the other side and returns the other's. The child shares what was
    read so far and must open its own git children. Raises what the work raises here, and CannotJudge where the child
    failed or died: an answer that is missing is never taken for an empty one.
    """
    import signal
    import socket

    here, there = socket.socketpair()
    child = os.fork()
    if child == 0:
        here.close()
        _answer(there, work)
    there.close()
    ended = False
    try:
        mine = work(0, lambda value: _swap(here, value, first=False))
        theirs = _receive(here)
        ended = True
    finally:
        here.close()
        if not ended:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if status != 0:
        raise CannotJudge(f"half of the check ended with status {status}", "run it again with --debug")
    return mine, theirs


def _answer(there: socket, work: Callable[[int, Exchange], Any]) -> None:
    """In the child: send the result, or why there is none, and leave without running the parent's clean-up."""
    try:
        try:
            _send(there, (False, work(1, lambda value: _swap(there, value, first=True))))
        except Exception as error:
            _send(there, (True, f"{type(error).__name__}: {error}"[:500]))
        os._exit(0)
    finally:
        os._exit(1)


def _swap(connection: socket, value: Any, first: bool) -> Any:
    """Send and receive, in opposite order on the two sides, so that neither waits for the other to make room."""
    if first:
        _send(connection, (False, value))
        return _receive(connection)
    theirs = _receive(connection)
    _send(connection, (False, value))
    return theirs


def _send(connection: socket, message: tuple[bool, Any]) -> None:
    import pickle

    data = pickle.dumps(message)
    try:
        connection.sendall(len(data).to_bytes(8, "big") + data)
    except ConnectionError:
        raise CannotJudge("half of the check ended before it had answered", "run it again with --debug") from None


def _receive(connection: socket) -> Any:
    import pickle

    with connection.makefile("rb") as file:
        size = file.read(8)
        data = file.read(int.from_bytes(size, "big"))
    if len(size) != 8 or len(data) != int.from_bytes(size, "big"):
        raise CannotJudge("half of the check ended before it had answered", "run it again with --debug")
    failed, value = pickle.loads(data)
    if failed:
        raise CannotJudge(f"half of the check could not be made: {value}", "run it again with --debug")
    return value

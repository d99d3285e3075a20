"""Signals that end a command: they come as exceptions, so that what was made is removed, and never during removal."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = (signal.SIGTERM, signal.SIGHUP)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def as_exceptions() -> Iterator[None]:
    """While it lasts, SIGTERM and SIGHUP raise SystemExit as Ctrl-C raises KeyboardInterrupt.

    Signals that the program handles in a way of its own stay with it.
    """
    taken = []
    if _in_main_thread():
        taken = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in taken:
            signal.signal(number, _end)
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def held_back() -> Iterator[None]:
    """While it lasts, interruptions wait; the first one comes when it is over."""
    if not _in_main_thread():
        yield
        return
    waiting: list[int] = []
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, *_ENDING)}
    replaced = [number for number, handler in kept.items() if handler is not None and handler is not signal.SIG_IGN]
    try:
        for number in replaced:
            signal.signal(number, lambda which, frame: waiting.append(which))
        yield
    finally:
        for number in replaced:
            signal.signal(number, kept[number])
        if waiting:
            os.kill(os.getpid(), waiting[0])

"""Environments that are built once and used by many evaluations, also by those of forked workers."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from freezegate.files import write_whole
from freezegate.running.environments.place import Absent
from freezegate.running.leftovers import remove_folder, scratch

SHARED: list[str] = []
"""The folder of what is built once, where there is one; what is forked later sees it too."""


@contextmanager
def built(key: str, build: Callable[[str], None]) -> Iterator[str]:
    """The folder that `build` makes (it gets a path where nothing is), made once for each key. Raises what it raises.

    The key names all that the result depends on.
    """
    if not SHARED:
        with scratch() as folder:
            path = os.path.join(folder, "built")
            build(path)
            yield path
        return
    path = os.path.join(SHARED[0], key)
    # One process builds, the others wait for it.
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _build_once(path, build)
    finally:
        os.close(lock)
    yield path


def _build_once(path: str, build: Callable[[str], None]) -> None:
    refused, done = f"{path}.refused", f"{path}.done"
    if os.path.exists(refused):
        with open(refused, encoding="utf-8", errors="surrogateescape") as file:
            raise Absent(*file.read().split("\0"))
    if os.path.exists(done):
        return
    remove_folder(path)  # of a build that was killed
    try:
        build(path)
    except Absent as absent:
        text = f"{absent.message}\0{absent.hint}"
        write_whole(refused, text.encode("utf-8", "surrogateescape"))
        raise
    write_whole(done, b"")

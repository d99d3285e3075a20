"""Temporary folders that are removed whatever happens: at their end, or by the next run when their owner was killed.

A lock on a file inside tells whether the owner lives: the system releases it with the process.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from freezegate.errors import CannotJudge
from freezegate.running.interrupts import as_exceptions, held_back
from freezegate.running.launch import emptied
from freezegate.text import escape, shell_word

PREFIX = "freezegate-"
_LOCK = "freezegate-owner"
_DIGITS = 16
# A folder without a lock is one that its owner has just made, or did not live to lock.
_MAKING = 3600.0  # seconds


def temporary_folder() -> str:
    """The folder that TMPDIR names, else the system's own."""
    # Not the module tempfile: an evaluation is short beside that import.
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return os.path.realpath(next((path for path in named if path and os.path.isdir(path)), "/tmp"))


def new_name() -> str:
    """A name that no other run has."""
    return PREFIX + os.urandom(_DIGITS // 2).hex()


def is_name(name: str) -> bool:
    """Whether it is one of `new_name`."""
    token = name.removeprefix(PREFIX)
    return token != name and len(token) == _DIGITS and set(token) <= set("0123456789abcdef")


def claim(folder: str) -> int:
    """Lock the folder as its owner; the lock lasts while the descriptor is open. Raises OSError."""
    # Under another name until it is locked: no sweep may find it free in between.
    making = os.path.join(folder, f"{_LOCK}.new")
    fd = os.open(making, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with suppress(OSError):  # a file system without locks: then no sweep can lock it either
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.rename(making, os.path.join(folder, _LOCK))
    return fd


def owner_gone(folder: str) -> bool | None:
    """Whether the folder's owner has ended without removing it; None where it was never locked."""
    try:
        fd = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def is_old(folder: str) -> bool:
    """Whether it was made too long ago for its owner to be just about to lock it."""
    try:
        return time.time() - os.lstat(folder).st_mtime > _MAKING
    except OSError:
        return False


def remove_folder(path: str) -> bool:
    """Remove a folder and all in it, also what project code made unwritable or very deep; whether it is gone."""
    with suppress(RecursionError, OSError):
        os.chmod(path, 0o700)
        emptied(path)
        os.rmdir(path)
    if os.path.lexists(path):
        import subprocess

        for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            subprocess.run([*command, "--", path], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return not os.path.lexists(path)


def remove_or_say(path: str) -> None:
    """Remove a folder. Raises CannotJudge where it stays."""
    if not remove_folder(path):
        raise CannotJudge(f"{escape(path)} could not be removed", f"rm -rf {shell_word(path)}")


@contextmanager
def scratch() -> Iterator[str]:
    """A private folder below the system's temporary one, removed at the end. Raises CannotJudge where it cannot be."""
    path = os.path.join(temporary_folder(), new_name())
    owner, fd = os.getpid(), -1
    with as_exceptions():
        try:
            try:
                os.mkdir(path, 0o700)
                fd = claim(path)
            except OSError as error:
                raise CannotJudge(f"{escape(path)} cannot be made: {error.strerror}", "set TMPDIR") from None
            yield path
        except BaseException:
            if os.getpid() == owner:
                with held_back():
                    remove_folder(path)
            raise
        else:
            if os.getpid() == owner:  # a forked child that ends here leaves its parent's folder alone
                with held_back():
                    remove_or_say(path)
        finally:
            if fd >= 0:
                os.close(fd)


def sweep_scratch() -> None:
    """Remove this user's temporary folders whose owners were killed."""
    top = temporary_folder()
    try:
        names = [name for name in os.listdir(top) if is_name(name)]
    except OSError:
        return
    for name in names:
        path = os.path.join(top, name)
        try:
            found = os.lstat(path)
        except OSError:
            continue
        if found.st_uid == os.geteuid() and stat.S_ISDIR(found.st_mode) and abandoned(path):
            remove_folder(path)


def abandoned(folder: str) -> bool:
    """Whether the owner of a folder was killed."""
    gone = owner_gone(folder)
    return is_old(folder) if gone is None else gone

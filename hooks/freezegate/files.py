"""Files written whole or not at all."""

from __future__ import annotations

import os


def write_whole(path: str | bytes, data: bytes) -> None:
    """Replace the file at `path` by `data`: a reader sees the old bytes or the new ones, never a part.

    What is there and no regular file (a device, a pipe) is written to as it is. Raises OSError; then the old file is as
    it was.
    """
    name = os.fsdecode(path)
    if os.path.exists(name) and not os.path.isfile(name):
        with open(name, "wb") as special:
            special.write(data)
        return
    real = os.path.realpath(name)  # a link keeps pointing where it does
    temporary = f"{real}.{os.urandom(6).hex()}.tmp"
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
        if os.path.exists(real):
            os.fchmod(fd, os.stat(real).st_mode & 0o7777)
        os.close(fd)
        fd = -1
        os.replace(temporary, real)
    except BaseException:
        if fd >= 0:
            os.close(fd)
        os.unlink(temporary)
        raise

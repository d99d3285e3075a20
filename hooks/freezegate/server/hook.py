"""The hook file: what it says, and whose it is."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from freezegate.errors import UsageError

_FIRST = "#!/bin/sh"
_CALL = ("-I", "-m", "freezegate", "pre-receive")


@dataclass(frozen=True)
class Flags:
    """The flags that the hook gives to ``freezegate pre-receive``; `time_limit` in seconds, `config` absolute."""

    protect: tuple[str, ...] = ()
    time_limit: float | None = None
    default_branch: str | None = None
    config: str | None = None

    def __post_init__(self) -> None:
        """Raises UsageError where a flag would choose no ref, or would not stay on its line of the hook."""
        for glob in self.protect:
            if not glob.startswith("refs/"):
                raise UsageError(f"{glob!r} matches no ref by its full name, such as refs/heads/main")
        for word in self.words():
            if not word or not word.isprintable():
                raise UsageError(f"{word!r} is empty, or holds what cannot be printed")

    def words(self) -> list[str]:
        """As words of a command line."""
        words = [word for glob in self.protect for word in ("--protect", glob)]
        if self.time_limit is not None:
            words += ["--time-limit", f"{self.time_limit:g}"]
        if self.default_branch is not None:
            words += ["--default-branch", self.default_branch]
        if self.config is not None:
            words += ["--config", self.config]
        return words


def script(flags: Flags) -> bytes:
    """The hook: two lines of shell that become the installed freezegate.

    ``-I`` keeps the environment of whoever pushes, and the folder that the hook runs in, out of Python's search path.
    """
    return os.fsencode(f"{_FIRST}\nexec {shlex.join([sys.executable, *_CALL, *flags.words()])}\n")


def gate_call(data: bytes) -> list[str] | None:
    """The words with which a hook that was written here starts the gate; None for any other file."""
    lines = os.fsdecode(data).split("\n")
    if len(lines) != 3 or lines[0] != _FIRST or lines[2]:
        return None
    words = _words(lines[1])
    ours = words[:1] == ["exec"] and tuple(words[2 : 2 + len(_CALL)]) == _CALL
    return words[1:] if ours else None


def option(words: Sequence[str], name: str) -> str | None:
    """The last value that an option has in the words of a hook; None where it is not among them."""
    return next((words[at + 1] for at in reversed(range(len(words) - 1)) if words[at] == name), None)


def mentions_gate(data: bytes) -> bool:
    """Whether a hook of someone else says the gate's name in a line that is no comment."""
    return any(b"freezegate" in line for line in data.split(b"\n") if not line.lstrip().startswith(b"#"))


def runs_folder(data: bytes) -> bool:
    """Whether a hook looks as if it ran the hooks of a ``.d`` folder."""
    return any(b".d" in line for line in data.split(b"\n") if not line.lstrip().startswith(b"#"))


def is_executable(path: Path) -> bool:
    """Whether it is a regular file, or a link to one, that its owner may execute: git passes over any other hook."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) and bool(mode & 0o100)


def closed_to_others(path: str) -> Path | None:
    """The first folder or file on the way to `path` that other users may not pass or read; None where all may."""
    named, real = Path(path).absolute(), Path(path).resolve()
    for step in (*reversed(named.parents), *reversed(real.parents), real):
        mode = step.stat().st_mode
        if not mode & (0o001 if stat.S_ISDIR(mode) else 0o004):
            return step
    return None


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []

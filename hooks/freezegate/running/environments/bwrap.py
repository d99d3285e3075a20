"""The active interpreter inside bubblewrap: no network, the files of this machine unwritable, a /tmp of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from shutil import which

from freezegate.running.environments.place import Absent
from freezegate.running.environments.tools import run, tool_environment
from freezegate.running.launch import HARNESS, Launch, harness_command, local_launch

_TREE, _TEMP = "/tmp/tree", "/tmp/temp"
# Hidden behind empty folders: other programs' files and sockets, which are ways out.
_HIDDEN = ("/tmp", "/var/tmp", "/run")
_FOLDERS = "import sys, os, json; print(json.dumps([sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.realpath(sys.executable))]))"
_LIMIT = 60.0  # seconds for a program that does nothing


class BwrapPlace:
    """Children in a sandbox that ends with the program that started it. `tree` is seen at a place of its own."""

    preset = "bwrap"

    def __init__(self, name: str) -> None:
        self.name = name

    @contextmanager
    def open(self, tree: str, python: str) -> Iterator[Launch]:
        """Children of `python` in the sandbox. Raises Absent where there is no bubblewrap, or the kernel forbids it."""
        bwrap = which("bwrap")
        if bwrap is None:
            raise Absent("bubblewrap is not installed", "apt-get install bubblewrap, or choose another preset")
        if (refused := _refused(bwrap)) is not None:
            hint = "let this user make user namespaces, or choose another preset"
            raise Absent(f"bubblewrap can make no sandbox here: {refused}", hint)
        seen = [*_folders(python), HARNESS]
        shown = [word for path in seen if _is_hidden(path) for word in ("--ro-bind", path, path)]
        env = local_launch(python, _TREE, _TEMP).env
        variables = [word for name, value in env.items() for word in ("--setenv", name, value)]
        inside = ["--ro-bind", tree, _TREE, "--dir", _TEMP, "--chdir", _TEMP, "--clearenv", *variables]
        yield Launch((bwrap, *_sandbox(), *shown, *inside, "--", *harness_command(python)), tool_environment(), _TREE)


def _sandbox() -> list[str]:
    hidden = [
        word for path in _HIDDEN if os.path.isdir(path) and not os.path.islink(path) for word in ("--tmpfs", path)
    ]
    unshared = ("--unshare-user-try", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-cgroup-try")
    return [*unshared, "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *hidden]


def _is_hidden(path: str) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in _HIDDEN)


@lru_cache
def _refused(bwrap: str) -> str | None:
    """Why no sandbox can be made here; None where it can."""
    done = run([bwrap, *_sandbox(), "--", "true"], tool_environment(), limit=_LIMIT)
    return None if done.status == 0 else done.why or done.last_lines


@lru_cache
def _folders(python: str) -> tuple[str, ...]:
    """The folders that the interpreter is made of. Raises Absent where it does not run."""
    try:
        done = run([python, "-I", "-c", _FOLDERS], tool_environment(), limit=_LIMIT)
        if done.status == 0:
            return tuple(dict.fromkeys(map(str, json.loads(done.out))))
        why = done.why or done.last_lines
    except OSError as error:
        why = str(error.strerror)
    raise Absent(f"{python} does not run: {why}", "name the project's interpreter")

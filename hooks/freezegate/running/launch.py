"""How a child is started: the command, its environment, and where it sees the tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

HARNESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "harness")
"""The folder of what runs inside the child."""

# Shared libraries of the interpreter itself may lie where only these say.
_PASSED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")

SOURCES_BOOT = """\
import sys
sys.path[:] = [path for path in sys.path if path]
import os, json
from importlib.machinery import ModuleSpec
def take(size):
    data = b""
    while len(data) < size:
        more = os.read(0, size - len(data))
        if not more:
            os._exit(1)
        data += more
    return data
head = take(12)
sources = json.loads(take(int.from_bytes(head[4:], "big")).decode())["sources"]
class Harness:
    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self) if name in sources else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        name = module.__name__
        exec(compile(sources[name], "<freezegate>/" + name + ".py", "exec", dont_inherit=True), vars(module))
sys.meta_path.insert(0, Harness())
import freezegate_child
freezegate_child.main(sys.meta_path.pop)
"""
"""The program for ``-c`` where the harness's folder cannot be seen: it takes the sources from the first frame."""


class Launch(NamedTuple):
    """One way to start children, one at a time.

    `argv` is the whole command and `env` its whole environment; a command without a slash is looked up in its PATH. `root`
    is the tree as the child sees it. `cwd` is the folder to start in (None: where freezegate is; the child itself goes to
    `root`). `sources` says that the harness is sent, not read from its folder. `wipe` is called after each child has ended
    and was cleaned up after: it empties the temporary folder, and ends what a local kill cannot reach.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    root: str
    cwd: str | None = None
    sources: bool = False
    wipe: Callable[[], None] | None = None


def child_env(temp: str, path: str | None = None) -> dict[str, str]:
    """The variables of a child: an allow-list. `temp` is its temporary folder, `path` its PATH (None: our own)."""
    return {
        "PATH": os.environ.get("PATH", os.defpath) if path is None else path,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": temp,
        "TMPDIR": temp,
        "TEMP": temp,
        "TMP": temp,
        "HYPOTHESIS_STORAGE_DIRECTORY": temp + "/hypothesis",
    }


def harness_command(python: str) -> tuple[str, ...]:
    """The command that starts the child where `HARNESS` can be seen.

    Not ``-I``: it would ignore the hash seed. The environment is an allow-list, so nothing else is lost.
    """
    return (python, "-s", "-X", "utf8", HARNESS + "/freezegate_boot.py")


def local_launch(python: str, tree: str, temp: str) -> Launch:
    """Children of the interpreter `python` on this machine, in the folder `tree`, with `temp` for their files."""
    env = child_env(temp)
    env.update((name, os.environ[name]) for name in _PASSED_ON if name in os.environ)
    return Launch(harness_command(python), env, tree, wipe=partial(emptied, temp))


def harness_sources() -> dict[str, str]:
    """The text of every module of the harness, by name."""
    texts = {}
    for file in sorted(os.listdir(HARNESS)):
        if file.startswith("freezegate_") and file.endswith(".py"):
            with open(f"{HARNESS}/{file}", encoding="utf-8") as stream:
                texts[file[:-3]] = stream.read()
    return texts


def emptied(folder: str) -> None:
    """Remove all that `folder` holds, never following a link; what cannot be removed stays."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.path, 0o700)  # a child may have closed it against us
                emptied(entry.path)
                os.rmdir(entry.path)
            else:
                os.unlink(entry.path)
        except OSError:
            pass

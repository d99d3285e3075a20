"""The working tree as `git add -A` would stage it, without writing to the repository."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from freezegate.git.plumbing import GitError, ask

# What `git add` could write besides the index and objects, or run: a shared index in the repository, a hook.
_QUIET = (
    "core.splitIndex=false",
    "core.untrackedCache=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.safecrlf=false",
    "add.ignoreErrors=false",
    "advice.addEmbeddedRepo=false",
)


@contextmanager
def working_tree_staged() -> Iterator[None]:
    """While it lasts, git children see an index that holds the working tree, and find the new objects.

    Both lie in a temporary folder: the repository is neither written nor locked. Raises GitError.
    """
    top = _line("rev-parse", "--show-toplevel")
    index = _line("rev-parse", "--git-path", "index")
    objects = os.path.abspath(_line("rev-parse", "--git-path", "objects"))  # noqa: PTH100 (any bytes)
    if '"' in objects or "\n" in objects:
        raise GitError("the path of the repository holds a quote or a newline", "look at the index: git add the files")
    with tempfile.TemporaryDirectory(prefix="freezegate-") as folder:
        own_index, own_objects = Path(folder, "index"), Path(folder, "objects")
        own_objects.mkdir()
        if os.path.exists(index):  # noqa: PTH110
            # With its time: git reads a file again whose time is not before the index's.
            shutil.copy2(index, own_index)
        others = os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        changed = {
            "GIT_INDEX_FILE": str(own_index),
            "GIT_OBJECT_DIRECTORY": str(own_objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{_quoted(objects)}{os.pathsep + others if others else ''}",
        }
        before = {name: os.environ.get(name) for name in changed}
        os.environ.update(changed)
        try:
            settings = [word for setting in _QUIET for word in ("-c", setting)]
            ask(["-C", top, *settings, "add", "-A"])
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _quoted(path: str) -> str:
    """One entry of the list of object folders: a path with the separator in it must be quoted."""
    return '"' + path.replace("\\", "\\\\") + '"' if os.pathsep in path else path


def _line(*arguments: str) -> str:
    return os.fsdecode(ask(arguments).removesuffix(b"\n"))

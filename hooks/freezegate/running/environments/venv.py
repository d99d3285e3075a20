"""A fresh virtual environment with what the tree's lock or requirements name, and nothing else."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from shutil import which

from freezegate.running.environments import requirements
from freezegate.running.environments.building import built
from freezegate.running.environments.local import new_temp
from freezegate.running.environments.place import Absent
from freezegate.running.environments.requirements import Needs
from freezegate.running.environments.tools import Done, run, tool_environment
from freezegate.running.launch import Launch, local_launch
from freezegate.running.leftovers import scratch

_LIMIT = 900.0  # seconds that an installation may take
# Settings of the user's that would install elsewhere, or nothing.
_MISLEADING = (
    "PIP_USER",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_PYTHON",
    "PIP_DRY_RUN",
)
_UNREAD = (b"Invalid requirement", b"is not a valid", b"Expected package name")


class VenvPlace:
    """Children of an interpreter that is installed anew. It is made once for all trees that name the same packages."""

    preset = "venv"

    def __init__(self, name: str) -> None:
        self.name = name

    @contextmanager
    def open(self, tree: str, python: str) -> Iterator[Launch]:
        """Children in the new environment of `python`. Raises Absent with the installer's last lines."""
        base = os.path.realpath(python)
        named = "\0".join((python, base, requirements.digest(tree)))
        key = "venv-" + hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        with built(key, partial(_build, tree, python)) as folder, scratch() as own:
            yield local_launch(_python_of(folder), tree, new_temp(own))


def _python_of(folder: str) -> str:
    return os.path.join(folder, "bin", "python")


def _build(tree: str, python: str, folder: str) -> None:
    """Make the environment, and install the first of what the tree names that a tool here can install."""
    named = requirements.needs(tree)
    made = _tool([python, "-I", "-m", "venv", "--without-pip", folder], tree)
    if made.status != 0:
        hint = f"install the module venv for {python} (Debian: python3-venv)"
        raise Absent(f"no virtual environment could be made: {made.last_lines}", hint)
    if not named:
        return
    skipped = []
    for each in named:
        done = _install(each, tree, python, folder)
        if done is not None and done.status == 0:
            return
        if done is not None and not (each.source == "pylock.toml" and any(mark in done.errors for mark in _UNREAD)):
            why = done.why or done.last_lines
            raise Absent(f"what {each.source} names could not be installed: {why}", "see what the installer says")
        skipped.append(each.source)
    raise Absent(f"nothing here can install from {' or '.join(skipped)}", "install its tool, or add a requirements.txt")


def _install(needs: Needs, tree: str, python: str, folder: str) -> Done | None:
    """Install from one source; None where there is no tool for it."""
    if needs.lines:
        return _pip(["-r", _written(folder, "\n".join(needs.lines))], tree, python, folder)
    if needs.source == "poetry.lock":
        return _poetry(tree, folder)
    uv = which("uv")
    if needs.source == "pylock.toml":
        path = os.path.join(tree, "pylock.toml")
        if uv is not None:
            return _tool([uv, "pip", "install", "--no-progress", "--python", _python_of(folder), "-r", path], tree)
        return _pip(["-r", path], tree, python, folder)
    if uv is None:
        return None
    exported = [uv, "export", "--frozen", "--no-emit-project", "--no-progress", "--format", "requirements-txt"]
    done = _tool([*exported, "--python", python, "--project", tree], tree)
    if done.status != 0:
        return done
    path = _written(folder, done.out.decode("utf-8", "replace"))
    return _tool([uv, "pip", "install", "--no-progress", "--python", _python_of(folder), "-r", path], tree)


def _poetry(tree: str, folder: str) -> Done | None:
    poetry = which("poetry")
    if poetry is None:
        return None
    # poetry installs into the environment that is active.
    active = {"VIRTUAL_ENV": folder, "PATH": os.path.join(folder, "bin") + os.pathsep + os.environ.get("PATH", "")}
    return _tool(
        [poetry, "install", "--no-root", "--no-interaction", "--no-ansi", "--directory", tree], folder, **active
    )


def _pip(arguments: Sequence[str], tree: str, python: str, folder: str) -> Done:
    """Install with the pip of the active interpreter; where that has none, or too old a one, with one of its own."""
    install = ["install", "--quiet", "--no-input", "--disable-pip-version-check", *arguments]
    done = _tool([python, "-I", "-m", "pip", "--python", _python_of(folder), *install], tree)
    if done.status in (0, None) or not any(mark in done.errors for mark in (b"No module named pip", b"no such option")):
        return done
    own = _tool([_python_of(folder), "-I", "-m", "ensurepip", "--default-pip"], tree)
    return own if own.status != 0 else _tool([_python_of(folder), "-I", "-m", "pip", *install], tree)


def _written(folder: str, text: str) -> str:
    path = os.path.join(folder, "freezegate-requirements.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return path


def _tool(command: Sequence[str], cwd: str, **changes: str) -> Done:
    env = {name: value for name, value in tool_environment(**changes).items() if name not in _MISLEADING}
    try:
        return run(command, env, cwd, _LIMIT)
    except OSError as error:
        raise Absent(f"{command[0]} could not be started: {error.strerror}", "name the project's interpreter") from None

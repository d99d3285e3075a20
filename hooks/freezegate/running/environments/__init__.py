"""Environments in which a counterexample is evaluated: the active interpreter, and those of the configuration."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from freezegate.errors import CannotJudge
from freezegate.running.environments.place import Absent, Place
from freezegate.text import escape

if TYPE_CHECKING:
    from freezegate.documents.config import Config
    from freezegate.running.environments.command import CommandPlace

__all__ = ["Absent", "Place", "active_python", "chosen", "shared"]


def active_python(given: str | None = None) -> str:
    """The project's interpreter: the one that is named, else that of the active environment, else our own.

    Raises CannotJudge where the named one is no program.
    """
    import sys

    if given is not None:
        found = _program(given)
        if found is None:
            raise CannotJudge(f"{escape(given)} is no program that can be run", "name the project's interpreter")
        return found
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if os.environ.get(name):
            found = _program(os.path.join(os.environ[name], "bin", "python"))
            if found is not None:
                return found
    return sys.executable


def _program(given: str) -> str | None:
    if "/" in given:
        path = os.path.abspath(given)
        return path if os.path.isfile(path) and os.access(path, os.X_OK) else None
    from shutil import which

    return which(given)


def chosen(config: Config, name: str) -> Place | CommandPlace:
    """The environment with this name; `local` is always the active interpreter. Raises CannotJudge where there is none."""
    if name == "local":
        from freezegate.running.environments.local import LocalPlace

        return LocalPlace(name)
    environment = config.environments.get(name)
    if environment is None:
        known = ", ".join(sorted({"local", *config.environments}))
        raise CannotJudge(f"the configuration has no environment {escape(name)}", f"name one of: {known}")
    if environment.preset == "venv":
        from freezegate.running.environments.venv import VenvPlace

        return VenvPlace(name)
    if environment.preset == "bwrap":
        from freezegate.running.environments.bwrap import BwrapPlace

        return BwrapPlace(name)
    if environment.preset == "container":
        from freezegate.running.environments.container import ContainerPlace

        return ContainerPlace(name, environment.image or "")
    if environment.preset == "ssh":
        from freezegate.running.environments.ssh import SshPlace

        return SshPlace(name, environment.host or "")
    from freezegate.running.environments.command import CommandPlace

    return CommandPlace(name, environment.command)


@contextmanager
def shared() -> Iterator[None]:
    """While it lasts, what environments build is built once, for this process and all that are forked from it."""
    from freezegate.running.environments import building
    from freezegate.running.leftovers import scratch

    if building.SHARED:
        yield
        return
    with scratch() as folder:
        building.SHARED.append(folder)
        try:
            yield
        finally:
            building.SHARED.clear()

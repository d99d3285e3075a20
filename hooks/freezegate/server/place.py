"""A bare repository on a server, and the places where its server looks for hooks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from freezegate.errors import CannotJudge
from freezegate.git.plumbing import answer
from freezegate.server.hook import is_executable, runs_folder
from freezegate.text import escape

_HOOK = "pre-receive"
_FOLDER = "pre-receive.d"
# Where a hook of ours is put beside one that stays.
_BESIDE = "pre-receive.freezegate"


@dataclass(frozen=True)
class Place:
    """Where the hook goes. `kept` is the hook that stays in the place that git or the server runs; `why` says in words
    what decided."""

    path: Path
    why: str
    kept: Path | None = None


def bare_repository(given: str) -> Path:
    """Its folder, absolute. Raises CannotJudge where there is none, or it has a working tree."""
    folder = Path(given).absolute()
    if (folder / ".git").exists():
        raise CannotJudge(
            f"{escape(given)} is a clone with a working tree, not a server's bare repository",
            "for a clone: freezegate init, then pre-commit install",
        )
    status, out, errors = git_in(folder, "rev-parse", "--is-bare-repository")
    if status != 0:
        seen = errors.splitlines()[0] if errors else f"exit status {status}"
        raise CannotJudge(f"{escape(given)} is no git repository that can be read: {seen}", "name REPO.git itself")
    if out.strip() != b"true":
        raise CannotJudge(
            f"{escape(given)} is not bare: git would not run a server's hook as it does for a push to one",
            "name the bare repository that people push to",
        )
    return folder


def git_in(folder: Path, *words: str) -> tuple[int, bytes, str]:
    """Ask git about the repository whose git folder this is; named outright, it may belong to another user."""
    return answer([f"--git-dir={folder}", *words])


def place_for(repository: Path) -> Place:
    """Where this server expects a hook that must not replace what is there. Raises CannotJudge."""
    custom = repository / "custom_hooks"
    if custom.is_dir() or "@hashed" in repository.parts:
        return Place(custom / _FOLDER / "freezegate", "GitLab runs the hooks of this folder after its own")
    shared = shared_hooks(repository)
    if shared is not None:
        raise CannotJudge(
            f"core.hooksPath sends git to {escape(str(shared))}: hooks of {escape(str(repository))} never run",
            "put the hook there by hand where it may judge every repository, else unset core.hooksPath",
        )
    hooks = repository / "hooks"
    hook, folder = hooks / _HOOK, hooks / _FOLDER
    if folder.is_dir() and is_executable(hook) and runs_folder(hook.read_bytes()):
        return Place(folder / "freezegate", f"hooks/{_HOOK} of this server runs the hooks of this folder")
    return Place(hook, "git runs it for every push")


def beside(place: Place) -> Place:
    """The place to take where another's hook is in `place`."""
    return Place(place.path.with_name(_BESIDE), "", kept=place.path)


def shared_hooks(repository: Path) -> Path | None:
    """The folder that core.hooksPath names, where that is not the repository's own."""
    status, out, _ = git_in(repository, "config", "--type=path", "--get", "core.hooksPath")
    value = os.fsdecode(out.removesuffix(b"\n"))
    if status != 0 or not value:
        return None
    named = repository / value
    return None if named.resolve() == (repository / "hooks").resolve() else named

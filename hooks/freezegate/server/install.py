"""`install-server`: put the hook where the server runs it, keep every hook that is there, say what was done."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from freezegate.errors import CannotJudge
from freezegate.files import write_whole
from freezegate.server.hook import Flags, closed_to_others, gate_call, is_executable, mentions_gate, script
from freezegate.server.place import Place, bare_repository, beside, place_for
from freezegate.text import escape

_MODE = 0o755


def install(given: str, flags: Flags) -> tuple[bool, str]:
    """Install the hook into a bare repository; whether it is in force, and what was done, as text.

    Running it again changes nothing. Raises CannotJudge, OSError.
    """
    repository = bare_repository(given)
    place = place_for(repository)
    data = script(flags)
    if os.path.lexists(place.path) and not _is_ours(place.path):
        aside = beside(place)
        if _says_gate(place.path) and not aside.path.exists():
            return True, _told(repository, [f"  kept     {_name(place.path, repository)}", *_linked(place.path)])
        place = aside
    if place.path.is_dir():
        raise CannotJudge(f"{escape(str(place.path))} is a folder, not a hook", "move it away, then run this again")
    done = [f"  {_put(place.path, data):<9}{_name(place.path, repository)}"]
    if place.kept is None:
        return True, _told(repository, [*done, f"           {place.why}", *_warnings(repository)])
    done.append(f"  {'kept':<9}{_name(place.kept, repository)}")
    if _says_gate(place.kept):
        return True, _told(repository, [*done, *_warnings(repository)])
    return False, _told(repository, [*done, *_chain(place, place.kept, repository)])


def _put(path: Path, data: bytes) -> str:
    path.parent.mkdir(mode=_MODE, parents=True, exist_ok=True)
    there = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    if there == data and is_executable(path):
        return "in place"
    if there != data:
        write_whole(os.fsencode(path), data)
    path.chmod(_MODE)
    return "wrote" if there is None else "replaced"


def _is_ours(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and gate_call(path.read_bytes()) is not None


def _says_gate(path: Path) -> bool:
    """A link to the hook that the project ships, or a hook into which the gate was chained."""
    return is_executable(path) and mentions_gate(path.read_bytes())


def _linked(path: Path) -> list[str]:
    return [
        "It starts freezegate and was not written by this command: it stays, flags and all.",
        f"To have it written anew, move it away: mv {shlex.quote(str(path))} {shlex.quote(str(path) + '.old')}",
    ]


def _chain(place: Place, kept: Path, repository: Path) -> list[str]:
    moved = kept.with_name("pre-receive.local")
    first, second = (shlex.quote(f"{_name(each, repository)}") for each in (moved, place.path))
    return [
        "",
        f"NOT IN FORCE: {_name(kept, repository)} was there already and stays as it is. git runs that one alone.",
        f"To have both, move it aside:\n  mv {shlex.quote(str(kept))} {shlex.quote(str(moved))}",
        f"and put this in its place, executable ({_name(kept, repository)}):",
        "",
        "  #!/bin/sh",
        "  lines=$(cat)",
        f"  printf '%s\\n' \"$lines\" | {first} || exit 1",
        f"  printf '%s\\n' \"$lines\" | {second}",
        "",
        "Then run this command again: it says whether the gate is in force.",
    ]


def _warnings(repository: Path) -> list[str]:
    owner = repository.stat().st_uid
    if owner == os.geteuid():
        return []
    closed = next(filter(None, map(closed_to_others, (sys.executable, __file__))), None)
    if closed is None:
        return []
    return [
        f"WARNING: {escape(str(closed))} is closed to other users, and the repository belongs to user id {owner}.",
        "Install freezegate where that user can read it (python3 -m venv /opt/freezegate), and run this from there.",
    ]


def _told(repository: Path, done: list[str]) -> str:
    rows = [f"freezegate: installing into {escape(str(repository))}", *done]
    rows += [
        "",
        "Next, as the user that the server runs hooks as:",
        f"  freezegate doctor {shlex.quote(str(repository))}",
    ]
    return "\n".join(rows) + "\n"


def _name(path: Path, repository: Path) -> str:
    return escape(str(path.relative_to(repository)))

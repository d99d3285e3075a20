"""What of a repository decides whether the gate judges it: kind, owner, hooks, refs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from freezegate.git.plumbing import answer, ask
from freezegate.server.hook import gate_call, is_executable, mentions_gate
from freezegate.server.line import OK, PROBLEM, WARNING, Line
from freezegate.server.place import place_for, shared_hooks
from freezegate.text import shell_word

_CLONE_HOOKS = ("pre-commit", "pre-merge-commit")
_RUNNERS = (b"pre-commit", b"pre_commit", b"prek", b"freezegate")


def kind(folder: Path, bare: bool) -> Line:
    """Server or clone, and how objects are named."""
    form = ask(["rev-parse", "--show-object-format"]).decode("ascii").strip()
    what = "a bare repository, as on a server" if bare else "a clone with a working tree"
    return Line(OK, "repository", f"{folder}: {what}, {form} objects")


def owner(folder: Path) -> Line:
    """Whose it is: git refuses other people's repositories unless they are named as safe."""
    theirs, ours = folder.stat().st_uid, os.geteuid()
    if theirs == ours:
        return Line(OK, "owner", f"user id {theirs}, the one that runs this")
    return Line(
        WARNING, "owner", f"user id {theirs}, and this runs as {ours}: hooks run as the one who pushes or serves",
        f"run this as that user too; git must trust it there: git config --global --add safe.directory {folder}",
    )  # fmt: skip


def object_checks() -> Line:
    """Whether the server refuses malformed objects before any hook runs."""
    values = {}
    for name in ("receive.fsckObjects", "transfer.fsckObjects"):
        status, out, _ = answer(["config", "--type=bool", "--get", name])
        values[name] = out.strip() == b"true" if status == 0 else None
    if values["receive.fsckObjects"] is None:
        values["receive.fsckObjects"] = values["transfer.fsckObjects"]
    if values["receive.fsckObjects"]:
        return Line(OK, "receive.fsckObjects", "true")
    return Line(
        WARNING, "receive.fsckObjects", "not set: git takes malformed trees and commits",
        "git config receive.fsckObjects true",
    )  # fmt: skip


def replacements() -> Line:
    """Replaced objects: the gate looks past them, everyone else does not."""
    refs = ask(["for-each-ref", "--format=%(refname)", "refs/replace/"]).split()
    if not refs:
        return Line(OK, "refs/replace", "none")
    shown = os.fsdecode(refs[0]).removeprefix("refs/replace/")
    return Line(
        WARNING, "refs/replace", f"{len(refs)} here: people see other objects than the gate judges",
        f"git replace -d {shown}",
    )  # fmt: skip


def depth(bare: bool) -> Line:
    """Whether history is whole."""
    if ask(["rev-parse", "--is-shallow-repository"]).strip() != b"true":
        return Line(OK, "history", "whole")
    level = PROBLEM if bare else WARNING
    return Line(level, "history", "shallow: merge bases may be out of reach", "git fetch --unshallow")


def hooks(folder: Path, bare: bool) -> Iterator[Line]:
    """The hooks that make the gate run."""
    if bare:
        yield _server_hook(folder)
        return
    place = Path(os.fsdecode(ask(["rev-parse", "--git-path", "hooks"]).removesuffix(b"\n")))
    for name in _CLONE_HOOKS:
        yield _clone_hook(place / name, name)


def hook_words(folder: Path) -> list[str]:
    """The words with which a server's hook starts the gate; none where it was not written by `install-server`."""
    for path in (_server_hook_path(folder), folder / "hooks" / "pre-receive.freezegate"):
        if path.is_file() and (words := gate_call(path.read_bytes())) is not None:
            return words
    return []


def _server_hook_path(folder: Path) -> Path:
    shared = shared_hooks(folder)
    return shared / "pre-receive" if shared is not None else place_for(folder).path


def _server_hook(folder: Path) -> Line:
    install = f"freezegate install-server {shell_word(str(folder))}"
    shared, hook = shared_hooks(folder), _server_hook_path(folder)
    if not hook.exists():
        todo = install if shared is None else f"core.hooksPath sends git to {shared}: put the hook there"
        return Line(PROBLEM, "hook", f"{hook} is not there, so nothing is judged", todo)
    if not is_executable(hook):
        return Line(PROBLEM, "hook", f"{hook} is not executable, so git passes over it", f"chmod +x {hook}")
    data = hook.read_bytes()
    words = gate_call(data)
    if words is None:
        if mentions_gate(data):
            return Line(OK, "hook", f"pre-receive at {hook}, which starts freezegate among other things")
        return Line(PROBLEM, "hook", f"{hook} does not start freezegate", install)
    if not os.access(words[0], os.X_OK):
        return Line(
            PROBLEM, "hook", f"{hook} starts {words[0]}, which this user cannot execute: every push is refused", install
        )
    return Line(OK, "hook", f"pre-receive at {hook}: {' '.join(words[3:])}")


def _clone_hook(hook: Path, name: str) -> Line:
    todo = f"pre-commit install --hook-type {name}"
    judged = "merges" if name == "pre-merge-commit" else "commits"
    if not hook.exists():
        return Line(PROBLEM, name, f"not installed, so {judged} are not judged here", todo)
    if not is_executable(hook):
        return Line(PROBLEM, name, "not executable, so git passes over it", f"chmod +x {hook}")
    data = hook.read_bytes()
    if not any(runner in data for runner in _RUNNERS):
        return Line(PROBLEM, name, f"{hook} starts neither freezegate nor pre-commit", todo)
    if b"freezegate" not in data and not _configured():
        return Line(
            PROBLEM, name, ".pre-commit-config.yaml does not name freezegate", "freezegate init says what to add to it"
        )
    return Line(OK, name, "installed and executable")


def _configured() -> bool:
    top = Path(os.fsdecode(ask(["rev-parse", "--show-toplevel"]).removesuffix(b"\n")))
    try:
        return b"freezegate" in (top / ".pre-commit-config.yaml").read_bytes()
    except OSError:
        return False

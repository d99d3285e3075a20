"""Where drafts are written, and what a command of the user's makes of the diff.

A draft that lay in a folder under the gate would be governed before anybody has read it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from freezegate.errors import CannotJudge, UsageError
from freezegate.files import write_whole
from freezegate.gate.companions import is_gate_file
from freezegate.gate.force import own_config
from freezegate.gate.governed import Governed
from freezegate.gate.placing import Places
from freezegate.gate.sets import fold
from freezegate.paths import RepoPath
from freezegate.text import escape, quoted
from freezegate.verdicts.splitting import Trees

FOLDER = "freezegate-drafts"
_LARGEST = 1 << 20  # bytes of a command's answer


def folder(given: str | None, top: str, trees: Trees) -> Path:
    """The folder for the drafts: the given one, else one at the root of the repository. It need not exist.

    Raises CannotJudge where it lies in a place under the gate, or where a link stands on the way below the root.
    """
    path = Path(os.path.abspath(given)) if given is not None else Path(top, FOLDER)  # noqa: PTH100 (resolves no link)
    real, root = path.resolve(), Path(top).resolve()
    inside = [base for base in (Path(top), root) if path.is_relative_to(base)]
    if path.is_symlink() or (inside and real != root / path.relative_to(inside[0])):
        raise CannotJudge(f"a symbolic link is on the way to {quoted(str(path))}", "name a folder with --out")
    if real.exists() and not real.is_dir():
        raise CannotJudge(f"{quoted(str(path))} is no folder", "name a folder with --out")
    if real.is_relative_to(root):
        _check(RepoPath(os.fsencode(real.relative_to(root))), trees)
    return real


def _check(path: RepoPath, trees: Trees) -> None:
    if path == b".":
        return
    folded = RepoPath(fold(path))
    for tree in (trees.head, trees.fork):
        for places in (tree.places, _own_places(tree)):
            for place in (*places.source, *places.binding_half, *places.verdict_half):
                if folded.within(fold(place)):
                    raise CannotJudge(f"{path} lies in {place}, which is under the gate", "name another with --out")
    if b".git" in folded.split(b"/") or is_gate_file(folded.joined(b"x.yaml")):
        raise CannotJudge(f"{path} is no place for drafts: git or a CI service reads it", "name another with --out")


def _own_places(tree: Governed) -> Places:
    """The places that the tree's own config names, which will be in force once it has landed."""
    reading = own_config(tree.snapshot, tree.archive)
    return tree.places if reading is None or reading.document is None else Places.of(reading.document)


def write(target: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write the files, by their names, into the folder. Raises CannotJudge where one is there, and then writes none."""
    paths = [target / name for name in files]
    for path in paths:
        if os.path.lexists(path):
            raise CannotJudge(f"{quoted(str(path))} is there already", "use it or remove it, or name another --out")
    target.mkdir(parents=True, exist_ok=True)
    for path, data in zip(paths, files.values(), strict=True):
        write_whole(str(path), data)
    return paths


def answer(command: str, diff: bytes) -> bytes:
    """What the command prints when it is given the diff on its standard input. It runs as the user would run it.

    The words are split as a shell does, but no shell runs. Raises UsageError where there are none, CannotJudge where
    the command fails, or prints nothing or too much.
    """
    import shlex

    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--with {quoted(command)}: {str(error).lower()}") from None
    if not words:
        raise UsageError("--with names no command")
    hint = "the diff comes on its standard input, the draft goes to its standard output"
    try:
        done = subprocess.run(words, input=diff, stdout=subprocess.PIPE, check=False)
    except OSError as error:
        raise CannotJudge(f"{quoted(words[0])} could not be started: {error.strerror}", hint) from None
    if done.returncode != 0:
        how = f"exit status {done.returncode}" if done.returncode > 0 else f"signal {-done.returncode}"
        raise CannotJudge(f"{escape(words[0])} ended with {how}, so nothing was written", hint)
    if not done.stdout.strip():
        raise CannotJudge(f"{escape(words[0])} printed nothing", hint)
    if len(done.stdout) > _LARGEST:
        raise CannotJudge(f"{escape(words[0])} printed {len(done.stdout)} bytes; at most {_LARGEST} are a draft", hint)
    return done.stdout

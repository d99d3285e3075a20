"""`doctor`: one line for each thing that decides whether pushes or commits are judged."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from freezegate.errors import CannotJudge
from freezegate.git.plumbing import answer
from freezegate.server import judged, machine, repository
from freezegate.server.hook import option
from freezegate.server.line import OK, PROBLEM, WARNING, Line
from freezegate.text import escape, shell_word

__all__ = ["OK", "PROBLEM", "WARNING", "Line", "examine"]


def examine(given: str) -> Iterator[Line]:
    """Look at the repository; the lines as they are found.

    The current folder becomes the repository's. Raises CannotJudge where there is none, GitError where git fails.
    """
    try:
        os.chdir(given)
    except OSError as error:
        raise CannotJudge(f"{escape(given)}: {error.strerror}", "name a repository") from None
    version = machine.git_version()
    status, out, errors = answer(["rev-parse", "--is-bare-repository", "--absolute-git-dir"])
    refused = "dubious ownership" in errors
    if status != 0 and not refused:
        first = errors.splitlines()[0] if errors else f"exit status {status}"
        raise CannotJudge(f"{escape(given)} is no git repository that can be read: {first}", "name a repository")
    yield version
    if refused:
        here = Path.cwd()
        yield Line(
            PROBLEM, "owner", f"{here} is another user's (user id {here.stat().st_uid}), and git refuses to read it",
            f"git config --global --add safe.directory {shell_word(str(here))}",
        )  # fmt: skip
        yield machine.interpreter(None)
        yield machine.libyaml()
        yield machine.quarantine()
        return
    bare_word, _, folder_word = out.removesuffix(b"\n").partition(b"\n")
    bare, folder = bare_word == b"true", Path(os.fsdecode(folder_word))
    yield repository.kind(folder, bare)
    yield repository.owner(folder)
    words = repository.hook_words(folder) if bare else []
    default = option(words, "--default-branch")
    yield machine.interpreter(judged.requires_python(judged.branch(default)[0]))
    yield machine.libyaml()
    yield from repository.hooks(folder, bare)
    if bare:
        yield machine.quarantine()
        yield repository.object_checks()
    yield repository.depth(bare)
    yield repository.replacements()
    yield from judged.tree(default, option(words, "--config"), bare)

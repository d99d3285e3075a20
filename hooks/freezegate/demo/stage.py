"""What a step of the story can do: edit, run a command, commit; each is shown as it happens."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from freezegate.demo.sandbox import Sandbox
from freezegate.demo.telling import Teller

_FINDING = re.compile(r"^.+?:\d+:\d+: ([a-z-]+): ", re.MULTILINE)


class Differs(Exception):
    """Something did not happen as told, and the story cannot go on."""


@dataclass(frozen=True)
class Good:
    """A commit that is accepted; `edit` makes what it commits, `message` is the commit's."""

    title: str
    why: str
    message: str
    edit: Callable[[Stage], None]


@dataclass(frozen=True)
class Bad:
    """A commit that is refused with findings of exactly these rules; the first is the one that it is about."""

    title: str
    why: str
    message: str
    edit: Callable[[Stage], None]
    rules: tuple[str, ...]


class Stage:
    """The sandbox, seen by a step of the story."""

    def __init__(self, sandbox: Sandbox, teller: Teller) -> None:
        self.sandbox = sandbox
        self.teller = teller

    def read(self, path: str) -> str:
        """The text of a file."""
        return self.sandbox.at(path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        """Make a file, its folder too."""
        place = self.sandbox.at(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        self.teller.edit(path, put=text)

    def replace(self, path: str, taken: str, put: str) -> None:
        """Change whole lines of a file. Raises Differs where they are not there once."""
        text = self.read(path)
        if text.count(taken) != 1:
            raise Differs(f"{path} does not have the lines that the story changes")
        self.sandbox.at(path).write_text(text.replace(taken, put), encoding="utf-8")
        self.teller.edit(path, taken, put)

    def shell(self, *words: str, status: int = 0) -> str:
        """What a command prints. Raises Differs where it ends with another exit status."""
        seen, output = self.sandbox.run(words)
        self.teller.command(words, output)
        if seen != status:
            raise Differs(f"{' '.join(words)} ended with exit status {seen}")
        return output

    def commit(self, message: str) -> tuple[bool, list[str]]:
        """Stage everything and commit: whether git made the commit, and the rules of the findings, each once."""
        self.shell("git", "add", "--all")
        before = self.sandbox.head()
        words = ("git", "commit", "--quiet", "-m", message)
        status, output = self.sandbox.run(words)
        self.teller.command(words, output)
        return status == 0 and self.sandbox.head() != before, list(dict.fromkeys(_FINDING.findall(output)))

"""The tutorial, typed: every file written, every command run by a shell, every output compared."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from building import environment

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "tutorial.md").read_text(encoding="utf-8")
# A file block follows the comment that names it; a console block has commands behind `$ ` and their output.
BLOCK = re.compile(r"(?:^<!-- file: (\S+) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """A file to write (`path`), or a command with what it prints."""

    path: str
    text: str
    output: str


def steps() -> list[Step]:
    found = []
    for path, language, body in BLOCK.findall(PAGE):
        if path:
            found.append(Step(path, body, ""))
        elif language == "console":
            for typed in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, output = typed.partition("\n")
                while command.endswith("\\"):
                    more, _, output = output.partition("\n")
                    command = command[:-1] + more.removeprefix(">")
                found.append(Step("", command, output))
    return found


def fits(expected: str, seen: str) -> bool:
    """Whether the output is as told; `[...]` in it stands for what differs between machines and days."""
    pattern = ".*?".join(map(re.escape, expected.split("[...]")))
    return re.fullmatch(pattern, seen, re.DOTALL) is not None


def test_it_has_the_whole_story() -> None:
    commands = " ".join(step.text for step in steps() if not step.path)
    for word in ("init", "lock", "property-run", "property-eval", "classify", "bind", "cite", "recheck", "retire"):
        assert f"freezegate {word}" in commands
    assert len([step for step in steps() if step.path]) >= 5


def test_a_pattern_fits_only_what_it_says() -> None:
    assert fits("a [...] c\n", "a b c\n")
    assert fits("a\n", "a\n")
    assert not fits("a [...] c\n", "a b\n")
    assert not fits("a\n", "a\nb\n")


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("pre_commit") is None, reason="pre-commit is absent")
def test_every_command_prints_what_is_told(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, module in (("freezegate", "freezegate"), ("pre-commit", "pre_commit")):
        script = tools / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        script.chmod(0o755)
    variables = environment(
        PATH=f"{tools}{os.pathsep}{os.environ['PATH']}",
        PRE_COMMIT_HOME=str(tmp_path / "pre-commit"),
        PRE_COMMIT_COLOR="never",
    )
    folder = tmp_path / "work"
    folder.mkdir()
    here = folder
    for step in steps():
        if step.path:
            place = here / step.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(step.text, encoding="utf-8")
            continue
        done = subprocess.run(
            ["bash", "-c", f'{step.text}\npwd > "$WHERE"'],
            cwd=here, env={**variables, "WHERE": str(tmp_path / "where")}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
        )  # fmt: skip
        here = Path((tmp_path / "where").read_text(encoding="utf-8").removesuffix("\n"))
        assert fits(step.output, done.stdout), f"$ {step.text}\n{done.stdout}\n--- told:\n{step.output}"

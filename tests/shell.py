"""Hints run as a person would run them: typed into a shell, with this project's program on the path."""

from __future__ import annotations

import os
import subprocess
import sys

from building import Repo, environment


def shell(repo: Repo, command: str) -> None:
    """Run `command` in the root of the repository; it must succeed."""
    program = repo.path.parent / f"{repo.path.name}-bin"
    program.mkdir(exist_ok=True)
    (program / "freezegate").write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m freezegate "$@"\n')
    (program / "freezegate").chmod(0o755)
    path = f"{program}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", command], cwd=repo.path, env=environment(PATH=path), capture_output=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stderr!r}"

"""Hints and documented commands run as a person would run them: typed into a shell, with this project's program on
the path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from building import Completed, Repo, environment


def typed(repo: Repo, command: str, cwd: Path | None = None) -> Completed:
    """What `command` does in `cwd`, by default the root of the repository."""
    program = repo.path.parent / f"{repo.path.name}-bin"
    program.mkdir(exist_ok=True)
    (program / "freezegate").write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m freezegate "$@"\n')
    (program / "freezegate").chmod(0o755)
    path = f"{program}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", command], cwd=cwd or repo.path, env=environment(PATH=path), capture_output=True, check=False
    )
    return Completed(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def shell(repo: Repo, command: str, cwd: Path | None = None) -> str:
    """Run `command`; it must succeed. What it printed."""
    done = typed(repo, command, cwd)
    assert done.code == 0, f"{command}: {done.err!r}"
    return done.out

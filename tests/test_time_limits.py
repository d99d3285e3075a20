"""A check that runs out of time leaves no git process behind, wherever it was."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from building import environment
from pushing import started

# Each question that is asked while another is still being answered, and the ones that are asked alone.
_SLOW = {
    "check": ("diff-index", "cat-file --batch-check", "rev-parse --is-bare-repository", "cat-file --batch "),
    "pre-receive": ("for-each-ref", "cat-file --batch-check", "rev-list", "diff-tree", "cat-file --batch "),
}


@pytest.mark.parametrize(("command", "slow"), [(command, slow) for command, each in _SLOW.items() for slow in each])
def test_no_git_process_outlives_the_time_limit(tmp_path: Path, command: str, slow: str) -> None:
    server, repo = started(tmp_path)
    before = repo.head()
    repo.write("tests/properties/order_total.py", "def test_total_non_negative(case):\n    assert case\n")
    if command == "check":
        repo.stage_all()
        where, said = repo.path, ""
    else:
        head = repo.commit_all()
        repo.git("push", "-q", "origin", "main:refs/tags/there")
        where, said = server.repo.path, f"{before} {head} refs/heads/main\n"
    pids = tmp_path / "pids"
    real = shutil.which("git")
    assert real is not None
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    # All are noted; the one under test never ends.
    wrapper.write_text(
        f'#!/bin/sh\necho $$ >>"{pids}"\ncase " $* " in *"{slow}"*) exec sleep 60;; esac\nexec "{real}" "$@"\n'
    )
    wrapper.chmod(0o755)
    path = f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}"
    words = [sys.executable, "-I", "-m", "freezegate", command, "--time-limit", "0.7"]
    done = subprocess.run(
        words, cwd=where, input=said, env=environment(PATH=path), capture_output=True, text=True, check=False, timeout=30
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "the time limit ran out" in done.stderr
    left = [pid for pid in map(int, pids.read_text().split()) if _runs(pid)]
    assert left == []


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True

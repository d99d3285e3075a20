"""The exit status where an output is closed, full or no file: never a pass that nobody was told of, never a 1 without
findings."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from building import Repo, environment, good_project, with_files


def shell(repo: Repo, flags: str) -> tuple[int, str, str]:
    """What `freezegate FLAGS` does; the flags are words of a shell, with its redirections."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -I -m freezegate {flags}', sys.executable], cwd=repo.path, capture_output=True,
        text=True, check=False, env=environment(), stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A good project, committed, with a change staged that no rule is about."""
    made = with_files(Repo(tmp_path_factory.mktemp("streams") / "r"), good_project())
    made.commit("base")
    made.write("README.md", "more\n")
    made.add("README.md")
    return made


@pytest.mark.parametrize("flags", ["check", "check --all-files", "check --all-files --format json"])
def test_an_unsaid_verdict_is_no_pass(repo: Repo, flags: str) -> None:
    assert shell(repo, flags)[0] == 0
    for closed in (">&-", ">/dev/full", ">/dev/full 2>/dev/full", ">&- 2>&-", "<&- >&- 2>&-"):
        assert shell(repo, f"{flags} {closed}")[0] == 2, closed


def test_without_standard_error_the_status_stands(repo: Repo) -> None:
    assert shell(repo, "check 2>&-")[0] == 0
    assert shell(repo, "check --all-files --format json 2>&-")[0] == 0
    assert shell(repo, "check --base nowhere 2>&-")[0] == 2
    assert shell(repo, "explain nowhere 2>&-")[0] == 2
    assert shell(repo, "check --base nowhere 2>/dev/full")[0] == 2


def test_the_report_goes_to_what_is_no_file(repo: Repo) -> None:
    status, out, errors = shell(repo, "check --all-files --format json --output /dev/stdout")
    assert (status, json.loads(out)["findings"]) == (0, []) and "no findings" in errors
    assert shell(repo, "check --all-files --output /dev/stderr")[0] == 0


def test_a_path_that_the_terminal_cannot_show_is_shown_escaped(tmp_path: Path) -> None:
    files = good_project()
    scope = files.pop("tests/properties/order_total.scope.yaml")
    kept = {name: data for name, data in files.items() if not name.startswith(("tests/bindings", "tests/freezes"))}
    repo = with_files(Repo(tmp_path / "r"), {**kept, "tests/properties/\u00fcber.scope.yaml": scope})
    repo.commit("base")
    done = subprocess.run(
        [sys.executable, "-m", "freezegate", "lock", "order_total.non_negative"], cwd=repo.path, capture_output=True,
        text=True, check=False, env=environment(PYTHONIOENCODING="ascii"), stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0 and "locked tests/properties/\\xfcber.scope.yaml" in done.stdout, done

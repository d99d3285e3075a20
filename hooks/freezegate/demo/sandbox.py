"""A temporary repository that nothing of the user's configuration reaches, and that leaves nothing behind."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from freezegate.errors import CannotJudge

# All that a child gets of the caller's environment: a leaked GIT_DIR would commit into another repository, and a leaked
# SKIP would switch the hook off.
_PASSED = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
_PERSON = ("A. Developer", "developer@example.org")


def find_pre_commit() -> list[str]:
    """The words that start pre-commit. Raises CannotJudge where it is not installed."""
    if importlib.util.find_spec("pre_commit") is not None:
        return [sys.executable, "-m", "pre_commit"]
    found = shutil.which("pre-commit")
    if found is None:
        raise CannotJudge(
            "the demo commits through pre-commit, which is not installed",
            f"{shlex.quote(sys.executable)} -m pip install pre-commit",
        )
    return [found]


def find_hypothesis() -> None:
    """Raises CannotJudge where the search engine is not installed."""
    if importlib.util.find_spec("hypothesis") is None:
        raise CannotJudge(
            "the demo searches with Hypothesis, which is not installed",
            f"{shlex.quote(sys.executable)} -m pip install hypothesis",
        )


class Sandbox:
    """A folder with an empty home and a repository to be. While it is open, this process has its environment too."""

    def __init__(self, keep: bool) -> None:
        find_hypothesis()
        self._keep = keep
        self._names = {"pre-commit": find_pre_commit(), "freezegate": [sys.executable, "-m", "freezegate"]}

    def __enter__(self) -> Sandbox:
        self.top = Path(tempfile.mkdtemp(prefix="freezegate-demo-")).resolve()
        self.folder = self.top / "orders"
        self._before = dict(os.environ)
        for place in (self.folder, self.top / "home"):
            place.mkdir()
        changed = _environment(self.top / "home", self._before)
        # GitPython's children inherit the process's own environment, so that is what has to be clean.
        os.environ.clear()
        os.environ.update(changed)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.environ.clear()
        os.environ.update(self._before)
        for _ in range(1 if self._keep else 10):
            if self._keep or not self.top.exists():
                return
            # After Ctrl-C a grandchild may still be writing.
            shutil.rmtree(self.top, ignore_errors=True)
            time.sleep(0.05 if self.top.exists() else 0)

    def run(self, words: Sequence[str]) -> tuple[int, str]:
        """Run one command in the repository: exit status, and both outputs as they came."""
        command = [*self._names.get(words[0], words[:1]), *words[1:]]
        done = subprocess.run(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    def at(self, path: str) -> Path:
        """The place of a file of the repository."""
        return self.folder / path

    def head(self) -> str:
        """The id of the current commit; empty before the first."""
        from git import Repo

        with Repo(self.folder) as repo:
            return repo.head.commit.hexsha if repo.head.is_valid() else ""

    def put_back(self, commit: str) -> bool:
        """Make branch, index and files those of `commit` again; whether that worked."""
        from git import Repo

        with Repo(self.folder) as repo:
            repo.git.reset("--hard", "-q", commit)
            repo.git.clean("-fdqx")
            return repo.head.commit.hexsha == commit and not repo.is_dirty(untracked_files=True)


def _environment(home: Path, before: dict[str, str]) -> dict[str, str]:
    kept = {name: before[name] for name in _PASSED if name in before}
    if "PYTHONPATH" in before:
        # The children run in another folder.
        kept["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, before["PYTHONPATH"].split(os.pathsep)))
    name, mail = _PERSON
    return {
        **kept,
        "HOME": str(home),
        "PRE_COMMIT_HOME": str(home / "pre-commit"),
        "PRE_COMMIT_COLOR": "never",
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": mail,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": mail,
    }

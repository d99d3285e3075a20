"""What a working tree holds that decides how the gate is set up in it."""

from __future__ import annotations

import configparser
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from freezegate.documents.config import FILES, FOLDERS, Layout
from freezegate.errors import CannotJudge
from freezegate.paths import RepoPath

if TYPE_CHECKING:
    from git import Repo

_NO_SOURCE = frozenset(("test", "tests", "testing", "doc", "docs", "example", "examples", "benchmarks"))
_NO_MODULE = _NO_SOURCE | {"setup", "conftest", "noxfile", "tasks", "fabfile", "dodo", "manage", "__main__"}
_CHUNK = 1 << 20  # bytes


class Worktree:
    """The working tree around a folder (default: the current one)."""

    def __init__(self, start: Path | None = None) -> None:
        """Find it. Raises CannotJudge where there is no repository, or a bare one, or git does not start."""
        self._repo = _open(start)
        self.root = Path(cast(str, self._repo.working_tree_dir))

    def close(self) -> None:
        """End git's children."""
        self._repo.close()

    def at(self, path: RepoPath) -> Path:
        """The place of `path` in the file system."""
        return self.root / path.text

    def kind(self, path: RepoPath) -> str:
        """What is at `path`: "nothing", "folder", "file", "link" or "other".

        A link or a file on the way counts as being there itself: nothing below it is this repository's.
        """
        for step in (*path.ancestors(), path):
            try:
                mode = self.at(step).lstat().st_mode
            except (FileNotFoundError, NotADirectoryError):
                return "nothing"
            if step != path and not stat.S_ISDIR(mode):
                return "link" if stat.S_ISLNK(mode) else "file"
        kinds = ((stat.S_ISDIR, "folder"), (stat.S_ISREG, "file"), (stat.S_ISLNK, "link"))
        return next((name for is_kind, name in kinds if is_kind(mode)), "other")

    def packages(self) -> list[str]:
        """Python packages at the root that can be named as source folders: not tests, not docs, not ignored."""
        layout = Layout()
        taken = {getattr(layout, key).split(b"/")[0].decode("ascii") for key in (*FOLDERS, *FILES)} | _NO_SOURCE
        found = [
            entry.name
            for entry in os.scandir(self.root)
            if entry.is_dir(follow_symlinks=False)
            and entry.name.isidentifier()
            and entry.name.casefold() not in taken
            and Path(entry.path, "__init__.py").is_file()
        ]
        ignored = self.ignored(found)
        return sorted(name for name in found if name not in ignored)

    def modules(self) -> list[str]:
        """Python files at the root that can be named as source: no tests, no tools' own files, not ignored."""
        found = [
            entry.name
            for entry in os.scandir(self.root)
            if entry.is_file(follow_symlinks=False)
            and entry.name.endswith(".py")
            and (stem := entry.name[:-3]).isidentifier()
            and stem.casefold() not in _NO_MODULE
            and not stem.startswith("test_")
            and not stem.endswith("_test")
        ]
        ignored = self.ignored(found)
        return sorted(name for name in found if name not in ignored)

    def ignored(self, paths: Iterable[str]) -> set[str]:
        """Which of these paths git's ignore rules leave out."""
        # Not Repo.ignored: it takes a name that begins with a dash for an option, and gives odd names back quoted.
        with tempfile.TemporaryFile() as names:
            names.write(b"".join(os.fsencode(path) + b"\0" for path in paths))
            names.seek(0)
            status, out, errors = self._repo.git.check_ignore(
                "-z", "--stdin", istream=names, with_extended_output=True, with_exceptions=False, stdout_as_string=False
            )
        if status not in (0, 1):
            raise _git_failed(errors)
        return {os.fsdecode(name) for name in cast(bytes, out).split(b"\0") if name}

    def has_zero_byte(self, folder: RepoPath) -> bool:
        """Whether any file below the folder, tracked or yet to be added, holds a zero byte."""
        if self.kind(folder) != "folder":
            return False
        return any(_holds_zero(self.at(path)) for path in self._files(folder) if self.kind(path) == "file")

    def has_python(self, folder: RepoPath) -> bool:
        """Whether a Python file that git does not ignore lies below the folder."""
        return any(path.endswith((b".py", b".pyi")) for path in self._files(folder))

    def _files(self, folder: RepoPath) -> list[RepoPath]:
        from git import GitCommandError

        flags = ("-z", "--cached", "--others", "--exclude-standard")
        below = f":(top,literal){folder.text}"
        try:
            out = self._repo.git.ls_files(*flags, "--", below, stdout_as_string=False, strip_newline_in_stdout=False)
        except GitCommandError as error:
            raise _git_failed(error.stderr) from None
        paths = dict.fromkeys(map(RepoPath, cast(bytes, out).split(b"\0")[:-1]))
        return [path for path in paths if b"__pycache__" not in path.split(b"/")]


def _open(start: Path | None) -> Repo:
    try:
        import git
    except ImportError:
        # GitPython looks for the git command when it is imported.
        raise CannotJudge("git could not be started", "install git 2.34 or later") from None
    try:
        repo = git.Repo(start, search_parent_directories=True)
        bare = repo.bare or repo.working_tree_dir is None
    except (git.InvalidGitRepositoryError, git.NoSuchPathError):
        raise CannotJudge("there is no git repository here or in a folder above", "git init") from None
    except (git.GitError, configparser.Error, ValueError) as error:
        raise _git_failed(str(error)) from None
    if bare:
        repo.close()
        raise CannotJudge(
            "this repository is bare: it has no working tree to set up",
            "run it in a clone, and commit from there",
        )
    return repo


def _git_failed(errors: str) -> CannotJudge:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    dubious = any("dubious ownership" in line for line in lines)
    hint = 'git config --global --add safe.directory "$(pwd)"' if dubious else ""
    return CannotJudge(f"git could not read this repository: {lines[0] if lines else 'no message'}", hint)


def _holds_zero(path: Path) -> bool:
    with path.open("rb") as file:
        return any(b"\0" in chunk for chunk in iter(lambda: file.read(_CHUNK), b""))

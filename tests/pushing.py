"""A bare repository with a real pre-receive hook, and clones that push to it over file://."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from building import Completed, Repo, environment, good_project, with_files


class Server:
    """A bare repository at `path` whose pre-receive hook is freezegate's, with the given options."""

    def __init__(self, path: Path, *options: str, sha256: bool = False, extra: str = "") -> None:
        self.repo = Repo(path, bare=True, sha256=sha256)
        self.hook(*options, extra=extra)

    def hook(self, *options: str, extra: str = "") -> None:
        """Install the hook; `extra` is shell that runs before it."""
        words = " ".join(f"'{word}'" for word in (sys.executable, "-I", "-m", "freezegate", "pre-receive", *options))
        hook = self.repo.path / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{extra}\nexec {words}\n", encoding="utf-8")
        hook.chmod(0o755)

    def tip(self, ref: str | bytes = "refs/heads/main") -> str | None:
        """The id that a ref holds, or None."""
        refs = self.repo.git("for-each-ref", "--format=%(objectname) %(refname)").splitlines()
        wanted = ref.encode() if isinstance(ref, str) else ref
        return next((row[: row.index(b" ")].decode() for row in refs if row.split(b" ", 1)[1] == wanted), None)

    def feed(self, lines: bytes, *options: str, env: Mapping[str, str] | None = None) -> Completed:
        """What the hook says when it is given these lines itself."""
        command = [sys.executable, "-I", "-m", "freezegate", "pre-receive", *options]
        done = subprocess.run(
            command, cwd=self.repo.path, input=lines, capture_output=True, check=False,
            env=environment(GIT_DIR=".", **(env or {})),
        )  # fmt: skip
        return Completed(done.returncode, done.stdout.decode(), done.stderr.decode())


def push(repo: Repo, *refspecs: str | bytes, force: bool = False, env: Mapping[str, str] | None = None) -> Completed:
    """What ``git push origin REFSPECS`` does; the hook's own lines are in `err` without git's prefix."""
    command: list[str | bytes] = ["git", "push", *(["--force"] if force else []), "origin", *refspecs]
    done = subprocess.run(
        command, cwd=repo.path, capture_output=True, env=environment(**(env or {})), check=False
    )  # fmt: skip
    lines = (line.removeprefix("remote: ").rstrip() for line in done.stderr.decode(errors="replace").splitlines())
    return Completed(done.returncode, done.stdout.decode(), "\n".join(lines))


def clone_of(server: Server, path: Path) -> Repo:
    """A working repository whose origin is the server (which may be empty)."""
    kind = server.repo.git("rev-parse", "--show-object-format").decode().strip()
    repo = Repo(path, sha256=kind == "sha256")
    repo.git("remote", "add", "origin", server.repo.path.resolve().as_uri())
    return repo


def started(tmp_path: Path, *options: str, sha256: bool = False) -> tuple[Server, Repo]:
    """A server that took the good project as its first push, and the repository that pushed it."""
    server = Server(tmp_path / "server.git", *options, sha256=sha256)
    repo = clone_of(server, tmp_path / "work")
    with_files(repo, good_project()).commit()
    done = push(repo, "main")
    assert done.code == 0, done.err
    return server, repo

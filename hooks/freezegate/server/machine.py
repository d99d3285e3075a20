"""What of the machine decides whether the gate can judge: git, Python, libyaml, quarantine."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

from freezegate.git.plumbing import answer, ask
from freezegate.server.line import OK, PROBLEM, WARNING, Line

_GIT = (2, 34)
_QUARANTINE = "GIT_QUARANTINE_PATH"
_STORES = ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")


def git_version() -> Line:
    """Whether git is new enough. Raises GitError where it does not start."""
    words = ask(["version"]).decode("utf-8", "replace").strip()
    found = re.search(r"(\d+)\.(\d+)", words)
    if found is None:
        return Line(WARNING, "git", f"its version cannot be read from {words!r}")
    version = (int(found[1]), int(found[2]))
    shown = words.removeprefix("git version ")
    if version < _GIT:
        return Line(PROBLEM, "git", shown, f"install git {_GIT[0]}.{_GIT[1]} or later")
    return Line(OK, "git", shown)


def interpreter(wanted: str | None) -> Line:
    """Whether this Python can read the project's source; `wanted` is its ``requires-python``."""
    version = ".".join(map(str, sys.version_info[:3]))
    seen = f"{version} ({sys.executable})"
    lowest = max((int(minor) for minor in re.findall(r"(?:>=|~=|==)\s*3\.(\d+)", wanted or "")), default=None)
    if lowest is not None and sys.version_info[:2] < (3, lowest):
        return Line(
            PROBLEM, "python", f"{seen}, and the project asks for {wanted}",
            f"install freezegate under Python 3.{lowest} or later: syntax that it does not know is refused",
        )  # fmt: skip
    if lowest is None:
        return Line(OK, "python", f"{seen}; the project names no requires-python to compare it with")
    return Line(OK, "python", f"{seen}; the project asks for {wanted}")


def libyaml() -> Line:
    """Whether YAML is read by the C library."""
    import yaml

    if hasattr(yaml, "CSafeLoader"):
        return Line(OK, "libyaml", f"in use (PyYAML {yaml.__version__})")
    return Line(
        WARNING, "libyaml", f"not in use by PyYAML {yaml.__version__}: reading takes about eight times as long",
        "install a wheel of PyYAML, or libyaml-dev before building it",
    )  # fmt: skip


def quarantine() -> Line:
    """What a hook sees of the objects that are pushed: asked of a push between two repositories of its own."""
    if _QUARANTINE in os.environ:
        return _seen(dict(os.environ), "this hook")
    with tempfile.TemporaryDirectory(prefix="freezegate-doctor-") as folder:
        return _seen(_pushed(Path(folder)), "a hook")


def _seen(variables: dict[str, str], whose: str) -> Line:
    missing = [name for name in (_QUARANTINE, *_STORES) if not variables.get(name)]
    if not missing:
        return Line(OK, "quarantine", f"git names the pushed objects to {whose} ({_QUARANTINE} and both stores)")
    if len(missing) == 3:
        return Line(
            PROBLEM, "quarantine", "a pre-receive hook did not run in a trial push here",
            "look for core.hooksPath in git config --show-origin --list, and for noexec on the temporary folder",
        )  # fmt: skip
    return Line(
        PROBLEM,
        "quarantine",
        f"{', '.join(missing)} not set in {whose}",
        "keep git's variables on their way to the hook",
    )


def _pushed(folder: Path) -> dict[str, str]:
    server, seen = folder / "server.git", folder / "seen"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or "CONFIG" in name}
    kept = dict(os.environ)
    os.environ.clear()
    os.environ.update(clean)
    try:
        answer(["init", "-q", "--bare", "--template=", str(server)])
        answer(["init", "-q", "--bare", "--template=", str(folder / "client.git")])
        hook = server / "hooks" / "pre-receive"
        hook.parent.mkdir()
        names = " ".join(f'{name}="${name}"' for name in (_QUARANTINE, *_STORES))
        hook.write_text(f"#!/bin/sh\nprintf '%s\\n' {names} >../seen\n", encoding="utf-8")
        hook.chmod(0o755)
        client = [f"--git-dir={folder / 'client.git'}", "-c", "user.name=doctor", "-c", "user.email=doctor"]
        tree = ask([*client, "mktree"], b"").strip().decode()
        commit = ask([*client, "commit-tree", "-m", "trial", tree]).strip().decode()
        push = ["-c", "protocol.file.allow=always", "push", "-q", server.as_uri(), f"{commit}:refs/heads/trial"]
        answer([*client, *push])
    finally:
        os.environ.clear()
        os.environ.update(kept)
    lines = seen.read_text(encoding="utf-8").splitlines() if seen.exists() else []
    return dict(line.partition("=")[::2] for line in lines)

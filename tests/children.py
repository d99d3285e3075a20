"""Trees with one predicate, and children that judge a case in them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from freezegate.running.evaluation import Outcome, evaluate
from freezegate.running.launch import Launch, local_launch

PREDICATE = "tests/properties/p.py"


def pythons() -> list[str]:
    """The interpreters at hand that a child may run under, each once: those on PATH by version, and pyenv's."""
    found = {sys.version_info[:2]: sys.executable}
    for minor in range(8, 14):
        if (3, minor) not in found and (path := _real(shutil.which(f"python3.{minor}"))):
            found[3, minor] = path
    root = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    if shutil.which("pyenv") is not None:
        root = Path(subprocess.run(["pyenv", "root"], capture_output=True, text=True, check=True).stdout.strip())
    for python in sorted(root.glob("versions/3.*/bin/python")):
        version = python.parts[-3].split(".")
        if version[1].isdigit() and int(version[1]) >= 8:
            found.setdefault((3, int(version[1])), str(python))
    return [found[version] for version in sorted(found)]


def _real(path: str | None) -> str | None:
    """The interpreter behind a launcher of that name, None where it does not start."""
    if path is None:
        return None
    program = "import sys; print(sys.executable)"
    done = subprocess.run([path, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


class Project:
    """A tree and a folder for the child's files below `base`; `source` is the text of the predicate's file."""

    def __init__(self, base: Path, source: str, files: dict[str, str | bytes] | None = None) -> None:
        self.root = base / "tree"
        self.temp = base / "temp"
        self.root.mkdir()
        self.temp.mkdir()
        self.closure = [PREDICATE]
        self.write(PREDICATE, textwrap.dedent(source))
        for path, data in (files or {}).items():
            self.write(path, textwrap.dedent(data) if isinstance(data, str) else data)

    def write(self, path: str, data: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        return file

    def launch(self, python: str = sys.executable) -> Launch:
        return local_launch(python, str(self.root), str(self.temp))

    def job(self, **changes: Any) -> dict[str, Any]:
        job = {
            "kind": "evaluate",
            "root": str(self.root),
            "paths": ["tests/properties", "", "src"],
            "source_paths": ["src"],
            "predicate": {"path": PREDICATE, "function": "test_p"},
            "closure": self.closure,
            "memory": None,
            "facts": False,
        }
        return {**job, **changes}

    def outcome(
        self,
        case: Any = None,
        limit: float | None = 20,
        python: str = sys.executable,
        launch: Launch | None = None,
        **job: Any,
    ) -> Outcome:
        """What the predicate says to `case` (default: an empty object)."""
        text = json.dumps({} if case is None else case).encode()
        return evaluate(launch or self.launch(python), self.job(**job), text, limit)

    def noted(self, name: str = "pids") -> list[int]:
        """The process numbers that the predicate wrote into a file of the tree."""
        return [int(line) for line in (self.root / name).read_text().split()]


def alive(pid: int) -> bool:
    """Whether the process is there, also as one that nobody has waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def own_children() -> set[int]:
    """The processes of which this one is the parent, ended ones that were never waited for too.

    To be compared with what was there before: a run in this process makes it the parent of orphans of other tests as well.
    """
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        found.update(map(int, (task / "children").read_text().split()))
    return found

"""The repository of one case: real git, an environment of its own, and the installed freezegate as a child."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from freezegate.errors import CannotJudge
from freezegate.fingerprints import written
from freezegate.gauntlet import project

# All that a child gets of the caller's environment: what git, pre-commit or a CI system sets would choose other trees.
_PASSED = ("PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
_DATE = "1700000000 +0000"
GATE = (sys.executable, "-I", "-m", "freezegate")


@dataclass(frozen=True)
class Done:
    """What a child did: exit status and both outputs as text."""

    code: int
    out: str
    err: str


def environment(home: Path, **more: str) -> dict[str, str]:
    """The variables of a child: none that git or a CI system sets, no configuration of a person or machine."""
    kept = {name: os.environ[name] for name in _PASSED if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "A. Author",
        "GIT_AUTHOR_EMAIL": "author@example.org",
        "GIT_COMMITTER_NAME": "C. Committer",
        "GIT_COMMITTER_EMAIL": "committer@example.org",
        "GIT_AUTHOR_DATE": _DATE,
        "GIT_COMMITTER_DATE": _DATE,
        **more,
    }


class Work:
    """A repository at `folder`, as a case's builders see it. Paths are relative to its root, `/` between parts.

    `refspecs`, `options` and `variables` may be changed by a patch: what is pushed, further words for the layer's
    command, further variables of its environment. A patch that stages by itself sets `staged`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.base = ""
        self.staged = False
        self.refspecs = ["HEAD:refs/heads/main"]
        self.options: list[str] = []
        self.variables: dict[str, str] = {}

    # Files of the working tree.

    def at(self, path: str | bytes) -> Path:
        """The place of a file; bytes are taken as they are."""
        return self.folder / os.fsdecode(path)

    def read(self, path: str) -> str:
        """The text of a file."""
        return self.at(path).read_bytes().decode()

    def put(self, path: str | bytes, text: str | bytes = "", mode: int | None = None) -> None:
        """Make a file, and its folders."""
        place = self.at(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        if mode is not None:
            place.chmod(mode)

    def swap(self, path: str, taken: str, put: str) -> None:
        """Replace a text that is in a file once. Raises CannotJudge where it is not."""
        text = self.read(path)
        if text.count(taken) != 1:
            raise CannotJudge(f"{path} does not have the text that the case changes")
        self.put(path, text.replace(taken, put))

    def append(self, path: str, text: str) -> None:
        """Add to the end of a file."""
        self.put(path, self.read(path) + text)

    def fields(self, path: str, **changes: Any) -> None:
        """Set fields of a JSON document; `...` removes one."""
        document = {**json.loads(self.read(path)), **changes}
        self.json(path, {name: value for name, value in document.items() if value is not ...})

    def json(self, path: str, document: Any) -> None:
        """Write a JSON document as people do."""
        self.put(path, json.dumps(document, indent=2) + "\n")

    def drop(self, *paths: str | bytes) -> None:
        """Remove files, links or folders; each must be there."""
        for path in paths:
            place = self.at(path)
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink()

    def move(self, before: str, after: str) -> None:
        """Rename a file or folder."""
        self.at(after).parent.mkdir(parents=True, exist_ok=True)
        self.at(before).rename(self.at(after))

    def link(self, path: str, target: str) -> None:
        """A symbolic link, in the place of what is there."""
        if os.path.lexists(self.at(path)):
            self.drop(path)
        self.at(path).parent.mkdir(parents=True, exist_ok=True)
        self.at(path).symlink_to(target)

    # Git.

    def git(self, *words: str | bytes, feed: bytes | None = None, check: bool = True, **variables: str) -> str:
        """What ``git WORDS`` prints. Raises CannotJudge where it fails, unless `check` is false."""
        command: list[str | bytes] = ["git", "-c", "protocol.file.allow=always", "-c", "gc.auto=0", *words]
        done = _start(command, self.folder, self._variables(variables), feed)
        if check and done.code:
            raise CannotJudge(f"git {words!r} ended with {done.code}: {done.err.strip()}")
        return done.out.strip()

    def push(self, *refspecs: str) -> tuple[int, str]:
        """Push to the server: git's exit status, and all that it and the hook said."""
        done = _start(["git", "push", "../server.git", *refspecs], self.folder, self._variables(self.variables))
        return done.code, done.out + done.err

    def add(self, *paths: str) -> None:
        """Stage these paths, or everything, ignored files included."""
        self.git("add", "-A", "--force", "--", *(paths or (".",)))

    def entry(self, path: str | bytes, mode: str, object_id: str) -> None:
        """Put one entry into the index alone, with any mode and name; nothing else is staged after it."""
        self.staged = True
        self.git(
            "update-index", "-z", "--index-info", feed=f"{mode} {object_id}\t".encode() + os.fsencode(path) + b"\0"
        )

    def blob(self, data: bytes) -> str:
        """The id of a blob with these bytes."""
        return self.git("hash-object", "-w", "--no-filters", "--stdin", feed=data)

    def commit(self, message: str = "step", *words: str) -> str:
        """Commit the working tree (or what was staged by hand), past every hook; the commit's id."""
        if not self.staged:
            self.add()
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", message, *words)
        return self.git("rev-parse", "HEAD")

    def finish(self) -> None:
        """Commit what the patch left uncommitted, if anything."""
        if not self.staged:
            self.add()
        empty = ("--allow-empty",) if self.staged else ()
        self.git("commit", "-q", "--no-verify", "-m", "patch", *empty, check=False)

    def publish(self, commit: str) -> None:
        """Make a commit the main branch of the server, where there is one, past its hook."""
        server = self.folder.parent / "server.git"
        if server.exists():
            words = ("fetch", "-q", "--update-head-ok", "../work", f"+{commit}:refs/heads/main")
            self.git("-C", str(server), *words)

    def object(self, kind: str, data: bytes) -> str:
        """The id of an object with these bytes, however malformed."""
        return self.git("hash-object", "-w", "--literally", "-t", kind, "--stdin", feed=data)

    # The gate.

    def gate(self, *words: str, **variables: str) -> Done:
        """What ``freezegate WORDS`` does here."""
        return _start([*GATE, *words], self.folder, self._variables(variables))

    def tool(self, *words: str) -> str:
        """What ``freezegate WORDS`` prints. Raises CannotJudge where it fails."""
        done = self.gate(*words)
        if done.code:
            raise CannotJudge(f"freezegate {' '.join(words)} ended with {done.code}: {(done.err + done.out).strip()}")
        return done.out.strip()

    def lock(self, *scopes: str) -> None:
        """Write the predicate digests of these scopes, or of all."""
        self.add()
        self.tool("lock", *scopes)

    def bind(self, scope: str = project.SCOPE, *, cite: bool = False, **changes: Any) -> None:
        """Type the record of a scope by hand, with hashes that are right, as anyone can; with `cite` its citation."""
        self.add()
        scope_id = next(line.split()[1] for line in self.read(scope).splitlines() if line.startswith("scope_id:"))
        case = f"tests/bindings/{scope_id}.cex.json"
        triple = {
            "scope_id": scope_id,
            "fixture_digest": self.tool("binding-digest", scope),
            "counterexample_sha256": hashlib.sha256(self.at(case).read_bytes()).hexdigest(),
            "class_local": "fail",
            "class_isolated": "fail",
        }
        self.json(f"tests/bindings/{scope_id}.json", {**triple, **changes})
        if cite:
            reason = {"freeze_reason": "retained_input_failed_in_both_classifiers"}
            self.json(f"tests/freezes/{scope_id}.freeze.json", {**triple, **reason})

    def freeze(self, **changes: str) -> None:
        """Type an entry of the ledger, with a signature that looks like one."""
        self.add()
        entry = {
            "prop_id": project.TOTAL,
            "signature": "5e" * 32,
            "fixture_digest": self.tool("fixture-lock", "fixtures"),
            "base_revision": self.git("rev-parse", "HEAD"),
        }
        self.json(project.LEDGER, [*json.loads(self.read(project.LEDGER)), {**entry, **changes}])

    def reproduce(self, revision: str = "main") -> None:
        """Write the ledger that freezes what a revision really gives; runs project code."""
        digest = self.tool("fixture-lock", "fixtures", "--rev", revision)
        out = self.folder.parent / "reproduced.json"
        self.tool("reproduce", "--revision", revision, "--digest", digest, "--attempts", "1", "--out", str(out))
        self.put(project.LEDGER, out.read_bytes())

    def _variables(self, more: Mapping[str, str]) -> dict[str, str]:
        return environment(self.folder.parent / "home", **more)


def fingerprint(environment_name: str, machine: str) -> str:
    """The fingerprint of an evaluation in an environment, on a machine of this hash (16 hex digits)."""
    parts = {"environment": environment_name, "preset": "venv", "os": "debian 12", "machine": machine, "boot": machine}
    return written({**parts, "kernel": "Linux 6.1.0", "python": "CPython 3.11.7", "distributions": "0c" * 8})


def _start(words: list[Any], folder: Path, variables: dict[str, str], feed: bytes | None = None) -> Done:
    done = subprocess.run(
        words, cwd=folder, env=variables, input=feed, capture_output=True, check=False,
        stdin=subprocess.DEVNULL if feed is None else None,
    )  # fmt: skip
    return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

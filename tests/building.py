"""Real git repositories for tests, apart from the user's configuration and from any repository around the
tests."""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from freezegate.digests import Item, binding_order, digest_of

# what git, pre-commit and CI systems set for their children
_LEAKS = (
    "GIT_",
    "GITHEAD_",
    "PRE_COMMIT",
    "GITHUB_",
    "GITLAB_",
    "CI_",
    "SYSTEM_",
    "BITBUCKET_",
    "CHANGE_",
    "FREEZEGATE",
)
_LEAKED_NAMES = ("CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "XDG_CONFIG_HOME")
_START = 1_700_000_000  # seconds since 1970; each commit is a minute later than the one before

_home: list[str] = []


def environment(**changes: str) -> dict[str, str]:
    """The variables for a child: the tests' own without what leaks, no user or system configuration,
    `changes`."""
    if not _home:
        _home.append(tempfile.mkdtemp(prefix="freezegate-home-"))
        atexit.register(shutil.rmtree, _home[0], ignore_errors=True)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_LEAKS) and k not in _LEAKED_NAMES}
    isolated = {
        "HOME": _home[0],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "A. Author",
        "GIT_AUTHOR_EMAIL": "author@example.org",
        "GIT_COMMITTER_NAME": "C. Committer",
        "GIT_COMMITTER_EMAIL": "committer@example.org",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
    return {**kept, **isolated, **changes}


@dataclass(frozen=True)
class Completed:
    """What a child did: exit code, standard output and standard error as text."""

    code: int
    out: str
    err: str


class Repo:
    """A git repository made at `path` (which may exist), with branch ``main`` and no commit.

    Paths are relative to its root, str or bytes. `write`, `remove` and `link` touch the working tree alone.
    """

    def __init__(self, path: Path, *, sha256: bool = False, bare: bool = False, create: bool = True) -> None:
        self.path = path
        self._clock = _START
        if create:
            path.mkdir(parents=True, exist_ok=True)
            options = ["--bare"] if bare else []
            kind = "sha256" if sha256 else "sha1"
            self.git("init", "-q", "--initial-branch=main", f"--object-format={kind}", *options)
            self.git("config", "gc.auto", "0")

    def git(
        self,
        *args: str | bytes,
        input: bytes | None = None,
        check: bool = True,
        env: Mapping[str, str] | None = None,
    ) -> bytes:
        """What ``git ARGS`` prints; a failure raises with git's own words unless `check` is false."""
        date = f"{self._clock} +0000"
        variables = environment(GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date, **(env or {}))
        command = ["git", "-c", "protocol.file.allow=always", *args]
        done = subprocess.run(
            command, cwd=self.path, input=input, capture_output=True, env=variables, check=False,
            stdin=subprocess.DEVNULL if input is None else None,
        )  # fmt: skip
        if check and done.returncode:
            raise AssertionError(f"git {args!r}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def at(self, path: str | bytes) -> Path:
        """The place of `path` in the working tree."""
        return self.path / os.fsdecode(path)

    def write(self, path: str | bytes, content: str | bytes, mode: int | None = None) -> None:
        """Write a file (text as UTF-8, line ends as given); `mode` is a file mode such as 0o755."""
        place = self.at(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        if mode is not None:
            place.chmod(mode)

    def link(self, path: str | bytes, target: str | bytes) -> None:
        """Make a symbolic link, in the place of what is there."""
        self.remove(path)
        self.at(path).parent.mkdir(parents=True, exist_ok=True)
        self.at(path).symlink_to(os.fsdecode(target))

    def remove(self, path: str | bytes) -> None:
        """Remove a file, link or whole folder, and the folders that this leaves empty; absent is no error."""
        place = self.at(path)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
        for folder in place.parents:
            if folder == self.path or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()

    def add(self, *paths: str | bytes) -> None:
        """Stage these paths, deletions included; names are taken literally."""
        self.git("--literal-pathspecs", "add", "-A", "--", *paths)

    def stage_all(self) -> None:
        """Stage the whole working tree, deletions and ignored files included."""
        self.git("add", "-A", "--force")

    def stage_entry(self, path: str | bytes, mode: str, object_id: str) -> None:
        """Put an entry into the index alone: any mode (``160000`` too), any name."""
        line = f"{mode} {object_id}\t".encode() + os.fsencode(path) + b"\0"
        self.git("update-index", "-z", "--index-info", input=line)

    def blob(self, content: bytes) -> str:
        """The id of a blob with these bytes, now in the repository."""
        return self.git("hash-object", "-w", "--no-filters", "--stdin", input=content).decode().strip()

    def commit(self, message: str = "step", *args: str, env: Mapping[str, str] | None = None) -> str:
        """Commit what is staged (nothing is allowed too), past any hook, with further options; the commit's
        id."""
        self._clock += 60
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", message, *args, env=env)
        return self.head()

    def commit_all(self, message: str = "step") -> str:
        """Stage the whole working tree and commit it; the commit's id."""
        self.stage_all()
        return self.commit(message)

    def resolve(self, revision: str) -> str:
        """The full id that `revision` names."""
        return self.git("rev-parse", "--verify", "--end-of-options", revision).decode().strip()

    def head(self) -> str:
        """The id of the current commit."""
        return self.resolve("HEAD")

    def tree(self, revision: str = "HEAD") -> str:
        """The id of a revision's tree."""
        return self.resolve(f"{revision}^{{tree}}")

    def clone(self, path: Path, *args: str) -> Repo:
        """A clone of this repository at `path`."""
        self.git("clone", "-q", *args, self.path.resolve().as_uri(), str(path))
        copy = Repo(path, create=False)
        copy._clock = self._clock
        return copy

    def run(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        input: str | None = None,
        cwd: Path | None = None,
    ) -> Completed:
        """What ``freezegate ARGS`` does in a child that imports nothing from the repository."""
        done = subprocess.run(
            [sys.executable, "-I", "-m", "freezegate", *args],
            cwd=cwd or self.path, input=input or "", capture_output=True, env=environment(**(env or {})),
            encoding="utf-8", errors="surrogateescape", check=False,
        )  # fmt: skip
        return Completed(done.returncode, done.stdout, done.stderr)

    def check(self, *args: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Completed:
        """What ``freezegate check ARGS`` does."""
        return self.run("check", *args, env=env, cwd=cwd)

    def check_json(self, *args: str, env: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The JSON report of ``freezegate check ARGS``; fails unless the check could be made."""
        done = self.check(*args, "--format", "json", env=env)
        assert done.code in (0, 1), f"exit {done.code}: {done.err}"
        report: dict[str, Any] = json.loads(done.out)
        assert done.code == bool(report["findings"])
        return report

    def rules(self, *args: str, env: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
        """The (path, rule) pairs that ``freezegate check ARGS`` finds, in its order."""
        return [(row["path"], row["rule"]) for row in self.check_json(*args, env=env)["findings"]]


SCOPE_ID = "order_total.non_negative"
SCOPE = "tests/properties/order_total.scope.yaml"
RECORD = f"tests/bindings/{SCOPE_ID}.json"
COUNTEREXAMPLE = f"tests/bindings/{SCOPE_ID}.cex.json"
CITATION = f"tests/freezes/{SCOPE_ID}.freeze.json"


def good_project() -> dict[str, bytes]:
    """A small valid project, path to bytes, with both halves on: every state rule accepts it."""
    files = {path: text.encode() for path, text in _TEXTS.items()}
    files[COUNTEREXAMPLE] = as_json(
        {
            "scope_id": SCOPE_ID,
            "seed": 17,
            "example_index": 44,
            "input": {"currency": "USD", "qty": 1, "unit_cents": -1},
            "predicate_result": "fail",
            "shrink_steps": 6,
        }
    )
    files[RECORD] = files[CITATION] = b""
    return rebind(files)


def rebind(files: Mapping[str, bytes], *, sized: bool = False, **changes: object) -> dict[str, bytes]:
    """The files with each record and citation that is among them written anew, from scope and counterexample.

    `changes` replaces fields of the records (not of the citations).
    """
    bound = dict(files)
    for path in [path for path in files if path.endswith(".scope.yaml")]:
        scope = yaml.safe_load(files[path])
        scope_id = scope["scope_id"]
        case = files.get(f"tests/bindings/{scope_id}.cex.json")
        triple = {
            "scope_id": scope_id,
            "fixture_digest": scope_digest(files, path, sized=sized),
            "counterexample_sha256": None if case is None else hashlib.sha256(case).hexdigest(),
            "class_local": "fail",
            "class_isolated": "fail",
        }
        if f"tests/bindings/{scope_id}.json" in files:
            bound[f"tests/bindings/{scope_id}.json"] = as_json({**triple, **changes})
        if f"tests/freezes/{scope_id}.freeze.json" in files:
            reason = {"freeze_reason": "retained_input_failed_in_both_classifiers"}
            bound[f"tests/freezes/{scope_id}.freeze.json"] = as_json({**triple, **reason})
    return bound


def scope_digest(files: Mapping[str, bytes], path: str, *, sized: bool = False) -> str:
    """The binding digest of the scope file at `path`."""
    scope = yaml.safe_load(files[path])
    lock = scope.get("seed_lock", "tests/fixtures/seeds.lock")
    inputs = [name.encode() for name in scope.get("inputs", [])]
    order = binding_order(scope["generator"].encode(), path.encode(), lock.encode(), inputs)
    return digest_of([item(name, files[name.decode()]) for name in order], sized=sized)


def item(path: bytes, content: bytes, mode: int = 0o100644) -> Item:
    """One hashed file."""
    return Item(path, mode, len(content), (content,))


def as_json(document: object) -> bytes:
    """A document as people write it: indented, with a final newline."""
    return (json.dumps(document, indent=2) + "\n").encode()


def with_files(repo: Repo, files: Mapping[str, bytes]) -> Repo:
    """Make working tree and index hold exactly these files; the repository itself."""
    tracked = repo.git("ls-files", "-z").split(b"\0")[:-1]
    for path in tracked:
        if os.fsdecode(path) not in files:
            repo.remove(path)
    for name, content in files.items():
        repo.write(name, content)
    repo.stage_all()
    return repo


_TEXTS = {
    "src/orders.py": '''\
"""Orders and what they come to."""


def total_cents(qty, unit_cents):
    return qty * unit_cents


def sum_of_lines(lines):
    return sum(lines)
''',
    "tests/properties/amounts.py": """\
SMALLEST = 0


def is_amount(cents):
    return cents >= SMALLEST
""",
    "tests/properties/order_total.py": """\
from amounts import is_amount
from orders import total_cents


def test_total_non_negative(case):
    total = total_cents(case["qty"], case["unit_cents"])
    assert is_amount(total)
""",
    SCOPE: f"""\
scope_id: {SCOPE_ID}
predicate: tests/properties/order_total.py:test_total_non_negative
domain:
  currency: [USD, EUR]
  qty: {{min: 1, max: 20}}
  unit_cents: {{min: -5, max: 500}}
generator: tests/fixtures/gen_orders.py
seed_lock: tests/fixtures/order_total.lock
schema_version: 3
""",
    "tests/fixtures/gen_orders.py": """\
def generate(domain, rng):
    return {
        "currency": rng.choice(domain["currency"]),
        "qty": rng.randint(domain["qty"]["min"], domain["qty"]["max"]),
        "unit_cents": rng.randint(domain["unit_cents"]["min"], domain["unit_cents"]["max"]),
    }
""",
    "tests/fixtures/order_total.lock": f"{SCOPE_ID} 17 200\n",
    "props/order_total.py": """\
from orders import sum_of_lines


def check_total(case):
    assert sum_of_lines(case["lines"]) == case["total"]
""",
    "fixtures/orders.json": '[\n  {"lines": [1, 2], "total": 3},\n  {"lines": [], "total": 0}\n]\n',
    "catalog/order_total.yaml": """\
id: prop.order_total
oracle: props/order_total.py:check_total
claim: the total of an order is the sum of its lines
mutates_fixture: false
cases: "*.json"
""",
    "catalog/claimed.json": '["prop.order_total"]\n',
    "freezes/ledger.json": "[]\n",
}

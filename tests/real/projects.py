"""The two projects: which of their files the story needs, and what a person does in their repositories."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from building import Completed, Repo, as_json, environment
from freezegate.documents.reading import read_scope

_HERE = Path(__file__).parent
_HOOK = f"""\
default_install_hook_types: [pre-commit, pre-merge-commit]
repos:
  - repo: local
    hooks:
      - id: freezegate
        name: freezegate
        entry: {json.dumps(shlex.join([sys.executable, "-I", "-m", "freezegate", "check"]))}
        language: system
        always_run: true
        pass_filenames: false
        require_serial: true
        verbose: true
        stages: [pre-commit, pre-merge-commit, manual]
"""


@dataclass(frozen=True)
class Project:
    """A released project, and the names in its folder here that play a part. Stems are of files without endings."""

    name: str
    version: str
    imports_from: str  # the folder that its package lies in
    source: str  # a file of the package
    predicate: str  # the stem of a predicate file
    judged_by: tuple[str, ...]  # the stems of the scopes that name it
    helper: str  # the stem of a module that predicates import
    helped: tuple[str, ...]  # the stems of the scopes of those
    frozen: str  # the stem of the scope of the property that does not hold
    case: dict[str, Any]  # the smallest case on which it fails
    hashed: str  # a file that the binding digest of that scope covers

    @property
    def files(self) -> Path:
        """What is written for it here: a folder to lay over its own."""
        return _HERE / self.name

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


NATSORT = Project(
    name="natsort",
    version="8.4.0",
    imports_from=".",
    source="natsort/utils.py",
    predicate="number_text",
    judged_by=("float_text", "int_text"),
    helper="plain_key",
    helped=("key_shape", "nested_keys"),
    frozen="steady_order",
    case={"names": ["0", "00"]},
    hashed="tests/fixtures/gen_names.py",
)
HYPERLINK = Project(
    name="hyperlink",
    version="21.0.0",
    imports_from="src",
    source="src/hyperlink/_url.py",
    predicate="segments",
    judged_by=("segments",),
    helper="labels",
    helped=("ascii_hosts", "idn_hosts"),
    frozen="kept_text",
    case={"text": "?"},
    hashed="tests/fixtures/words.py",
)
PROJECTS = (NATSORT, HYPERLINK)


def predicate(stem: str) -> str:
    return f"tests/properties/{stem}.py"


def scope(stem: str) -> str:
    return f"tests/properties/{stem}.scope.yaml"


class Work:
    """A person at work in a repository of a project. Whatever is done is staged; `commit` meets the hooks."""

    def __init__(self, project: Project, repo: Repo) -> None:
        self.project = project
        self.repo = repo
        self.id: str = yaml.safe_load((project.files / scope(project.frozen)).read_text(encoding="utf-8"))["scope_id"]
        self.record_path = f"tests/bindings/{self.id}.json"
        self.case_path = f"tests/bindings/{self.id}.cex.json"
        self.citation_path = f"tests/freezes/{self.id}.freeze.json"

    def copy(self, folder: Path) -> Work:
        """The same at another place, hooks included."""
        shutil.copytree(self.repo.path, folder, symlinks=True)
        copy = Repo(folder, create=False)
        copy._clock = self.repo._clock
        return Work(self.project, copy)

    def adopt(self) -> str:
        """Run `init` and write the properties; what `init` said."""
        self.repo.write(".pre-commit-config.yaml", _HOOK)
        said = self.must("init")
        shutil.copytree(self.project.files / "tests", self.repo.path / "tests", dirs_exist_ok=True)
        self.repo.stage_all()
        return said

    def install(self) -> None:
        """Install the hooks of both kinds."""
        done = subprocess.run(
            [sys.executable, "-m", "pre_commit", "install"],
            cwd=self.repo.path, env=environment(), capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert {"pre-commit", "pre-merge-commit"} <= {path.name for path in self.repo.at(".git/hooks").iterdir()}

    def must(self, *words: str) -> str:
        """Run a command of freezegate, which has to succeed; its output."""
        done = self.repo.run(*words)
        assert done.code == 0, done
        return done.out

    def edit(self, path: str, before: str, after: str) -> None:
        """Replace the first such text in a file, which must hold it."""
        text = self.repo.at(path).read_text(encoding="utf-8")
        assert before in text, f"no {before!r} in {path}"
        self.repo.write(path, text.replace(before, after, 1))
        self.repo.add(path)

    def weaken(self, stem: str) -> None:
        """Make an assertion of a predicate hold whatever happens."""
        self.edit(predicate(stem), "assert ", "assert True or ")

    def change_source(self) -> None:
        self.edit(self.project.source, "import ", "import sys\nimport ")

    def lock(self) -> None:
        self.must("lock")
        self.repo.add("tests/properties")

    def bind(self, **changes: object) -> None:
        """Write counterexample and record, with the digest that the program prints; `changes` are fields."""
        case = {
            "scope_id": self.id,
            "seed": 1,
            "example_index": 3,
            "input": self.project.case,
            "predicate_result": "fail",
            "shrink_steps": 2,
        }
        data = as_json(case)
        record = {
            "scope_id": self.id,
            "fixture_digest": self.must("binding-digest", self.id).strip(),
            "counterexample_sha256": hashlib.sha256(data).hexdigest(),
            "class_local": "fail",
            "class_isolated": "fail",
        }
        self.repo.write(self.case_path, data)
        self.repo.write(self.record_path, as_json({**record, **changes}))
        self.repo.add(self.case_path, self.record_path)

    def cite(self) -> None:
        self.must("cite", self.id)
        self.repo.add(self.citation_path)

    def commit(self, message: str) -> Completed:
        """Commit what is staged through the hooks."""
        return self._hooked("commit", "-q", "-m", message)

    def merge(self, branch: str) -> Completed:
        """Merge a branch through the hooks, with a merge commit in any case."""
        return self._hooked("merge", "--no-ff", "-m", f"merge {branch}", branch)

    def _hooked(self, *words: str) -> Completed:
        done = subprocess.run(
            ["git", *words], cwd=self.repo.path, env=environment(), stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
        return Completed(done.returncode, done.stdout, done.stderr)

    def judge(self, stems: dict[str, list[dict[str, Any]]], count: int, tools: Path) -> list[list[tuple[Any, bool]]]:
        """Each scope's cases with whether its predicate held: those given, else `count` that its generator makes."""
        root = self.repo.path
        asked = []
        for stem, cases in stems.items():
            document = yaml.safe_load(self.repo.at(scope(stem)).read_bytes())
            assert read_scope(self.repo.at(scope(stem)).read_bytes()).document is not None
            seed = int(self.repo.at(document["seed_lock"]).read_text(encoding="utf-8").split()[1])
            asked.append(
                {
                    "predicate": str(root / document["predicate"]),
                    "generator": str(root / document["generator"]),
                    "domain": document["domain"],
                    "seed": seed,
                    "cases": cases,
                }
            )
        roots = [root / "tests/properties", root / "tests/fixtures", root / self.project.imports_from, tools]
        done = subprocess.run(
            [sys.executable, "-I", "-B", str(_HERE / "evaluate.py"), str(count), *map(str, roots)],
            cwd=tools, env=environment(), input=json.dumps(asked), capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return [[(case, held) for case, held in row] for row in json.loads(done.stdout)]

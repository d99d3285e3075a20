"""What a check imports: a commit that touches nothing governed pays for none of the costly modules."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import pytest

from building import SCOPE, Repo, environment, good_project, rebind, with_files

COSTLY = frozenset(
    (
        "jsonschema",
        "yaml",
        "git",  # GitPython
        "importlib.metadata",
        "dataclasses",
        "json",
        "re",
        "argparse",
        "subprocess",
        "hypothesis",
    )
)


def imported(stderr: str) -> set[str]:
    """The modules that a report of ``-X importtime`` lists."""
    rows = (line for line in stderr.splitlines() if line.startswith("import time:"))
    return {row.rpartition("|")[2].strip() for row in rows}


@functools.cache
def interpreter_itself() -> frozenset[str]:
    """What Python imports for ``-m`` before any code of a package runs."""
    command = [sys.executable, "-I", "-X", "importtime", "-c", "import runpy"]
    return frozenset(imported(subprocess.run(command, capture_output=True, text=True, check=True).stderr))


def check(repo: Repo, said: str, code: int = 0) -> set[str]:
    """The modules that `freezegate check` imports; fails unless it says `said` and exits with `code`."""
    command = [sys.executable, "-I", "-X", "importtime", "-m", "freezegate", "check"]
    done = subprocess.run(command, cwd=repo.path, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert said in done.stdout
    return imported(done.stderr) - interpreter_itself()


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = with_files(Repo(tmp_path / "repo"), {**good_project(), "docs/guide.md": b"Before.\n"})
    made.commit()
    return made


def stage_a_page_and_a_source(repo: Repo) -> None:
    repo.write("docs/guide.md", "After.\n")
    repo.write("src/orders.py", good_project()["src/orders.py"] + b"\n# A remark.\n")
    repo.stage_all()


def test_a_page_and_a_source_import_nothing_costly(repo: Repo) -> None:
    stage_a_page_and_a_source(repo)
    for visit in ("cold", "warm"):
        modules = check(repo, "checked NO DOCUMENTS AT ALL")
        assert "freezegate.gate.sieve" in modules, visit
        assert not modules & COSTLY, visit
        assert "freezegate.cli.commands" not in modules, visit


def test_with_inputs_only_the_first_visit_reads_documents(repo: Repo) -> None:
    files = good_project()
    files[SCOPE] += b"inputs: [docs/table.csv]\n"
    files["docs/table.csv"] = b"1,2\n"
    with_files(repo, rebind(files)).commit()
    stage_a_page_and_a_source(repo)
    cold = check(repo, "checked NO DOCUMENTS AT ALL")
    assert "yaml" in cold and not cold & {"jsonschema", "git", "argparse", "subprocess"}
    assert not check(repo, "checked NO DOCUMENTS AT ALL") & COSTLY


def test_with_a_policy_the_quick_way_stays_free(repo: Repo) -> None:
    repo.write(".freezegate.yaml", "policy:\n  promotion: strict\n")
    repo.commit_all()
    stage_a_page_and_a_source(repo)
    for visit in ("cold", "warm"):
        assert not check(repo, "checked NO DOCUMENTS AT ALL") & COSTLY, visit


def test_one_valid_scope_imports_neither_jsonschema_nor_gitpython(repo: Repo) -> None:
    files = good_project()
    files[SCOPE] += b"description: amounts of an order\n"
    with_files(repo, rebind(files))
    modules = check(repo, "checked 1 scope")
    assert "yaml" in modules  # it was read
    assert not modules & {"jsonschema", "git", "hypothesis", "importlib.metadata", "subprocess"}


def test_a_refused_scope_is_explained_by_jsonschema(repo: Repo) -> None:
    repo.write(SCOPE, good_project()[SCOPE] + b"colour: red\n")
    repo.stage_all()
    assert "jsonschema" in check(repo, "scope-schema", code=1)

"""The import contracts hold, and each of them is able to fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RUNS_CODE = {"running", "verdicts"}
GATE_SIDE = {"gate", "reports", "documents", "source", "git"}


def copy_of_package(folder: Path) -> Path:
    shutil.copytree(ROOT / "hooks" / "freezegate", folder / "freezegate", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder / "freezegate"


def contracts(folder: Path) -> subprocess.CompletedProcess[str]:
    """What import-linter says of the package in `folder`."""
    program = Path(sys.executable).parent / "lint-imports"
    return subprocess.run(
        [program, "--no-cache", "--no-logo"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_package_keeps_its_contracts(tmp_path: Path) -> None:
    copy_of_package(tmp_path)
    said = contracts(tmp_path)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "2 kept, 0 broken" in said.stdout


@pytest.mark.parametrize(
    ("module", "line", "room"),
    [
        ("gate/step.py", "from freezegate.running import child", "running"),
        ("reports/text.py", "def late():\n    import freezegate.verdicts.split", "verdicts"),
        ("git/entry.py", "from freezegate.running import child", "running"),
        ("documents/scope.py", "from freezegate.gate import step", "gate"),
        ("gate/step.py", "from freezegate.reports import text", "reports"),
        ("decisions.py", "from freezegate import text", "text"),
        ("text.py", "from freezegate.cli import main", "cli"),
    ],
)
def test_a_forbidden_import_breaks_one(tmp_path: Path, module: str, line: str, room: str) -> None:
    package = copy_of_package(tmp_path)
    for name, inside in (("running", "child"), ("verdicts", "split")):
        (package / name).mkdir(exist_ok=True)
        for file in ("__init__", inside):
            (package / name / f"{file}.py").touch()
    changed = package / module
    changed.write_text(changed.read_text() + "\n" + line + "\n")
    said = contracts(tmp_path)
    assert said.returncode == 1, said.stdout + said.stderr
    importer = module.removesuffix(".py").replace("/", ".")
    assert f"freezegate.{importer} -> freezegate.{room}" in said.stdout


def test_a_room_that_no_floor_names_breaks_the_contract(tmp_path: Path) -> None:
    package = copy_of_package(tmp_path)
    (package / "attic").mkdir()
    (package / "attic" / "__init__.py").touch()
    said = contracts(tmp_path)
    assert said.returncode == 1 and "freezegate.attic" in said.stdout


def test_nothing_of_the_gate_reaches_the_rooms_that_run_code() -> None:
    import grimp

    graph = grimp.build_graph("freezegate", cache_dir=None)
    inside = {module for module in graph.modules if len(module.split(".")) > 1 and module.split(".")[1] in GATE_SIDE}
    assert {module.split(".")[1] for module in inside} == GATE_SIDE
    for module in sorted(inside):
        reached = {found.split(".")[1] for found in graph.find_upstream_modules(module) if found.count(".")}
        assert not reached & RUNS_CODE, module


def test_the_decision_tables_import_nothing_of_the_package() -> None:
    import grimp

    graph = grimp.build_graph("freezegate", cache_dir=None)
    assert graph.find_modules_directly_imported_by("freezegate.decisions") == set()
    assert graph.find_modules_that_directly_import("freezegate.decisions")

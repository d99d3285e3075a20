"""The schemas are found wherever the package was installed from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import freezegate
from freezegate.documents.schemas import EVIDENCE_KINDS, KINDS, schema_folder

PACKAGE = Path(freezegate.__file__).parent
ROOT = Path(__file__).parent.parent
CODE = """
from freezegate.documents.reading import read_scope
from freezegate.documents.schemas import KINDS, schema, schema_folder
assert [schema(kind)["$id"] for kind in KINDS]
assert read_scope(b"{}").problems[0].message.startswith("the key ")
print(schema_folder())
"""


def folder_seen_from(site: Path) -> Path:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-c", CODE]
    child = subprocess.run(command, env=environment, cwd=site, capture_output=True, text=True, timeout=60, check=False)
    assert child.returncode == 0, child.stderr
    return Path(child.stdout.strip())


def test_a_checkout_has_them_beside_the_sources() -> None:
    assert schema_folder().samefile(ROOT / "schemas")


def test_an_installed_package_has_them_inside(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "freezegate")
    shutil.copytree(ROOT / "schemas", tmp_path / "freezegate" / "schemas", dirs_exist_ok=True)
    assert folder_seen_from(tmp_path).samefile(tmp_path / "freezegate" / "schemas")


@pytest.mark.slow
def test_a_built_wheel_carries_them(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    names = {f"{kind}.schema.json" for kind in KINDS + EVIDENCE_KINDS}
    assert {path.name for path in folder_seen_from(site).iterdir()} == names
    assert folder_seen_from(site).samefile(site / "freezegate" / "schemas")

"""The same seed, files and versions give the same bytes, whatever surrounds a search."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from children import Project, pythons
from freezegate.running.canonical import document
from freezegate.running.launch import HARNESS, child_env
from freezegate.running.searching import search

GENERATOR = "tests/fixtures/gen.py"
# Literals that a version of Hypothesis would draw from, were they left in the pool.
LITERALS = "\n".join(f"X{n} = {10**5 + 7 * n}\nY{n} = 'word{n}'\nZ{n} = {n}.25" for n in range(200))
MIXED = """
from hypothesis import strategies as st
def strategy(domain):
    return st.fixed_dictionaries({"n": st.integers(), "s": st.text(), "f": st.floats(allow_nan=False, allow_infinity=False)})
"""
CHOOSY = """
import hashlib, json, unrelated
def test_p(case):
    LOG.write(json.dumps(case) + "\\n")
    assert len(case["s"]) < 4 or case["n"] < 70000
LOG = open("log", "a", buffering=1)
"""


def stream(base: Path, python: str, literals: str, **env: str) -> tuple[bytes, bytes]:
    """The bytes of a search's result, and of all the cases that the predicate saw."""
    project = Project(base, CHOOSY, {GENERATOR: MIXED, "src/unrelated.py": literals})
    launch = project.launch(python)
    launch = launch._replace(env={**launch.env, **env})
    job = project.job(kind="search", generator=GENERATOR, domain={}, seed=3, max_examples=300)
    result = search(launch, job, 120)
    assert result.outcome == "failed" and result.reason is None and result.notes == (), result
    kept = {"case": result.case, "index": result.example_index, "steps": result.shrink_steps}
    made = sorted(path.relative_to(project.root).as_posix() for path in project.root.rglob("*") if path.is_file())
    assert made == ["log", "src/unrelated.py", GENERATOR, "tests/properties/p.py"]
    return document(kept), (project.root / "log").read_bytes()


def check_same(base: Path, python: str) -> None:
    (first := base / "first").mkdir(parents=True)
    (second := base / "another folder é").mkdir()
    one = stream(first, python, "")
    other = stream(second, python, LITERALS, PYTHONHASHSEED="4242", TZ="Asia/Tokyo", LC_ALL="C", LANG="C", CI="true")
    assert one == other


def test_the_same_seed_gives_the_same_bytes_whatever_surrounds_it(tmp_path: Path) -> None:
    check_same(tmp_path, sys.executable)


@pytest.mark.slow
@pytest.mark.parametrize("version", [None, "6.100.0", "6.148.0"])
def test_the_same_bytes_on_each_python_and_version_at_hand(tmp_path: Path, version: str | None) -> None:
    ran = []
    for number, base in enumerate(pythons()):
        if version is not None and base != sys.executable:
            continue  # one Python is enough for the older versions
        environment = tmp_path / f"venv{number}"
        wanted = "hypothesis" if version is None else f"hypothesis=={version}"
        made = subprocess.run([base, "-m", "venv", environment], capture_output=True, check=False)
        python = str(environment / "bin/python")
        if (
            made.returncode
            or subprocess.run(
                [python, "-m", "pip", "install", "-q", wanted], capture_output=True, check=False
            ).returncode
        ):
            continue
        check_same(tmp_path / f"run{number}", python)
        equal_tables(python, tmp_path / f"tables{number}")
        ran.append(python)
    if not ran:
        pytest.skip("no environment with this version of Hypothesis could be made")


def equal_tables(python: str, folder: Path) -> None:
    """Hypothesis computes the same tables of characters as are put ready for it."""
    program = """
import sys, unicodedata
sys.path.insert(0, sys.argv[1])
import freezegate_hypothesis, hypothesis.strategies
from hypothesis.internal import charmap
own = {name: [tuple(pair) for pair in pairs] for name, pairs in charmap.charmap().items()}
assert own == freezegate_hypothesis.categories(), unicodedata.unidata_version
"""
    env = {**child_env(str(folder)), "PYTHONPATH": ""}
    subprocess.run([python, "-c", program, HARNESS], env=env, check=True)


def test_the_tables_of_characters_are_those_of_hypothesis(tmp_path: Path) -> None:
    equal_tables(sys.executable, tmp_path)

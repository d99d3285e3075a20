"""The properties of two released projects, run for real; one of them broken on purpose, then bound and cited."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from building import Completed, Repo, environment
from real.projects import HYPERLINK, NATSORT, PROJECTS, Project, Work, scope
from real.upstream import fetched, unpack

pytestmark = pytest.mark.slow

# An edit of each project's source that breaks one of its properties: the file, what goes, what comes, the scope's stem.
BREAKS = {
    NATSORT.name: ("natsort/compat/fake_fastnumbers.py", "return int(x)", "return int(x[:12])", "int_text"),
    HYPERLINK.name: ("src/hyperlink/_url.py", "port = int(port)", "port = min(int(port), 9999)", "ports"),
}


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    requirements = tuple(project.requirement for project in PROJECTS)
    return fetched(requirements, ("idna",), tmp_path_factory.mktemp("archives"))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter with what the projects need, Hypothesis too."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    found = str(folder / "bin" / "python")
    install = [found, "-m", "pip", "install", "-q", "--disable-pip-version-check", "hypothesis", "idna"]
    subprocess.run(install, check=True, env=environment())
    return found


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_properties_run_and_a_break_is_bound_and_cited(
    project: Project, archives: Path, python: str, tmp_path: Path
) -> None:
    work = Work(project, Repo(unpack(archives / f"{project.name}-{project.version}.tar.gz", tmp_path)))
    repo = work.repo
    repo.commit_all("as released")
    work.adopt()
    # The isolated environment is made from this; its predicates need no Hypothesis, its strategies do.
    repo.write("requirements.txt", "idna\n")
    repo.add("requirements.txt")
    work.install()
    work.lock()
    _passed(work.commit("Adopt"))
    stems = sorted(path.name.removesuffix(".scope.yaml") for path in project.files.rglob("*.scope.yaml"))
    ids = {stem: yaml.safe_load(repo.at(scope(stem)).read_bytes())["scope_id"] for stem in stems}
    words = [word for stem in stems for word in ("--scope", scope(stem))]
    done = repo.run("property-run", "--python", python, *words)
    assert done.code == 1, done
    outcomes = {line.split(": ")[0]: line.split(": ")[1] for line in done.out.splitlines() if ": " in line}
    assert {stem: outcomes.get(ids[stem]) for stem in stems} == {
        stem: "retained" if stem == project.frozen else "held" for stem in stems
    }, done
    repo.at(work.case_path).unlink()

    path, before, after, stem = BREAKS[project.name]
    work.edit(path, before, after)
    _passed(work.commit("Break it"))
    case = f"tests/bindings/{ids[stem]}.cex.json"
    done = repo.run("property-run", "--python", python, "--scope", ids[stem])
    assert done.code == 1 and f"wrote {case}" in done.out, done
    assert json.loads(repo.at(case).read_bytes())["scope_id"] == ids[stem]
    done = repo.run("bind", "--python", python, "--scope", ids[stem], "--case", case)
    assert done.code == 0, done
    repo.add("tests/bindings")
    _passed(work.commit("Bind it"))
    done = repo.run("recheck", "--python", python, "--base", "HEAD~1")
    assert done.code == 0, done
    # Against what was released it is a new failure, and no freeze may excuse that.
    done = repo.run("recheck", "--python", python, "--base", "HEAD~2")
    assert done.code == 1 and "the case passes at the base" in done.err, done
    work.must("cite", ids[stem])
    repo.add("tests/freezes")
    _passed(work.commit("Freeze it"))
    assert repo.rules("--all-files") == []
    assert repo.git("status", "--porcelain") == b""


def _passed(done: Completed) -> None:
    assert done.code == 0 and "no findings" in done.out + done.err, done

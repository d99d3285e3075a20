"""Two released projects of other people, judged by ten of their own tests each: broken, frozen and cheated on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from building import Repo
from real.catalogs import CATALOGS, Catalog, Judged
from real.upstream import fetched, interpreter, unpack

pytestmark = pytest.mark.slow

HELD, FAILED = ("pass", "held"), ("fail", "failed")
FROZEN, MOVED = ("inconclusive", "frozen"), ("fail", "oracle_moved")
SKIP_ALL = """

def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker("skip")
"""


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    requirements = tuple(catalog.project.requirement for catalog in CATALOGS)
    return fetched(requirements, (), tmp_path_factory.mktemp("archives"))


@pytest.fixture(scope="module")
def python(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter with what the tests of both projects need, and nothing of freezegate."""
    return interpreter(("pytest", "hypothesis", "idna"), tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module", params=CATALOGS, ids=lambda catalog: catalog.project.name)
def adopted(
    request: pytest.FixtureRequest, archives: Path, python: str, tmp_path_factory: pytest.TempPathFactory
) -> Judged:
    catalog: Catalog = request.param
    project = catalog.project
    root = unpack(archives / f"{project.name}-{project.version}.tar.gz", tmp_path_factory.mktemp(project.name))
    judged = Judged(catalog, Repo(root), python)
    judged.adopt()
    return judged


@pytest.fixture
def work(adopted: Judged, tmp_path: Path) -> Judged:
    """The project at another place, for one test to change."""
    shutil.copytree(adopted.repo.path, tmp_path / "work", symlinks=True)
    return Judged(adopted.catalog, Repo(tmp_path / "work", create=False), adopted.python)


def answers(verdicts: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {row["prop_id"]: (row["verdict"], row["reason"]) for row in verdicts["verdicts"]}


def row_of(verdicts: dict[str, Any], prop_id: str) -> dict[str, Any]:
    (row,) = (row for row in verdicts["verdicts"] if row["prop_id"] == prop_id)
    return dict(row)


def test_the_catalog_is_one_of_the_project_s_own_tests(adopted: Judged) -> None:
    catalog = adopted.catalog
    assert len(catalog.nodes) == 10 and len(catalog.drawn) >= 4 and catalog.drawn < set(catalog.nodes)
    released = adopted.repo.git("ls-tree", "-r", "--name-only", "HEAD~1").decode().splitlines()
    assert {catalog.test_file(name) for name in catalog.nodes} <= set(released)
    assert adopted.repo.check_json("--all-files")["findings"] == []


def test_a_harmless_change_is_promoted(work: Judged, tmp_path: Path) -> None:
    work.branch()
    work.harmless()
    done, verdicts = work.verdict(tmp_path)
    assert done.code == 0, done
    assert answers(verdicts) == dict.fromkeys(work.catalog.ids, HELD)
    assert (verdicts["promoted"], verdicts["stale_freezes"]) == (True, [])


def test_a_break_fails_the_property_that_sees_it(work: Judged, tmp_path: Path) -> None:
    work.branch()
    work.apply(work.catalog.example)
    done, verdicts = work.verdict(tmp_path)
    broken = work.catalog.id(work.catalog.example.seen_by)
    assert (done.code, verdicts["promoted"]) == (1, False), done
    assert answers(verdicts) == {**dict.fromkeys(work.catalog.ids, HELD), broken: FAILED}
    row = row_of(verdicts, broken)
    assert row["signature"] is not None, "the example of Hypothesis is a counterexample"
    assert work.catalog.test_file(work.catalog.example.seen_by) in row["detail"]


def test_a_break_of_base_is_frozen_and_the_change_promoted(work: Judged, tmp_path: Path) -> None:
    catalog = work.catalog
    broken = catalog.id(catalog.example.seen_by)
    work.claim((catalog.example.seen_by, catalog.plain.seen_by, catalog.steady))
    work.branch(catalog.example)
    said, rows = work.reproduced(catalog.example.seen_by, tmp_path, attempts=2)
    assert [row["prop_id"] for row in rows] == [broken] and "2 of 2" in said
    work.freeze(rows)
    work.harmless()
    done, verdicts = work.verdict(tmp_path, attempts=2)
    assert done.code == 0, done
    others = map(catalog.id, (catalog.plain.seen_by, catalog.steady))
    assert answers(verdicts) == {broken: FROZEN, **dict.fromkeys(others, HELD)}
    assert verdicts["promoted"] is True
    row = row_of(verdicts, broken)
    assert (row["signature"], row["reproduced"]) == (rows[0]["signature"], {"seen": 2, "attempts": 2})


def test_a_failure_without_a_counterexample_cannot_be_frozen(work: Judged, tmp_path: Path) -> None:
    catalog = work.catalog
    name = catalog.plain.seen_by
    assert name not in catalog.drawn
    broken = catalog.id(name)
    work.claim((name, catalog.steady))
    work.branch(catalog.plain)
    said, rows = work.reproduced(name, tmp_path)
    assert rows == [] and "reproduced 0 signatures" in said
    revision = work.repo.resolve("main")
    digest = work.repo.run("fixture-lock", "fixtures").out.strip()
    typed = {"prop_id": broken, "signature": "0" * 64, "fixture_digest": digest, "base_revision": revision}
    work.freeze([typed])
    work.harmless()
    done, verdicts = work.verdict(tmp_path)
    assert done.code == 1, done
    assert answers(verdicts) == {broken: FAILED, catalog.id(catalog.steady): HELD}
    assert row_of(verdicts, broken)["signature"] is None


@pytest.mark.parametrize("mark", ["skip", "xfail"])
@pytest.mark.parametrize("kind", ["example", "plain"])
def test_a_mark_on_a_failing_test_moves_its_oracle(work: Judged, tmp_path: Path, kind: str, mark: str) -> None:
    """Beside the break that it hides."""
    catalog = work.catalog
    edit = catalog.example if kind == "example" else catalog.plain
    work.claim((edit.seen_by, catalog.steady))
    work.branch()
    work.apply(edit)
    work.mark(edit.seen_by, mark)
    done, verdicts = work.verdict(tmp_path)
    assert done.code == 1, done
    assert answers(verdicts) == {catalog.id(edit.seen_by): MOVED, catalog.id(catalog.steady): HELD}
    assert row_of(verdicts, catalog.id(edit.seen_by))["voided_by"] == [catalog.test_file(edit.seen_by)]


def test_a_mark_on_a_test_that_is_frozen_moves_its_oracle(work: Judged, tmp_path: Path) -> None:
    catalog = work.catalog
    name = catalog.example.seen_by
    work.claim((name, catalog.steady))
    work.branch(catalog.example)
    work.freeze(work.reproduced(name, tmp_path)[1])
    work.mark(name, "skip")
    done, verdicts = work.verdict(tmp_path)
    assert done.code == 1, done
    assert answers(verdicts) == {catalog.id(name): MOVED, catalog.id(catalog.steady): HELD}


def conftest(work: Judged) -> str:
    """Of the project where it has one, else the first."""
    path = work.catalog.conftest
    there = work.repo.at(path)
    work.repo.write(path, (there.read_text(encoding="utf-8") if there.exists() else "") + SKIP_ALL)
    return path


def settings(work: Judged) -> str:
    work.repo.write(work.catalog.settings, "[pytest]\naddopts = --deselect tests --deselect src\n")
    return work.catalog.settings


@pytest.mark.parametrize("cheat", [conftest, settings], ids=lambda cheat: cheat.__name__)
def test_what_pytest_reads_for_every_test_moves_every_oracle(
    work: Judged, tmp_path: Path, cheat: Callable[[Judged], str]
) -> None:
    work.branch()
    work.apply(work.catalog.example)
    path = cheat(work)
    done, verdicts = work.verdict(tmp_path)
    assert done.code == 1, done
    assert answers(verdicts) == dict.fromkeys(work.catalog.ids, MOVED)
    assert {tuple(row["voided_by"]) for row in verdicts["verdicts"]} == {(path,)}

"""Two released projects of other people under the gate: properties after their own tests, real commits, real merges."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from building import Repo
from freezegate.documents.domain import outside
from freezegate.documents.reading import read_scope
from freezegate.gate.registry import all_rules
from real.projects import HYPERLINK, PROJECTS, Project, Work, predicate, scope
from real.upstream import fetched, unpack
from shell import shell

pytestmark = pytest.mark.slow

CONFIG = ".freezegate.yaml"
SAID_BY_INIT = {
    "natsort": "policy:\n  require_predicate_digest: true\nlayout:\n  source: [natsort]\n",
    "hyperlink": "policy:\n  require_predicate_digest: true\n",
}


@dataclass(frozen=True)
class Story:
    """A project after its good commits, on main, and each of those with whether the hooks let it pass."""

    work: Work
    tools: Path
    init: str
    steps: dict[str, tuple[bool, str]]


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    requirements = tuple(project.requirement for project in PROJECTS)
    return fetched(requirements, ("idna",), tmp_path_factory.mktemp("archives"))


@pytest.fixture(scope="module", params=PROJECTS, ids=lambda project: project.name)
def story(request: pytest.FixtureRequest, archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    project: Project = request.param
    folder = tmp_path_factory.mktemp(project.name)
    root = unpack(archives / f"{project.name}-{project.version}.tar.gz", folder)
    work = Work(project, Repo(root))
    work.repo.commit_all("as released")
    told = Story(work, archives / "tools", work.adopt(), {})
    work.install()

    def step(name: str, how: Callable[[str], Any] = work.commit) -> None:
        before = work.repo.head()
        done = how(name)
        told.steps[name] = (done.code == 0 and work.repo.head() != before, done.out + done.err)

    work.lock()
    step("adopt")
    work.change_source()
    step("source alone")
    work.edit(predicate(project.predicate), "assert ", "assert case and ")
    work.lock()
    step("predicate and scope")
    work.bind()
    step("bind")
    work.cite()
    step("cite")
    work.repo.git("checkout", "-q", "-b", "topic", "HEAD~3")
    work.edit("README.md" if project is HYPERLINK else "README.rst", "\n", "\n\n")
    step("topic")
    step("main", work.merge)
    work.repo.git("checkout", "-q", "main")
    return told


def test_init_finds_the_source(story: Story) -> None:
    written = story.work.repo.at(CONFIG).read_text(encoding="utf-8")
    assert written == SAID_BY_INIT[story.work.project.name]
    assert "No source folder" not in story.init and f"wrote  {CONFIG}" in story.init


def test_good_commits_pass(story: Story) -> None:
    for name, (passed, said) in story.steps.items():
        assert passed, f"{name}: {said}"
        assert "freezegate" in said and "no findings" in said, f"{name}: {said}"
    assert "6 scopes" in story.steps["adopt"][1]
    assert len(story.work.repo.git("rev-list", "--parents", "-n1", "topic").split()) == 3
    assert story.work.repo.rules("--all-files") == []


def test_the_properties_hold_but_one(story: Story) -> None:
    work = story.work
    frozen = work.project.frozen
    stems = sorted(path.name.removesuffix(".scope.yaml") for path in work.project.files.rglob("*.scope.yaml"))
    assert len(stems) == 6
    results = work.judge({stem: [] for stem in stems}, 12, story.tools)
    for stem, result in zip(stems, results, strict=True):
        document = read_scope(work.repo.at(scope(stem)).read_bytes()).document
        assert document is not None
        assert len(result) >= 5 and all(not outside(document.domain, case) for case, _ in result)
        assert stem == frozen or all(held for _, held in result), f"{stem}: {result}"
    assert work.judge({frozen: [work.project.case]}, 1, story.tools) == [[(work.project.case, False)]]


# -- what may not pass


def predicate_alone(work: Work) -> list[tuple[str, str]]:
    work.weaken(work.project.predicate)
    return [(scope(stem), "predicate-without-scope") for stem in work.project.judged_by]


def generator_under_a_record(work: Work) -> list[tuple[str, str]]:
    work.edit(work.project.hashed, "def ", "LIMIT = 1\n\n\ndef ")
    return [(work.record_path, "digest-mismatch"), (work.citation_path, "citation-open-record")]


def citation_of_an_open_record(work: Work) -> list[tuple[str, str]]:
    work.bind(counterexample_sha256=None)
    assert work.repo.run("cite", work.id).code == 1
    rules = ("citation-mismatch", "citation-open-record")
    return [(work.record_path, "record-open"), *((work.citation_path, rule) for rule in rules)]


def helper_of_predicates(work: Work) -> list[tuple[str, str]]:
    work.edit(predicate(work.project.helper), "return ", "return None and ")
    return [(scope(stem), "predicate-without-scope") for stem in work.project.helped]


def scope_removed_with_source(work: Work) -> list[tuple[str, str]]:
    work.repo.git("rm", "-q", scope(work.project.judged_by[0]))
    work.change_source()
    return [(predicate(work.project.predicate), "property-removed")]


def citation_with_its_predicate(work: Work) -> list[tuple[str, str]]:
    work.edit(predicate(work.project.frozen), "assert ", "assert not ")
    work.lock()
    work.bind()
    work.cite()
    return [(work.citation_path, "citation-oracle-moved")]


def config_softened(work: Work) -> list[tuple[str, str]]:
    work.edit(CONFIG, "require_predicate_digest: true", "require_predicate_digest: false")
    work.edit(scope(work.project.helped[0]), "description: ", "description: it is said that ")
    return [(CONFIG, "gate-mixed")]


BAD = (
    predicate_alone,
    generator_under_a_record,
    citation_of_an_open_record,
    helper_of_predicates,
    scope_removed_with_source,
    citation_with_its_predicate,
    config_softened,
)


@pytest.mark.parametrize("cheat", [predicate_alone, helper_of_predicates], ids=lambda cheat: cheat.__name__)
def test_hints_mend_a_refused_commit(story: Story, tmp_path: Path, cheat: Callable[[Work], Any]) -> None:
    work = story.work.copy(tmp_path / "copy")
    cheat(work)
    done = work.commit("refused")
    assert done.code == 1
    hints = re.findall(r"^    hint: (.*)$", done.out + done.err, re.MULTILINE)
    assert hints
    for hint in hints:
        shell(work.repo, hint)
    done = work.commit("mended")
    assert done.code == 0 and "no findings" in done.err, done


@pytest.mark.parametrize("cheat", BAD, ids=lambda cheat: cheat.__name__)
def test_bad_commits_are_refused(story: Story, tmp_path: Path, cheat: Callable[[Work], list[tuple[str, str]]]) -> None:
    work = story.work.copy(tmp_path / "copy")
    repo = work.repo
    repo.git("checkout", "-q", "-b", "cheat")
    expected = cheat(work)
    before = repo.head()
    done = work.commit("a cheat")
    assert (done.code, repo.head()) == (1, before), done
    shown = re.findall(r"^(\S+):\d+:\d+: ([a-z-]+): ", done.out + done.err, re.MULTILINE)
    assert sorted(shown) == sorted(expected), done
    as_commit = repo.check_json()
    assert sorted((row["path"], row["rule"]) for row in as_commit["findings"]) == sorted(expected)
    # Past the hook, CI sees the same.
    repo.commit("a cheat")
    as_range = repo.check_json("--base", "main", "--require-base")
    assert as_range["findings"] == as_commit["findings"]
    rules = all_rules()
    of_state = [row for row in as_commit["findings"] if not rules[row["rule"]].change]
    whole = [row for row in repo.check_json("--all-files")["findings"] if not rules[row["rule"]].change]
    assert whole == of_state

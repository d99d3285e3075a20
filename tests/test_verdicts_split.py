"""`split-diff` in real repositories: revisions, buckets and line counts, edited oracles, and what cannot be split."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from building import SCOPE, Repo, as_json, environment, good_project, with_files
from freezegate.cli import catalogue, commands
from freezegate.documents.evidence import encoded, read_split

PREDICATE = "tests/properties/order_total.py"
ORACLE, ROWS = "props/order_total.py", "fixtures/orders.json"
CASES, SCOPED = "prop.order_total", "prop.scoped"


@pytest.fixture(autouse=True)
def by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue.MODULES, "split-diff", "split_diff")
    for name in os.environ.keys() - environment().keys():
        monkeypatch.delenv(name)
    for name, value in environment().items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command in a repository, as the program does: exit status, standard output, standard error."""

    def run(repo: Repo, *words: str, cwd: str = "") -> tuple[int, str, str]:
        monkeypatch.chdir(repo.at(cwd))
        code = commands.run(["split-diff", *words])
        done = capsys.readouterr()
        return code, done.out, done.err

    return run


@pytest.fixture
def split(call: Any) -> Any:
    def run(repo: Repo, *words: str, cwd: str = "") -> dict[str, Any]:
        code, out, err = call(repo, *words, cwd=cwd)
        assert (code, err) == (0, "")
        assert encoded(read_split(out.encode(), "printed")) == out.encode()
        found: dict[str, Any] = json.loads(out)
        return found

    return run


def project() -> dict[str, bytes]:
    files = good_project()
    files["catalog/scoped.yaml"] = (
        f"id: {SCOPED}\noracle: {PREDICATE}\nclaim: never negative\nmutates_fixture: false\nscope: {SCOPE}\n".encode()
    )
    return files


def repository(path: Path, **options: bool) -> Repo:
    repo = with_files(Repo(path, **options), project())
    repo.commit()
    return repo


def branch(repo: Repo) -> None:
    repo.git("checkout", "-q", "-B", "work", "main")
    repo.write("src/orders.py", "def total_cents(qty, unit_cents):\n    return 0\n")
    repo.commit_all()


def rows(found: dict[str, Any]) -> dict[str, list[tuple[str, int | None, int | None]]]:
    """The buckets that hold anything."""
    return {
        name: [(row["path"], row["added"], row["deleted"]) for row in files]
        for name, files in found["buckets"].items()
        if files
    }


def edited(found: dict[str, Any]) -> dict[str, list[str]]:
    return {row["prop_id"]: row["voided_by"] for row in found["oracle_edited"]}


@pytest.mark.parametrize("sha256", [False, True])
def test_each_file_is_in_one_bucket_with_its_line_counts(tmp_path: Path, split: Any, sha256: bool) -> None:
    repo = repository(tmp_path, sha256=sha256)
    repo.git("checkout", "-q", "-b", "work")
    repo.write("src/orders.py", b"A = 1\nB = 2\n" + good_project()["src/orders.py"])
    repo.write("src/new.py", "X = 1\nY = 2\nZ = 3")
    repo.write(ORACLE, good_project()[ORACLE].replace(b"==", b">="))
    repo.write(PREDICATE, good_project()[PREDICATE] + b"\n\n")
    repo.write("tests/properties/other.py", "X = 1\n")
    repo.write("props/data.bin", b"\0\1")
    repo.write("fixtures/blob", b"\0\n\n\n")
    repo.remove(ROWS)
    repo.write("README", "")
    repo.write("sources/x.py", "\n")
    repo.commit_all()
    found = split(repo, "main...HEAD")
    assert rows(found) == {
        "source": [("src/new.py", 3, 0), ("src/orders.py", 2, 0)],
        "oracles": [("props/data.bin", None, None), (ORACLE, 1, 1), (PREDICATE, 2, 0)],
        "fixtures": [("fixtures/blob", None, None), (ROWS, 0, 4)],
        "other": [("README", 0, 0), ("sources/x.py", 1, 0), ("tests/properties/other.py", 1, 0)],
    }
    assert edited(found) == {CASES: [ROWS, ORACLE], SCOPED: [PREDICATE]}
    main = repo.resolve("main")
    assert (found["base"], found["merge_base"], found["head"]) == (main, main, repo.head())
    assert (found["freezegate_artifact"], found["format_version"]) == ("oracle_edited", 1)
    assert list(map(len, (found["base"], found["head"]))) == [64 if sha256 else 40] * 2


def test_a_source_change_edits_no_oracle_and_no_change_nothing(tmp_path: Path, split: Any) -> None:
    repo = repository(tmp_path)
    branch(repo)
    found = split(repo, "main...HEAD")
    assert list(rows(found)) == ["source"] and edited(found) == {}
    assert rows(split(repo, "HEAD...HEAD")) == {}


def test_a_rename_is_two_paths_though_the_user_wants_renames(tmp_path: Path, split: Any) -> None:
    repo = repository(tmp_path)
    repo.git("config", "diff.renames", "copies")
    repo.git("checkout", "-q", "-b", "work")
    repo.git("mv", ORACLE, "src/kept.py")
    repo.git("mv", "src/orders.py", "props/orders.py")
    repo.commit_all()
    found = split(repo, "main..")
    lines = len(good_project()[ORACLE].splitlines())
    source = len(good_project()["src/orders.py"].splitlines())
    assert rows(found) == {
        "source": [("src/kept.py", lines, 0), ("src/orders.py", 0, source)],
        "oracles": [(ORACLE, 0, lines), ("props/orders.py", source, 0)],
    }
    # What lies among the oracles now could run in place of the source that the predicate imports.
    assert edited(found) == {CASES: [ORACLE], SCOPED: ["props/orders.py", "src/orders.py"]}


def test_kinds_of_files(tmp_path: Path, split: Any) -> None:
    repo = repository(tmp_path)
    repo.git("checkout", "-q", "-b", "work")
    repo.at(ORACLE).chmod(0o755)
    repo.remove(ROWS)
    repo.link(ROWS, "../README")
    repo.stage_all()
    repo.stage_entry("vendored", "160000", repo.head())
    repo.commit()
    found = split(repo, "main...HEAD")
    assert rows(found) == {"oracles": [(ORACLE, 0, 0)], "fixtures": [(ROWS, 1, 4)], "other": [("vendored", 1, 0)]}
    assert edited(found) == {CASES: [ROWS, ORACLE]}


def test_a_folder_that_becomes_a_link(tmp_path: Path, split: Any) -> None:
    repo = repository(tmp_path)
    repo.git("checkout", "-q", "-b", "work")
    repo.git("mv", "props", "elsewhere")
    repo.link("props", "elsewhere")
    repo.commit_all()
    found = split(repo, "main...HEAD")
    assert [path for path, _, _ in rows(found)["oracles"]] == ["props", ORACLE]
    assert edited(found) == {CASES: ["props", ORACLE]}


def test_odd_names_are_escaped(tmp_path: Path, split: Any) -> None:
    repo = repository(tmp_path)
    repo.git("checkout", "-q", "-b", "work")
    for name in (
        b"src/tab\there.py",
        b"src/line\nbreak.py",
        b'src/"quoted" \\.py',
        b"src/\xff.py",
        "src/ä ü.py".encode(),
    ):
        repo.write(name, "1\n")
    repo.commit_all()
    assert sorted(rows(split(repo, "main...HEAD"))["source"]) == sorted(
        (name, 1, 0)
        for name in ("src/tab\\x09here.py", "src/line\\x0abreak.py", 'src/"quoted" \\.py', "src/\\xff.py", "src/ä ü.py")
    )


@pytest.mark.parametrize("dots", ["..", "..."])
def test_the_diff_begins_at_the_merge_base(tmp_path: Path, split: Any, dots: str) -> None:
    repo = repository(tmp_path)
    fork = repo.head()
    branch(repo)
    repo.git("checkout", "-q", "main")
    repo.write(ORACLE, "def check_total(case):\n    pass\n")
    repo.write("src/ahead.py", "X = 1\n")
    base = repo.commit_all()
    found = split(repo, f"main{dots}work")
    assert rows(found) == {"source": [("src/orders.py", 1, 8)]}
    assert edited(found) == {}
    assert (found["base"], found["merge_base"], found["head"]) == (base, fork, repo.resolve("work"))
    found = split(repo, f"work{dots}")
    assert (found["base"], found["head"]) == (repo.resolve("work"), base)
    repo.git("checkout", "-q", "work")
    assert split(repo, f"{dots}main") == found
    assert split(repo, f"main{dots}")["head"] == repo.resolve("work")


def ledger(*entries: tuple[str, str]) -> bytes:
    return as_json(
        [
            {"prop_id": prop_id, "signature": "a" * 64, "fixture_digest": "b" * 64, "base_revision": revision}
            for prop_id, revision in entries
        ]
    )


@pytest.mark.parametrize(
    ("prop_id", "revision", "policy", "voided"),
    [
        (CASES, "main", "exact", True),
        (CASES, "main~1", "exact", False),
        (CASES, "main~1", "reproduced", True),
        (CASES, "work~1", "exact", False),
        (CASES, "work", "reproduced", False),
        (SCOPED, "main", "exact", False),
    ],
)
def test_base_and_merge_base_must_agree_while_a_freeze_applies(
    tmp_path: Path, split: Any, prop_id: str, revision: str, policy: str, voided: bool
) -> None:
    repo = with_files(Repo(tmp_path), {**project(), ".freezegate.yaml": f"policy: {{base_match: {policy}}}\n".encode()})
    repo.commit()
    branch(repo)
    repo.git("checkout", "-q", "main")
    repo.write(ORACLE, "def check_total(case):\n    pass\n")
    repo.commit_all()
    repo.git("checkout", "-q", "work")
    repo.write("freezes/ledger.json", ledger((prop_id, repo.resolve(revision))))
    repo.commit_all()
    assert edited(split(repo, "main...HEAD")) == ({CASES: [ORACLE]} if voided else {})


def test_a_ledger_that_cannot_be_read_may_hold_any_freeze(tmp_path: Path, split: Any) -> None:
    repo = repository(tmp_path)
    branch(repo)
    repo.write("freezes/ledger.json", "[")
    repo.commit_all()
    repo.git("checkout", "-q", "main")
    repo.write(ORACLE, "def check_total(case):\n    pass\n")
    repo.commit_all()
    assert edited(split(repo, "main...work")) == {CASES: [ORACLE]}


def test_the_layout_is_not_the_heads_to_choose(tmp_path: Path, split: Any) -> None:
    repo = with_files(Repo(tmp_path), {**project(), ".freezegate.yaml": b"layout: {oracles: props}\n"})
    repo.commit()
    repo.git("checkout", "-q", "-b", "work")
    repo.write(".freezegate.yaml", "layout: {oracles: other, source: [props]}\n")
    repo.write(ORACLE, "def check_total(case):\n    pass\n")
    repo.commit_all()
    found = split(repo, "main...HEAD")
    assert [path for path, _, _ in rows(found)["oracles"]] == [ORACLE] and edited(found) == {CASES: [ORACLE]}


def test_neither_user_configuration_nor_attributes_change_the_answer(
    tmp_path: Path, split: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = repository(tmp_path / "repo")
    repo.git("checkout", "-q", "-b", "work")
    repo.write("src/orders.py", "A\n" * 30)
    repo.write("src/blob.py", b"\0")
    repo.write(".gitattributes", "* binary diff=shout\n*.py -diff\n")
    repo.commit_all()
    expected = split(repo, "main...HEAD")
    assert rows(expected)["source"] == [("src/blob.py", None, None), ("src/orders.py", 30, 9)]
    for setting, value in {
        "diff.noprefix": "true", "diff.external": "false", "color.ui": "always", "color.diff": "always",
        "diff.mnemonicPrefix": "true", "diff.shout.textconv": "false", "diff.shout.command": "false",
        "diff.shout.binary": "true", "diff.relative": "true", "diff.ignoreSubmodules": "all", "diff.wsErrorHighlight": "all",
        "diff.orderFile": "/dev/null", "core.quotePath": "true", "core.attributesFile": str(repo.at(".gitattributes")),
    }.items():  # fmt: skip
        repo.git("config", setting, value)
    repo.write(".git/info/attributes", "* binary\n")
    for name, value in {
        "GIT_EXTERNAL_DIFF": "false", "GIT_DIFF_OPTS": "-u9", "GIT_WORK_TREE": str(repo.path), "GIT_PREFIX": "src/",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    assert split(repo, "main...HEAD") == expected
    assert split(repo, "main...HEAD", cwd="src") == expected


def test_it_looks_at_commits_and_writes_nothing_but_its_file(tmp_path: Path, split: Any, call: Any) -> None:
    repo = repository(tmp_path / "repo")
    branch(repo)
    expected = split(repo, "main...HEAD")
    repo.write(ORACLE, "staged and not committed\n")
    repo.stage_all()
    before = repo.git("status", "--porcelain"), repo.git("count-objects", "-v")
    assert split(repo, "main...HEAD") == expected
    out = tmp_path / "oracle_edited.json"
    assert call(repo, "main...HEAD", "--out", str(out)) == (0, "", "")
    assert json.loads(out.read_bytes()) == expected
    assert (repo.git("status", "--porcelain"), repo.git("count-objects", "-v")) == before


def test_a_bare_repository_and_a_linked_worktree(tmp_path: Path, split: Any) -> None:
    repo = repository(tmp_path / "repo")
    branch(repo)
    expected = split(repo, "main...work")
    bare = repo.clone(tmp_path / "bare", "--bare")
    assert split(bare, "main...work") == expected
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), "work")
    assert split(Repo(tmp_path / "linked", create=False), "main...HEAD") == expected


@pytest.mark.parametrize("given", ["main", "..", "...", "", "a..b..c", "a...b...c", "main.work"])
def test_what_is_no_range(tmp_path: Path, call: Any, given: str) -> None:
    repo = repository(tmp_path)
    code, out, err = call(repo, given)
    assert (code, out) == (2, "")
    assert "is no range" in err and "origin/main...HEAD" in err and "split-diff --help" in err


@pytest.mark.parametrize(
    "given", ["nowhere...HEAD", "main...nowhere", "--all...HEAD", "main....HEAD", "main:src...HEAD"]
)
def test_an_unknown_revision(tmp_path: Path, call: Any, given: str) -> None:
    code, out, err = call(repository(tmp_path), "--", given)
    assert (code, out) == (2, "") and "does not exist here" in err and "hint: name a branch" in err


def test_a_shallow_clone_says_what_to_fetch(tmp_path: Path, call: Any, split: Any) -> None:
    repo = repository(tmp_path / "repo")
    branch(repo)
    repo.git("checkout", "-q", "main")
    repo.commit()
    clone = repo.clone(tmp_path / "clone", "--depth=1", "--no-single-branch")
    code, out, err = call(clone, "origin/main...origin/work")
    assert (code, out) == (2, "") and "shallow" in err and "hint: git fetch --unshallow" in err
    clone.git("fetch", "-q", "--unshallow")
    assert list(rows(split(clone, "origin/main...origin/work"))) == ["source"]


def test_unrelated_histories(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit()
    code, out, err = call(repo, "main...HEAD")
    assert (code, out) == (2, "") and "no common ancestor" in err and "hint: name a base" in err


def test_an_invalid_config_in_force(tmp_path: Path, call: Any) -> None:
    repo = with_files(Repo(tmp_path), {**project(), ".freezegate.yaml": b"nonsense: 1\n"})
    repo.commit()
    code, out, err = call(repo, "main...HEAD")
    assert (code, out) == (2, "") and ".freezegate.yaml, is invalid at line 1" in err


def test_no_repository(tmp_path: Path, call: Any) -> None:
    code, out, err = call(Repo(tmp_path, create=False), "main...HEAD")
    assert (code, out) == (2, "") and "error:" in err

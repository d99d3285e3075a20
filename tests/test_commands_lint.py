"""`freezegate lint-predicates`: names what cannot fail, of the tree that it is told to look at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from building import SCOPE, SCOPE_ID, Repo, good_project, with_files

PREDICATE = "tests/properties/order_total.py"
ORACLE = "props/order_total.py"
VOID = b"def test_total_non_negative(case):\n    total = abs(case['qty'])\n    assert total == total\n"
VOID_ORACLE = b"def check_total(case):\n    assert (case['total'], 'is there')\n"
SAID = f'{PREDICATE}:3:5: predicate-vacuous: test_total_non_negative: it compares "total" with itself\n'
SAID_ORACLE = f"{ORACLE}:2:5: predicate-vacuous: check_total: it asserts a tuple, which is always true\n"


def ready(path: Path, files: dict[str, bytes] | None = None) -> Repo:
    repo = with_files(Repo(path), {**good_project(), **(files or {})})
    repo.commit()
    return repo


def said(repo: Repo, *words: str, cwd: Path | None = None, code: int = 1) -> str:
    """The lines of findings, without the hints; fails unless the exit status is `code`."""
    done = repo.run("lint-predicates", *words, cwd=cwd)
    assert done.code == code, done.out + done.err
    assert "Traceback" not in done.err
    return "".join(line for line in done.out.splitlines(keepends=True) if not line.startswith("    hint: "))


def test_a_sound_project_has_none(tmp_path: Path) -> None:
    done = ready(tmp_path).run("lint-predicates")
    assert (done.code, done.out) == (0, "")
    assert done.err == "freezegate: 0 findings; screened 2 functions\n"


def test_predicates_and_oracles_are_named_with_a_hint(tmp_path: Path) -> None:
    repo = ready(tmp_path, {PREDICATE: VOID, ORACLE: VOID_ORACLE})
    done = repo.run("lint-predicates")
    assert done.code == 1
    assert said(repo) == SAID_ORACLE + SAID
    assert done.out.count("    hint: let ") == 2
    assert done.err == "freezegate: 2 findings; screened 2 functions\n"


@pytest.mark.parametrize(
    ("names", "answer"),
    [
        ((PREDICATE,), SAID),
        ((SCOPE,), SAID),
        ((SCOPE_ID,), SAID),
        (("tests",), SAID),
        (("props/",), SAID_ORACLE),
        (("catalog/order_total.yaml",), SAID_ORACLE),
        (("prop.order_total",), SAID_ORACLE),
        ((ORACLE, ORACLE), SAID_ORACLE),
        ((SCOPE, ORACLE), SAID_ORACLE + SAID),
        ((".",), SAID_ORACLE + SAID),
    ],
)
def test_what_is_named_is_screened(tmp_path: Path, names: tuple[str, ...], answer: str) -> None:
    assert said(ready(tmp_path, {PREDICATE: VOID, ORACLE: VOID_ORACLE}), *names) == answer


def test_names_are_read_from_the_folder_they_are_typed_in(tmp_path: Path) -> None:
    repo = ready(tmp_path, {PREDICATE: VOID})
    assert said(repo, "order_total.py", cwd=tmp_path / "tests" / "properties") == SAID


def test_a_draft_that_no_scope_names_is_screened_where_its_file_is_named(tmp_path: Path) -> None:
    draft = good_project()[PREDICATE] + b"\n\ndef test_draft(case):\n    assert True\n"
    repo = ready(tmp_path, {PREDICATE: draft})
    assert said(repo, code=0) == ""
    assert said(repo, PREDICATE).startswith(f"{PREDICATE}:11:5: predicate-vacuous: test_draft: ")


def test_index_working_tree_and_revision(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.write(PREDICATE, VOID)
    assert said(repo, code=0) == ""
    assert said(repo, "--worktree") == SAID
    repo.stage_all()
    assert said(repo) == SAID
    assert said(repo, "--rev", "HEAD", code=0) == ""


def test_json(tmp_path: Path) -> None:
    repo = ready(tmp_path, {PREDICATE: VOID})
    answer = json.loads(said(repo, "--format", "json"))
    (row,) = answer["findings"]
    assert (answer["format_version"], answer["screened"]) == (1, 2)
    assert (row["rule"], row["path"], row["line"], row["column"]) == ("predicate-vacuous", PREDICATE, 3, 5)
    assert set(row) == {"rule", "path", "line", "column", "message", "hint"}
    sound = json.loads(said(ready(tmp_path / "sound"), "--format", "json", code=0))
    assert sound == {"format_version": 1, "findings": [], "screened": 2}


@pytest.mark.parametrize("name", ["nowhere", "nowhere.py", "src/orders.py", "src", "orders.none", "../elsewhere"])
def test_a_name_of_nothing_is_refused(tmp_path: Path, name: str) -> None:
    done = ready(tmp_path).run("lint-predicates", name)
    assert (done.code, done.out) == (2, "")
    assert name in done.err and "Traceback" not in done.err


@pytest.mark.parametrize("text", [b"def test_total_non_negative(case:\n", b"def other(case):\n    pass\n"])
def test_a_function_that_cannot_be_read_is_no_pass(tmp_path: Path, text: bytes) -> None:
    repo = ready(tmp_path, {PREDICATE: text, ORACLE: VOID_ORACLE})
    assert said(repo, code=2) == SAID_ORACLE
    assert f"{PREDICATE}:test_total_non_negative was not screened: " in repo.run("lint-predicates").err


def test_a_pytest_node_need_not_depend_on_what_it_is_given(tmp_path: Path) -> None:
    entry = good_project()["catalog/order_total.yaml"].replace(b".py:check_total", b".py::test_total")
    entry = entry.replace(b'cases: "*.json"\n', b"")
    text = b"from orders import sum_of_lines\n\n\ndef test_total():\n    assert sum_of_lines([1]) == 1\n"
    repo = ready(tmp_path, {"catalog/order_total.yaml": entry, ORACLE: text})
    assert said(repo, code=0) == ""
    repo.write(ORACLE, text.replace(b"sum_of_lines([1]) == 1", b"1 == 1"))
    assert said(repo, "--worktree").startswith(f"{ORACLE}:5:5: predicate-vacuous: test_total: it asserts a constant")


def test_the_policy_of_the_tree_does_not_matter(tmp_path: Path) -> None:
    config = {".freezegate.yaml": b"policy: {vacuous_predicates: warn}\n"}
    assert said(ready(tmp_path, {PREDICATE: VOID, **config})) == SAID


def test_the_check_names_it_by_policy(tmp_path: Path) -> None:
    config = {".freezegate.yaml": b"policy: {vacuous_predicates: reject}\n"}
    files = {path: data for path, data in good_project().items() if not path.startswith("tests/freezes")}
    strict = with_files(Repo(tmp_path / "strict"), {**files, PREDICATE: VOID, **config})
    strict.commit()
    assert strict.rules("--all-files") == [(PREDICATE, "predicate-vacuous")]
    mild = with_files(Repo(tmp_path / "mild"), {**files, PREDICATE: VOID})
    mild.commit()
    assert mild.rules("--all-files") == []

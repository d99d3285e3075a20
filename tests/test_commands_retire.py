"""`retire` takes a freeze away from working tree and index, and nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, Repo, as_json, good_project, with_files
from shell import shell

LEDGER = "freezes/ledger.json"
PROPERTY = "prop.order_total"
FROZEN = {RECORD, COUNTEREXAMPLE, CITATION}


def entry(prop_id: str, mark: str = "a") -> dict[str, str]:
    return {
        "prop_id": prop_id,
        "signature": mark * 64,
        "fixture_digest": "b" * 64,
        "base_revision": "c" * 40,
    }


def frozen_property() -> dict[str, bytes]:
    """The good project, with a property that names the scope, and three ledger entries."""
    files = good_project()
    files["catalog/scoped.yaml"] = (
        "id: prop.scoped\noracle: tests/properties/order_total.py:test_total_non_negative\n"
        f"claim: totals are never negative\nmutates_fixture: false\nscope: {SCOPE}\n"
    ).encode()
    entries = [entry(PROPERTY), entry("prop.scoped", "d"), entry(PROPERTY, "e")]
    files[LEDGER] = json.dumps(entries).encode()
    return files


def ready(path: Path, files: dict[str, bytes] | None = None, **options: bool) -> Repo:
    repo = with_files(Repo(path, **options), files or frozen_property())
    repo.commit()
    return repo


def changed(repo: Repo) -> set[str]:
    """Paths that are staged; nothing may be unstaged."""
    assert repo.git("diff", "--name-only") == b""
    return set(repo.git("diff", "--cached", "--name-only", "-z").decode().split("\0")[:-1])


def ledger_ids(repo: Repo) -> list[str]:
    assert repo.at(LEDGER).read_bytes() == repo.git("show", f":{LEDGER}")
    return [row["signature"][0] for row in json.loads(repo.at(LEDGER).read_bytes())]


@pytest.mark.parametrize("sha256", [False, True])
@pytest.mark.parametrize("given", [SCOPE_ID, "prop.scoped"])
def test_a_scope_and_its_property_go_together(tmp_path: Path, given: str, sha256: bool) -> None:
    repo = ready(tmp_path, sha256=sha256)
    done = repo.run("retire", given)
    assert done.code == 0, done.err
    assert changed(repo) == FROZEN | {LEDGER}
    assert all(f"removed {path}\n" in done.out for path in FROZEN)
    assert "ledger entry of prop.scoped" in done.out and "staged exactly this" in done.out
    assert ledger_ids(repo) == ["a", "e"]
    assert repo.at(LEDGER).read_bytes() == as_json([entry(PROPERTY), entry(PROPERTY, "e")])
    assert not any(repo.at(path).exists() for path in FROZEN)
    assert not repo.at("tests/freezes").exists()
    assert repo.rules() == []


def test_a_property_without_a_scope_loses_its_entries_alone(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    assert repo.run("retire", PROPERTY, cwd=tmp_path / "tests").code == 0
    assert changed(repo) == {LEDGER} and ledger_ids(repo) == ["d"]
    assert repo.run("retire", "prop.scoped").code == 0
    assert repo.at(LEDGER).read_bytes() == b"[]\n"


def test_a_dry_run_only_says(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    done = repo.run("retire", SCOPE_ID, "--dry-run")
    assert done.code == 0 and done.out.count("would remove") == 4 and "staged" not in done.out
    assert repo.git("status", "--porcelain") == b""


@pytest.mark.parametrize("given", ["none.such", "", "../x", "a/b", "*", "tests/bindings"])
def test_where_nothing_is_frozen_the_order_is_said(tmp_path: Path, given: str) -> None:
    repo = ready(tmp_path)
    done = repo.run("retire", given)
    assert done.code == 1 and "in this order" in done.err and len(done.err.splitlines()) == 1
    assert repo.git("status", "--porcelain") == b""


def test_what_a_user_has_not_staged_is_not_lost(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    for path, data in ((RECORD, b"{}"), (LEDGER, b"[]")):
        before = repo.at(path).read_bytes()
        repo.write(path, data)
        done = repo.run("retire", SCOPE_ID)
        assert done.code == 1 and path in done.err
        assert repo.git("diff", "--cached", "--name-only") == b"" and repo.at(path).read_bytes() == data
        repo.write(path, before)
    repo.link(CITATION, "/dev/null")
    assert repo.run("retire", SCOPE_ID).code == 1
    repo.remove(CITATION)
    assert repo.run("retire", SCOPE_ID).code == 0
    assert changed(repo) == FROZEN | {LEDGER}


def test_a_file_that_is_not_in_the_index_is_named_and_left(tmp_path: Path) -> None:
    files = {path: data for path, data in frozen_property().items() if path != CITATION}
    repo = ready(tmp_path, files)
    repo.write(CITATION, "{}")
    done = repo.run("retire", SCOPE_ID)
    assert done.code == 0 and f"not in the index: {CITATION}" in done.err
    assert repo.at(CITATION).exists()


def test_other_staged_and_unstaged_work_stays_as_it_is(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.write("src/orders.py", "staged = 1\n")
    repo.add("src")
    repo.write("src/orders.py", "unstaged = 1\n")
    assert repo.run("retire", SCOPE_ID).code == 0
    assert repo.git("show", ":src/orders.py") == b"staged = 1\n"
    assert repo.at("src/orders.py").read_bytes() == b"unstaged = 1\n"


def test_an_unreadable_ledger_is_left_to_be_mended(tmp_path: Path) -> None:
    repo = ready(tmp_path, {**frozen_property(), LEDGER: b"[{]"})
    done = repo.run("retire", SCOPE_ID)
    assert done.code == 1 and "mend it first" in done.err
    assert repo.git("status", "--porcelain") == b""


def test_a_locked_index_leaves_the_working_tree_alone(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    (tmp_path / ".git" / "index.lock").touch()
    assert repo.run("retire", SCOPE_ID).code == 2
    assert all(repo.at(path).exists() for path in FROZEN) and ledger_ids(repo) == ["a", "d", "e"]


def test_line_endings_that_git_converts_are_no_change(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.write(".gitattributes", "*.json text eol=crlf\n")
    repo.commit_all()
    repo.write(RECORD, repo.at(RECORD).read_bytes().replace(b"\n", b"\r\n"))
    assert repo.run("retire", SCOPE_ID).code == 0
    assert not repo.at(RECORD).exists()


HOSTILE = ["it's $(touch ran)", "-rf", "a;touch ran;", "ö\u202e", "new\nline", "a b", os.fsdecode(b"\xff\xfe"), "`x`"]


@pytest.mark.parametrize("name", HOSTILE)
def test_the_hint_mends_a_dangling_citation_of_any_name(tmp_path: Path, name: str) -> None:
    repo = with_files(Repo(tmp_path), {})
    files = {path: data for path, data in good_project().items() if path not in FROZEN}
    with_files(repo, files)
    repo.commit()
    path = f"tests/freezes/{name}.freeze.json"
    repo.write(path, good_project()[CITATION].replace(SCOPE_ID.encode(), b"gone.id"))
    repo.stage_all()
    findings = [row for row in repo.check_json()["findings"] if row["rule"] == "citation-dangling"]
    assert len(findings) == 1
    shell(repo, findings[0]["hint"])
    assert repo.rules() == []
    assert not repo.at(path).exists() and not (tmp_path / "ran").exists()


def test_the_hint_mends_a_record_without_its_scope(tmp_path: Path) -> None:
    files = {path: data for path, data in good_project().items() if path != CITATION}
    repo = ready(tmp_path, files)
    repo.write("tests/bindings/gone.id.json", files[RECORD].replace(SCOPE_ID.encode(), b"gone.id"))
    repo.write("tests/bindings/gone.id.cex.json", files[COUNTEREXAMPLE].replace(SCOPE_ID.encode(), b"gone.id"))
    repo.stage_all()
    hints = {row["rule"]: row["hint"] for row in repo.check_json()["findings"]}
    shell(repo, hints["record-scope-missing"])
    assert repo.rules() == []


@pytest.mark.parametrize("name", ["prop.none", "it's $(touch ran)", "-x", "\u202eö"])
def test_the_hint_mends_a_ledger_entry_of_an_unknown_property(tmp_path: Path, name: str) -> None:
    repo = ready(tmp_path, {**good_project(), LEDGER: as_json([entry(name)])})
    hints = {row["rule"]: row["hint"] for row in repo.check_json("--all-files")["findings"]}
    shell(repo, hints["ledger-unknown-property"])
    assert repo.rules() == [] and repo.rules("--all-files") == []
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "name", [b"runs.json", b"it's $(touch ran).json", b"-x.json", "ö \u202e.json".encode(), b"\xff.json"]
)
def test_the_hint_mends_a_committed_certificate(tmp_path: Path, name: bytes) -> None:
    repo = ready(tmp_path, good_project())
    repo.write(b"out/" + name, '{"freezegate_artifact": "runs"}')
    repo.stage_all()
    (finding,) = repo.check_json()["findings"]
    assert finding["rule"] == "certificate-committed"
    shell(repo, finding["hint"])
    assert repo.rules() == [] and not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["amounts.so", "amounts/__init__.py", "__pycache__/amounts.cpython-311.pyc"])
def test_the_hint_mends_a_shadowed_predicate(tmp_path: Path, name: str) -> None:
    repo = ready(tmp_path, good_project())
    repo.write(f"tests/properties/{name}", b"")
    repo.stage_all()
    hints = {row["rule"]: row["hint"] for row in repo.check_json()["findings"]}
    shell(repo, hints["predicate-shadowed"])
    assert repo.rules() == []

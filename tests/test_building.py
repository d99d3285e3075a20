"""The test-repository builder keeps its promises: isolated, exact about bytes, a project whose digests are
right."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from building import (
    CITATION,
    COUNTEREXAMPLE,
    RECORD,
    SCOPE,
    Repo,
    environment,
    good_project,
    rebind,
    scope_digest,
    with_files,
)


@pytest.mark.parametrize(("sha256", "digits"), [(False, 40), (True, 64)])
def test_bytes_go_in_and_out(tmp_path: Path, sha256: bool, digits: int) -> None:
    repo = Repo(tmp_path / "r", sha256=sha256)
    repo.write(b"caf\xe9\n.txt", b"a\r\n\0")
    repo.write("run.sh", "#!/bin/sh\n", 0o755)
    repo.link("link", "run.sh")
    first = repo.commit_all()
    assert len(first) == digits == len(repo.tree())
    assert repo.git("cat-file", "blob", b"HEAD:caf\xe9\n.txt") == b"a\r\n\0"
    modes = [row[:6] for row in repo.git("ls-tree", "-z", "HEAD").split(b"\0")[:-1]]
    assert sorted(modes) == [b"100644", b"100755", b"120000"]
    repo.remove(b"caf\xe9\n.txt")
    repo.add(b"caf\xe9\n.txt")
    assert repo.commit() != first == repo.resolve("HEAD^")
    assert repo.git("status", "--porcelain") == b""


def test_nothing_leaks_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = Repo(tmp_path / "outer")
    for name, value in {
        "GIT_DIR": str(outer.path / ".git"),
        "GIT_INDEX_FILE": "/nowhere",
        "GITHEAD_1234": "x",
        "PRE_COMMIT_FROM_REF": "x",
        "GITHUB_BASE_REF": "main",
        "GIT_CONFIG_COUNT": "1",
    }.items():
        monkeypatch.setenv(name, value)
    inner = Repo(tmp_path / "inner")
    inner.write("a", "1")
    inner.commit_all()
    assert outer.git("for-each-ref") == b"" and not set(environment()) & {
        "GIT_DIR",
        "GITHUB_BASE_REF",
        "GITHEAD_1234",
    }
    assert environment(GIT_DIR="x")["GIT_DIR"] == "x"
    assert inner.git("log", "-1", "--format=%an %ad", "--date=unix") == b"A. Author 1700000060\n"
    assert os.environ["GIT_CONFIG_GLOBAL"] == os.devnull


def test_the_same_steps_give_the_same_ids(tmp_path: Path) -> None:
    ids = []
    for name in "ab":
        repo = with_files(Repo(tmp_path / name), good_project())
        ids.append((repo.commit("one"), repo.commit("two")))
    assert ids[0] == ids[1]


def test_with_files_leaves_exactly_those(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "r"), {"a/b": b"1", "c": b"2"})
    with_files(repo, {"a": b"3"})
    assert repo.git("ls-files").split() == [b"a"]


def test_a_failing_git_says_why(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    with pytest.raises(AssertionError, match="exit 128"):
        repo.head()
    assert repo.git("rev-parse", "--verify", "HEAD", check=False) == b""


def test_the_good_project_is_bound() -> None:
    files = good_project()
    record, citation = json.loads(files[RECORD]), json.loads(files[CITATION])
    assert record["counterexample_sha256"] == hashlib.sha256(files[COUNTEREXAMPLE]).hexdigest()
    assert record["fixture_digest"] == scope_digest(files, SCOPE)
    assert citation.items() >= record.items()


def test_rebind_follows_a_change() -> None:
    files = good_project()
    files["tests/fixtures/gen_orders.py"] += b"# more\n"
    bound = rebind(files, sized=True, class_isolated=None)
    assert {path for path in files if files[path] != bound[path]} == {RECORD, CITATION}
    assert json.loads(bound[RECORD])["fixture_digest"].startswith("sized:")
    assert json.loads(bound[RECORD])["class_isolated"] is None
    assert json.loads(bound[CITATION])["class_isolated"] == "fail"
    del files[CITATION]
    assert CITATION not in rebind(files)

"""`binding-digest` and `fixture-lock` print what the gate computes, from the tree that they are told to look at."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from building import SCOPE, SCOPE_ID, Repo, good_project, item, scope_digest, with_files
from freezegate import digests


def ready(path: Path, **more: bytes) -> Repo:
    repo = with_files(Repo(path), {**good_project(), **more})
    repo.commit()
    return repo


def fixtures(files: dict[bytes, bytes], sized: bool = False) -> str:
    ordered = sorted(files, key=lambda path: tuple(Path(os.fsdecode(path)).parts))
    items = [item(path, files[path]) for path in ordered]
    return digests.sized_digest(items, len(items)) if sized else digests.fixture_digest(items)


def says(repo: Repo, *words: str, cwd: Path | None = None) -> str:
    done = repo.run(*words, cwd=cwd)
    assert done.code == 0, done.err
    return done.out.removesuffix("\n")


def refused(repo: Repo, *words: str) -> str:
    done = repo.run(*words)
    assert done.code == 2 and not done.out, done.out + done.err
    assert "Traceback" not in done.err and "internal error" not in done.err
    return done.err


def test_binding_digest_of_index_working_tree_and_revision(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    committed = good_project()
    staged = {**committed, "tests/fixtures/order_total.lock": b"staged\n"}
    present = {**committed, "tests/fixtures/order_total.lock": b"present\n"}
    repo.write("tests/fixtures/order_total.lock", "staged\n")
    repo.add("tests")
    repo.write("tests/fixtures/order_total.lock", "present\n")
    before = repo.git("ls-files", "-s"), sorted(path for path in (tmp_path / ".git").rglob("*"))
    assert says(repo, "binding-digest", SCOPE) == scope_digest(staged, SCOPE)
    assert says(repo, "binding-digest", SCOPE_ID, "--worktree") == scope_digest(present, SCOPE)
    assert says(repo, "binding-digest", SCOPE, "--rev", "HEAD") == scope_digest(committed, SCOPE)
    folder = tmp_path / "tests" / "properties"
    assert says(repo, "binding-digest", "order_total.scope.yaml", cwd=folder) == scope_digest(staged, SCOPE)
    assert says(repo, "binding-digest", SCOPE, cwd=folder) == scope_digest(staged, SCOPE)
    assert before == (repo.git("ls-files", "-s"), sorted(path for path in (tmp_path / ".git").rglob("*")))


def test_the_framing_is_that_of_the_tree_that_is_looked_at(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.write(".freezegate.yaml", "policy: {framing: sized}\n")
    files = good_project()
    assert says(repo, "binding-digest", SCOPE) == scope_digest(files, SCOPE)
    assert says(repo, "binding-digest", SCOPE, "--worktree") == scope_digest(files, SCOPE, sized=True)
    content = {b"orders.json": files["fixtures/orders.json"]}
    assert says(repo, "fixture-lock", "fixtures", "--worktree") == fixtures(content, sized=True)
    assert says(repo, "fixture-lock", "fixtures") == fixtures(content)
    repo.write(".freezegate.yaml", "policy: {framing: loose}\n")
    assert ".freezegate.yaml" in refused(repo, "fixture-lock", "fixtures", "--worktree")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("binding-digest", "no.such_id"), "no.such_id"),
        (("binding-digest", SCOPE, "--rev", "nowhere"), "nowhere"),
        (("binding-digest", "../../etc/passwd"), "no scope file"),
        (("fixture-lock", "no/such"), "no files"),
        (("fixture-lock", "fixtures/orders.json"), "no files"),
        (("fixture-lock", ".."), "no files"),
    ],
)
def test_what_is_not_there_is_an_error(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    assert said in refused(ready(tmp_path), *words)


def test_the_trees_exclude_one_another(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    assert repo.run("fixture-lock", "fixtures", "--worktree", "--rev", "HEAD").code == 2


def test_a_missing_part_and_an_unreadable_scope_are_errors(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.remove("tests/fixtures/gen_orders.py")
    assert "gen_orders.py" in refused(repo, "binding-digest", SCOPE, "--worktree")
    repo.write(SCOPE, "scope_id: a\nscope_id: b\n")
    assert "line 2" in refused(repo, "binding-digest", SCOPE, "--worktree")


def test_two_scopes_with_one_id_are_told_apart_by_path_only(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.write("tests/properties/twin.scope.yaml", good_project()[SCOPE])
    repo.stage_all()
    assert "twin.scope.yaml" in refused(repo, "binding-digest", SCOPE_ID)
    says(repo, "binding-digest", SCOPE)


def test_a_fixture_tree_of_odd_names_in_component_order(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    files = {
        b"a-b/x": b"1",
        b"a/b": b"22",
        b"a.b": b"",
        b"a/c/d e": b"\r\n",
        "ä/ö".encode(): b"4",
        "a/\U0001f600".encode(): b"5",
        "a/\uffff".encode(): b"6",
    }
    for path, data in files.items():
        repo.write(b"data/sets/" + path, data)
    repo.stage_all()
    assert says(repo, "fixture-lock", "data/sets") == fixtures(files)
    assert says(repo, "fixture-lock", "sets", cwd=tmp_path / "data") == fixtures(files)
    assert says(repo, "fixture-lock", ".", cwd=tmp_path / "data" / "sets") == fixtures(files)
    repo.write(".freezegate.yaml", "policy: {framing: sized}\n")
    raw = {**files, b"a/\xff\n": b"\0"}
    repo.write(b"data/sets/a/\xff\n", b"\0")
    repo.stage_all()
    assert says(repo, "fixture-lock", "data/sets") == fixtures(raw, sized=True)


def test_more_files_than_one_batch_large_and_empty_ones(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    files = {b"%d/%d" % (number % 7, number): b"row %d\n" % number for number in range(2500)}
    files |= {b"3/big": os.urandom(1 << 21).replace(b"\0", b"1"), b"4/empty": b"", b"4/edge": b"x" * (1 << 18)}
    for path, data in files.items():
        repo.write(b"fixtures/" + path, data)
    repo.stage_all()
    assert says(repo, "fixture-lock", "fixtures") == fixtures(files)


@pytest.mark.parametrize(
    ("path", "data", "said"),
    [
        (b"fixtures/zero", b"a\0b", "zero byte"),
        (b"fixtures/large", b"a" * (1 << 19) + b"\0", "zero byte"),
        (b"fixtures/line\n", b"a", "control character"),
        (b"fixtures/\xff", b"a", "UTF-8"),
        (b"fixtures/lfs", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n", "LFS"),
    ],
)
def test_what_makes_a_digest_unsound_is_an_error(tmp_path: Path, path: bytes, data: bytes, said: str) -> None:
    repo = ready(tmp_path)
    repo.write(path, data)
    repo.stage_all()
    assert said in refused(repo, "fixture-lock", "fixtures")


def test_links_and_submodules_have_no_digest(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.link("fixtures/link", "orders.json")
    repo.link("other", "fixtures")
    repo.stage_all()
    assert "link is a symbolic link" in refused(repo, "fixture-lock", "fixtures")
    assert "other is a symbolic link" in refused(repo, "fixture-lock", "other")
    repo.remove("fixtures/link")
    repo.stage_all()
    repo.stage_entry("fixtures/module", "160000", repo.head())
    assert "module is no regular file" in refused(repo, "fixture-lock", "fixtures")


def test_blob_bytes_count_whatever_the_working_tree_converts(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.write(".gitattributes", "* text eol=crlf\n")
    repo.write("fixtures/a", "one\r\n")
    expected = fixtures({b"a": b"one\n"})
    assert says(repo, "fixture-lock", "fixtures", "--worktree") == expected
    repo.stage_all()
    assert says(repo, "fixture-lock", "fixtures") == expected


def test_the_working_tree_is_read_without_touching_the_repository(tmp_path: Path) -> None:
    repo = ready(tmp_path / "a:b c")
    repo.git("config", "core.splitIndex", "true")
    repo.git("update-index", "--split-index")
    repo.write("fixtures/new", "new\n")
    repo.write("fixtures/promised", "promised\n")
    repo.git("add", "-N", "fixtures/promised")
    (repo.path / ".git" / "index.lock").touch()
    hook = repo.path / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    state = {path: hashlib.sha256(path.read_bytes()).digest() for path in repo.path.rglob("*") if path.is_file()}
    content = {b"new": b"new\n", b"promised": b"promised\n", b"orders.json": good_project()["fixtures/orders.json"]}
    assert says(repo, "fixture-lock", "fixtures", "--worktree") == fixtures(content)
    assert state == {
        path: hashlib.sha256(path.read_bytes()).digest() for path in repo.path.rglob("*") if path.is_file()
    }


def test_in_sha256_linked_bare_and_empty_repositories(tmp_path: Path) -> None:
    files = {b"a": b"1\n"}
    repo = Repo(tmp_path / "one", sha256=True)
    repo.write("fixtures/a", "1\n")
    assert says(repo, "fixture-lock", "fixtures", "--worktree") == fixtures(files)
    repo.commit_all()
    assert says(repo, "fixture-lock", "fixtures") == fixtures(files)
    repo.git("worktree", "add", "-q", "../two", "-b", "two")
    linked = Repo(tmp_path / "two", create=False)
    linked.write("fixtures/a", "2\n")
    assert says(linked, "fixture-lock", "fixtures", "--worktree") == fixtures({b"a": b"2\n"})
    assert says(linked, "fixture-lock", "fixtures") == fixtures(files)
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    assert says(bare, "fixture-lock", "fixtures", "--rev", "main") == fixtures(files)
    assert "work tree" in refused(bare, "fixture-lock", "fixtures")
    assert "no files" in refused(Repo(tmp_path / "empty"), "fixture-lock", "fixtures")


def test_a_blob_that_is_missing_is_an_error(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    blob = repo.resolve("HEAD:fixtures/orders.json")
    (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert blob in refused(repo, "fixture-lock", "fixtures")

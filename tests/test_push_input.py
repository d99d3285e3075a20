"""What the pre-receive hook reads, refuses to read, and says."""

from __future__ import annotations

from pathlib import Path

import pytest

from building import SCOPE, good_project
from pushing import push, started

PREDICATE = "tests/properties/order_total.py"
MOVED = good_project()[PREDICATE] + b"\n\nSMALL = 1\n"
ZERO = "0" * 40


def test_no_line_at_all_is_no_push(tmp_path: Path) -> None:
    server, _ = started(tmp_path)
    done = server.feed(b"")
    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"refs/heads/main\n",
        b"%(old)s %(new)s\n",
        b"%(old)s %(new)s refs/heads/main",
        b"%(old)s  %(new)s refs/heads/main\n",
        b"%(old)s %(new)s refs/heads/main extra\n",
        b"%(old)s %(new)s refs/heads/main\r\n",
        b"%(old)s %(new)s main\n",
        b"%(old)s %(short)s refs/heads/main\n",
        b"%(old)s HEAD refs/heads/main\n",
        b"%(old)s %(new)s refs/heads/main\n\n",
        b"%(old)s %(new)s refs/heads/main\n%(old)s %(new)s refs/heads/main\n",
        b"%(wide)s %(new)s refs/heads/main\n",
        b"%(old)s " + b"1" * 40 + b" refs/heads/main\n",
        b"%(old)s " + b"1" * 40 + b" refs/tags/one\n",
        b"1" * 40 + b" %(new)s refs/heads/main\n",
        b"\0\n",
    ],
)
def test_lines_that_git_would_not_write_refuse_the_push(tmp_path: Path, line: bytes) -> None:
    server, repo = started(tmp_path)
    head = repo.head().encode()
    words = {b"old": head, b"new": head, b"short": head[:12], b"wide": b"0" * 64}
    done = server.feed(line % words)
    assert done.code == 2
    assert done.err.startswith("freezegate: rejected: ")
    assert done.err.splitlines()[0].isascii()


def test_a_tag_is_judged_where_tags_are_protected(tmp_path: Path) -> None:
    server, repo = started(tmp_path, "--protect", "refs/heads/*", "--protect", "refs/tags/*")
    repo.git("tag", "-a", "-m", "one", "one")
    done = push(repo, "refs/tags/one")
    assert done.code == 0, done.err
    repo.write(PREDICATE, MOVED)
    repo.commit_all()
    repo.git("tag", "-a", "-m", "two", "two")
    done = push(repo, "refs/tags/two")
    assert done.code == 1
    assert "predicate-without-scope" in done.err
    assert server.tip("refs/tags/two") is None


@pytest.mark.parametrize("what", ["HEAD^{tree}", "HEAD:README"])
def test_tags_of_trees_and_blobs(tmp_path: Path, what: str) -> None:
    server, repo = started(tmp_path)
    repo.git("tag", "-a", "-m", "odd", "odd", what.replace("README", SCOPE))
    done = push(repo, "refs/tags/odd")
    assert done.code == 0, done.err
    server.hook("--protect", "refs/*")
    repo.git("tag", "-a", "-m", "odd", "other", what.replace("README", SCOPE))
    done = push(repo, "refs/tags/other")
    assert done.code == 1
    assert "refs/tags/other would name no commit" in done.err
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    assert push(repo, "main").code == 0


def test_what_no_glob_protects_is_not_judged(tmp_path: Path) -> None:
    _server, repo = started(tmp_path, "--protect", "refs/heads/main")
    repo.write(PREDICATE, MOVED)
    repo.commit_all()
    done = push(repo, "main:refs/heads/sandbox/main")
    assert done.code == 0, done.err
    assert push(repo, "main").code == 1


def test_a_commit_that_came_under_an_unprotected_tag_is_still_new(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.write(PREDICATE, MOVED)
    bad = repo.commit_all()
    repo.git("tag", "smuggled")
    assert push(repo, "smuggled").code == 0
    assert server.tip("refs/tags/smuggled") == bad
    done = push(repo, "main")
    assert done.code == 1
    assert "predicate-without-scope" in done.err


def test_a_second_ref_of_the_same_push_hides_nothing(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    before = server.tip()
    repo.write(PREDICATE, MOVED)
    repo.commit_all()
    for refs in (("main:refs/tags/t", "main"), ("main:refs/heads/a", "main"), ("main", "main:refs/heads/z")):
        done = push(repo, *refs)
        assert done.code == 1
        assert "predicate-without-scope" in done.err
        assert server.tip() == before


def test_replacement_objects_are_refused_and_ignored(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    good = repo.head()
    repo.write(PREDICATE, MOVED)
    bad = repo.commit_all()
    done = push(repo, f"{good}:refs/replace/{bad}", "main:refs/heads/other")
    assert done.code == 1
    assert done.err.startswith("freezegate: rejected: replacement objects are not taken; nothing else was judged\n")
    assert f"refs/replace/{bad}: it would change what others read of the history\n" in done.err
    assert server.tip(f"refs/replace/{bad}") is server.tip("refs/heads/other") is None
    # A refusal, as of a bad commit, and no failure to judge.
    assert server.feed(f"{ZERO} {good} refs/replace/{bad}\n".encode()).code == 1
    many = server.feed("".join(f"{ZERO} {good} refs/Replace/{n:040x}\n" for n in range(60)).encode())
    assert many.code == 1
    assert len(many.err.splitlines()) <= 40 and "and 23 more\n" in many.err
    # One can be taken away. One that is there already changes nothing of what is judged.
    repo.git("push", "-q", "origin", f"{bad}:refs/tags/there")
    server.repo.git("update-ref", f"refs/replace/{bad}", good)
    done = push(repo, "main")
    assert done.code == 1
    assert "predicate-without-scope" in done.err
    assert push(repo, f":refs/replace/{bad}").code == 0


def test_gitlab_is_told_in_its_own_form(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.write(PREDICATE, MOVED)
    repo.commit_all()
    server.hook(extra="export GL_PROTOCOL=ssh")
    done = push(repo, "main")
    lines = done.err.split("To file")[0].splitlines()
    assert lines[0].startswith("GL-HOOK-ERR: freezegate: rejected: 1 finding")
    assert any(line.startswith("GL-HOOK-ERR:") and "predicate-without-scope" in line for line in lines)


def test_at_most_one_screen_and_the_command_that_shows_the_rest(tmp_path: Path) -> None:
    _server, repo = started(tmp_path)
    before = repo.head()
    for number in range(60):
        repo.write(f"tests/bindings/{number}.txt", "no document\n")
    head = repo.commit_all()
    done = push(repo, "main")
    said = done.err.split("To file")[0].splitlines()
    assert done.code == 1
    assert 20 < len(said) <= 40
    assert said[0] == "freezegate: rejected: 60 findings in 1 commit (1 new commit, 1 ref)"
    left = 60 - sum("layout-kind" in line for line in said)
    assert f"and {left} more; to see all of them, run in your clone:" in said
    command = f"freezegate check --from-ref {before} --to-ref {head}"
    assert said[-1].strip() == command
    assert repo.run(*command.split()[1:]).out.count("layout-kind") == 60


def test_the_default_branchs_config_judges_the_push(tmp_path: Path) -> None:
    _server, repo = started(tmp_path)
    repo.write(".freezegate.yaml", "policy:\n  require_predicate_digest: false\n")
    repo.commit_all()
    assert push(repo, "main").code == 0
    repo.write(".freezegate.yaml", "layout:\n  bindings: elsewhere\n")
    repo.commit_all()
    repo.write("tests/bindings/notes.txt", "no document\n")
    repo.commit_all()
    done = push(repo, "main")
    assert done.code == 1
    assert "layout-kind" in done.err


def test_a_given_config_and_a_named_default_branch(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    config = tmp_path / "config.yaml"
    config.write_text("policy:\n  loose: true\n", encoding="utf-8")
    server.hook("--config", str(config))
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    done = push(repo, "main")
    assert done.code == 1
    assert "freezegate: rejected: the config given by --config, is invalid" in done.err
    server.hook("--config", str(tmp_path / "absent.yaml"))
    done = push(repo, "main")
    assert done.code == 1
    assert "freezegate: rejected: No such file" in done.err
    server.hook("--default-branch", "trunk")
    done = push(repo, "main")
    assert done.code == 1
    assert "freezegate: rejected: the default branch refs/heads/trunk is not here" in done.err
    server.hook("--default-branch", "main")
    assert push(repo, "main").code == 0


def test_the_time_limit_fails_closed(tmp_path: Path) -> None:
    server, repo = started(
        tmp_path,
    )
    server.hook("--time-limit", "0.001")
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    before = server.tip()
    done = push(repo, "main")
    assert done.code == 1
    assert "freezegate: rejected: the time limit ran out" in done.err
    assert server.tip() == before


@pytest.mark.parametrize("commits", [1, 9])
def test_a_malformed_tree_is_refused(tmp_path: Path, commits: int) -> None:
    server, repo = started(tmp_path)
    for number in range(commits - 1):
        repo.write("docs/a.md", f"{number}\n")
        repo.commit_all()
    source = bytes.fromhex(repo.resolve("HEAD:src/orders.py"))
    data = b"".join(b"100644 twice.py\0" + source for _ in range(2))
    tree = repo.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", input=data).decode().strip()
    rows = repo.git("ls-tree", "HEAD").replace(repo.resolve("HEAD:src").encode(), tree.encode())
    top = repo.git("mktree", input=rows).decode().strip()
    bad = repo.git("commit-tree", top, "-p", "HEAD", "-m", "twice").decode().strip()
    before = server.tip()
    done = push(repo, f"{bad}:refs/heads/main")
    assert done.code == 1
    assert f"commit {bad[:12]}:" in done.err
    assert "src:1:1: tree-malformed" in done.err
    assert server.tip() == before

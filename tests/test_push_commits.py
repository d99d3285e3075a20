"""Every commit of a push is judged, and the ref stands where it stood when one of them is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from building import SCOPE, Repo, good_project, rebind, with_files
from pushing import Server, clone_of, push, started

PREDICATE = "tests/properties/order_total.py"
MOVED = good_project()[PREDICATE] + b"\n\nSMALL = 1\n"


def move_predicate(repo: Repo) -> None:
    repo.write(PREDICATE, MOVED)


def refused(server: Server, repo: Repo, *refspecs: str, rule: str, force: bool = False) -> str:
    """The hook's words for a push that it must refuse; fails where any ref of the server moved."""
    before = server.repo.git("for-each-ref")
    done = push(repo, *refspecs, force=force)
    assert done.code == 1, done.err
    assert "freezegate: rejected: " in done.err
    assert rule in done.err
    assert server.repo.git("for-each-ref") == before
    return done.err


def accepted(repo: Repo, *refspecs: str, force: bool = False) -> str:
    done = push(repo, *refspecs, force=force)
    assert done.code == 0, done.err
    return done.err


@pytest.mark.parametrize("sha256", [False, True])
def test_a_good_push_goes_in_and_a_bad_one_does_not(tmp_path: Path, sha256: bool) -> None:
    server, repo = started(tmp_path, sha256=sha256)
    repo.write("src/orders.py", good_project()["src/orders.py"] + b"\n\nTAX = 0\n")
    repo.commit_all()
    said = accepted(repo, "main")
    assert "freezegate: accepted: 1 new commit, 1 ref" in said
    assert server.tip() == repo.head()
    move_predicate(repo)
    bad = repo.commit_all()
    said = refused(server, repo, "main", rule="predicate-without-scope")
    assert f"refs/heads/main, commit {bad[:12]}:" in said
    assert f"{SCOPE}:2:" in said


def test_a_bad_commit_in_the_middle_is_refused_though_the_tip_is_good(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    move_predicate(repo)
    bad = repo.commit_all()
    repo.write(PREDICATE, good_project()[PREDICATE])
    repo.commit_all()
    said = refused(server, repo, "main", rule="predicate-without-scope")
    assert f"commit {bad[:12]}:" in said
    assert "as a whole" not in said
    assert "rewrite it (git commit --amend or git rebase -i)" in said


def test_the_tip_is_judged_against_the_old_tip_as_well(tmp_path: Path) -> None:
    # Each commit is legal by itself: the scope changes and comes back, the predicate moves with the way back.
    server, repo = started(tmp_path)
    scope = good_project()[SCOPE]
    repo.write(SCOPE, b"description: Interim.\n" + scope)
    repo.commit_all()
    repo.write(SCOPE, scope)
    move_predicate(repo)
    repo.commit_all()
    said = refused(server, repo, "main", rule="predicate-without-scope")
    assert "refs/heads/main as a whole" in said


def test_a_finding_of_commit_and_tip_is_said_once(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    move_predicate(repo)
    repo.commit_all()
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    said = refused(server, repo, "main", rule="predicate-without-scope")
    assert said.count("predicate-without-scope") == 1
    assert "rejected: 1 finding in 1 commit" in said


def test_an_empty_repository_takes_a_first_push_that_is_good_alone(tmp_path: Path) -> None:
    server = Server(tmp_path / "server.git")
    repo = clone_of(server, tmp_path / "work")
    repo.write("README.md", "Nothing governed yet.\n")
    repo.commit_all()
    with_files(repo, {**good_project(), "tests/bindings/notes.txt": b"no document\n"}).commit()
    refused(server, repo, "main", rule="layout-kind")
    with_files(repo, good_project()).commit("--amend")
    refused(server, repo, "main", rule="layout-kind")  # the bad commit is still on the way
    repo.git("reset", "-q", "--soft", "HEAD~2")
    repo.commit()
    accepted(repo, "main")
    assert server.tip() == repo.head()


def test_new_branches_are_judged_from_where_they_left_the_default_branch(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.git("switch", "-q", "-c", "topic")
    repo.write("src/orders.py", good_project()["src/orders.py"] + b"\n\nTAX = 0\n")
    repo.commit_all()
    accepted(repo, "topic")
    repo.git("switch", "-q", "-c", "worse")
    move_predicate(repo)
    repo.commit_all()
    refused(server, repo, "worse", rule="predicate-without-scope")
    assert server.tip("refs/heads/worse") is None


def test_branches_can_be_deleted(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    accepted(repo, "main:refs/heads/topic")
    said = accepted(repo, ":refs/heads/topic")
    assert "freezegate: accepted: 0 new commits" in said
    assert server.tip("refs/heads/topic") is None


def test_a_forced_push_is_a_step_from_the_old_tip(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    first = repo.head()
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    accepted(repo, "main")
    repo.git("reset", "-q", "--hard", first)
    repo.write("docs/b.md", "b\n")
    repo.commit_all()
    accepted(repo, "main", force=True)
    repo.git("reset", "-q", "--hard", first)
    move_predicate(repo)
    repo.commit_all()
    refused(server, repo, "main", rule="predicate-without-scope", force=True)


def test_two_refs_are_judged_each_and_named_each(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    repo.git("switch", "-q", "-c", "topic", "HEAD~1")
    move_predicate(repo)
    repo.commit_all()
    said = refused(server, repo, "main", "topic", rule="predicate-without-scope")
    assert "refs/heads/topic, commit" in said
    assert "refs/heads/main" not in said.replace("refs/heads/main -> ", "").split("To file")[0]


def test_a_root_commit_on_a_server_that_has_some_is_judged_against_the_default_branch(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.git("switch", "-q", "--orphan", "pages")
    repo.write("index.html", "<p>hello</p>\n")
    repo.commit_all()
    accepted(repo, "pages")
    repo.git("switch", "-q", "--orphan", "island")
    with_files(repo, {**good_project(), PREDICATE: MOVED}).commit()
    said = refused(server, repo, "island", rule="predicate-without-scope")
    assert "refs/heads/island as a whole" in said
    assert "rewrite it" not in said  # the commit may stand, but not in the place of the default branch's


def test_merging_the_default_branch_is_free_and_a_mixture_is_not(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.git("switch", "-q", "-c", "topic")
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    accepted(repo, "topic")
    repo.git("switch", "-q", "main")
    scope = good_project()[SCOPE] + b"description: New.\n"
    files = {**good_project(), SCOPE: scope, PREDICATE: MOVED}
    with_files(repo, {k: v for k, v in rebind(files).items() if "freezes/order" not in k}).commit()
    accepted(repo, "main")
    repo.git("switch", "-q", "topic")
    repo.git("merge", "-q", "--no-edit", "main")
    accepted(repo, "topic")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "main")
    repo.write(SCOPE, good_project()[SCOPE])
    repo.commit_all()
    refused(server, repo, "+topic", rule="predicate-without-scope")


def octopus(repo: Repo) -> list[str]:
    """Two topics that left main: one has the predicate with its scope, the other a source file; main has a page."""
    tips = []
    files = {**good_project(), SCOPE: good_project()[SCOPE] + b"description: New.\n", PREDICATE: MOVED}
    lines = {"predicate": {k: v for k, v in rebind(files).items() if "freezes/order" not in k}}
    lines["source"] = {**good_project(), "src/orders.py": good_project()["src/orders.py"] + b"\n\nTAX = 0\n"}
    for name, tree in lines.items():
        repo.git("switch", "-q", "-c", name, "main")
        with_files(repo, tree).commit()
        tips.append(name)
    repo.git("switch", "-q", "main")
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    return tips


def test_an_octopus_merge_is_free_and_one_that_mixes_is_not(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    tips = octopus(repo)
    accepted(repo, "main", *tips)
    repo.git("merge", "-q", "--no-commit", *tips)
    repo.write(SCOPE, good_project()[SCOPE])
    repo.commit_all()
    assert len(repo.git("rev-list", "--parents", "-n", "1", "HEAD").split()) == 4
    said = refused(server, repo, "main", rule="predicate-without-scope")
    assert f"commit {repo.head()[:12]}:" in said
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("merge", "-q", "--no-edit", *tips)
    assert len(repo.git("rev-list", "--parents", "-n", "1", "HEAD").split()) == 4
    said = accepted(repo, "main")
    assert "accepted: 1 new commit, 1 ref" in said
    assert server.tip() == repo.head()


def test_an_octopus_merge_brings_its_new_commits_to_judgement(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    tips = octopus(repo)
    repo.git("switch", "-q", "source")
    move_predicate(repo)
    bad = repo.commit_all()
    repo.git("revert", "--no-edit", bad)
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--no-edit", *tips)
    assert f"commit {bad[:12]}:" in refused(server, repo, "main", rule="predicate-without-scope")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("branch", "-q", "-f", "source", f"{bad}~1")
    repo.git("merge", "-q", "--no-edit", *tips)
    accepted(repo, "main")


@pytest.mark.slow
def test_five_hundred_refs_at_once(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    accepted(repo, *(f"main:refs/heads/many/{number}" for number in range(500)))
    assert server.tip("refs/heads/many/499") == repo.head()
    move_predicate(repo)
    repo.commit_all()
    refused(server, repo, *(f"main:refs/heads/many/{number}" for number in range(500)), rule="predicate-without-scope")


def test_new_branches_off_one_commit_are_one_question(tmp_path: Path) -> None:
    """Each branch has a tip of its own; where they left the default branch is asked once for all of them."""
    server, repo = started(tmp_path)
    base = repo.head()
    for number in range(12):
        repo.git("switch", "-q", "-c", f"topic/{number}", base)
        repo.write("tests/properties/notes.py", f"NOTE = {number}\n")
        repo.commit_all()
    questions = tmp_path / "trace"
    done = push(repo, "refs/heads/topic/*", env={"GIT_TRACE": str(questions)})
    assert done.code == 0, done.err
    asked = [line for line in questions.read_text().splitlines() if "built-in: git merge-base" in line]
    assert len(asked) == 1
    # One that left it elsewhere is a question of its own.
    repo.git("switch", "-q", "main")
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    move_predicate(repo)
    repo.commit_all("bad")
    assert push(repo, "main~1:main").code == 0
    refused(server, repo, "main:refs/heads/other", rule="predicate-without-scope")


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.write(b"docs/caf\xe9.md", b"a\n")
    repo.commit_all()
    name = b"refs/heads/caf\xe9"
    done = push(repo, b"main:" + name)
    assert done.code == 0, done.err
    assert server.tip(name) == repo.head()
    repo.write(b"tests/bindings/caf\xe9.txt", b"a\n")
    repo.commit_all()
    done = push(repo, b"main:" + name)
    assert done.code == 1
    assert "refs/heads/caf\\xe9, commit" in done.err
    assert "tests/bindings/caf\\xe9.txt:1:1: layout-kind" in done.err


@pytest.mark.slow
def test_a_large_blob_in_a_governed_place(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.write(SCOPE.replace("order_total", "large"), b"x" * (50 << 20))
    repo.commit_all()
    refused(server, repo, "main", rule="scope-unreadable")


def test_nothing_of_the_push_is_executed(tmp_path: Path) -> None:
    _server, repo = started(tmp_path)
    mark = tmp_path / "executed"
    code = f"open({str(mark)!r}, 'w').close()\n"
    for name in ("yaml", "git", "sitecustomize", "usercustomize", "json", "jsonschema", "freezegate"):
        for folder in ("", "tests/properties/", "tests/fixtures/", "src/"):
            repo.write(f"{folder}{name}.py", code)
    repo.write("evil.pth", f"import os; {code}")
    repo.write(".git-hooks/post-receive", "#!/bin/sh\ntouch executed\n", 0o755)
    repo.commit_all()
    accepted(repo, "main")
    repo.write(".gitattributes", "*.md filter=evil diff=evil\n")
    repo.commit_all()
    accepted(repo, "main")
    assert not mark.exists()


def test_the_commits_day_decides_what_has_expired(tmp_path: Path) -> None:
    server = Server(tmp_path / "server.git")
    repo = clone_of(server, tmp_path / "work")
    files = {**good_project(), ".freezegate.yaml": b"policy:\n  expiry_days: 30\n"}
    citation = "tests/freezes/order_total.non_negative.freeze.json"
    # The tests' commits are made on 14 November 2023.
    files[citation] = files[citation].replace(b"\n}", b',\n  "expires": "2023-11-20"\n}')
    with_files(repo, files).commit()
    accepted(repo, "main")
    repo.write(citation, files[citation].replace(b"2023-11-20", b"2023-11-13"))
    repo.commit_all()
    refused(server, repo, "main", rule="citation-expired")


def test_commits_from_before_the_adoption_are_judged_at_the_tip_only(tmp_path: Path) -> None:
    server = Server(tmp_path / "server.git")
    repo = clone_of(server, tmp_path / "work")
    repo.write("base.sig.json", "{}\n")  # evidence that no commit under the gate may bring
    repo.commit_all()
    repo.remove("base.sig.json")
    repo.write("README.md", "Soon governed.\n")
    repo.commit_all()
    with_files(repo, {**good_project(), "README.md": b"Governed.\n"}).commit()
    accepted(repo, "main")
    repo.write("base.sig.json", "{}\n")
    repo.commit_all()
    refused(server, repo, "main", rule="certificate-committed")


def test_a_fork_from_before_the_adoption_cannot_bring_another_predicate(tmp_path: Path) -> None:
    server = Server(tmp_path / "server.git")
    repo = clone_of(server, tmp_path / "work")
    repo.write("README.md", "Soon governed.\n")
    early = repo.commit_all()
    with_files(repo, {**good_project(), "README.md": b"Governed.\n"}).commit()
    accepted(repo, "main")
    repo.git("switch", "-q", "-c", "fork", early)
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    accepted(repo, "fork")
    with_files(repo, {**good_project(), PREDICATE: MOVED}).commit()
    refused(server, repo, "fork", rule="predicate-without-scope")


def test_an_old_fault_that_a_forced_push_brings_back_is_found_beside_other_branches(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    server.repo.path.joinpath("hooks/pre-receive").rename(tmp_path / "away")
    repo.write(SCOPE, good_project()[SCOPE] + b"inputs: [absent.csv]\n")
    faulty = repo.commit_all()
    accepted(repo, "main")
    repo.write(SCOPE, good_project()[SCOPE])
    repo.commit_all()
    accepted(repo, "main")
    repo.git("switch", "-q", "-c", "other")
    repo.write("docs/other.md", "o\n")
    repo.commit_all()
    accepted(repo, "other")
    (tmp_path / "away").rename(server.repo.path / "hooks/pre-receive")
    repo.git("switch", "-q", "--detach", faulty)
    for number in range(9):
        repo.write("docs/a.md", f"{number}\n")
        repo.commit_all()
    refused(server, repo, "HEAD:refs/heads/main", rule="digest-input-missing", force=True)


def test_a_merge_that_takes_the_config_of_an_accepted_branch_is_free(tmp_path: Path) -> None:
    server, repo = started(tmp_path)
    repo.git("branch", "plain")
    repo.write(".freezegate.yaml", "policy:\n  stale: fail\n")
    repo.commit_all()
    repo.git("switch", "-q", "plain")
    repo.write("docs/a.md", "a\n")
    repo.commit_all()
    accepted(repo, "main", "plain")
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "plain")
    repo.remove(".freezegate.yaml")
    repo.commit_all()
    accepted(repo, "main")
    # Where no accepted side is without one, it is removed.
    repo.write(".freezegate.yaml", "policy:\n  stale: fail\n")
    repo.commit_all()
    accepted(repo, "main", "+main:plain")
    repo.remove(".freezegate.yaml")
    repo.commit_all()
    refused(server, repo, "main", rule="config-invalid")

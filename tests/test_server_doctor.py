"""`freezegate doctor`: each thing that it looks at, as it should be and as it should not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from building import Completed, Repo, good_project, with_files
from freezegate.server.line import OK, PROBLEM
from freezegate.server.machine import interpreter, quarantine

Lines = dict[str, tuple[str, str]]


@pytest.fixture
def server(tmp_path: Path) -> Repo:
    """A server's repository, all in order, with a small project."""
    work = with_files(Repo(tmp_path / "work"), {**good_project(), ".freezegate.yaml": b"policy: {stale: report}\n"})
    work.commit()
    bare = work.clone(tmp_path / "shop.git", "--bare")
    bare.git("config", "receive.fsckObjects", "true")
    assert bare.run("install-server", str(bare.path)).code == 0
    return bare


@pytest.fixture
def clone(tmp_path: Path) -> Repo:
    """A clone with both hooks."""
    made = with_files(Repo(tmp_path / "clone"), good_project())
    made.commit()
    for name in ("pre-commit", "pre-merge-commit"):
        made.write(f".git/hooks/{name}", "#!/bin/sh\nexec freezegate check\n", mode=0o755)
    return made


def _doctor(repo: Repo, code: int) -> Lines:
    """Subject to level and rest; fails unless the exit status is `code` and every line has the form."""
    done: Completed = repo.run("doctor", str(repo.path))
    assert (done.code, done.err) == (code, ""), done.out + done.err
    lines = {}
    for row in done.out.splitlines():
        level, rest = row[:8].strip(), row[9:]
        assert level in ("ok", "warning", "problem"), row
        subject, _, seen = rest.partition(": ")
        lines[subject] = (level, seen)
    return lines


def test_a_server_in_order_has_no_problems(server: Repo) -> None:
    lines = _doctor(server, 0)
    assert {level for level, _ in lines.values()} == {"ok"}
    assert list(lines) == [
        "git", "repository", "owner", "python", "libyaml", "hook", "quarantine", "receive.fsckObjects", "history",
        "refs/replace", "config", "one check",
    ]  # fmt: skip
    assert "bare" in lines["repository"][1] and "sha1" in lines["repository"][1]
    assert "refs/heads/main" in lines["config"][1]
    assert "0 findings" in lines["one check"][1]


def test_a_clone_in_order_has_no_problems(clone: Repo) -> None:
    lines = _doctor(clone, 0)
    assert {level for level, _ in lines.values()} == {"ok"}
    assert "pre-commit" in lines and "pre-merge-commit" in lines and "quarantine" not in lines


def _remove_hook(server: Repo) -> None:
    server.remove("hooks/pre-receive")


def _close_hook(server: Repo) -> None:
    server.at("hooks/pre-receive").chmod(0o644)


def _foreign_hook(server: Repo) -> None:
    server.write("hooks/pre-receive", "#!/bin/sh\n# no freezegate\nexit 0\n", mode=0o755)


def _gone_interpreter(server: Repo) -> None:
    hook = "#!/bin/sh\nexec /nonexistent/python -I -m freezegate pre-receive\n"
    server.write("hooks/pre-receive", hook, mode=0o755)


def _shared_hooks(server: Repo) -> None:
    server.git("config", "core.hooksPath", str(server.path / "nowhere"))


@pytest.mark.parametrize(
    ("spoil", "seen"),
    [
        (_remove_hook, "install-server"),
        (_close_hook, "chmod +x"),
        (_foreign_hook, "does not start freezegate"),
        (_gone_interpreter, "/nonexistent/python"),
        (_shared_hooks, "core.hooksPath"),
    ],
)
def test_a_server_hook_that_would_not_judge_is_a_problem(
    server: Repo, spoil: Callable[[Repo], None], seen: str
) -> None:
    spoil(server)
    level, said = _doctor(server, 1)["hook"]
    assert level == "problem" and seen in said


def test_a_hook_into_which_the_gate_is_chained_is_enough(server: Repo) -> None:
    server.write("hooks/pre-receive", "#!/bin/sh\n./hooks/other && exec freezegate pre-receive\n", mode=0o755)
    assert _doctor(server, 0)["hook"][0] == "ok"


def test_malformed_objects_let_in_are_a_warning(server: Repo) -> None:
    server.git("config", "--unset", "receive.fsckObjects")
    assert _doctor(server, 0)["receive.fsckObjects"][0] == "warning"
    server.git("config", "transfer.fsckObjects", "true")
    assert _doctor(server, 0)["receive.fsckObjects"][0] == "ok"


def test_replaced_objects_are_a_warning_and_the_hint_takes_them_away(server: Repo) -> None:
    other = server.blob(b"another\n")
    server.git("replace", "-f", server.resolve("HEAD:src/orders.py"), other)
    level, said = _doctor(server, 0)["refs/replace"]
    assert level == "warning"
    server.git(*said.rpartition("; git ")[2].split())
    assert _doctor(server, 0)["refs/replace"][0] == "ok"


def test_a_shallow_server_is_a_problem_and_a_shallow_clone_a_warning(server: Repo, clone: Repo, tmp_path: Path) -> None:
    clone.commit("one more")
    shallow = clone.clone(tmp_path / "shallow", "--depth=1")
    lines = _doctor(shallow, 1)
    assert lines["history"][0] == "warning" and lines["pre-commit"][0] == lines["pre-merge-commit"][0] == "problem"
    bare = clone.clone(tmp_path / "shallow.git", "--bare", "--depth=1")
    assert _doctor(bare, 1)["history"][0] == "problem"


def test_a_config_that_is_refused_is_a_problem(server: Repo, tmp_path: Path) -> None:
    work = Repo(tmp_path / "work", create=False)
    work.write(".freezegate.yaml", "polcy: {}\n")
    work.commit_all()
    server.git("fetch", "-q", work.path.as_uri(), "+main:main")
    lines = _doctor(server, 1)
    assert lines["config"][0] == "problem" and "line 1" in lines["config"][1]
    assert lines["one check"][0] == "problem"


def test_findings_at_head_are_a_warning(server: Repo, tmp_path: Path) -> None:
    work = Repo(tmp_path / "work", create=False)
    work.remove("tests/properties/order_total.py")
    work.commit_all()
    server.git("fetch", "-q", work.path.as_uri(), "+main:main")
    level, said = _doctor(server, 0)["one check"]
    assert level == "warning" and "predicate-missing" in said


def test_a_head_without_a_commit_is_a_warning(server: Repo) -> None:
    server.git("symbolic-ref", "HEAD", "refs/heads/trunk")
    level, said = _doctor(server, 0)["config"]
    assert level == "warning" and "refs/heads/trunk" in said and "--default-branch" in said


def test_the_branch_and_the_config_that_the_hook_names_are_looked_at(server: Repo, tmp_path: Path) -> None:
    server.git("symbolic-ref", "HEAD", "refs/heads/trunk")
    assert server.run("install-server", str(server.path), "--default-branch", "main").code == 0
    assert "refs/heads/main, which the hook names: valid" in _doctor(server, 0)["config"][1]

    config = tmp_path / "strict.yaml"
    config.write_text("policy: {promotion: strict}\n", encoding="utf-8")
    flags = ["--default-branch", "refs/heads/main", "--config", str(config)]
    assert server.run("install-server", str(server.path), *flags).code == 0
    assert f"{config}, which the hook names: valid" in _doctor(server, 0)["config"][1]
    config.write_text("policy: {promotion: loud}\n", encoding="utf-8")
    assert _doctor(server, 1)["config"][0] == "problem"
    config.unlink()
    level, said = _doctor(server, 1)["config"]
    assert level == "problem" and "No such file" in said


@pytest.mark.parametrize("name", ["pre-commit", "pre-merge-commit"])
def test_each_hook_of_a_clone_counts(clone: Repo, name: str) -> None:
    hook = clone.at(f".git/hooks/{name}")
    hook.chmod(0o644)
    assert "chmod +x" in _doctor(clone, 1)[name][1]
    clone.write(f".git/hooks/{name}", "#!/bin/sh\nexit 0\n", mode=0o755)
    assert _doctor(clone, 1)[name][0] == "problem"
    clone.write(f".git/hooks/{name}", "#!/bin/sh\nexec pre-commit hook-impl\n", mode=0o755)
    assert ".pre-commit-config.yaml" in _doctor(clone, 1)[name][1]
    clone.write(".pre-commit-config.yaml", "repos: [{repo: a/freezegate}]\n")
    assert _doctor(clone, 0)[name][0] == "ok"
    hook.unlink()
    assert f"--hook-type {name}" in _doctor(clone, 1)[name][1]


def test_sha256_is_told(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r.git", bare=True, sha256=True)
    assert "sha256" in _doctor(repo, 1)["repository"][1]


def test_names_of_a_repository_cannot_move_the_cursor(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "a\x1b[2J", bare=True)
    done = repo.run("doctor", str(repo.path))
    assert done.code == 1 and "\x1b" not in done.out


def test_where_nothing_can_be_looked_at_it_says_so(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r", create=False)
    repo.path.mkdir()
    for place in (repo.path, tmp_path / "nowhere"):
        done = repo.run("doctor", str(place), env={"GIT_CEILING_DIRECTORIES": str(tmp_path)})
        assert done.code == 2 and done.err.startswith("freezegate: error: ")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to another user")
def test_another_users_repository_that_git_refuses_is_a_problem(server: Repo) -> None:
    for path in (server.path, *server.path.rglob("*")):
        os.chown(path, 12345, 12345)
    lines = _doctor(server, 1)
    level, said = lines["owner"]
    assert level == "problem" and "safe.directory" in said and "12345" in said
    trusted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    done = server.run("doctor", str(server.path), env=trusted)
    assert done.code == 0 and "warning  owner" in done.out


def test_a_python_older_than_the_projects_is_a_problem() -> None:
    assert interpreter(">=3.10").level == OK
    assert interpreter(">= 3.99, <4").level == PROBLEM
    assert interpreter("~=3.99").level == PROBLEM
    assert interpreter(None).level == OK


def test_inside_a_hook_its_own_variables_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    assert quarantine().level == OK
    monkeypatch.setenv("GIT_QUARANTINE_PATH", "/somewhere")
    assert quarantine().level == PROBLEM
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/somewhere")
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", "/elsewhere")
    assert quarantine().level == OK


def test_hooks_switched_off_on_the_machine_are_a_problem(server: Repo, tmp_path: Path) -> None:
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\nhooksPath = {os.devnull}\n", encoding="utf-8")
    done = server.run("doctor", str(server.path), env={"GIT_CONFIG_GLOBAL": str(config)})
    assert done.code == 1 and "problem  quarantine" in done.out and "problem  hook" in done.out

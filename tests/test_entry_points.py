"""Which trees each call compares, in which order of precedence, and what it says when it cannot."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from building import Completed, Repo, environment, good_project, rebind, with_files

ENTRY = "catalog/order_total.yaml"
RECORD = "tests/bindings/order_total.non_negative.json"
MIXED = (ENTRY, "catalog-mixed")  # a change rule: it needs an old side
OPEN = (RECORD, "record-open")  # a state rule
ALL_ZERO = "0" * 40


def project(path: Path, **options: bool) -> Repo:
    """The good project, committed."""
    repo = with_files(Repo(path, **options), good_project())
    repo.commit("base")
    return repo


def mix(repo: Repo) -> None:
    """Stage a catalog entry and source together."""
    for name, text in ((ENTRY, "# more\n"), ("src/orders.py", "X = 1\n")):
        repo.write(name, repo.at(name).read_bytes() + text.encode())
    repo.add(ENTRY, "src/orders.py")


def open_record(repo: Repo) -> None:
    """Stage a record that is open."""
    files = {name: repo.at(name).read_bytes() for name in good_project()}
    repo.write(RECORD, rebind(files, class_local="pass")[RECORD])
    repo.write("tests/freezes/order_total.non_negative.freeze.json", "")
    repo.git("rm", "-qf", "tests/freezes/order_total.non_negative.freeze.json")
    repo.add(RECORD)


def branches(path: Path) -> Repo:
    """main: base, then a commit; topic, checked out: base, then catalog-mixed; nothing staged."""
    repo = project(path)
    repo.git("branch", "topic")
    repo.write("docs/main.md", "x")
    repo.commit_all("main goes on")
    repo.git("update-ref", "refs/remotes/origin/main", "main")
    repo.git("checkout", "-q", "topic")
    mix(repo)
    repo.commit("mixed")
    return repo


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """The branches, for tests that change nothing."""
    return branches(tmp_path_factory.mktemp("shared") / "r")


def refused(done: Completed, *says: str) -> str:
    """The hint of a check that could not be made: exit 2, no report, a line of error."""
    assert (done.code, done.out) == (2, ""), done
    error, *hint = done.err.splitlines()
    assert error.startswith("freezegate: error: ")
    for text in says:
        assert text in error, done.err
    return hint[0].removeprefix("    hint: ") if hint else ""


# -- the table of changes


def test_nothing_staged_and_no_base_is_the_index_alone(shared: Repo) -> None:
    report = shared.check_json()
    assert (report["mode"], report["findings"]) == ("all", [])
    assert report["checked"]["scope"] == report["checked"]["ledger"] == 1
    said = shared.check()
    assert "no old side" in said.out and "--base" in said.out
    hint = refused(shared.check("--require-base"), "no old side is known")
    assert hint == "name it: freezegate check --base origin/main"


def test_flags_name_a_range(shared: Repo) -> None:
    for flags in (("--from-ref", "main", "--to-ref", "topic"), ("--base", "main"), ("--base", "origin/main")):
        report = shared.check_json(*flags, "--require-base")
        assert report["mode"] == "range"
        assert [(each["path"], each["rule"]) for each in report["findings"]] == [MIXED]
    assert shared.rules("--from-ref", "topic", "--to-ref", "main") == []
    # the other way round: what topic has and main has not is no change of main's
    assert shared.rules("--from-ref", "main", "--to-ref", "main") == []


def test_all_files_chooses_no_trees(shared: Repo) -> None:
    one, every = shared.check_json("--base", "main"), shared.check_json("--base", "main", "--all-files")
    assert one["findings"] == every["findings"] != []
    assert (one["mode"], every["mode"]) == ("range", "range")
    assert one["checked"]["scope"] == 0 and every["checked"]["scope"] == 1


@pytest.mark.parametrize(
    ("env", "mode", "mixed"),
    [
        ({"PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": "topic"}, "range", True),
        ({"PRE_COMMIT_FROM_REF": "topic", "PRE_COMMIT_TO_REF": "main"}, "range", False),
        ({"PRE_COMMIT_FROM_REF": "main"}, "all", False),
        ({"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/topic"}, "all", False),
        (
            {"PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": "topic", "PRE_COMMIT_LOCAL_BRANCH": "refs/heads/main"},
            "range",
            True,
        ),
    ],
)
def test_pre_commits_variables(shared: Repo, env: Mapping[str, str], mode: str, mixed: bool) -> None:
    report = shared.check_json(env=env)
    assert (report["mode"], len(report["findings"])) == (mode, int(mixed))


def test_a_local_branch_alone_is_that_branch(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    open_record(repo)
    repo.commit("open")
    repo.git("branch", "broken")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert repo.rules(env={"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/broken"}) == [OPEN]
    assert repo.rules() == []
    refused(repo.check(env={"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/gone"}), "refs/heads/gone")


def test_precedence(tmp_path: Path) -> None:
    """Flags, pre-commit's variables, what is staged, CI's variables."""
    repo = branches(tmp_path / "r")
    pre_commit = {"PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": "topic"}
    ci = {"GITHUB_BASE_REF": "main", "GITHUB_WORKSPACE": str(repo.path)}
    assert repo.check_json(env=ci)["mode"] == "range"
    assert repo.rules(env=ci) == [MIXED]
    assert repo.rules("--base", "HEAD", env={**ci, **pre_commit}) == []
    open_record(repo)
    assert (repo.check_json(env=ci)["mode"], repo.rules(env=ci)) == ("commit", [OPEN])
    assert repo.rules(env={**ci, **pre_commit}) == [MIXED]
    assert repo.rules("--base", "main") == [MIXED]  # HEAD, not the index
    repo.git("reset", "-q", "--hard")
    index = {"GIT_INDEX_FILE": str(repo.path / ".git" / "index")}
    assert repo.check_json(env={**ci, **index})["mode"] == "commit"


@pytest.mark.parametrize(
    ("variable", "workspace", "value"),
    [
        ("GITHUB_BASE_REF", "GITHUB_WORKSPACE", "main"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CI_PROJECT_DIR", "main"),
        ("SYSTEM_PULLREQUEST_TARGETBRANCH", "BUILD_SOURCESDIRECTORY", "refs/heads/main"),
        ("BITBUCKET_PR_DESTINATION_BRANCH", "BITBUCKET_CLONE_DIR", "main"),
        ("CHANGE_TARGET", "WORKSPACE", "main"),
    ],
)
def test_ci_names_the_target_branch(shared: Repo, tmp_path: Path, variable: str, workspace: str, value: str) -> None:
    inside = {variable: value, workspace: f"{shared.path}/"}
    assert shared.check_json(env=inside)["mode"] == "range"
    assert shared.check_json(env={variable: value})["mode"] == "all"
    gone = {**inside, variable: "gone"}
    assert "git fetch origin" in refused(shared.check(env=gone), variable, "origin/gone is not here")
    assert shared.check(env={**gone, workspace: str(tmp_path)}).code == 0


def test_a_tag_cannot_stand_for_the_target_branch(tmp_path: Path) -> None:
    repo = branches(tmp_path / "r")
    repo.git("tag", "origin/main", "topic")
    ci = {"GITHUB_BASE_REF": "main", "GITHUB_WORKSPACE": str(repo.path)}
    assert repo.rules(env=ci) == [MIXED]


@pytest.mark.parametrize("branch", ["main", pytest.param("release/$(touch${IFS}x);'1", marks=pytest.mark.slow)])
def test_the_hint_for_a_missing_branch_fetches_it(tmp_path: Path, branch: str) -> None:
    """As CI's checkouts are: one commit deep, one branch, no other remote-tracking ref."""
    origin = branches(tmp_path / "origin")
    origin.git("branch", "-m", "main", branch) if branch != "main" else None
    clone = origin.clone(tmp_path / "c", "--depth=1", "--single-branch", "--branch=topic")
    ci = {"GITHUB_BASE_REF": branch, "GITHUB_WORKSPACE": str(clone.path)}
    hint = refused(clone.check(env=ci), "is not here")
    assert "\n" not in hint
    subprocess.run(hint, shell=True, cwd=clone.path, env=environment(), check=True, capture_output=True)
    assert clone.rules(env=ci) == [MIXED]
    assert not clone.at("x").exists()
    assert clone.check_json(env={**ci, "GITHUB_BASE_REF": ""})["mode"] == "all"


# -- what cannot be judged


def test_a_shallow_clone_says_how_to_deepen_it(tmp_path: Path) -> None:
    origin = branches(tmp_path / "origin")
    clone = origin.clone(tmp_path / "c", "--depth=1", "--no-single-branch", "--branch=topic")
    hint = refused(clone.check("--base", "origin/main"), "no merge base", "shallow")
    subprocess.run(hint, shell=True, cwd=clone.path, env=environment(), check=True, capture_output=True)
    assert clone.rules("--base", "origin/main") == [MIXED]


def test_a_shallow_clone_can_judge_commits(tmp_path: Path) -> None:
    clone = branches(tmp_path / "origin").clone(tmp_path / "c", "--depth=1", "--branch=topic")
    mix(clone)
    assert clone.rules() == [MIXED]


def test_unrelated_histories(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit("other")
    assert "grew from" in refused(repo.check("--base", "main"), "unrelated histories")


def test_an_all_zero_old_side(shared: Repo) -> None:
    for zero in (ALL_ZERO, "0" * 64):
        done = shared.check("--from-ref", zero, "--to-ref", "HEAD")
        hint = refused(done, zero, "new branch")
        assert hint.endswith("freezegate check --base origin/main")
    assert shared.rules("--base", "origin/main") == [MIXED]


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--from-ref", "gone", "--to-ref", "HEAD"), "the revision gone"),
        (("--from-ref", "HEAD", "--to-ref", "gone"), "the revision gone"),
        (("--from-ref", "HEAD:src", "--to-ref", "HEAD"), "HEAD:src"),
        (("--base", "--all"), "--base"),
        (("--base=--all",), "the revision --all"),
        (("--from-ref", "HEAD"), "--from-ref and --to-ref go together"),
        (("--to-ref", "HEAD"), "--from-ref and --to-ref go together"),
        (("--base", "HEAD", "--from-ref", "HEAD", "--to-ref", "HEAD"), "--base names the old side"),
        (("--config", "gone.yaml"), "gone.yaml"),
        (("--format", "xml"), "xml"),
        (("--hook", "lint"), "lint"),
        (("--time-limit", "0"), "--time-limit"),
        (("--time-limit", "nan"), "--time-limit"),
        (("extra",), "extra"),
    ],
)  # fmt: skip
def test_bad_usage_is_exit_2_without_a_report(shared: Repo, flags: tuple[str, ...], says: str) -> None:
    done = shared.check(*flags)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Traceback" not in done.err


def test_outside_a_repository(tmp_path: Path, shared: Repo) -> None:
    assert "inside a git repository" in refused(shared.check(cwd=tmp_path), "no git repository here")


def test_a_bare_repository_has_ranges_but_no_commit_to_judge(tmp_path: Path) -> None:
    bare = branches(tmp_path / "r").clone(tmp_path / "b.git", "--bare")
    assert bare.rules("--from-ref", "main", "--to-ref", "topic") == [MIXED]


def test_unmerged_paths_are_named(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    repo.write("a\nb.txt", "base")
    repo.commit_all()
    repo.git("branch", "other")
    for branch, text in (("main", "one"), ("other", "two")):
        repo.git("checkout", "-q", branch)
        repo.write("a\nb.txt", text)
        repo.commit_all(branch)
    repo.git("merge", "-q", "main", check=False)
    for flags in ((), ("--all-files",)):
        assert "git add" in refused(repo.check(*flags), r"unmerged paths: a\x0ab.txt")
    assert repo.rules("--base", "main") == []  # a range does not look at the index


def test_an_object_that_is_not_there(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    mix(repo)
    oid = repo.resolve(f":{ENTRY}")
    (repo.path / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    assert oid in refused(repo.check()).join(["", repo.check().err])


@pytest.mark.parametrize("flags", [(), ("--all-files",)])
def test_a_time_limit_that_runs_out(shared: Repo, flags: tuple[str, ...]) -> None:
    """Wherever it runs out, it is neither lost nor taken for another trouble."""
    for limit in ("0.01", "0.03"):
        done = shared.check("--time-limit", limit, *flags)
        if done.code:  # a fast machine may be done by then
            assert refused(done, "the time limit ran out") == "raise --time-limit"
    refused(shared.check("--time-limit", "0.0001", *flags), "the time limit ran out")
    assert shared.check("--time-limit", "100", *flags).code == 0


# -- what is written where


def test_exit_statuses_and_outputs(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    clean = repo.check("--format", "json")
    assert clean.code == 0 and json.loads(clean.out)["findings"] == []
    assert "freezegate: no findings" in clean.err
    mix(repo)
    text = repo.check()
    assert text.code == 1 and text.err == ""
    assert text.out.startswith(f"{ENTRY}:1:1: catalog-mixed: ")
    assert text.out.splitlines()[-1].startswith("freezegate: 1 finding; compared HEAD with the index; checked 1 ")
    target = repo.path / "report.json"
    target.write_text("before")
    written = repo.check("--format", "json", "--output", str(target))
    assert (written.code, written.out) == (1, "")
    assert json.loads(target.read_text())["findings"][0]["rule"] == "catalog-mixed"
    failed = repo.check("--output", str(repo.path / "no" / "folder"))
    assert failed.code == 2 and "Traceback" not in failed.err
    target.write_text("before")
    refused(repo.check("--base", "gone", "--output", str(target)))
    assert target.read_text() == "before"


def test_hooks_report_their_own_rules_and_an_invalid_config(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    mix(repo)
    open_record(repo)
    assert repo.rules() == [MIXED, OPEN]
    assert repo.rules("--hook", "catalog") == [MIXED]
    assert repo.rules("--hook", "binding-record", "--hook", "catalog") == [MIXED, OPEN]
    assert repo.rules("--hook", "freeze-ledger") == []
    repo.write(".freezegate.yaml", "polices: {}\n")
    repo.stage_all()
    assert repo.rules("--hook", "freeze-ledger") == [(".freezegate.yaml", "config-invalid")]


def test_a_given_config_is_in_force(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    repo.write(".freezegate.yaml", "layout: {catalog: entries}\n")
    repo.commit_all()
    mix(repo)
    assert repo.rules() == []
    given = tmp_path / "given.yaml"
    given.write_text("policy: {}\n")
    assert repo.rules("--config", str(given)) == [MIXED]
    given.write_text("policy: 7\n")
    refused(repo.check("--config", str(given)), "--config", "line 1")


def test_an_invalid_config_in_force_is_mended_by_a_change_of_it_alone(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    repo.write(".freezegate.yaml", "polices: {}\n")
    repo.commit_all()
    mix(repo)
    refused(repo.check(), ".freezegate.yaml", "line 1")
    refused(repo.check("--all-files"), ".freezegate.yaml")
    repo.git("reset", "-q", "--hard")
    repo.write(".freezegate.yaml", "policy: {}\n")
    repo.add(".freezegate.yaml")
    assert repo.rules() == []
    repo.commit("mended")
    assert repo.rules("--from-ref", "HEAD~1", "--to-ref", "HEAD") == []


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C while the config is read from a pipe that nobody writes to."""
    repo = project(tmp_path / "r")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = subprocess.Popen(
        [sys.executable, "-I", "-m", "freezegate", "check", "--config", str(pipe)],
        cwd=repo.path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    writer = os.open(pipe, os.O_WRONLY)  # returns when the child is reading
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=20)
    os.close(writer)
    assert (child.returncode, out, err) == (130, "", "freezegate: interrupted\n")


def test_a_ref_that_looks_like_a_merge_is_none(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    repo.git("update-ref", "refs/heads/MERGE_HEAD", "HEAD")
    mix(repo)
    assert repo.rules() == [MIXED]


def test_what_is_compared_is_said(shared: Repo) -> None:
    last = shared.check("--base", "main").out.splitlines()[-1]
    base, head = shared.resolve("main~1"), shared.head()
    assert re.search(
        rf"compared {base[:12]} \(merge base of main and HEAD\) with {head[:12]}; checked 1 property", last
    )
    assert "NO DOCUMENTS AT ALL" in shared.check("--base", "HEAD").out


def test_a_branch_without_old_side_is_checked_for_malformed_trees(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "repo"), good_project())
    repo.commit("good")
    row = b"100644 twice\0" + bytes.fromhex(repo.blob(b"x"))
    tree = repo.git("hash-object", "-t", "tree", "--literally", "-w", "--stdin", input=row + row).decode().strip()
    outer = b"40000 docs\0" + bytes.fromhex(tree)
    root = repo.git("hash-object", "-t", "tree", "--literally", "-w", "--stdin", input=outer).decode().strip()
    commit = repo.git("commit-tree", root, "-m", "odd").decode().strip()
    repo.git("update-ref", "refs/heads/odd", commit)
    assert ("docs", "tree-malformed") in repo.rules(env={"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/odd"})


def test_the_quick_way_sees_twins_of_the_layout(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "repo"), good_project())
    repo.commit("good")
    for path in ("Tests/readme.txt", "Freezes/notes.txt", "tests/Properties/notes.txt"):
        repo.write(path, "x\n")
        repo.stage_all()
        assert {rule for _, rule in repo.rules()} == {"layout-kind"}, path
        repo.git("rm", "-q", "-r", "--cached", path)
        repo.remove(path)


def test_a_search_is_not_cut_by_a_newline_in_a_name(tmp_path: Path) -> None:
    many = {f"tests/properties/more_{number}.txt": b"x\n" for number in range(210)}
    repo = with_files(Repo(tmp_path / "repo"), {**good_project(), **many})
    repo.commit("good")
    repo.write("docs/a\nb.py", "import os\n")
    repo.stage_all()
    assert repo.rules() == []


def test_below_the_root_it_says_what_paths_and_hints_are_relative_to(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "repo"), good_project())
    repo.commit("good")
    repo.write("tests/bindings/notes.txt", "x\n")
    repo.stage_all()
    assert "show-toplevel" not in repo.check().err
    done = repo.check(cwd=repo.path / "src")
    assert done.code == 1 and 'cd "$(git rev-parse --show-toplevel)"' in done.err

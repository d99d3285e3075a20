"""The gate as a hook that git itself calls: what it sees of every way to make a commit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from building import CITATION, Completed, Repo, environment, good_project, rebind, with_files
from test_entry_points import ENTRY, MIXED, mix, project

SOURCE = "src/orders.py"
HOOK = f"""#!/bin/sh
env | grep -c '^GITHEAD_' >>"$HOOK_LOG"
exec {sys.executable} -I -m freezegate check
"""

pytestmark = pytest.mark.slow  # real git in many kinds of repositories


class Hooked:
    """A repository whose commits and merges are checked; `runs` counts the calls of the hook."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.log = repo.path.parent / f"{repo.path.name}.log"
        folder = Path(repo.git("rev-parse", "--path-format=absolute", "--git-path", "hooks").decode().strip())
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("pre-commit", "pre-merge-commit"):
            (folder / name).write_text(HOOK)
            (folder / name).chmod(0o755)

    def git(self, *args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Completed:
        """Run git with its hooks; what became of it."""
        self.log.write_text("")
        done = subprocess.run(
            ["git", *args], cwd=cwd or self.repo.path, capture_output=True, text=True, check=False,
            env=environment(HOOK_LOG=str(self.log), GIT_EDITOR="true", **(env or {})), stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return Completed(done.returncode, done.stdout, done.stderr)

    @property
    def runs(self) -> int:
        """How often the last git command called the hook."""
        return len(self.log.read_text().splitlines())

    def append(self, path: str, text: str) -> None:
        """Add text to a file of the working tree."""
        self.repo.write(path, self.repo.at(path).read_bytes() + text.encode())

    def refuses(self, *args: str, cwd: Path | None = None) -> str:
        """A git command that the hook must stop with a catalog-mixed; what git said."""
        before = self.repo.head()
        done = self.git(*args, cwd=cwd)
        assert done.code != 0 and "catalog-mixed" in done.out + done.err, done
        assert self.repo.head() == before and self.runs == 1
        return done.out + done.err

    def accepts(self, *args: str, cwd: Path | None = None, runs: int = 1) -> None:
        """A git command that must succeed after `runs` calls of the hook."""
        done = self.git(*args, cwd=cwd)
        assert done.code == 0, done
        assert self.runs == runs


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    return Hooked(project(tmp_path / "r"))


def test_a_first_commit_is_judged_by_the_tree_alone(tmp_path: Path) -> None:
    hooked = Hooked(with_files(Repo(tmp_path / "r"), good_project()))
    done = hooked.git("commit", "-qm", "first")
    assert done.code == 0 and hooked.runs == 1
    assert "the first commit's index with nothing; checked 1 scope" in done.out + done.err
    broken = Hooked(with_files(Repo(tmp_path / "s"), {**good_project(), "freezes/ledger.json": b""}))
    assert "ledger-unreadable" in broken.git("commit", "-qm", "first").err
    assert broken.repo.git("rev-list", "--all") == b""


def test_a_refused_commit_leaves_index_and_repository_as_they_were(hooked: Hooked) -> None:
    repo = hooked.repo
    mix(repo)
    index = repo.path / ".git" / "index"
    repo.git("status")  # so that git itself has nothing left to refresh
    before = (index.read_bytes(), index.stat().st_mtime_ns)
    assert repo.rules() == [MIXED]
    assert repo.rules("--all-files") == [MIXED]
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
    hooked.refuses("commit", "-qm", "mixed")
    assert repo.git("fsck", "--strict") == b""
    hooked.git("commit", "-q", "--no-verify", "-m", "mixed")
    assert repo.git("fsck", "--strict") == b""


def test_a_held_lock_does_not_matter(hooked: Hooked) -> None:
    mix(hooked.repo)
    lock = hooked.repo.path / ".git" / "index.lock"
    lock.write_text("")
    assert hooked.repo.rules() == [MIXED]
    assert lock.read_text() == ""


def test_commit_with_paths_judges_only_what_is_committed(hooked: Hooked) -> None:
    mix(hooked.repo)
    hooked.accepts("commit", "-qm", "source", "--", SOURCE)
    assert hooked.repo.git("diff", "--cached", "--name-only").decode().split() == [ENTRY]
    hooked.append(SOURCE, "Y = 1\n")
    hooked.refuses("commit", "-qm", "both", "--include", "--", SOURCE)
    hooked.refuses("commit", "-qam", "both")
    hooked.accepts("commit", "-qm", "entry", "--only", "--", ENTRY)


def test_commit_all_takes_what_is_not_staged(hooked: Hooked) -> None:
    hooked.append(SOURCE, "X = 1\n")
    hooked.append(ENTRY, "# more\n")
    hooked.refuses("commit", "-qam", "both")
    hooked.repo.git("checkout", "-q", ENTRY)
    hooked.accepts("commit", "-qam", "source")


def test_what_is_only_in_the_working_tree_is_not_judged(hooked: Hooked) -> None:
    hooked.append(SOURCE, "X = 1\n")
    hooked.append(ENTRY, "# more\n")
    hooked.repo.add(SOURCE)
    hooked.accepts("commit", "-qm", "source")
    mix(hooked.repo)
    hooked.repo.git("show", f"HEAD:{ENTRY}")
    hooked.repo.write(ENTRY, hooked.repo.git("show", f"HEAD:{ENTRY}"))  # staged is still the other one
    hooked.refuses("commit", "-qm", "both")


def test_intent_to_add_is_no_part_of_a_commit(hooked: Hooked) -> None:
    repo = hooked.repo
    repo.write("tests/bindings/notes.txt", "no document")
    repo.git("add", "-N", "tests/bindings/notes.txt")
    assert repo.check_json()["mode"] == "all"
    repo.write("docs/a.md", "x")
    repo.add("docs/a.md")
    hooked.accepts("commit", "-qm", "docs")
    repo.add("tests/bindings/notes.txt")
    assert repo.rules() == [("tests/bindings/notes.txt", "layout-kind")]


def test_amend_is_judged_as_a_step_from_the_commit_that_it_replaces(hooked: Hooked) -> None:
    """git does not tell a hook about --amend; the range judges the whole."""
    hooked.append(SOURCE, "X = 1\n")
    hooked.accepts("commit", "-qam", "source")
    hooked.append(ENTRY, "# more\n")
    hooked.accepts("commit", "-qa", "--amend", "--no-edit")
    assert hooked.repo.rules("--from-ref", "HEAD~1", "--to-ref", "HEAD") == [MIXED]


def test_a_commit_from_a_folder_below(hooked: Hooked) -> None:
    mix(hooked.repo)
    for folder in ("src", "tests/properties"):
        done = hooked.repo.check("--format", "json", cwd=hooked.repo.at(folder))
        assert done.code == 1 and f'"{ENTRY}"' in done.out
    hooked.refuses("commit", "-qm", "mixed", cwd=hooked.repo.at("src"))


# -- merges


def fork(hooked: Hooked, ours: Callable[[], None], theirs: Callable[[], None]) -> None:
    """main has `ours`, other has `theirs`, both on the base; main is checked out."""
    repo = hooked.repo
    repo.git("branch", "other")
    ours()
    repo.commit_all("ours")
    repo.git("checkout", "-q", "other")
    theirs()
    repo.commit_all("theirs")
    repo.git("checkout", "-q", "main")


def test_a_clean_merge_is_judged_against_both_parents_and_free(hooked: Hooked) -> None:
    fork(hooked, lambda: hooked.append(SOURCE, "X = 1\n"), lambda: hooked.append(ENTRY, "# more\n"))
    hooked.accepts("merge", "-q", "--no-ff", "-m", "merge", "other")
    assert hooked.log.read_text() == "1\n"  # there is no MERGE_HEAD yet, only the variable
    assert hooked.repo.git("rev-list", "--merges", "--count", "HEAD") == b"1\n"


def test_a_mixture_that_a_merge_makes_is_found(hooked: Hooked) -> None:
    """The predicate's helper of one side, the scope of the other: no path differs from both parents."""
    scope, helper = "tests/properties/order_total.scope.yaml", "tests/properties/amounts.py"

    def ours() -> None:
        hooked.append(helper, "LARGEST = 9\n")
        hooked.append(scope, "# for the larger ones\n")
        rebound(hooked.repo)

    def theirs() -> None:
        hooked.append("tests/fixtures/gen_orders.py", "# other\n")
        rebound(hooked.repo)

    fork(hooked, ours, theirs)
    done = hooked.git("merge", "-q", "--no-ff", "-m", "merge", "-X", "ours", "other")
    assert done.code != 0 and "digest-mismatch" in done.out + done.err
    assert hooked.log.read_text() == "1\n"
    assert (hooked.repo.path / ".git" / "MERGE_HEAD").exists()
    rebound(hooked.repo)
    hooked.repo.stage_all()
    assert [rule for _, rule in hooked.repo.rules()] == ["citation-oracle-moved"]  # seen from the other side
    hooked.repo.git("rm", "-qf", CITATION)
    hooked.accepts("commit", "-q", "--no-edit")


def rebound(repo: Repo) -> None:
    """Write record and citation anew."""
    for name, content in rebind({name: repo.at(name).read_bytes() for name in good_project()}).items():
        repo.write(name, content)


def test_a_merge_mended_by_hand(hooked: Hooked) -> None:
    """After a conflict MERGE_HEAD is there; what neither parent has is judged."""

    def side(text: str) -> Callable[[], None]:
        def change() -> None:
            hooked.append(SOURCE, f"X = {text}\n")

        return change

    fork(hooked, side("1"), side("2"))
    assert hooked.git("merge", "-q", "other").code != 0 and hooked.runs == 0
    assert hooked.repo.check().code == 2  # unmerged
    hooked.repo.git("checkout", "--ours", SOURCE)
    hooked.append(ENTRY, "# more\n")
    hooked.repo.stage_all()
    # An entry that neither parent has; against the other parent, source differs too.
    report = hooked.repo.check_json()
    assert [(row["path"], row["rule"]) for row in report["findings"]] == [MIXED]
    assert report["mode"] == "commit"
    hooked.refuses("commit", "-qm", "merge")
    hooked.repo.git("checkout", "-q", "HEAD", "--", ENTRY)
    assert hooked.repo.rules() == []
    hooked.accepts("commit", "-qm", "merge")


@pytest.mark.slow
def test_an_octopus_merge(hooked: Hooked) -> None:
    fork(hooked, lambda: hooked.repo.write("docs/a.md", "x"), lambda: hooked.append(ENTRY, "# more\n"))
    hooked.repo.git("checkout", "-qb", "third", "other~1")
    hooked.append(SOURCE, "X = 1\n")
    hooked.repo.commit_all("third")
    hooked.repo.git("checkout", "-q", "main")
    hooked.accepts("merge", "-q", "--no-ff", "-m", "merge", "other", "third")
    assert hooked.log.read_text() == "2\n"


@pytest.mark.slow
def test_a_squash_is_a_commit_with_one_parent(hooked: Hooked) -> None:
    def theirs() -> None:
        hooked.append(SOURCE, "X = 1\n")
        hooked.repo.commit_all("source")
        hooked.append(ENTRY, "# more\n")

    fork(hooked, lambda: hooked.repo.write("docs/a.md", "x"), theirs)
    hooked.accepts("merge", "-q", "--squash", "other", runs=0)
    hooked.refuses("commit", "-qm", "squashed")


# -- sequences


@pytest.mark.slow
def test_cherry_pick_and_revert_after_a_conflict(hooked: Hooked) -> None:
    """Without a conflict git calls no hook for them; after one, the commit is judged against HEAD alone."""
    fork(hooked, lambda: hooked.append(SOURCE, "W = 1\n"), lambda: mix(hooked.repo))
    assert hooked.git("cherry-pick", "other").code != 0
    hooked.repo.git("checkout", "-q", "--theirs", SOURCE)
    hooked.repo.stage_all()
    hooked.refuses("commit", "-qm", "picked")
    assert hooked.git("cherry-pick", "--abort").code == 0
    hooked.append(SOURCE, "Y = 1\n")
    hooked.accepts("commit", "-qam", "more")
    assert hooked.git("revert", "--no-edit", "HEAD~1").code != 0
    hooked.append(ENTRY, "# more\n")
    hooked.repo.write(SOURCE, "Z = 1\n")
    hooked.repo.stage_all()
    hooked.refuses("commit", "-qm", "reverted")


@pytest.mark.slow
def test_rebase_stops_where_a_commit_is_edited(hooked: Hooked) -> None:
    repo = hooked.repo
    for number in range(2):
        repo.write(f"docs/{number}.md", "x")
        repo.commit_all(str(number))
    assert hooked.git("rebase", "-q", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": "sed -i s/^pick/edit/"}).code == 0
    mix(repo)
    hooked.refuses("commit", "-q", "--amend", "--no-edit")
    repo.git("reset", "-q", "--hard")
    assert hooked.git("rebase", "--continue").code == 0


# -- kinds of work trees


def test_a_linked_worktree(hooked: Hooked, tmp_path: Path) -> None:
    hooked.repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    linked = Repo(tmp_path / "linked", create=False)
    mix(hooked.repo)  # staged in the main work tree only
    assert linked.check_json()["mode"] == "all"
    mix(linked)
    assert linked.rules() == [MIXED]
    done = hooked.git("commit", "-qm", "mixed", cwd=linked.path)
    assert done.code != 0 and "catalog-mixed" in done.err
    linked.git("checkout", "-q", "HEAD", "--", ENTRY)
    done = hooked.git("commit", "-qm", "source", cwd=linked.path)
    assert done.code == 0 and hooked.runs == 1


@pytest.mark.slow
def test_having_a_submodule_and_running_inside_one(tmp_path: Path) -> None:
    inner = project(tmp_path / "inner")
    outer = Hooked(project(tmp_path / "outer"))
    outer.repo.git("submodule", "add", "-q", str(inner.path), "vendor/inner")
    outer.accepts("commit", "-qm", "a submodule outside the layout")
    module = Hooked(Repo(outer.repo.at("vendor/inner"), create=False))
    mix(module.repo)
    assert module.repo.rules() == [MIXED]
    assert outer.repo.check_json()["mode"] == "all"  # nothing staged here
    module.refuses("commit", "-qm", "mixed")
    module.repo.commit("past the hook")
    outer.repo.git("config", "diff.ignoreSubmodules", "all")
    outer.repo.git("add", "vendor/inner")
    assert outer.repo.check_json()["mode"] == "commit"
    outer.repo.git("mv", "vendor/inner", "props/inner")
    assert outer.repo.check().code == 0  # a submodule below a layout folder that no document names
    outer.repo.git("submodule", "add", "-q", "--name", "two", str(inner.path), "fixtures/inner")
    assert ("fixtures/inner", "digest-input-kind") in outer.repo.rules()

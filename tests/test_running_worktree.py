"""Clean worktrees: exactly the commit's bytes, nothing of the user's run, nothing left behind."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from building import Repo, environment
from freezegate.errors import CannotJudge
from freezegate.git.plumbing import GitError
from freezegate.git.repository import Repository
from freezegate.paths import RepoPath
from freezegate.running import leftovers
from freezegate.running.worktree import Worktree, sweep, worktree

FILES: Mapping[str | bytes, bytes] = {
    "README": b"plain\n",
    "crlf.txt": b"one\r\ntwo\r\n",
    "id.txt": b"$Id$\n",
    "deep/er/x.py": b"X = 1\n",
    "deep/big.bin": bytes(range(256)) * 8192,
    "deep/null": b"",
    b"latin-\xe9 \n\t\"name'": b"odd\n",
    "lfs.bin": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 3\n",
}
ATTRIBUTES = b"*.txt text eol=lf ident\n*.bin filter=loud diff=loud\nREADME working-tree-encoding=UTF-16\n"


@pytest.fixture(params=["sha1", "sha256"])
def repo(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A commit of many kinds of files; attributes are added behind the files' backs, so that these stay as they are."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    made = Repo(tmp_path / "repo", sha256=request.param == "sha256")
    for path, content in FILES.items():
        made.write(path, content)
    made.write("run.sh", "#!/bin/sh\n", 0o755)
    made.link("link", "deep/er")
    made.link("deep/out", "/etc/hostname")
    made.stage_all()
    made.stage_entry("sub", "160000", "1" * (64 if request.param == "sha256" else 40))
    made.stage_entry(".gitattributes", "100644", made.blob(ATTRIBUTES))
    made.commit()
    made.git("reset", "-q", "--hard")
    monkeypatch.chdir(made.path)
    return made


@contextmanager
def opened(repo: Repo, commit: str | None = None) -> Iterator[Worktree]:
    repository = Repository()
    try:
        with worktree(commit or repo.head(), repository) as made:
            yield made
    finally:
        repository.close()


def state(repo: Repo) -> tuple[bytes, bytes, bytes, str, dict[str, bytes]]:
    """All that a run may not change: worktrees, status, config, index and every file of the repository's own folder."""
    folder = Path(os.fsdecode(repo.git("rev-parse", "--absolute-git-dir").strip()))
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return (
        repo.git("worktree", "list", "--porcelain"),
        repo.git("--no-optional-locks", "status", "--porcelain=v2", "--branch"),
        repo.git("config", "--list", "--local"),
        hashlib.sha256(files["index"]).hexdigest(),
        files,
    )


def temporary(repo: Repo) -> list[Path]:
    return sorted((repo.path.parent / "temporary").iterdir())


def laid(folder: str) -> dict[bytes, tuple[str, bytes]]:
    """Path to kind and content of everything in a folder but git's own file."""
    found: dict[bytes, tuple[str, bytes]] = {}
    for top, folders, names in os.walk(folder):
        for name in [*folders, *names]:
            place = Path(top, name)
            path = bytes(place.relative_to(folder))
            if place.is_symlink():
                found[path] = ("link", bytes(place.readlink()))
            elif place.is_file():
                found[path] = ("program" if place.stat().st_mode & 0o111 else "file", place.read_bytes())
            elif not any(place.iterdir()):
                found[path] = ("empty folder", b"")
    del found[b".git"]
    return found


@pytest.mark.parametrize(
    ("links", "kept"),
    [
        ({"a": "deep", "deep/b": "../a"}, {b"a", b"deep/b"}),
        ({"a": "../tree"}, set()),
        ({"a": "/"}, set()),
        ({"a": "b", "b": "/etc"}, set()),
        ({"deep/up": "..", "out": "deep/up/.."}, {b"deep/up"}),
        ({"a": "nowhere/at/all"}, {b"a"}),
        ({"a": "../../nowhere"}, set()),
    ],
)
def test_a_link_that_leads_out_of_the_tree_is_left_out(repo: Repo, links: dict[str, str], kept: set[bytes]) -> None:
    for path, target in links.items():
        repo.link(path, target)
    repo.add(*links)
    repo.commit("links")
    with opened(repo) as tree:
        assert {path for path in laid(tree.path) if os.fsdecode(path) in links} == kept
        assert tree.changed() == []


def test_files_are_the_blobs_whatever_attributes_and_filters_say(repo: Repo) -> None:
    marker = repo.path.parent / "filtered"
    repo.git("config", "filter.loud.smudge", f"touch {marker}; cat")
    repo.git("config", "core.autocrlf", "true")
    before = state(repo)
    with opened(repo) as tree:
        expected = {os.fsencode(path): ("file", content) for path, content in FILES.items()}
        assert laid(tree.path) == {
            **expected,
            b".gitattributes": ("file", ATTRIBUTES),
            b"run.sh": ("program", b"#!/bin/sh\n"),
            b"link": ("link", b"deep/er"),
            b"sub": ("empty folder", b""),
        }
        # What lies at the end of deep/out was committed by nobody.
        assert tree.differing([RepoPath(b"deep/out")]) == [RepoPath(b"deep/out")] and tree.changed() == []
        assert not marker.exists()
        inside = Repo(Path(tree.path), create=False)
        assert inside.head() == repo.head()
        assert inside.git("ls-files", "-s") == repo.git("ls-files", "-s")
        assert inside.git("rev-parse", "--abbrev-ref", "HEAD") == b"HEAD\n"
    assert state(repo) == before and temporary(repo) == []


def test_modes_do_not_follow_the_umask(repo: Repo) -> None:
    before = os.umask(0o077)
    try:
        with opened(repo) as tree:
            modes = [Path(tree.path, name).stat().st_mode & 0o777 for name in ("README", "run.sh", "deep")]
            assert modes == [0o644, 0o755, 0o755]
            assert Path(tree.path).parent.stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)


def test_nothing_of_the_users_runs(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = repo.path.parent / "ran"
    hooks = repo.path / "hooks"
    for name in ("post-checkout", "reference-transaction", "post-index-change", "fsmonitor"):
        repo.write(f"hooks/{name}", f"#!/bin/sh\necho {name} >> {marker}\n", 0o755)
    for setting in (f"core.hooksPath={hooks}", f"core.fsmonitor={hooks}/fsmonitor"):
        repo.git("config", *setting.split("="))
    repo.git("-c", "core.hooksPath=/dev/null", "config", "diff.external", f"{hooks}/post-checkout")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", f"{hooks}/post-checkout")
    with opened(repo):
        pass
    assert not marker.exists()
    subprocess.run(["git", "worktree", "add", "-q", "../seen"], cwd=repo.path, check=True, env=environment())
    assert marker.exists(), "the hooks of this test would have run"


@pytest.mark.parametrize("where", ["main", "linked", "bare"])
def test_a_hooks_variables_do_not_turn_it_on_the_users_files(
    repo: Repo, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, git_folder, work = repo, repo.path / ".git", repo.path
    if where == "linked":
        work = repo.path.parent / "linked"
        repo.git("worktree", "add", "-q", str(work))
        seen = Repo(work, create=False)
        git_folder = Path(os.fsdecode(seen.git("rev-parse", "--absolute-git-dir").strip()))
    elif where == "bare":
        repo.git("config", "core.bare", "true")
        work = repo.path.parent
    index = git_folder / "index"

    def standing() -> tuple[bytes, ...]:
        status = b"" if where == "bare" else seen.git("--no-optional-locks", "status", "--porcelain")
        names = (repo.git("worktree", "list"), repo.git("show-ref"))
        return (index.read_bytes(), (git_folder / "HEAD").read_bytes(), status, *names)

    before = standing()
    monkeypatch.chdir(work)
    commit = repo.head()
    monkeypatch.setenv("GIT_DIR", str(git_folder))
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    if where != "bare":
        monkeypatch.setenv("GIT_WORK_TREE", str(work))
    monkeypatch.setenv("GIT_PREFIX", "")
    with opened(repo, commit) as tree:
        assert Path(tree.path, "README").read_bytes() == FILES["README"]
        assert index.read_bytes() == before[0]
        inside = Repo(Path(tree.path), create=False)
        assert inside.git("ls-files", "deep/er/x.py") == b"deep/er/x.py\n"
    assert standing() == before


def test_inside_a_real_commit_hook(repo: Repo) -> None:
    code = (
        "from freezegate.git.repository import Repository\nfrom freezegate.running.worktree import worktree\n"
        "import os, pathlib\nassert os.environ['GIT_INDEX_FILE']\nr = Repository()\n"
        f"with worktree({repo.head()!r}, r) as t:\n    print(pathlib.Path(t.path, 'README').read_text())\n"
    )
    repo.write(
        ".git/hooks/pre-commit", f"#!/bin/sh\nexec '{sys.executable}' -c \"$(cat '{repo.path}/.git/code')\"\n", 0o755
    )
    repo.write(".git/code", code)
    repo.write("new.py", "new\n")
    repo.git("add", "new.py")
    done = subprocess.run(
        ["git", "commit", "-q", "-m", "x", "--", "new.py"], cwd=repo.path, env=environment(), capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "plain" in done.stdout + done.stderr
    assert repo.git("show", "--name-only", "--format=") == b"new.py\n"
    assert b".git/worktrees" not in repo.git("worktree", "list") and repo.git("fsck") == b""


def test_put_differing_and_changed(repo: Repo) -> None:
    path, new = RepoPath(b"deep/er/x.py"), RepoPath(b"tests/new/case.json")
    with opened(repo) as tree:
        assert tree.changed() == [] and tree.differing([path, RepoPath(b"link")]) == []
        assert tree.differing([new, RepoPath(b"link/x.py"), RepoPath(b"sub")]) == [new, b"link/x.py", b"sub"]
        tree.put(path, b"X = 2\n")
        tree.put(new, b"{}\n")
        assert Path(tree.path, path.text).read_bytes() == b"X = 2\n"
        assert tree.changed() == [] and tree.differing([path, new]) == [path, new]
        Path(tree.path, new.text).write_bytes(b"[]\n")
        assert tree.changed() == [new]


def test_put_follows_no_link(repo: Repo) -> None:
    with opened(repo) as tree:
        with pytest.raises(CannotJudge, match="link is no folder"):
            tree.put(RepoPath(b"link/x.py"), b"through")
        tree.put(RepoPath(b"deep/out"), b"in its place")
        assert not Path(tree.path, "deep/out").is_symlink()
        assert Path(tree.path, "deep/er/x.py").read_bytes() == FILES["deep/er/x.py"]
        with pytest.raises(CannotJudge, match="cannot be written"):
            tree.put(RepoPath(b"deep"), b"a folder is there")


def become_link(place: Path) -> None:
    place.rename(place.with_name("moved"))
    place.symlink_to("moved")


def rewrite_unseen(place: Path) -> None:
    """Other bytes of the same length, with the times of the old ones."""
    before = place.stat()
    place.write_bytes(b"X = 9\n")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    ("edit", "changed"),
    [
        (lambda top: rewrite_unseen(top / "deep/er/x.py"), [b"deep/er/x.py"]),
        (lambda top: (top / "README").unlink(), [b"README"]),
        (lambda top: (top / "README").chmod(0o755), [b"README"]),
        (lambda top: (top / "run.sh").chmod(0o644), [b"run.sh"]),
        (lambda top: (top / "new").write_bytes(b""), [b"new"]),
        (lambda top: (top / "folder").mkdir(), [b"folder"]),
        (lambda top: (top / "sub/x").write_bytes(b""), [b"sub/x"]),
        (lambda top: become_link(top / "README"), [b"README", b"moved"]),
        (lambda top: become_link(top / "deep/er"), [b"deep/er", b"deep/er/x.py", b"deep/moved"]),
        (lambda top: ((top / "link").unlink(), (top / "link").symlink_to("deep")), [b"link"]),
        (lambda top: ((top / "README").unlink(), os.mkfifo(top / "README")), [b"README"]),
        (lambda top: (top / ".git").write_bytes(b"gitdir: /elsewhere\n"), [b".git"]),
        (lambda top: os.utime(top / "README"), []),
        (lambda top: (top / "README").read_bytes(), []),
    ],
)  # fmt: skip
def test_what_a_run_changed_is_seen(repo: Repo, edit: Callable[[Path], object], changed: list[bytes]) -> None:
    with opened(repo) as tree:
        edit(Path(tree.path))
        assert tree.changed() == changed


def test_a_change_to_an_older_file_is_seen(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freezegate.running.worktree._COARSEST", -1)  # as though all had been written long ago
    with opened(repo) as tree:
        assert tree.changed() == []
        time.sleep(0.02)
        rewrite_unseen(Path(tree.path, "deep/er/x.py"))
        assert tree.changed() == [b"deep/er/x.py"]


def malformed(repo: Repo, *rows: tuple[bytes, bytes, str]) -> str:
    """A commit whose tree has just these rows, as only a hostile client writes it."""
    tree = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in rows)
    oid = repo.git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", input=tree).decode().strip()
    return repo.git("commit-tree", "-m", "bad", oid).decode().strip()


def test_malformed_trees_are_refused(repo: Repo) -> None:
    blob, link = repo.blob(b"x"), repo.blob(b"/tmp")
    inner = repo.resolve("HEAD:deep")
    before = state(repo)
    for rows in (
        [(b"120000", b"a", link), (b"40000", b"a", inner)],
        [(b"100644", b"..", blob)],
        [(b"100644", b".git", blob)],
        [(b"100644", b".GIT", blob)],
        [(b"100644", b"a/b", blob)],
        [(b"100666", b"a", blob)],
    ):
        with pytest.raises((CannotJudge, GitError)), opened(repo, malformed(repo, *rows)):
            pytest.fail(f"laid out {rows}")
    assert (state(repo)[:4], temporary(repo)) == (before[:4], [])


def test_a_missing_blob_is_an_error_and_leaves_nothing(repo: Repo) -> None:
    oid = repo.resolve("HEAD:deep/big.bin")
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(GitError, match=oid), opened(repo):
        pytest.fail("laid out without a blob")
    assert temporary(repo) == [] and not (repo.path / ".git/worktrees").exists()


def test_two_at_once_and_a_worktree_of_the_users_own(repo: Repo) -> None:
    repo.git("worktree", "add", "-q", str(repo.path.parent / "mine"))
    before = repo.git("worktree", "list")
    with opened(repo) as first, opened(repo) as second:
        assert first.path != second.path
        Path(first.path, "README").write_bytes(b"changed")
        assert second.changed() == [] and first.changed() == [b"README"]
    assert repo.git("worktree", "list") == before and temporary(repo) == []


def test_what_project_code_locked_or_nested_is_removed_too(repo: Repo) -> None:
    with opened(repo) as tree:
        here = os.open(tree.path, os.O_RDONLY)
        try:
            for _ in range(1500):
                os.mkdir("n", dir_fd=here)
                below = os.open("n", os.O_RDONLY, dir_fd=here)
                os.close(here)
                here = below
        finally:
            os.close(here)
        locked = Path(tree.path, "locked")
        locked.mkdir()
        (locked / "file").write_bytes(b"")
        locked.chmod(0)
    assert temporary(repo) == []


def started(repo: Repo, body: str) -> subprocess.Popen[str]:
    """A process inside `with worktree(...)` that has said READY."""
    code = (
        "import os, signal, sys, time\nfrom freezegate.git.repository import Repository\n"
        "from freezegate.running.worktree import worktree\nr = Repository()\n"
        f"with worktree({repo.head()!r}, r) as t:\n    print('READY', flush=True)\n    {body}\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=repo.path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "READY\n", process.communicate()
    return process


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, -2), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=str,
)
def test_signals_leave_nothing_behind(repo: Repo, number: int, status: int) -> None:
    before = state(repo)
    process = started(repo, "time.sleep(60)")
    assert len(temporary(repo)) == 1
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == status
    assert state(repo) == before and temporary(repo) == []


def test_an_exception_leaves_nothing_behind(repo: Repo) -> None:
    before = state(repo)
    with pytest.raises(ZeroDivisionError), opened(repo):
        raise ZeroDivisionError
    assert state(repo) == before and temporary(repo) == []


def test_a_forked_child_leaves_its_parents_worktree_alone(repo: Repo) -> None:
    with opened(repo) as tree:
        child = subprocess.run(
            [sys.executable, "-c", FORK], cwd=repo.path, env=environment(), capture_output=True, check=False
        )
        assert child.returncode == 0, child.stderr
        assert tree.changed() == []
    assert temporary(repo) == []


FORK = """
import os, sys
from freezegate.git.repository import Repository
from freezegate.git.revisions import resolve
from freezegate.running.worktree import worktree
r = Repository()
with worktree(resolve("HEAD"), r) as tree:
    child = os.fork()
    if child == 0:
        sys.exit(0)  # unwinds the same blocks
    assert os.waitpid(child, 0)[1] == 0
    assert tree.changed() == []
"""


def test_what_a_killed_run_left_is_swept_by_the_next(repo: Repo) -> None:
    before = state(repo)
    killed, living = started(repo, "time.sleep(60)"), started(repo, "time.sleep(60)")
    try:
        killed.kill()
        killed.communicate()
        assert len(temporary(repo)) == 2 and repo.git("worktree", "list").count(b"detached") == 2
        with opened(repo):
            assert len(temporary(repo)) == 2 and repo.git("worktree", "list").count(b"detached") == 2
        assert len(temporary(repo)) == 1 and repo.git("worktree", "list").count(b"detached") == 1
    finally:
        living.terminate()
        living.communicate()
    assert state(repo) == before and temporary(repo) == []


@pytest.mark.parametrize("kept", ["folder", "entry", "neither lock"])
def test_half_of_what_a_killed_run_left_is_swept(repo: Repo, kept: str) -> None:
    killed = started(repo, "time.sleep(60)")
    killed.kill()
    killed.communicate()
    (folder,) = (repo.path.parent / "temporary").iterdir()
    (entry,) = (repo.path / ".git/worktrees").iterdir()
    if kept == "folder":
        leftovers.remove_folder(str(entry))
    elif kept == "entry":
        leftovers.remove_folder(str(folder))
    else:
        (entry / "freezegate-owner").unlink()
    sweep()
    assert temporary(repo) == [] and not entry.exists()


def test_the_sweep_takes_nothing_of_anybody_elses(repo: Repo, tmp_path: Path) -> None:
    mine = tmp_path / "temporary" / "freezegate-0123456789abcdef"
    repo.git("worktree", "add", "-q", "--detach", str(mine))
    (tmp_path / "temporary" / "freezegate-notes").mkdir()
    sweep()
    assert (mine / "README").exists() and len(temporary(repo)) == 2  # as new as what a run has not locked yet
    os.utime(mine, (0, 0))
    os.utime(repo.path / ".git/worktrees" / mine.name, (0, 0))
    locked = leftovers.claim(str(mine))
    sweep()
    assert (mine / "README").exists()
    os.close(locked)


def test_names() -> None:
    assert leftovers.is_name(leftovers.new_name())
    assert not any(map(leftovers.is_name, ("freezegate-", "freezegate-demo-6faxot5_", "freezegate-" + "g" * 16, "x")))


def test_where_there_is_no_room_for_a_worktree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "temporary_folder", lambda: str(repo.path / "README"))
    with pytest.raises(CannotJudge, match="cannot be made"), opened(repo):
        pytest.fail("made below a file")

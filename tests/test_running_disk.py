"""The files of a folder seen as a tree: what a run in the working tree reads, without git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from building import SCOPE_ID, Repo, good_project, with_files
from freezegate.errors import CannotJudge
from freezegate.gate.alone import alone, scope_given
from freezegate.git.repository import Repository
from freezegate.git.snapshot import Snapshot
from freezegate.paths import RepoPath
from freezegate.running.disk import on_disk
from freezegate.running.subject import subject


def listed(snapshot: Snapshot) -> dict[bytes, int]:
    return {bytes(path): entry.mode for path, entry in snapshot.walk(RepoPath(b""))}


def test_it_holds_what_git_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = with_files(Repo(tmp_path / "repo"), good_project())
    repo.write(b"odd/caf\xe9 \n.txt", b"a\0b")
    repo.write("tool.sh", "#!/bin/sh\n", mode=0o755)
    repo.link("link", "nowhere")
    repo.link("folder-link", "src")
    repo.commit_all()
    monkeypatch.chdir(repo.path)
    git = Repository()
    expected = listed(git.snapshot("HEAD"))
    git.close()
    seen = on_disk(str(repo.path))
    assert listed(seen) == expected
    for path in expected:
        entry = seen.entry(RepoPath(path))
        assert entry is not None
        if entry.is_link:
            assert seen.store.blob(entry.oid, 1 << 20) == os.fsencode(repo.at(path).readlink())
            continue
        data = repo.at(path).read_bytes()
        assert seen.store.blob(entry.oid, 1 << 20) == data
        assert seen.store.blob(entry.oid, len(data) - 1) is None
        ((_, size, chunks),) = seen.store.stream([entry.oid])
        assert (size, b"".join(chunks)) == (len(data), data)


def test_a_scope_is_run_alike_from_disk_and_from_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = with_files(Repo(tmp_path / "repo"), good_project())
    repo.commit()
    monkeypatch.chdir(repo.path)
    git = Repository()
    by_git = subject(scope_given(alone(git.snapshot("HEAD")), SCOPE_ID, b""), "top")
    by_disk = subject(scope_given(alone(on_disk(str(repo.path))), SCOPE_ID, b""), "top")
    assert by_disk.job("evaluate", "/") == by_git.job("evaluate", "/")
    assert by_disk.named.keys() == by_git.named.keys()
    git.close()


def test_other_repositories_and_special_files_are_no_files(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "repo"), good_project())
    Repo(repo.path / "vendored").write("a.py", "a = 1\n")
    os.mkfifo(repo.path / "pipe")
    repo.write("ignored.log", "here too\n")
    seen = on_disk(str(repo.path))
    vendored = seen.entry(RepoPath(b"vendored"))
    assert vendored is not None and vendored.is_submodule
    assert seen.entry(RepoPath(b".git")) is None and seen.entry(RepoPath(b"pipe")) is None
    assert seen.entry(RepoPath(b"ignored.log")) is not None
    repo.remove("ignored.log")
    with pytest.raises(CannotJudge, match="No such file"):
        seen.store.blob(seen.entry(RepoPath(b"ignored.log")).oid, 1 << 20)  # type: ignore[union-attr]

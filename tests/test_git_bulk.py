"""Very many objects through one child: in order, whole, without waiting for each other, and nothing unexpected passes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from building import Repo, item
from children import own_children
from freezegate import digests
from freezegate.git.bulk import Missing, read_many, read_runs
from freezegate.git.objects import Objects
from freezegate.git.plumbing import GitError


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path)
    monkeypatch.chdir(tmp_path)
    return made


def test_order_and_bytes_of_small_large_and_repeated_objects(repo: Repo) -> None:
    contents = [b"", b"\n", b"x blob 1\nx", os.urandom(3 << 20), b"a" * (1 << 18), b"a" * ((1 << 18) + 1), b"end"]
    ids = [repo.blob(data) for data in contents]
    for order in (ids, ids[::-1], ids * 3, [ids[0]] * 5000 + ids):
        known = dict(zip(ids, contents, strict=True))
        for (oid, size, chunks), asked in zip(read_many(order), order, strict=True):
            assert (oid, size, b"".join(chunks)) == (asked, len(known[asked]), known[asked])
    assert list(read_many([])) == []


def test_ids_may_be_found_slowly_and_be_many_more_than_a_pipe_holds(repo: Repo) -> None:
    one, other = repo.blob(b""), repo.blob(b"other")
    asked = 0

    def ids() -> Iterator[str]:
        nonlocal asked
        for number in range(60_000):
            asked += 1
            yield other if number % 1000 == 0 else one

    runs = list(read_runs(ids()))
    flat = [data for run in runs if isinstance(run, list) for data in run]
    assert asked == len(flat) == 60_000
    assert [number for number, data in enumerate(flat) if data] == list(range(0, 60_000, 1000))


def test_trees_are_read_too(repo: Repo) -> None:
    repo.write("a", "1")
    repo.commit_all()
    ((_, size, chunks),) = read_many([repo.tree()])
    assert b"".join(chunks).startswith(b"100644 a\0") and size == 29


@pytest.mark.parametrize("bad", ["0" * 40, "HEAD", "nonsense", "f" * 64])
def test_what_git_answers_otherwise_is_an_error(repo: Repo, bad: str) -> None:
    blob = repo.blob(b"x")
    repo.commit()
    with pytest.raises(GitError):
        list(read_many([blob, bad, blob]))


def test_a_missing_object_is_named(repo: Repo) -> None:
    with pytest.raises(Missing, match="1" * 40):
        list(read_many([repo.blob(b"x")] * 3000 + ["1" * 40]))


def test_a_reader_that_stops_early_leaves_no_child(repo: Repo) -> None:
    big = repo.blob(os.urandom(4 << 20))
    before = own_children()
    runs = read_runs(oid for oid in [big] * 50)
    next(runs)
    assert own_children() - before
    runs.close()  # type: ignore[attr-defined]
    assert own_children() <= before


def test_an_error_of_the_lazy_ids_reaches_the_reader(repo: Repo) -> None:
    def ids() -> Iterator[str]:
        yield repo.blob(b"x")
        raise LookupError("listing")

    with pytest.raises(LookupError, match="listing"):
        list(read_runs(ids()))


@given(st.lists(st.tuples(st.binary(max_size=3), st.binary(max_size=3)), min_size=1, max_size=8), st.data())
def test_a_digest_in_runs_is_the_digest(files: list[tuple[bytes, bytes]], data: st.DataObject) -> None:
    files = [(path.replace(b"\0", b"_"), content) for path, content in files]
    runs: list[digests.Run] = []
    left = files
    while left:
        count = data.draw(st.integers(0, len(left)))
        if count == 0:
            path, content = left[0]
            runs.append(digests.Item(path, 0o100644, len(content), iter((content[:1], content[1:]))))
            left = left[1:]
        else:
            runs.append(([path for path, _ in left[:count]], [content for _, content in left[:count]]))
            left = left[count:]
    zeros: list[bytes] = []
    expected: list[bytes] = []
    plain = digests.fixture_digest([item(*file) for file in files], zero_bytes=expected)
    assert digests.fixture_digest_in_runs(runs, zero_bytes=zeros) == plain
    assert zeros == expected
    with pytest.raises(digests.DigestError):
        digests.fixture_digest_in_runs([])


def test_a_child_that_died_is_an_error_of_git_and_no_silence(repo: Repo) -> None:
    oid = repo.blob(b"x")
    with Objects() as objects:
        assert list(objects.read([oid], 10)) == [(oid, b"x", 1)]
        child = objects._child
        assert child is not None
        os.kill(child.pid, signal.SIGKILL)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(GitError, match="ended"):
            list(objects.read([oid], 10))


def test_without_git_nothing_stays_open(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo.path))

    def attempt() -> None:
        with Objects() as objects, pytest.raises(GitError, match="could not be started"):
            list(objects.read(["0" * 40], 10))
        with pytest.raises(GitError, match="could not be started"):
            list(read_runs(["0" * 40]))

    attempt()
    before = os.dup(0)  # the lowest free descriptor
    os.close(before)
    attempt()
    after = os.dup(0)
    os.close(after)
    assert after == before

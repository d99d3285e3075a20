"""Work spread over processes: every item is answered in its place, or none counts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from freezegate.errors import CannotJudge
from freezegate.running.workers import spread


@pytest.mark.parametrize("jobs", [1, 2, 3, 50])
def test_results_come_in_the_order_of_the_items(jobs: int) -> None:
    def work(share: Sequence[int]) -> Generator[tuple[int, int], None, None]:
        for item in share:
            yield item * item, os.getpid()

    counts: list[int] = []
    found = spread(range(11), work, jobs, counts.append)
    assert [square for square, _ in found] == [item * item for item in range(11)]
    assert counts == list(range(1, 12))
    assert len({process for _, process in found}) == min(jobs, 11)


def test_no_items_are_no_work() -> None:
    def work(share: Sequence[int]) -> Generator[int, None, None]:
        yield from share

    assert spread([], work, 4) == []


def test_large_results_arrive_whole() -> None:
    def work(share: Sequence[int]) -> Generator[bytes, None, None]:
        for item in share:
            yield bytes([item]) * 3_000_000

    assert [set(each) for each in spread([1, 2, 3], work, 2)] == [{1}, {2}, {3}]


@pytest.mark.parametrize("error", [CannotJudge("no tree", "make one"), ValueError("odd"), SystemExit(0)])
def test_one_failure_is_the_failure_of_all(error: BaseException) -> None:
    def work(share: Sequence[int]) -> Generator[int, None, None]:
        for item in share:
            if item == 3:
                raise error
            yield item

    with pytest.raises(CannotJudge, match=r"no tree|odd|ended before it had answered"):
        spread(range(6), work, 2)


def test_a_worker_that_is_killed_is_no_answer() -> None:
    def work(share: Sequence[int]) -> Generator[int, None, None]:
        for item in share:
            if item == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            yield item

    with pytest.raises(CannotJudge, match="ended before it had answered"):
        spread(range(4), work, 2)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = f"""
import os, pathlib, signal, sys, time
from freezegate.running.interrupts import as_exceptions
from freezegate.running.workers import spread

def work(share):
    for item in share:
        place = pathlib.Path({str(tmp_path)!r}, str(item))
        with as_exceptions():
            try:
                place.write_text(str(os.getpid()))
                time.sleep(60)
            finally:
                place.unlink()
        yield item

spread([0, 1], work, 2)
"""
    parent = subprocess.Popen([sys.executable, "-c", script])
    deadline = time.monotonic() + 20
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(list(tmp_path.iterdir())) == 2
    parent.kill()
    parent.wait()
    while list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_worker_takes_down_what_it_made(tmp_path: Path) -> None:
    def work(share: Sequence[int]) -> Generator[int, None, None]:
        for item in share:
            place = tmp_path / str(item)
            place.mkdir()
            try:
                if item == 0:
                    while not (tmp_path / "1").exists():
                        time.sleep(0.01)
                    raise CannotJudge("enough")
                time.sleep(60)
            finally:
                place.rmdir()
            yield item

    started = time.monotonic()
    with pytest.raises(CannotJudge, match="enough"):
        spread([0, 1], work, 2)
    assert time.monotonic() - started < 30
    assert list(tmp_path.iterdir()) == []

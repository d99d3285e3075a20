"""Files written whole: what is replaced, what is left as it is, and what is no file at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from freezegate.files import write_whole


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    place = tmp_path / "report"
    place.write_bytes(b"old")
    place.chmod(0o640)
    write_whole(str(place), b"new")
    assert place.read_bytes() == b"new" and stat.S_IMODE(place.stat().st_mode) == 0o640
    assert names(tmp_path) == ["report"]


def test_a_link_keeps_pointing_where_it_does(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_whole(os.fsencode(tmp_path / "link"), b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == b"new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    place = tmp_path / "pipe"
    os.mkfifo(place)
    reader = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(str(place), b"said")
        assert os.read(reader, 100) == b"said"
    finally:
        os.close(reader)
    assert place.is_fifo() and names(tmp_path) == ["pipe"]


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_whole(str(folder), b"a folder stands there")
    assert names(tmp_path) == ["folder"] and names(folder) == []

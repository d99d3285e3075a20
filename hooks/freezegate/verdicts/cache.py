"""Reproductions on a base revision, kept under the git folder: the same files under the same runner need not run again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from freezegate import __version__
from freezegate.documents.loading import LoadError, load_json
from freezegate.files import write_whole
from freezegate.running.linked import common_folder
from freezegate.verdicts.propcheck import How
from freezegate.verdicts.reproduce import Reproduction


class Cache:
    """What was reproduced of one tree, by property. Whatever cannot be read is as if it were not there.

    `tree` is the id of the base revision's tree, which holds the oracles' closures too, and `digest` that of its fixtures.
    """

    def __init__(self, tree: str, digest: str, attempts: int, how: How) -> None:
        self._folder = Path(os.fsdecode(common_folder())) / "freezegate" / "base"
        self._attempts = attempts
        self._on = [2, tree, digest, attempts, __version__, how.place.name, how.python, _made(how.python)]

    def known(self, ids: Sequence[str]) -> dict[str, Reproduction]:
        """Those of the properties that were reproduced before."""
        found = {}
        for prop_id in ids:
            with suppress(OSError, LoadError, ValueError):
                kept = _read(self._file(prop_id).read_bytes(), self._attempts)
                if kept is not None:
                    found[prop_id] = kept
        return found

    def keep(self, found: Mapping[str, Reproduction]) -> None:
        """Keep what every attempt answered. That it cannot be kept is no failure."""
        for prop_id, each in found.items():
            if each.attempts == self._attempts and not each.notes:
                with suppress(OSError):
                    self._folder.mkdir(parents=True, exist_ok=True)
                    write_whole(
                        str(self._file(prop_id)),
                        json.dumps({"seen": dict(each.seen), "rows": sorted(each.rows)}).encode("ascii"),
                    )

    def _file(self, prop_id: str) -> Path:
        key = hashlib.sha256(json.dumps([*self._on, prop_id]).encode("ascii")).hexdigest()
        return self._folder / f"{key}.json"


def _made(python: str) -> int:
    try:
        return os.stat(python).st_mtime_ns  # noqa: PTH116 - the interpreter's path is text everywhere
    except OSError:
        return 0


def _read(data: bytes, attempts: int) -> Reproduction | None:
    value = load_json(data).value
    seen, rows = (value.get("seen"), value.get("rows")) if type(value) is dict else (None, None)
    if type(rows) is not list or not all(type(row) is str for row in rows) or type(seen) is not dict:
        return None
    if not all(type(count) is int and 1 <= count <= attempts for count in seen.values()):
        return None
    return Reproduction(attempts, seen, rows=frozenset(rows))

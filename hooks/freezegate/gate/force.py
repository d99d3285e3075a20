"""Which config judges a change: never one that the change itself could have softened."""

from __future__ import annotations

from freezegate.documents.config import DEFAULT, Config
from freezegate.documents.reading import Reading, read_config
from freezegate.errors import CannotJudge
from freezegate.gate.archive import Archive
from freezegate.gate.governed import CONFIG_PATH, Governed
from freezegate.git.change import Change
from freezegate.git.snapshot import Delta, Snapshot


def own_config(snapshot: Snapshot, archive: Archive) -> Reading[Config] | None:
    """The config file of a tree, read; None where no regular file is there."""
    entry = snapshot.entry(CONFIG_PATH)
    return archive.reading("config", entry.oid) if entry is not None and entry.is_file else None


def is_adopted(snapshot: Snapshot, archive: Archive, change: Change) -> bool:
    """Whether a side shows that it is under the gate: a config, or a governed document in its default place."""
    if snapshot.entry(CONFIG_PATH) is not None:
        return True
    return Governed(snapshot, DEFAULT, archive, change.day).has_documents


def config_in_force(
    change: Change, archive: Archive, given: bytes | None, adopted: Snapshot | None, deltas: tuple[Delta, ...]
) -> Config:
    """The given config; else that of the first old side that is under the gate; else the new side's; else the defaults.

    Raises CannotJudge where it is invalid, but for a change of the config alone to a valid one.
    """
    if given is not None:
        return _valid(read_config(given), "the config given by --config")
    side = change.new if adopted is None else adopted
    entry = side.entry(CONFIG_PATH)
    if entry is None:
        return DEFAULT
    reading = own_config(side, archive)
    if (reading is None or reading.document is None) and adopted is not None:
        replacement = own_config(change.new, archive)
        alone = bool(deltas) and all(set(delta) == {CONFIG_PATH} for delta in deltas)
        if alone and replacement is not None and replacement.document is not None:
            return replacement.document
    if reading is None:
        raise CannotJudge(f"the config in force, {CONFIG_PATH}, is no regular file", "commit the file itself")
    return _valid(reading, f"the config in force, {CONFIG_PATH}")


def _valid(reading: Reading[Config], name: str) -> Config:
    if reading.document is None:
        problem = reading.problems[0]
        raise CannotJudge(
            f"{name}, is invalid at line {problem.line}, column {problem.column}: {problem.message}",
            problem.hint or "mend the config in a change of its own",
        )
    return reading.document

"""What differs between the trees of many steps, from one `git diff-tree` child for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from freezegate.git.entry import FOLDER, Entry
from freezegate.git.plumbing import GitError, ask
from freezegate.git.snapshot import Delta
from freezegate.paths import RepoPath

# -t: rows of folders as well, which are the trees to be read; the other options undo user configuration.
_DIFF_TREE = ("diff-tree", "-r", "-t", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative", "--stdin")
_ABSENT = b"000000"

Pair = tuple[str, str]


class Compared(NamedTuple):
    """One step: every path that is no folder and differs, the folders of the new tree that differ, with their ids."""

    delta: Delta
    folders: dict[RepoPath, str]


def compare_trees(pairs: Iterable[Pair]) -> Iterator[tuple[Pair, Compared]]:
    """The step of each pair of tree ids, old and new, in their order. Raises GitError.

    True of trees that are well-formed: of others git shows what its own walk sees.
    """
    asked = list(dict.fromkeys(pairs))
    out = ask([*_DIFF_TREE, "--ignore-submodules=none"], "".join(f"{a} {b}\n" for a, b in asked).encode("ascii"))
    fields = iter(out.split(b"\0"))
    left = iter(asked)
    pair: Pair | None = None
    compared = Compared({}, {})
    for field in fields:
        *heads, row = field.split(b"\n")
        for head in heads:
            if pair is not None:
                yield pair, compared
            pair = next(left, None)
            if pair is None or head != f"{pair[0]} {pair[1]}".encode("ascii"):
                raise GitError("git diff-tree answered for other trees than it was asked for", "git fsck")
            compared = Compared({}, {RepoPath(b""): pair[1]})
        if row:
            _note(compared, row, RepoPath(next(fields)))
    if pair is not None:
        yield pair, compared
    if next(left, None) is not None:
        raise GitError("git diff-tree ended before its answer was complete", "git fsck")


def _note(compared: Compared, row: bytes, path: RepoPath) -> None:
    old_mode, mode, old_oid, oid, _ = row[1:].split(b" ")
    before, after = _entry(old_mode, old_oid), _entry(mode, oid)
    if after is not None and after.is_folder:
        compared.folders[path] = after.oid
    leaves = (_leaf(before), _leaf(after))
    if leaves[0] != leaves[1]:
        known = compared.delta.get(path)
        # A folder in the place of a file is two rows: one for each side.
        compared.delta[path] = leaves if known is None else (known[0] or leaves[0], known[1] or leaves[1])


def _entry(mode: bytes, oid: bytes) -> Entry | None:
    return None if mode == _ABSENT else Entry(int(mode, 8), oid.decode("ascii"))


def _leaf(entry: Entry | None) -> Entry | None:
    return None if entry is None or entry.mode == FOLDER else entry

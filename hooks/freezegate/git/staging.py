"""What the index would commit, read without touching it.

Kept free of costly imports: a commit that touches nothing governed is over after this.
"""

from __future__ import annotations

from collections.abc import Iterator

from freezegate.git.plumbing import GitError, ask

# --ita-invisible-in-index: entries of `git add -N` are not part of the commit. The other options undo user
# configuration that changes plumbing output (diff.relative, submodule ignore rules, renames, fsmonitor).
DIFF_INDEX = (
    "-c",
    "core.fsmonitor=false",
    "diff-index",
    "--cached",
    "--ita-invisible-in-index",
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-renames",
    "--no-relative",
    "--ignore-submodules=none",
)


def staged_rows(against: str) -> list[tuple[bytes, bytes, bytes, bytes]]:
    """The index against a tree: (path, old mode, new mode, new id); mode ``000000`` where a side has none.

    Raises GitError where git fails or paths are unmerged.
    """
    return parse_rows(ask([*DIFF_INDEX, against, "--"]))


def parse_rows(out: bytes) -> list[tuple[bytes, bytes, bytes, bytes]]:
    """The rows of ``--raw -z`` output without renames."""
    rows = []
    unmerged = []
    for header, path in _pairs(out.split(b"\0")):
        old_mode, mode, _, oid, status = header[1:].split(b" ")
        if status == b"U":
            unmerged.append(path)
        rows.append((path, old_mode, mode, oid))
    if unmerged:
        from freezegate.paths import RepoPath

        shown = ", ".join(str(RepoPath(path)) for path in unmerged[:5])
        raise GitError(
            f"the index has unmerged paths: {shown}",
            "resolve the conflicts, git add the files, and commit again",
        )
    return rows


def _pairs(fields: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    return zip(fields[0:-1:2], fields[1::2], strict=False)

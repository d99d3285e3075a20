"""What a diff says in lines, as git counts and prints it where nothing but the two trees has a say.

Attribute files can declare any file binary and give it a driver: those of the working tree, which is the change's own
text, and the user's. So git is asked from a bare repository of its own that only shares the objects.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from freezegate.git.plumbing import Child, GitError, ask, environment, refusal
from freezegate.paths import RepoPath

_COMMON = ("-r", "--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
# Of the calling git process: its work tree would bring attributes in, its folders belong to the other repository.
_DROPPED = ("GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE")

Counts = tuple[int | None, int | None]


def line_counts(old: str, new: str) -> dict[RepoPath, Counts]:
    """Every path that differs between two trees (or commits): lines added and deleted, None for a binary file.

    A rename is a deletion and an addition. Raises GitError.
    """
    out = _asked(["diff-tree", "-z", "--numstat", *_COMMON, old, new])
    found: dict[RepoPath, Counts] = {}
    for row in out.split(b"\0")[:-1]:
        added, deleted, path = row.split(b"\t", 2)
        found[RepoPath(path)] = (_count(added), _count(deleted))
    return found


def patch(old: str, new: str) -> bytes:
    """The diff of two trees (or commits) as text, the way `git apply` reads it. Raises GitError."""
    return _asked(["diff-tree", "-p", *_COMMON, old, new])


def _count(text: bytes) -> int | None:
    return None if text == b"-" else int(text)


def _asked(arguments: list[str]) -> bytes:
    with _apart(len(arguments[-1])) as env:
        child = Child(["-c", "core.attributesFile=/dev/null", *arguments], env=env)
        out = child.read_all()
        status, errors = child.finish()
    if status != 0:
        raise refusal(arguments, status, errors)
    return out


@contextmanager
def _apart(digits: int) -> Iterator[dict[str, str]]:
    """Variables under which git sees an empty bare repository with the objects of the current one."""
    objects = os.fsdecode(ask(["rev-parse", "--git-path", "objects"]).removesuffix(b"\n"))
    settings = "[core]\n\tbare = true\n\trepositoryformatversion = 1\n"
    if digits == 64:
        settings += "[extensions]\n\tobjectformat = sha256\n"
    try:
        with tempfile.TemporaryDirectory(prefix="freezegate-") as folder:
            Path(folder, "refs").mkdir()
            Path(folder, "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
            Path(folder, "config").write_text(settings, encoding="ascii")
            env = {name: value for name, value in environment().items() if name not in _DROPPED}
            yield env | {
                "GIT_DIR": folder,
                "GIT_OBJECT_DIRECTORY": os.path.abspath(objects),  # noqa: PTH100 (any bytes)
                "GIT_ATTR_NOSYSTEM": "1",
            }
    except OSError as error:
        raise GitError(f"no temporary folder for git: {error.strerror}", "make room, or set TMPDIR") from None

"""git's side of a temporary worktree: its entry in the repository, made without running anything of the user's."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from freezegate.git import plumbing
from freezegate.git.plumbing import Child, ask, refusal
from freezegate.running.leftovers import abandoned, is_name, owner_gone, remove_folder

# Programs that git would run here, and settings under which it would write more than it is asked to.
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.splitIndex=false",
    "core.untrackedCache=false",
    "core.sparseCheckout=false",
    "worktree.useRelativePaths=false",
)
# Of the caller's variables only those that say how git is configured and where it finds objects: a hook's GIT_DIR,
# GIT_INDEX_FILE or GIT_WORK_TREE would turn these commands on the user's own index and files.
_KEPT = ("GIT_CONFIG", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NO_REPLACE_OBJECTS")


def common_folder() -> str:
    """The folder that all worktrees of the current repository share. Raises GitError."""
    return os.path.abspath(os.fsdecode(ask(["rev-parse", "--git-common-dir"]).removesuffix(b"\n")))


def add(common: str, tree: str, commit: str) -> str:
    """Make the empty, existing folder `tree` a worktree of `commit`, with an index and no files; its entry's folder.

    Raises GitError.
    """
    entry = entry_of(common, tree)
    with _alone(common):
        _git("--git-dir", common, "worktree", "add", "--quiet", "--detach", "--no-checkout", "--", tree, commit)
        _git("--git-dir", entry, "read-tree", commit)
    return entry


@contextmanager
def _alone(common: str) -> Iterator[None]:
    """No other run makes or removes an entry meanwhile: git reads all of them, and fails on one that is half made."""
    fd = os.open(common, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def entry_of(common: str, tree: str) -> str:
    """Where the repository keeps what it knows of the worktree `tree`."""
    return os.path.join(common, "worktrees", os.path.basename(tree))


def forget(common: str, tree: str) -> None:
    """Take the worktree's entry out of the repository."""
    with _alone(common):
        remove_folder(entry_of(common, tree))
        with suppress(OSError):
            os.rmdir(os.path.join(common, "worktrees"))  # git has none where there are no worktrees


def sweep(common: str) -> None:
    """Remove the worktrees of runs that were killed, and no others."""
    try:
        names = [name for name in os.listdir(os.path.join(common, "worktrees")) if is_name(name)]
    except OSError:
        return
    for name in names:
        entry = os.path.join(common, "worktrees", name)
        tree = _tree_of(entry)
        folder = None if tree is None else os.path.dirname(tree)
        # The temporary folder around the tree is locked first, and removed last.
        gone = owner_gone(entry)
        if gone is None:
            gone = abandoned(entry if folder is None else folder)
        if gone and (folder is None or remove_folder(folder)):
            forget(common, entry)


def _tree_of(entry: str) -> str | None:
    """The folder of a worktree of ours, which lies in a temporary folder of ours; None where it is no such folder."""
    try:
        with open(os.path.join(entry, "gitdir"), "rb") as file:
            tree = os.path.dirname(os.fsdecode(file.read().removesuffix(b"\n")))
    except OSError:
        return None
    ours = os.path.basename(tree) == os.path.basename(entry) and is_name(os.path.basename(os.path.dirname(tree)))
    return tree if ours and os.path.lexists(tree) else None


def _git(*arguments: str) -> None:
    env = {name: value for name, value in plumbing.environment().items() if not name.startswith("GIT_")}
    env.update((name, value) for name, value in plumbing.environment().items() if name.startswith(_KEPT))
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    child = Child([*settings, *arguments], env=env)
    child.read_all()
    status, errors = child.finish()
    if status != 0:
        raise refusal(arguments, status, errors)

"""Which tree a command looks at: the index, the working tree, or a revision."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from freezegate.gate.governed import Governed


class Sight(NamedTuple):
    """A tree under its config, the root of the work tree, and the path of the current folder below it."""

    tree: Governed
    top: str
    prefix: bytes


def add_tree_options(parser: Any) -> None:
    """`--worktree` and `--rev REV`; without them it is the index."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--worktree", action="store_true", help="of the working tree, as `git add -A` would stage it")
    which.add_argument("--rev", metavar="REV", help="of a revision")
    parser.set_defaults(worktree=False, rev=None)


@contextmanager
def seen(options: argparse.Namespace) -> Iterator[Sight]:
    """The tree that `add_tree_options` choose. Raises GitError, CannotJudge."""
    with looked_at(worktree=options.worktree, rev=options.rev) as sight:
        yield sight


@contextmanager
def looked_at(*, worktree: bool = False, rev: str | None = None, judged: bool = False) -> Iterator[Sight]:
    """The index, or what the arguments choose. Raises GitError, CannotJudge.

    It is seen under its own config; with `judged`, under the one that a commit of it is judged by, which is HEAD's.
    """
    from freezegate.gate.alone import alone, grown_from
    from freezegate.git.repository import Repository
    from freezegate.git.revisions import resolve_or_none, top_folder
    from freezegate.git.worktree_files import current_folder
    from freezegate.git.worktree_view import working_tree_staged

    top = top_folder() if rev is None else ""
    prefix = current_folder()
    with ExitStack() as stack:
        if worktree:
            stack.enter_context(working_tree_staged())
        repository = Repository()
        stack.callback(repository.close)
        snapshot = repository.staged() if rev is None else repository.snapshot(rev)
        head = resolve_or_none("HEAD^{commit}") if judged else None
        tree = alone(snapshot) if head is None else grown_from(snapshot, repository.snapshot(head))
        yield Sight(tree, top, prefix)

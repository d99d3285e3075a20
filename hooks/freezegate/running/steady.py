"""What runs is committed: HEAD, index and working tree must hold the same of all that a scope depends on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from freezegate.documents.config import Config
from freezegate.errors import CannotJudge
from freezegate.gate.alone import alone, scope_given
from freezegate.gate.commands import retire
from freezegate.gate.governed import Governed
from freezegate.git.repository import Repository
from freezegate.git.revisions import resolve, resolve_or_none, top_folder
from freezegate.git.standing import Standing
from freezegate.git.worktree_view import working_tree_staged
from freezegate.paths import RepoPath
from freezegate.running.subject import Subject, subject

_SHOWN = 5


@dataclass(frozen=True)
class Committed:
    """Scopes as the commit `commit` with the tree `tree` holds them, and the config that it holds."""

    commit: str
    tree: str
    config: Config
    governed: Governed
    subjects: tuple[Subject, ...]


def committed(repository: Repository, scopes: Sequence[str], prefix: bytes) -> Committed:
    """The named scopes at HEAD. Raises CannotJudge where index or working tree hold otherwise what they depend on."""
    if (commit := resolve_or_none("HEAD^{commit}")) is None:
        raise CannotJudge("there is no commit yet, and what runs is committed", "git commit")
    head = alone(repository.snapshot(commit))
    top = top_folder()
    found = tuple(_at_head(head, scope, prefix, top) for scope in scopes)
    _refuse_differences(found, head, "the index", "unstage it")
    with working_tree_staged():
        _refuse_differences(found, head, "the working tree", "git restore it")
    return Committed(commit, resolve(commit + "^{tree}"), head.config, head, found)


def _at_head(head: Governed, given: str, prefix: bytes, top: str) -> Subject:
    try:
        view = scope_given(head, given, prefix)
    except CannotJudge as error:
        raise CannotJudge(f"in HEAD, {error.message}", f"commit the scope first; {error.hint}") from None
    return subject(view, top)


def _refuse_differences(subjects: Sequence[Subject], head: Governed, where: str, undo: str) -> None:
    """The index that git's children see now may differ from HEAD only in what none of the subjects depends on."""
    standing = Standing()
    if not standing.rows:
        return
    changed = {RepoPath(row.path) for row in standing.rows}
    places = head.places
    with ExitStack() as stack:
        repository = Repository()
        stack.callback(repository.close)
        present = alone(repository.staged(standing))
        differing = {path for path in changed if places.in_source(path)}
        for each in subjects:
            view = present.scope(each.scope)
            there = subject(view, each.top).named if view is not None else {}
            differing |= {path for path, _ in there.items() ^ each.named.items()}
    if differing:
        names = ", ".join(map(str, sorted(differing)[:_SHOWN]))
        more = f" and {len(differing) - _SHOWN} more" if len(differing) > _SHOWN else ""
        raise CannotJudge(
            f"HEAD and {where} differ in {names}{more}: what runs must be committed",
            f"commit it{_with_retiring(subjects, head)}, or {undo}",
        )


def _with_retiring(subjects: Sequence[Subject], head: Governed) -> str:
    """What has to go with an edit for the hooks to take it: the records that it opens."""
    bound = [each.scope_id for each in subjects if head.binding(each.scope_id).record is not None]
    return "".join(f" (together with {retire(scope_id)}, where the hooks refuse it alone)" for scope_id in bound[:1])

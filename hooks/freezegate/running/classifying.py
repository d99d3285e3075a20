"""Cases re-evaluated in clean worktrees of one commit, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from freezegate.documents.config import Config
from freezegate.errors import CannotJudge
from freezegate.git.repository import Repository
from freezegate.paths import RepoPath
from freezegate.running.cases import Case
from freezegate.running.environments import chosen, shared
from freezegate.running.labels import Label, labelled
from freezegate.running.subject import Subject
from freezegate.running.workers import spread
from freezegate.running.worktree import Worktree, sweep, worktree

BOTH = ("local", "isolated")


@dataclass(frozen=True)
class Task:
    """One case to be labelled: `scope` is the text that the worktree gets of the scope, `place` where the case goes."""

    subject: Subject
    case: Case
    scope: bytes
    place: RepoPath


@dataclass(frozen=True)
class Where:
    """The commit whose worktree it is, which environments, and how often."""

    commit: str
    config: Config
    names: tuple[str, ...]
    python: str
    time_limit: float | None

    @property
    def replays(self) -> int:
        """How often each environment evaluates a case."""
        return self.config.policy.replays


def classified(
    tasks: Sequence[Task], where: Where, jobs: int, done: Callable[[int], None] = lambda count: None
) -> list[tuple[Label, ...]]:
    """For each task the labels in the order of `where.names`. Raises CannotJudge, GitError."""

    def work(share: Sequence[Task]) -> Generator[tuple[Label, ...], None, None]:
        with ExitStack() as stack:
            repository = Repository()
            stack.callback(repository.close)
            for task in share:
                with worktree(where.commit, repository) as tree:
                    yield _labels(task, where, tree)

    try:
        with shared():
            return spread(tasks, work, jobs, done)
    except CannotJudge:
        sweep()  # of a worker that was killed, the worktree is left
        raise


def _labels(task: Task, where: Where, tree: Worktree) -> tuple[Label, ...]:
    """The case in each environment. A label counts only where the tree was, and stayed, what the commit holds."""
    tree.put(task.subject.scope, task.scope)
    tree.put(task.place, task.case.data)
    labels = []
    for name in where.names:
        others = [path for path in task.subject.named if path != task.subject.scope]
        if differing := tree.differing(others):
            raise CannotJudge(f"the worktree's {differing[0]} is not what the commit holds", "run it again")
        place = chosen(where.config, name)
        label = labelled(place, tree.path, task.subject, task.case, where.python, where.replays, where.time_limit)
        if changed := tree.changed():
            reason = f"the run changed the tree: {changed[0]}"
            label = replace(label, label="absent", reason=reason, signature=None, failure=None)
        labels.append(label)
        if changed:
            break  # what would run next is not what was committed
    missing = where.names[len(labels) :]
    labels += [Label(name, "absent", "not run, since the tree had been changed", 0, 0) for name in missing]
    return tuple(labels)

"""Search again from a case's own seed and engine: do the same bytes come out?"""

from __future__ import annotations

from freezegate.documents.config import Config
from freezegate.errors import CannotJudge
from freezegate.git.repository import Repository
from freezegate.running.cases import Case
from freezegate.running.classifying import BOTH
from freezegate.running.environments import Absent, Place, chosen
from freezegate.running.environments.command import CommandPlace
from freezegate.running.retaining import counterexample_file, search_job
from freezegate.running.searching import search
from freezegate.running.seeds import Bounds
from freezegate.running.subject import Subject
from freezegate.running.worktree import worktree

Answer = tuple[bool | None, str]


def searched_again(
    commit: str,
    config: Config,
    subject: Subject,
    case: Case,
    max_examples: int | None,
    python: str,
    time_limit: float | None,
) -> tuple[tuple[bool | None, bool | None], str]:
    """Whether the local and the isolated environment gave the same bytes (None: no search was made), and why not.

    The isolated one is asked only where policy wants it: a search takes its time, and needs Hypothesis there.
    """
    if max_examples is None:
        return (None, None), "not searched again: the seed lock does not pin max_examples (--max-examples says it)"
    bounds = Bounds(case.document.seed, max_examples, locked=True)
    wanted = BOTH if config.policy.require_regenerated else BOTH[:1]
    repository = Repository()
    answers: list[Answer] = []
    try:
        for name in wanted:
            with worktree(commit, repository) as tree:
                answers.append(_answer(chosen(config, name), tree.path, subject, case, bounds, python, time_limit))
    finally:
        repository.close()
    why = "; ".join(f"{name}: {note}" for name, (_, note) in zip(wanted, answers, strict=True) if note)
    return (answers[0][0], answers[1][0] if len(answers) == 2 else None), why


def _answer(
    place: Place | CommandPlace,
    tree: str,
    subject: Subject,
    case: Case,
    bounds: Bounds,
    python: str,
    time_limit: float | None,
) -> Answer:
    if isinstance(place, CommandPlace):
        return None, "an environment that is a command cannot search"
    try:
        with place.open(tree, python) as launch:
            found = search(launch, search_job(subject, bounds, launch.root), time_limit)
    except (Absent, CannotJudge) as absent:
        return None, absent.message
    kept = case.document.engine
    if kept is not None and found.engine is not None and (kept.name, kept.version) != found.engine:
        return None, f"not comparable: the case was found by {kept.name} {kept.version}, and here is {found.engine[1]}"
    if found.outcome == "failed":
        same = counterexample_file(subject, bounds, found) == case.data
        return same, "" if same else "a new search gave another case"
    if found.outcome == "held":
        return False, "a new search found no failing case"
    return None, found.reason or "the search gave no answer"

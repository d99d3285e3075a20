"""Recheck: evaluate the retained cases of records again, at head and at base, so that labels are more than typed words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from freezegate.documents.config import Config
from freezegate.errors import CannotJudge
from freezegate.gate.alone import alone, grown_from, readable
from freezegate.gate.bindings import Binding
from freezegate.gate.governed import Governed
from freezegate.git.repository import Repository
from freezegate.git.revisions import merge_base, resolve, top_folder
from freezegate.git.snapshot import Snapshot
from freezegate.paths import RepoPath
from freezegate.running.cases import case_in
from freezegate.running.classifying import BOTH, Task, Where, classified
from freezegate.running.labels import Label
from freezegate.running.subject import Subject, subject

Verdict = Literal["ok", "refused", "absent"]
_DOCUMENT_LIMIT = 1 << 20


@dataclass(frozen=True)
class Checked:
    """One record: whether its labels are what was seen, with the reason in words and the labels at head and base."""

    record: RepoPath
    verdict: Verdict
    rule: str | None
    message: str
    head: tuple[Label, ...] = ()
    base: tuple[Label, ...] = ()


@dataclass(frozen=True)
class Sides:
    """Head, and what it is compared with. Environments, replays and bounds are the base side's."""

    head: str
    base: str
    head_tree: Governed
    base_tree: Governed
    fork_tree: Governed
    top: str

    @property
    def config(self) -> Config:
        """The config whose environments and replays count."""
        return self.base_tree.config


def sides(repository: Repository, base: str) -> Sides:
    """HEAD and the revision `base`. Raises GitError, CannotJudge."""
    head, base_commit = resolve("HEAD^{commit}"), resolve(base + "^{commit}")
    fork = merge_base(base_commit, head)
    # As in a check of the range: a config that the branch brings itself moves no record out of sight.
    head_tree = grown_from(repository.snapshot(head), repository.snapshot(fork))
    base_tree, fork_tree = (alone(repository.snapshot(commit)) for commit in (base_commit, fork))
    return Sides(head, base_commit, head_tree, base_tree, fork_tree, top_folder())


def records(seen: Sides, everything: bool) -> list[Binding]:
    """The records at head: those whose binding differs from that at the merge base, or all."""
    ids = sorted(set(seen.head_tree.bound_ids()))
    found = []
    for scope_id in ids:
        binding = seen.head_tree.binding(scope_id)
        if binding.record is not None and (everything or _key(binding) != _key(seen.fork_tree.binding(scope_id))):
            found.append(binding)
    return found


def _key(binding: Binding) -> object:
    """Equal in two trees exactly when the record, its case, and all that an evaluation reads but source are."""
    closures = [scope.key for scope in binding.tree.scopes_with_id(binding.scope_id)]
    return (binding.key, tuple(closures))


@dataclass(frozen=True)
class _Pair:
    """One record's case, as it is evaluated at head and at base."""

    binding: Binding
    head: Task
    base: Task


def rechecked(
    repository: Repository,
    seen: Sides,
    bindings: list[Binding],
    python: str,
    time_limit: float | None,
    jobs: int,
    done: Callable[[int], None] = lambda count: None,
) -> list[Checked]:
    """One answer for each of the records, in their order."""
    answers: dict[str, Checked] = {}
    pairs: list[_Pair] = []
    for binding in bindings:
        try:
            pairs.append(_pair(repository, seen, binding))
        except CannotJudge as error:
            path = binding.tree.record_path(binding.scope_id)
            answers[binding.scope_id] = Checked(
                path, "absent", None, f"{error.message}; {error.hint}".removesuffix("; ")
            )
    where = Where(seen.head, seen.config, BOTH, python, time_limit)
    at_head = classified([pair.head for pair in pairs], where, jobs, done)
    where = Where(seen.base, seen.config, BOTH, python, time_limit)
    at_base = classified([pair.base for pair in pairs], where, jobs, lambda count: done(len(pairs) + count))
    for pair, head, base in zip(pairs, at_head, at_base, strict=True):
        answers[pair.binding.scope_id] = _answer(pair, head, base)
    return [answers[binding.scope_id] for binding in bindings]


def _pair(repository: Repository, seen: Sides, binding: Binding) -> _Pair:
    scope_id = binding.scope_id
    view, case_file = binding.scope, binding.case
    if view is None:
        raise CannotJudge(f"no scope has the id {scope_id}", "freezegate check --all-files")
    if case_file is None:
        raise CannotJudge(f"there is no counterexample of {scope_id}", "freezegate check --all-files")
    at_head = subject(view, seen.top)
    data = repository.store.blob(case_file.entry.oid, _DOCUMENT_LIMIT)
    case = case_in(data or b"", str(case_file.path), scope_id, at_head.domain)
    at_base = _at_base(repository, seen, at_head, view.entry.oid)
    scope = view.reading.data
    return _Pair(
        binding,
        Task(at_head, case, scope, case_file.path),
        Task(at_base, case, scope, case_file.path),
    )


def _at_base(repository: Repository, seen: Sides, at_head: Subject, scope_oid: str) -> Subject:
    """The scope as head writes it, in the base's tree: its predicate is the base's own."""
    tree = seen.base_tree.snapshot
    entry = seen.head_tree.entry(at_head.scope)
    assert entry is not None and entry.oid == scope_oid
    laid_over = Snapshot(repository.trees, tree.root, {at_head.scope: entry})
    view = alone(laid_over).scope(at_head.scope)
    if view is None or readable(view) is not None:
        raise CannotJudge(f"{at_head.scope} is no scope under the base's config", "land the scope first, then bind")
    try:
        return subject(view, seen.top)
    except CannotJudge as error:
        raise CannotJudge(
            f"at the base, {error.message}", "land the property first, then bind in a later change"
        ) from None


def _answer(pair: _Pair, head: tuple[Label, ...], base: tuple[Label, ...]) -> Checked:
    binding = pair.binding
    record = binding.stated
    # A predicate that the change edits may well fail elsewhere in its text; no citation can come with that change.
    same_oracle = _closure(pair.head) == _closure(pair.base)
    path = binding.tree.record_path(binding.scope_id)

    def checked(verdict: Verdict, rule: str | None, message: str) -> Checked:
        return Checked(path, verdict, rule, message, head, base)

    for where, label in _named(head, base):
        if label.label == "absent":
            return checked("absent", None, f"{label.environment} at {where}: {label.reason}")
    if all(label.label == "pass" for label in head):
        return checked("refused", "record-stale", "the retained case holds now")
    stated = {"local": record.class_local, "isolated": record.class_isolated} if record is not None else {}
    for label in head:
        if stated.get(label.environment) != label.label:
            said = stated.get(label.environment) or "null"
            return checked("refused", None, f"class_{label.environment} says {said}, and the case {label.label}s")
    for label in base:
        if label.label != "fail":
            return checked("refused", None, f"the case passes at the base ({label.environment}): it is a new failure")
    for label, other in zip(head, base, strict=True):
        if same_oracle and label.signature != other.signature:
            return checked(
                "refused",
                None,
                f"the case fails at head in another way than at the base ({label.environment}): it is a new failure",
            )
    return checked("ok", None, "still fails, at head and at base")


def _closure(task: Task) -> dict[RepoPath, str]:
    return {path: task.subject.named[path] for path in task.subject.closure}


def _named(head: tuple[Label, ...], base: tuple[Label, ...]) -> Iterator[tuple[str, Label]]:
    yield from (("head", label) for label in head)
    yield from (("the base", label) for label in base)

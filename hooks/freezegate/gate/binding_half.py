"""The units of the binding half: scopes, what is bound under their ids, test functions, scopes that went away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from operator import itemgetter
from typing import Any

from freezegate.findings import Finding
from freezegate.gate.functions import CaseFunction
from freezegate.gate.governed import SCOPE_SUFFIX, Governed
from freezegate.gate.judging import Judge
from freezegate.gate.rules import fixture_digest, scope_schema  # noqa: F401
from freezegate.gate.rules.predicate_scope import predicate_moved
from freezegate.gate.rules.scope_schema import generator_unparsed
from freezegate.gate.scopes import ScopeView
from freezegate.gate.screening import predicate_of
from freezegate.gate.sets import IdSet
from freezegate.gate.side_by_side import Exchange, can_split, in_two
from freezegate.paths import RepoPath
from freezegate.source.predicates import unscoped_candidates

_BATCH = 2000
# From this many scopes on, a second process costs less than it saves.
_SPLIT_FROM = 1000
# Of so many scopes the first process takes so many.
_SHARES, _FIRST = 20, 11


def judge_binding_half(judge: Judge) -> None:
    """Run the rules over every unit that the change touched."""
    scopes = list(_scopes(judge))
    if not judge.old and len(scopes) >= _SPLIT_FROM and can_split():
        _judge_in_two(judge, scopes)
    else:
        _judge_scopes(judge, scopes)
        _judge_bindings(judge, sorted(_bound_ids(judge)))
    _judge_functions(judge)
    _judge_removed_scopes(judge)


def _judge_in_two(judge: Judge, scopes: list[ScopeView]) -> None:
    """Half of the scopes, and of what is bound for them, in a process of its own.

    Units do not depend on each other's findings. Each process reads its own scopes, and tells the other their ids, since
    a scope of the one may carry the id of a scope of the other.
    """

    def judge_half(number: int, exchange: Exchange) -> tuple[set[Finding], dict[str, set[RepoPath]]]:
        tree = judge.new
        if number:
            judge.archive.store.reopen()
        # The child looks at the layout's places too, and takes a few scopes less.
        mine = [view for index, view in enumerate(scopes) if (index % _SHARES < _FIRST) != bool(number)]
        tree.prefetch(view.path for view in mine)
        ids = [(view.value.scope_id, view.path) for view in mine if view.value is not None]
        theirs = exchange(ids)
        tree.finder.know(sorted([*ids, *theirs], key=itemgetter(1)))
        _judge_scopes(judge, mine)
        own, foreign = {scope_id for scope_id, _ in ids}, {scope_id for scope_id, _ in theirs}
        # Ids that both have, and ids without a scope, are the first one's.
        bound = _bound_ids(judge)
        _judge_bindings(judge, sorted(bound & (own - foreign) if number else bound - (foreign - own)))
        if number:
            judge.judge_places()
        return judge.findings, judge.checked

    _, (findings, checked) = in_two(judge_half)
    judge.places_judged = True
    judge.findings |= findings
    for kind, paths in checked.items():
        judge.checked[kind] |= paths


def _scopes(judge: Judge) -> Iterator[ScopeView]:
    if judge.few is not None:
        paths = sorted(judge.few)
        judge.new.prefetch(paths)
        yield from (view for path in paths if (view := judge.new.scope(path)) is not None)
    else:
        yield from judge.new.finder.every()


def _batches(views: Iterable[ScopeView], judge: Judge) -> Iterator[ScopeView]:
    """The same scopes; what each batch of them names is read together."""
    rest = iter(views)
    while batch := list(islice(rest, _BATCH)):
        names = (name.path for view in batch for name in view.named)
        judge.new.prefetch(path for path in names if path is not None)
        yield from batch


def _judge_scopes(judge: Judge, scopes: list[ScopeView]) -> None:
    for view in _batches(scopes, judge):
        path = view.path
        fresh = judge.fresh(view, lambda side, path=path: side.scope(path))  # type: ignore[misc]
        if fresh and judge.archive.first(view.key):
            judge.saw("scope", path)
            judge.state("scope", view)
            judge.state("scope or fixtures", view)
            judge.findings.update(generator_unparsed(view))
            judge.screen(predicate_of(view))
            for closure in (view.predicate_closure, judge.new.closure(view.generator)):
                if closure is not None:
                    judge.state("closure", closure)
        # Of two scopes with one id, each may equal one parent's of a merge.
        _judge_id(judge, view)
        if _moved_from_all(judge, view):
            for step in judge.steps:
                judge.findings.update(predicate_moved(view, step))


def _moved_from_all(judge: Judge, view: ScopeView) -> bool:
    """Whether the scope and its predicate's closure differ, as one subject, from those of every old side."""

    def subject(scope: ScopeView) -> object:
        return (scope.path, scope.entry, scope.tree.closure_key(scope.predicate))

    twins = [side.scope(view.path) for side in judge.old]
    return bool(judge.old) and all(twin is None or subject(twin) != subject(view) for twin in twins)


def _judge_id(judge: Judge, view: ScopeView) -> None:
    if view.value is not None:
        ids = IdSet(judge.new, view.value.scope_id)
        if len(ids.holders) > 1 and judge.fresh(ids, lambda side: IdSet(side, ids.scope_id)):
            judge.state("set", ids)


def _bound_ids(judge: Judge) -> set[str]:
    if judge.few is None:
        return set(judge.new.bound_ids())
    ids = {scope_id for path in judge.delta if (scope_id := judge.new.id_in_name(path)) is not None}
    for tree in (judge.new, *judge.old):
        touched = {*judge.few, *(path for path in judge.delta if path.endswith(SCOPE_SUFFIX))}
        views = (tree.scope(path) for path in touched)
        ids |= {view.value.scope_id for view in views if view is not None and view.value is not None}
    return ids


def _judge_bindings(judge: Judge, ids: list[str]) -> None:
    tree = judge.new
    places = (tree.record_path, tree.case_path, tree.citation_path)
    tree.prefetch(place(scope_id) for scope_id in ids for place in places)
    bound = [binding for binding in map(tree.binding, ids) if binding.is_anything]
    if bound:
        from freezegate.gate.rules import binding_record, freeze_citation  # noqa: F401
    for binding in bound:
        scope_id = binding.scope_id
        if judge.fresh(binding, lambda side, scope_id=scope_id: side.binding(scope_id)):  # type: ignore[misc]
            judge.saw("record", binding.record.path if binding.record is not None else None)
            judge.saw("counterexample", binding.case.path if binding.case is not None else None)
            judge.state("binding", binding)
        if binding.citation is not None:
            key = binding.citation_key
            if judge.all or all(side.binding(scope_id).citation_key != key for side in judge.old):
                judge.saw("citation", binding.citation.path)
                judge.state("citation", binding)
            entries = [side.entry(binding.citation.path) for side in judge.old]
            if binding.citation.entry not in entries:
                judge.step_by_step("citation step", binding)


def _judge_functions(judge: Judge) -> None:
    """Test functions of property files that are new, or have another body, against every old side."""
    folder = judge.new.places.properties
    for path in judge.changed(lambda path: path.below(folder) and path.endswith(b".py")):
        now = _candidates(judge, judge.new, path)
        before = [_candidates(judge, side, path) for side in judge.old]
        for name, function in now.items():
            if all(name not in each or each[name].body != function.body for each in before):
                judge.step_by_step("function", CaseFunction(path, function))


def _candidates(judge: Judge, tree: Governed, path: RepoPath) -> dict[str, Any]:
    entry = tree.entry(path)
    if entry is None or not entry.is_file:
        return {}
    return unscoped_candidates(judge.archive.module(entry.oid))


def _judge_removed_scopes(judge: Judge) -> None:
    """Scope ids of an old side whose scope is not the new tree's: where it differs from every old side's."""

    def subject(tree: Governed, scope_id: str) -> object:
        view = tree.scope_of(scope_id)
        return None if view is None else (view.path, view.entry)

    folder = judge.new.places.properties
    for step in judge.steps:
        for path in step.delta:
            view = step.old.scope(path) if path.endswith(SCOPE_SUFFIX) and path.below(folder) else None
            if view is not None and view.value is not None:
                scope_id = view.value.scope_id
                now = subject(judge.new, scope_id)
                if all(subject(side, scope_id) != now for side in judge.old):
                    judge.step_by_step("old scope id", view, [step])

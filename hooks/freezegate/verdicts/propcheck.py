"""The claimed properties of a head, run: those that the change edits are not, and are failures."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from freezegate.documents.evidence import RunRow, Runs, SplitDiff
from freezegate.errors import CannotJudge
from freezegate.gate.alone import fixture_lock
from freezegate.gate.bindings import Binding
from freezegate.gate.governed import Governed
from freezegate.running.environments import Place, shared
from freezegate.running.workers import spread
from freezegate.running.worktree import sweep
from freezegate.text import quoted
from freezegate.verdicts.judging import Ground, Judged, ground, judged, missing
from freezegate.verdicts.new_failures import hidden, hidden_node
from freezegate.verdicts.prepared import Prepared, Unrunnable, prepared, with_case_of
from freezegate.verdicts.splitting import Trees

Progress = Callable[[int], None]


@dataclass(frozen=True)
class How:
    """Where and how properties run. `time_limit` is for each property, in seconds."""

    place: Place
    python: str
    time_limit: float | None
    jobs: int
    top: str


def fixture_digest(tree: Governed, sized: bool) -> str:
    """The digest of the tree's fixtures. Raises CannotJudge where there is none that may be used."""
    digest = tree.fixture_digest(sized)
    if digest is None:
        fixture_lock(tree, tree.places.fixtures.text, b"")  # says why
        raise CannotJudge(f"{tree.places.fixtures}/ has no digest", "freezegate check --all-files")
    return digest


def refuse_other_digest(given: str, digest: str) -> None:
    """Raise CannotJudge where the digest that a run is to be of is not the tree's."""
    if given != digest:
        raise CannotJudge(
            f"the fixture digest of HEAD is {digest}, not {quoted(given)}", "freezegate fixture-lock ROOT"
        )


def run_claims(
    trees: Trees,
    split: SplitDiff,
    digest: str,
    ids: Sequence[str],
    how: How,
    done: Progress = lambda count: None,
    on_base: Mapping[str, frozenset[str]] | None = None,
) -> Runs:
    """One row for each of the `ids`, in their order. Raises CannotJudge, GitError.

    `on_base` has, for the properties that were reproduced there, the rows that fail on base: where another row fails on
    head, it is a new failure whatever its signature is.
    """
    voided = split.voided
    plans = [_plan(trees.head, prop_id, how.top) for prop_id in ids if prop_id not in voided]
    plans = [with_case_of(plan, trees.base) if isinstance(plan, Prepared) else plan for plan in plans]
    results = dict(zip([each for each in ids if each not in voided], _all(plans, split.head, how, done), strict=True))
    checked = {plan.prop.id: plan for plan in plans if isinstance(plan, Prepared)}
    results |= _with_rows(checked, results, on_base or {})
    results |= _with_freezes(trees, split, checked, results, how)
    rows = [_row(prop_id, results.get(prop_id), digest, split.base) for prop_id in ids]
    return Runs(digest, split.base, split.head, tuple(rows))


def _with_rows(
    plans: Mapping[str, Prepared], results: Mapping[str, Judged], on_base: Mapping[str, frozenset[str]]
) -> dict[str, Judged]:
    """The failures of properties with rows of which one does not fail on base."""
    found = {}
    for prop_id, plan in plans.items():
        result = results[prop_id]
        if not plan.rows or prop_id not in on_base or result.status != "fail" or result.reason is not None:
            continue
        new = [place for place, row in zip(result.places, result.rows, strict=True) if row not in on_base[prop_id]]
        signed = [made for made, row in zip(result.signatures, result.rows, strict=True) if row not in on_base[prop_id]]
        # Without the signature of another row the ledger says by itself that this one is not frozen.
        if new and set(signed) <= {
            made for made, row in zip(result.signatures, result.rows, strict=True) if row in on_base[prop_id]
        }:
            found[prop_id] = replace(
                result, reason="new_failures", detail=f"{result.detail}; {new[0]} does not fail so on base"
            )
    return found


def run_all(plans: Sequence[Prepared], commit: str, how: How, done: Progress = lambda count: None) -> list[Judged]:
    """Each property run at the commit, side by side; the results do not depend on how many."""

    def work(share: Sequence[Prepared]) -> Generator[Judged, None, None]:
        with ground(commit, how.place, how.python) as where:
            for plan in share:
                yield judged(plan, where, how.time_limit)

    try:
        with shared():
            return spread(plans, work, how.jobs, done)
    except CannotJudge:
        sweep()  # of a worker that was killed, the worktree is left
        raise


def _plan(tree: Governed, prop_id: str, top: str) -> Prepared | Judged:
    try:
        return prepared(tree, prop_id, top)
    except Unrunnable as why:
        return missing(str(why))


def _all(plans: Sequence[Prepared | Judged], commit: str, how: How, done: Progress) -> list[Judged]:
    runnable = [plan for plan in plans if isinstance(plan, Prepared)]
    ran = iter(run_all(runnable, commit, how, done))
    return [plan if isinstance(plan, Judged) else next(ran) for plan in plans]


def _row(prop_id: str, result: Judged | None, digest: str, base: str) -> RunRow:
    if result is None:
        return RunRow(prop_id, "fail", None, digest, base, True, "oracle_moved")
    first = result.signatures[0] if result.signatures else None
    hides = result.reason == "new_failures"
    signatures = result.signatures or None
    return RunRow(prop_id, result.status, first, digest, base, False, result.reason, result.detail, signatures, hides)


def _with_freezes(
    trees: Trees, split: SplitDiff, plans: dict[str, Prepared], results: dict[str, Judged], how: How
) -> dict[str, Judged]:
    """The failures that a search found of properties that the ledger names, looked at more closely: does the citation of a
    scope carry the freeze, and does the freeze hide a new failure?
    """
    frozen: dict[str, set[object]] = {}
    for freeze in trees.head.freezes:
        frozen.setdefault(freeze.prop_id, set()).add(freeze.signature)
    found: dict[str, Judged] = {}
    pairs: list[tuple[str, Prepared, Prepared]] = []
    for prop_id, plan in plans.items():
        result = results[prop_id]
        if prop_id not in frozen or result.status != "fail" or result.reason is not None:
            continue
        if plan.searched is None and (plan.node is None or not frozen[prop_id].issuperset(result.signatures)):
            continue  # each row has a signature of its own; the ledger says by itself what is not frozen
        if plan.searched is not None and (why := _uncited(trees.head, plan, result)):
            found[prop_id] = replace(result, reason="uncited", detail=f"{result.detail}; {why}")
            continue
        base = _plan(trees.base, prop_id, how.top)
        if isinstance(base, Judged):
            why = f"on base nothing can be run: {base.detail}"
            found[prop_id] = replace(result, reason="new_failures", detail=f"{result.detail}; {why}")
        else:
            pairs.append((prop_id, plan, base))

    def work(share: Sequence[tuple[str, Prepared, Prepared]]) -> Generator[str, None, None]:
        with ExitStack() as stack:
            sides = [stack.enter_context(ground(commit, how.place, how.python)) for commit in (split.head, split.base)]
            for _, head, base in share:
                yield _hidden(head, base, sides, how.time_limit)

    with shared():
        answers = spread(pairs, work, how.jobs)
    for (prop_id, _, _), new in zip(pairs, answers, strict=True):
        if new:
            result = results[prop_id]
            found[prop_id] = replace(result, reason="new_failures", detail=f"{result.detail}; {new}")
    return found


def _hidden(head: Prepared, base: Prepared, sides: Sequence[Ground], time_limit: float | None) -> str:
    at_head, at_base = sides
    compared = hidden if head.searched is not None else hidden_node
    return compared(head, base, at_head, at_base, time_limit)


def _uncited(tree: Governed, plan: Prepared, result: Judged) -> str:
    """Why the scope's citation does not carry a freeze of this failure; empty where it does."""
    searched = plan.searched
    assert searched is not None
    binding = tree.binding(searched.subject.scope_id)
    for finding in citation_findings(binding):
        return finding
    if searched.retained is None or searched.retained.shown not in result.places:
        return f"the retained case of {searched.subject.scope_id} does not fail"
    if len(set(result.signatures)) > 1:
        return f"the retained case of {searched.subject.scope_id} gives another signature"
    return ""


def citation_findings(binding: Binding) -> list[str]:
    """Why the citation of a scope id does not stand, as the rules of the hook freeze-citation see it."""
    from freezegate.gate.registry import for_unit
    from freezegate.gate.rules import freeze_citation  # noqa: F401 - registers its rules

    if binding.citation is None:
        return [f"nothing cites {binding.scope_id}"]
    return [
        f"{finding.path}: {finding.rule}: {finding.message}"
        for check in for_unit("citation", False)
        for finding in check(binding)
    ]

"""Hook predicate-scope: a predicate does not move under a scope that stays, and what runs is what was read."""

from __future__ import annotations

from collections.abc import Iterator

from freezegate import digests
from freezegate.findings import Finding
from freezegate.gate.commands import pathspec, retire
from freezegate.gate.functions import CaseFunction
from freezegate.gate.registry import rule
from freezegate.gate.rules.scope_schema import lock_command
from freezegate.gate.saying import at, found
from freezegate.gate.scopes import ScopeView
from freezegate.gate.screening import JudgingFunction
from freezegate.gate.step import Step
from freezegate.paths import RepoPath
from freezegate.source.closure import Closure
from freezegate.source.predicates import function_problem

HOOK = "predicate-scope"


@rule(
    HOOK,
    "scope",
    rejects="a predicate whose closure changed while a scope that names it did not; a stale predicate_digest, in any mode",
    protects="A freeze cites a scope id; the check underneath that id may not move unseen.",
    mend="Run `freezegate lock SCOPE`, review the predicate, and commit both together.",
    accepted="order_total.py and order_total.scope.yaml changed together",
    rejected="order_total.py changed alone",
)
def predicate_without_scope(scope: ScopeView) -> Iterator[Finding]:
    """The stated digest against that of the closure, on the scope's predicate line."""
    if scope.value is None or scope.value.predicate_digest is None:
        return
    stated = scope.value.predicate_digest
    recomputed = scope.predicate_digest(scope.tree.sized or digests.is_sized(stated))
    if recomputed is not None and recomputed != stated:
        files = sorted(scope.predicate_closure.files) if scope.predicate_closure is not None else []
        shown = ", ".join(str(RepoPath(path)) for path in files[:3]) + (
            f" and {len(files) - 3} more" * (len(files) > 3)
        )
        message = f"the predicate's closure ({shown}) has the digest {recomputed}, the scope says {stated}"
        yield at("predicate-without-scope", scope, ("predicate",), message, lock_command(scope))


def predicate_moved(scope: ScopeView, step: Step) -> Iterator[Finding]:
    """The same for a scope without predicate_digest: its closure differs from the old side's, its blob does not."""
    if scope.value is None or scope.value.predicate_digest is not None or scope.predicate_closure is None:
        return
    for old in step.old.scopes_with_id(scope.value.scope_id):
        before = old.predicate_closure
        if old.entry.oid == scope.entry.oid and before is not None and before.files != scope.predicate_closure.files:
            changed = {path for path, _ in before.files.items() ^ scope.predicate_closure.files.items()}
            shown = ", ".join(str(RepoPath(path)) for path in sorted(changed)[:3])
            message = f"{shown} changed, and {scope.path} did not change with it"
            yield at("predicate-without-scope", scope, ("predicate",), message, lock_command(scope))


@rule(
    HOOK,
    "function",
    change=True,
    rejects="a top-level, undecorated test_* function with the one parameter `case` in a property file, added or with a "
    "changed body, that no scope names",
    protects="A property that no scope names is judged by nobody.",
    mend="Write a scope whose predicate is this function.",
    accepted="test_total_non_negative(case) with order_total.scope.yaml",
    rejected="test_total_non_negative(case) without any scope",
)
def property_unscoped(function: CaseFunction, step: Step) -> Iterator[Finding]:
    """On the function's line, where no scope of the new tree names it."""
    if not step.new.finder.with_predicate(function.path, function.name):
        message = f"no scope names {function.path}:{function.name}"
        hint = f"write a *.scope.yaml below {step.new.places.properties}/ with this predicate"
        here = function.function
        yield found("property-unscoped", function.path, message, hint, here.line, here.column)


@rule(
    HOOK,
    "old scope id",
    change=True,
    rejects="a scope id that vanishes or names another predicate, while the old side has its record, citation or claim, "
    "or its predicate stays unscoped, or the change touches source",
    protects="A property cannot be dropped in the change that it would have judged.",
    mend="Retire the freeze first, then remove predicate and scope together, in a change without source.",
    accepted="predicate and scope removed together, in a change of their own",
    rejected="the scope removed together with the source that it judged",
)
def property_removed(scope: ScopeView, step: Step) -> Iterator[Finding]:
    """`scope` is the old side's; the finding lies on what still needs it."""
    before = scope.value
    if before is None:
        return
    now = step.new.scope_of(before.scope_id)
    if now is not None and now.value is not None and now.value.predicate == before.predicate:
        return
    why, needing, hint = _still_needed(scope, step)
    if not why:
        return
    if now is not None:
        message = f"{before.scope_id}: it names another predicate than {before.predicate}, and {why}"
        yield at("property-removed", now, ("predicate",), message, hint)
        return
    here = step.new.scope(scope.path)
    if here is not None and here.value is None:
        message = f"{before.scope_id}: its scope cannot be read any more, and {why}"
        yield found("property-removed", scope.path, message, f"mend {scope.path}")
        return
    if here is not None and here.value is not None:
        message = f"{before.scope_id}: its scope file has the id {here.value.scope_id} now, and {why}"
        yield at("property-removed", here, ("scope_id",), message, hint)
        return
    message = f"{before.scope_id}: its scope is gone, and {why}"
    left = next((path for path in needing if step.new.entry(path) is not None), None)
    if left is not None:
        yield found("property-removed", left, message, hint)
    else:
        yield found("property-removed", scope.path, f"deleted: {message}", hint)


def _still_needed(scope: ScopeView, step: Step) -> tuple[str, list[RepoPath], str]:
    """Why an old scope may not go, the files that need it, and what to do; an empty reason where it may."""
    assert scope.value is not None
    old, scope_id = step.old, scope.value.scope_id
    bound = {"its record": old.record_path(scope_id), "its citation": old.citation_path(scope_id)}
    held = {what: path for what, path in bound.items() if old.entry(path) is not None}
    for prop in old.properties:
        if prop.value is not None and prop.value.scope == scope.path.text and prop.value.id in old.claim_set:
            held[f"the claim {prop.value.id}"] = old.places.claimed
    if held:
        hint = f"put {scope.path} back as it was; first of all, and alone, lands: {retire(scope_id)}"
        return f"the old side has {' and '.join(held)}", [*held.values()], hint
    function = scope.value.predicate_function
    if scope.predicate is not None and (entry := step.new.entry(scope.predicate)) is not None and entry.is_file:
        module = step.new.archive.module(entry.oid)
        stays = module.parse_error is None and function_problem(module, function) is None
        if stays and not step.new.finder.with_predicate(scope.predicate, function):
            hint = f"put {scope.path} back as it was, or take the function {function} out with it"
            return f"its predicate {scope.predicate}:{function} stays without a scope", [scope.predicate], hint
    if not step.touches_source:
        return "", [], ""
    hint = f"put {scope.path} back as it was, and take the property out in a change without source"
    return "the change touches source", [], hint


@rule(
    HOOK,
    "closure",
    rejects="a .pyc, .so, __pycache__ or package of the same stem beside a file of a closure",
    protects="Python would run the shadow instead of the file that was read.",
    mend="Take the shadow out of the repository.",
    accepted="helper.py",
    rejected="helper.py and helper.cpython-311-x86_64-linux-gnu.so",
)
def predicate_shadowed(closure: Closure) -> Iterator[Finding]:
    """Each shadow, on its own path."""
    for path in map(RepoPath, closure.shadows):
        message = f"{path} could run in place of a file that a predicate, oracle or generator imports"
        yield found("predicate-shadowed", path, message, f"git rm -r --cached -- {pathspec(path)}")


@rule(
    HOOK,
    "judging function",
    rejects="where policy.vacuous_predicates is reject: a predicate or oracle function that cannot fail, as far as its "
    "text shows: nothing in it depends on its case, a handler swallows the assertion, it asserts a constant or a tuple, "
    "compares a value with itself, or never reaches the assertion",
    protects="A predicate that cannot fail holds for any source, and whoever cites it cites nothing.",
    mend="Let it assert something that it computes from its case; `freezegate lint-predicates` names each place.",
    accepted='assert total(case["qty"]) >= 0',
    rejected='assert (total(case["qty"]) >= 0, "negative")',
)
def predicate_vacuous(function: JudgingFunction) -> Iterator[Finding]:
    """Each place, in the file of the function."""
    if function.tree.config.policy.vacuous_predicates == "reject":
        yield from function.findings()

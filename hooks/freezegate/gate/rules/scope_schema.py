"""Hook scope-schema: scope files, the predicates that they name, and the sources that these run."""

from __future__ import annotations

from collections.abc import Iterator

from freezegate.findings import Finding
from freezegate.gate import commands
from freezegate.gate.registry import rule
from freezegate.gate.saying import at, found, refused
from freezegate.gate.scopes import ScopeView
from freezegate.gate.sets import Collision, IdSet
from freezegate.paths import RepoPath
from freezegate.source.closure import Closure
from freezegate.source.predicates import function_problem

HOOK = "scope-schema"


@rule(
    HOOK,
    "scope",
    rejects="a scope that the strict loader refuses",
    protects="A reviewer and the gate must read the same values: no duplicate keys, aliases, tags or hidden characters.",
    mend="Mend the text at the place that the finding names.",
    accepted="schema_version: 3",
    rejected="schema_version: 3, written twice",
)
def scope_unreadable(scope: ScopeView) -> Iterator[Finding]:
    """Each reason of the strict loader."""
    yield from refused("scope-unreadable", "unreadable", scope.path, scope.reading, "mend the text at this place")


@rule(
    HOOK,
    "scope",
    rejects="a scope that its schema refuses: JSON pointer and line of each violation",
    protects="A scope ties one id to one predicate, domain and generator; a field that is missing or misspelled ties nothing.",
    mend="Give the field the value that the message asks for; `freezegate lock SCOPE` writes a required predicate_digest.",
    accepted="domain: {qty: {min: 1, max: 20}}",
    rejected="domain: {qty: {min: 20, max: 1}}",
)
def scope_schema(scope: ScopeView) -> Iterator[Finding]:
    """Each violation, and a predicate digest that policy requires and the scope lacks."""
    hint = f"edit {scope.path} so that it fits the schema (freezegate explain scope-schema)"
    yield from refused("scope-schema", "schema", scope.path, scope.reading, hint)
    if (
        scope.value is not None
        and scope.tree.config.policy.require_predicate_digest
        and scope.value.predicate_digest is None
    ):
        message = "/predicate_digest: missing, and policy.require_predicate_digest asks for it"
        yield at("scope-schema", scope, ("predicate",), message, lock_command(scope))


def lock_command(scope: ScopeView) -> str:
    """The command that writes the scope's predicate digest."""
    return commands.lock(scope.path)


@rule(
    HOOK,
    "scope",
    rejects="a predicate, generator, seed lock or input whose path is no plain path, or lies outside its layout folder "
    "(an input: inside source; predicate and generator: no .py file)",
    protects="Every file that a scope rests on lies where the gate watches it, under one spelling.",
    mend="Write the path from the repository root, and move the file into the folder that the message names.",
    accepted="generator: tests/fixtures/gen_orders.py",
    rejected="generator: tests/fixtures/../gen_orders.py",
)
def scope_path(scope: ScopeView) -> Iterator[Finding]:
    """Each named path whose text may not be followed."""
    for name in scope.named:
        if name.refused is not None:
            key = "/" + "/".join(map(str, name.pointer))
            message = f'{key}: the path "{name.text}" {name.refused}'
            yield at(
                "scope-path",
                scope,
                name.pointer,
                message,
                f"edit {scope.path}: name a file in its layout folder",
            )


@rule(
    HOOK,
    "set",
    rejects="two scopes with one id; two governed paths that collide after NFC and case folding",
    protects="An id names one scope, and a path one file on every file system: with two, one could excuse the other.",
    mend="Give one of the two scopes another scope_id; rename one of the two files.",
    accepted="two scopes, order_total.non_negative and order_total.rounded",
    rejected="two scopes, both order_total.non_negative",
)
def scope_id_duplicate(group: IdSet | Collision) -> Iterator[Finding]:
    """Every member of the group behind the first by path."""
    if isinstance(group, IdSet):
        first, *others = group.holders
        for scope in others:
            message = f"{group.scope_id} is the id of {first.path} too"
            hint = f"edit {scope.path}: give it a scope_id of its own"
            yield at("scope-id-duplicate", scope, ("scope_id",), message, hint)
    else:
        kept, *twins = group.paths
        for path in twins:
            message = f"{path} and {kept} are one path after Unicode and case folding"
            yield found("scope-id-duplicate", path, message, f"git mv -- {path.shell} NEW_NAME")


@rule(
    HOOK,
    "scope",
    rejects="a predicate that is not bound exactly once in its file by one plain, undecorated, synchronous, non-generator "
    "top-level def with exactly one required positional parameter; no regular file there; a file that does not parse",
    protects="What the gate reads as the predicate is what a run would call.",
    mend="Define the function once, plainly, with one parameter, in the file that the scope names.",
    accepted="def test_total(case): ...",
    rejected="test_total = staticmethod(lambda case: True)",
)
def predicate_missing(scope: ScopeView) -> Iterator[Finding]:
    """The one reason, on the scope's predicate line."""
    if scope.value is None or scope.predicate is None:
        return
    path, function = scope.predicate, scope.value.predicate_function
    entry = scope.tree.snapshot.entry(path)
    if entry is None or not entry.is_file:
        why = f"there is no regular file {path}"
    elif (problem := function_problem(scope.tree.archive.module(entry.oid), function)) is not None:
        why = f"{path}: {problem}"
    else:
        return
    hint = f"define `def {function}(case):` once in {path}, or edit the predicate of {scope.path}"
    if entry is None:
        hint = f"{commands.add([path])} where the file is there and not staged; else {hint}"
    yield at("predicate-missing", scope, ("predicate",), why, hint)


@rule(
    HOOK,
    "closure",
    rejects="a construct whose imports cannot be read from the text, in the closure of a predicate, oracle or generator",
    protects="A change of any file that judges must be seen; what is imported at run time by name cannot be.",
    mend="Import by a plain import statement.",
    accepted='import_module("amounts")',
    rejected="import_module(name)",
)
def closure_undecidable(closure: Closure) -> Iterator[Finding]:
    """One finding a construct, at its line."""
    yield from _source_problems("closure-undecidable", closure, "import by a plain import statement")


@rule(
    HOOK,
    "closure",
    rejects="a Python file of a closure that is not plain UTF-8 text of at most 128 KiB: another coding cookie, a CR "
    "outside CRLF, bidirectional controls, a non-ASCII imported name",
    protects="The text that a person reviews is the text that Python runs.",
    mend="Save the file as UTF-8 without the named characters; split a file that is too large.",
    accepted="# coding: utf-8",
    rejected="# coding: utf-7",
)
def source_disguised(closure: Closure) -> Iterator[Finding]:
    """One finding a disguise, at its line."""
    yield from _source_problems("source-disguised", closure, "save the file as plain UTF-8 text")


def generator_unparsed(scope: ScopeView) -> Iterator[Finding]:
    """The same for a generator that does not parse: of its imports nothing can be told."""
    closure = scope.tree.closure(scope.generator)
    if closure is not None and scope.generator is not None and scope.generator in closure.files:
        error = scope.tree.module(scope.generator).parse_error
        if error is not None:
            line, column, why = error
            message = f"the generator does not parse: {why}"
            yield found("closure-undecidable", scope.generator, message, "mend the syntax at this place", line, column)


def _source_problems(rule_name: str, closure: Closure, hint: str) -> Iterator[Finding]:
    for path, problem in closure.problems:
        if problem.rule == rule_name:
            yield found(rule_name, RepoPath(path), problem.message, hint, problem.line, problem.column)

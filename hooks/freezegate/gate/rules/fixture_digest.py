"""Hook fixture-digest: digests are recomputed from blobs, and what they hash is what a run would read."""

from __future__ import annotations

from collections.abc import Iterator

from freezegate import digests
from freezegate.findings import Finding
from freezegate.gate.bindings import Binding
from freezegate.gate.fixtures import FixtureFile, FixtureRoot
from freezegate.gate.registry import rule
from freezegate.gate.saying import at, found
from freezegate.gate.scopes import ScopeView
from freezegate.git.entry import Entry
from freezegate.git.snapshot import Snapshot
from freezegate.paths import RepoPath

HOOK = "fixture-digest"


@rule(
    HOOK,
    "binding",
    rejects="a record whose fixture_digest differs from the recomputed one: both values shown",
    protects="A record excuses a failure only under the generator, scope and seeds that it was made with.",
    mend="An edit that is not committed yet: `freezegate retire ID`, and commit both together; then run the property, bind "
    "and cite again. An edit that is committed: bind again, so that the record is made from what is there now.",
    accepted="the digest of the staged generator, scope and lock",
    rejected="the digest from before the generator was edited",
)
def digest_mismatch(binding: Binding) -> Iterator[Finding]:
    """The stated and the recomputed digest, on the record."""
    stated, recomputed = binding.stated_digest, binding.recomputed_digest
    if binding.record is not None and stated is not None and recomputed is not None and stated != recomputed:
        message = f"the record says {stated}, the tree gives {recomputed}"
        yield at("digest-mismatch", binding.record, ("fixture_digest",), message, binding.bind_command)


@rule(
    HOOK,
    "scope or fixtures",
    rejects="a generator, seed lock or input that is not there; a fixture tree without files",
    protects="The hash of nothing would stand for any content.",
    mend="Add the file, or name the one that is there.",
    accepted="generator: tests/fixtures/gen_orders.py, which is in the tree",
    rejected="generator: tests/fixtures/gen_orders.py, deleted in the same commit",
)
def digest_input_missing(unit: ScopeView | FixtureRoot | FixtureFile) -> Iterator[Finding]:
    """Each named file that is absent, on the scope; or the fixture root."""
    if isinstance(unit, ScopeView):
        for name in unit.named[1:]:
            path = name.path
            if path is None or unit.tree.snapshot.obstruction(path) is not None:
                continue
            entry = unit.tree.snapshot.entry(path)
            if entry is None or not entry.is_file:
                message = f"/{'/'.join(map(str, name.pointer))}: there is no regular file {path}"
                hint = f"add {path}, or edit {unit.path}"
                yield at("digest-input-missing", unit, name.pointer, message, hint)
    elif isinstance(unit, FixtureRoot) and unit.empty:
        message = f"the fixture tree {unit.root}/ holds no files, so it has no digest"
        yield found("digest-input-missing", unit.needed_by, message, f"add the fixtures below {unit.root}/")


@rule(
    HOOK,
    "scope or fixtures",
    rejects="a symbolic link, submodule or LFS pointer among hashed files, or on the way to one",
    protects="The bytes that a test would read must be the bytes that git holds and the digest covers.",
    mend="Commit the file itself in its place.",
    accepted="tests/fixtures/gen_orders.py, a regular file",
    rejected="tests/fixtures, a symbolic link to another folder",
)
def digest_input_kind(unit: ScopeView | FixtureRoot | FixtureFile) -> Iterator[Finding]:
    """Each obstacle, on the scope that names it or on the fixture itself."""
    rule_name, hint = "digest-input-kind", "commit the file itself in its place"
    if isinstance(unit, ScopeView):
        for name in unit.named[1:]:
            if name.path is not None and (what := _obstacle(unit, name.path)) is not None:
                yield at(rule_name, unit, name.pointer, f"/{'/'.join(map(str, name.pointer))}: {what}", hint)
        for closure in (unit.predicate_closure, unit.tree.closure(unit.generator)):
            for link in closure.links if closure is not None else ():
                yield found(rule_name, RepoPath(link), "a link or submodule stands where a closure imports from", hint)
    elif isinstance(unit, FixtureRoot):
        if unit.obstruction is not None:
            yield found(rule_name, unit.obstruction[0], kind_of(*unit.obstruction), hint)
    elif not unit.entry.is_file:
        yield found(rule_name, unit.place, kind_of(unit.place, unit.entry), hint)
    elif unit.content.is_pointer:
        yield found(rule_name, unit.place, f"{unit.place} is an LFS pointer, not the file", hint)


def _obstacle(scope: ScopeView, path: RepoPath) -> str | None:
    snapshot: Snapshot = scope.tree.snapshot
    if (step := snapshot.obstruction(path)) is not None:
        return kind_of(*step)
    entry = snapshot.entry(path)
    if entry is not None and entry.is_file and scope.tree.archive.content(entry).is_pointer:
        return f"{path} is an LFS pointer, not the file"
    return None


def kind_of(path: RepoPath, entry: Entry) -> str:
    """In words what stands at a path that should hold a regular file."""
    if entry.is_link:
        return f"{path} is a symbolic link"
    if entry.is_submodule:
        return f"{path} is a submodule"
    return f"{path} has the mode {entry.mode:06o}, which no regular file has"


@rule(
    HOOK,
    "scope or fixtures",
    rejects="with framing plain: a zero byte in a hashed file; a control character or invalid UTF-8 in a hashed path; "
    "before another file of a binding or predicate digest, an end without a line feed",
    protects="The published formulas separate names and bytes by zero bytes, and bytes from the next name by nothing: "
    "two trees could share a digest.",
    mend="End the file with a line feed; for zero bytes set policy.framing to sized in .freezegate.yaml, in a change of its own, and bind again.",
    accepted="a text file",
    rejected="a file with a zero byte under framing plain",
)
def digest_ambiguous(unit: ScopeView | FixtureRoot | FixtureFile) -> Iterator[Finding]:
    """Each hashed file that the plain formula could confuse with others."""
    hint = "write `framing: sized` under policy in .freezegate.yaml, in a change of its own"
    if isinstance(unit, ScopeView):
        for path, why in unit.ambiguities:
            mend = f"end {RepoPath(path)} with a line feed" if "line feed" in why else hint
            yield found("digest-ambiguous", RepoPath(path), why, mend)
    elif isinstance(unit, FixtureFile) and not unit.tree.sized and unit.entry.is_file:
        if unit.content.has_zero:
            yield found("digest-ambiguous", unit.place, f"{unit.place} has a zero byte", hint)
        if (reason := digests.ambiguity(unit.path)) is not None:
            yield found("digest-ambiguous", unit.place, f"{unit.place}: {reason}", hint)


@rule(
    HOOK,
    "scope",
    rejects="a generator whose closure has a file that the digest does not cover",
    protects="A helper that the generator imports decides which cases come out; it must be locked with it.",
    mend="List the helper in the scope's inputs, and bind again.",
    accepted="inputs: [tests/fixtures/helper.py], for a generator that imports helper",
    rejected="no inputs, for a generator that imports helper",
)
def generator_import_unlocked(scope: ScopeView) -> Iterator[Finding]:
    """Each file of the generator's closure outside the digest, on the scope's generator line."""
    closure = scope.tree.closure(scope.generator)
    if closure is None:
        return
    covered = {name.path for name in scope.named[1:]}
    for path in sorted(set(closure.files) - covered):
        shown = RepoPath(path)
        message = f"/generator: it imports {shown}, which the digest does not cover"
        hint = f"edit {scope.path}: add {shown} to inputs, or name its folder under layout.source where it is source"
        yield at("generator-import-unlocked", scope, ("generator",), message, hint)

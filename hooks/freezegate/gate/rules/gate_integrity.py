"""Hook gate-integrity: the gate's own files, and the shape of the tree that everything rests on."""

from __future__ import annotations

from collections.abc import Iterator

from freezegate.findings import Finding
from freezegate.gate.commands import unstage
from freezegate.gate.companions import companions
from freezegate.gate.layout import ConfigUnit, Flaw, FolderUnit
from freezegate.gate.registry import rule
from freezegate.gate.saying import found
from freezegate.gate.step import Step
from freezegate.gate.watched import is_gate_change
from freezegate.paths import RepoPath

HOOK = "gate-integrity"
_MARK = b'"freezegate_artifact"'
_MARK_LIMIT = 1 << 20


@rule(
    HOOK,
    "file step",
    change=True,
    rejects="a generated run, verdict or evidence file",
    protects="The next patch must make its own evidence; a committed certificate would be taken for it.",
    mend="Keep run folders out of the repository.",
    accepted="catalog/claimed.json",
    rejected='runs.json with "freezegate_artifact"',
)
def certificate_committed(path: RepoPath, step: Step) -> Iterator[Finding]:
    """An added or changed file that is named or marked as evidence."""
    entry = step.new.entry(path)
    if entry is None or not entry.is_file or not path.endswith(b".json"):
        return
    named = path.name == b"base.sig.json"
    data = None if named else step.new.archive.store.blob(entry.oid, _MARK_LIMIT)
    if named or (data is not None and _MARK in data):
        message = f"{path} is evidence that a run generated"
        yield found("certificate-committed", path, message, unstage(path))


@rule(
    HOOK,
    "file step",
    change=True,
    rejects="a file of the gate's own (config, allowed signers and revoked keys, our pre-commit entries, a CI file that names "
    "freezegate, attributes over a layout folder) changed together with a governed file",
    protects="The rules may not be softened in the change that they judge.",
    mend="Split the change: the gate's files alone, then the rest.",
    accepted=".freezegate.yaml changed alone",
    rejected=".freezegate.yaml changed together with a scope",
)
def gate_mixed(path: RepoPath, step: Step) -> Iterator[Finding]:
    """On the gate's file, naming a governed one."""
    if is_gate_change(path, step):
        for other in companions("gate file", path, step):
            message = f"{path} belongs to the gate and changes together with {other}"
            hint = f"commit {path} in a change of its own"
            if step.new.entry(path) is None:
                message = f"deleted: {message}"
            yield found("gate-mixed", path, message, hint)


@rule(
    HOOK,
    "config",
    rejects="a new config that is refused, or its removal while governed documents remain; a half that is on without any "
    "source folder",
    protects="A gate without a readable config, or without source to watch, guards nothing.",
    mend="Mend the config at the place that the finding names; name the source folders under layout.source.",
    accepted="policy: {framing: sized}",
    rejected="policy: {framing: loose}",
)
def config_invalid(unit: ConfigUnit) -> Iterator[Finding]:
    """Each problem of the config."""
    hint = f"edit {unit.path} so that it fits the schema (freezegate explain config-invalid)"
    if unit.entry is not None and not unit.entry.is_file:
        yield found("config-invalid", unit.path, f"{unit.path} is no regular file", "commit the file itself")
    for problem in unit.problems:
        yield found("config-invalid", unit.path, problem.message, problem.hint or hint, problem.line, problem.column)
    if unit.removed:
        message = f"deleted: {unit.path} is gone while governed documents remain"
        yield found("config-invalid", unit.path, message, f"bring {unit.path} back as it was")
    if unit.sourceless:
        sources = ", ".join(f"{folder}/" for folder in unit.sources)
        message = f"none of the source folders exists ({sources}), so no rule could see that a change touches source"
        yield found(
            "config-invalid",
            unit.path,
            message,
            f"name the source folders under layout.source in {unit.path}",
        )


@rule(
    HOOK,
    "folder",
    rejects="duplicate or unsorted names, .git, .., empty names, names with a slash, unknown modes in a pushed tree",
    protects="git's own readers disagree about such a tree: what was judged is not what is checked out.",
    mend="Make the commit again with git itself.",
    accepted="a tree that git wrote",
    rejected="a tree with the name src twice",
)
def tree_malformed(folder: FolderUnit) -> Iterator[Finding]:
    """Each flaw of a changed folder."""
    for flaw in folder.flaws:
        message = f"the tree of {folder.path or '.'}{'/' if folder.path else ''} has {flaw}"
        yield found("tree-malformed", folder.path, message, "make the commit again with git itself")


@rule(
    HOOK,
    "layout",
    rejects="a layout folder, one above it, or a document that is a link or submodule; a path that equals a layout path "
    "only after folding; a file in bindings or freezes that is no document; *.scope.yml",
    protects="Governed files lie where they are judged, under one spelling, and nothing hides among them.",
    mend="Put the file itself in its place, under the exact name; take out what does not belong.",
    accepted="tests/bindings/order_total.non_negative.json",
    rejected="tests/bindings/notes.txt",
)
def layout_kind(flaw: Flaw) -> Iterator[Finding]:
    """The flaw, on its path."""
    yield found("layout-kind", flaw.path, flaw.message, flaw.hint)

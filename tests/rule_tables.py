"""Tables of edits that a rule accepts or rejects, and how a row of them is judged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

import building
from freezegate.findings import Finding
from freezegate.gate.registry import all_rules
from memory import Content, evaluate_memory

Files = dict[str, Content]
Edit = Callable[[Files], Files]


def put(path: str, content: Content) -> Edit:
    """Write one file."""
    return lambda files: {**files, path: content.encode() if isinstance(content, str) else content}


def drop(*paths: str) -> Edit:
    """Remove files, or whole folders."""

    def edit(files: Files) -> Files:
        kept = {path: content for path, content in files.items() if not any(_within(path, gone) for gone in paths)}
        assert len(kept) < len(files), f"nothing at {paths}"
        return kept

    return edit


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def move(before: str, after: str) -> Edit:
    """Rename one file."""
    return lambda files: {**{path: content for path, content in files.items() if path != before}, after: files[before]}


def swap(path: str, before: str, after: str) -> Edit:
    """Replace text in one file; it must be there."""

    def edit(files: Files) -> Files:
        content = files[path]
        assert isinstance(content, bytes) and before.encode() in content, f"no {before!r} in {path}"
        return {**files, path: content.replace(before.encode(), after.encode(), 1)}

    return edit


def append(path: str, text: str) -> Edit:
    """Add text to the end of one file."""

    def edit(files: Files) -> Files:
        content = files[path]
        assert isinstance(content, bytes)
        return {**files, path: content + text.encode()}

    return edit


def fields(path: str, **changes: Any) -> Edit:
    """Set top-level fields of one JSON document; a value of ... removes the field."""

    def edit(files: Files) -> Files:
        content = files[path]
        assert isinstance(content, bytes)
        document = {**json.loads(content), **changes}
        kept = {key: value for key, value in document.items() if value is not ...}
        return {**files, path: building.as_json(kept)}

    return edit


def rebound(*, sized: bool = False, **changes: Any) -> Edit:
    """Write records and citations anew from scopes and counterexamples; `changes` are fields of the records."""
    return lambda files: {**files, **building.rebind(_bytes(files), sized=sized, **changes)}


def _bytes(files: Files) -> dict[str, bytes]:
    return {path: content for path, content in files.items() if isinstance(content, bytes)}


def edited(files: Mapping[str, Content], *edits: Edit) -> Files:
    """The files after these edits, in order."""
    result = dict(files)
    for edit in edits:
        result = edit(result)
    return result


@dataclass(frozen=True)
class Row:
    """One step from the good project (with `before` applied to it) by `edits`, and what is expected of it.

    `at` is path:line:column of the finding of `rule`, `says` and `hint` are parts of its texts; `also` are further
    rules that the same step breaks. Without `at` the step is accepted: no finding of any rule but `also`.
    """

    rule: str
    name: str
    edits: tuple[Edit, ...]
    at: str | tuple[str, ...] = ()
    says: str = ""
    hint: str = ""
    also: tuple[str, ...] = ()
    before: tuple[Edit, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def places(self) -> tuple[str, ...]:
        """Where the findings of the rule lie."""
        return (self.at,) if isinstance(self.at, str) else self.at


def reject(rule: str, name: str, *edits: Edit, at: str | tuple[str, ...], says: str, hint: str, **more: Any) -> Row:
    """A row that the rule rejects."""
    assert at and says and hint
    return Row(rule, name, edits, at=at, says=says, hint=hint, **_split(more))


def accept(rule: str, name: str, *edits: Edit, **more: Any) -> Row:
    """A row that every rule accepts (but for those in `also`)."""
    return Row(rule, name, edits, **_split(more))


def _split(more: dict[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {key: more.pop(key) for key in ("also", "before") if key in more}
    return {**known, "options": more}


def rows(table: list[Row]) -> pytest.MarkDecorator:
    """Parametrize a test with a table; the ids begin with the rule's name."""
    return pytest.mark.parametrize("row", [pytest.param(row, id=f"{row.rule}-{row.name}") for row in table])


def judge(row: Row) -> None:
    """Fail unless the step gives exactly what the row expects, however the trees are read."""
    old = edited(building.good_project(), *row.before)
    new = edited(old, *row.edits)
    report = evaluate_memory(old, new, **row.options)
    own = [each for each in report.findings if each.rule == row.rule and row.rule not in row.also]
    places = sorted(f"{each.path}:{each.line}:{each.column}" for each in own)
    shown = "\n".join(f"{each.path}:{each.line}:{each.column}: {each.rule}: {each.message}" for each in report.findings)
    assert {each.rule for each in report.findings} == {*row.also, *([row.rule] if row.places else [])}, shown
    assert places == sorted(row.places), shown
    if own:
        assert any(row.says in each.message for each in own), shown
        assert any(row.hint in each.hint for each in own), [each.hint for each in own]
    for options in ({"staged": True}, {"narrow_from": 0}, {"staged": True, "narrow_from": 0}):
        again = evaluate_memory(old, new, **{**row.options, **options})
        assert again.findings == report.findings, options
        assert again.checked == report.checked, options
    judge_alone(old, new, row, report.findings)


def judge_alone(old: Files, new: Files, row: Row, seen: Iterable[Finding]) -> None:
    """The state rules find the same in the new tree alone, where the old one is clean by itself."""
    before = evaluate_memory(old, old, **{**row.options, "verify_all": True})
    if before.findings or row.options.get("config") is not None:
        return
    everything = evaluate_memory(old, new, **{**row.options, "verify_all": True}).findings
    assert state_findings(everything) == state_findings(seen)
    if has_scopes(new) == has_scopes(old):  # where the last scope goes, no half of the tree alone is under the gate
        alone = evaluate_memory(None, new, **row.options).findings
        assert state_findings(alone) == state_findings(seen)


def has_scopes(files: Files) -> bool:
    """Whether the binding half is on by what is in the tree."""
    return any(path.startswith("tests/properties/") and path.endswith(".scope.yaml") for path in files)


def state_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Those of rules that judge the new tree alone."""
    change_rules = {name for name, rule in all_rules().items() if rule.change}
    return [
        each
        for each in findings
        # One rule is both: by a stated digest it judges the tree, without one the step.
        if each.rule not in change_rules and not each.message.endswith("did not change with it")
    ]


def assert_complete(table: list[Row], hook: str) -> None:
    """Every rule of the hook has a row that it rejects and one that it accepts."""
    names = {name for name, rule in all_rules().items() if rule.hook == hook}
    assert {row.rule for row in table if row.places} == names
    assert {row.rule for row in table if not row.places} == names

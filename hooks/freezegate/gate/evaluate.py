"""Rules over a Change give a Report: the one engine behind the commit hook, the CI range and the push."""

from __future__ import annotations

from typing import NamedTuple

from freezegate.documents.config import Config
from freezegate.findings import DOCUMENT_KINDS, Report
from freezegate.gate.archive import Archive
from freezegate.gate.force import config_in_force, is_adopted, own_config
from freezegate.gate.governed import CONFIG_PATH, Governed
from freezegate.gate.judging import Judge
from freezegate.gate.layout import ConfigUnit
from freezegate.gate.registry import all_rules
from freezegate.git.change import Change
from freezegate.git.snapshot import Snapshot, difference
from freezegate.paths import RepoPath

__all__ = ["Options", "evaluate"]

_BINDING_KEYS = frozenset(("properties", "generators", "seed_lock", "bindings", "freezes"))
_VERDICT_KEYS = frozenset(("oracles", "fixtures", "catalog", "claimed", "ledger"))
# From this many names in the properties folder on, a change of few files is narrowed by searching before documents are
# read.
NARROW_FROM = 200


class Options(NamedTuple):
    """What the caller asks beyond the change: a config given from outside, every unit verified, which hooks speak."""

    config: bytes | None = None
    verify_all: bool = False
    hooks: tuple[str, ...] = ()
    narrow_from: int = NARROW_FROM


def evaluate(change: Change, options: Options, archive: Archive | None = None) -> Report:
    """Judge the change; `archive` holds what was read for earlier ones. Raises CannotJudge, GitError; never passes over
    what it could not read.
    """
    archive = archive or Archive(change.new.store)
    adopted = next((side for side in change.old if is_adopted(side, archive, change)), None)
    visited: set[RepoPath] = set()
    if change.steps is None:
        deltas = tuple(difference(old, change.new, None if change.well_formed else visited.add) for old in change.old)
    else:
        deltas = tuple(step.delta for step in change.steps)
        visited.update(*(step.folders for step in change.steps))
    if not change.old and not change.well_formed:
        visited.update(change.new.folders(RepoPath(b"")))
    if archive.index is not None:
        for snapshot in (*change.old, *change.accepted):
            archive.index.cover(snapshot, None, {})
        archive.index.cover(change.new, change.old[0] if change.old else None, deltas[0] if deltas else {})
    elif change.steps is not None and deltas:
        change.new.grew_from(change.old[0], deltas[0])
    config = config_in_force(change, archive, options.config, change.force or adopted, deltas)
    new = Governed(change.new, config, archive, change.day)
    old = tuple(_seen(side, config, archive, change) for side in change.old)
    if archive.index is not None:
        archive.seen[change.new.root] = new
    sides = (new, *old)
    binding_on = bool(config.named & _BINDING_KEYS) or any(side.has_scopes for side in sides)
    verdict_on = bool(config.named & _VERDICT_KEYS) or any(side.entry(side.places.claimed) for side in sides)
    for side in sides:
        side.binding_on, side.verdict_on = binding_on, verdict_on
    adopting = bool(change.old) and adopted is None and options.config is None
    if adopting:
        old, deltas = (), ()
    # As with the config, nobody adds himself to the signers in the change that he signs.
    new.trusted = change.force or adopted or (change.old[0] if old else change.new)
    accepted = tuple(Governed(side, config, archive, change.day) for side in change.accepted)
    for tree in accepted:
        tree.binding_on, tree.verdict_on = binding_on, verdict_on
    also = tuple(difference(side, change.new) for side in change.accepted)
    judge = Judge(new, old, deltas, change, archive, options.verify_all, accepted, also)
    judge.narrow(options.narrow_from)
    judge.judge_config(*(_config_unit(side, judge if side is new else None, archive) for side in (new, *judge.old)))
    judge.judge_folders(sorted(visited))
    judge.judge_everything()
    findings = judge.findings
    if options.hooks:
        reported = {rule.name for rule in all_rules().values() if rule.hook in options.hooks} | {"config-invalid"}
        findings = {found for found in findings if found.rule in reported}
    return Report(
        mode=change.mode,
        compared=change.compared,
        findings=tuple(sorted(findings)),
        checked={kind: len(judge.checked[kind]) for kind in DOCUMENT_KINDS},
        notes=(*_notes(change, adopting), *(_left_over(new) if judge.all else ()), *judge.notes()),
    )


def _seen(side: Snapshot, config: Config, archive: Archive, change: Change) -> Governed:
    """An old side, with what was found of it when it was the new one."""
    known = archive.seen.get(side.root) if archive.index is not None else None
    return known if known is not None else Governed(side, config, archive, change.day)


def _notes(change: Change, adopting: bool) -> tuple[str, ...]:
    if not change.old:
        return ("there is no old side, so the rules about changes did not run; --base REF names one",)
    if adopting:
        return ("no old side is under the gate yet, so only the rules about the tree itself ran",)
    return ()


def _left_over(new: Governed) -> list[str]:
    """Documents of a half that is off: nothing judges them."""
    notes = []
    if not new.binding_on and new.holds_bindings:
        notes.append("there are records or citations but no scope, so the binding half is off and nothing judges them")
    if not new.verdict_on and new.holds_verdicts:
        notes.append(
            "there is a ledger or a catalog but no claims file, so the verdict half is off and nothing judges them"
        )
    return notes


def _config_unit(side: Governed, judge: Judge | None, archive: Archive) -> ConfigUnit:
    """A side's config; `judge` is given for the new side, whose config may have been removed."""
    reading = own_config(side.snapshot, archive)
    own = reading.document if reading is not None else None
    entry = side.entry(CONFIG_PATH)
    # Where one side has none either, the new tree takes that side's.
    removed = (
        entry is None
        and judge is not None
        and bool(judge.steps)
        and all(each.entry(CONFIG_PATH) is not None for each in judge.old)
    )
    return ConfigUnit(
        tree=side,
        path=CONFIG_PATH,
        entry=entry,
        problems=reading.problems if reading is not None else (),
        removed=removed and side.has_documents,
        sources=side.places.source if own is None else own.layout.source,
    )

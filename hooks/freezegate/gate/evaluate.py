"""Rules over a Change give a Report: the one engine behind the commit hook, the CI range and the push."""

from __future__ import annotations

from typing import NamedTuple

from freezegate.findings import DOCUMENT_KINDS, Report
from freezegate.gate.force import config_in_force, is_adopted, own_config
from freezegate.gate.governed import CONFIG_PATH, Governed
from freezegate.gate.judging import Judge
from freezegate.gate.layout import ConfigUnit
from freezegate.gate.library import Library
from freezegate.gate.registry import all_rules
from freezegate.git.change import Change
from freezegate.git.snapshot import difference
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


def evaluate(change: Change, options: Options) -> Report:
    """Judge the change. Raises CannotJudge, GitError; never passes over what it could not read."""
    library = Library(change.new.store)
    adopted = next((side for side in change.old if is_adopted(side, library, change)), None)
    visited: set[RepoPath] = set()
    deltas = tuple(difference(old, change.new, None if change.well_formed else visited.add) for old in change.old)
    if not change.old and not change.well_formed:
        visited.update(change.new.folders(RepoPath(b"")))
    config = config_in_force(change, library, options.config, adopted, deltas)
    new = Governed(change.new, config, library, change.day)
    old = tuple(Governed(side, config, library, change.day) for side in change.old)
    sides = (new, *old)
    binding_on = bool(config.named & _BINDING_KEYS) or any(side.has_scopes for side in sides)
    verdict_on = bool(config.named & _VERDICT_KEYS) or any(side.entry(side.places.claimed) for side in sides)
    for side in sides:
        side.binding_on, side.verdict_on = binding_on, verdict_on
    adopting = bool(change.old) and adopted is None and options.config is None
    judge = Judge(new, () if adopting else old, () if adopting else deltas, change, library, options.verify_all)
    judge.narrow(options.narrow_from)
    judge.judge_config(*(_config_unit(side, old, library) for side in sides))
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
        notes=(*_notes(change, adopting), *(_left_over(new) if judge.all else ())),
    )


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


def _config_unit(side: Governed, old: tuple[Governed, ...], library: Library) -> ConfigUnit:
    reading = own_config(side.snapshot, library)
    own = reading.document if reading is not None else None
    entry = side.entry(CONFIG_PATH)
    # A merge that takes the side without a config removes none.
    had = bool(old) and all(each.entry(CONFIG_PATH) is not None for each in old)
    removed = entry is None and side not in old and had
    return ConfigUnit(
        tree=side,
        path=CONFIG_PATH,
        entry=entry,
        problems=reading.problems if reading is not None else (),
        removed=removed and side.has_documents,
        sources=side.places.source if own is None else own.layout.source,
    )

"""The units of the verdict half: fixtures, catalog, ledger, claims."""

from __future__ import annotations

from collections.abc import Iterator

from freezegate.gate.claims import CatalogSet, ClaimsUnit, ClaimUnit, EntryUnit, LedgerUnit, PropertyUnit
from freezegate.gate.fixtures import FixtureFile, FixtureRoot
from freezegate.gate.governed import Governed
from freezegate.gate.judging import Judge
from freezegate.gate.rules import catalog, fixture_digest, freeze_ledger, predicate_scope  # noqa: F401
from freezegate.gate.screening import oracle_of
from freezegate.paths import RepoPath


def judge_verdict_half(judge: Judge) -> None:
    """Run the rules over every unit that the change touched."""
    _judge_fixtures(judge)
    _judge_catalog(judge)
    _judge_ledger(judge)
    _judge_claims(judge)


def _judge_fixtures(judge: Judge) -> None:
    root = FixtureRoot(judge.new)
    if judge.new.has_claims_or_freezes and judge.fresh(root, FixtureRoot):
        judge.state("scope or fixtures", root)
    folder = judge.new.places.fixtures
    if judge.all:
        files = judge.new.fixture_files
    else:
        changed = judge.changed(lambda path: path.below(folder))
        entries = ((path, judge.new.entry(path)) for path in changed)
        files = [(RepoPath(path[len(folder) + 1 :]), entry) for path, entry in entries if entry is not None]
    for file in FixtureFile.all_of(judge.new, files):
        judge.state("scope or fixtures", file)


def _judge_catalog(judge: Judge) -> None:
    for document in judge.new.properties:
        unit = judge.new.property_unit(document)
        path = document.path

        def twin(side: Governed, path: RepoPath = path) -> PropertyUnit | None:
            there = side.document("property", path)
            return side.property_unit(there) if there is not None else None

        if judge.fresh(unit, twin):
            judge.saw("property", path)
            judge.state("property", unit)
            judge.screen(oracle_of(unit))
            if unit.oracle is not None:
                closure = judge.new.closure(unit.oracle.path, unit.oracle.is_node)
                if closure is not None:
                    judge.state("closure", closure)
        entries = [side.entry(path) for side in judge.old]
        if document.entry not in entries:
            judge.step_by_step("property step", unit)
    known = [{group.key for group in _shared(side)} for side in judge.old]
    for group in _shared(judge.new):
        if judge.all or not any(group.key in keys for keys in known):
            judge.state("catalog set", group)


def _judge_ledger(judge: Judge) -> None:
    if judge.new.ledger is not None and judge.fresh(LedgerUnit(judge.new), LedgerUnit):
        judge.saw("ledger", judge.new.ledger.path)
        judge.state("ledger", LedgerUnit(judge.new))
    before = [(side, {freeze.fields: freeze for freeze in side.freezes}) for side in judge.old]
    for freeze in judge.new.freezes:
        entry = EntryUnit(judge.new, freeze)
        twins = [EntryUnit(side, known[freeze.fields]) for side, known in before if freeze.fields in known]
        if judge.all or all(twin.key != entry.key for twin in twins):
            judge.state("entry", entry)
        if not twins:
            judge.step_by_step("entry step", entry)


def _judge_claims(judge: Judge) -> None:
    unit = ClaimsUnit(judge.new)
    if judge.fresh(unit, ClaimsUnit):
        judge.saw("claimed", judge.new.claimed.path if judge.new.claimed is not None else None)
        judge.state("claims", unit)
    known = [{ClaimUnit(side, 0, prop_id).key for prop_id in side.claims} for side in judge.old]
    for index, prop_id in enumerate(judge.new.claims):
        claim = ClaimUnit(judge.new, index, prop_id)
        if judge.all or not any(claim.key in keys for keys in known):
            judge.state("claim", claim)

    def subject(tree: Governed, prop_id: str) -> object:
        return (prop_id in tree.claim_set, prop_id in tree.properties_by_id)

    for prop_id in sorted({name for side in judge.old for name in (*side.claims, *side.properties_by_id)}):
        now = subject(judge.new, prop_id)
        if all(subject(side, prop_id) != now for side in judge.old):
            judge.step_by_step("old claim", prop_id)


def _shared(tree: Governed) -> Iterator[CatalogSet]:
    """The sets of readable catalog documents that share an id, or an oracle function."""
    groups: dict[tuple[str, object], list[PropertyUnit]] = {}
    for document in tree.properties:
        unit = tree.property_unit(document)
        if unit.value is None:
            continue
        groups.setdefault((unit.value.id, None), []).append(unit)
        if unit.oracle is not None and unit.oracle.function is not None:
            name = f"{unit.oracle.path}:{unit.oracle.function}"
            groups.setdefault((name, unit.oracle.path), []).append(unit)
    for (what, _), members in groups.items():
        if len(members) > 1:
            yield CatalogSet(what, tuple(members))

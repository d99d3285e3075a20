"""Hook freeze-ledger: an entry excuses one known failure that the base had, under the fixtures that are there."""

from __future__ import annotations

from collections.abc import Iterator

from freezegate import digests
from freezegate.findings import Finding
from freezegate.gate import commands
from freezegate.gate.claims import EntryUnit, LedgerUnit
from freezegate.gate.companions import companions
from freezegate.gate.registry import rule
from freezegate.gate.saying import at, did_you_mean, refused
from freezegate.gate.step import Step

HOOK = "freeze-ledger"
_COMPARED = 50  # entries


@rule(
    HOOK,
    "ledger",
    rejects="a ledger that the strict loader refuses",
    protects="A reviewer and the gate must read the same entries.",
    mend="Mend the text at the place that the finding names.",
    accepted="[]",
    rejected="an empty file",
)
def ledger_unreadable(unit: LedgerUnit) -> Iterator[Finding]:
    """Each reason of the strict loader."""
    if (ledger := unit.tree.ledger) is not None:
        yield from refused(
            "ledger-unreadable", "unreadable", ledger.path, ledger.reading, "mend the text at this place"
        )


@rule(
    HOOK,
    "ledger",
    rejects="a ledger that its schema refuses: a list of entries of exactly four fields",
    protects="An entry matches on four fields; with one missing it would match anything or nothing.",
    mend="Give every entry prop_id, signature, fixture_digest and base_revision.",
    accepted='"base_revision": a full commit id',
    rejected='"base_revision": "main"',
)
def ledger_schema(unit: LedgerUnit) -> Iterator[Finding]:
    """Each violation."""
    if (ledger := unit.tree.ledger) is not None:
        hint = f"edit {ledger.path}: four fields an entry, as freezegate reproduce writes them"
        yield from refused("ledger-schema", "schema", ledger.path, ledger.reading, hint)


@rule(
    HOOK,
    "ledger",
    rejects="two entries with the same id and signature",
    protects="One failure has one entry: which of two counts would be a guess.",
    mend="Keep the entry that is meant.",
    accepted="two entries of one id with two signatures",
    rejected="two entries of one id with one signature",
)
def ledger_duplicate(unit: LedgerUnit) -> Iterator[Finding]:
    """Every entry behind the first with its id and signature."""
    seen: set[tuple[str, str]] = set()
    for freeze in unit.tree.freezes:
        mark = (freeze.prop_id, freeze.signature)
        if mark in seen and unit.tree.ledger is not None:
            message = f"{freeze.prop_id} has another entry with this signature"
            hint = f"edit {unit.tree.ledger.path}: keep one of the two entries"
            yield at("ledger-duplicate", unit.tree.ledger, (freeze.index,), message, hint)
        seen.add(mark)


@rule(
    HOOK,
    "entry",
    rejects="an entry whose id no catalog entry has",
    protects="A freeze excuses a claimed property; of an unknown one nobody knows what it excuses.",
    mend="Retire the freeze, or bring the catalog entry back.",
    accepted="prop.order_total, with catalog/order_total.yaml",
    rejected="prop.order_total, without it",
)
def ledger_unknown_property(entry: EntryUnit) -> Iterator[Finding]:
    """On the entry's prop_id."""
    if not entry.properties:
        message = f"no readable catalog entry has the id {entry.freeze.prop_id}"
        yield _on(entry, "ledger-unknown-property", "prop_id", message, f"{_meant(entry)}{_retire(entry)}")


def _meant(entry: EntryUnit) -> str:
    # Of the first entries only: a large ledger of ids that nothing has would be compared with the whole catalog.
    near = did_you_mean(entry.freeze.prop_id, entry.tree.properties_by_id) if entry.freeze.index < _COMPARED else ""
    return f"{near} else " if near else ""


def _on(entry: EntryUnit, rule_name: str, key: str, message: str, hint: str) -> Finding:
    assert entry.tree.ledger is not None
    return at(rule_name, entry.tree.ledger, (entry.freeze.index, key), message, hint)


def _retire(entry: EntryUnit) -> str:
    return commands.retire(entry.freeze.prop_id)


@rule(
    HOOK,
    "entry step",
    change=True,
    rejects="an added entry whose digest is not the fixture tree's",
    protects="A failure is known only under the fixture bytes that it was seen with.",
    mend="Write the digest that `freezegate fixture-lock` prints, after reproducing the failure under it.",
    accepted="the digest of the staged fixture tree",
    rejected="the digest from before a fixture was edited",
)
def ledger_digest_stale(entry: EntryUnit, step: Step) -> Iterator[Finding]:
    """The stated and the recomputed digest, for an entry that this old side does not have."""
    if not _added(entry, step):
        return
    stated = entry.freeze.fixture_digest
    recomputed = entry.tree.fixture_digest(entry.tree.sized or digests.is_sized(stated))
    if stated != recomputed:
        message = f"the entry says {stated}, the tree gives {recomputed or 'no digest'}"
        hint = f"freezegate fixture-lock {entry.tree.places.fixtures.shell}"
        yield _on(entry, "ledger-digest-stale", "fixture_digest", message, hint)


def _added(entry: EntryUnit, step: Step) -> bool:
    return entry.freeze.fields in step.added_fields


@rule(
    HOOK,
    "entry step",
    change=True,
    rejects="an entry added while its oracle's closure, its catalog entry or its cases change in the same change",
    protects="The patch that moves a check may not excuse its failure too.",
    mend="Add the entry in a later change.",
    accepted="an entry added alone",
    rejected="an entry added together with an edit of its oracle",
)
def ledger_oracle_moved(entry: EntryUnit, step: Step) -> Iterator[Finding]:
    """On an added entry, naming what moved with it."""
    if _added(entry, step):
        for what in companions("ledger entry", entry, step):
            message = f"{entry.freeze.prop_id} is frozen in the change that also changes {what}"
            hint = "add the entry in a later change, when its oracle and cases have landed"
            yield _on(entry, "ledger-oracle-moved", "prop_id", message, hint)


@rule(
    HOOK,
    "entry step",
    change=True,
    rejects="an added entry whose revision the old side does not know",
    protects="A failure is old only if it was reproduced on a revision that was there before this change.",
    mend="Reproduce the failure on the base, and write that commit's full id.",
    accepted="the id of the commit that main is at",
    rejected="the id of a commit of this branch that nobody has",
)
def ledger_base_unknown(entry: EntryUnit, step: Step) -> Iterator[Finding]:
    """On an added entry's base_revision."""
    if _added(entry, step) and entry.freeze.base_revision not in step.known_bases:
        message = f"the old side does not know the commit {entry.freeze.base_revision}"
        hint = "write the full id of the base commit: git rev-parse origin/main"
        yield _on(entry, "ledger-base-unknown", "base_revision", message, hint)


@rule(
    HOOK,
    "entry",
    rejects="an entry whose property names a scope with an open or missing record",
    protects="Where a property has a scope, its freeze rests on that scope's retained counterexample.",
    mend="Bind the scope's counterexample again, or retire the freeze.",
    accepted="an entry whose scope has a closed record",
    rejected="an entry whose scope has no record",
)
def ledger_open_record(entry: EntryUnit) -> Iterator[Finding]:
    """On the entry's prop_id, with why the record is open."""
    for binding in entry.bindings:
        if binding.open_because:
            message = f"the record of {binding.scope_id} is open: {binding.open_because}"
            yield _on(entry, "ledger-open-record", "prop_id", message, binding.bind_command)
    named = [prop.value.scope for prop in entry.properties if prop.value is not None and prop.value.scope is not None]
    if len(named) > len(entry.bindings):
        message = f"the scope {named[0]} of {entry.freeze.prop_id} cannot be read, so nothing is bound for it"
        yield _on(entry, "ledger-open-record", "prop_id", message, _retire(entry))

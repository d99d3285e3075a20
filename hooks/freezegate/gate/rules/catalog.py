"""Hook catalog: what is claimed, by which oracle, and that neither shrinks in the change that it judges."""

from __future__ import annotations

from collections.abc import Iterator

from freezegate.findings import Finding
from freezegate.gate.claims import CatalogSet, ClaimsUnit, ClaimUnit, PropertyUnit
from freezegate.gate.companions import companions
from freezegate.gate.oracles import oracle_place, oracle_problem
from freezegate.gate.registry import rule
from freezegate.gate.saying import at, found, refused
from freezegate.gate.step import Step

HOOK = "catalog"


@rule(
    HOOK,
    "property",
    rejects="a catalog entry that the strict loader refuses",
    protects="A reviewer and the gate must read the same claim.",
    mend="Mend the text at the place that the finding names.",
    accepted="mutates_fixture: false",
    rejected="mutates_fixture: false, written twice",
)
def catalog_unreadable(prop: PropertyUnit) -> Iterator[Finding]:
    """Each reason of the strict loader."""
    document = prop.document
    yield from refused(
        "catalog-unreadable", "unreadable", document.path, document.reading, "mend the text at this place"
    )


@rule(
    HOOK,
    "property",
    rejects="a catalog entry that its schema refuses",
    protects="A property says its id, its oracle, its claim, and whether it changes its fixtures.",
    mend="Give the field the value that the message asks for.",
    accepted="oracle: props/order_total.py:check_total",
    rejected="oracle: [props/order_total.py]",
)
def catalog_schema(prop: PropertyUnit) -> Iterator[Finding]:
    """Each violation."""
    document = prop.document
    hint = f"edit {document.path} so that it fits the schema (freezegate explain catalog-schema)"
    yield from refused("catalog-schema", "schema", document.path, document.reading, hint)


@rule(
    HOOK,
    "catalog set",
    rejects="two entries with one id, or with one oracle function",
    protects="Two ids for one oracle would let one real pass stand for two claims.",
    mend="Keep one entry, or give the other an oracle of its own.",
    accepted="two entries with two oracle functions",
    rejected="two entries with props/order_total.py:check_total",
)
def catalog_duplicate(group: CatalogSet) -> Iterator[Finding]:
    """Every entry behind the first by path."""
    first, *others = group.members
    for prop in others:
        key = "id" if prop.value is not None and prop.value.id == group.what else "oracle"
        message = f"{group.what} is the {key} of {first.document.path} too"
        yield at(
            "catalog-duplicate",
            prop.document,
            (key,),
            message,
            f"edit {prop.document.path}: give it its own {key}",
        )


@rule(
    HOOK,
    "property",
    rejects="an oracle that is no regular file, does not parse, or does not hold the one function that judges",
    protects="A claim without its judge cannot be held against anything.",
    mend="Define the function once, plainly, taking `case` or `fixtures`; or name the one that is there.",
    accepted="props/order_total.py with one def check_total(case)",
    rejected="props/order_total.py with two functions check_a and check_b, named without a function",
)
def oracle_missing(prop: PropertyUnit) -> Iterator[Finding]:
    """The one reason, on the oracle."""
    if prop.value is not None and prop.oracle is not None:
        why = oracle_problem(prop.value, prop.tree)
        if why is not None:
            from freezegate.gate.oracle_hints import oracle_hint

            hint = oracle_hint(prop.value, prop.document.path, prop.tree)
            yield at("oracle-missing", prop.document, ("oracle",), why, hint)


@rule(
    HOOK,
    "property",
    rejects="an oracle whose path is no plain path of a Python file below layout.oracles (with a scope: layout.properties)",
    protects="Every oracle lies where an edit of it is seen.",
    mend="Move the oracle into the folder that the message names.",
    accepted="oracle: props/order_total.py",
    rejected="oracle: src/order_total.py",
)
def oracle_path(prop: PropertyUnit) -> Iterator[Finding]:
    """Why the text may not be followed."""
    if prop.value is not None and (why := oracle_place(prop.value, prop.tree.places)) is not None:
        message = f'/oracle: the path "{prop.value.oracle_path}" {why}'
        hint = f"edit {prop.document.path}: name a file in the oracles' folder"
        yield at("oracle-path", prop.document, ("oracle",), message, hint)


@rule(
    HOOK,
    "claims",
    rejects="a claims file that the strict loader or its schema refuses",
    protects="What is claimed must be told without doubt.",
    mend="Write a JSON list of unique property ids.",
    accepted='["prop.order_total"]',
    rejected='["prop.order_total", "prop.order_total"]',
)
def claimed_unreadable(unit: ClaimsUnit) -> Iterator[Finding]:
    """Each reason."""
    if (claimed := unit.tree.claimed) is not None:
        hint = f"edit {claimed.path}: a list of unique property ids"
        for kind in ("unreadable", "schema"):
            yield from refused("claimed-unreadable", kind, claimed.path, claimed.reading, hint)


@rule(
    HOOK,
    "claim",
    rejects="a claimed id that no catalog entry has",
    protects="A claim without an entry is judged by nothing.",
    mend="Add the catalog entry, or take the claim out in a change of its own.",
    accepted='["prop.order_total"] with catalog/order_total.yaml',
    rejected='["prop.order_total"] without it',
)
def claimed_unknown(claim: ClaimUnit) -> Iterator[Finding]:
    """On the id."""
    claimed = claim.tree.claimed
    if claimed is not None and claim.prop_id not in claim.tree.properties_by_id:
        message = f"no readable catalog entry has the id {claim.prop_id}"
        hint = f"add its entry below {claim.tree.places.catalog}/, or edit {claimed.path}"
        yield at("claimed-unknown", claimed, (claim.index,), message, hint)


@rule(
    HOOK,
    "claims",
    rejects="an empty claims list; no claims file while catalog entries or freezes remain",
    protects="With nothing claimed, everything would promote.",
    mend="Claim at least one property.",
    accepted='["prop.order_total"]',
    rejected="[]",
)
def claimed_empty(unit: ClaimsUnit) -> Iterator[Finding]:
    """On the claims file, or on what is left without it."""
    claimed, path = unit.tree.claimed, unit.tree.places.claimed
    hint = f"write the claimed property ids into {path}"
    if claimed is not None and claimed.value is not None and not claimed.value.ids:
        yield found("claimed-empty", claimed.path, "no property is claimed", hint)
    elif claimed is None and (needing := unit.needed_by) is not None:
        yield found("claimed-empty", needing.path, f"there is no {path}, so no property is claimed", hint)


@rule(
    HOOK,
    "old claim",
    change=True,
    rejects="an id that leaves the claims, or an entry that leaves the catalog, in a change that also touches source, "
    "other oracles, fixtures, or adds to the ledger",
    protects="A patch may not drop the claim that it breaks.",
    mend="Take the claim out in a change of its own.",
    accepted="a claim and its entry removed alone",
    rejected="a claim removed together with the source that it judges",
)
def claim_removed(prop_id: str, step: Step) -> Iterator[Finding]:
    """On the claims file or the old entry, naming what travels with the removal."""
    left_claims = prop_id in step.old.claim_set and prop_id not in step.new.claim_set
    left_catalog = prop_id in step.old.properties_by_id and prop_id not in step.new.properties_by_id
    if not left_claims and not left_catalog:
        return
    what = "leaves the claims" if left_claims else "leaves the catalog"
    for other in companions("claim removal", prop_id, step):
        message = f"{prop_id} {what} in a change that also touches {other}"
        hint = "take it out in a change of its own, without source, oracles, fixtures and ledger additions"
        claimed = step.new.claimed
        if claimed is not None:
            yield found("claim-removed", claimed.path, message, hint)
        else:
            gone = step.old.claimed.path if step.old.claimed is not None else step.old.places.claimed
            yield found("claim-removed", gone, f"deleted: {message}", hint)


@rule(
    HOOK,
    "property step",
    change=True,
    rejects="a catalog entry added or changed in a change that also touches source or adds to the ledger",
    protects="A new claim is seen by a person before it can count for a patch.",
    mend="Land the catalog entry in a change of its own.",
    accepted="a catalog entry and its oracle added alone",
    rejected="a catalog entry added together with source",
)
def catalog_mixed(prop: PropertyUnit, step: Step) -> Iterator[Finding]:
    """On an entry whose bytes no entry of this old side has."""
    if any(document.entry == prop.document.entry for document in step.old.properties):
        return
    for other in companions("catalog entry", prop, step):
        message = f"the entry is added or changed in a change that also touches {other}"
        yield found("catalog-mixed", prop.document.path, message, "land the catalog entry in a change of its own")

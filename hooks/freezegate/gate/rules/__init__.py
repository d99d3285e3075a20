"""One module a hook, one function a rule."""

from freezegate.gate.rules import (
    binding_record,
    catalog,
    fixture_digest,
    freeze_citation,
    freeze_ledger,
    gate_integrity,
    predicate_scope,
    scope_schema,
)

__all__ = [
    "binding_record",
    "catalog",
    "fixture_digest",
    "freeze_citation",
    "freeze_ledger",
    "gate_integrity",
    "predicate_scope",
    "scope_schema",
]

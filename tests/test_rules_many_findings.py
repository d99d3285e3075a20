"""Thousands of findings in one document are all found; looking each of them up anew would take minutes."""

from __future__ import annotations

from building import SCOPE, as_json, good_project
from memory import evaluate_memory


def count(rule: str, changed: dict[str, bytes]) -> int:
    old = good_project()
    report = evaluate_memory(old, {**old, **changed})
    return sum(found.rule == rule for found in report.findings)


def test_unknown_claims() -> None:
    claims = ["prop.order_total", *(f"p{number}" for number in range(20_000))]
    assert count("claimed-unknown", {"catalog/claimed.json": as_json(claims)}) == 20_000


def test_unknown_revisions() -> None:
    entries = [
        {
            "prop_id": "prop.order_total",
            "signature": f"{number:064x}",
            "fixture_digest": "0" * 64,
            "base_revision": f"{number:040x}",
        }
        for number in range(2_500)
    ]
    assert count("ledger-base-unknown", {"freezes/ledger.json": as_json(entries)}) == 2_500


def test_missing_inputs() -> None:
    inputs = ", ".join(f"docs/i{number}" for number in range(3_000))
    scope = good_project()[SCOPE] + f"inputs: [{inputs}]\n".encode()
    assert count("digest-input-missing", {SCOPE: scope}) == 3_000

"""The files of the demo's project: a small shop with one property that does not hold."""

from __future__ import annotations

import json
import shlex
import sys

SCOPE_ID = "order_total.non_negative"
SOURCE = "src/orders.py"
PREDICATE = "tests/properties/order_total.py"
SCOPE = "tests/properties/order_total.scope.yaml"
GENERATOR = "tests/fixtures/gen_orders.py"
LOCK = "tests/fixtures/order_total.lock"
CASE = f"tests/bindings/{SCOPE_ID}.cex.json"
RECORD = f"tests/bindings/{SCOPE_ID}.json"
CONFIG = ".freezegate.yaml"

FILES = {
    SOURCE: '''\
"""What an order comes to."""


def total_cents(qty, unit_cents):
    return qty * unit_cents
''',
    PREDICATE: """\
from orders import total_cents


def test_total_non_negative(case):
    assert total_cents(case["qty"], case["unit_cents"]) >= 0
""",
    SCOPE: f"""\
scope_id: {SCOPE_ID}
predicate: {PREDICATE}:test_total_non_negative
domain:
  qty: {{min: 1, max: 20}}
  unit_cents: {{min: -5, max: 500}}
generator: {GENERATOR}
seed_lock: {LOCK}
schema_version: 3
""",
    GENERATOR: """\
def generate(domain, rng):
    return {
        "qty": rng.randint(domain["qty"]["min"], domain["qty"]["max"]),
        "unit_cents": rng.randint(domain["unit_cents"]["min"], domain["unit_cents"]["max"]),
    }
""",
    LOCK: f"{SCOPE_ID} 17 200\n",
}


def pre_commit_config() -> str:
    """A configuration that runs this very interpreter's freezegate, so that nothing has to be downloaded."""
    entry = json.dumps(shlex.join([sys.executable, "-m", "freezegate", "check"]))
    return f"""\
default_install_hook_types: [pre-commit, pre-merge-commit]
repos:
  - repo: local
    hooks:
      - id: freezegate
        name: freezegate (all rules)
        entry: {entry}
        language: system
        always_run: true
        pass_filenames: false
        require_serial: true
        verbose: true
        stages: [pre-commit, pre-merge-commit, manual]
"""

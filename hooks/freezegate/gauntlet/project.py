"""The good project that every case starts from: a small shop with both halves of the gate on.

Of its two catalog properties one holds and one fails on the base revision; its one scope has a case that fails.
"""

from __future__ import annotations

SCOPE_ID = "order_total.non_negative"
SOURCE = "src/orders.py"
HELPER = "tests/properties/amounts.py"
PREDICATE = "tests/properties/order_total.py"
SCOPE = "tests/properties/order_total.scope.yaml"
GENERATOR = "tests/fixtures/gen_orders.py"
LOCK = "tests/fixtures/order_total.lock"
CASE = f"tests/bindings/{SCOPE_ID}.cex.json"
RECORD = f"tests/bindings/{SCOPE_ID}.json"
CITATION = f"tests/freezes/{SCOPE_ID}.freeze.json"
CONFIG = ".freezegate.yaml"
PRE_COMMIT = ".pre-commit-config.yaml"
WORKFLOW = ".github/workflows/gate.yml"
ORACLE = "props/order_total.py"
ORACLE_HELPER = "props/tolerance.py"
TAX_ORACLE = "props/tax_round.py"
ROWS = "fixtures/orders.json"
TAX_ROWS = "fixtures/tax.csv"
ENTRY = "catalog/order_total.yaml"
TAX_ENTRY = "catalog/tax_round.yaml"
CLAIMED = "catalog/claimed.json"
LEDGER = "freezes/ledger.json"
TOTAL, TAX = "prop.order_total", "prop.tax_round"

FILES = {
    SOURCE: '''\
"""Orders and what they come to."""


def total_cents(qty, unit_cents):
    return qty * unit_cents


def total(lines):
    return sum(total_cents(qty, cents) for qty, cents in lines if qty)


def tax(cents):
    return (cents * 19 + 50) // 100
''',
    "src/report.py": '''\
"""A line for a person."""

from orders import tax, total


def line(lines):
    net = total(lines)
    return f"{net} + {tax(net)}"
''',
    HELPER: """\
SMALLEST = 0


def is_amount(cents):
    return cents >= SMALLEST
""",
    PREDICATE: """\
from amounts import is_amount
from orders import total_cents


def test_total_non_negative(case):
    amount = total_cents(case["qty"], case["unit_cents"])
    assert is_amount(amount)
""",
    SCOPE: f"""\
# What an order may come to.
scope_id: {SCOPE_ID}
predicate: {PREDICATE}:test_total_non_negative
domain:
  currency: [USD, EUR]
  qty: {{min: 1, max: 20}}
  unit_cents: {{min: -5, max: 500}}
generator: {GENERATOR}
seed_lock: {LOCK}
schema_version: 3
""",
    GENERATOR: """\
def generate(domain, rng):
    return {
        "currency": rng.choice(domain["currency"]),
        "qty": rng.randint(domain["qty"]["min"], domain["qty"]["max"]),
        "unit_cents": rng.randint(domain["unit_cents"]["min"], domain["unit_cents"]["max"]),
    }
""",
    LOCK: f"{SCOPE_ID} 17 200\n",
    CASE: f"""\
{{
  "scope_id": "{SCOPE_ID}",
  "seed": 17,
  "example_index": 44,
  "input": {{
    "currency": "USD",
    "qty": 1,
    "unit_cents": -1
  }},
  "predicate_result": "fail",
  "shrink_steps": 6
}}
""",
    ORACLE_HELPER: """\
def same(left, right):
    return left == right
""",
    ORACLE: """\
from orders import total
from tolerance import same


def check_total(case):
    assert same(total(case["lines"]), case["total"])
""",
    TAX_ORACLE: """\
from orders import tax


def check_tax(case):
    assert tax(int(case["cents"])) == int(case["tax"])
""",
    ROWS: '[\n  {"lines": [[2, 150]], "total": 300},\n  {"lines": [[0, 100]], "total": 100}\n]\n',
    TAX_ROWS: "cents,tax\n100,19\n103,20\n",
    ENTRY: f"""\
id: {TOTAL}
oracle: {ORACLE}:check_total
claim: the total of an order is the sum of its lines
mutates_fixture: false
cases: "*.json"
""",
    TAX_ENTRY: f"""\
id: {TAX}
oracle: {TAX_ORACLE}:check_tax
claim: the tax is rounded to the nearest cent
mutates_fixture: false
cases: "*.csv"
""",
    CLAIMED: f'[\n  "{TOTAL}",\n  "{TAX}"\n]\n',
    LEDGER: "[]\n",
    CONFIG: "policy:\n  require_predicate_digest: true\n",
    PRE_COMMIT: """\
repos:
  - repo: https://example.org/freezegate
    rev: v0.1.0
    hooks:
      - id: freezegate
  - repo: https://example.org/other
    rev: v3.2.0
    hooks:
      - id: spelling
""",
    WORKFLOW: """\
name: gate
on: [pull_request]
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - run: freezegate check --base origin/main --require-base
""",
    "README.md": "# Shop\n\nOrders and what they come to.\n",
    "docs/guide.md": "# Guide\n\nAn order has lines.\n",
    "scripts/release.sh": '#!/bin/sh\nset -e\ngit tag "v$1"\n',
    "scripts/numbers.py": "def even(number):\n    return number % 2 == 0\n",
    "tests/unit/test_orders.py": """\
from orders import tax


def test_tax():
    assert tax(100) == 19
""",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.4.0"\n',
    ".gitignore": "*.pyc\n__pycache__/\n",
}

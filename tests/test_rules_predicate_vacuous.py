"""Rule predicate-vacuous: a finding where policy rejects, a note of a small change where it warns."""

from __future__ import annotations

import pytest

from building import CITATION, SCOPE, good_project
from memory import evaluate_memory
from rule_tables import Edit, Row, accept, drop, edited, judge, put, rebound, reject, rows, swap

PREDICATE = "tests/properties/order_total.py"
AMOUNTS = "tests/properties/amounts.py"
ORACLE = "props/order_total.py"
CONFIG = ".freezegate.yaml"
RULE = "predicate-vacuous"
STRICT = (drop(CITATION), put(CONFIG, "policy: {vacuous_predicates: reject}\n"))
MILD = (drop(CITATION), put(CONFIG, "policy: {vacuous_predicates: warn}\n"))
WITH_SCOPE = (swap(SCOPE, "max: 20", "max: 21"), rebound())
HINT = "let test_total_non_negative assert something"


def asserting(text: str) -> Edit:
    return swap(PREDICATE, "assert is_amount(total)", text)


TABLE: list[Row] = [
    accept(RULE, "sound", asserting("assert is_amount(total + 1)"), *WITH_SCOPE, before=STRICT),
    accept(RULE, "policy-warns", asserting("assert total == total"), *WITH_SCOPE, before=MILD),
    accept(RULE, "policy-is-silent", asserting("assert total == total"), *WITH_SCOPE, before=(drop(CITATION),)),
    accept(RULE, "untouched", put("docs/page.md", "# more\n"), before=(*STRICT, asserting("assert True"), rebound())),
    accept(RULE, "other-function-of-the-file", asserting("assert is_amount(total)\n\n\ndef draft():\n    assert True"),
           *WITH_SCOPE, before=STRICT),
    accept(RULE, "sound-oracle", swap(ORACLE, "assert ", "assert case and "), before=STRICT),
    reject(RULE, "itself", asserting("assert total == total"), *WITH_SCOPE, before=STRICT,
           at=f"{PREDICATE}:7:5", says='"total" with itself', hint=HINT),
    reject(RULE, "tuple", asserting('assert (is_amount(total), "negative")'), *WITH_SCOPE, before=STRICT,
           at=f"{PREDICATE}:7:5", says="tuple", hint=HINT),
    reject(RULE, "constant", asserting("assert True"), *WITH_SCOPE, before=STRICT,
           at=f"{PREDICATE}:7:5", says="constant", hint=HINT),
    reject(RULE, "swallowed", asserting("try:\n        assert is_amount(total)\n    except Exception:\n        pass"),
           *WITH_SCOPE, before=STRICT, at=f"{PREDICATE}:8:9", says="handler in line 9", hint=HINT),
    reject(RULE, "helper-of-another-file", swap(AMOUNTS, "cents >= SMALLEST", "True"), *WITH_SCOPE, before=STRICT,
           at=f"{PREDICATE}:7:5", says="what is_amount returns", hint=HINT),
    reject(RULE, "oracle", swap(ORACLE, 'assert sum_of_lines(case["lines"]) == case["total"]', "pass"), before=STRICT,
           at=f"{ORACLE}:4:1", says="depends on case", hint="let check_total assert something"),
]  # fmt: skip


@rows(TABLE)
def test_row(row: Row) -> None:
    judge(row)


def notes(*edits: Edit, config: str | None = None) -> tuple[str, ...]:
    old = edited(good_project(), drop(CITATION))
    return evaluate_memory(old, edited(old, *edits), config=config).notes


def test_a_warning_is_a_note_of_the_change_that_brings_it() -> None:
    (said,) = notes(asserting("assert True"), *WITH_SCOPE)
    assert said.startswith(f"{PREDICATE}:test_total_non_negative cannot fail")
    assert notes(asserting("assert is_amount(total + 1)"), *WITH_SCOPE) == ()
    assert notes(put("src/orders.py", "A = 1\n")) == ()


def test_what_is_a_finding_is_no_note() -> None:
    assert notes(asserting("assert True"), *WITH_SCOPE, config="policy: {vacuous_predicates: reject}") == ()


def test_an_oracle_that_cannot_fail_is_noted() -> None:
    (said,) = notes(swap(ORACLE, "assert ", "return True\n    assert "))
    assert said.startswith(f"{ORACLE}:check_total cannot fail")


@pytest.mark.parametrize("value", ["error", "WARN", "true", '""'])
def test_other_words_are_refused_by_the_config(value: str) -> None:
    report = evaluate_memory(None, edited(good_project(), drop(CITATION)))
    assert not report.findings
    old = edited(good_project(), drop(CITATION))
    new = edited(old, put(CONFIG, f"policy: {{vacuous_predicates: {value}}}\n"))
    assert [each.rule for each in evaluate_memory(old, new).findings] == ["config-invalid"]

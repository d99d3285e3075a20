"""The registry and the tables of accepted and rejected steps speak of the same rules."""

from __future__ import annotations

import importlib

import pytest

from freezegate.gate.registry import HOOKS, all_rules


def test_every_hook_has_rules_and_every_rule_its_own_hooks_name() -> None:
    assert {rule.hook for rule in all_rules().values()} == set(HOOKS)
    assert all(name == rule.name for name, rule in all_rules().items())


@pytest.mark.parametrize("name", sorted(all_rules()))
def test_every_rule_explains_itself(name: str) -> None:
    rule = all_rules()[name]
    texts = (rule.rejects, rule.protects, rule.mend, rule.accepted, rule.rejected)
    assert all(text.strip() == text and text.isprintable() for text in texts)
    assert rule.protects.endswith(".") and rule.mend.endswith(".")
    assert rule.accepted != rule.rejected


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_module_of_tests(hook: str) -> None:
    """Each asserts by itself that no rule of its hook lacks an accepted or a rejected row."""
    module = importlib.import_module(f"test_rules_{hook.replace('-', '_')}")
    assert callable(module.test_table_is_complete)

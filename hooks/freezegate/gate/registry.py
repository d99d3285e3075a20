"""Every rule with its hook, what it rejects, what it protects and how to mend it.

The engine, `explain`, the generated documentation and SARIF all read this one table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from freezegate.findings import Finding

HOOKS = (
    "scope-schema",
    "predicate-scope",
    "fixture-digest",
    "binding-record",
    "freeze-citation",
    "freeze-ledger",
    "catalog",
    "gate-integrity",
)
Check = Callable[..., Iterator[Finding]]


class Rule(NamedTuple):
    """One rule. State rules judge a unit of the new tree; change rules judge a subject's step from one old side."""

    hook: str
    name: str
    unit: str
    change: bool
    rejects: str
    protects: str
    mend: str
    accepted: str
    rejected: str
    check: Check


RULES: dict[str, Rule] = {}


def rule(
    hook: str,
    unit: str,
    *,
    rejects: str,
    protects: str,
    mend: str,
    accepted: str,
    rejected: str,
    change: bool = False,
) -> Callable[[Check], Check]:
    """Register a function as the rule of its own name: `unit` is what it is given to judge."""

    def register(check: Check) -> Check:
        name = check.__name__.replace("_", "-")
        RULES[name] = Rule(hook, name, unit, change, rejects, protects, mend, accepted, rejected, check)
        return check

    return register


def all_rules() -> dict[str, Rule]:
    """Every rule by name, in the order of the hooks."""
    from importlib import import_module

    for hook in HOOKS:
        import_module(f"freezegate.gate.rules.{hook.replace('-', '_')}")
    return dict(sorted(RULES.items(), key=lambda item: HOOKS.index(item[1].hook)))


def for_unit(unit: str, change: bool) -> list[Check]:
    """The functions that judge one kind of unit, of the modules loaded so far: who judges a unit loads its rules."""
    return [found.check for found in RULES.values() if found.unit == unit and found.change == change]

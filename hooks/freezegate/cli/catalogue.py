"""The list of commands: which module has each. It parses its arguments, calls, and prints."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

MODULES = {
    "attest": "attest",
    "bind": "bind",
    "binding-digest": "digest",
    "check": "check",
    "check-binding": "check_binding",
    "cite": "cite",
    "classify": "classify",
    "demo": "demo",
    "doctor": "doctor",
    "draft": "draft",
    "explain": "explain",
    "fixture-lock": "digest",
    "gauntlet": "gauntlet",
    "init": "init",
    "install-server": "install_server",
    "lint-predicates": "lint_predicates",
    "lock": "lock",
    "pre-receive": "pre_receive",
    "propcheck": "propcheck",
    "property-eval": "property_eval",
    "property-run": "property_run",
    "recheck": "recheck",
    "report": "report",
    "reproduce": "reproduce",
    "retire": "retire",
    "split-diff": "split_diff",
    "verdict": "verdict",
    "verdict-gate": "verdict_gate",
}


def adders(command: str | None = None) -> list[Callable[[Any], None]]:
    """What adds the commands to a parser: that of one command, whose module alone is imported, else all."""
    names = dict.fromkeys(MODULES.values() if command is None else [MODULES[command]])
    return [import_module(f"freezegate.cli.{name}").add for name in names]

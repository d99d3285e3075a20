"""The JSON Schemas, wherever this package was installed from."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

KINDS = ("scope", "counterexample", "record", "citation", "property", "claimed", "ledger", "config")
"""What a repository holds."""
EVIDENCE_KINDS = ("oracle_edited", "base_signatures", "runs", "verdicts")
"""What a verdict run writes."""


def schema_folder() -> Path:
    """The folder of ``<kind>.schema.json`` files: package data of a wheel, or beside a checkout's sources."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "schemas"
    return installed if installed.is_dir() else package.parent.parent / "schemas"


@cache
def schema(kind: str) -> dict[str, Any]:
    """The schema (JSON Schema draft 2020-12) of one kind of KINDS or EVIDENCE_KINDS."""
    text = (schema_folder() / f"{kind}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded

"""All evidence of a run in one JSON object."""

from __future__ import annotations

import json

from freezegate.documents.evidence_parts import marks
from freezegate.verdicts.reporting.table import Evidence


def render_json(evidence: Evidence) -> str:
    """Each file's value under its artifact's name; null for one that is not at hand."""
    base = evidence.base_signatures
    value = {
        **marks("report"),
        "verdicts": evidence.verdicts.as_json(),
        "runs": None if evidence.runs is None else evidence.runs.as_json(),
        "oracle_edited": None if evidence.split is None else evidence.split.as_json(),
        "base_signatures": None if base is None else [each.as_json() for each in base],
    }
    return json.dumps(value, indent=2) + "\n"

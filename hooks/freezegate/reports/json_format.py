"""The gate's own JSON, for programs: format version 1."""

from __future__ import annotations

import json
import sys

from freezegate.findings import DOCUMENT_KINDS, Report
from freezegate.reports.shared import shown


def render_json(report: Report) -> str:
    """One JSON object; `python` is the version whose grammar read the project's Python files."""
    document = {
        "format_version": 1,
        "mode": report.mode,
        "python": f"{sys.version_info[0]}.{sys.version_info[1]}",
        "findings": [
            {
                "rule": finding.rule,
                "path": shown(finding.path),
                "line": finding.line,
                "column": finding.column,
                "message": finding.message,
                "hint": finding.hint,
            }
            for finding in report.findings
        ],
        "checked": {kind: report.checked.get(kind, 0) for kind in DOCUMENT_KINDS},
    }
    return json.dumps(document, indent=2) + "\n"

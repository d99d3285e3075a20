"""GitLab Code Quality: the subset of the Code Climate format that its merge request widget reads."""

from __future__ import annotations

import json

from freezegate.findings import Report
from freezegate.reports.shared import fingerprints, shown, with_hint


def render_gitlab(report: Report) -> str:
    """A JSON array with an entry a finding; every one blocks, so every one has the highest severity."""
    entries = [
        {
            "description": with_hint(finding),
            "check_name": finding.rule,
            "fingerprint": fingerprint,
            "severity": "blocker",
            "location": {"path": shown(finding.path), "lines": {"begin": finding.line}},
        }
        for finding, fingerprint in zip(report.findings, fingerprints(report.findings), strict=True)
    ]
    return json.dumps(entries, indent=2) + "\n"

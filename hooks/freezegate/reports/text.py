"""For a person at a terminal: one line a finding, its hint below, notes, and one summary line."""

from __future__ import annotations

from freezegate.findings import Report
from freezegate.reports.shared import shown, summary

_PATH, _RULE, _PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[0m"


def render_text(report: Report, *, colour: bool) -> str:
    """The report as text, with ANSI colours on path and rule if `colour`."""
    path_on, rule_on, off = (_PATH, _RULE, _PLAIN) if colour else ("", "", "")
    lines = []
    for finding in report.findings:
        place = f"{path_on}{shown(finding.path)}{off}:{finding.line}:{finding.column}"
        lines.append(f"{place}: {rule_on}{finding.rule}{off}: {finding.message}\n")
        if finding.hint:
            lines.append(f"    hint: {finding.hint}\n")
    return "".join(lines) + summary(report)

"""Workflow commands that GitHub Actions turns into annotations."""

from __future__ import annotations

from freezegate.findings import Report
from freezegate.reports.shared import last_line, notes_of, shown, with_hint


def render_github(report: Report) -> str:
    """An error command a finding, a notice a note, and the summary as a plain line of the log."""
    lines = [
        f"::error file={_property(shown(finding.path))},line={finding.line},col={finding.column},"
        f"title={_property(finding.rule)}::{_data(with_hint(finding))}\n"
        for finding in report.findings
    ]
    notices = [f"::notice title=freezegate::{_data(note)}\n" for note in notes_of(report)]
    return "".join(lines + notices) + last_line(report) + "\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

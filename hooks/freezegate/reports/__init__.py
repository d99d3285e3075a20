"""A report in words or in a form that another program reads: one module a format, loaded when it is asked
for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from freezegate.findings import Report
from freezegate.reports.shared import summary as summary

FORMATS = ("text", "json", "sarif", "github", "junit", "gitlab")


class RuleText(NamedTuple):
    """What is said about a rule: the hook it belongs to, what it rejects, and how to mend that."""

    hook: str
    rejects: str
    mend: str


def render(report: Report, format: str, *, rules: Mapping[str, RuleText], colour: bool = False) -> str:
    """The report in one of FORMATS, its findings sorted, ending with a newline.

    `rules` is every rule that there is, by id (only SARIF lists them); `colour` counts in text only. All text
    that comes from a tree is escaped. JSON and GitLab have no place for notes and summary: `summary` has
    both.
    """
    report = report._replace(findings=tuple(sorted(report.findings)))
    if format == "text":
        from freezegate.reports.text import render_text

        return render_text(report, colour=colour)
    if format == "json":
        from freezegate.reports.json_format import render_json

        return render_json(report)
    if format == "sarif":
        from freezegate.reports.sarif import render_sarif

        return render_sarif(report, rules)
    if format == "github":
        from freezegate.reports.github import render_github

        return render_github(report)
    if format == "junit":
        from freezegate.reports.junit import render_junit

        return render_junit(report)
    if format == "gitlab":
        from freezegate.reports.gitlab import render_gitlab

        return render_gitlab(report)
    raise ValueError(f"no such report format: {format}")

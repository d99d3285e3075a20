"""SARIF 2.1.0 (OASIS), for code scanning services and editors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from freezegate import __version__
from freezegate.findings import Finding, Report
from freezegate.reports import RuleText
from freezegate.reports.shared import fingerprints, last_line, notes_of, with_hint

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render_sarif(report: Report, rules: Mapping[str, RuleText]) -> str:
    """One log with one run: every rule is listed, whether or not it found something."""
    index = {rule: place for place, rule in enumerate(rules)}
    notifications = [("note", note) for note in notes_of(report)] + [("none", last_line(report))]
    run = {
        "tool": {
            "driver": {
                "name": "freezegate",
                "version": __version__,
                "rules": [_rule(rule, text) for rule, text in rules.items()],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": level, "message": {"text": text}} for level, text in notifications
                ],
            }
        ],
        "results": [
            _result(finding, index.get(finding.rule, -1), fingerprint)
            for finding, fingerprint in zip(report.findings, fingerprints(report.findings), strict=True)
        ],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: str, text: RuleText) -> dict[str, Any]:
    return {
        "id": rule,
        "shortDescription": {"text": text.rejects},
        "help": {"text": text.mend},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": [text.hook]},
    }


def _result(finding: Finding, index: int, fingerprint: str) -> dict[str, Any]:
    # the URI holds the path's own bytes; percent-encoding leaves nothing in it that could mislead a reader
    place = {"uri": quote(bytes(finding.path)) or ".", "uriBaseId": "%SRCROOT%"}
    region = {"startLine": finding.line, "startColumn": finding.column}
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": "error",
        "message": {"text": with_hint(finding)},
        "locations": [{"physicalLocation": {"artifactLocation": place, "region": region}}],
        "partialFingerprints": {"freezegate/v1": fingerprint},
    }

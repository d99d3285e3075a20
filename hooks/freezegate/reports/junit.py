"""JUnit XML, for CI systems that show test results."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from xml.etree import ElementTree

from freezegate.findings import DOCUMENT_KINDS, Finding, Report
from freezegate.reports.shared import counted, kind_words, shown, summary, with_hint


def render_junit(report: Report) -> str:
    """A failed test case for each rule and path, and one for each kind of document, skipped where none was
    verified.

    The last ones keep a clean report from looking like a test run that found no tests.
    """
    groups = [
        (rule, path, list(found)) for (path, rule), found in groupby(sorted(report.findings, key=_group), key=_group)
    ]
    skipped = [kind for kind in DOCUMENT_KINDS if not report.checked.get(kind, 0)]
    counts = {
        "tests": str(len(groups) + len(DOCUMENT_KINDS)),
        "failures": str(len(groups)),
        "errors": "0",
        "skipped": str(len(skipped)),
    }
    root = ElementTree.Element("testsuites", {"name": "freezegate", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "freezegate", **counts})
    for rule, path, found in groups:
        case = ElementTree.SubElement(suite, "testcase", {"classname": f"freezegate.{rule}", "name": path})
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        attributes = {"message": found[0].message + more, "type": rule}
        ElementTree.SubElement(case, "failure", attributes).text = _body(found)
    for kind in DOCUMENT_KINDS:
        attributes = {"classname": "freezegate.checked", "name": kind_words(kind)}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if kind in skipped:
            ElementTree.SubElement(case, "skipped", {"message": "none was verified"})
        else:
            verified = counted(report.checked[kind], "document", "documents")
            ElementTree.SubElement(case, "system-out").text = f"{verified} verified"
    ElementTree.SubElement(suite, "system-out").text = summary(report)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _group(finding: Finding) -> tuple[str, str]:
    return shown(finding.path), finding.rule


def _body(found: Iterable[Finding]) -> str:
    return "\n".join(f"{shown(row.path)}:{row.line}:{row.column}: {with_hint(row)}" for row in found)

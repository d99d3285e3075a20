"""JUnit XML, for CI systems that show test results."""

from __future__ import annotations

from xml.etree import ElementTree

from freezegate.documents.evidence import VerdictRow, Verdicts
from freezegate.text import escape
from freezegate.verdicts.reporting import table

_CLASS = "freezegate.verdict"


def render_junit(evidence: table.Evidence) -> str:
    """A test case a property, and one that is the promotion.

    An inconclusive property is skipped, never passed; one that gave no answer is an error, any other fail a failure. The
    promotion's case fails with the change: that nothing passed, or that claims were not run, is no property's failure.
    """
    verdicts = evidence.verdicts
    kinds = [_kind(row) for row in verdicts.verdicts]
    refused = not verdicts.promoted
    counts = {
        "tests": str(len(kinds) + 1),
        "failures": str(kinds.count("failure") + refused),
        "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
    }
    root = ElementTree.Element("testsuites", {"name": "freezegate verdicts", **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "freezegate verdicts", **counts})
    for row, kind in zip(verdicts.verdicts, kinds, strict=True):
        case = ElementTree.SubElement(suite, "testcase", {"classname": _CLASS, "name": escape(row.prop_id)})
        body = "\n".join(map(escape, table.evidence(row)))
        if kind == "passed":
            ElementTree.SubElement(case, "system-out").text = body or table.reason(row)
            continue
        attributes = {"message": _message(row), "type": row.reason}
        ElementTree.SubElement(case, kind, attributes).text = body or table.reason(row)
    case = ElementTree.SubElement(suite, "testcase", {"classname": "freezegate.promotion", "name": "promoted"})
    if refused:
        attributes = {"message": _outcome(verdicts), "type": "review" if verdicts.review else verdicts.promotion_reason}
        ElementTree.SubElement(case, "failure", attributes).text = table.counts(verdicts)
    said = [_outcome(verdicts), *_stale(verdicts), f"fixture digest {verdicts.fixture_digest}"]
    said.append(f"base {verdicts.base_revision}, head {verdicts.head_revision}")
    ElementTree.SubElement(suite, "system-out").text = "\n".join(said)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _kind(row: VerdictRow) -> str:
    if row.verdict == "pass":
        return "passed"
    if row.verdict == "inconclusive":
        return "skipped"
    return "error" if row.reason == "missing_run" else "failure"


def _message(row: VerdictRow) -> str:
    lines = [row.reason, table.reason(row), *([escape(row.detail)] if row.detail else [])]
    return ": ".join(lines)


def _outcome(verdicts: Verdicts) -> str:
    return f"{table.outcome(verdicts)}: {escape(table.why(verdicts))}"


def _stale(verdicts: Verdicts) -> list[str]:
    return [f"stale freeze of {escape(each.prop_id)}: {escape(each.why)}" for each in verdicts.stale_freezes]

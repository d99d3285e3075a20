"""For a person at a terminal: a line a property, its evidence below, stale freezes, and one line that sums up."""

from __future__ import annotations

from freezegate.text import escape
from freezegate.verdicts.reporting import table

_COLOURS = {"pass": "\x1b[32m", "inconclusive": "\x1b[33m", "fail": "\x1b[31m"}
_PLAIN = "\x1b[0m"
_WIDEST_ID = 48
_VERDICT = len("inconclusive")


def render_text(evidence: table.Evidence, *, colour: bool) -> str:
    """The verdicts as a table, with ANSI colours if `colour`."""
    verdicts = evidence.verdicts
    ids = [escape(row.prop_id) for row in verdicts.verdicts]
    width = min(_WIDEST_ID, max(map(len, ids), default=0))
    lines = []
    for row, shown in zip(verdicts.verdicts, ids, strict=True):
        on, off = (_COLOURS.get(row.verdict, ""), _PLAIN) if colour else ("", "")
        verdict = f"{on}{row.verdict:<{_VERDICT}}{off}"
        lines.append(f"{verdict}  {shown:<{width}}  {row.reason}: {table.reason(row)}")
        lines += [f"{'':<{_VERDICT}}  {escape(line)}" for line in table.evidence(row)]
        if row.verdict == "fail" and (todo := table.hint(row, verdicts)) is not None:
            lines.append(f"{'':<{_VERDICT}}  hint: {escape(todo)}")
    for freeze in verdicts.stale_freezes:
        lines.append(f"stale freeze of {escape(freeze.prop_id)}: {escape(freeze.why)}; signature {freeze.signature}")
    if evidence.split is not None:
        buckets = evidence.split.buckets.as_json()
        lines.append("changed files: " + ", ".join(f"{len(files)} {name}" for name, files in buckets.items()))
    lines.append(f"fixture digest {verdicts.fixture_digest}")
    lines.append(f"base {verdicts.base_revision}, head {verdicts.head_revision}")
    policy = "" if verdicts.promotion == "mixed" else " (strict)"
    said = f"{table.outcome(verdicts)}{policy}: {escape(table.why(verdicts))}"
    lines.append(f"freezegate: {said}; {table.counts(verdicts)}")
    return "\n".join(lines) + "\n"

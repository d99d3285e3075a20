"""What several formats say in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from freezegate.findings import DOCUMENT_KINDS, Finding, Report
from freezegate.paths import RepoPath
from freezegate.text import escape

_WORDS = {
    "scope": ("scope", "scopes"),
    "counterexample": ("counterexample", "counterexamples"),
    "record": ("record", "records"),
    "citation": ("citation", "citations"),
    "property": ("property", "properties"),
    "claimed": ("claims file", "claims files"),
    "ledger": ("ledger", "ledgers"),
    "config": ("config", "configs"),
}


def shown(path: RepoPath) -> str:
    """A path made safe to show; the repository root is a dot."""
    return str(path) or "."


def notes_of(report: Report) -> Iterator[str]:
    """The report's notes, each on one line."""
    return (escape(note) for note in report.notes)


def last_line(report: Report) -> str:
    """How much was found, what was compared, and how many documents of each kind were verified."""
    found = counted(len(report.findings), "finding", "findings") if report.findings else "no findings"
    return f"freezegate: {found}; compared {escape(report.compared)}; {checked_words(report)}"


def summary(report: Report) -> str:
    """The notes, a line each, and then `last_line`: what a person must see beside any format."""
    return "".join(f"note: {note}\n" for note in notes_of(report)) + last_line(report) + "\n"


def checked_words(report: Report) -> str:
    """How many documents of each kind were verified; that there were none is said loudly."""
    counts = [(report.checked.get(kind, 0), *_WORDS[kind]) for kind in DOCUMENT_KINDS]
    words = [counted(*row) for row in counts if row[0]]
    return "checked " + ", ".join(words) if words else "checked NO DOCUMENTS AT ALL"


def counted(count: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{count} {one if count == 1 else many}"


def kind_words(kind: str) -> str:
    """The plural by which people call the documents of a kind."""
    return _WORDS[kind][1]


def with_hint(finding: Finding) -> str:
    """The message, and the hint on a line of its own if there is one."""
    return f"{finding.message}\nhint: {finding.hint}" if finding.hint else finding.message


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """An id for each finding, equal in two reports of the same fault though its line moved, unique in one
    report."""
    from hashlib import sha256

    seen: dict[str, int] = {}
    ids = []
    for finding in findings:
        base = b"\0".join((finding.rule.encode(), finding.path, finding.message.encode()))
        digest = sha256(base).hexdigest()
        seen[digest] = seen.get(digest, 0) + 1
        ids.append(digest if seen[digest] == 1 else sha256(base + b"\0%d" % seen[digest]).hexdigest())
    return ids

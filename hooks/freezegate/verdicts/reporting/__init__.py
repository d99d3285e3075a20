"""What was decided, in words or in a form that another program reads: one module a format, loaded when it is asked for."""

from __future__ import annotations

from freezegate.documents.evidence import Verdicts
from freezegate.verdicts.reporting.table import Evidence as Evidence

FORMATS = ("text", "json", "junit", "html")
VERDICT_FORMATS = ("text", "json", "junit")


def render_verdicts(verdicts: Verdicts, format: str, *, colour: bool = False) -> str:
    """The verdicts alone, in one of VERDICT_FORMATS; as JSON they are the very document. Ends with a newline."""
    if format == "json":
        from freezegate.documents.evidence import encoded

        return encoded(verdicts).decode("ascii")
    return render(Evidence(verdicts), format, colour=colour)


def render(evidence: Evidence, format: str, *, colour: bool = False) -> str:
    """A run's evidence in one of FORMATS, ending with a newline. All text is escaped; `colour` counts in text only."""
    if format == "text":
        from freezegate.verdicts.reporting.text import render_text

        return render_text(evidence, colour=colour)
    if format == "json":
        from freezegate.verdicts.reporting.json_format import render_json

        return render_json(evidence)
    if format == "junit":
        from freezegate.verdicts.reporting.junit import render_junit

        return render_junit(evidence)
    if format == "html":
        from freezegate.verdicts.reporting.html import render_html

        return render_html(evidence)
    raise ValueError(f"no such report format: {format}")

"""One page for a browser: no network, no script, light and dark, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as markup
from string import Template

from freezegate.documents.evidence import ChangedFile, SplitDiff, Verdicts
from freezegate.text import escape
from freezegate.verdicts.reporting import table
from freezegate.verdicts.reporting.style import STYLE

_MOST_FILES = 500
_SYMBOLS = {"pass": "✓", "inconclusive": "?", "fail": "✗"}
_BUCKETS = ("source", "oracles", "fixtures", "other")

_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$outcome: freezegate</title>
<style>$style</style>
</head>
<body>
<header>
<p class="name">freezegate</p>
<h1 class="$state">$outcome</h1>
<p>$why</p>
<p class="counts">$counts</p>
<dl>$facts</dl>
</header>
<main>
$sections
</main>
</body>
</html>
""")


def render_html(evidence: table.Evidence) -> str:
    """The page."""
    verdicts = evidence.verdicts
    state = "fail" if not verdicts.promoted else "pass"
    sections = [_verdicts(verdicts)]
    if evidence.split is not None:
        sections.append(_voided(evidence.split))
    sections.append(_stale(verdicts))
    if evidence.base_signatures is not None:
        rows = [(_text(row.prop_id), _code(row.signature)) for row in evidence.base_signatures]
        nothing = "The base revision gave no failure under this fixture digest."
        sections.append(_section("base", "Failures of the base revision", ("Property", "Signature"), rows, nothing))
    if evidence.split is not None:
        sections.append(_files(evidence.split))
    return _PAGE.substitute(
        style=STYLE,
        state="inconclusive" if verdicts.review else state,
        outcome=table.outcome(verdicts).capitalize(),
        why=_text(table.why(verdicts)),
        counts=_text(table.counts(verdicts)),
        facts="".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in _facts(evidence)),
        sections="\n".join(sections),
    )


def _facts(evidence: table.Evidence) -> list[tuple[str, str]]:
    verdicts = evidence.verdicts
    facts = [
        ("Fixture digest", _code(verdicts.fixture_digest)),
        ("Base revision", _code(verdicts.base_revision)),
        ("Head revision", _code(verdicts.head_revision)),
    ]
    if evidence.split is not None:
        facts.append(("Merge base", _code(evidence.split.merge_base)))
    return [*facts, ("Promotion policy", _text(verdicts.promotion))]


def _verdicts(verdicts: Verdicts) -> str:
    rows = []
    for row in verdicts.verdicts:
        kind = row.verdict if row.verdict in _SYMBOLS else "fail"
        symbol = f'<span aria-hidden="true">{_SYMBOLS[kind]}</span> '
        verdict = f'<span class="{kind}">{symbol}{_text(row.verdict)}</span>'
        reason = f"{_code(row.reason)}<br>{_text(table.reason(row))}"
        lines = [f"ran: {row.observed}", *table.evidence(row)]
        rows.append((_text(row.prop_id), verdict, reason, _list(lines)))
    heads = ("Property", "Verdict", "Reason", "Evidence")
    return _section("verdicts", "Verdicts", heads, rows, "No property has a verdict.")


def _voided(split: SplitDiff) -> str:
    rows = [(_text(each.prop_id), _list(each.voided_by)) for each in split.oracle_edited]
    heads = ("Property", "Edited by this change")
    return _section("voided", "What voided what", heads, rows, "This change edits nothing that judges a property.")


def _stale(verdicts: Verdicts) -> str:
    rows = [(_text(each.prop_id), _text(each.why), _code(each.signature)) for each in verdicts.stale_freezes]
    return _section("stale", "Stale freezes", ("Property", "Why", "Signature"), rows, "No freeze is stale.")


def _files(split: SplitDiff) -> str:
    found = [(name, each) for name in _BUCKETS for each in getattr(split.buckets, name)]
    rows = [(_code(each.path), _text(name), _lines(each)) for name, each in found[:_MOST_FILES]]
    if len(found) > _MOST_FILES:
        rows.append((_text(f"and {len(found) - _MOST_FILES} more files"), "", ""))
    return _section("files", "Changed files", ("Path", "Bucket", "Lines"), rows, "No file differs.")


def _lines(changed: ChangedFile) -> str:
    if changed.added is None or changed.deleted is None:
        return "binary"
    return f"+{changed.added} −{changed.deleted}"


def _section(name: str, title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], nothing: str) -> str:
    """A titled table; its cells are markup already, the first of each row is that row's header."""
    heading = f'<h2 id="{name}">{title}</h2>'
    if not rows:
        return f"<section>\n{heading}\n<p>{nothing}</p>\n</section>"
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "\n".join(
        f'<tr><th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:]) + "</tr>" for row in rows
    )
    # A wide table scrolls in its own frame, which the keyboard must reach.
    frame = f'<div class="frame" role="region" aria-labelledby="{name}" tabindex="0">'
    shown = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    return f"<section>\n{heading}\n{frame}\n{shown}\n</div>\n</section>"


def _list(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_text(line)}</li>" for line in lines) + "</ul>"


def _text(text: str) -> str:
    """Text as markup. Letters that run from right to left stay in their own place."""
    return f"<bdi>{markup(_visible(text))}</bdi>"


def _code(text: str) -> str:
    return f"<code>{markup(_visible(text))}</code>"


def _visible(text: str) -> str:
    # No log reader looks for commands in a page, so a pytest node id keeps its colons.
    return "::".join("##".join(map(escape, part.split("##"))) for part in text.split("::"))

"""The outcomes as text, JSON and Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from freezegate.gauntlet.model import LAYERS, Outcome
from freezegate.text import escape


@dataclass(frozen=True)
class Count:
    """What came of the cases of one layer, in numbers; `wrong` were refused, but for another reason."""

    cheats: int
    caught: int
    missed: int
    wrong: int
    benign: int
    alarms: int
    broken: int


_COLUMNS = ("cheats", "caught", "missed", "wrong reason", "benign", "false alarms", "not judged")


def count(outcomes: Sequence[Outcome]) -> Count:
    """Count outcomes."""
    results = [outcome.result for outcome in outcomes]
    benign = sum(outcome.case.benign for outcome in outcomes)
    return Count(
        cheats=len(outcomes) - benign,
        caught=results.count("caught"),
        missed=results.count("missed"),
        wrong=results.count("wrong rule"),
        benign=benign,
        alarms=results.count("false alarm"),
        broken=results.count("broken"),
    )


def by_layer(outcomes: Sequence[Outcome]) -> list[tuple[str, Count]]:
    """A row for each layer that judged anything, and one for all."""
    rows: list[tuple[str, Count]] = []
    for layer in LAYERS:
        those = [outcome for outcome in outcomes if outcome.layer == layer]
        if those:
            rows.append((layer, count(those)))
    return [*rows, ("all", count(outcomes))]


def status(outcomes: Sequence[Outcome]) -> int:
    """0 where all is as expected, 1 where a cheat got through or a benign change did not, 2 where one was not judged."""
    if any(outcome.result == "broken" for outcome in outcomes):
        return 2
    return 0 if all(outcome.as_expected for outcome in outcomes) else 1


def render(outcomes: Sequence[Outcome], form: str) -> str:
    """The table in one of the forms `text`, `json`, `markdown`."""
    return {"text": _text, "json": _json, "markdown": _markdown}[form](outcomes)


def _text(outcomes: Sequence[Outcome]) -> str:
    lines: list[str] = []
    for outcome in outcomes:
        if outcome.as_expected:
            continue
        case = outcome.case
        lines += [f"{outcome.result}: {case.name} ({outcome.layer}; expected: {case.expect})", f"    {case.says}"]
        lines += [f"    | {escape(line)}" for line in outcome.said.splitlines()[:12]]
    if lines:
        lines.append("")
    table = [("layer", *_COLUMNS), *((name, *map(str, _cells(row))) for name, row in by_layer(outcomes))]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        first, *rest = (
            f"{cell:<{w}}" if at == 0 else f"{cell:>{w}}" for at, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join((first, *rest)).rstrip())
    lines.append(f"gauntlet: {_summary(outcomes)}")
    return "\n".join(lines) + "\n"


def _summary(outcomes: Sequence[Outcome]) -> str:
    cheats = {outcome.case.name for outcome in outcomes if not outcome.case.benign}
    benign = {outcome.case.name for outcome in outcomes if outcome.case.benign}
    wrong = sum(not outcome.as_expected for outcome in outcomes)
    ended = "all as expected" if not wrong else f"{wrong} not as expected"
    return f"{len(cheats)} cheats, {len(benign)} benign changes, {len(outcomes)} judgements: {ended}"


def _cells(row: Count) -> tuple[int, ...]:
    return (row.cheats, row.caught, row.missed, row.wrong, row.benign, row.alarms, row.broken)


def _json(outcomes: Sequence[Outcome]) -> str:
    document = {
        "format_version": 1,
        "layers": {name: dict(zip(_COLUMNS, _cells(row), strict=True)) for name, row in by_layer(outcomes)},
        "outcomes": [
            {
                "name": outcome.case.name,
                "topic": outcome.case.topic,
                "layer": outcome.layer,
                "origin": outcome.case.origin,
                "says": outcome.case.says,
                "expect": outcome.case.expect,
                "result": outcome.result,
                "said": outcome.said,
                "seconds": round(outcome.seconds, 3),
            }
            for outcome in outcomes
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _markdown(outcomes: Sequence[Outcome]) -> str:
    lines = [f"| layer | {' | '.join(_COLUMNS)} |", f"|---|{'---:|' * len(_COLUMNS)}"]
    lines += [f"| {name} | {' | '.join(map(str, _cells(row)))} |" for name, row in by_layer(outcomes)]
    for title, benign in (("Cheats", False), ("Benign changes", True)):
        rows = _rows([outcome for outcome in outcomes if outcome.case.benign == benign], benign)
        if rows:
            lines += ["", f"### {title}", "", *rows]
    return "\n".join(lines) + "\n"


def _rows(outcomes: Sequence[Outcome], benign: bool) -> list[str]:
    """A row for each case, with all the layers that judged it."""
    cases = {outcome.case.name: outcome.case for outcome in outcomes}
    if not cases:
        return []
    head = "| topic | case | what the patch does | layers |" + ("" if benign else " named | origin |") + " result |"
    rows = [head, "|" + "---|" * head[1:].count("|")]
    for name, case in cases.items():
        those = [outcome for outcome in outcomes if outcome.case.name == name]
        layers = ", ".join(outcome.layer for outcome in those)
        result = ", ".join(dict.fromkeys(outcome.result for outcome in those))
        middle = "" if benign else f" `{case.expect}` | {case.origin} |"
        rows.append(f"| {case.topic} | `{name}` | {case.says} | {layers} |{middle} {result} |")
    return rows

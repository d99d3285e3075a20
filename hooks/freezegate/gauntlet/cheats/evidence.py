"""Evidence that was typed, given to the gate that applies freezes."""

from __future__ import annotations

import json

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("evidence")

GATE = ("verdict-gate", "--runs", "runs.json", "--freezes", p.LEDGER, "--claimed", p.CLAIMED)


def typed_runs(work: Work, *more: dict[str, object], **changes: object) -> None:
    """Runs as somebody types them: both properties pass."""
    digest, base = "ab" * 32, "cd" * 20
    rows: list[dict[str, object]] = [
        {
            "prop_id": name,
            "status": "pass",
            "signature": None,
            "fixture_digest": digest,
            "base_revision": base,
            "oracle_edited": False,
        }
        for name in (p.TOTAL, p.TAX)
    ]
    rows[0] = {name: value for name, value in {**rows[0], **changes}.items() if value is not ...}
    document = {"fixture_digest": digest, "base_revision": base, "head_revision": "ef" * 20, "runs": [*rows, *more]}
    work.put("runs.json", json.dumps(document))


@TOPIC.cheat(
    "runs-without-a-status",
    "Typed runs leave out whether a property passed.",
    "exit 2",
    layer="run",
    command=GATE,
    answer='"status" is missing',
)
def _no_status(work: Work) -> None:
    typed_runs(work, status=...)


@TOPIC.cheat(
    "runs-of-an-unknown-word",
    "Typed runs have a status that a lenient reader takes for a pass.",
    "exit 2",
    layer="run",
    own=True,
    command=GATE,
    answer='is not "pass"',
)
def _word(work: Work) -> None:
    typed_runs(work, status="passed")


@TOPIC.cheat(
    "runs-twice",
    "Typed runs have one property twice, failing and passing.",
    "exit 2",
    layer="run",
    own=True,
    command=GATE,
    answer="has two rows",
)
def _run_twice(work: Work) -> None:
    row: dict[str, object] = {
        "prop_id": p.TOTAL,
        "status": "fail",
        "signature": None,
        "fixture_digest": "ab" * 32,
        "base_revision": "cd" * 20,
        "oracle_edited": False,
    }
    typed_runs(work, row)


@TOPIC.cheat(
    "runs-against-their-header",
    "A row of typed runs is of other fixtures than its header.",
    "exit 2",
    layer="run",
    own=True,
    command=GATE,
    answer="is not that of the file",
)
def _header(work: Work) -> None:
    typed_runs(work, fixture_digest="00" * 32)


@TOPIC.cheat(
    "runs-of-an-edited-oracle",
    "Typed runs pass under an oracle that the change edits.",
    "exit 2",
    layer="run",
    own=True,
    command=GATE,
    answer="whose oracle is edited",
)
def _edited(work: Work) -> None:
    typed_runs(work, oracle_edited=True)

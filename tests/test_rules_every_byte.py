"""No byte of what a freeze rests on can change unseen: each position of each document in turn."""

from __future__ import annotations

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, good_project, rebind
from freezegate.fingerprints import written
from memory import rules

GENERATOR = "tests/fixtures/gen_orders.py"
LOCK = "tests/fixtures/order_total.lock"
PLACES = (GENERATOR, SCOPE, LOCK, COUNTEREXAMPLE, RECORD, CITATION)


def frozen() -> dict[str, bytes]:
    """The good project without its verdict half, its record as `bind` writes it."""
    files = {
        path: data
        for path, data in good_project().items()
        if not path.startswith(("catalog", "freezes", "fixt", "props"))
    }
    import hashlib

    facts = {
        "os": "debian 12",
        "kernel": "Linux 6.1.0 x86_64",
        "machine": "0123456789abcdef",
        "boot": "fedcba9876543210",
    }
    facts |= {"python": "CPython 3.11.7", "distributions": "00112233445566aa"}
    evaluations = {
        side: {
            "environment": side,
            "fingerprint": written({**facts, "environment": side, "preset": preset}),
            "tree": "ab" * 20,
            "counterexample_sha256": hashlib.sha256(files[COUNTEREXAMPLE]).hexdigest(),
            "replays": 3,
            "failed": 3,
            "regenerated": True,
        }
        for side, preset in (("local", "active"), ("isolated", "venv"))
    }
    return rebind(files, scope=SCOPE, counterexample=COUNTEREXAMPLE, evaluations=evaluations)


def test_what_was_bound_and_cited_is_accepted() -> None:
    files = frozen()
    assert b"evaluations" in files[RECORD]
    assert rules(None, files) == []


@pytest.mark.parametrize("path", PLACES)
def test_no_byte_changes_unseen(path: str) -> None:
    files = frozen()
    unseen = []
    for position, byte in enumerate(files[path]):
        # Another digit stays one, another letter too, so that the change is one that a parser would not trip over.
        other = bytes([byte ^ 1 if chr(byte).isalnum() and chr(byte ^ 1).isalnum() else byte ^ 2])
        changed = files[path][:position] + other + files[path][position + 1 :]
        if not rules(None, {**files, path: changed}):
            unseen.append((position, files[path][max(position - 20, 0) : position + 10]))
    assert unseen == []


def test_the_record_of_this_test_is_of_the_form_that_bind_writes() -> None:
    from freezegate.documents.reading import read_record

    record = read_record(frozen()[RECORD]).document
    assert record is not None and record.evaluations is not None

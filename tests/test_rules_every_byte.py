"""No byte of what a freeze rests on can change unseen: each position of each document in turn."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, Repo, good_project, rebind, with_files
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


def unseen(files: dict[str, bytes], path: str) -> list[tuple[int, bytes]]:
    """Positions in a file where another byte is accepted, each with what stands around it."""
    found = []
    for position, byte in enumerate(files[path]):
        # Another digit stays one, another letter too, so that the change is one that a parser would not trip over.
        other = bytes([byte ^ 1 if chr(byte).isalnum() and chr(byte ^ 1).isalnum() else byte ^ 2])
        changed = files[path][:position] + other + files[path][position + 1 :]
        if not rules(None, {**files, path: changed}):
            found.append((position, files[path][max(position - 20, 0) : position + 10]))
    return found


@pytest.mark.parametrize("path", PLACES)
def test_no_byte_changes_unseen(path: str) -> None:
    assert unseen(frozen(), path) == []


@pytest.mark.slow
def test_no_byte_of_what_bind_and_cite_wrote_changes_unseen(tmp_path: Path) -> None:
    start = {path: data for path, data in frozen().items() if path not in (COUNTEREXAMPLE, RECORD, CITATION)}
    repo = with_files(Repo(tmp_path / "repo"), start)
    repo.commit("A property")
    assert repo.run("property-run", "--scope", SCOPE).code == 1
    assert repo.run("bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE).code == 0
    repo.commit_all("Bind it")
    assert repo.run("cite", SCOPE_ID).code == 0
    repo.commit_all("Freeze it")
    assert repo.rules() == []
    files = {path: repo.at(path).read_bytes() for path in (*start, COUNTEREXAMPLE, RECORD, CITATION)}
    assert rules(None, files) == []
    for path in PLACES:
        assert unseen(files, path) == [], path

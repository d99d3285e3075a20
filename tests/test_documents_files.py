"""The accepted and rejected documents, a file a case; what they hold is said by their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from freezegate.documents import reading
from freezegate.documents.loading import LoadError, load_json, load_yaml
from freezegate.documents.schemas import KINDS

FOLDER = Path(__file__).parent / "documents"
READERS: dict[str, Callable[[bytes], reading.Reading[Any]]] = {kind: getattr(reading, f"read_{kind}") for kind in KINDS}


def cases(side: str) -> list[Any]:
    return [
        pytest.param(kind, path, id=f"{kind}-{path.stem}")
        for kind in KINDS
        for path in sorted((FOLDER / side / kind).iterdir())
    ]


@pytest.mark.parametrize(("kind", "path"), cases("accepted"))
def test_accepted_document_gives_a_value_and_no_problem(kind: str, path: Path) -> None:
    read = READERS[kind](path.read_bytes())
    assert read.problems == ()
    assert read.document is not None


@pytest.mark.parametrize(("kind", "path"), cases("rejected"))
def test_rejected_document_gives_problems_inside_the_file_and_no_value(kind: str, path: Path) -> None:
    data = path.read_bytes()
    read = READERS[kind](data)
    assert read.document is None
    assert read.problems
    lines = data.decode("utf-8", "replace").split("\n")
    for problem in read.problems:
        assert problem.message
        assert 1 <= problem.line <= len(lines)
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1


@pytest.mark.parametrize(("kind", "path"), cases("rejected"))
def test_rejected_document_is_unreadable_exactly_when_the_loader_or_a_folded_field_says_so(
    kind: str, path: Path
) -> None:
    data = path.read_bytes()
    try:
        loaded = load_yaml(data) if path.suffix == ".yaml" else load_json(data)
    except LoadError:
        expected = {"unreadable"}
    else:
        escaped = path.stem.rpartition("_")[2] in ("escaped", "folded", "control", "newline")
        expected = {"unreadable", "schema"} if loaded.folded and escaped else {"schema"}
    assert {problem.kind for problem in READERS[kind](data).problems} <= expected


def test_every_kind_has_accepted_and_rejected_files() -> None:
    for side in ("accepted", "rejected"):
        assert {path.name for path in (FOLDER / side).iterdir()} == set(KINDS)


def test_folded_ids_paths_and_digests_are_unreadable_at_their_own_line() -> None:
    data = (FOLDER / "rejected/scope/inputs_escaped.yaml").read_bytes()
    (problem,) = reading.read_scope(data).problems
    assert (problem.kind, problem.line) == ("unreadable", 7)
    assert problem.hint
    for name in (
        "config/escaped",
        "config/source_escaped",
        "property/oracle_escaped",
        "property/scope_escaped",
    ):
        kind = name.partition("/")[0]
        (problem,) = READERS[kind]((FOLDER / "rejected" / f"{name}.yaml").read_bytes()).problems
        assert problem.kind == "unreadable"

"""What the documents' dataclasses say of what was read, and what a reader is told of a refusal."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from freezegate.documents import reading
from freezegate.documents.catalog import Property, split_oracle
from freezegate.documents.citation import Citation
from freezegate.documents.config import DEFAULT, Config, Environment, Layout, Policy
from freezegate.documents.counterexample import Counterexample
from freezegate.documents.ledger import Ledger
from freezegate.documents.record import Record
from freezegate.documents.scope import Scope
from freezegate.paths import RepoPath

FOLDER = Path(__file__).parent / "documents"
HEX = "0123456789abcdef" * 4


def accepted(name: str) -> Any:
    path = next((FOLDER / "accepted").glob(f"{name}.*"))
    read = getattr(reading, f"read_{path.parent.name}")(path.read_bytes())
    assert read.document is not None
    return read.document


def messages(read: reading.Reading[Any]) -> list[str]:
    return [problem.message for problem in read.problems]


def rejected(name: str) -> reading.Reading[Any]:
    path = next((FOLDER / "rejected").glob(f"{name}.*"))
    read: reading.Reading[Any] = getattr(reading, f"read_{path.parent.name}")(path.read_bytes())
    return read


def test_scope_fields() -> None:
    scope = accepted("scope/every_field")
    assert isinstance(scope, Scope)
    assert (scope.predicate_path, scope.predicate_function) == ("tests/properties/total.py", "holds")
    assert scope.inputs == ("data/rates.csv", "data/it's.csv")
    assert scope.description == "A total is never below zero."
    assert scope.predicate_digest == "sized:" + HEX
    assert accepted("scope/smallest").seed_lock is None


def test_scope_path_may_hold_colons() -> None:
    data = (FOLDER / "accepted/scope/smallest.yaml").read_bytes().replace(b"total.py:holds", b"a:b.py:c")
    scope = reading.read_scope(data).document
    assert scope is not None
    assert (scope.predicate_path, scope.predicate_function) == ("tests/properties/a:b.py", "c")


def test_counterexample_fields() -> None:
    case = accepted("counterexample/engine")
    assert isinstance(case, Counterexample)
    assert case.input == {"quantity": 2}
    assert case.engine is not None
    assert (case.engine.name, case.engine.version) == ("hypothesis", "6.170.17")


def test_record_fields() -> None:
    record = accepted("record/every_field")
    assert isinstance(record, Record)
    assert record.evaluations is not None
    assert record.evaluations.local.regenerated is None
    assert record.evaluations.isolated.regenerated is True
    assert record.evaluations.isolated.environment == "isolated"
    opened = accepted("record/open")
    assert (opened.counterexample_sha256, opened.class_local, opened.evaluations) == (None, None, None)


def test_citation_day() -> None:
    citation = accepted("citation/expires")
    assert isinstance(citation, Citation)
    assert citation.expires == date(2028, 2, 29)
    assert accepted("citation/smallest").expires is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("props/a.py", ("props/a.py", None, None)),
        ("props/a.py:check", ("props/a.py", "check", None)),
        ("props/a.py::test_b", ("props/a.py", None, "test_b")),
        ("props/a.py::TestC::test_b[x:y]", ("props/a.py", None, "TestC::test_b[x:y]")),
        ("props/a.py:", ("props/a.py", "", None)),
    ],
)
def test_oracle_parts(text: str, parts: tuple[str, str | None, str | None]) -> None:
    assert split_oracle(text) == parts


def test_property_fields() -> None:
    entry = accepted("property/every_field_with_cases")
    assert isinstance(entry, Property)
    assert (entry.oracle_path, entry.oracle_function, entry.oracle_node) == ("props/total.py", "check", None)
    assert (entry.cases, entry.scope, entry.volatile) == ("cases/**/*.json", None, ("host", "path"))


def test_ledger_entries_know_their_place() -> None:
    ledger = accepted("ledger/twice_is_another_rules_business")
    assert isinstance(ledger, Ledger)
    assert [freeze.index for freeze in ledger.freezes] == [0, 1]
    assert ledger.freezes[0].fields == ledger.freezes[1].fields == ("total-holds", HEX, HEX, "0123456789" * 4)


def test_config_defaults() -> None:
    assert accepted("config/nothing_named") == DEFAULT == Config()
    assert DEFAULT.layout.seed_lock == RepoPath(b"tests/fixtures/seeds.lock")
    assert DEFAULT.layout.source == (b"src",)
    assert DEFAULT.policy == Policy("mixed", "plain", "exact", False, False, "any", "report", 10000, 3, None)
    assert DEFAULT.environments == {"isolated": Environment(preset="venv")}
    assert DEFAULT.named == frozenset()


def test_config_fields() -> None:
    config = accepted("config/every_key")
    assert config.layout.source == (b"lib", b"tools")
    assert config.named == frozenset(Layout.__dataclass_fields__)
    stated = ("strict", "sized", "reproduced", True, True, "other_host", "fail", 500, 5, 30)
    assert config.policy == Policy(*stated, attested_labels="both")  # type: ignore[arg-type]
    assert config.environments["box"] == Environment(preset="container", image="python:3.11")
    assert config.environments["far"] == Environment(preset="ssh", host="build1")
    assert config.environments["own"] == Environment(command=("run", "{case}"))
    assert accepted("config/claims_in_bindings").named == {"claimed"}


def test_schema_messages_begin_with_the_json_pointer() -> None:
    assert messages(rejected("scope/min_above_max")) == ["/domain/quantity: min 4 is above max 3"]
    assert messages(rejected("record/evaluations_third_side"))[0].startswith("/evaluations/remote: ")
    assert messages(reading.read_record(b'{"a/b~c": 1}'))[-1].startswith("/a~1b~0c: ")


def test_other_schema_versions_are_told_the_one_of_today() -> None:
    assert "3" in messages(rejected("scope/version_2"))[0]
    assert "today" in messages(rejected("scope/version_4"))[0]


@pytest.mark.parametrize(
    "name",
    [
        "scope/number_digest",
        "record/digest_number",
        "record/tree_number",
        "ledger/signature_number",
        "ledger/revision_number",
    ],
)
def test_number_in_place_of_a_digest_gets_the_hint_to_quote_it(name: str) -> None:
    (problem,) = rejected(name).problems
    assert problem.hint == "quote it: digests and commit ids are strings"


def test_every_violation_is_listed_at_its_own_line() -> None:
    text = json.dumps({"scope_id": 1, "seed": -1, "note": 2}, indent=1)
    problems = reading.read_counterexample(text.encode()).problems
    lines = {problem.message.partition(":")[0]: problem.line for problem in problems}
    assert lines["/scope_id"] == 2
    assert lines["/seed"] == 3
    assert lines["/note"] == 4
    assert len(problems) == 3 + 4  # and the four missing keys


def test_many_violations_are_cut_to_twenty_and_a_count() -> None:
    read = reading.read_claimed(json.dumps(list(range(30))).encode())
    assert len(read.problems) == 21
    assert read.problems[-1].message == "and 10 more"
    read = reading.read_claimed(json.dumps([1] * 5000).encode())
    assert read.problems[-1].message == "and at least 980 more"


def test_many_folded_values_are_cut_too() -> None:
    data = (FOLDER / "accepted/scope/smallest.yaml").read_bytes()
    items = ", ".join(f'"\\x61{index}"' for index in range(30))
    read = reading.read_scope(data + f"inputs: [{items}]\n".encode())
    assert len(read.problems) == 21
    assert {problem.kind for problem in read.problems} == {"unreadable"}


def test_no_message_quotes_a_whole_value() -> None:
    huge = "x" * 100_000
    for value in (
        huge,
        [huge] * 5,
        {huge: huge},
        {"scope_id": huge, "domain": {huge: huge}, "evaluations": huge},
    ):
        for kind in ("record", "claimed", "ledger", "citation", "counterexample"):
            read = getattr(reading, f"read_{kind}")(json.dumps(value).encode())
            assert all(len(problem.message) < 600 for problem in read.problems)


def test_positions_of_a_reading() -> None:
    data = (FOLDER / "accepted/scope/smallest.yaml").read_bytes()
    read = reading.read_scope(data)
    assert read.position() == (1, 1)
    assert read.position("predicate") == (2, 1)
    assert read.positions([("domain", "quantity"), ("inputs", 0)]) == [(4, 3), (1, 1)]
    assert reading.read_scope(b"\xff").position("predicate") == (1, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("generater: a\n", "; did you mean generator?"),
        ("input: [a]\n", "; did you mean inputs?"),
        ("seedLock: a\n", "; did you mean seed_lock?"),
        ("Predicate_Digest: a\n", "; did you mean predicate_digest?"),
        ("note: a\n", ""),
        ("x" * 500 + ": a\n", ""),
    ],
)
def test_an_unknown_key_that_is_close_to_a_known_one(line: str, said: str) -> None:
    data = (FOLDER / "accepted/scope/smallest.yaml").read_bytes()
    if line.startswith("generater"):
        data = data.replace(b"generator: ", b"former: ")
    found = [message for message in messages(reading.read_scope(data + line.encode())) if "not known here" in message]
    assert found[-1].endswith(f"not known here{said}")


def test_a_key_that_is_there_already_is_not_suggested() -> None:
    data = (FOLDER / "accepted/scope/smallest.yaml").read_bytes() + b"generater: a\n"
    assert [message for message in messages(reading.read_scope(data)) if "did you mean" in message] == []


def test_the_nearest_key_is_one_of_its_own_object() -> None:
    read = reading.read_config(b"polcy: {}\npolicy: {require_digest: true, source: [a], repays: 2}\n")
    said = {message.partition(":")[0]: message.partition("not known here")[2] for message in messages(read)}
    assert said == {
        "/polcy": "",
        "/policy/require_digest": "",
        "/policy/source": "",
        "/policy/repays": "; did you mean replays?",
    }

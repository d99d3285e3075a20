"""Every cheat is caught and every everyday change passes, in each layer that judges it; and the command can fail."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from freezegate.cli import gauntlet as command
from freezegate.errors import CannotJudge, UsageError
from freezegate.gate.registry import all_rules
from freezegate.gauntlet import cases
from freezegate.gauntlet.cases import CASES, chosen
from freezegate.gauntlet.model import LAYERS, PASS, Case, Layer, Outcome
from freezegate.gauntlet.running import Gauntlet
from freezegate.gauntlet.table import render, status
from freezegate.gauntlet.work import Work

PAGE = Path(__file__).parents[2] / "docs" / "threat-model.md"
CHEATS = [case for case in CASES if not case.benign]
BENIGN = [case for case in CASES if case.benign]

# One of each topic, in the loop of whoever edits the gate.
FAST = {
    "folder-becomes-link",
    "one-name-twice",
    "record-says-twice",
    "generator-narrowed",
    "helper-relaxed",
    "null-on-both-sides",
    "label-signed-by-the-local-key",
    "claim-dropped",
    "freeze-beside-its-oracle",
    "policy-softened",
    "merge-mixes-two-sides",
    "predicate-exits",
    "regression-frozen",
    "source-edited",
    "property-added",
    "main-merged",
    "foreign-folders",
    "frozen-failure-promoted",
}


def pairs() -> list[object]:
    assert {case.name for case in CASES} >= FAST
    # Where a case is for several layers, the command judges it in all; here the first is enough but for those that are fast.
    return [
        pytest.param(case, layer, id=f"{case.name}-{layer}", marks=() if case.name in FAST else pytest.mark.slow)
        for case in CASES
        for layer in (case.layers if case.name in FAST else case.layers[:1])
    ]


@pytest.fixture(scope="module")
def gauntlet() -> Iterator[Gauntlet]:
    with Gauntlet() as made:
        yield made


@pytest.mark.parametrize(("case", "layer"), pairs())
def test_a_cheat_is_caught_and_a_benign_change_passes(gauntlet: Gauntlet, case: Case, layer: Layer) -> None:
    outcome = gauntlet.judge(case, layer)
    assert outcome.result == ("passed" if case.benign else "caught"), f"{outcome.result}: {outcome.said}"


def test_there_are_enough_of_each_kind() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert len(CHEATS) >= 80
    assert sum(case.origin == "own" for case in CHEATS) >= 30
    assert len(BENIGN) >= 60
    assert len({case.says for case in CASES}) == len(CASES)
    for layer in LAYERS:
        assert any(layer in case.layers for case in CHEATS), layer
        assert any(layer in case.layers for case in BENIGN), layer


def test_every_rule_has_a_cheat_that_it_catches() -> None:
    assert set(all_rules()) <= {case.expect for case in CHEATS}


def test_every_expectation_is_a_rule_a_reason_or_an_exit_status() -> None:
    reasons = {"failed", "oracle_moved", "missing_run", "fixture_mutated"}
    for case in CHEATS:
        static = {"commit", "server", "range"} & set(case.layers)
        known = set(all_rules()) | {"rejected"} if static else reasons if case.layer == "verdict" else set()
        assert case.expect in known or re.fullmatch("exit [1-4]", case.expect), case.name
        if case.layer == "run":
            assert case.answer, f"{case.name}: an exit status alone may have any cause"


def options(**changes: object) -> argparse.Namespace:
    plain: dict[str, object] = {"layer": None, "only": [], "jobs": 2, "keep": None, "format": "text"}
    return argparse.Namespace(**{**plain, **changes})


def by_name(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


@pytest.mark.parametrize(
    ("name", "expect", "result", "code"),
    [
        ("predicate-relaxed", "digest-mismatch", "wrong rule", 1),
        ("predicate-relaxed", PASS, "false alarm", 1),
        ("source-edited", "predicate-without-scope", "missed", 1),
        ("predicate-relaxed", "predicate-without-scope", "caught", 0),
        ("source-edited", PASS, "passed", 0),
    ],
)
def test_a_broken_expectation_fails_the_command(
    name: str, expect: str, result: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cases, "CASES", (dataclasses.replace(by_name(name), expect=expect),))
    assert command.run(options(layer=["commit"], format="json")) == code
    document = json.loads(capsys.readouterr().out)
    assert [row["result"] for row in document["outcomes"]] == [result]


def test_an_answer_for_another_reason_is_the_wrong_one(gauntlet: Gauntlet) -> None:
    case = dataclasses.replace(by_name("predicate-exits"), answer="the time limit")
    assert gauntlet.judge(case, "run").result == "wrong rule"


def test_a_case_that_cannot_be_built_is_no_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def patch(work: Work) -> None:
        work.swap("README.md", "not there", "x")

    monkeypatch.setattr(cases, "CASES", (dataclasses.replace(by_name("source-edited"), patch=patch),))
    assert command.run(options(layer=["commit"])) == 2
    shown = capsys.readouterr().out
    assert "broken: source-edited" in shown and "does not have the text" in shown


def test_unknown_names_and_empty_choices_are_refused() -> None:
    with pytest.raises(UsageError, match="no-such-case"):
        chosen(["no-such-case"], LAYERS)
    with pytest.raises(UsageError, match="no case is left"):
        chosen(["predicate-exits"], ["server"])
    assert [case.name for case in chosen(["predicate-exits"], LAYERS)] == ["predicate-exits"]
    assert all("verdict" in case.layers for case in chosen([], ["verdict"]))


def test_what_is_kept_is_a_repository_to_look_at(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert command.run(options(only=["helper-relaxed"], layer=["commit"], keep=str(kept))) == 0
    place = kept / "helper-relaxed.commit" / "work"
    words = ["git", "diff", "--cached", "--name-only"]
    assert subprocess.run(words, cwd=place, capture_output=True, text=True, check=True).stdout == (
        "tests/properties/amounts.py\n"
    )
    with pytest.raises(CannotJudge, match="not an empty folder"):
        command.run(options(only=["helper-relaxed"], keep=str(kept)))


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert command.run(options(only=["helper-relaxed"])) == 0
    assert list(tmp_path.iterdir()) == []


def outcomes_as_expected() -> list[Outcome]:
    return [
        Outcome(case, layer, "passed" if case.benign else "caught", "", 0.0) for case in CASES for layer in case.layers
    ]


def test_the_tables_agree() -> None:
    outcomes = outcomes_as_expected()
    assert status(outcomes) == 0
    document = json.loads(render(outcomes, "json"))
    everything = document["layers"]["all"]
    assert everything["caught"] == everything["cheats"] > len(CHEATS)
    assert (everything["missed"], everything["false alarms"], everything["not judged"]) == (0, 0, 0)
    assert f"{len(CHEATS)} cheats, {len(BENIGN)} benign changes" in render(outcomes, "text")
    outcomes[0] = dataclasses.replace(outcomes[0], result="missed", said="\x1b[2J")
    assert status(outcomes) == 1
    assert "\x1b" not in render(outcomes, "text") and f"missed: {CASES[0].name}" in render(outcomes, "text")


def test_the_published_table_is_that_of_these_cases() -> None:
    """Run `freezegate gauntlet --format markdown` and put what it prints between the markers."""
    text = PAGE.read_text(encoding="utf-8")
    _, _, rest = text.partition("<!-- gauntlet: begin -->\n")
    table, end, _ = rest.partition("<!-- gauntlet: end -->\n")
    assert end
    assert table.strip() == render(outcomes_as_expected(), "markdown").strip()

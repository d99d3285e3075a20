"""Many cases given to one function, and a folder of fixtures, through real children."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from children import PREDICATE, Project, alive, pythons
from freezegate.running import rows as rows_module
from freezegate.running.evaluation import Outcome
from freezegate.running.launch import SOURCES_BOOT
from freezegate.running.process import Process
from freezegate.running.rows import RowsAnswer, fixtures_call, rows

PYTHONS = pythons()
every_python = pytest.mark.parametrize("python", PYTHONS, ids=[Path(python).parts[-3] for python in PYTHONS])
SEVERAL = """
    import unittest
    def test_p(case):
        if case["a"] == "exit": raise SystemExit(0)
        if case["a"] == "skip": raise unittest.SkipTest("not here")
        if case["a"] == "value": return 0
        if case["a"] == "false": return False
        assert case["a"] < 10, f"{case['a']} is large"
    """


def texts(*cases: Any) -> list[bytes]:
    return [json.dumps(case).encode() for case in cases]


def asked(project: Project, *cases: Any, limit: float | None = 20, python: str = sys.executable) -> RowsAnswer:
    return rows(project.launch(python), project.job(kind="rows"), texts(*cases), limit)


@every_python
def test_each_row_has_its_own_outcome(python: str, tmp_path: Path) -> None:
    project = Project(tmp_path, SEVERAL)
    cases = [{"a": value} for value in (1, 10, "exit", 2, "skip", "value", "false", 11, 3)]
    answer = asked(project, *cases, python=python)
    labels = ["pass", "fail", "absent", "pass", "absent", "absent", "fail", "fail", "pass"]
    assert answer.reason is None and [outcome.label for outcome in answer.outcomes] == labels
    assert "SystemExit" in (answer.outcomes[2].reason or "") and "not here" in (answer.outcomes[4].reason or "")
    # Each says what the case alone would give.
    for case, outcome in zip(cases, answer.outcomes, strict=True):
        assert outcome == project.outcome(case, python=python)


def test_no_row_sees_what_the_function_did_to_another(tmp_path: Path) -> None:
    source = "def test_p(case):\n    assert case == {'a': [1]}\n    case['a'].append(2)\n    case['b'] = 1\n"
    answer = asked(Project(tmp_path, source), *[{"a": [1]}] * 5)
    assert [outcome.label for outcome in answer.outcomes] == ["pass"] * 5


def test_a_case_arrives_as_json_has_it(tmp_path: Path) -> None:
    case: dict[str, Any] = {"a": [1, -0.0, 2**63, 10**999, None, 'é😀\u2028"\\', {"": []}], "b": {}}
    answer = asked(Project(tmp_path, f"def test_p(case): assert repr(case) == {repr(case)!a}"), case, {})
    assert [outcome.label for outcome in answer.outcomes] == ["pass", "fail"]


ENDS = {
    "exit": "os._exit(0)",
    "signal": "os.kill(os.getpid(), 9)",
    "forged": """os.write(1, b'FZG1\\0\\0\\0\\0\\0\\0\\0\\x12{"outcome": "done"}'); os._exit(0)""",
    "every descriptor closed": "os.closerange(0, 1000)",
    "replaced": "os.execv('/bin/true', ['true'])",
}


@pytest.mark.parametrize("name", ENDS)
def test_a_row_that_ends_the_process_leaves_all_without_answer(tmp_path: Path, name: str) -> None:
    project = Project(tmp_path, f"import os\ndef test_p(case):\n    if case['a'] == 2: {ENDS[name]}\n")
    answer = asked(project, {"a": 1}, {"a": 2}, {"a": 3})
    assert answer.outcomes == () and answer.reason
    assert len(asked(project, {"a": 1}, {"a": 3}).outcomes) == 2


def test_a_copy_of_the_process_does_not_answer(tmp_path: Path) -> None:
    source = "import os\ndef test_p(case):\n    if not os.fork(): return\n    assert case['a']\n"
    answer = asked(Project(tmp_path, source), {"a": 0}, {"a": 1}, {"a": 0})
    assert [outcome.label for outcome in answer.outcomes] == ["fail", "pass", "fail"]


def test_what_the_function_replaces_changes_no_answer(tmp_path: Path) -> None:
    source = """
        import builtins, os, json, pathlib
        def test_p(case):
            builtins.len = builtins.tuple = builtins.str = builtins.isinstance = lambda *a: 1 / 0
            json.dumps = os.write = os.getpid = pathlib.Path = None
            assert case["a"]
        """
    answer = asked(Project(tmp_path, source), {"a": 0}, {"a": 1})
    assert [outcome.label for outcome in answer.outcomes] == ["fail", "pass"]


def test_rows_without_end_are_ended(tmp_path: Path) -> None:
    source = """
        import os
        def test_p(case):
            if case["a"]:
                open("pids", "a").write("%d\\n" % os.getpid())
                while True: pass
        """
    project = Project(tmp_path, source)
    began = time.monotonic()
    answer = asked(project, {"a": 0}, {"a": 1}, limit=2)
    assert answer.timed_out and answer.outcomes == () and answer.reason == "the time limit of 2 s ran out"
    assert time.monotonic() - began < 15 and not any(map(alive, project.noted()))


def test_many_rows_with_long_texts_are_answered(tmp_path: Path) -> None:
    source = "def test_p(case):\n    if case['a'] % 3 == 0: raise SystemExit('\\U0001f600' * 400)\n    assert case['a'] % 3 == 1, '\\U0001f600' * 400\n"
    answer = asked(Project(tmp_path, source), *[{"a": index} for index in range(9001)], limit=60)
    assert answer.reason is None
    assert [outcome.label for outcome in answer.outcomes] == (["absent", "pass", "fail"] * 3001)[:9001]
    assert "😀" in (answer.outcomes[0].reason or "") and "left out" in (answer.outcomes[4095].reason or "")


def test_the_process_count_is_small_and_a_waiting_one_is_used(tmp_path: Path) -> None:
    project = Project(tmp_path, "import os\nopen('pids', 'a').write('%d\\n' % os.getpid())\ndef test_p(case): pass")
    started = Process(project.launch())
    answer = rows(project.launch(), project.job(), texts(*[{"a": index} for index in range(5000)]), 60, started)
    assert len(answer.outcomes) == 5000 and len(project.noted()) == 2 and project.noted()[0] == started.pid


def test_large_cases_are_given_in_parts(tmp_path: Path) -> None:
    case = {"a": "x" * 1_000_000}
    answer = asked(Project(tmp_path, "def test_p(case): assert len(case['a']) > 3"), *[case] * 6, {"a": ""}, limit=60)
    assert [outcome.label for outcome in answer.outcomes] == ["pass"] * 6 + ["fail"]


def test_no_rows_are_no_answer(tmp_path: Path) -> None:
    project = Project(tmp_path, "def test_p(case): pass")
    started = Process(project.launch())
    answer = rows(project.launch(), project.job(), [], 5, started)
    assert answer == RowsAnswer((), "there is no row") and not alive(started.pid)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import nowhere", "cannot be imported"),
        ("x = 1", "has no function test_p"),
        ("import os\nos._exit(0)", "exit status 0"),
    ],
)
def test_a_file_that_does_not_load_leaves_all_without_answer(tmp_path: Path, source: str, why: str) -> None:
    answer = asked(Project(tmp_path, source), {}, {})
    assert answer.outcomes == () and why in (answer.reason or "")


def test_an_interpreter_that_leaves_asserts_out_is_refused(tmp_path: Path) -> None:
    project = Project(tmp_path, "def test_p(case): assert False")
    launch = project.launch()
    answer = rows(launch._replace(argv=(launch.argv[0], "-O", *launch.argv[1:])), project.job(), texts({}), 20)
    assert "-O" in (answer.reason or "")


def test_a_command_that_cannot_be_started_gives_no_answer(tmp_path: Path) -> None:
    project = Project(tmp_path, "def test_p(case): pass")
    answer = rows(project.launch()._replace(argv=(str(tmp_path / "none"),)), project.job(), texts({}), 5)
    assert "could not be started" in (answer.reason or "")


@every_python
def test_the_harness_can_be_sent(python: str, tmp_path: Path) -> None:
    project = Project(tmp_path, SEVERAL)
    sent = project.launch(python)._replace(argv=(python, "-s", "-X", "utf8", "-c", SOURCES_BOOT), sources=True)
    cases = texts({"a": 1}, {"a": 12})
    assert rows(sent, project.job(), cases, 20) == rows(project.launch(python), project.job(), cases, 20)


@every_python
def test_a_folder_of_fixtures_is_given_as_a_path(python: str, tmp_path: Path) -> None:
    source = """
        import pathlib
        def test_p(fixtures):
            assert isinstance(fixtures, pathlib.Path)
            assert (fixtures / "a").read_text() == "right"
        """
    project = Project(tmp_path, source, {"fixtures é/a": "right", "other/a": "wrong"})
    right = fixtures_call(project.launch(python), project.job(facts=True), str(project.root / "fixtures é"), 20)
    wrong = fixtures_call(project.launch(python), project.job(), str(project.root / "other"), 20)
    assert right.label == "pass" and right.facts is not None
    assert wrong.label == "fail" and wrong.failure is not None and wrong.failure.statement is not None
    assert wrong.failure.statement.startswith('assert ( fixtures / "a" )')


def test_a_call_without_answer_says_why(tmp_path: Path) -> None:
    project = Project(tmp_path, "import os, time\ndef test_p(fixtures):\n    getattr(os, fixtures.name)(0)\n")
    ended = fixtures_call(project.launch(), project.job(), "/x/_exit", 20)
    assert ended.label == "absent" and "exit status 0" in (ended.reason or "")
    project.write(PREDICATE, "def test_p(): pass")
    assert "cannot take one" in (fixtures_call(project.launch(), project.job(), "/x", 20).reason or "")
    project.write(PREDICATE, "def test_p(fixtures):\n    while True: pass")
    late = fixtures_call(project.launch(), project.job(), "/x", 1)
    assert late.label == "absent" and late.timed_out


FAILURE = {"exception": "E", "statement": None, "file": "f", "function": "g", "inside": True, "line": 1}
MALFORMED: list[dict[str, Any]] = [
    {},
    {"outcome": "done"},
    {"outcome": "done", "rows": [], "failures": []},
    {"outcome": "done", "rows": [["pass", "", None]] * 2, "failures": []},
    {"outcome": "done", "rows": ["pass"], "failures": []},
    {"outcome": "done", "rows": [["pass", "", 0]], "failures": [FAILURE]},
    {"outcome": "done", "rows": [["pass", "why", None]], "failures": []},
    {"outcome": "done", "rows": [["passed", "", None]], "failures": []},
    {"outcome": "done", "rows": [["absent", "", None]], "failures": []},
    {"outcome": "done", "rows": [["fail", "", None]], "failures": []},
    {"outcome": "done", "rows": [["fail", "", 1]], "failures": [FAILURE]},
    {"outcome": "done", "rows": [["fail", "", -1]], "failures": [FAILURE]},
    {"outcome": "done", "rows": [["fail", "", True]], "failures": [FAILURE, FAILURE]},
    {"outcome": "done", "rows": [["fail", "", 0]], "failures": [{**FAILURE, "line": "1"}]},
    {"outcome": "done", "rows": [["fail", "", 0]], "failures": [7]},
    {"outcome": "pass", "rows": [["pass", "", None]], "failures": []},
]


class Said(Process):
    """A child that says what it is told to."""

    saying: dict[str, Any]

    def _result(self, nonce: str, on_progress: object) -> dict[str, Any]:
        super()._result(nonce, None)
        return self.saying


@pytest.mark.parametrize("said", MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_answer_is_none(tmp_path: Path, said: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path, "def test_p(case): pass")
    monkeypatch.setattr(rows_module, "Process", Said)
    monkeypatch.setattr(Said, "saying", said, raising=False)
    answer = asked(project, {})
    assert answer == RowsAnswer((), "the child's answer is malformed")
    monkeypatch.setattr(Said, "saying", {"outcome": "done", "rows": [["fail", "m", 0]], "failures": [FAILURE]})
    (outcome,) = asked(project, {}).outcomes
    assert isinstance(outcome, Outcome) and outcome.failure is not None and outcome.failure.message == "m"


def test_memory_is_bounded(tmp_path: Path) -> None:
    if os.uname().sysname != "Linux":
        pytest.skip("what is bounded differs")
    project = Project(tmp_path, "def test_p(case): bytearray(case['a'])")
    answer = rows(project.launch(), project.job(memory=200 << 20), texts({"a": 1 << 30}, {"a": 1}), 20)
    assert [outcome.label for outcome in answer.outcomes] == ["absent", "pass"]
    assert "memory" in (answer.outcomes[0].reason or "")

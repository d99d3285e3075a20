"""Every failing input of a Hypothesis test, and who may reject one, through real children and the project's own pytest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from freezegate.running import nodes as nodes_module
from freezegate.running.nodes import NodeAnswer, SurveyAnswer, survey
from freezegate.running.process import Process
from test_running_nodes import FILE, Tests

HEADER = "from hypothesis import assume, example, given, settings, strategies as st, target, Phase\n"


def surveyed(
    base: Path, source: str, name: str = "test_p", files: dict[str, str | bytes] | None = None
) -> SurveyAnswer:
    return survey_in(Tests(base, HEADER + source, files), name)


def survey_in(project: Tests, name: str = "test_p", limit: float | None = 60) -> SurveyAnswer:
    return survey(project.launch(), project.node_job(name), limit)


def inputs(answer: SurveyAnswer) -> list[Any]:
    return [json.loads(text) for text, _ in answer.failing]


def test_every_failing_input_is_told_of_once_with_its_failure(tmp_path: Path) -> None:
    source = """
@given(a=st.integers(0, 40))
def test_p(a):
    if a in (3, 5): raise KeyError(a)
    assert a < 30
"""
    project = Tests(tmp_path, HEADER + source)
    answer = survey_in(project)
    assert answer.reason is None and not answer.timed_out
    assert sorted(given["a"] for given in inputs(answer)) == [3, 5, *range(30, 41)]
    kinds = {json.loads(text)["a"]: failure.exception for text, failure in answer.failing}
    assert kinds[5] == "builtins.KeyError" and kinds[40] == "builtins.AssertionError"
    assert all(failure.file == FILE and failure.inside for _, failure in answer.failing)
    assert survey_in(project) == answer
    # And what the test itself gives is among it.
    assert {json.dumps(example) for _, example in project.node().failures} <= {text for text, _ in _spaced(answer)}


def _spaced(answer: SurveyAnswer) -> list[tuple[str, object]]:
    return [(json.dumps(json.loads(text)), failure) for text, failure in answer.failing]


def test_a_test_that_holds_has_none(tmp_path: Path) -> None:
    assert surveyed(tmp_path, "@given(st.integers())\ndef test_p(a): pass") == SurveyAnswer()


def test_what_fails_does_not_decide_what_is_generated(tmp_path: Path) -> None:
    source = """
@settings(max_examples=60)
@given(st.lists(st.integers()))
def test_p(xs):
    target(float(len(xs)))
    with open("log", "a") as log: log.write(repr(xs) + "\\n")
    assert len(xs) < LONG
LONG = 4
"""
    project = Tests(tmp_path, HEADER + source)
    log = project.root / "log"
    texts = []
    for long in ("4", "99", "0"):
        project.write(FILE, HEADER + source.replace("LONG = 4", f"LONG = {long}"))
        answer = survey_in(project)
        assert answer.reason is None and bool(answer.failing) == (long != "99")
        texts.append(log.read_text())
        log.unlink()
    assert texts[0] == texts[1] == texts[2] and len(texts[0].splitlines()) == 60


def test_variants_explicit_examples_and_methods_are_told_apart(tmp_path: Path) -> None:
    source = """
import pytest
@pytest.mark.parametrize("p", [1, 2])
@example(a=99)
@given(a=st.integers(0, 9))
def test_p(p, a): assert p == 2 or a not in (4, 99)
class TestC:
    @given(st.integers(0, 9))
    def test_m(self, a): assert a < 9
"""
    project = Tests(tmp_path, HEADER + source)
    assert sorted(inputs(survey_in(project)), key=str) == [{"p": 1, "a": 4}, {"p": 1, "a": 99}]
    assert inputs(survey_in(project, "TestC::test_m")) == [{"a": 9}]


def test_what_the_test_rejects_is_no_failure(tmp_path: Path) -> None:
    source = "@given(st.integers(0, 9))\ndef test_p(a):\n    assume(a % 2)\n    assert a < 8\n"
    assert inputs(surveyed(tmp_path, source)) == [{"a": 9}]


def test_a_long_input_is_told_by_its_beginning_and_digest(tmp_path: Path) -> None:
    source = "@given(st.integers(0, 3))\ndef test_q(a): pass\n@given(st.just('x' * 5000), st.integers(0, 3))\ndef test_p(t, a): assert not a\n"
    answer = surveyed(tmp_path, source)
    texts = [text for text, _ in answer.failing]
    assert len(set(texts)) == 3 and all(text.startswith('{"t":"xxx') and len(text) < 300 for text in texts)
    assert all("SHA-256" in text for text in texts)


UNKNOWN = {
    "a skip": (
        "import pytest\n@given(st.integers(0, 9))\ndef test_p(a):\n    if a > 3: pytest.skip('no')",
        "Skipped: no",
    ),
    "unittest": (
        "import unittest\n@given(st.integers(0, 9))\ndef test_p(a):\n    if a > 3: raise unittest.SkipTest('no')",
        "SkipTest",
    ),
    "an end": ("@given(st.integers(0, 9))\ndef test_p(a):\n    if a > 3: raise SystemExit", "SystemExit"),
    "an interrupt": (
        "@given(st.integers(0, 9))\ndef test_p(a):\n    if a > 3: raise KeyboardInterrupt",
        "KeyboardInterr",
    ),
    "an import": ("@given(st.integers(0, 9))\ndef test_p(a):\n    if a > 3: import nowhere_", "nowhere_"),
    "no JSON": ("@given(st.tuples(st.integers(0, 9)))\ndef test_p(a): assert a[0] < 5", "none that JSON carries"),
    "no Hypothesis": ("def test_p(): assert False, 'why'", "a call failed that Hypothesis did not make: why"),
    "inner error": ("@given(st.integers())\ndef test_p(a): st.integers(5, 1).validate()", "InvalidArgument"),
    "nothing": ("@given(st.integers())\ndef test_p(a): assume(False)", "Hypothesis gave no answer"),
    "a mark": ("import pytest\n@pytest.mark.skip\n@given(st.integers())\ndef test_p(a): assert False", "was skipped"),
    "no test": ("def test_q(): pass", "not found"),
    "no import": ("import nowhere_", "cannot be collected"),
    "the process": ("import os\n@given(st.integers())\ndef test_p(a): os._exit(0)", "exit status 0"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_where_anything_has_no_answer_nothing_is_told(tmp_path: Path, name: str) -> None:
    source, why = UNKNOWN[name]
    answer = surveyed(tmp_path, source)
    assert answer.failing == () and why in (answer.reason or ""), answer


def test_too_many_failing_inputs_are_none(tmp_path: Path) -> None:
    source = """
@settings(max_examples=4000)
@given(st.integers(0, 2**64))
def test_p(a):
    exec(f"def f():\\n    raise type('E{a}', (Exception,), {{}})")
    locals()["f"]()
"""
    answer = surveyed(tmp_path, source)
    assert answer.failing == () and "too many" in (answer.reason or "")


def test_a_survey_ends_with_its_time(tmp_path: Path) -> None:
    project = Tests(tmp_path, HEADER + "@given(st.integers())\ndef test_p(a):\n    while True: pass\n")
    answer = survey_in(project, limit=3)
    assert answer.timed_out and answer.reason is not None


GOOD: dict[str, Any] = {"outcome": "surveyed", "reason": None, "calls": [], "failures": []}


@pytest.mark.parametrize(
    "told",
    [
        {},
        {**GOOD, "reason": 1},
        {**GOOD, "outcome": "pass"},
        {**GOOD, "calls": [["{}", 0]]},
        {**GOOD, "calls": [["{}"]]},
        {**GOOD, "calls": [{}]},
        {**GOOD, "calls": {}},
        {**GOOD, "failures": [{}], "calls": [["{}", 0]]},
    ],
    ids=range(8),
)
def test_a_malformed_survey_is_none(tmp_path: Path, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    class Said(Process):
        def _result(self, nonce: str, on_progress: object) -> dict[str, Any]:
            super()._result(nonce, None)
            return told

    monkeypatch.setattr(nodes_module, "Process", Said)
    assert surveyed(tmp_path, "def test_p(): pass") == SurveyAnswer((), "the child's answer is malformed")


SOURCE = """
from hypothesis import reject, strategies as st
from hypothesis.control import current_build_context

def share(a):
    if a > 5: reject()
    return a

def left(a):
    if a > 5: current_build_context().data.mark_invalid()
    return a

@st.composite
def even(draw):
    a = draw(st.integers(0, 40))
    if a % 2: reject()
    return a
"""
REJECTS = """
from hypothesis import assume, given, strategies as st
import helper, orders
@given(st.integers(0, 40))
def test_source(a): orders.share(a)
@given(st.integers(0, 40))
def test_engine(a): orders.left(a)
@given(st.integers(0, 40))
def test_both(a):
    assert orders.share(a) != 2
@given(st.integers(0, 40))
def test_own(a):
    assume(a < 9)
    assert a < 10
@given(st.integers(0, 40))
def test_helper(a):
    helper.small(a)
    assert a < 10
@given(orders.even())
def test_drawn_before(a): assert a % 2 == 0
@given(st.data())
def test_drawn(data): assert data.draw(orders.even()) % 2 == 0
@given(st.data())
def test_filtered(data): assert data.draw(st.integers(0, 40).filter(lambda a: a > 30)) > 30
"""
HELPER = "from hypothesis import assume\ndef small(a): assume(a < 9)\n"


def rejecting(base: Path, name: str) -> NodeAnswer:
    project = Tests(base, REJECTS, {"src/orders.py": SOURCE, "tests/helper.py": HELPER})
    return project.node(name, closure=[FILE, "tests/helper.py"])


@pytest.mark.parametrize("name", ["test_own", "test_helper", "test_drawn_before", "test_drawn", "test_filtered"])
def test_a_test_may_reject_what_it_is_not_about(tmp_path: Path, name: str) -> None:
    assert rejecting(tmp_path, name)[:2] == ("pass", None)


@pytest.mark.parametrize(("name", "line"), [("test_source", 6), ("test_engine", 10)])
def test_a_test_of_which_source_rejects_an_input_has_no_answer(tmp_path: Path, name: str, line: int) -> None:
    answer = rejecting(tmp_path, name)
    assert answer.label == "absent" and f"src/orders.py:{line} rejected a case" in (answer.reason or ""), answer


def test_beside_a_failure_it_is_one_that_nothing_identifies(tmp_path: Path) -> None:
    answer = rejecting(tmp_path, "test_both")
    assert answer.label == "fail"
    (real, example), (other, nothing) = answer.failures
    assert (real.exception, example) == ("builtins.AssertionError", {"a": 2})
    assert (other.exception, nothing) == ("no answer", None) and "src/orders.py:6" in other.message

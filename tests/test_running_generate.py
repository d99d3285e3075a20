"""All cases of a generator, through real children."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from children import Project
from freezegate.running.launch import SOURCES_BOOT, harness_command
from freezegate.running.rows import GeneratedAnswer, generated
from freezegate.running.searching import search

GENERATOR = "tests/fixtures/gen.py"
STRATEGY = """
from hypothesis import strategies as st

def strategy(domain):
    return st.fixed_dictionaries({"a": st.integers(), "b": st.lists(st.integers())})
"""
GENERATE = """
def generate(domain, rng):
    return {"a": rng.randint(0, domain["top"]), "b": [2**70, None, "é😀"]}
"""
LOGS = """
LOG = open("log", "a", buffering=1)
def test_p(case):
    LOG.write(__import__("json").dumps(case) + "\\n")
    assert case["a"] < FAILS
"""


def job(project: Project, **more: Any) -> dict[str, Any]:
    wanted = {"generator": GENERATOR, "domain": {"top": 50}, "seed": 7, "max_examples": 100, **more}
    return project.job(kind="search", **wanted)


def made(project: Project, limit: float | None = 60, **more: Any) -> GeneratedAnswer:
    return generated(project.launch(), job(project, **more), limit)


@pytest.mark.parametrize("generator", [STRATEGY, GENERATE], ids=["strategy", "generate"])
def test_the_cases_are_those_of_a_search_that_holds(tmp_path: Path, generator: str) -> None:
    project = Project(tmp_path, LOGS.replace("FAILS", "10**99"), {GENERATOR: generator})
    answer = made(project)
    assert answer.reason is None and not (project.root / "log").exists()
    assert search(project.launch(), job(project), 60).outcome == "held"
    judged = [json.loads(line) for line in (project.root / "log").read_text().splitlines()]
    assert list(answer.cases) == list({json.dumps(case, sort_keys=True): case for case in judged}.values())
    assert len(answer.cases) > 20 and made(project) == answer
    assert made(project, seed=8).cases != answer.cases and len(made(project, max_examples=5).cases) <= 5


def test_a_failure_ends_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path, LOGS.replace("FAILS", "20"), {GENERATOR: GENERATE})
    found = search(project.launch(), job(project), 60)
    assert found.outcome == "failed" and found.case is not None
    cases = made(project).cases
    assert sum(case["a"] >= 20 for case in cases) > 5 and found.case in cases


def test_the_predicate_is_not_needed(tmp_path: Path) -> None:
    project = Project(tmp_path, "raise SystemExit", {GENERATOR: GENERATE})
    wanted = job(project)
    del wanted["predicate"]
    assert generated(project.launch(), wanted, 60).cases


@pytest.mark.parametrize(
    ("generator", "why"),
    [
        ("def generate(domain, rng): return {'a': (1,)}", "JSON does not carry: /input/a: a tuple"),
        ("def generate(domain, rng): return [1]", "JSON does not carry: /input"),
        ("def generate(domain, rng): raise KeyError('x')", "raised KeyError"),
        ("import os\ndef generate(domain, rng): return {'a': os.urandom(8).hex()}", "unstable: "),
        ("import os\ndef generate(domain, rng): os._exit(0)", "exit status 0"),
        ("import nowhere", "cannot be imported"),
        ("x = 1", "neither of"),
        ("from hypothesis import strategies as st\ndef strategy(domain): return st.nothing()", "gave no case"),
    ],
)
def test_a_generator_that_gives_no_cases_says_why(tmp_path: Path, generator: str, why: str) -> None:
    answer = made(Project(tmp_path, "", {GENERATOR: generator}))
    assert answer.cases == () and why in (answer.reason or "")


def test_a_generator_without_end_is_ended(tmp_path: Path) -> None:
    answer = made(Project(tmp_path, "", {GENERATOR: "def generate(domain, rng):\n    while True: pass"}), limit=2)
    assert answer.timed_out and answer.cases == () and answer.reason == "the time limit of 2 s ran out"


def test_more_cases_than_one_answer_holds_come_in_parts(tmp_path: Path) -> None:
    generator = "def generate(domain, rng): return {'a': rng.randrange(10**9), 'b': 'é' * 100_000}"
    project = Project(tmp_path, "", {GENERATOR: "open('log', 'a').write('x')\n" + generator})
    answer = made(project, max_examples=20)
    assert answer.reason is None and len({case["a"] for case in answer.cases}) == len(answer.cases) > 8
    assert len((project.root / "log").read_text()) > 1


def test_other_cases_at_the_second_time_are_unstable(tmp_path: Path) -> None:
    generator = """
        import os
        with open("log", "a") as log: log.write("x")
        TIMES = os.path.getsize("log")
        def generate(domain, rng): return {'a': TIMES * rng.randrange(10**9), 'b': 'é' * 100_000}
        """
    answer = made(Project(tmp_path, "", {GENERATOR: generator}), max_examples=20)
    assert answer.cases == () and (answer.reason or "").startswith("unstable: ")


def test_an_environment_without_hypothesis_says_so(tmp_path: Path) -> None:
    project = Project(tmp_path, "", {GENERATOR: GENERATE})
    bare = project.launch()._replace(argv=(sys.executable, "-S", *harness_command(sys.executable)[1:]))
    assert "no Hypothesis" in (generated(bare, job(project), 30).reason or "")


def test_the_harness_can_be_sent(tmp_path: Path) -> None:
    project = Project(tmp_path, "", {GENERATOR: GENERATE})
    sent = project.launch()._replace(argv=(sys.executable, "-s", "-X", "utf8", "-c", SOURCES_BOOT), sources=True)
    assert generated(sent, job(project), 60) == made(project)

"""Searching for a failing case and reducing it, through real children."""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import pytest

from children import PREDICATE, Project, alive
from freezegate.running.canonical import document
from freezegate.running.launch import HARNESS, harness_command
from freezegate.running.process import Process
from freezegate.running.searching import Found, search

GENERATOR = "tests/fixtures/gen.py"
STRATEGY = """
from hypothesis import strategies as st

def strategy(domain):
    return st.fixed_dictionaries({"a": st.integers(), "b": st.lists(st.integers())})
"""
GENERATE = """
def generate(domain, rng):
    return {"a": rng.randint(-10**6, 10**6), "b": [rng.randrange(1000) for _ in range(rng.randrange(8))]}
"""
SUM = """
def test_p(case):
    total = sum(case["b"])
    assert total < case["a"] + 1000
"""
PASSES = "def test_p(case): pass"


def searched(
    base: Path, predicate: str, generator: str, python: str = sys.executable, limit: float | None = 60, **more: Any
) -> Found:
    project = Project(base, predicate, {GENERATOR: generator})
    return search_in(project, python, limit, **more)


def search_in(project: Project, python: str = sys.executable, limit: float | None = 60, **more: Any) -> Found:
    job = {"generator": GENERATOR, "domain": {}, "seed": 7, "max_examples": 100, **more}
    return search(project.launch(python), project.job(kind="search", **job), limit)


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """The same search without a child: quicker, for what the child adds nothing to."""
    monkeypatch.syspath_prepend(HARNESS)
    searching = importlib.import_module("freezegate_search")
    judgement = importlib.import_module("freezegate_judgement")

    def run(generator: str, predicate: str = PASSES, seed: int = 7) -> dict[str, Any]:
        made, judging = ModuleType("made"), ModuleType("judging")
        exec(generator, vars(made))
        exec(predicate, vars(judging))
        job = {"root": "/nowhere", "closure": [], "domain": {}, "seed": seed, "max_examples": 100}
        result: dict[str, Any] = searching.search(job, judging.test_p, made, judgement.judge, described)
        return result

    return run


def described(error: BaseException | None) -> dict[str, Any]:
    kind = "returned False" if error is None else f"{type(error).__module__}.{type(error).__qualname__}"
    return {"exception": kind, "statement": None, "file": "p.py", "function": "test_p", "line": 0}


@pytest.mark.parametrize("generator", [STRATEGY, GENERATE], ids=["strategy", "generate"])
def test_a_failing_case_is_found_and_reduced(tmp_path: Path, generator: str) -> None:
    result = searched(tmp_path, SUM, generator)
    assert result.outcome == "failed" and result.reason is None and not result.unstable
    assert result.case == {"a": -1000, "b": []}
    assert result.engine == ("hypothesis", hypothesis.__version__)
    assert result.failure is not None
    assert result.failure.exception == "builtins.AssertionError"
    assert (result.failure.file, result.failure.function) == ("tests/properties/p.py", "test_p")
    assert result.failure.statement is not None and result.failure.statement.startswith("assert total")


@pytest.mark.parametrize("generator", [STRATEGY, GENERATE], ids=["strategy", "generate"])
def test_a_property_that_holds_is_held_for_all_examples(tmp_path: Path, generator: str) -> None:
    result = searched(tmp_path, PASSES, generator)
    assert (result.outcome, result.examples, result.case, result.notes) == ("held", 100, None, ())


def test_the_counts_are_those_of_a_log_that_the_predicate_keeps(tmp_path: Path) -> None:
    predicate = """
    LOG = open("log", "a", buffering=1)
    def test_p(case):
        failing = case["a"] > 5000
        LOG.write("F" if failing else ".")
        LOG.write("%d\\n" % case["a"])
        assert not failing
    """
    project = Project(tmp_path, predicate, {GENERATOR: STRATEGY})
    result = search_in(project)
    lines = (project.root / "log").read_text().split()
    first = next(index for index, line in enumerate(lines) if line.startswith("F"))
    failing = [int(line[1:]) for line in lines if line.startswith("F")]
    assert result.example_index == first and result.examples == first + 1
    assert result.case is not None and result.case["a"] == failing[-1] == 5001
    # The first failing call is no reduction, and the last one repeats the smallest.
    assert result.shrink_steps is not None and len(set(failing)) - 1 <= result.shrink_steps <= len(failing) - 2


def test_rejected_cases_are_generated_but_not_evaluated(tmp_path: Path) -> None:
    predicate = """
    from hypothesis import assume
    def test_p(case):
        assume(case["a"] > 10)
        assert case["a"] < 500
    """
    result = searched(tmp_path, predicate, STRATEGY)
    assert result.outcome == "failed" and result.case == {"a": 500, "b": []}
    assert result.example_index is not None and 0 < result.examples <= result.example_index


REJECTING = """
from hypothesis import assume, reject

def share(qty):
    if qty > 10:
        reject()
    return qty

class Share:
    def __init__(self, qty):
        self.qty = qty
    def __le__(self, other):
        return assume(self.qty <= other)

def called(function, *given):
    return function(*given)
"""
OWN = {
    "by itself": "from hypothesis import assume\ndef test_p(case):\n    assume(\n        case['a'] <= 10\n    )",
    "by attribute": "import hypothesis as h\ndef test_p(case):\n    if case['a'] > 10: h.reject()",
    "by another name": "from hypothesis import assume as given\ndef test_p(case): given(case['a'] <= 10)",
    "by a variable": "import hypothesis\nonly = hypothesis.assume\ndef test_p(case): only(case['a'] <= 10)",
    "by a helper": "from helper import only\ndef test_p(case): only(case['a'] <= 10)",
    "called by source": (
        "from hypothesis import assume\nfrom orders import called\n"
        "def test_p(case): called(lambda a: assume(a <= 10), case['a'])"
    ),
    "by its exception": (
        "from hypothesis.errors import UnsatisfiedAssumption\n"
        "def test_p(case):\n    if case['a'] > 10: raise UnsatisfiedAssumption"
    ),
}
FOREIGN = {
    "raised there": ("from orders import share\ndef test_p(case): share(case['a'])", "src/orders.py:6"),
    "by an operator": ("from orders import Share\ndef test_p(case): assert Share(case['a']) <= 10", "src/orders.py:13"),
    "under its own name": ("from given import only\ndef test_p(case): only(case['a'] <= 10)", f"{PREDICATE}:2"),
}


def rejecting(base: Path, predicate: str) -> Found:
    helper = "from hypothesis import assume\ndef only(condition):\n    assume(condition)\n"
    files: dict[str, str | bytes] = {
        GENERATOR: GENERATE,
        "src/orders.py": REJECTING,
        "src/given.py": "from hypothesis import assume as only",
        "tests/properties/helper.py": helper,
    }
    project = Project(base, predicate, files)
    return search_in(project, closure=[PREDICATE, "tests/properties/helper.py"])


@pytest.mark.parametrize("name", OWN)
def test_the_predicate_may_reject_what_it_is_not_about(tmp_path: Path, name: str) -> None:
    result = rejecting(tmp_path, OWN[name])
    assert result.outcome == "held" and result.examples, result


@pytest.mark.parametrize("name", FOREIGN)
def test_code_under_test_may_reject_nothing(tmp_path: Path, name: str) -> None:
    predicate, where = FOREIGN[name]
    result = rejecting(tmp_path, predicate)
    assert result.outcome == "absent", result
    assert result.reason == f"{where} rejected a case, and only the test itself may say which cases it is about"


def test_one_failure_is_reduced_and_never_swapped_for_another(tmp_path: Path) -> None:
    # From a long list, deleting elements leads past the other failure.
    predicate = """
    def test_p(case):
        if len(case["b"]) >= 4: raise KeyError("long")
        if case["a"] > 100: raise ValueError("large")
    """
    project = Project(tmp_path, predicate, {GENERATOR: STRATEGY})
    seen = {}
    for seed in range(4):
        result = search_in(project, seed=seed)
        assert result.failure is not None and result.case is not None
        seen[result.failure.exception] = dict(result.case)
    smallest = {"builtins.KeyError": {"a": 0, "b": [0, 0, 0, 0]}, "builtins.ValueError": {"a": 101, "b": []}}
    assert seen.items() <= smallest.items() and seen


def test_what_the_predicate_does_to_its_case_is_not_retained(tmp_path: Path) -> None:
    predicate = """
    def test_p(case):
        case["b"].append("mine")
        case["more"] = 1
        return case["a"] < 100
    """
    result = searched(tmp_path, predicate, STRATEGY)
    assert result.case == {"a": 100, "b": []}
    assert result.failure is not None and result.failure.exception == "returned False"


def test_what_the_predicate_does_to_its_case_does_not_reach_the_next(tmp_path: Path) -> None:
    predicate = """
    def test_p(case):
        case["b"].append(1)
        assert len(case["b"]) == 1
    """
    generator = """
from hypothesis import strategies as st
SHARED = []
def strategy(domain):
    return st.integers().map(lambda number: {"a": number, "b": SHARED})
"""
    assert searched(tmp_path, predicate, generator).outcome == "held"


def test_a_generator_may_use_up_its_domain(tmp_path: Path) -> None:
    generator = "def generate(domain, rng): return {'a': rng.randint(0, domain['sizes'].pop())}"
    result = searched(tmp_path, PASSES, generator, domain={"sizes": [1000]})
    assert result.outcome == "held" and result.examples > 50


@pytest.mark.parametrize(
    ("made", "where", "what"),
    [
        ("{'tags': {1}}", "/input/tags", "a set, {1}"),
        ("{'tags': [(1,)]}", "/input/tags/0", "a tuple"),
        ("{'a': {'b': b'x'}}", "/input/a/b", "a bytes, b'x'"),
        ("{1: 2}", "/input", "a key is an int, 1"),
        ("{'a': float('nan')}", "/input/a", "nan"),
        ("{'a': float('-inf')}", "/input/a", "-inf"),
        ("{'a': '\\ud800'}", "/input/a", "unpaired surrogate"),
        ("{'\\ud800': 1}", "/input/", "unpaired surrogate"),
        ("{'a': __import__('enum').IntEnum('E', 'X').X}", "/input/a", "E"),
        ("{'a': __import__('collections').OrderedDict()}", "/input/a", "collections.OrderedDict"),
        ("{'a': 10**1000}", "/input/a", "1000 digits"),
        ("[1]", "/input", "a list"),
        ("None", "/input", "null"),
        ("LOOP", "/input/a/a", "60 deep"),
        ("SHARED", "/input", "values"),
    ],
)
def test_a_case_that_json_does_not_carry_is_named(
    in_process: Callable[..., dict[str, Any]], made: str, where: str, what: str
) -> None:
    result = in_process(f"""
LOOP = {{}}
LOOP["a"] = LOOP
SHARED = {{"x": 1}}
for _ in range(40): SHARED = {{"l": SHARED, "r": SHARED}}
def generate(domain, rng): return {made}
""")
    assert result["outcome"] == "unsound"
    assert result["reason"].startswith(where) and what in result["reason"]
    assert result["case"] is None


def test_an_unsound_case_is_reported_before_the_predicate_sees_it(tmp_path: Path) -> None:
    result = searched(tmp_path, "def test_p(case): raise KeyError", "def generate(domain, rng): return {'a': {1, 2}}")
    assert result.outcome == "unsound" and result.reason == "/input/a: a set, {1, 2}"


def test_large_integers_survive(tmp_path: Path) -> None:
    generator = "def generate(domain, rng): return {'a': 2**63 + rng.randrange(2), 'b': -(10**999), 'f': -0.0}"
    result = searched(tmp_path, "def test_p(case): assert case['a'] <= 2**63", generator)
    assert result.case == {"a": 2**63 + 1, "b": -(10**999), "f": -0.0}
    assert json.loads(document(result.case)) == result.case


ABSENT = {
    "no form": ("x = 1", "neither of strategy(domain) and generate(domain, rng)"),
    "both forms": ("def strategy(domain): pass\ndef generate(domain, rng): pass", "both of"),
    "no strategy": ("def strategy(domain): return 3", "returned a value of type int"),
    "strategy raises": ("def strategy(domain): return 1 / 0", "strategy(domain) raised ZeroDivisionError"),
    "generate raises": ("def generate(domain, rng): raise KeyError('x')", "generate(domain, rng) raised KeyError: 'x'"),
    "generate exits": ("def generate(domain, rng): raise SystemExit(0)", "raised SystemExit"),
    "drawing raises": (
        f"{STRATEGY.replace('})', '}).map(lambda x: 1 / 0)')}",
        "the generator raised ZeroDivisionError",
    ),
    "nothing to draw": (
        "from hypothesis import strategies as st\ndef strategy(domain): return st.nothing()",
        "gave no case",
    ),
    "all filtered": (STRATEGY.replace("})", "}).filter(lambda x: False)"), "gave no case"),
    "bad arguments": (STRATEGY.replace("st.integers(),", "st.integers(5, 1),"), "raised InvalidArgument"),
    "wrong parameters": ("def generate(): return {}", "raised TypeError"),
}


@pytest.mark.parametrize("name", ABSENT)
def test_a_generator_that_gives_no_cases_is_absent_with_the_reason(
    in_process: Callable[..., dict[str, Any]], name: str
) -> None:
    generator, why = ABSENT[name]
    result = in_process(generator)
    assert result["outcome"] == "absent" and why in result["reason"]
    assert result["case"] is None and result["failure"] is None and result["examples"] == 0


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
@pytest.mark.parametrize(
    ("predicate", "why"),
    [
        ("def test_p(case): raise SystemExit(0)", "SystemExit"),
        ("def test_p(case): return 1", "int"),
        ("async def test_p(case): pass", "coroutine"),
        ("import hypothesis\ndef test_p(case): hypothesis.assume(False)", "no case was evaluated"),
        ("import unittest\ndef test_p(case): raise unittest.SkipTest('x')", "skip"),
    ],
)
def test_a_predicate_without_answer_ends_the_search(
    in_process: Callable[..., dict[str, Any]], predicate: str, why: str
) -> None:
    result = in_process(STRATEGY, predicate)
    assert result["outcome"] == "absent" and why in result["reason"]


def test_a_case_without_answer_among_the_smaller_ones_is_passed_over(in_process: Callable[..., dict[str, Any]]) -> None:
    predicate = """
def test_p(case):
    if 0 < case["a"] < 400: raise SystemExit
    assert case["a"] <= 0
"""
    # Only seeds whose first case above 0 is above 400 get past the first rule.
    results = [in_process(STRATEGY, predicate, seed=seed) for seed in range(6)]
    failed = [result for result in results if result["outcome"] == "failed"]
    assert failed and all(result["case"] == {"a": 400, "b": []} for result in failed)


@pytest.mark.parametrize(
    ("generator", "predicate"),
    [
        (
            "import uuid\ndef generate(domain, rng): return {'a': rng.randrange(99), 'id': str(uuid.uuid4())}",
            "assert case['a'] < 50",
        ),
        ("import os\ndef generate(domain, rng): return {'a': os.urandom(8).hex()}", "pass"),
        (
            "import os\ndef generate(domain, rng): return {'a': [rng.randrange(9) for _ in range(os.urandom(1)[0])]}",
            "pass",
        ),
        (STRATEGY, "CALLS.append(1); assert len(CALLS) != 3"),
    ],
    ids=["uuid", "entropy", "entropy decides what is drawn", "a predicate that fails once"],
)
def test_what_does_not_follow_the_seed_is_unstable(
    in_process: Callable[..., dict[str, Any]], generator: str, predicate: str
) -> None:
    result = in_process(generator, f"CALLS = []\ndef test_p(case):\n    {predicate}")
    assert result["outcome"] in ("failed", "absent")
    assert result["reason"].startswith("unstable: ")


def test_a_recursion_without_end_is_one_failure(in_process: Callable[..., dict[str, Any]]) -> None:
    result = in_process(STRATEGY, "def test_p(case):\n    if case['a'] > 50: test_p(case)")
    assert result["outcome"] == "failed" and result["reason"] is None and result["case"] == {"a": 51, "b": []}


def test_a_profile_of_the_project_does_not_bound_the_search(in_process: Callable[..., dict[str, Any]]) -> None:
    before = hypothesis.settings.get_current_profile_name()
    generator = "import hypothesis\nhypothesis.settings.register_profile('mine', max_examples=3, derandomize=True)\n"
    try:
        held = in_process(generator + "hypothesis.settings.load_profile('mine')\n" + STRATEGY, PASSES)
    finally:
        hypothesis.settings.load_profile(before)
    assert held["examples"] == 100


def test_progress_is_told_while_the_search_runs(tmp_path: Path) -> None:
    project = Project(tmp_path, "import time\ndef test_p(case): time.sleep(0.01)", {GENERATOR: STRATEGY})
    job = project.job(kind="search", generator=GENERATOR, domain={}, seed=1, max_examples=60)
    told: list[int] = []
    assert search(project.launch(), job, 60, told.append).outcome == "held"
    assert 1 < len(told) < 60 and told == sorted(set(told)) and told[-1] <= 60


@pytest.mark.parametrize("where", ["generator", "predicate", "reduction"])
def test_a_search_without_end_is_ended(tmp_path: Path, where: str) -> None:
    spin = "open('pids', 'a').write('%d\\n' % __import__('os').getpid())\n    while True: pass"
    generator = f"def generate(domain, rng):\n    {spin}" if where == "generator" else STRATEGY
    predicate = {
        "generator": PASSES,
        "predicate": f"def test_p(case):\n    {spin}",
        "reduction": f"SEEN = []\ndef test_p(case):\n    if not SEEN: SEEN.append(1); assert False\n    {spin}",
    }[where]
    project = Project(tmp_path, predicate, {GENERATOR: generator})
    began = time.monotonic()
    result = search_in(project, limit=3)
    assert result.outcome == "absent" and result.timed_out and "time limit" in (result.reason or "")
    assert time.monotonic() - began < 20
    assert not any(map(alive, project.noted()))


def test_an_environment_without_hypothesis_is_absent_with_the_reason(tmp_path: Path) -> None:
    project = Project(tmp_path, PASSES, {GENERATOR: STRATEGY})
    bare = project.launch()._replace(argv=(sys.executable, "-S", *harness_command(sys.executable)[1:]))
    job = project.job(kind="search", generator=GENERATOR, domain={}, seed=1, max_examples=5)
    result = search(bare, job, 30)
    assert result.outcome == "absent" and "no Hypothesis" in (result.reason or "")


def test_a_command_that_cannot_be_started_is_absent(tmp_path: Path) -> None:
    project = Project(tmp_path, PASSES, {GENERATOR: STRATEGY})
    result = search(project.launch()._replace(argv=(str(tmp_path / "none"),)), project.job(kind="search"), 5)
    assert result.outcome == "absent" and "cannot be started" in (result.reason or "")


def test_a_process_that_was_started_before_is_used(tmp_path: Path) -> None:
    project = Project(tmp_path, PASSES, {GENERATOR: STRATEGY})
    job = project.job(kind="search", generator=GENERATOR, domain={}, seed=1, max_examples=5)
    started = Process(project.launch())
    assert search(project.launch(), job, 30, started=started).examples == 5

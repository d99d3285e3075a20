"""Tests of the project run by its own pytest, through real children."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import textwrap
import time
import venv
from pathlib import Path
from typing import Any

import pytest

from children import Project, alive
from freezegate.running import nodes as nodes_module
from freezegate.running.launch import SOURCES_BOOT, harness_command
from freezegate.running.nodes import NodeAnswer, node
from freezegate.running.process import Process
from freezegate.running.signatures import assertion_id

FILE = "tests/test_x.py"


class Tests(Project):
    """A tree with one test file."""

    __test__ = False

    def __init__(self, base: Path, source: str, files: dict[str, str | bytes] | None = None, path: str = FILE) -> None:
        super().__init__(base, "", files)
        self.path = path
        self.write(path, textwrap.dedent(source))

    def node(
        self, name: str = "test_p", limit: float | None = 60, python: str = sys.executable, **more: Any
    ) -> NodeAnswer:
        return node(self.launch(python), self.node_job(name, **more), limit)

    def node_job(self, name: str = "test_p", **more: Any) -> dict[str, Any]:
        wanted = {
            "kind": "pytest",
            "node": f"{self.path}::{name}",
            "closure": [self.path],
            "paths": ["tests", "", "src"],
        }
        return self.job(**{**wanted, **more})


def said(base: Path, source: str, name: str = "test_p", files: dict[str, str | bytes] | None = None) -> NodeAnswer:
    return Tests(base, source, files).node(name)


def test_a_test_that_passes(tmp_path: Path) -> None:
    answer = said(
        tmp_path, "import product\ndef test_p(tmp_path): assert product.HERE", files={"src/product.py": "HERE = 1"}
    )
    assert answer[:3] == ("pass", None, ()) and answer.facts is None


def test_a_test_that_fails_is_told_of_as_a_direct_call_is(tmp_path: Path) -> None:
    source = """
        import helper
        class Wrong(Exception): pass
        def checked(case):
            assert helper.same(case.get("a", 0)) == [1,   2], "why"
        def test_p(case={}):
            checked(case)
        def test_own(case={}):
            raise Wrong(case)
        def test_helper(case={}):
            helper.broken()
        """
    project = Tests(tmp_path, source, {"helper.py": "def same(x): return x\ndef broken(): raise KeyError(1)"})
    for name in ("test_p", "test_own", "test_helper"):
        by_pytest = project.node(name)
        ((failure, example),) = by_pytest.failures
        direct = project.outcome(
            {}, predicate={"path": FILE, "function": name}, closure=[FILE], paths=["tests", "", "src"]
        )
        assert by_pytest.label == "fail" and example is None
        assert failure == direct.failure
        assert direct.failure is not None and assertion_id("x", failure) == assertion_id("x", direct.failure)
    ((failure, _),) = project.node().failures
    assert failure.statement == """assert helper . same ( case . get ( "a" , 0 ) ) == [ 1 , 2 ] , "why\""""
    assert (failure.file, failure.function, failure.message) == (FILE, "checked", "why")


ABSENT = {
    "skip": ("import pytest\ndef test_p(): pytest.skip('not here')", "was skipped (Skipped: not here)"),
    "skip mark": ("import pytest\n@pytest.mark.skip(reason='no')\ndef test_p(): pass", "was skipped (Skipped: no)"),
    "skipped module": (
        "import pytest\npytest.skip('all', allow_module_level=True)\ndef test_p(): pass",
        "Skipped: all",
    ),
    "importorskip": ("import pytest\npytest.importorskip('nowhere_')\ndef test_p(): pass", "nowhere_"),
    "xfail": ("import pytest\n@pytest.mark.xfail\ndef test_p(): assert False", "(xfail)"),
    "xpass": ("import pytest\n@pytest.mark.xfail\ndef test_p(): pass", "(xpass)"),
    "xpass strict": ("import pytest\n@pytest.mark.xfail(strict=True)\ndef test_p(): pass", "(xpass, strict)"),
    "xfail inside": ("import pytest\ndef test_p(): pytest.xfail('known')", "(xfail)"),
    "no such test": ("def test_other(): pass", "not found"),
    "no test": ("def test_p(): pass", "not found"),
    "not collected": ("test_p = 3", "not found"),
    "fixture": (
        "import pytest\n@pytest.fixture\ndef f(): raise KeyError(7)\ndef test_p(f): pass",
        "its setup failed (KeyError: 7)",
    ),
    "no fixture": ("def test_p(nothing): pass", "its setup failed"),
    "teardown": (
        "import pytest\n@pytest.fixture\ndef f():\n    yield\n    1 / 0\ndef test_p(f): pass",
        "its teardown failed",
    ),
    "import error": (
        "import nowhere_\ndef test_p(): pass",
        "cannot be collected: ModuleNotFoundError: No module named 'nowhere_'",
    ),
    "syntax error": ("def test_p(:", "cannot be collected"),
    "exit": ("import sys\ndef test_p(): sys.exit(0)", "SystemExit"),
    "os exit": ("import os\ndef test_p(): os._exit(0)", "exit status 0"),
    "exit at import": ("import sys\nsys.exit(0)\ndef test_p(): pass", "SystemExit"),
    "os exit at import": ("import os\nos._exit(0)\ndef test_p(): pass", "exit status 0"),
    "pytest exit": ("import pytest\ndef test_p(): pytest.exit('over', returncode=0)", "over"),
    "interrupt": ("def test_p(): raise KeyboardInterrupt", "KeyboardInterrupt"),
    "memory": ("def test_p(): raise MemoryError", "out of memory"),
    "import inside": ("def test_p():\n    import nowhere_", "an import of the predicate failed"),
    "coroutine": ("async def test_p(): assert False", "test_p"),
    "forged": (
        """import os\ndef test_p():\n    frame = b'{"outcome": "pass", "reason": null, "failures": []}'\n"""
        """    os.write(1, b'FZG1' + len(frame).to_bytes(8, 'big') + frame); os._exit(0)""",
        "exit status 0",
    ),
    "killed": ("import os\ndef test_p(): os.kill(os.getpid(), 9)", "signal 9"),
}
NAMES = {"no test": "test_q", "no such test": "TestP::test_p"}


@pytest.mark.parametrize("name", ABSENT)
def test_what_is_neither_passed_nor_failed_has_no_answer(tmp_path: Path, name: str) -> None:
    source, why = ABSENT[name]
    answer = said(tmp_path, source, NAMES.get(name, "test_p"))
    assert answer.label == "absent" and why in (answer.reason or ""), answer
    assert answer.failures == ()


@pytest.mark.parametrize("written", [b"FZG1\0\0\0\0\0\0\0\2{}", b"passed" * 10_000, b'{"outcome": "pass"}\n'])
def test_what_a_test_prints_is_no_answer(tmp_path: Path, written: bytes) -> None:
    source = f"import os\ndef test_p():\n    os.write(1, {written!r}); os.write(2, {written!r}); print({written!r})\n    assert PASSES\nPASSES = 0"
    project = Tests(tmp_path, source, {"pytest.ini": "[pytest]\naddopts = -s"})
    assert project.node().label == "fail"
    project.write(FILE, source.replace("PASSES = 0", "PASSES = 1"))
    assert project.node().label == "pass"


@pytest.mark.parametrize(
    ("conftest", "why"),
    [
        ("import os\nos._exit(0)", "exit status 0"),
        ("import sys\nsys.exit(0)", "SystemExit"),
        ("import pytest\npytest.exit('over', returncode=0)", "over"),
        ("def pytest_sessionstart(session):\n    import pytest\n    pytest.exit('over', returncode=0)", "over"),
        ("def pytest_sessionfinish(session):\n    import os\n    os._exit(0)", "exit status 0"),
        ("def pytest_runtestloop(session): return True", "pytest ended before it ran a test"),
        ("def pytest_runtest_protocol(item): return True", "did not run to its end"),
        ("def pytest_cmdline_main(config): return 0", "pytest ended before it ran a test"),
        ("def pytest_collection_modifyitems(items): items.clear()", "no such test"),
        ("def pytest_configure(config): raise KeyError", "KeyError"),
        ("def pytest_runtest_call(item): raise SystemExit", "SystemExit"),
        ("def pytest_runtest_setup(item): raise RuntimeError", "its setup failed"),
        ("1 / 0", ""),
    ],
)
def test_a_conftest_that_ends_the_run_makes_no_pass(tmp_path: Path, conftest: str, why: str) -> None:
    # Before the collection in this order: of two hooks of one rank the later one goes first.
    conftest = conftest.replace(
        "def pytest_runtestloop", "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtestloop"
    )
    answer = said(tmp_path, "def test_p(): pass", files={"tests/conftest.py": conftest})
    assert answer.label == "absent" and answer.reason and why in answer.reason, answer


CASES = """
    import pytest
    @pytest.mark.parametrize("a", [1, 2, pytest.param(3, marks=pytest.mark.slow), 4])
    def test_p(a):
        assert a not in FAILS
    def test_p_too(): assert False
    FAILS = ()
    """
MARKS = "[pytest]\nmarkers = slow\n"


def test_every_variant_counts(tmp_path: Path) -> None:
    project = Tests(tmp_path, CASES, {"pytest.ini": MARKS})
    assert project.node()[:3] == ("pass", None, ())
    file = project.root / FILE
    file.write_text(file.read_text().replace("FAILS = ()", "FAILS = (2, 4)"))
    answer = project.node()
    assert answer.label == "fail" and len(answer.failures) == 2
    assert [failure.statement for failure, _ in answer.failures] == ["assert a not in FAILS"] * 2
    assert project.node("test_p[1]").label == "pass" and project.node("test_p[2]").label == "fail"
    assert project.node("test_p[5]").label == "absent"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ('-m "not slow"', "1 test was deselected"),
        ("-k other", "4 tests were deselected"),
        ("--collect-only", "did not run to its end"),
        ("--nonsense", "unrecognized arguments: --nonsense"),
    ],
)
def test_what_the_options_leave_out_has_no_answer(tmp_path: Path, options: str, why: str) -> None:
    answer = said(tmp_path, CASES, files={"pytest.ini": f"{MARKS}addopts = {options}\n"})
    assert answer.label == "absent" and why in (answer.reason or ""), answer


@pytest.mark.parametrize(
    "options",
    [
        "-x",
        "--maxfail=1",
        "--sw",
        "-n 2",
        "-n auto --dist loadfile",
        "tests",
        "--lf",
        "--pdb",
        "--import-mode=importlib",
        "--assert=rewrite",
        "-q -q",
        "-vv -ra",
    ],
)
def test_the_options_of_the_project_hide_no_failure(tmp_path: Path, options: str) -> None:
    if options.startswith("-n") and importlib.util.find_spec("xdist") is None:
        pytest.skip("no xdist here")
    source = CASES.replace("FAILS = ()", "FAILS = (2, 4)")
    answer = said(tmp_path, source, files={"pytest.ini": f"{MARKS}addopts = {options}\n"})
    assert answer.label == "fail" and len(answer.failures) == 2, answer


def test_beside_a_failure_what_has_no_answer_is_one_that_nothing_identifies(tmp_path: Path) -> None:
    source = """
        import pytest
        @pytest.mark.parametrize("a", [1, 2, 3])
        def test_p(a):
            if a == 1: pytest.skip("not here")
            assert a != 2
        """
    answer = said(tmp_path, source)
    assert answer.label == "fail"
    (real, _), (other, example) = answer.failures
    assert real.statement == "assert a != 2" and example is None
    assert (other.exception, other.statement) == ("no answer", None) and "test_p[1] was skipped" in other.message


def test_a_second_try_makes_no_pass(tmp_path: Path) -> None:
    conftest = """
        from _pytest.runner import runtestprotocol
        def pytest_runtest_protocol(item, nextitem):
            for attempt in range(2):
                for report in runtestprotocol(item, log=False, nextitem=nextitem):
                    if report.failed and not attempt: report.outcome = "rerun"
                    item.ihook.pytest_runtest_logreport(report=report)
            return True
        """
    source = (
        "TRIES = []\ndef test_p():\n    TRIES.append(1)\n    assert len(TRIES) > 1\ndef test_q():\n    assert False\n"
    )
    project = Tests(tmp_path, source, {"conftest.py": conftest})
    answer = project.node()
    assert answer.label == "absent" and "unstable: was run again (rerun)" in (answer.reason or "")
    assert [failure.exception for failure, _ in project.node("test_q").failures] == [
        "builtins.AssertionError",
        "no answer",
    ]


def test_variants_after_an_end_are_not_forgotten(tmp_path: Path) -> None:
    source = """
        import pytest
        @pytest.mark.parametrize("a", [1, 2, 3])
        def test_p(a):
            if a == 2: pytest.exit("over")
            assert a != 1
        """
    answer = said(tmp_path, source)
    assert answer.label == "fail" and len(answer.failures) > 1
    assert {failure.exception for failure, _ in answer.failures[1:]} == {"no answer"}


CLASSES = """
    import unittest
    class TestC:
        def test_good(self): pass
        def test_bad(self, tmp_path):
            assert 0
    class Cases(unittest.TestCase):
        def setUp(self): self.a = 1
        def test_good(self): self.assertEqual(self.a, 1)
        def test_bad(self):
            self.assertEqual(self.a, 2)
        def test_skip(self): self.skipTest("no")
        @unittest.expectedFailure
        def test_expected(self): self.fail()
        @unittest.expectedFailure
        def test_unexpected(self): pass
        def test_subtests(self):
            for number in range(4):
                with self.subTest(number=number):
                    assert number % 2 == 0
    """


@pytest.mark.parametrize(
    ("name", "label", "statement"),
    [
        ("TestC::test_good", "pass", None),
        ("TestC::test_bad", "fail", "assert 0"),
        ("TestC", "fail", "assert 0"),
        ("Cases::test_good", "pass", None),
        ("Cases::test_bad", "fail", "self . assertEqual ( self . a , 2 )"),
        ("Cases::test_skip", "absent", None),
        ("Cases::test_expected", "absent", None),
        ("Cases::test_unexpected", "absent", None),
        ("Cases::test_subtests", "fail", "assert number % 2 == 0"),
    ],
)
def test_methods_of_classes(tmp_path: Path, name: str, label: str, statement: str | None) -> None:
    answer = said(tmp_path, CLASSES, name)
    assert answer.label == label, answer
    if statement is not None:
        failure = answer.failures[0][0]
        assert (failure.statement, failure.file, failure.inside) == (statement, FILE, True)
        assert failure.exception == "builtins.AssertionError" and failure.function.startswith(name.partition("::")[0])


GIVEN = """
    from hypothesis import given, settings, strategies as st, example, seed, HealthCheck
    import pytest, time, unittest
    SEEN = []
    @given(st.lists(st.integers()), st.text())
    def test_p(xs, text):
        assert sum(xs) < 1000 or not text
    @given(a=st.integers())
    def test_mutates(a, tmp_path_factory):
        xs = [a]
        xs.append(a)
        assert a < 50
    @given(xs=st.lists(st.integers(), min_size=2))
    def test_changes(xs):
        total = sum(xs)
        xs.clear()
        assert total < 10
    @given(st.binary(), st.tuples(st.integers()))
    def test_bytes(b, t): assert len(b) < 3
    @given(st.data())
    def test_data(data): assert data.draw(st.integers()) < 3
    @given(st.integers(-20, 20))
    def test_two(a):
        if a > 10: raise KeyError(a)
        assert a > -10
    @given(st.integers())
    def test_flaky(a):
        SEEN.append(a)
        assert len(SEEN) != 5
    @given(st.integers())
    def test_nothing(a):
        from hypothesis import assume
        assume(False)
    @settings(deadline=1, max_examples=5)
    @given(st.integers())
    def test_slow(a): time.sleep(0.02)
    @pytest.mark.parametrize("p", [1, 2, 3])
    @given(a=st.integers(min_value=0))
    def test_params(p, a): assert p == 3 or a < 7
    @settings(derandomize=True, print_blob=True)
    @example(a=5)
    @given(a=st.integers())
    def test_example(a): assert a != 5
    class TestC:
        @given(st.integers())
        def test_m(self, a): assert a < 5
    class Case(unittest.TestCase):
        @given(st.integers())
        def test_m(self, a): assert a < 6
    @given(st.integers())
    def test_holds(a): pass
    @pytest.mark.parametrize("p", [(1, 2)])
    @given(a=st.integers())
    def test_tuple(p, a): assert a < 3
    """


@pytest.mark.parametrize(
    ("name", "examples"),
    [
        ("test_p", [{"xs": [1000], "text": "0"}]),
        ("test_mutates", [{"a": 50}]),
        ("test_changes", [{"xs": [0, 10]}]),
        ("test_bytes", [None]),
        ("test_data", [None]),
        ("test_two", [{"a": 11}, {"a": -10}]),
        ("test_params", [{"p": 1, "a": 7}, {"p": 2, "a": 7}]),
        ("test_example", [{"a": 5}]),
        ("TestC::test_m", [{"a": 5}]),
        ("Case::test_m", [{"a": 6}]),
        ("test_tuple", [None]),
    ],
)
def test_a_failing_hypothesis_test_gives_its_smallest_example(tmp_path: Path, name: str, examples: list[Any]) -> None:
    project = Tests(tmp_path, GIVEN)
    answer, again = project.node(name), project.node(name)
    assert answer.label == "fail", answer
    given = [example for _, example in answer.failures]
    assert sorted(map(json.dumps, given)) == sorted(map(json.dumps, examples))
    assert all(failure.statement and failure.file == FILE and failure.inside for failure, _ in answer.failures)
    assert again.failures == answer.failures
    assert not list(project.root.rglob(".hypothesis"))


@pytest.mark.parametrize(
    ("name", "label", "why"),
    [
        ("test_flaky", "absent", "unstable: "),
        ("test_nothing", "absent", "Hypothesis gave no answer"),
        ("test_slow", "pass", None),
        ("test_holds", "pass", None),
    ],
)
def test_a_hypothesis_test_without_a_failure(tmp_path: Path, name: str, label: str, why: str | None) -> None:
    answer = said(tmp_path, GIVEN, name)
    assert answer.label == label and (why is None) == (answer.reason is None) and (why or "") in (answer.reason or "")


def test_a_profile_of_the_project_does_not_make_examples_accidental(tmp_path: Path) -> None:
    conftest = "import hypothesis\nhypothesis.settings.register_profile('x', derandomize=False, max_examples=300)\nhypothesis.settings.load_profile('x')"
    source = """
        from hypothesis import given, strategies as st
        @given(st.integers(0, 2**64))
        def test_p(a):
            with open("log", "a") as log: log.write(f"{a}\\n")
        """
    project = Tests(tmp_path, source, {"conftest.py": conftest})
    logs = []
    for _ in range(2):
        assert project.node().label == "pass"
        logs.append((project.root / "log").read_text().split())
        (project.root / "log").unlink()
    assert logs[0] == logs[1] and len(logs[0]) == 300


def test_hypothesis_that_the_test_file_does_not_name_is_settled_too(tmp_path: Path) -> None:
    helper = "from hypothesis import given, strategies as st\nints = given(a=st.integers(0, 2**64))"
    project = Tests(tmp_path, "from helper import ints\n@ints\ndef test_p(a): assert a < 77", {"helper.py": helper})
    ((_, example),) = project.node().failures
    assert example == {"a": 77}


def test_a_state_machine_has_no_example(tmp_path: Path) -> None:
    source = """
        from hypothesis.stateful import RuleBasedStateMachine, rule
        class Machine(RuleBasedStateMachine):
            count = 0
            @rule()
            def more(self):
                self.count += 1
                assert self.count < 3
        TestMachine = Machine.TestCase
        """
    answer = said(tmp_path, source, "TestMachine")
    ((failure, example),) = answer.failures
    assert answer.label == "fail" and example is None and failure.statement == "assert self . count < 3"


@pytest.mark.parametrize("mode", ["prepend", "append", "importlib"])
@pytest.mark.parametrize("path", [FILE, "tests/odd.name.py"])
def test_bytecode_of_the_tree_is_neither_read_nor_written(tmp_path: Path, mode: str, path: str) -> None:
    if path != FILE and mode != "importlib":
        pytest.skip("only importlib mode loads a file of such a name")
    source = "import helper\ndef test_p(here): assert (helper.HERE, here) == ('source', 'source')\n"
    conftest = "import pytest\n@pytest.fixture\ndef here(): return 'source'\n"
    project = Tests(tmp_path, source, {"helper.py": "HERE = 'source'", "tests/conftest.py": conftest}, path)
    project.write("pytest.ini", f"[pytest]\naddopts = --import-mode={mode} --assert=rewrite\n")
    for file in (project.root / "helper.py", project.root / "tests/conftest.py", project.root / path):
        right = file.read_text()
        file.write_text(right.replace("'source'", "'bytecode'"))
        made = "import py_compile, sys; py_compile.compile(sys.argv[1], invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)"
        subprocess.run([sys.executable, "-c", made, file], check=True)
        file.write_text(right)
    # And what pytest itself would take for its own: of the same time and size.
    wrong = project.root / path
    right = wrong.read_text()
    wrong.write_text("def test_p(): pass\n#".ljust(len(right), "#"))
    os.utime(wrong, (1_000_000_000, 1_000_000_000))
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", path],
        cwd=project.root,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
        check=False,
        capture_output=True,
    )
    wrong.write_text(right)
    os.utime(wrong, (1_000_000_000, 1_000_000_000))
    before = {file: file.read_bytes() for file in project.root.rglob("*") if file.is_file()}
    assert project.node()[:2] == ("pass", None)
    wrong.write_text(right.replace("'source', 'source'", "'source', 'other'"))
    before[wrong] = wrong.read_bytes()
    assert project.node().label == "fail"
    assert {file: file.read_bytes() for file in project.root.rglob("*") if file.is_file()} == before


def test_nothing_of_the_tree_stands_in_for_pytest(tmp_path: Path) -> None:
    harmful = "import os\nos._exit(3)\n"
    names = ("pytest", "pluggy", "_pytest/__init__", "iniconfig", "freezegate_pytest", "freezegate_examples")
    project = Tests(tmp_path, "def test_p(): assert False", {f"{name}.py": harmful for name in names})
    assert project.node().label == "fail"


def test_the_options_of_a_plugin_in_the_tree_are_kept(tmp_path: Path) -> None:
    plugin = "import pytest\n@pytest.fixture\ndef value(): return 5\n"
    files: dict[str, str | bytes] = {
        "own_plugin.py": plugin,
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p own_plugin'\n",
    }
    assert said(tmp_path, "def test_p(value): assert value == 5", files=files).label == "pass"


def test_a_file_that_rewrites_itself_is_told_of_as_it_ran(tmp_path: Path) -> None:
    source = "def test_p():\n    open(__file__, 'w').write('x = 1\\n' * 9)\n    assert None\n"
    ((failure, _),) = said(tmp_path, source).failures
    assert failure.statement == "assert None"


def test_copies_of_the_process_do_not_answer(tmp_path: Path) -> None:
    source = (
        "import os\ndef test_p():\n    os.fork()\n    open('pids', 'a').write('%d\\n' % os.getpid())\n    assert False"
    )
    project = Tests(tmp_path, source)
    answer = project.node()
    assert answer.label == "fail" and len(answer.failures) == 1
    assert not any(map(alive, project.noted()))


def test_a_test_without_end_is_ended(tmp_path: Path) -> None:
    source = "import os\ndef test_p():\n    open('pids', 'a').write('%d\\n' % os.getpid())\n    while True: pass"
    project = Tests(tmp_path, source)
    began = time.monotonic()
    answer = project.node(limit=3)
    assert answer.label == "absent" and answer.timed_out and time.monotonic() - began < 20
    assert not any(map(alive, project.noted()))


def test_an_interpreter_that_leaves_asserts_out_is_refused(tmp_path: Path) -> None:
    project = Tests(tmp_path, "def test_p(): assert False")
    launch = project.launch()
    answer = node(launch._replace(argv=(launch.argv[0], "-O", *launch.argv[1:])), project.node_job(), 20)
    assert answer.label == "absent" and "-O" in (answer.reason or "")


def test_an_environment_without_pytest_says_so(tmp_path: Path) -> None:
    project = Tests(tmp_path, "def test_p(): pass")
    bare = project.launch()._replace(argv=(sys.executable, "-S", *harness_command(sys.executable)[1:]))
    answer = node(bare, project.node_job(), 30)
    assert (
        answer.label == "absent"
        and "has no pytest" in (answer.reason or "")
        and f"{sys.executable} -m pip install pytest" in (answer.reason or "")
    )


def test_the_harness_can_be_sent(tmp_path: Path) -> None:
    project = Tests(tmp_path, GIVEN)
    sent = project.launch()._replace(argv=(sys.executable, "-s", "-X", "utf8", "-c", SOURCES_BOOT), sources=True)
    answer = node(sent, project.node_job("test_mutates", facts=True), 60)
    assert answer.failures == project.node("test_mutates").failures and answer.facts is not None


def test_an_editable_installation_of_the_project_is_not_what_runs(tmp_path: Path) -> None:
    working = tmp_path / "working"
    working.mkdir()
    (working / "orders.py").write_text("HERE = 'working tree'")
    venv.create(tmp_path / "env", symlinks=True)
    site = next((tmp_path / "env/lib").glob("python3.*/site-packages"))
    (site / "project.pth").write_text(f"{working}\n")
    (site / "others.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path) + "\n")
    python = str(tmp_path / "env/bin/python")
    project = Tests(
        tmp_path, "import orders\ndef test_p(): assert orders.HERE == 'tree'", {"src/orders.py": "HERE = 'tree'"}
    )
    assert project.node(python=python, elsewhere=[str(working)])[:2] == ("pass", None)
    (site / "zz.pth").write_text("import orders\n")
    answer = project.node(python=python, elsewhere=[str(working)])
    assert answer.label == "absent" and "not from the tree" in (answer.reason or "")


def test_a_node_id_is_never_taken_for_an_option(tmp_path: Path) -> None:
    project = Tests(tmp_path, "def test_p(): assert False", path="--version.py")
    assert project.node().label == "fail"
    (tmp_path / "other").mkdir()
    assert Tests(tmp_path / "other", "def test_p(): assert False", path="@x.py").node().label == "fail"


MALFORMED: list[dict[str, Any]] = [
    {},
    {"outcome": "pass"},
    {"outcome": "pass", "reason": None, "failures": [1]},
    {"outcome": "pass", "reason": "x", "failures": []},
    {"outcome": "fail", "reason": None, "failures": []},
    {"outcome": "fail", "reason": None, "failures": [{"failure": {}, "input": None}]},
    {"outcome": "fail", "reason": None, "failures": [[]]},
    {"outcome": "absent", "reason": None, "failures": []},
    {"outcome": "passed", "reason": None, "failures": []},
]


@pytest.mark.parametrize("told", MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_answer_is_none(tmp_path: Path, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    class Said(Process):
        def _result(self, nonce: str, on_progress: object) -> dict[str, Any]:
            super()._result(nonce, None)
            return told

    monkeypatch.setattr(nodes_module, "Process", Said)
    answer = said(tmp_path, "def test_p(): pass")
    assert answer[:3] == ("absent", "the child's answer is malformed", ())

"""Predicates that do not play along: each gets the right label with a clear reason, and leaves no process behind."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from children import Project, alive, own_children
from freezegate.running.process import NOISE, Process


def descriptors() -> set[str]:
    return {file.name for file in Path("/proc/self/fd").iterdir()}


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    before, children = descriptors(), own_children()
    yield
    assert own_children() <= children
    assert descriptors() == before


ABSENT = {
    "exits 0": ("import os\ndef test_p(case): os._exit(0)", "exit status 0"),
    "exits with SystemExit": ("def test_p(case): raise SystemExit(0)", "SystemExit"),
    "calls sys.exit": ("import sys\ndef test_p(case): sys.exit()", "SystemExit"),
    "kills itself": ("import os\ndef test_p(case): os.kill(os.getpid(), 9)", "killed by signal 9"),
    "aborts": ("import os\ndef test_p(case): os.abort()", "killed by signal 6"),
    "kills its group": ("import os\ndef test_p(case): os.killpg(0, 15)", "killed by signal 15"),
    "prints pass and exits": ("import os\ndef test_p(case): print('pass', flush=True); os._exit(0)", "exit status 0"),
    "raises KeyboardInterrupt": ("def test_p(case): raise KeyboardInterrupt", "KeyboardInterrupt"),
    "raises BaseException": ("def test_p(case): raise BaseException('x')", "BaseException: x"),
    "raises GeneratorExit": ("def test_p(case): raise GeneratorExit", "GeneratorExit"),
    "skips by unittest": ("import unittest\ndef test_p(case): raise unittest.SkipTest('no')", "skipped the case"),
    "skips by pytest": ("import pytest\ndef test_p(case): pytest.skip('no')", "skipped the case"),
    "expects to fail": ("import pytest\ndef test_p(case): pytest.xfail('no')", "skipped the case"),
    "assumes otherwise": ("import hypothesis\ndef test_p(case): hypothesis.reject()", "skipped the case"),
    "skips as a module": (
        "import pytest\npytest.skip('no', allow_module_level=True)\ndef test_p(case): pass",
        "imported",
    ),
    "is a coroutine": ("async def test_p(case): pass", "a coroutine"),
    "is a generator": ("def test_p(case): yield True", "a generator"),
    "is an asynchronous generator": ("async def test_p(case): yield True", "an async_generator"),
    "returns 1": ("def test_p(case): return 1", "type int"),
    "returns 0": ("def test_p(case): return 0", "type int"),
    "returns text": ("def test_p(case): return 'pass'", "type str"),
    "needs a missing package": (
        "import not_there_at_all\ndef test_p(case): pass",
        "No module named 'not_there_at_all'",
    ),
    "needs one late": ("def test_p(case): import not_there_at_all", "No module named 'not_there_at_all'"),
    "does not parse": ("def test_p(case) pass", "SyntaxError"),
    "ends while it is imported": ("raise SystemExit\ndef test_p(case): pass", "cannot be imported: SystemExit"),
    "exits while it is imported": ("import os\nos._exit(0)", "exit status 0"),
    "is not there": ("def test_q(case): pass", "has no function test_p"),
    "is no function": ("test_p = 3", "TypeError"),
    "takes nothing": ("def test_p(): pass", "cannot take one case"),
    "takes two": ("def test_p(a, b): pass", "cannot take one case"),
    "runs out of memory": ("def test_p(case): raise MemoryError", "out of memory"),
    "closes every descriptor": ("import os\ndef test_p(case): os.closerange(0, 1 << 16)", "before it answered"),
    "closes them and stays": (
        "import os, time\ndef test_p(case): os.closerange(0, 1 << 16); time.sleep(60)",
        "closed its channel",
    ),
    "answers from a forked copy": (
        """
        import os
        def test_p(case):
            if os.fork():
                os._exit(0)
        """,
        "before it answered",
    ),
    "lies about its class": (
        """
        class Lie:
            __class__ = bool
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            def __bool__(self): return True
            def __hash__(self): return hash(None)
        def test_p(case): return Lie()
        """,
        "type Lie",
    ),
    "lies about an exception": (
        """
        class Lie(BaseException):
            __class__ = Exception
            def __instancecheck__(self, other): return True
        def test_p(case): raise Lie
        """,
        "raised Lie",
    ),
}


@pytest.mark.parametrize("name", ABSENT)
def test_no_answer_of_a_predicate_is_absent(name: str, tmp_path: Path) -> None:
    source, reason = ABSENT[name]
    outcome = Project(tmp_path, source).outcome()
    assert outcome.label == "absent" and outcome.failure is None, outcome
    assert reason in (outcome.reason or ""), outcome


PASS = {
    "returns nothing": "def test_p(case): pass",
    "returns True": "def test_p(case): return True",
    "prints a forged frame": """
        import os
        def test_p(case):
            frame = b'FZG1' + (2).to_bytes(8, 'big') + b'{}'
            os.write(1, frame); os.write(2, frame); print('fail')
        """,
    "flips the exit status at its exit": """
        import atexit, os
        atexit.register(os._exit, 1)
        def test_p(case): pass
        """,
    "leaves threads": """
        import threading, time
        def test_p(case): threading.Thread(target=time.sleep, args=(600,)).start()
        """,
    "patches what it can reach": """
        import builtins, json, os, random, sys
        def broken(*args, **kwargs): raise SystemExit('patched')
        def test_p(case):
            for module, names in ((json, ('dumps', 'loads')), (random, ('random', 'Random')),
                                  (os, ('write', '_exit', 'getpid', 'read', 'dup'))):
                for name in names:
                    setattr(module, name, broken)
            for name in ('type', 'isinstance', 'issubclass', 'str', 'len', 'dict', 'memoryview', 'getattr', 'repr'):
                setattr(builtins, name, broken)
            sys.modules.clear()
            sys.path[:] = sys.meta_path[:] = sys.path_hooks[:] = []
        """,
    "ignores signals": """
        import signal
        def test_p(case):
            for number in (1, 2, 3, 13, 15): signal.signal(number, signal.SIG_IGN)
        """,
}


@pytest.mark.parametrize("name", PASS)
def test_what_else_a_predicate_does_changes_no_pass(name: str, tmp_path: Path) -> None:
    outcome = Project(tmp_path, PASS[name]).outcome()
    assert (outcome.label, outcome.reason) == ("pass", None), outcome


FAIL = {
    "returns False": ("def test_p(case): return False", "returned False"),
    "raises": ("def test_p(case): assert case['a'] == 2", "builtins.AssertionError"),
    "recurses for ever": ("def test_p(case): test_p(case)", "builtins.RecursionError"),
    "raises its own kind": (
        "class Bad(ValueError): pass\ndef test_p(case): raise Bad",
        "tests.properties.p_py.Bad",
    ),
    "fails by pytest": ("import pytest\ndef test_p(case): pytest.fail('no')", "builtins.Failed"),
    "finds that nothing was raised": (
        "import pytest\ndef test_p(case):\n    with pytest.raises(ValueError): int(1)",
        "builtins.Failed",
    ),
    "raises what has no text": (
        "class Bad(Exception):\n    def __str__(self): raise SystemExit\ndef test_p(case): raise Bad",
        "tests.properties.p_py.Bad",
    ),
    "patches, then fails": (
        """
        import builtins, json, os
        def broken(*args, **kwargs): raise SystemExit('patched')
        def test_p(case):
            for name in ('write', '_exit', 'getpid'): setattr(os, name, broken)
            for name in ('type', 'open', 'compile', 'len', 'max', 'hasattr'): setattr(builtins, name, broken)
            raise ValueError(1)
        """,
        "builtins.ValueError",
    ),
    "flips the exit status": (
        "import atexit, os\natexit.register(os._exit, 0)\ndef test_p(case): 1 / 0",
        "builtins.ZeroDivisionError",
    ),
}


@pytest.mark.parametrize("name", FAIL)
def test_a_failure_stays_one(name: str, tmp_path: Path) -> None:
    source, exception = FAIL[name]
    outcome = Project(tmp_path, source).outcome({"a": 1})
    assert outcome.label == "fail" and outcome.failure is not None, outcome
    assert outcome.failure.exception == exception
    assert outcome.failure.file == "tests/properties/p.py" and outcome.failure.inside


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "import time; time.sleep(600)",
        "import signal, os; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; signal.pause()",
        "import os; os.kill(os.getpid(), 19)",  # stops itself
    ],
)
@pytest.mark.parametrize("late", [True, False], ids=["when called", "when imported"])
def test_a_hanging_predicate_ends_at_the_limit(body: str, late: bool, tmp_path: Path) -> None:
    source = f"def test_p(case):\n    {body}" if late else f"{body}\ndef test_p(case): pass"
    began = time.monotonic()
    outcome = Project(tmp_path, source).outcome(limit=0.5)
    assert outcome.label == "absent" and outcome.timed_out
    assert outcome.reason == "the time limit of 0.5 s ran out"
    assert time.monotonic() - began < 5


LEAVE = """
    import os, subprocess, sys, time
    PIDS = os.path.join(os.getcwd(), "pids")
    def note():
        with open(PIDS, "a") as file: file.write(f"{os.getpid()}\\n")
    def stay():
        note()
        time.sleep(600)
        os._exit(0)
    def noted(count):
        while not os.path.exists(PIDS) or len(open(PIDS).read().split()) < count: time.sleep(0.01)
    def double():
        if not (first := os.fork()):
            os.setsid()
            if os.fork(): os._exit(0)
            stay()
        os.waitpid(first, 0)
"""
WAYS = {
    "a fork": "if not os.fork(): stay()\n    noted(1)",
    "a fork in a group of its own": "if not os.fork(): os.setpgid(0, 0); stay()\n    noted(1)",
    "a double fork in a session of its own": "double(); noted(1)",
    "many of them": "[double() for _ in range(8)]; noted(8)",
    "one that leaves another when it ends": """
    if not os.fork():
        os.setsid()
        double()
        stay()
    noted(2)""",
    "a program with an environment of its own": """
    program = "import os, sys, time; open(sys.argv[1], 'a').write(f'{os.getpid()}\\\\n'); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", program, PIDS], start_new_session=True, env={})
    noted(1)""",
    "one that keeps nothing open": """
    if not os.fork():
        os.setsid()
        note()
        os.closerange(0, 4096)
        time.sleep(600)
    noted(1)""",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", ["pass", "os._exit(0)", "raise ValueError", "time.sleep(600)"])
def test_no_process_is_left(way: str, end: str, tmp_path: Path) -> None:
    project = Project(tmp_path, textwrap.dedent(LEAVE) + f"def test_p(case):\n    {WAYS[way]}\n    {end}\n")
    outcome = project.outcome(limit=2 if "sleep" in end else 20)
    label = {"pass": "pass", "raise ValueError": "fail"}.get(end, "absent")
    assert outcome.label == label, outcome
    pids = project.noted()
    assert pids and not any(map(alive, pids))


def test_a_process_of_our_own_is_no_stray(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as ours:
        assert Project(tmp_path, "def test_p(case): pass").outcome().label == "pass"
        assert ours.poll() is None
        ours.kill()


def test_a_process_that_waits_for_its_job_outlives_another_one(tmp_path: Path) -> None:
    project = Project(tmp_path, "def test_p(case): pass")
    with Process(project.launch()) as waiting:
        assert project.outcome().label == "pass"
        assert waiting.run(project.job(), b"{}", 20).result is not None


def test_a_process_whose_job_never_came_is_ended(tmp_path: Path) -> None:
    with Process(Project(tmp_path, "").launch()) as waiting:
        assert alive(waiting.pid)
    assert not alive(waiting.pid)


@pytest.mark.slow
def test_a_gigabyte_of_output_takes_no_memory(tmp_path: Path) -> None:
    source = """
        import os
        def test_p(case):
            piece = b"x" * (1 << 20)
            for number in range(1024):
                os.write(1 + number % 2, piece)
            os.write(1, b"the end")
        """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = Project(tmp_path, source).outcome(limit=120)
    assert outcome.label == "pass"
    assert outcome.noise.endswith("xthe end") and len(outcome.noise) == NOISE
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # KiB


def test_output_for_ever_ends_at_the_limit(tmp_path: Path) -> None:
    source = "import os\ndef test_p(case):\n    while True: os.write(1, b'x' * 65536)"
    outcome = Project(tmp_path, source).outcome(limit=0.5)
    assert outcome.timed_out and len(outcome.noise) == NOISE


@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts otherwise")
def test_a_memory_hog_is_stopped(tmp_path: Path) -> None:
    source = "def test_p(case):\n    piece = [b'x' * (1 << 20) for _ in range(2000)]"
    outcome = Project(tmp_path, source).outcome(memory=200 << 20)
    assert (outcome.label, outcome.reason) == ("absent", "the predicate ran out of memory")


def test_no_core_is_written(tmp_path: Path) -> None:
    project = Project(
        tmp_path, "import os, resource\ndef test_p(case): assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)"
    )
    assert project.outcome().label == "pass"


def test_when_freezegate_is_killed_the_predicate_ends(tmp_path: Path) -> None:
    project = Project(tmp_path, textwrap.dedent(LEAVE) + "def test_p(case):\n    if not os.fork(): stay()\n    stay()")
    program = f"""
from freezegate.running.evaluation import evaluate
from freezegate.running.launch import local_launch
evaluate(local_launch({sys.executable!r}, {str(project.root)!r}, {str(project.temp)!r}), {project.job()!r}, b"{{}}", None)
"""
    with subprocess.Popen([sys.executable, "-c", program]) as parent:
        until = time.monotonic() + 20
        while (not (project.root / "pids").exists() or len(project.noted()) < 2) and time.monotonic() < until:
            time.sleep(0.01)
        pids = project.noted()
        assert len(pids) == 2 and all(map(alive, pids))
        parent.kill()
    while any(map(alive, pids)) and time.monotonic() < until:
        for pid in filter(alive, pids):
            with suppress(ChildProcessError):  # where this very process has adopted them, they wait for it
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.01)
    assert not any(map(alive, pids))


def test_our_own_optimisation_and_environment_do_not_reach_the_child(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        """
        import os, sys
        def test_p(case):
            assert sys.flags.optimize == 0 and __debug__
            names = [name for name in os.environ if name.startswith(("GIT", "PYTHON", "SECRET"))]
            assert sorted(names) == ["PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"], names
            assert "elsewhere" not in sys.path
            assert False, "asserts are on"
        """,
    )
    program = f"""
from freezegate.running.evaluation import evaluate
from freezegate.running.launch import local_launch
launch = local_launch({sys.executable!r}, {str(project.root)!r}, {str(project.temp)!r})
print(evaluate(launch, {project.job()!r}, b"{{}}", 20).failure.message)
"""
    leaks = {
        "PYTHONOPTIMIZE": "2",
        "GIT_DIR": "/nowhere",
        "GIT_INDEX_FILE": "x",
        "SECRET_TOKEN": "x",
        "PYTHONWARNINGS": "ignore",
    }
    for flags in ([], ["-O"], ["-OO"]):
        done = subprocess.run(
            [sys.executable, *flags, "-c", program],
            env={**os.environ, **leaks},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "asserts are on\n"

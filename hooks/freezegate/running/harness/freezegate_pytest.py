"""One test of the project under the project's own pytest. CPython 3.8 or newer, and any pytest from 7 on.

What pytest prints and with which status it ends says nothing: its hooks are listened to, and a test that nothing was heard
of has no answer.
"""

from __future__ import annotations

import builtins
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from freezegate.running.harness import (
        freezegate_examples,
        freezegate_judgement,
        freezegate_project,
        freezegate_survey,
    )
else:
    import freezegate_examples
    import freezegate_judgement
    import freezegate_project
    import freezegate_survey

globals()["__builtins__"] = dict(vars(builtins))  # which the project cannot replace

_described = freezegate_judgement.described
_no_verdict = freezegate_judgement.no_verdict
_type_module = type.__dict__["__module__"].__get__
_type_mro = type.__dict__["__mro__"].__get__
_type_qualname = type.__dict__["__qualname__"].__get__

# What would run the test elsewhere, more than once, or stop after the first failure. By name, where they are known at all.
_SETTLED = {
    "dist": "no",
    "forked": False,
    "looponfail": False,
    "maxfail": 0,
    "numprocesses": None,
    "reruns": 0,
    "stepwise": False,
    "stepwise_skip": False,
    "trace": False,
    "tx": [],
    "usepdb": False,
}
_WRAPPERS = ("pytest_cmdline_main", "pytest_collection", "pytest_runtest_makereport")
_LONGEST = 300  # characters of a text of pytest that are kept


class Unprepared(Exception):
    """There is no pytest here; the message says so."""


def load(job: dict[str, Any]) -> None:
    """Import pytest while nothing of the tree can stand in for it. Raises Unprepared."""
    try:
        import pytest
    except ImportError as error:
        why = f"the environment of {sys.executable} has no pytest ({error})"
        raise Unprepared(f"{why}: {sys.executable} -m pip install pytest") from None
    del pytest
    freezegate_examples.load(freezegate_project.join(job["root"], path) for path in job["closure"])


def place(node: str) -> tuple[str, str]:
    """The file that a node id names, and the test's own name in it."""
    path, _, rest = node.partition("::")
    return path, rest.partition("[")[0].rpartition("::")[2]


def run(
    job: dict[str, Any], describe: Callable[[Any], dict[str, Any]], asked: Callable[[], dict[str, Any]]
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """The message that `asked` gave once the tests were collected (None where they were not), and the result."""
    import pytest

    root = job["root"]
    _without_bytecode(root)
    session = _Session(job, describe, asked)
    for name in _WRAPPERS:
        pytest.hookimpl(hookwrapper=True, tryfirst=True)(getattr(_Session, name))
    pytest.hookimpl(tryfirst=True)(_Session.pytest_runtestloop)
    arguments = ["./" + job["node"], "--rootdir=" + root, "--color=no", "--maxfail=0"]
    # The rewriting of asserts keeps bytecode of its own beside the files, and would read it.
    arguments += ["--assert=plain", "-o", f"cache_dir={os.environ.get('TMPDIR', '/tmp')}/pytest_cache"]
    try:
        status = pytest.main(arguments, plugins=[session])
        session.whole("" if session.begun else f"pytest ended before it ran a test (exit status {int(status)})")
    except BaseException as error:
        session.whole(f"pytest was ended by {_described(error)}")
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()  # the process ends without doing so
        except Exception:  # the project may have closed or replaced it
            pass
    return session.message, session.result()


def _without_bytecode(root: str) -> None:
    """Let no loader of Python's own read bytecode that lies in the tree: pytest makes some for files of unusual names."""
    external: Any = sys.modules["_frozen_importlib_external"]
    usual = external.cache_from_source
    own = [path for path in (sys.prefix, sys.exec_prefix) if freezegate_project.inside(path, root)]

    def cache_from_source(path: Any, *rest: Any, **more: Any) -> Any:
        if freezegate_project.inside(str(path), root) and not any(
            freezegate_project.inside(str(path), it) for it in own
        ):
            raise NotImplementedError
        return usual(path, *rest, **more)

    external.cache_from_source = cache_from_source


class _Test:
    """What was heard of one test."""

    def __init__(self) -> None:
        self.failures: list[dict[str, Any]] = []
        self.lacking: list[str] = []
        self.called = False
        self.finished = False


class _Session:
    """A plugin that listens."""

    def __init__(self, job: dict[str, Any], describe: Any, asked: Any) -> None:
        self.node: str = job["node"]
        self.root: str = job["root"]
        self.describe = describe
        self.asked = asked
        self.message: dict[str, Any] | None = None
        self.tests: dict[str, _Test] = {}
        self.begun = False
        self.deselected = 0
        self.lacking: list[str] = []
        self.survey = freezegate_survey.Survey(self._described) if job.get("survey") else None
        self.examples = freezegate_examples.Examples(self.root, job["closure"], self.survey)

    def whole(self, why: str) -> None:
        """Something that leaves more than one test without an answer."""
        if why:
            self.lacking.append(why)

    def pytest_cmdline_main(self, config: Any) -> Iterator[None]:
        for name, value in _SETTLED.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        yield

    def pytest_collection(self) -> Iterator[None]:
        outcome: Any = yield
        if outcome.excinfo is not None:
            self.whole(_described(outcome.excinfo[1]))

    def pytest_collectreport(self, report: Any) -> None:
        if report.outcome == "skipped":
            self.whole(f"{report.nodeid} was skipped ({_text(report.longrepr)})")
        elif report.outcome != "passed":
            self.whole(f"{report.nodeid or self.node} cannot be collected: {_text(report.longrepr)}")

    def pytest_deselected(self, items: Any) -> None:
        self.deselected += sum(self._wanted(item) for item in items)

    def pytest_internalerror(self, excinfo: Any) -> None:
        self.whole(f"pytest failed: {_described(excinfo.value)}")

    def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
        self.whole(f"the tests were ended by {_described(excinfo.value)}")

    def pytest_runtestloop(self, session: Any) -> bool | None:
        """Begin, or end before any test has run."""
        # The options that a project adds may name more than was asked for.
        session.items[:] = {item.nodeid: item for item in session.items if self._wanted(item)}.values()
        if self.deselected:
            self.whole(f"{_tests(self.deselected)} deselected")
        elif not session.items:
            self.whole("pytest found no such test")
        if self.lacking or self.begun:
            return True
        try:
            for item in session.items:
                self.examples.watch(item)
                self.tests[item.nodeid] = _Test()
            self.message = self.asked()
        except BaseException as error:
            self.whole(str(error) or _described(error))
            return True
        self.begun = True
        return None

    def pytest_runtest_setup(self, item: Any) -> None:
        self.examples.item = item

    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        outcome: Any = yield
        report = outcome.get_result()
        test = self.tests.get(item.nodeid)
        if test is None or report.outcome != "failed":
            return
        if call.excinfo is not None:
            self._failed(test, item, call.when, call.excinfo.value)
        elif _text(report.longrepr).startswith("[XPASS(strict)]"):
            test.lacking.append("passed although it is marked as failing (xpass, strict)")

    def pytest_runtest_logreport(self, report: Any) -> None:
        test = self.tests.get(report.nodeid)
        if test is None:
            return
        test.called |= report.when == "call"
        test.finished |= report.when == "teardown"
        if hasattr(report, "wasxfail"):
            passed = report.outcome == "passed"
            test.lacking.append(
                "passed although it is marked as failing (xpass)" if passed else "failed as it is marked to (xfail)"
            )
        elif report.outcome == "skipped":
            test.lacking.append(f"was skipped ({_text(report.longrepr)})")
        elif report.outcome == "failed":
            if not test.failures and not test.lacking:
                test.failures.append(
                    {"failure": _unplaced("unknown", self.node, _text(report.longrepr)), "input": None}
                )
        elif report.outcome != "passed":
            # By a plugin that gives it another try: what the first one said counts no more, nor does the second alone.
            test.failures.clear()
            test.lacking.append(f"unstable: was run again ({report.outcome})")

    def _wanted(self, item: Any) -> bool:
        name: str = item.nodeid
        return name == self.node or name.startswith((self.node + "[", self.node + "::"))

    def _failed(self, test: _Test, item: Any, when: str, error: BaseException) -> None:
        names = [(_type_module(kind), _type_qualname(kind)) for kind in _type_mro(type(error))]
        why = _no_verdict(error)
        if when != "call":
            why = f"its {when} failed ({_described(error)})"
        elif ("hypothesis.errors", "Flaky") in names:
            why = f"unstable: {_described(error)}"
        elif ("hypothesis.errors", "HypothesisException") in names:
            why = f"Hypothesis gave no answer ({_described(error)})"
        elif why is None and _expected_to_fail(item):
            why = f"passed although it is marked as failing ({_described(error)})"
        elif why is None and names[0][0] in ("_pytest.outcomes", "builtins") and names[0][1] == "Failed":
            # What pytest says itself, of a test that it cannot run.
            why = None if self._within(error) else f"was not run ({_described(error)})"
        if why is not None:
            test.lacking.append(why)
            return
        for one in self.examples.parts(error):
            test.failures.append({"failure": self._described(one), "input": self.examples.input(one)})

    def _described(self, error: BaseException) -> dict[str, Any]:
        """As a direct call of the test is told of: then its file is a module of another name."""
        failure: dict[str, Any] = self.describe(error)
        module = sys.modules.get(str(_type_module(type(error))))
        file = getattr(module, "__file__", None)
        path = place(self.node)[0]
        if type(file) is str and freezegate_project.relative(file, self.root) == path:
            name = ".".join(part.replace(".", "_") for part in path.split("/"))
            failure["exception"] = f"{name}.{_type_qualname(type(error))}"
        return failure

    def _within(self, error: BaseException) -> bool:
        trace = BaseException.__dict__["__traceback__"].__get__(error)
        while trace is not None:
            if freezegate_project.relative(trace.tb_frame.f_code.co_filename, self.root) is not None:
                return True
            trace = trace.tb_next
        return False

    def result(self) -> dict[str, Any]:
        """Pass where every test ran and passed. Fail where one failed: what else had no answer is then a failure as well,
        which nothing identifies, so that a known failure does not hide it.
        """
        failures: list[dict[str, Any]] = []
        lacking = list(self.lacking)
        for name, test in self.tests.items():
            failures += test.failures
            lacking += [f"{name} {why}" for why in test.lacking]
            if not test.lacking and not (test.finished and (test.called or test.failures)):
                lacking.append(f"{name} did not run to its end")
        lacking += [f"{name}: {why}" for name, why in self.examples.foreign.items()]
        if self.survey is not None:
            lacking += [f"a call failed that Hypothesis did not make: {it['failure']['message']}" for it in failures]
            if not (lacking or self.tests):
                lacking.append("no test ran")
            return self.survey.result(lacking[0] if lacking else None)
        if failures:
            failures += [{"failure": _unplaced("no answer", self.node, why), "input": None} for why in lacking]
            return {"outcome": "fail", "reason": None, "failures": failures}
        if lacking or not self.tests:
            more = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
            return {"outcome": "absent", "reason": (lacking or ["no test ran"])[0] + more, "failures": []}
        return {"outcome": "pass", "reason": None, "failures": []}


def _expected_to_fail(item: Any) -> bool:
    """As unittest marks it: pytest then makes a failure of a success."""
    marked = "__unittest_expecting_failure__"
    return (
        getattr(getattr(item, "obj", None), marked, False) is True
        or getattr(getattr(item, "cls", None), marked, False) is True
    )


def _unplaced(exception: str, node: str, message: str) -> dict[str, Any]:
    path, name = place(node)
    return {
        "exception": exception,
        "statement": None,
        "file": path,
        "function": name,
        "inside": True,
        "line": 0,
        "message": message[:_LONGEST],
    }


def _text(longrepr: Any) -> str:
    """The end of what pytest shows of a report, where the error stands; the reason of a skip."""
    if type(longrepr) is tuple:
        longrepr = longrepr[-1]
    try:
        lines = [line.strip() for line in str(longrepr).splitlines() if line.strip()]
    except Exception:  # the texts of the project's own objects
        return ""
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (
        (errors or lines or [""])[-1][:_LONGEST] if not lines or not lines[0].startswith("[") else lines[0][:_LONGEST]
    )


def _tests(count: int) -> str:
    return "1 test was" if count == 1 else f"{count} tests were"

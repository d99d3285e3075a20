"""What a predicate's answer means, and where it failed.

Project code has run by now and may have replaced anything that it could reach. So what is used here was taken before: this
module has a copy of the built-in names of its own, and asks types by what the interpreter itself keeps of them.
"""

from __future__ import annotations

import builtins
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from types import FrameType, TracebackType
    from typing import Any

    from freezegate.running.harness import freezegate_project, freezegate_statement

    Judgement = tuple[str, str | None, BaseException | None]
else:
    import freezegate_project
    import freezegate_statement

globals()["__builtins__"] = dict(vars(builtins))

_type_name = type.__dict__["__name__"].__get__
_type_qualname = type.__dict__["__qualname__"].__get__
_type_module = type.__dict__["__module__"].__get__
_type_mro = type.__dict__["__mro__"].__get__
_raised = sys.exc_info
_plain: Any = str.__str__  # of a subclass whose own methods could lie
_MESSAGE = 300  # characters of an exception's text that are kept

# By name, since the child imports neither of them.
_PYTEST_OUTCOME = ("_pytest.outcomes", "OutcomeException")  # its subclasses say that they are built in
_SKIPS = frozenset((("unittest.case", "SkipTest"), ("hypothesis.errors", "UnsatisfiedAssumption"), _PYTEST_OUTCOME))


def _named(kind: type) -> tuple[str, str]:
    module, name = _type_module(kind), _type_qualname(kind)
    return (module if type(module) is str else "?", name)


def full_name(kind: type) -> str:
    """Module and qualified name of a class; of one that the predicate's own file defines, without the package around it."""
    module, name = _named(kind)
    prefix = freezegate_project.TREE + "."
    return f"{module[len(prefix) :] if module.startswith(prefix) else module}.{name}"


def said(error: BaseException) -> str:
    """The first characters of an exception's text; empty where it has none to give."""
    try:
        text: str = _plain(str(error))[:_MESSAGE]
        return text
    except BaseException:
        return ""


def described(error: BaseException) -> str:
    """An exception in one line, for a reason."""
    text = said(error)
    return f"{_type_name(type(error))}: {text}" if text else f"{_type_name(type(error))}"


def no_verdict(error: BaseException) -> str | None:
    """Why an exception that ended a predicate is no failure; None where it is one."""
    line = _type_mro(type(error))
    names = [_named(kind) for kind in line]
    if names[0][1] == "Failed" and names[1] == _PYTEST_OUTCOME:  # pytest.fail; pytest.raises where nothing was raised
        return None
    if any(name in _SKIPS for name in names):
        return f"the predicate skipped the case ({described(error)})"
    if MemoryError in line:
        return "the predicate ran out of memory"
    if ImportError in line:
        return f"an import of the predicate failed ({described(error)})"
    if Exception not in line:
        return f"the predicate raised {described(error)}, which is no failure of the case"
    return None


def judge(predicate: Callable[[Any], Any], case: Any) -> Judgement:
    """The label of one case, the reason where it is absent, and what was raised. It raises nothing itself."""
    try:
        value = predicate(case)
    except BaseException as error:
        trace = _raised()[2]
        if trace is not None and trace.tb_next is None and type(error) is TypeError:
            return "absent", f"the predicate cannot take one case ({described(error)})", error
        reason = no_verdict(error)
        return ("fail" if reason is None else "absent"), reason, error
    if value is None or value is True:
        return "pass", None, None
    if value is False:
        return "fail", None, None
    return "absent", f"the predicate returned {_of(value)}, neither None nor a truth value", None


def _of(value: Any) -> str:
    name = _type_name(type(value))
    if name in ("coroutine", "generator", "async_generator"):
        return f"{'an' if name[0] == 'a' else 'a'} {name} instead of an answer"
    return f"an object of type {name}"


class Describer:
    """Tells of a failure: which statement, in which file. Made before project code runs."""

    def __init__(self, root: str, predicate: str, function: str, closure: Collection[str]) -> None:
        self.root = root
        self.predicate = predicate
        self.function = function
        self.closure = frozenset(closure)
        self.statements: dict[tuple[str, int], tuple[str | None, str]] = {}

    def __call__(self, error: BaseException | None) -> dict[str, Any]:
        """The failure that `error` is; None stands for a predicate that returned False."""
        if error is None:
            return self._failure("returned False", None, self.predicate, self.function, True, 0, "")
        frames = list(places(BaseException.__dict__["__traceback__"].__get__(error)))
        name, message = full_name(type(error)), said(error)
        for frame, line in reversed(frames):
            path = freezegate_project.relative(frame.f_code.co_filename, self.root)
            if path is not None and path in self.closure:
                return self._at(name, frame, line, path, True, message)
        for frame, line in reversed(frames):
            file = frame.f_code.co_filename
            path = freezegate_project.relative(file, self.root) or file.rpartition("/")[2]
            return self._at(name, frame, line, path, False, message)
        return self._failure(name, None, self.predicate, self.function, True, 0, message)

    def _at(self, name: str, frame: FrameType, line: int, path: str, inside: bool, message: str) -> dict[str, Any]:
        known = self.statements.get((frame.f_code.co_filename, line))
        if known is None:
            source = source_of(frame.f_code.co_filename)
            known = freezegate_statement.statement(source, line) if source is not None else (None, "")
            self.statements[frame.f_code.co_filename, line] = known
        text, function = known
        return self._failure(name, text, path, function or frame.f_code.co_name, inside, line, message)

    def _failure(
        self, name: str, text: str | None, file: str, function: str, inside: bool, line: int, message: str
    ) -> dict[str, Any]:
        return {
            "exception": name,
            "statement": text,
            "file": file,
            "function": function,
            "inside": inside,
            "line": line,
            "message": message,
        }


def places(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """Frames and lines from the outermost in, without this module's own."""
    while trace is not None:
        if trace.tb_frame.f_globals is not globals():
            yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def source_of(file: str) -> bytes | None:
    """The text of a file that was loaded, or is at an absolute path; None where there is none to read."""
    known = freezegate_project.SOURCES.get(file)
    if known is not None:
        return known
    try:
        with open(file, "rb") as stream:
            return stream.read(1 << 22)
    except (OSError, ValueError):
        return None

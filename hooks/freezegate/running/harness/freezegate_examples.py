"""The smallest failing example of a Hypothesis test that pytest runs. Standard library only, CPython 3.8 or newer."""

from __future__ import annotations

import functools
import inspect
import sys
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from freezegate.running.harness import (
        freezegate_hypothesis,
        freezegate_rejection,
        freezegate_survey,
        freezegate_wire,
    )
    from freezegate.running.harness.freezegate_cases import copied
else:
    import freezegate_hypothesis
    import freezegate_rejection
    import freezegate_wire
    from freezegate_cases import copied

_LARGEST = 1 << 20  # bytes of an example, as of a case
# The last calls are those of the smallest examples, one for each failure.
_KEPT = 64
_SURVEYED = ("explicit", "generate")


def load(files: Iterable[str]) -> None:
    """Import and settle Hypothesis if a file speaks of it: before the project does, its tables need not be computed."""
    for file in files:
        try:
            with open(file, "rb") as stream:
                spoken_of = b"hypothesis" in stream.read()
        except OSError:
            continue
        if spoken_of:
            _prepare()
            return


def _prepare() -> None:
    try:
        freezegate_hypothesis.prepare()
    except Exception:  # then a test that needs it says so
        pass


class Examples:
    """Notes the arguments of failing calls. With a `survey`, which takes them, no call fails.

    `foreign` has, by node id, why a case was rejected by another than the test.
    """

    def __init__(self, root: str, closure: Collection[str], survey: freezegate_survey.Survey | None = None) -> None:
        self.root = root
        self.closure = frozenset(closure)
        self.survey = survey
        self.foreign: dict[str, str] = {}
        self.item: Any = None
        self.calls: deque[tuple[BaseException, dict[str, Any] | None]] = deque(maxlen=_KEPT)
        self.settled = False
        self.watched: list[Any] = []

    def watch(self, item: Any) -> None:
        """Note the calls of this test, if it is one of Hypothesis, and let its examples follow a seed alone."""
        test = getattr(item, "obj", None)
        if "hypothesis" not in sys.modules:
            return
        if not self.settled:
            self.settled = True
            _prepare()
            core: Any = sys.modules.get("hypothesis.core")
            if getattr(core, "global_force_seed", 0) is None:
                core.global_force_seed = 0
        handle: Any = getattr(test, "hypothesis", None)
        inner = getattr(handle, "inner_test", None)
        if not callable(inner) or any(handle is known for known in self.watched):
            return
        self.watched.append(handle)
        _settle(getattr(test, "__func__", test), self.survey is not None)
        # Of a coroutine nothing is known when the call returns.
        if not inspect.iscoroutinefunction(inner):
            handle.inner_test = self._noting(inner)

    def _noting(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(inner)
        def noted(*args: Any, **kwargs: Any) -> Any:
            given = self._given(args, kwargs)  # now: the test may change what it is given
            try:
                return inner(*args, **kwargs)
            except BaseException as error:
                self.calls.append((error, given))
                if freezegate_rejection.rejection(error):
                    self._rejected(error)
                elif self.survey is not None and self.survey.takes(error, given):
                    return None
                raise

        return noted

    def _rejected(self, error: BaseException) -> None:
        why = freezegate_rejection.foreign(error, self.root, self.closure)
        if why is not None and self.item is not None:
            self.foreign.setdefault(self.item.nodeid, why)

    def _given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
        """What was drawn, and the parameters that tell this test from others of its name; None where JSON does not carry it.

        Fixtures are no part of an example.
        """
        try:
            owner = getattr(self.item, "cls", None)
            fixtures = getattr(self.item, "funcargs", None) or {}
            parameters = getattr(getattr(self.item, "callspec", None), "params", {})
            if len(args) > (owner is not None):
                return None
            drawn = {name: value for name, value in kwargs.items() if name not in fixtures}
            if owner is not None and not args:
                drawn = {name: value for name, value in drawn.items() if not isinstance(value, owner)}
            return copied({**parameters, **drawn})
        except Exception:
            return None

    def parts(self, error: BaseException) -> list[BaseException]:
        """The failures that Hypothesis found in one test, where it raised several as a group; else the one."""
        parts = getattr(error, "exceptions", None)
        noted = [known for known, _ in self.calls]
        if type(parts) is tuple and parts and all(any(part is known for known in noted) for part in parts):
            return list(parts)
        return [error]

    def input(self, error: BaseException) -> dict[str, Any] | None:
        """The arguments of the call that raised this; None where there is none, or JSON does not carry them."""
        for known, given in reversed(self.calls):
            if known is error:
                return given if given is not None and len(freezegate_wire.encode(given)) <= _LARGEST else None
        return None


def _settle(test: Any, survey: bool) -> None:
    """No clock, no database and no accident decides what a test is given; each failure that is found is told of.

    For a survey nothing that the test did before decides it either: it is generated, and no more.
    """
    import hypothesis

    name = "_hypothesis_internal_use_settings"
    before = getattr(test, name, None)
    try:
        own = before or hypothesis.settings()
        suppressed = [*own.suppress_health_check, hypothesis.HealthCheck.too_slow]
        if survey:
            suppressed += hypothesis.HealthCheck
        settled = hypothesis.settings(
            before,
            database=None,
            deadline=None,
            derandomize=False,
            phases=tuple(phase for phase in own.phases if not survey or phase.name in _SURVEYED),
            print_blob=False,
            report_multiple_bugs=True,
            suppress_health_check=list(dict.fromkeys(suppressed)),
        )
        setattr(test, name, settled)
    except Exception:  # private to Hypothesis: the project's own settings then stand
        pass

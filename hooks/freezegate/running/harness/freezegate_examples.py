"""The smallest failing example of a Hypothesis test that pytest runs. Standard library only, CPython 3.8 or newer."""

from __future__ import annotations

import functools
import inspect
import sys
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from freezegate.running.harness import freezegate_hypothesis, freezegate_wire
    from freezegate.running.harness.freezegate_cases import copied
else:
    import freezegate_hypothesis
    import freezegate_wire
    from freezegate_cases import copied

_LARGEST = 1 << 20  # bytes of an example, as of a case
# The last calls are those of the smallest examples, one for each failure.
_KEPT = 64


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
    """Notes the arguments of failing calls."""

    def __init__(self) -> None:
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
        _settle(getattr(test, "__func__", test))
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
                raise

        return noted

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


def _settle(test: Any) -> None:
    """No clock, no database and no accident decides what a test is given; each failure that is found is told of."""
    import hypothesis

    name = "_hypothesis_internal_use_settings"
    before = getattr(test, name, None)
    try:
        suppressed = [*(before or hypothesis.settings()).suppress_health_check, hypothesis.HealthCheck.too_slow]
        settled = hypothesis.settings(
            before,
            database=None,
            deadline=None,
            derandomize=False,
            print_blob=False,
            report_multiple_bugs=True,
            suppress_health_check=list(dict.fromkeys(suppressed)),
        )
        setattr(test, name, settled)
    except Exception:  # private to Hypothesis: the project's own settings then stand
        pass

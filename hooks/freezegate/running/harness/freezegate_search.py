"""A bounded search for a failing case, and its reduction. Standard library and Hypothesis only, CPython 3.8 or newer.

Hypothesis generates and reduces; what is judged, kept and counted is decided here.
"""

from __future__ import annotations

import gc
import json
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from freezegate.running.harness import freezegate_hypothesis, freezegate_rejection
    from freezegate.running.harness.freezegate_cases import Unsound, copied

    Judge = Callable[[Callable[[Any], Any], Any], tuple[str, str | None, BaseException | None]]
    Describe = Callable[[BaseException | None], dict[str, Any]]
    Report = Callable[[int], object]
else:
    import freezegate_hypothesis
    import freezegate_rejection
    from freezegate_cases import Unsound, copied

_FORMS = ("strategy", "generate")
_UNSTABLE = "unstable: "
_UNSEEDED = "the generator does not follow its seed: drawing again gave another case"
_SAMPLE = 3
_BETWEEN_REPORTS = 0.1  # seconds
# Taken now: the predicate may replace them.
_dumps = json.dumps
_monotonic = time.monotonic
_notes: list[str] = []


class _Stop(BaseException):
    """The search is over. Not an Exception: neither Hypothesis nor a generator may take it for a failure."""

    def __init__(self, outcome: str, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


class _Failing(Exception):
    """The one failure that Hypothesis sees. It keeps apart failures by type and line, so it takes all of these for one."""


def prepare(job: Mapping[str, Any]) -> None:
    """Import what a search needs, before any of the project's folders is on the path. Raises where it is missing."""
    _notes[:] = freezegate_hypothesis.prepare()
    gc.freeze()  # what is loaded by now stays: each full collection would visit all of it


def search(
    job: Mapping[str, Any],
    predicate: Callable[[Any], Any],
    generator: Any,
    judge: Judge,
    describe: Describe,
    report: Report | None = None,
) -> dict[str, Any]:
    """The result of a search with `job`'s domain, seed and number of examples.

    `report` is told how many cases were judged so far, ten times a second at most. A failed search whose
    result has a reason found a case that does not fail every time.
    """
    import hypothesis

    running = _Search(job, predicate, judge, describe, report)
    outcome, reason = running.run(generator)
    return {
        "outcome": outcome,
        "reason": reason,
        "examples": running.evaluated,
        "case": running.case if outcome == "failed" else None,
        "example_index": running.first_index if outcome == "failed" else None,
        "shrink_steps": running.steps if outcome == "failed" else None,
        "failure": running.failure if outcome == "failed" else None,
        "engine": {"name": "hypothesis", "version": hypothesis.__version__},
        "notes": list(_notes),
    }


class _Search:
    """One search: its counts, and the smallest failing case so far."""

    def __init__(
        self,
        job: Mapping[str, Any],
        predicate: Callable[[Any], Any],
        judge: Judge,
        describe: Describe,
        report: Report | None,
    ) -> None:
        self.root: str = job["root"]
        self.closure = frozenset(job["closure"])
        self.domain = job["domain"]
        self.seed: int = job["seed"]
        self.max_examples: int = job["max_examples"]
        self.predicate = predicate
        self.judge = judge
        self.describe = describe
        self.report = report
        self.next_report = _monotonic() + _BETWEEN_REPORTS
        self.judged = 0
        self.generated = 0
        self.evaluated = 0
        self.judging = False
        self.origin: tuple[object, ...] | None = None
        self.first_index = 0
        self.case: dict[str, Any] | None = None
        self.failure: dict[str, Any] | None = None
        self.failed: dict[str, int] = {}
        self.last = ""
        self.counted: int | None = None
        self.sample: list[tuple[str, str]] = []
        self.again = 0

    @property
    def steps(self) -> int:
        """How often a smaller failing case took the place of the smallest one before."""
        # Without Hypothesis's own count: every failing call but the first, and the last, which only repeats the smallest.
        return max(0, sum(self.failed.values()) - 2) if self.counted is None else self.counted

    def run(self, generator: Any) -> tuple[str, str | None]:
        """Outcome and reason."""
        from hypothesis.errors import Flaky, Unsatisfiable

        try:
            self._hypothesis(generator, self._judge)
        except _Stop as stop:
            return stop.outcome, stop.reason
        except _Failing:
            if self.failed[self.last] < 2:
                return "failed", _UNSTABLE + "the generator did not give the smallest failing case again"
            return "failed", None
        except Flaky as error:
            if self.case is not None and type(error).__name__ != "FlakyStrategyDefinition":
                return "failed", _UNSTABLE + "the smallest failing case did not fail again"
            return "absent", _UNSTABLE + _UNSEEDED
        except Unsatisfiable:
            pass
        except Exception as error:
            return "absent", f"Hypothesis raised {_text(error)}"
        if self.evaluated == 0:
            return "absent", self._nothing()
        return ("held", None) if self._repeatable(generator) else ("absent", _UNSTABLE + _UNSEEDED)

    def _repeatable(self, generator: Any) -> bool:
        """Whether the first cases come again. A failing case is searched for twice by whoever retains it; this one held."""
        from hypothesis.errors import Flaky, Unsatisfiable

        try:
            self._hypothesis(generator, self._compare)
        except _Stop as stop:
            return stop.outcome == "same"
        except (Flaky, Unsatisfiable):
            return False
        return self.again == len(self.sample)

    def _compare(self, drawn: Any) -> None:
        text, label = self.sample[self.again]
        try:
            if _text_of(copied(drawn)) != text:
                raise _Stop("other", _UNSEEDED)
        except Unsound:
            raise _Stop("other", _UNSEEDED) from None
        self.again += 1
        if self.again == len(self.sample):
            raise _Stop("same", "")
        if label != "pass":
            _reject()

    def _nothing(self) -> str:
        if self.generated == 0:
            return "the generator gave no case: it rejects all that it draws, or there is nothing to draw from"
        cases = "the one case" if self.generated == 1 else f"all {self.generated} cases"
        return f"no case was evaluated: the predicate rejected {cases} (assume)"

    def _hypothesis(self, generator: Any, judge: Callable[[Any], None]) -> None:
        import hypothesis
        from hypothesis import statistics

        settings: dict[str, Any] = {
            "max_examples": self.max_examples,
            "database": None,
            "deadline": None,
            "derandomize": False,
            "phases": (hypothesis.Phase.generate, hypothesis.Phase.shrink),
            "print_blob": False,
            "report_multiple_bugs": False,
            "suppress_health_check": list(hypothesis.HealthCheck),
            "verbosity": hypothesis.Verbosity.quiet,
            # The project may have set another by a profile.
            "backend": "hypothesis",
        }

        @hypothesis.seed(self.seed)
        @hypothesis.settings(**settings)
        @hypothesis.given(_cases(generator, self.domain))
        def judged(case: Any) -> None:
            judge(case)

        collector: Any = statistics.collector
        with collector.with_value(self._count):
            judged()

    def _count(self, statistics: Mapping[str, Any]) -> None:
        # A predicate may run Hypothesis itself: its counts are not ours.
        if not self.judging:
            found = statistics.get("shrink-phase", {}).get("shrinks-successful")
            self.counted = found if type(found) is int else None

    def _judge(self, drawn: Any) -> None:
        try:
            case = copied(drawn)
        except Unsound as error:
            raise _Stop("unsound", str(error)) from None
        searching = self.origin is None
        self.generated += searching
        self.judging = True
        label, reason, raised = self.judge(self.predicate, case)
        self.judging = False
        self.judged += 1
        if self.report is not None and (now := _monotonic()) >= self.next_report:
            self.next_report = now + _BETWEEN_REPORTS
            self.report(self.judged)
        if len(self.sample) < _SAMPLE:
            self.sample.append((_text_of(copied(drawn)), label))
        if label == "pass":
            self.evaluated += searching
        elif label == "fail":
            self.evaluated += searching
            self._keep(drawn, self.describe(raised))
        elif searching and (why := self._unanswered(reason, raised)) is not None:
            raise _Stop("absent", why)
        else:
            # While reducing, a case that is neither passed nor failed is only one that cannot be kept.
            _reject()

    def _unanswered(self, reason: str | None, raised: BaseException | None) -> str | None:
        """Why a case that neither passed nor failed ends the search; None where the predicate rejected it."""
        if raised is not None and _rejected(raised):
            return freezegate_rejection.foreign(raised, self.root, self.closure)
        return reason or "the predicate gave no answer"

    def _keep(self, drawn: Any, failure: dict[str, Any]) -> None:
        origin = _origin(failure)
        if self.origin is None:
            self.origin = origin
            self.first_index = self.generated - 1
        elif origin != self.origin:
            return
        self.case = copied(drawn)
        self.failure = failure
        self.last = _text_of(self.case)
        self.failed[self.last] = self.failed.get(self.last, 0) + 1
        raise _Failing


def _origin(failure: Mapping[str, Any]) -> tuple[object, ...]:
    exception = failure["exception"]
    if exception == "builtins.RecursionError":
        # Where the stack ends depends on how deep it was when the predicate was called.
        return (exception,)
    return (exception, failure["file"], failure["function"], failure["statement"], failure["line"])


def _cases(generator: Any, domain: Any) -> Any:
    """A strategy for the cases of a generator module. Raises _Stop where the module offers none."""
    from hypothesis import strategies

    offered = [name for name in _FORMS if callable(getattr(generator, name, None))]
    if len(offered) != 1:
        has = "both" if offered else "neither"
        raise _Stop(
            "absent", f"the generator has {has} of strategy(domain) and generate(domain, rng): exactly one is needed"
        )
    if offered == ["strategy"]:
        drawn = _called(lambda: generator.strategy(_plain(domain)), "strategy(domain)")
        if not isinstance(drawn, strategies.SearchStrategy):
            raise _Stop("absent", f"strategy(domain) returned {_kind(drawn)}, not a Hypothesis strategy")

        def case(draw: Any) -> Any:
            return _called(lambda: draw(drawn), "the generator")

    else:
        randoms = strategies.randoms(use_true_random=False)

        def case(draw: Any) -> Any:
            rng = draw(randoms)
            return _called(lambda: generator.generate(_plain(domain), rng), "generate(domain, rng)")

    return strategies.composite(case)()


def _text_of(case: dict[str, Any]) -> str:
    return _dumps(case, sort_keys=True)


def _called(call: Callable[[], Any], what: str) -> Any:
    """What a call into the generator returns. Its failure ends the search: it is no failure of the property."""
    from hypothesis.errors import Flaky, Frozen, StopTest, UnsatisfiedAssumption

    try:
        return call()
    except (Flaky, Frozen, StopTest, UnsatisfiedAssumption, _Stop):
        raise
    except BaseException as error:
        raise _Stop("absent", f"{what} raised {_text(error)}") from None


def _plain(domain: Any) -> Any:
    """A fresh copy for each call: what one call does to it must not reach the next."""
    if type(domain) is dict:
        return {key: _plain(value) for key, value in domain.items()}
    return [_plain(value) for value in domain] if type(domain) is list else domain


def _rejected(raised: BaseException) -> bool:
    from hypothesis.errors import UnsatisfiedAssumption

    return isinstance(raised, UnsatisfiedAssumption)


def _reject() -> None:
    from hypothesis import reject

    reject()


def _kind(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__qualname__}"


def _text(error: BaseException) -> str:
    try:
        message = " ".join(str(error).split())
    except Exception:  # the project's own __str__
        message = ""
    name = type(error).__qualname__
    return f"{name}: {message[:200]}" if message else name

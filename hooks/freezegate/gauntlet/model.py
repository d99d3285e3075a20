"""What one case is, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from freezegate.gauntlet.work import Work

Layer = Literal["commit", "server", "range", "run", "verdict"]
LAYERS: tuple[Layer, ...] = ("commit", "server", "range", "run", "verdict")
Origin = Literal["known", "own"]
Result = Literal["caught", "missed", "wrong rule", "passed", "false alarm", "broken"]
Step = Callable[["Work"], None]
PASS = "pass"


@dataclass(frozen=True)
class Case:
    """A patch on a prepared repository.

    `layer` is who has to see it first, `also` who has to see it as well: a commit hook can be passed by, so what it
    refuses is pushed too. `says` is one plain sentence: what the patch tries. `base` adds to the good project what the
    case starts from. `expect` is what the layer has to name: a rule (commit, server, range), a reason (verdict) or
    ``exit N``; ``pass`` where the change is benign. `answer` is a text that the answer has to hold as well, where an
    exit status alone says too little. `command` is what the layer `run` starts. `origin`: known from
    elsewhere, or made up for this gauntlet.
    """

    name: str
    topic: str
    layer: Layer
    origin: Origin
    says: str
    patch: Step
    expect: str
    base: Step | None = None
    also: tuple[Layer, ...] = ()
    command: tuple[str, ...] = ()
    answer: str = ""

    @property
    def benign(self) -> bool:
        """Whether the patch has to pass untouched."""
        return self.expect == PASS

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Everyone who judges it."""
        return (self.layer, *self.also)


@dataclass(frozen=True)
class Outcome:
    """What one layer made of one case: `said` is what it answered, `seconds` how long all of it took."""

    case: Case
    layer: Layer
    result: Result
    said: str
    seconds: float

    @property
    def as_expected(self) -> bool:
        """Whether a cheat was caught for its own reason, or a benign change passed."""
        return self.result in ("caught", "passed")


class Topic:
    """Collects the cases of one module."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cases: list[Case] = []

    def cheat(
        self,
        name: str,
        says: str,
        expect: str,
        *,
        layer: Layer = "commit",
        also: tuple[Layer, ...] | None = None,
        own: bool = False,
        base: Step | None = None,
        command: tuple[str, ...] = (),
        answer: str = "",
    ) -> Callable[[Step], Step]:
        """The function below builds a patch that has to be refused."""
        others: tuple[Layer, ...] = ("server",) if layer == "commit" else ()
        origin: Origin = "own" if own else "known"

        def keep(patch: Step) -> Step:
            seen = others if also is None else also
            self.cases.append(Case(name, self.name, layer, origin, says, patch, expect, base, seen, command, answer))
            return patch

        return keep

    def benign(
        self,
        name: str,
        says: str,
        *,
        layer: Layer = "commit",
        also: tuple[Layer, ...] | None = None,
        base: Step | None = None,
        command: tuple[str, ...] = (),
    ) -> Callable[[Step], Step]:
        """The function below builds a patch that has to pass."""
        others: tuple[Layer, ...] = ("server",) if layer == "commit" else ()

        def keep(patch: Step) -> Step:
            seen = others if also is None else also
            self.cases.append(Case(name, self.name, layer, "own", says, patch, PASS, base, seen, command))
            return patch

        return keep

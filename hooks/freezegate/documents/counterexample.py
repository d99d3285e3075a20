"""The counterexample document: one retained, minimized failing case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from freezegate.documents import checks

_REQUIRED = frozenset(("scope_id", "seed", "example_index", "input", "predicate_result", "shrink_steps"))
_OPTIONAL = frozenset(("engine",))
_ENGINE = frozenset(("name", "version"))


@dataclass(frozen=True)
class Engine:
    """The search engine that found the case, with its version: seeds mean nothing without it."""

    name: str
    version: str


@dataclass(frozen=True)
class Counterexample:
    """The failing case and how it was found: seed, index of the example, number of shrink steps."""

    scope_id: str
    seed: int
    example_index: int
    input: Mapping[str, Any]
    shrink_steps: int
    predicate_result: str = "fail"
    engine: Engine | None = None

    @classmethod
    def from_value(cls, value: object) -> Counterexample:
        """The counterexample in a loaded document. Raises Refused."""
        given = checks.members(value, _REQUIRED, _OPTIONAL)
        return cls(
            scope_id=checks.scope_id(given["scope_id"], ("scope_id",)),
            seed=checks.whole(given["seed"], ("seed",)),
            example_index=checks.whole(given["example_index"], ("example_index",)),
            input=checks.mapping(given["input"], ("input",)),
            shrink_steps=checks.whole(given["shrink_steps"], ("shrink_steps",)),
            predicate_result=checks.word(given["predicate_result"], ("predicate_result",), ("fail",)),
            engine=_engine(given["engine"]) if "engine" in given else None,
        )


def _engine(value: object) -> Engine:
    given = checks.members(value, _ENGINE, at=("engine",))
    return Engine(
        checks.string(given["name"], ("engine", "name")),
        checks.string(given["version"], ("engine", "version")),
    )

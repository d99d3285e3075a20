"""The one door to documents: bytes in, a document or the problems that keep it from being one out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

from freezegate.documents.loading import Loaded, Positions, Syntax, load_json, load_yaml, locate_all
from freezegate.documents.refusal import MOST_PROBLEMS, Refused
from freezegate.documents.strict_text import LoadError, Pointer

if TYPE_CHECKING:
    from freezegate.documents.catalog import Claimed, Property
    from freezegate.documents.citation import Citation
    from freezegate.documents.config import Config
    from freezegate.documents.counterexample import Counterexample
    from freezegate.documents.ledger import Ledger
    from freezegate.documents.record import Record
    from freezegate.documents.scope import Scope

T = TypeVar("T")

_FOLDED = "an id, a path or a digest must be written on one line, without escapes, folding or blocks"
# So many parses for single positions cost less than one that keeps them all.
_FEW = 3
_UNFOLD = "write the value itself, plain or between quotes, on the line of its key"


class Problem(NamedTuple):
    """Why bytes are no document of their kind. `hint` is the edit that mends it, or empty."""

    kind: Literal["unreadable", "schema"]
    message: str
    line: int
    column: int
    hint: str = ""


class Reading(Generic[T]):
    """What became of a document's bytes: `document` is None exactly when there are problems.

    `data` is kept for positions, and empty where the bytes were unreadable: then every position is 1:1.
    """

    __slots__ = ("_asked", "_positions", "data", "document", "problems", "syntax")

    def __init__(
        self, document: T | None, problems: tuple[Problem, ...] = (), data: bytes = b"", syntax: Syntax = "yaml"
    ) -> None:
        self.document = document
        self.problems = problems
        self.data = data
        self.syntax = syntax
        self._asked = 0
        self._positions: Positions | None = None

    def position(self, *pointer: str | int) -> tuple[int, int]:
        """1-based line and column of the value at `pointer`, or of its deepest ancestor that exists."""
        return self.positions((pointer,))[0]

    def positions(self, pointers: Iterable[Pointer]) -> list[tuple[int, int]]:
        """`position` of several pointers, for one more parse; from the third time on for none."""
        self._asked += 1
        if self._asked < _FEW:
            return locate_all(self.syntax, self.data, pointers)
        if self._positions is None:
            self._positions = Positions(self.syntax, self.data)
        return [self._positions.of(pointer) for pointer in pointers]


def read_scope(data: bytes) -> Reading[Scope]:
    """Read a ``*.scope.yaml``."""
    from freezegate.documents.scope import Scope

    return _read(data, "yaml", "scope", Scope.from_value)


def read_counterexample(data: bytes) -> Reading[Counterexample]:
    """Read a ``*.cex.json``."""
    from freezegate.documents.counterexample import Counterexample

    return _read(data, "json", "counterexample", Counterexample.from_value)


def read_record(data: bytes) -> Reading[Record]:
    """Read a binding record."""
    from freezegate.documents.record import Record

    return _read(data, "json", "record", Record.from_value)


def read_citation(data: bytes) -> Reading[Citation]:
    """Read a ``*.freeze.json``."""
    from freezegate.documents.citation import Citation

    return _read(data, "json", "citation", Citation.from_value)


def read_property(data: bytes) -> Reading[Property]:
    """Read one YAML file of the catalog."""
    from freezegate.documents.catalog import Property

    return _read(data, "yaml", "property", Property.from_value)


def read_claimed(data: bytes) -> Reading[Claimed]:
    """Read the claimed ids; an empty list is a document here (another rule judges it)."""
    from freezegate.documents.catalog import Claimed

    return _read(data, "json", "claimed", Claimed.from_value)


def read_ledger(data: bytes) -> Reading[Ledger]:
    """Read the freeze ledger."""
    from freezegate.documents.ledger import Ledger

    return _read(data, "json", "ledger", Ledger.from_value)


def read_config(data: bytes) -> Reading[Config]:
    """Read a ``.freezegate.yaml``."""
    from freezegate.documents.config import Config

    return _read(data, "yaml", "config", Config.from_value)


def _read(data: bytes, syntax: Syntax, kind: str, construct: Callable[[object], T]) -> Reading[T]:
    try:
        loaded = load_yaml(data) if syntax == "yaml" else load_json(data)
    except LoadError as error:
        problem = Problem("unreadable", error.message, error.line, error.column)
        return Reading(None, (problem,))
    problems: list[Problem] = []
    document: T | None = None
    try:
        document = construct(loaded.value)
    except Refused as refusal:
        from freezegate.documents.explain import explain

        explained = explain(kind, loaded.value, refusal)
        places = locate_all(syntax, data, (each.pointer for each in explained))
        problems += [
            Problem("schema", each.text, *place, each.hint) for each, place in zip(explained, places, strict=True)
        ]
    if loaded.folded:
        problems += _folded_problems(loaded, kind, data)
    return Reading(None if problems else document, tuple(problems), data, syntax)


def _folded_problems(loaded: Loaded, kind: str, data: bytes) -> list[Problem]:
    from freezegate.documents.literal import literal_fields

    folded = literal_fields(kind, loaded.folded)
    places = sorted(locate_all("yaml", data, folded[:MOST_PROBLEMS]))
    problems = [Problem("unreadable", _FOLDED, *place, _UNFOLD) for place in places]
    if len(folded) > MOST_PROBLEMS:
        problems.append(Problem("unreadable", f"and {len(folded) - MOST_PROBLEMS} more such values", 1, 1))
    return problems

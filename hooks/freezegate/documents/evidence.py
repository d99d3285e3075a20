"""The evidence of a verdict run: what was split, reproduced, run and decided, as the files of a run folder.

Each class is one file or one row of it. `from_value` takes a loaded JSON value and raises Refused; `as_json` gives the
value back. The readers take a file's bytes and raise CannotJudge, naming file, line and column: evidence that cannot be
read is never evidence for anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from freezegate import decisions
from freezegate.documents import checks
from freezegate.documents.evidence_parts import (
    HEADER,
    header,
    header_json,
    marks,
    optional_text,
    rows,
    signature,
    told,
    unique_ids,
    whole_object,
)
from freezegate.documents.loading import LoadError, load_json, locate_all
from freezegate.documents.refusal import Refused
from freezegate.documents.strict_text import Pointer
from freezegate.documents.verdict_evidence import Reproduced, StaleFreeze, VerdictRow, Verdicts
from freezegate.errors import CannotJudge
from freezegate.text import escape

__all__ = [
    "LARGEST",
    "BaseSignature",
    "Buckets",
    "ChangedFile",
    "EditedOracle",
    "Reproduced",
    "RunRow",
    "Runs",
    "SplitDiff",
    "StaleFreeze",
    "VerdictRow",
    "Verdicts",
    "base_signatures",
    "encoded",
    "read_base_signatures",
    "read_runs",
    "read_split",
    "read_verdicts",
]

REVIEWS = ("definitions", "config")
LARGEST = 64 << 20
"""Bytes that an evidence file may have: unlike what is committed, it has a row for each failing case of a run."""

T = TypeVar("T")

STATUSES = ("pass", "fail", "missing")

_BUCKETS = ("source", "oracles", "fixtures", "other")
_FREEZE = frozenset(decisions.FREEZE_FIELDS)


@dataclass(frozen=True)
class ChangedFile:
    """A path that differs, as shown to people, and its lines added and deleted (None: binary)."""

    path: str
    added: int | None
    deleted: int | None

    @classmethod
    def from_value(cls, value: object, at: Pointer = ()) -> ChangedFile:
        """One row of a bucket. Raises Refused."""
        given = checks.members(value, frozenset(("path", "added", "deleted")), at=at)
        counts = [None if given[key] is None else checks.whole(given[key], (*at, key)) for key in ("added", "deleted")]
        return cls(checks.text(given["path"], (*at, "path")), *counts)

    def as_json(self) -> dict[str, Any]:
        """The row."""
        return {"path": self.path, "added": self.added, "deleted": self.deleted}


@dataclass(frozen=True)
class Buckets:
    """The changed files by what they are to the verdict; each file is in one bucket."""

    source: tuple[ChangedFile, ...] = ()
    oracles: tuple[ChangedFile, ...] = ()
    fixtures: tuple[ChangedFile, ...] = ()
    other: tuple[ChangedFile, ...] = ()

    @classmethod
    def from_value(cls, value: object, at: Pointer = ()) -> Buckets:
        """The four lists. Raises Refused."""
        given = checks.members(value, frozenset(_BUCKETS), at=at)
        return cls(*(rows(given[name], (*at, name), ChangedFile.from_value) for name in _BUCKETS))

    def as_json(self) -> dict[str, Any]:
        """The four lists."""
        return {name: [each.as_json() for each in getattr(self, name)] for name in _BUCKETS}


@dataclass(frozen=True)
class EditedOracle:
    """A property that is defined otherwise than before, and each thing that makes it so (never none)."""

    prop_id: str
    voided_by: tuple[str, ...]

    @classmethod
    def from_value(cls, value: object, at: Pointer = ()) -> EditedOracle:
        """One row. Raises Refused."""
        given = checks.members(value, frozenset(("prop_id", "voided_by")), at=at)
        return cls(
            checks.text(given["prop_id"], (*at, "prop_id")),
            checks.unique_texts(given["voided_by"], (*at, "voided_by"), 1),
        )

    def as_json(self) -> dict[str, Any]:
        """The row."""
        return {"prop_id": self.prop_id, "voided_by": list(self.voided_by)}


@dataclass(frozen=True)
class SplitDiff:
    """``oracle_edited.json``: the diff from `merge_base` to `head` in buckets, and the oracles that it edits."""

    base: str
    merge_base: str
    head: str
    buckets: Buckets = Buckets()
    oracle_edited: tuple[EditedOracle, ...] = ()

    @classmethod
    def from_value(cls, value: object) -> SplitDiff:
        """The loaded file. Raises Refused."""
        ids = ("base", "merge_base", "head")
        given = whole_object(value, "oracle_edited", (*ids, "buckets", "oracle_edited"))
        edited = rows(given["oracle_edited"], ("oracle_edited",), EditedOracle.from_value)
        unique_ids([each.prop_id for each in edited], ("oracle_edited",))
        base, merge_base, head = (checks.object_id(given[key], (key,)) for key in ids)
        return cls(base, merge_base, head, Buckets.from_value(given["buckets"], ("buckets",)), edited)

    @property
    def voided(self) -> dict[str, tuple[str, ...]]:
        """What voids each edited property, by id."""
        return {each.prop_id: each.voided_by for each in self.oracle_edited}

    def as_json(self) -> dict[str, Any]:
        """The file's value."""
        return {
            **marks("oracle_edited"),
            **{"base": self.base, "merge_base": self.merge_base, "head": self.head},
            "buckets": self.buckets.as_json(),
            "oracle_edited": [each.as_json() for each in self.oracle_edited],
        }


@dataclass(frozen=True)
class BaseSignature:
    """One row of ``base.sig.json``: a failure that the base revision gave under a fixture digest."""

    prop_id: str
    signature: str
    fixture_digest: str
    base_revision: str

    @classmethod
    def from_value(cls, value: object, at: Pointer = ()) -> BaseSignature:
        """One row. Raises Refused."""
        given = checks.members(value, _FREEZE, at=at)
        return cls(
            checks.text(given["prop_id"], (*at, "prop_id")),
            checks.hex64(given["signature"], (*at, "signature")),
            checks.digest(given["fixture_digest"], (*at, "fixture_digest")),
            checks.object_id(given["base_revision"], (*at, "base_revision")),
        )

    @property
    def fields(self) -> tuple[str, str, str, str]:
        """The four values, in the order of a freeze's."""
        return self.prop_id, self.signature, self.fixture_digest, self.base_revision

    def as_json(self) -> dict[str, Any]:
        """The row."""
        return dict(zip(decisions.FREEZE_FIELDS, self.fields, strict=True))


@dataclass(frozen=True)
class RunRow:
    """What the run of one property gave.

    `signatures` are those of every failing row in their order, None for a row that has none; `signature` is the first
    of them. `reason` and `detail` are for people, but for the reasons that keep a failure from being frozen;
    `new_failures`: it fails on inputs that hold on base.
    """

    prop_id: str
    status: str
    signature: str | None
    fixture_digest: str
    base_revision: str
    oracle_edited: bool
    reason: str | None = None
    detail: str | None = None
    signatures: tuple[str | None, ...] | None = None
    new_failures: bool = False

    @classmethod
    def from_value(cls, value: object, at: Pointer = ()) -> RunRow:
        """One row. Raises Refused."""
        required = _FREEZE | {"status", "oracle_edited"}
        given = checks.members(value, required, frozenset(("reason", "detail", "signatures", "new_failures")), at)
        row = cls(
            prop_id=checks.text(given["prop_id"], (*at, "prop_id")),
            status=checks.word(given["status"], (*at, "status"), STATUSES),
            signature=signature(given["signature"], (*at, "signature")),
            fixture_digest=checks.digest(given["fixture_digest"], (*at, "fixture_digest")),
            base_revision=checks.object_id(given["base_revision"], (*at, "base_revision")),
            oracle_edited=checks.boolean(given["oracle_edited"], (*at, "oracle_edited")),
            reason=optional_text(given, "reason", at),
            detail=optional_text(given, "detail", at),
            signatures=(rows(given["signatures"], (*at, "signatures"), signature) if "signatures" in given else None),
            new_failures=checks.boolean(given.get("new_failures", False), (*at, "new_failures")),
        )
        if row.signatures and row.signatures[0] != row.signature:
            raise Refused((*at, "signatures"), "the first of the signatures is not the row's signature", beyond=True)
        if row.status != "fail" and (row.signature or row.signatures or row.new_failures):
            raise Refused((*at, "status"), f"a row that is {row.status} has no failure", beyond=True)
        if row.status == "pass" and row.reason is not None:
            raise Refused((*at, "reason"), "a pass has no reason against it", beyond=True)
        if row.oracle_edited and row.status == "pass":
            raise Refused((*at, "oracle_edited"), "a property whose oracle is edited is not run", beyond=True)
        return row

    def as_json(self) -> dict[str, Any]:
        """The row, without the optional keys that say nothing."""
        row: dict[str, Any] = {
            **{"prop_id": self.prop_id, "status": self.status, "signature": self.signature},
            **{"fixture_digest": self.fixture_digest, "base_revision": self.base_revision},
            "oracle_edited": self.oracle_edited,
            **told(reason=self.reason, detail=self.detail),
        }
        if self.signatures is not None:
            row["signatures"] = list(self.signatures)
        return {**row, "new_failures": True} if self.new_failures else row


@dataclass(frozen=True)
class Runs:
    """``runs.json``: the runs of the claimed properties; every row is of this digest and base revision.

    `review`: a person must look, whatever the runs gave, since nothing but definitions is edited, or the config is.
    """

    fixture_digest: str
    base_revision: str
    head_revision: str
    runs: tuple[RunRow, ...] = ()
    review: str | None = None

    @classmethod
    def from_value(cls, value: object) -> Runs:
        """The loaded file. Raises Refused, also where a row contradicts the header or an id comes twice."""
        given = whole_object(value, "runs", (*HEADER, "runs"), frozenset(("review",)))
        digest, base, head = header(given)
        found = rows(given["runs"], ("runs",), RunRow.from_value)
        unique_ids([each.prop_id for each in found], ("runs",))
        for index, row in enumerate(found):
            for key, expected in (("fixture_digest", digest), ("base_revision", base)):
                if getattr(row, key) != expected:
                    raise Refused(("runs", index, key), f"the row's {key} is not that of the file", beyond=True)
        review = checks.word(given["review"], ("review",), REVIEWS) if "review" in given else None
        return cls(digest, base, head, found, review)

    def as_json(self) -> dict[str, Any]:
        """The file's value."""
        found = {**marks("runs"), **header_json(self), "runs": [each.as_json() for each in self.runs]}
        return {**found, **told(review=self.review)}


def read_split(data: bytes, name: str) -> SplitDiff:
    """The split in a file's bytes; `name` is what people call the file. Raises CannotJudge, as all readers do."""
    return _read(data, name, "oracle_edited", SplitDiff.from_value)


def read_base_signatures(data: bytes, name: str) -> tuple[BaseSignature, ...]:
    """The rows of a ``base.sig.json``."""
    return _read(data, name, "base_signatures", base_signatures)


def read_runs(data: bytes, name: str) -> Runs:
    """The runs."""
    return _read(data, name, "runs", Runs.from_value)


def read_verdicts(data: bytes, name: str) -> Verdicts:
    """The verdicts."""
    return _read(data, name, "verdicts", Verdicts.from_value)


def base_signatures(value: object) -> tuple[BaseSignature, ...]:
    """The rows in a loaded ``base.sig.json``, each once. Raises Refused."""
    found = rows(value, (), BaseSignature.from_value)
    seen: set[BaseSignature] = set()
    for index, row in enumerate(found):
        if row in seen:
            raise Refused((index,), "the row is listed twice", beyond=True)
        seen.add(row)
    return found


def encoded(document: SplitDiff | Runs | Verdicts | Sequence[BaseSignature]) -> bytes:
    """The bytes of the document's file."""
    if isinstance(document, (SplitDiff, Runs, Verdicts)):
        value: object = document.as_json()
    else:
        value = [each.as_json() for each in document]
    return (json.dumps(value, indent=2) + "\n").encode("ascii")


def _read(data: bytes, name: str, kind: str, construct: Callable[[object], T]) -> T:
    try:
        value = load_json(data, LARGEST).value
    except LoadError as error:
        raise _unreadable(name, error.message, error.line, error.column) from None
    try:
        return construct(value)
    except Refused as refusal:
        from freezegate.documents.explain import explain

        first = explain(kind, value, refusal)[0]
        raise _unreadable(name, first.text, *locate_all("json", data, [first.pointer])[0], first.hint) from None


def _unreadable(name: str, message: str, line: int, column: int, hint: str = "") -> CannotJudge:
    return CannotJudge(
        f"{escape(name)}, line {line}, column {column}: {escape(message)}", hint or "evidence is made anew, not mended"
    )

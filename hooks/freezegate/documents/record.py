"""The binding record: ties a scope id, a binding digest and a counterexample hash, with two class labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from freezegate.documents import checks
from freezegate.documents.attestation import Attestation, attestations
from freezegate.documents.strict_text import Pointer

_LABELS = ("pass", "fail")
_REQUIRED = frozenset(("scope_id", "fixture_digest", "counterexample_sha256", "class_local", "class_isolated"))
_OPTIONAL = frozenset(("scope", "counterexample", "evaluations", "attestations"))
_SIDES = frozenset(("local", "isolated"))
_EVALUATION = frozenset(
    ("environment", "fingerprint", "tree", "counterexample_sha256", "replays", "failed", "regenerated")
)


@dataclass(frozen=True)
class Evaluation:
    """One re-evaluation: where, on which tree and case, how many replays failed.

    `regenerated` says whether a new search gave the same bytes; None if none was made.
    """

    environment: str
    fingerprint: str
    tree: str
    counterexample_sha256: str
    replays: int
    failed: int
    regenerated: bool | None


@dataclass(frozen=True)
class Evaluations:
    """The two independent re-evaluations behind the labels."""

    local: Evaluation
    isolated: Evaluation


@dataclass(frozen=True)
class Record:
    """A binding record as written; whether it is closed is judged elsewhere. None is the document's null.

    `attestations` are all attempts to attest a label, those of environments that no label is of included.
    """

    scope_id: str
    fixture_digest: str
    counterexample_sha256: str | None
    class_local: str | None
    class_isolated: str | None
    scope: str | None = None
    counterexample: str | None = None
    evaluations: Evaluations | None = None
    attestations: tuple[Attestation, ...] = ()

    @classmethod
    def from_value(cls, value: object) -> Record:
        """The record in a loaded document. Raises Refused."""
        given = checks.members(value, _REQUIRED, _OPTIONAL)
        case_hash = given["counterexample_sha256"]
        return cls(
            scope_id=checks.scope_id(given["scope_id"], ("scope_id",)),
            fixture_digest=checks.digest(given["fixture_digest"], ("fixture_digest",)),
            counterexample_sha256=case_hash
            if case_hash is None
            else checks.hex64(case_hash, ("counterexample_sha256",)),
            class_local=_label(given, "class_local"),
            class_isolated=_label(given, "class_isolated"),
            scope=checks.string(given["scope"], ("scope",)) if "scope" in given else None,
            counterexample=checks.string(given["counterexample"], ("counterexample",))
            if "counterexample" in given
            else None,
            evaluations=_evaluations(given["evaluations"]) if "evaluations" in given else None,
            attestations=attestations(given.get("attestations", []), ("attestations",)),
        )


def _label(given: Mapping[str, Any], key: str) -> str | None:
    return None if given[key] is None else checks.word(given[key], (key,), _LABELS)


def _evaluations(value: object) -> Evaluations:
    given = checks.members(value, _SIDES, at=("evaluations",))
    return Evaluations(*(_evaluation(given[side], ("evaluations", side)) for side in ("local", "isolated")))


def _evaluation(value: object, at: Pointer) -> Evaluation:
    given = checks.members(value, _EVALUATION, at=at)
    regenerated = given["regenerated"]
    return Evaluation(
        environment=checks.text(given["environment"], (*at, "environment")),
        fingerprint=checks.text(given["fingerprint"], (*at, "fingerprint")),
        tree=checks.object_id(given["tree"], (*at, "tree")),
        counterexample_sha256=checks.hex64(given["counterexample_sha256"], (*at, "counterexample_sha256")),
        replays=checks.whole(given["replays"], (*at, "replays"), 1),
        failed=checks.whole(given["failed"], (*at, "failed")),
        regenerated=None if regenerated is None else checks.boolean(regenerated, (*at, "regenerated")),
    )

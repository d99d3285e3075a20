"""Bind: two labels, one search again, and the record that ties them to scope and case; or why it stays open."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from freezegate import digests
from freezegate.documents.attestation import Attestation
from freezegate.documents.config import Policy
from freezegate.fingerprints import other_host
from freezegate.gate.alone import Refusal
from freezegate.gate.governed import Governed
from freezegate.gate.locking import binding_digest
from freezegate.gate.scopes import ScopeView
from freezegate.running.attesting import attested
from freezegate.running.cases import Case
from freezegate.running.classifying import BOTH, Task, Where, classified
from freezegate.running.labels import Label
from freezegate.running.limits import SEARCH
from freezegate.running.regenerating import searched_again
from freezegate.running.retaining import slip
from freezegate.running.seeds import Pin
from freezegate.running.steady import Committed


class Bound(NamedTuple):
    """A closed record's file, and what a person should know besides."""

    data: bytes
    notes: tuple[str, ...]


def pinned_search(case: Case, pin: Pin | None, max_examples: int | None) -> int | None:
    """With how many examples the case is searched for again; None where nothing says how many.

    Raises Refusal where the case was not found as the seed lock pins.
    """
    if pin is not None and case.document.seed != pin.seed:
        raise Refusal(
            f"{case.shown} was found with seed {case.document.seed}, and the seed lock pins {pin.seed}: "
            "what was searched with --unlocked cannot be bound"
        )
    return max_examples if pin is None or pin.max_examples is None else pin.max_examples


def refuse_unbindable(scope: ScopeView) -> str:
    """The binding digest, where the hooks would take a record of this scope. Raises CannotJudge, Refusal."""
    digest = binding_digest(scope)
    closures = [scope.predicate_closure, scope.tree.closure(scope.generator)]
    for closure in closures:
        for path, problem in closure.problems if closure is not None else ():
            raise Refusal(f"{path.decode('utf-8', 'replace')}:{problem.line}: {problem.message}")
    stated = scope.value.predicate_digest if scope.value is not None else None
    if stated is not None and stated != scope.predicate_digest(scope.tree.sized or digests.is_sized(stated)):
        raise Refusal(f"the predicate_digest in {scope.path} is stale; freezegate lock {scope.path.shell}")
    return digest


def refuse_open(labels: Sequence[Label], policy: Policy) -> None:
    """Raise Refusal unless both labels are `fail`, of two environments that policy takes for two."""
    if not all(label.label == "fail" for label in labels):
        seen = ", ".join(f"{label.environment} {label.label}" for label in labels)
        reasons = [f"{label.environment}: {label.reason}" for label in labels if label.reason]
        raise Refusal(f"the record would be open ({seen}){'; ' if reasons else ''}{'; '.join(reasons)}")
    local, isolated = labels
    if local.fingerprint is None or isolated.fingerprint is None:
        raise Refusal("an environment did not say what it is")
    if local.fingerprint == isolated.fingerprint:
        raise Refusal("both labels come from one environment: their fingerprints are equal")
    if policy.isolation == "other_host" and not other_host(local.fingerprint, isolated.fingerprint):
        raise Refusal("policy.isolation is other_host, and both labels come from one machine")
    if local.signature != isolated.signature:
        raise Refusal("the case fails in another way in the isolated environment: the signatures differ")


def record(
    tree: Governed,
    scope: ScopeView,
    case: Case,
    digest: str,
    labels: Sequence[Label],
    evaluated: str,
    again: Sequence[bool | None],
    attestations: Sequence[Attestation] = (),
) -> bytes:
    """The record's file. `evaluated` is the id of the tree that was run; `again` says of each label's environment
    whether a new search gave the same bytes (None: none was made); `attestations` are all attempts at this case.
    """
    local, isolated = (
        _evaluation(label, case, evaluated, regenerated) for label, regenerated in zip(labels, again, strict=True)
    )
    document: dict[str, Any] = {
        "scope_id": case.document.scope_id,
        "fixture_digest": digest,
        "counterexample_sha256": case.sha256,
        "class_local": labels[0].label,
        "class_isolated": labels[1].label,
        "scope": scope.path.text,
        "counterexample": tree.case_path(case.document.scope_id).text,
        "evaluations": {"local": local, "isolated": isolated},
    }
    if attestations:
        document["attestations"] = [each.as_json() for each in attestations]
    return (json.dumps(document, indent=2) + "\n").encode("ascii")


def _evaluation(label: Label, case: Case, evaluated: str, regenerated: bool | None) -> dict[str, Any]:
    return {
        "environment": label.environment,
        "fingerprint": label.fingerprint,
        "tree": evaluated,
        "counterexample_sha256": case.sha256,
        "replays": label.replays,
        "failed": label.failed,
        "regenerated": regenerated,
    }


def bound(
    seen: Committed,
    scope: ScopeView,
    case: Case,
    digest: str,
    pin: Pin | None,
    max_examples: int | None,
    python: str,
    time_limit: float | None,
    keys: Mapping[str, str],
    attempts: Sequence[Attestation],
) -> Bound:
    """Classify the case, search again, and make the record. Raises Refusal where it would be open.

    `keys` are the key files that sign labels, by environment; `attempts` are earlier attestations, which are kept.
    """
    policy = seen.config.policy
    examples = pinned_search(case, pin, max_examples)
    subject = seen.subjects[0]
    task = Task(subject, case, scope.reading.data, seen.governed.case_path(subject.scope_id))
    where = Where(seen.commit, seen.config, BOTH, python, time_limit)
    labels = classified([task], where, jobs=1)[0]
    refuse_open(labels, policy)
    limit = max(time_limit or 0.0, SEARCH)
    again, note = searched_again(seen.commit, seen.config, subject, case, examples, python, limit)
    if pin is not None and pin.max_examples is not None and again[0] is False:
        raise Refusal("a search as the seed lock pins it finds another case: retain the case again, without --unlocked")
    if policy.require_regenerated and not all(again):
        raise Refusal(
            f"policy.require_regenerated asks for a search that gives the same bytes: {note or 'it gave others'}"
        )
    signed = attested(labels, keys, subject.scope_id, digest, case.sha256, seen.tree)
    attestations = tuple(dict.fromkeys((*attempts, *signed)))
    data = record(seen.governed, scope, case, digest, labels, seen.tree, again, attestations)
    failure = labels[0].failure
    return Bound(data, ((note,) if note else ()) + (slip(failure) if failure is not None else ()))

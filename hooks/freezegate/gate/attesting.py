"""Attestations as files: taken into a record, and written for other tools as an in-toto Statement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from freezegate.documents.attestation import Attestation, attestations
from freezegate.documents.loading import load_json
from freezegate.documents.reading import read_record
from freezegate.documents.record import Record
from freezegate.documents.refusal import Refused
from freezegate.documents.strict_text import LoadError
from freezegate.errors import CannotJudge
from freezegate.gate.alone import Refusal
from freezegate.gate.governed import Governed

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://freezegate.dev/label/v1"
_LABELLED = ("local", "isolated")


def written(found: Sequence[Attestation]) -> bytes:
    """A file of attestations."""
    return (json.dumps([each.as_json() for each in found], indent=2) + "\n").encode("ascii")


def read(data: bytes, name: str) -> tuple[Attestation, ...]:
    """The attestations in the file that a person calls `name`. Raises CannotJudge."""
    try:
        return attestations(load_json(data).value, ())
    except LoadError as error:
        raise CannotJudge(f"{name} cannot be read: line {error.line}: {error.message}") from None
    except Refused as refusal:
        where = "/".join(map(str, refusal.pointer))
        raise CannotJudge(f"{name} is no list of attestations: /{where}: {refusal.message}") from None


def taken_in(data: bytes, added: Sequence[Attestation]) -> bytes:
    """The record's file with these attestations too, and the evaluations that they state. Raises Refusal.

    The evaluations of a record are of one tree, so an attestation of another one is refused.
    """
    record = _readable(data)
    document: Any = load_json(data).value
    about = (record.scope_id, record.fixture_digest, record.counterexample_sha256)
    known = list(record.attestations)
    for each in added:
        statement = each.statement
        if statement.subject[:3] != about:
            raise Refusal(f"the attestation of {statement.environment} is about another digest or case than the record")
        if each not in known:
            known.append(each)
        if "evaluations" in document and statement.environment in _LABELLED and statement.label == "fail":
            document["evaluations"][statement.environment] |= _evaluation(each, document["evaluations"])
    trees = {each["tree"] for each in document.get("evaluations", {}).values()}
    if len(trees) > 1:
        raise Refusal(
            f"the labels were evaluated on the trees {' and '.join(sorted(trees))}: classify both at one commit, or bind"
        )
    document["attestations"] = [each.as_json() for each in known]
    changed = (json.dumps(document, indent=2) + "\n").encode("ascii")
    _readable(changed)
    return changed


def _evaluation(attestation: Attestation, before: dict[str, Any]) -> dict[str, Any]:
    """What the attested evaluation changes of the one that the record has of that environment."""
    statement = attestation.statement
    old = before[statement.environment]
    same = old["fingerprint"] == statement.fingerprint and old["tree"] == statement.tree
    return {
        "environment": statement.environment,
        "fingerprint": statement.fingerprint,
        "tree": statement.tree,
        "replays": statement.replays,
        "failed": statement.replays,
        "regenerated": old["regenerated"] if same else None,
    }


def _readable(data: bytes) -> Record:
    reading = read_record(data)
    if reading.document is None:
        problem = reading.problems[0]
        raise Refusal(f"the record cannot be read: line {problem.line}: {problem.message}")
    return reading.document


def in_toto(tree: Governed, scope_id: str) -> bytes:
    """The attestations of a record as an in-toto Statement v1 about its counterexample. Raises Refusal where it has none
    that is about its own scope, digest and case. No signature is checked.
    """
    binding = tree.binding(scope_id)
    stated = binding.stated
    if stated is None:
        raise Refusal(f"there is no readable record of {scope_id}")
    if binding.case is None or stated.counterexample_sha256 != binding.case_sha256:
        raise Refusal(f"the record of {scope_id} is not about the counterexample that is there")
    about = (scope_id, stated.fixture_digest, stated.counterexample_sha256)
    found = [each for each in stated.attestations if each.statement.subject[:3] == about]
    if not found:
        raise Refusal(f"the record of {scope_id} has no attestation of what it binds")
    document = {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": binding.case.path.text, "digest": {"sha256": stated.counterexample_sha256}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "attestations": [{**each.as_json(), "namespace": each.statement.namespace} for each in found],
        },
    }
    return (json.dumps(document, indent=2) + "\n").encode("ascii")

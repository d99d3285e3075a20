"""Attestations of class labels: what a signer says of one evaluation, and the signature over exactly that."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from freezegate.documents import checks
from freezegate.documents.refusal import Refused
from freezegate.documents.strict_text import Pointer

NAMESPACE = "freezegate-label-"
MOST_ATTESTATIONS = 100
LONGEST_SIGNATURE = 20_000

_LABELS = ("pass", "fail")
_FIELDS = frozenset(
    ("scope_id", "fixture_digest", "counterexample_sha256", "label", "environment", "fingerprint", "tree", "replays")
)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_LONGEST_NAME = 100
# Nothing that an allowed-signers file, or a command line, reads as more than a name.
PRINCIPAL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9@._+-]*")
_LONGEST_PRINCIPAL = 200


@dataclass(frozen=True)
class Statement:
    """One label as it is signed: what was evaluated, where, on which tree (its object id), how often."""

    scope_id: str
    fixture_digest: str
    counterexample_sha256: str
    label: str
    environment: str
    fingerprint: str
    tree: str
    replays: int

    @property
    def subject(self) -> tuple[str, str, str, str]:
        """What the label is about: two statements with one subject and two labels disagree."""
        return (self.scope_id, self.fixture_digest, self.counterexample_sha256, self.environment)

    @property
    def namespace(self) -> str:
        """The namespace that its signature has to be made in: one for each environment."""
        return NAMESPACE + self.environment

    def as_json(self) -> dict[str, Any]:
        """The statement as a document holds it."""
        return asdict(self)

    @property
    def canonical(self) -> bytes:
        """The bytes that are signed: canonical JSON (RFC 8785), but for integers, which are written in full."""
        import json

        text = json.dumps(self.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return text.encode("utf-8")

    @classmethod
    def from_value(cls, value: object, at: Pointer) -> Statement:
        """The statement in a loaded document. Raises Refused."""
        given = checks.members(value, _FIELDS, at=at)
        return cls(
            scope_id=checks.scope_id(given["scope_id"], (*at, "scope_id")),
            fixture_digest=checks.digest(given["fixture_digest"], (*at, "fixture_digest")),
            counterexample_sha256=checks.hex64(given["counterexample_sha256"], (*at, "counterexample_sha256")),
            label=checks.word(given["label"], (*at, "label"), _LABELS),
            environment=_named(given["environment"], (*at, "environment")),
            fingerprint=checks.text(given["fingerprint"], (*at, "fingerprint")),
            tree=checks.object_id(given["tree"], (*at, "tree")),
            replays=checks.whole(given["replays"], (*at, "replays"), 1),
        )


@dataclass(frozen=True)
class Attestation:
    """A statement with its signature (the armored text of `ssh-keygen -Y sign`); `principal` is whom it claims to be of."""

    statement: Statement
    signature: str
    principal: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The attestation as a document holds it."""
        named = {} if self.principal is None else {"principal": self.principal}
        return {"statement": self.statement.as_json(), "signature": self.signature, **named}

    @classmethod
    def from_value(cls, value: object, at: Pointer) -> Attestation:
        """The attestation in a loaded document. Raises Refused."""
        given = checks.members(value, frozenset(("statement", "signature")), frozenset(("principal",)), at)
        signature = checks.text(given["signature"], (*at, "signature"))
        if len(signature) > LONGEST_SIGNATURE:
            raise Refused((*at, "signature"), f"the signature is longer than {LONGEST_SIGNATURE} characters")
        principal = _principal(given["principal"], (*at, "principal")) if "principal" in given else None
        return cls(Statement.from_value(given["statement"], (*at, "statement")), signature, principal)


def attestations(value: object, at: Pointer) -> tuple[Attestation, ...]:
    """A list of attestations in a loaded document. Raises Refused."""
    items = checks.sequence(value, at)
    found = tuple(Attestation.from_value(item, (*at, index)) for index, item in enumerate(items))
    if len(found) > MOST_ATTESTATIONS:
        raise Refused(at, f"{len(found)} attestations are more than {MOST_ATTESTATIONS}", beyond=True)
    return found


def is_environment_name(text: str) -> bool:
    """Whether labels of an environment with this name can be signed: it ends the name of a namespace."""
    return bool(_NAME.fullmatch(text)) and len(text) <= _LONGEST_NAME


def _named(value: object, at: Pointer) -> str:
    if type(value) is not str or not is_environment_name(value):
        why = f"{checks.shown(value)} is no environment name: at most {_LONGEST_NAME} letters, digits, '.', '_' and '-'"
        raise Refused(at, why)
    return value


def _principal(value: object, at: Pointer) -> str:
    if type(value) is not str or not PRINCIPAL.fullmatch(value) or len(value) > _LONGEST_PRINCIPAL:
        why = f"{checks.shown(value)} is no principal: letters, digits, '@', '.', '_', '+' and '-'"
        raise Refused(at, why)
    return value

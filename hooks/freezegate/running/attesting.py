"""Attesting labels: the statement of what was evaluated, signed in the parent, which never imports project code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from freezegate.documents.attestation import Attestation, Statement, is_environment_name
from freezegate.errors import CannotJudge, UsageError
from freezegate.gate.alone import Refusal
from freezegate.gate.ssh_keygen import program, sign
from freezegate.running.labels import Label


def keys_of(given: Sequence[str], environments: Sequence[str]) -> dict[str, str]:
    """Environment to key file, from words `KEY` (for all of the environments) and `NAME=KEY`.

    Raises UsageError, CannotJudge: before anything runs, not after.
    """
    keys: dict[str, str] = {}
    for word in given:
        name, equals, key = word.partition("=")
        named = [name] if equals and name in environments else list(environments)
        path = key if equals and name in environments else word
        for each in named:
            if each in keys:
                raise UsageError(f"--sign-key names two keys for {each}")
            if not is_environment_name(each):
                raise UsageError(f"labels of {each!r} cannot be signed: the name ends that of a namespace")
            keys[each] = path
    for path in dict.fromkeys(keys.values()):
        if not Path(path).is_file():
            raise CannotJudge(
                f"there is no key file {path}", "ssh-keygen -t ed25519 makes one; keep it out of the tree"
            )
    if keys:
        program()
    return keys


def attested(
    labels: Sequence[Label], keys: Mapping[str, str], scope_id: str, digest: str, case_sha256: str, tree: str
) -> Iterator[Attestation]:
    """The signed statement of each label that has a key; an absent label states nothing. Raises CannotJudge."""
    for label in labels:
        if label.environment in keys and label.label in ("pass", "fail") and label.fingerprint is not None:
            statement = Statement(
                scope_id=scope_id,
                fixture_digest=digest,
                counterexample_sha256=case_sha256,
                label=label.label,
                environment=label.environment,
                fingerprint=label.fingerprint,
                tree=tree,
                replays=label.replays,
            )
            yield Attestation(statement, sign(statement.canonical, keys[label.environment], statement.namespace))


def kept(data: bytes | None, scope_id: str, digest: str, case_sha256: str) -> tuple[Attestation, ...]:
    """The attempts in the record's file that was there before, at what is bound now. Raises Refusal where one of them
    gave another label: a new record would be as open.
    """
    from freezegate.documents.reading import read_record

    record = read_record(data).document if data is not None else None
    if record is None:
        return ()
    about = (scope_id, digest, case_sha256)
    found = tuple(each for each in record.attestations if each.statement.subject[:3] == about)
    for each in found:
        if each.statement.label != "fail" and each.statement.environment in ("local", "isolated"):
            raise Refusal(
                f"the record holds an attempt in {each.statement.environment} that gave {each.statement.label}: "
                "the label is unstable"
            )
    return found

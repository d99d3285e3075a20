"""Whether the labels of a record are attested, and by whom: where policy asks for it, any other label is absent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from freezegate import digests
from freezegate.documents.attestation import Attestation, Statement
from freezegate.fingerprints import is_damaged, parts_of
from freezegate.git.plumbing import GitError
from freezegate.git.snapshot import Snapshot, Trees
from freezegate.paths import RepoPath
from freezegate.text import quoted

if TYPE_CHECKING:
    from freezegate.documents.record import Record
    from freezegate.gate.bindings import Binding
    from freezegate.gate.ssh_keygen import Keyring, Signer

FOLDER = RepoPath(b".freezegate")
ALLOWED = FOLDER.joined(b"allowed_signers")
REVOKED = FOLDER.joined(b"revoked_keys")
SIDES = ("local", "isolated")

_LIMIT = 1 << 20
_MOST_SAID = 3
_REQUIRED = {"none": (), "isolated": ("isolated",), "both": SIDES}


class Doubt(NamedTuple):
    """Why a label that the record states is absent: under which rule, whose label, where in the record, in words."""

    rule: str
    side: str
    pointer: tuple[str | int, ...]
    message: str
    unstable: bool = False


class _Flaw(NamedTuple):
    """Why one attestation does not count: on which value below it, in words."""

    key: tuple[str, ...]
    why: str


class _Attested(NamedTuple):
    place: int
    statement: Statement
    signer: Signer


def doubts(binding: Binding) -> tuple[Doubt, ...]:
    """Each reason why a label `fail` of a readable record does not count; none where all labels do.

    Attempts that disagree make a label unstable under every policy. Raises CannotJudge where policy asks for signatures
    and none can be checked here.
    """
    stated = binding.stated
    if stated is None:
        return ()
    labels = {"local": stated.class_local, "isolated": stated.class_isolated}
    sides = [side for side in SIDES if labels[side] == "fail"]
    found = [doubt for side in sides for doubt in _unstable(stated, side)]
    required = [side for side in _REQUIRED[binding.tree.config.policy.attested_labels] if side in sides]
    judge = _Judge(binding, stated)
    good: dict[str, list[_Attested]] = {}
    for side in required:
        if all(doubt.side != side for doubt in found):
            good[side], flaws = judge.attested(side)
            found += flaws if not good[side] else ()
    if good.get("isolated"):
        other = good["local"] if "local" in good else judge.attested("local")[0]
        found += _one_signer(other, good["isolated"])
    return tuple(found)


def _unstable(stated: Record, side: str) -> Iterator[Doubt]:
    """The first attempt at the same subject that gave another label."""
    subject = (stated.scope_id, stated.fixture_digest, stated.counterexample_sha256, side)
    for index, each in enumerate(stated.attestations):
        if each.statement.subject == subject and each.statement.label != "fail":
            message = f"class_{side} is unstable: another attempt at the same case gave {each.statement.label}"
            yield Doubt("attestation-invalid", side, ("attestations", index, "statement", "label"), message, True)
            return


def _one_signer(local: list[_Attested], isolated: list[_Attested]) -> Iterator[Doubt]:
    """Two labels are two observations only by two keys of two principals, in two environments."""
    if not local or any(
        one.signer.is_other_than(other.signer) and one.statement.fingerprint != other.statement.fingerprint
        for one in local
        for other in isolated
    ):
        return
    one, other = local[0], isolated[0]
    if one.signer.is_other_than(other.signer):
        why = "both labels are attested for one fingerprint"
    elif one.signer.key == other.signer.key:
        why = "both labels are signed with one key"
    else:
        why = f"both labels are signed by {', '.join(sorted(one.signer.principals & other.signer.principals))}"
    yield Doubt("attestation-invalid", "isolated", ("attestations", other.place), f"{why}: two are needed")


class _Judge:
    """One record's attestations."""

    def __init__(self, binding: Binding, stated: Record) -> None:
        self._binding = binding
        self._tree = binding.tree
        self._stated = stated

    def attested(self, side: str) -> tuple[list[_Attested], list[Doubt]]:
        """The attestations of a label that count; and the doubts, where none does."""
        good: list[_Attested] = []
        flaws: list[Doubt] = []
        for index, each in enumerate(self._stated.attestations):
            if each.statement.environment == side:
                answer = self._checked(each, side)
                if isinstance(answer, _Flaw):
                    at: tuple[str | int, ...] = ("attestations", index, *answer.key)
                    flaws.append(Doubt("attestation-invalid", side, at, f"class_{side} is not attested: {answer.why}"))
                else:
                    good.append(_Attested(index, each.statement, answer))
        if not good and not flaws:
            message = f"class_{side} has no attestation, and policy.attested_labels asks for one"
            flaws = [Doubt("attestation-missing", side, (f"class_{side}",), message)]
        return good, flaws[:_MOST_SAID]

    def _checked(self, attestation: Attestation, side: str) -> Signer | _Flaw:
        """Who signed, where the statement is the record's own, the signer is allowed, and the tree bears it out."""
        statement = attestation.statement
        differing = next(self._differing(statement, side), None)
        if differing is not None:
            key, why = differing
            return _Flaw(("statement", key), f"/statement/{key}: {why}")
        who = self._signer(statement, attestation.signature)
        if isinstance(who, str):
            return _Flaw(("signature",), who)
        if attestation.principal is not None and attestation.principal not in who.principals:
            return _Flaw(("principal",), f"{quoted(attestation.principal)} is not the principal of its key")
        if not self._tree_bears_out(statement):
            return _Flaw(("statement", "tree"), "/statement/tree: the tree does not have this binding digest")
        return who

    def _differing(self, statement: Statement, side: str) -> Iterator[tuple[str, str]]:
        """Fields in which the statement is not what the record states, or what policy asks for."""
        stated = self._stated
        for key in ("scope_id", "fixture_digest", "counterexample_sha256"):
            if getattr(statement, key) != getattr(stated, key):
                yield key, "is not the record's"
        if statement.label != "fail":
            yield "label", f"is not class_{side}"
        if is_damaged(statement.fingerprint):
            yield "fingerprint", "was changed after it was written"
        parts = parts_of(statement.fingerprint)
        if parts is not None and parts["environment"] != statement.environment:
            yield "fingerprint", f"is of the environment {quoted(parts['environment'])}"
        if statement.replays < (least := self._tree.config.policy.replays):
            yield "replays", f"{statement.replays} are too few: policy asks for {least}"
        if stated.evaluations is not None:
            seen = stated.evaluations.local if side == "local" else stated.evaluations.isolated
            for key in ("environment", "fingerprint", "tree", "replays"):
                if getattr(statement, key) != getattr(seen, key):
                    yield key, f"is not that of /evaluations/{side}"

    def _signer(self, statement: Statement, signature: str) -> Signer | str:
        """Who signed the statement, or why that counts for nothing; each question is asked once."""
        keyring = self._keyring
        if isinstance(keyring, str):
            return keyring
        from freezegate.gate.ssh_keygen import signer

        known = self._tree.archive.signers
        question = (keyring, statement.canonical, statement.namespace, signature)
        if question not in known:
            known[question] = signer(statement.canonical, signature, statement.namespace, keyring)
        return known[question]

    @property
    def _keyring(self) -> Keyring | str:
        """The keys of the side that the change cannot have edited; why there are none."""
        from freezegate.gate.ssh_keygen import Keyring

        allowed, revoked = (self._blob(path) for path in (ALLOWED, REVOKED))
        if isinstance(allowed, str) or allowed is None:
            return allowed or f"there is no {ALLOWED} on the old side, so nobody may sign"
        return revoked if isinstance(revoked, str) else Keyring(allowed, revoked)

    def _blob(self, path: RepoPath) -> bytes | str | None:
        """The file's bytes on the trusted side, None where nothing is there; why it cannot be read, in words."""
        entry = self._tree.trusted.entry(path)
        if entry is None:
            return None
        if not entry.is_file:
            return f"{path} is no regular file on the old side, so nobody may sign"
        data = self._tree.trusted.store.blob(entry.oid, _LIMIT)
        return f"{path} is larger than 1 MiB, so nobody may sign" if data is None else data

    def _tree_bears_out(self, statement: Statement) -> bool:
        """Whether the evaluated tree, where this repository has it, holds the scope under the stated binding digest.

        A tree that is not here (a shallow clone, a branch that was squashed) is the signer's word alone, as all that he
        ran there is: the signature ties it to the digest, which is compared with the tree under review in any case.
        """
        scope = self._binding.scope
        if scope is None or (record := self._binding.record) is None:
            return True  # other rules say so, and the record is open without us
        if len(statement.tree) != len(record.entry.oid):
            return False  # the id of another kind of repository
        from freezegate.gate.governed import Governed
        from freezegate.git.objects import Missing

        snapshot = Snapshot(Trees(self._tree.archive.store), statement.tree)
        try:
            snapshot.children(b"")
        except Missing:
            return True
        except GitError:
            return False  # no tree
        there = Governed(snapshot, self._tree.config, self._tree.archive, self._tree.day).scope(scope.path)
        if there is None or there.value is None or there.value.scope_id != statement.scope_id:
            return False
        sized = self._tree.sized or digests.is_sized(statement.fixture_digest)
        return there.binding_digest(sized) == statement.fixture_digest

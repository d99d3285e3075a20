"""Labels that have to be signed: by whom, for what, and for which environment."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from freezegate.errors import CannotJudge
from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work, fingerprint

TOPIC = Topic("attestations")
SIGNERS = ".freezegate/allowed_signers"
REVOKED = ".freezegate/revoked_keys"
_NAMESPACE = "freezegate-label-"


def ssh_keygen(*words: str, folder: Path) -> None:
    """Run ssh-keygen. Raises CannotJudge where it is missing or fails."""
    tool = shutil.which("ssh-keygen")
    if tool is None:
        raise CannotJudge("ssh-keygen is not installed")
    done = subprocess.run([tool, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        raise CannotJudge(f"ssh-keygen ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}")


def signed(work: Work) -> None:
    """A project whose isolated labels have to be signed, by `ci`; `dev` may sign local ones. No record is there yet."""
    work.append(p.CONFIG, "  attested_labels: isolated\n")
    work.drop(p.RECORD, p.CASE, p.CITATION)
    keys = work.folder.parent
    rows = []
    for name, environment in (("ci", "isolated"), ("dev", "local")):
        ssh_keygen("-q", "-t", "ed25519", "-N", "", "-C", name, "-f", name, folder=keys)
        kind, key, *_ = (keys / f"{name}.pub").read_text(encoding="ascii").split()
        rows.append(f'{name}@example.org namespaces="{_NAMESPACE}{environment}" {kind} {key}\n')
    work.put(SIGNERS, "".join(rows))


def attest(work: Work, key: str = "ci", namespace: str = "isolated", **changes: Any) -> None:
    """Bind, and put a statement with its signature into the record; `changes` are fields of the statement."""
    work.put(p.CASE, p.FILES[p.CASE])
    work.bind()
    record = json.loads(work.read(p.RECORD))
    statement = {
        **{name: record[name] for name in ("scope_id", "fixture_digest", "counterexample_sha256")},
        "label": "fail",
        "environment": "isolated",
        "fingerprint": fingerprint("isolated", "0b" * 8),
        "tree": work.git("rev-parse", "HEAD^{tree}"),
        "replays": 3,
        **changes,
    }
    keys = work.folder.parent
    text = json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    (keys / "statement").write_text(text, encoding="utf-8")
    ssh_keygen("-Y", "sign", "-q", "-f", key, "-n", _NAMESPACE + namespace, "statement", folder=keys)
    signature = (keys / "statement.sig").read_text(encoding="ascii")
    work.fields(p.RECORD, attestations=[{"statement": statement, "signature": signature}])


@TOPIC.cheat("label-typed", "The isolated label is a word that somebody typed.", "attestation-missing", base=signed)
def _typed(work: Work) -> None:
    work.put(p.CASE, p.FILES[p.CASE])
    work.bind()


@TOPIC.cheat(
    "label-signed-by-the-local-key",
    "The developer's key signs for the isolated environment.",
    "attestation-invalid",
    base=signed,
)
def _local_key(work: Work) -> None:
    attest(work, "dev")


@TOPIC.cheat(
    "label-signed-for-another-environment",
    "A signature for local labels stands under an isolated one.",
    "attestation-invalid",
    base=signed,
)
def _namespace(work: Work) -> None:
    attest(work, "dev", "local")


@TOPIC.cheat(
    "label-signed-for-another-case", "The signature is of another counterexample.", "attestation-invalid", base=signed
)
def _case(work: Work) -> None:
    attest(work, counterexample_sha256="ab" * 32)


@TOPIC.cheat(
    "label-signed-as-a-pass",
    "The signed statement says pass, the record says fail.",
    "attestation-invalid",
    base=signed,
)
def _passed(work: Work) -> None:
    attest(work, label="pass")


@TOPIC.cheat(
    "statement-edited-after-it-was-signed",
    "The statement is edited under its signature.",
    "attestation-invalid",
    own=True,
    base=signed,
)
def _edited(work: Work) -> None:
    attest(work, label="pass")
    document = json.loads(work.read(p.RECORD))
    document["attestations"][0]["statement"]["label"] = "fail"
    work.json(p.RECORD, document)


@TOPIC.cheat(
    "signer-of-the-patch",
    "The patch brings its own key, signs with it, and lists it as a signer.",
    "gate-mixed",
    own=True,
    base=signed,
)
def _signer(work: Work) -> None:
    keys = work.folder.parent
    ssh_keygen("-q", "-t", "ed25519", "-N", "", "-C", "own", "-f", "own", folder=keys)
    kind, key, *_ = (keys / "own.pub").read_text(encoding="ascii").split()
    work.append(SIGNERS, f'own@example.org namespaces="{_NAMESPACE}isolated" {kind} {key}\n')
    attest(work, "own")


def _revoked(work: Work) -> None:
    signed(work)
    work.put(REVOKED, (work.folder.parent / "ci.pub").read_bytes())


@TOPIC.cheat(
    "label-signed-by-a-revoked-key",
    "The key that signs is on the list of revoked ones.",
    "attestation-invalid",
    own=True,
    base=_revoked,
)
def _revoked_key(work: Work) -> None:
    attest(work)


def _expired(work: Work) -> None:
    signed(work)
    text = work.read(SIGNERS)
    work.put(SIGNERS, text.replace("namespaces=", 'valid-before="20200101",namespaces=', 1))


@TOPIC.cheat(
    "label-signed-after-the-key-expired",
    "The signer's key was valid until some years ago.",
    "attestation-invalid",
    own=True,
    base=_expired,
)
def _late(work: Work) -> None:
    attest(work)

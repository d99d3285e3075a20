"""Signatures of OpenSSH, as `ssh-keygen -Y` makes and checks them; nothing of it is done here.

What is checked goes to the child as its standard input, or as files in a private folder under names of our own, so that
no word of a tree is ever an option, a path or a working-tree file.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from freezegate.documents.attestation import PRINCIPAL
from freezegate.errors import CannotJudge

_SECONDS = 60
_KEY = re.compile(r" with \S+ key (SHA256:[A-Za-z0-9+/]+)$", re.MULTILINE)
_MOST_PRINCIPALS = 8


class Keyring(NamedTuple):
    """Who may sign: the bytes of an allowed-signers file, and of a list of revoked keys where there is one."""

    allowed: bytes
    revoked: bytes | None


class Signer(NamedTuple):
    """Who signed: every principal that the keyring names for the key, and the key's own fingerprint."""

    principals: frozenset[str]
    key: str

    def is_other_than(self, other: Signer) -> bool:
        """Whether the two are different keys of different principals."""
        return self.key != other.key and not self.principals & other.principals


def program() -> str:
    """Where ssh-keygen is: only absolute folders of the PATH are searched, never the tree. Raises CannotJudge."""
    for folder in os.get_exec_path():
        place = Path(folder, "ssh-keygen")
        if place.is_absolute() and place.is_file() and os.access(place, os.X_OK):
            return str(place)
    raise CannotJudge(
        "attested labels need ssh-keygen, and there is none on the PATH",
        "install OpenSSH 8.9 or later (openssh-client)",
    )


def signer(message: bytes, signature: str, namespace: str, keyring: Keyring) -> Signer | str:
    """Who signed exactly `message` in `namespace`, by today's clock; why it does not count where nobody did.

    Raises CannotJudge where ssh-keygen is not there, is too old or does not answer.
    """
    tool = program()
    with TemporaryDirectory(prefix="freezegate-") as folder:

        def ask(action: str, *words: str) -> tuple[bool, str, str]:
            return _run([tool, "-Y", action, *words, "-s", "signature"], message, folder)

        Path(folder, "signature").write_bytes(signature.encode("utf-8"))
        Path(folder, "allowed").write_bytes(keyring.allowed)
        revoked: tuple[str, ...] = ()
        if keyring.revoked:
            Path(folder, "revoked").write_bytes(keyring.revoked)
            revoked = ("-r", "revoked")
        named, out, why_not = ask("find-principals", "-f", "allowed")
        principals = (
            [line for line in out.splitlines() if PRINCIPAL.fullmatch(line)][:_MOST_PRINCIPALS] if named else []
        )
        refusals = [why_not]
        for principal in principals:
            good, out, why = ask("verify", "-f", "allowed", "-I", principal, "-n", namespace, *revoked)
            found = _KEY.search(out)
            if good and found is not None:
                return Signer(frozenset(principals), found.group(1))
            refusals.append(why)
        return _reason(namespace, named, principals, " ".join(refusals), ask("check-novalidate", "-n", namespace))


def _reason(
    namespace: str, named: bool, principals: Sequence[str], refusals: str, checked: tuple[bool, str, str]
) -> str:
    """Why no signer counts, in words that are the same on every machine and day."""
    genuine, _, why = checked
    if not genuine:
        if "namespace" in why:
            return f"the signature is of another namespace than {namespace}"
        return "the signature is not one over this statement"
    for words, reason in (
        ("key has expired", "the validity of its key is over (valid-before)"),
        ("key is not yet valid", "the validity of its key has not begun (valid-after)"),
        ("revoked", "its key is revoked"),
        ("not permitted for use in signature namespace", f"its key is not allowed in the namespace {namespace}"),
    ):
        if words in refusals:
            return reason
    if named and not principals:
        return "no principal is named for its key by a plain name (patterns do not say who signed)"
    return "no allowed signer has its key" if not named else "ssh-keygen refuses it (is its key revoked?)"


def sign(message: bytes, key: str, namespace: str) -> str:
    """The armored signature over `message` with the key in the file `key`: a private key, or the public half of one that
    an agent holds. A passphrase is asked for on the terminal. Raises CannotJudge.
    """
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        [program(), "-Y", "sign", "-f", str(Path(key).absolute()), "-n", namespace],
        input=message,
        capture_output=True,
        env=environment,
        check=False,
    )
    text = done.stdout.decode("ascii", "replace")
    if done.returncode != 0 or not text.startswith("-----BEGIN SSH SIGNATURE-----"):
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CannotJudge(
            f"ssh-keygen did not sign with {key}: {said[-1] if said else f'exit status {done.returncode}'}",
            "name a private key of OpenSSH, or the public half of one that ssh-agent holds",
        )
    return text


def _run(command: Sequence[str], message: bytes, folder: str) -> tuple[bool, str, str]:
    """Whether it succeeded, what it printed, and what it said of a failure."""
    try:
        done = subprocess.run(
            command,
            input=message,
            capture_output=True,
            cwd=folder,
            env=_environment(folder),
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CannotJudge(f"ssh-keygen did not answer in {_SECONDS} seconds", "run it again") from None
    except OSError as error:
        raise CannotJudge(f"ssh-keygen could not be started: {error.strerror}", "install OpenSSH") from None
    said = done.stderr.decode("utf-8", "replace")
    if "usage: ssh-keygen" in said:
        raise CannotJudge("this ssh-keygen is too old to check signatures", "install OpenSSH 8.9 or later")
    return done.returncode == 0, done.stdout.decode("utf-8", "replace"), said


def _environment(folder: str) -> Mapping[str, str]:
    """A validity without a time zone is meant in UTC, on every machine alike."""
    return {"PATH": os.defpath, "HOME": folder, "LC_ALL": "C", "TZ": "UTC"}

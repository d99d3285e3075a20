"""Attested labels, with real keys, real git and a real server: what is signed counts, and what is typed does not."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import pytest

import pushing
from building import (
    CITATION,
    COUNTEREXAMPLE,
    RECORD,
    SCOPE,
    SCOPE_ID,
    Completed,
    Repo,
    as_json,
    environment,
    good_project,
    rebind,
    scope_digest,
    with_files,
)
from freezegate.documents.attestation import MOST_ATTESTATIONS, Attestation, Statement
from freezegate.documents.reading import read_record
from freezegate.fingerprints import KEYS, written
from freezegate.running.canonical import canonical

ALLOWED = ".freezegate/allowed_signers"
REVOKED = ".freezegate/revoked_keys"
CONFIG = ".freezegate.yaml"
HASH = hashlib.sha256(good_project()[COUNTEREXAMPLE]).hexdigest()
BOUND = (RECORD, COUNTEREXAMPLE, CITATION)
OPENED = [(CITATION, "citation-open-record")]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of keys: those of the two signers, and one that nobody allowed."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("local", "isolated", "stranger"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(folder / name)]
        subprocess.run(command, check=True)
    return folder


def public(keys: Path, name: str) -> str:
    return " ".join((keys / f"{name}.pub").read_text().split()[:2])


def allowed(keys: Path, *, options: str = "") -> str:
    """The file that allows each key its own namespace, with further `options` for the isolated one."""
    return "".join(
        f'{who} namespaces="freezegate-label-{name}"{options if name == "isolated" else ""} {public(keys, name)}\n'
        for who, name in (("dev@example.org", "local"), ("ci@example.org", "isolated"))
    )


def fingerprint(side: str) -> str:
    parts = {"environment": side, "machine": side[0] * 2 + "0" * 14, "boot": "b" * 16}
    return written({**dict.fromkeys(KEYS, "x"), **parts})


def sign(key: Path, message: bytes, namespace: str) -> str:
    command = ["ssh-keygen", "-Y", "sign", "-f", str(key), "-n", namespace]
    return subprocess.run(command, input=message, capture_output=True, check=True).stdout.decode()


def statement(tree: str, side: str = "isolated", **changes: Any) -> Statement:
    said = Statement(
        scope_id=SCOPE_ID,
        fixture_digest=scope_digest(good_project(), SCOPE),
        counterexample_sha256=HASH,
        label="fail",
        environment=side,
        fingerprint=fingerprint(side),
        tree=tree,
        replays=3,
    )
    return replace(said, **changes)


def attestation(said: Statement, key: Path, namespace: str | None = None, **changes: Any) -> dict[str, Any]:
    made = Attestation(said, sign(key, said.canonical, namespace or said.namespace))
    return {**made.as_json(), **changes}


def repository(path: Path, keys: Path, policy: str = "isolated", files: dict[str, str] | None = None) -> Repo:
    """A committed project that asks for attestations and has no record yet."""
    project = {name: data for name, data in good_project().items() if name not in BOUND}
    project[CONFIG] = f"policy:\n  attested_labels: {policy}\n".encode()
    project[ALLOWED] = allowed(keys).encode()
    project |= {name: text.encode() for name, text in (files or {}).items()}
    repo = with_files(Repo(path), {name: data for name, data in project.items() if data})
    repo.commit()
    return repo


def bind(repo: Repo, *attestations: dict[str, Any], **changes: Any) -> None:
    """Stage record, case and citation, with these attestations in the record."""
    files = rebind(good_project(), **({"attestations": list(attestations)} if attestations else {}), **changes)
    for path in BOUND:
        repo.write(path, files[path])
    repo.stage_all()


def found(repo: Repo, *args: str) -> list[str]:
    """The rules and messages of what is found, without those of the citation; that must be refused exactly as well."""
    report = repo.check_json(*args)["findings"]
    mine = [row for row in report if row["rule"].startswith("attestation-")]
    assert [(row["path"], row["rule"]) for row in report if row not in mine] == (OPENED if mine else [])
    return [f"{row['rule']}: {row['message']}" for row in mine]


def test_a_signed_label_counts_and_a_typed_one_does_not(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo)
    (said,) = found(repo)
    assert said == "attestation-missing: class_isolated has no attestation, and policy.attested_labels asks for one"
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    assert found(repo) == []
    repo.commit()
    assert found(repo) == [] and found(repo, "--all-files") == [] and found(repo, "--base", "HEAD~1") == []


def test_the_finding_lies_on_the_label_or_the_flawed_value_and_says_how_to_sign(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo)
    row = next(row for row in repo.check_json()["findings"] if row["rule"] == "attestation-missing")
    assert (row["path"], row["line"], row["column"]) == (RECORD, 6, 3)
    assert row["hint"] == f"freezegate bind --scope {SCOPE} --case {COUNTEREXAMPLE} --sign-key isolated=KEY"
    bind(repo, attestation(statement(repo.tree(), replays=2), keys / "isolated"))
    row = next(row for row in repo.check_json()["findings"] if row["rule"] == "attestation-invalid")
    text = (repo.path / RECORD).read_text().splitlines()
    assert '"replays": 2' in text[row["line"] - 1]


def test_under_none_nothing_is_asked_and_garbage_is_not_looked_at(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys, policy="none")
    bind(repo)
    assert found(repo) == []
    bind(repo, {**attestation(statement(repo.tree()), keys / "stranger"), "signature": "garbage"})
    assert found(repo) == []
    assert repo.check(env={"PATH": str(only_git(tmp_path))}).code == 0


def test_both_asks_for_two_signers(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys, policy="both")
    tree = repo.tree()
    isolated = attestation(statement(tree), keys / "isolated")
    local = attestation(statement(tree, "local"), keys / "local")
    bind(repo, local, isolated)
    assert found(repo) == []
    bind(repo, isolated)
    assert found(repo) == [
        "attestation-missing: class_local has no attestation, and policy.attested_labels asks for one"
    ]
    bind(repo)
    assert len(found(repo)) == 2


INVALID: list[tuple[str, Callable[[Path, Repo], dict[str, Any]], str]] = [
    ("the-local-key", lambda keys, repo: attestation(statement(repo.tree()), keys / "local"),
     "its key is not allowed in the namespace freezegate-label-isolated"),
    ("a-strangers-key", lambda keys, repo: attestation(statement(repo.tree()), keys / "stranger"),
     "no allowed signer has its key"),
    ("another-namespace", lambda keys, repo: attestation(statement(repo.tree()), keys / "isolated", "file"),
     "another namespace than freezegate-label-isolated"),
    ("the-namespace-of-local", lambda keys, repo: attestation(
        statement(repo.tree()), keys / "isolated", "freezegate-label-local"), "another namespace"),
    ("the-signature-of-another-statement", lambda keys, repo: attestation(
        statement(repo.tree()), keys / "isolated",
        signature=attestation(statement(repo.tree(), replays=4), keys / "isolated")["signature"]),
     "not one over this statement"),
    ("the-local-signature", lambda keys, repo: attestation(
        statement(repo.tree()), keys / "isolated",
        signature=attestation(statement(repo.tree(), "local"), keys / "local")["signature"]), "another namespace"),
    ("a-principal-that-is-not-its-own", lambda keys, repo: attestation(
        statement(repo.tree()), keys / "isolated", principal="dev@example.org"), "not the principal of its key"),
    ("too-few-replays", lambda keys, repo: attestation(statement(repo.tree(), replays=2), keys / "isolated"),
     "policy asks for 3"),
    ("a-fingerprint-of-another-environment", lambda keys, repo: attestation(
        statement(repo.tree(), fingerprint=fingerprint("local")), keys / "isolated"), "of the environment"),
    ("a-damaged-fingerprint", lambda keys, repo: attestation(
        statement(repo.tree(), fingerprint=fingerprint("isolated").replace("os=x", "os=y")), keys / "isolated"),
     "was changed"),
    ("another-digest", lambda keys, repo: attestation(
        statement(repo.tree(), fixture_digest="a" * 64), keys / "isolated"), "/statement/fixture_digest: is not"),
    ("another-case", lambda keys, repo: attestation(
        statement(repo.tree(), counterexample_sha256="a" * 64), keys / "isolated"), "/statement/counterexample_sha256"),
    ("another-scope", lambda keys, repo: attestation(
        statement(repo.tree(), scope_id="order_total.rounded"), keys / "isolated"), "/statement/scope_id: is not"),
    ("a-tree-of-another-binding", lambda keys, repo: attestation(
        statement(other_tree(repo)), keys / "isolated"), "does not have this binding digest"),
    ("a-tree-without-the-scope", lambda keys, repo: attestation(
        statement(repo.resolve("HEAD:src")), keys / "isolated"), "does not have this binding digest"),
    ("a-blob-for-a-tree", lambda keys, repo: attestation(
        statement(repo.resolve(f"HEAD:{SCOPE}")), keys / "isolated"), "does not have this binding digest"),
    ("an-id-of-another-length", lambda keys, repo: attestation(
        statement("a" * 64), keys / "isolated"), "does not have this binding digest"),
]  # fmt: skip


def other_tree(repo: Repo) -> str:
    """A tree in which the generator is another one."""
    before = (repo.path / "tests/fixtures/gen_orders.py").read_bytes()
    repo.write("tests/fixtures/gen_orders.py", before + b"# other\n")
    repo.add("tests/fixtures/gen_orders.py")
    tree = repo.git("write-tree").decode().strip()
    repo.write("tests/fixtures/gen_orders.py", before)
    repo.add("tests/fixtures/gen_orders.py")
    return tree


@pytest.mark.parametrize(("make", "why"), [row[1:] for row in INVALID], ids=[row[0] for row in INVALID])
def test_what_is_not_the_statement_of_an_allowed_signer_is_absent(
    tmp_path: Path, keys: Path, make: Callable[[Path, Repo], dict[str, Any]], why: str
) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo, make(keys, repo))
    (said,) = found(repo)
    assert said.startswith("attestation-invalid: class_isolated is not attested: ") and why in said
    bind(repo, make(keys, repo), attestation(statement(repo.tree()), keys / "isolated"))
    assert found(repo) == []  # earlier attempts are kept, and one that counts is enough


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scope_id", "order_total.rounded"),
        ("fixture_digest", "a" * 64),
        ("counterexample_sha256", "a" * 64),
        ("fingerprint", fingerprint("isolated").replace("machine=i", "machine=j")),
        ("fingerprint", "somewhere"),
        ("tree", "a" * 40),
        ("replays", 4),
        ("environment", "isolated2"),
    ],
)
def test_a_statement_that_was_edited_after_it_was_signed_is_absent(
    tmp_path: Path, keys: Path, field: str, value: Any
) -> None:
    repo = repository(tmp_path / "repo", keys)
    made = attestation(statement(repo.tree()), keys / "isolated")
    made["statement"][field] = value
    bind(repo, made)
    (said,) = found(repo)
    assert said.startswith("attestation-missing" if field == "environment" else "attestation-invalid")


@pytest.mark.parametrize("field", ["environment", "fingerprint", "tree", "replays"])
def test_a_statement_is_that_of_the_records_own_evaluation(tmp_path: Path, keys: Path, field: str) -> None:
    repo = repository(tmp_path / "repo", keys)
    tree = repo.tree()

    def seen(side: str, **changes: Any) -> dict[str, Any]:
        return {
            **{"environment": side, "fingerprint": fingerprint(side), "tree": tree, "counterexample_sha256": HASH},
            **{"replays": 3, "failed": 3, "regenerated": None, **changes},
        }

    made = attestation(statement(tree), keys / "isolated")
    bind(repo, made, evaluations={"local": seen("local"), "isolated": seen("isolated")})
    assert found(repo) == []
    other = {"environment": "x", "fingerprint": "x", "tree": "a" * 40, "replays": 4}[field]
    changed = {field: other, **({"failed": 4} if field == "replays" else {})}
    bind(repo, made, evaluations={"local": seen("local"), "isolated": seen("isolated", **changed)})
    said = [row["message"] for row in repo.check_json()["findings"] if row["rule"] == "attestation-invalid"]
    assert said == [f"class_isolated is not attested: /statement/{field}: is not that of /evaluations/isolated"]


def test_a_tree_that_the_repository_no_longer_has_is_the_signers_word(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo, attestation(statement("a" * 40), keys / "isolated"))
    assert found(repo) == []


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("{0}ci@example.org {2}\n", "both labels are signed with one key"),
        ("dev@example.org {1}\ndev@example.org {2}\n", "both labels are signed by dev@example.org"),
        ("dev@example.org {1}\nci@example.org,dev@example.org {2}\n", "both labels are signed by dev@example.org"),
        ("*@example.org {1}\nci@example.org {2}\n", "patterns do not say who signed"),
    ],
)
def test_one_signer_for_both_labels_is_refused(tmp_path: Path, keys: Path, lines: str, why: str) -> None:
    one_key = "{0}" in lines
    text = lines.format("", public(keys, "local"), public(keys, "isolated"))
    repo = repository(tmp_path / "repo", keys, policy="both", files={ALLOWED: text})
    tree = repo.tree()
    local = attestation(statement(tree, "local"), keys / ("isolated" if one_key else "local"))
    bind(repo, local, attestation(statement(tree), keys / "isolated"))
    (said,) = found(repo)
    assert why in said
    # where policy asks for the isolated one alone, a local one that counts has to be another's all the same
    isolated_only = repository(tmp_path / "again", keys, files={ALLOWED: text})
    bind(isolated_only, local, attestation(statement(tree), keys / "isolated"))
    assert bool(found(isolated_only)) is ("*" not in lines)


def test_one_fingerprint_for_both_labels_is_refused(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys, policy="both")
    said = [statement(repo.tree(), side, fingerprint="here") for side in ("local", "isolated")]
    bind(repo, *(attestation(each, keys / each.environment) for each in said))
    (message,) = found(repo)
    assert "one fingerprint" in message


def test_a_revoked_key_is_refused(tmp_path: Path, keys: Path) -> None:
    revoked = {REVOKED: f"{public(keys, 'stranger')}\n{public(keys, 'isolated')}\n"}
    repo = repository(tmp_path / "repo", keys, files=revoked)
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    (said,) = found(repo)
    assert "revoked" in said
    other = repository(tmp_path / "other", keys, files={REVOKED: f"{public(keys, 'stranger')}\n"})
    bind(other, attestation(statement(other.tree()), keys / "isolated"))
    assert found(other) == []


def test_a_list_of_revoked_keys_that_cannot_be_read_revokes_all(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys, files={REVOKED: "no key at all\n"})
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    assert len(found(repo)) == 1


@pytest.mark.parametrize(
    ("validity", "why"),
    [
        ('valid-before="20200101"', "valid-before"),
        ('valid-after="29990101"', "valid-after"),
        ('valid-after="20200101",valid-before="29990101"', None),
    ],
)
def test_the_validity_of_a_key_is_that_of_the_checkers_day(
    tmp_path: Path, keys: Path, validity: str, why: str | None
) -> None:
    repo = repository(tmp_path / "repo", keys, files={ALLOWED: allowed(keys, options=f",{validity}")})
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    said = found(repo)
    assert (why is None) is (said == []) and all(str(why) in each for each in said)


def test_the_committers_day_makes_no_expired_key_valid(tmp_path: Path, keys: Path) -> None:
    """A commit's date is the committer's to choose: the clock of who checks counts, on a server too."""
    server = pushing.Server(tmp_path / "server.git")
    files = {ALLOWED: allowed(keys, options=',valid-before="20231201"')}
    repo = repository(tmp_path / "repo", keys, files=files)  # commits of the tests are of November 2023
    repo.git("remote", "add", "origin", server.repo.path.resolve().as_uri())
    assert pushing.push(repo, "main").code == 0
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    repo.commit()
    done = pushing.push(repo, "main")
    assert done.code != 0 and "attestation-invalid" in done.err and "valid-before" in done.err


def test_signers_that_the_change_brings_do_not_count(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    repo.write(ALLOWED, allowed(keys) + f"me@example.org {public(keys, 'stranger')}\n")
    bind(repo, attestation(statement(repo.tree()), keys / "stranger"))
    assert {rule for _, rule in repo.rules()} == {"attestation-invalid", "citation-open-record", "gate-mixed"}
    assert (ALLOWED, "gate-mixed") in repo.rules()
    # in two commits of one branch it is the base's that counts
    for path in BOUND:
        repo.remove(path)
    repo.stage_all()
    assert repo.rules() == []
    repo.commit()
    bind(repo, attestation(statement(repo.tree()), keys / "stranger"))
    assert found(repo) == []
    repo.commit()
    assert [rule for _, rule in repo.rules("--base", "HEAD~1")] == []
    assert {rule for _, rule in repo.rules("--base", "HEAD~2")} >= {"attestation-invalid", "gate-mixed"}


def test_signers_of_the_working_tree_do_not_count(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo, attestation(statement(repo.tree()), keys / "stranger"))
    repo.write(ALLOWED, f"me@example.org {public(keys, 'stranger')}\n")  # not staged
    (said,) = found(repo)
    assert "no allowed signer" in said


@pytest.mark.parametrize("text", ["", "# nobody\n", "not a line of signers\n", "\0\1\2", "x" * (1 << 20) + "x"])
def test_signers_that_name_nobody_allow_nobody(tmp_path: Path, keys: Path, text: str) -> None:
    repo = repository(tmp_path / "repo", keys, files={ALLOWED: text})
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    assert len(found(repo)) == 1


@pytest.mark.parametrize("path", [ALLOWED, REVOKED])
def test_a_link_in_their_place_allows_nobody(tmp_path: Path, keys: Path, path: str) -> None:
    repo = repository(tmp_path / "repo", keys)
    outside = tmp_path / "signers"
    outside.write_text(allowed(keys))
    repo.link(path, str(outside))
    repo.commit_all()
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    (said,) = found(repo)
    assert f"{path} is no regular file" in said


@pytest.mark.parametrize("policy", ["none", "isolated", "both"])
@pytest.mark.parametrize("side", ["local", "isolated"])
def test_attempts_that_disagree_are_unstable_whoever_signed_them(
    tmp_path: Path, keys: Path, policy: str, side: str
) -> None:
    repo = repository(tmp_path / "repo", keys, policy=policy)
    tree = repo.tree()
    good = [attestation(statement(tree, each), keys / each) for each in ("local", "isolated")]
    bind(repo, *good)
    assert found(repo) == []
    passed = attestation(statement(tree, side, label="pass", replays=9), keys / "stranger")
    bind(repo, *good, passed)
    (said,) = found(repo)
    assert said == f"attestation-invalid: class_{side} is unstable: another attempt at the same case gave pass"
    other = attestation(statement(tree, side, label="pass", counterexample_sha256="a" * 64), keys / "stranger")
    bind(repo, *good, other)
    assert found(repo) == []  # about another case it says nothing


HOSTILE_TEXTS = ["x", "-----BEGIN SSH SIGNATURE-----\n", "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n",
                 "-f/etc/passwd", "é" * 9000, "\t\n" * 500]  # fmt: skip


@pytest.mark.parametrize("signature", HOSTILE_TEXTS)
def test_garbage_for_a_signature_is_absent(tmp_path: Path, keys: Path, signature: str) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo, attestation(statement(repo.tree()), keys / "isolated", signature=signature))
    (said,) = found(repo)
    assert "not one over this statement" in said


@pytest.mark.parametrize(
    "attestations",
    [
        "x",
        None,
        [None],
        [{}],
        [{"statement": {}, "signature": "x"}],
        [{"statement": statement("a" * 40).as_json(), "signature": "x" * 20_001}],
        [{"statement": statement("a" * 40).as_json(), "signature": "x"}] * (MOST_ATTESTATIONS + 1),
        [{"statement": {**statement("a" * 40).as_json(), "environment": "-n"}, "signature": "x"}],
        [{"statement": {**statement("a" * 40).as_json(), "environment": "a b"}, "signature": "x"}],
        [{"statement": {**statement("a" * 40).as_json(), "replays": True}, "signature": "x"}],
        [{"statement": {**statement("a" * 40).as_json(), "more": 1}, "signature": "x"}],
        [{"statement": statement("a" * 40).as_json(), "signature": "x", "principal": "-Ofoo"}],
        [{"statement": statement("a" * 40).as_json(), "signature": "x", "principal": "*"}],
        [{"statement": statement("a" * 40).as_json(), "signature": "x", "principal": "../../x"}],
        [{"statement": statement("a" * 40).as_json(), "signature": "x", "principal": "a\n"}],
    ],
)
def test_attestations_of_another_form_are_the_schemas_to_refuse(tmp_path: Path, keys: Path, attestations: Any) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo, attestations=attestations)
    assert sorted({rule for _, rule in repo.rules()}) == ["citation-open-record", "record-schema"]


@pytest.mark.parametrize("principal", ["-Overify-time=19700101", "-", "--", "a b", "!x", "?@x", "../x", "$(touch x)"])
def test_a_principal_is_never_an_option_or_a_pattern(tmp_path: Path, keys: Path, principal: str) -> None:
    """Whoever may write the allowed signers may write such names; they match nobody."""
    text = f'"{principal}" {public(keys, "isolated")}\n'
    repo = repository(tmp_path / "repo", keys, files={ALLOWED: text})
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    assert len(found(repo)) == 1
    assert not (repo.path / "x").exists()


def test_many_attempts_are_judged_in_time_and_few_are_named(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    made = attestation(statement(repo.tree()), keys / "stranger")
    bind(repo, *[{**made, "signature": made["signature"] + "\n" * index} for index in range(MOST_ATTESTATIONS)])
    assert len(found(repo, "--time-limit", "60")) == 3


def only_git(tmp_path: Path) -> Path:
    """A folder for the PATH in which nothing is but git."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    if not (folder / "git").is_symlink():
        (folder / "git").symlink_to(str(which("git")))
    return folder


def test_without_ssh_keygen_nothing_is_judged(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    done = repo.check(env={"PATH": str(only_git(tmp_path))})
    assert done.code == 2 and "ssh-keygen" in done.err and "install OpenSSH" in done.err


def test_a_program_of_the_tree_is_never_run(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo, attestation(statement(repo.tree()), keys / "stranger"))
    repo.write("ssh-keygen", f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 0\n", 0o755)
    for path in (f".:{only_git(tmp_path)}", f":{only_git(tmp_path)}"):
        done = repo.check(env={"PATH": path})
        assert done.code == 2, done.out + done.err
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("script", ["exit 0", "exit 1", "kill -9 $$", "echo 'usage: ssh-keygen' >&2; exit 1", "yes | head -c 3000000"])  # fmt: skip
def test_an_ssh_keygen_that_does_not_know_the_question_lets_nothing_pass(
    tmp_path: Path, keys: Path, script: str
) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    folder = only_git(tmp_path)
    (folder / "ssh-keygen").write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")
    (folder / "ssh-keygen").chmod(0o755)
    done = repo.check(env={"PATH": str(folder)})
    assert done.code in (1, 2) and "Traceback" not in done.err


def test_a_time_limit_holds_while_ssh_keygen_does_not_answer(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    folder = only_git(tmp_path)
    (folder / "ssh-keygen").write_text("#!/bin/sh\nexec /bin/sleep 50\n")
    (folder / "ssh-keygen").chmod(0o755)
    done = repo.check("--time-limit", "1", env={"PATH": str(folder)})
    assert done.code == 2 and "time" in done.err


def test_a_push_is_held_to_the_signers_of_the_default_branch(tmp_path: Path, keys: Path) -> None:
    server = pushing.Server(tmp_path / "server.git")
    repo = repository(tmp_path / "repo", keys)
    repo.git("remote", "add", "origin", server.repo.path.resolve().as_uri())
    assert pushing.push(repo, "main").code == 0
    start = repo.head()

    bind(repo)
    repo.commit()
    typed = pushing.push(repo, "main")
    assert typed.code != 0 and "attestation-missing" in typed.err and server.tip() == start

    repo.git("reset", "-q", "--hard", start)
    repo.write(ALLOWED, f"me@example.org {public(keys, 'stranger')}\n")
    repo.commit_all()
    bind(repo, attestation(statement(repo.tree()), keys / "stranger"))
    repo.commit()
    for ref in ("main", "main:refs/heads/other"):
        own = pushing.push(repo, ref)
        assert own.code != 0 and "attestation-invalid" in own.err and server.tip() == start

    repo.git("reset", "-q", "--hard", start)
    bind(repo, attestation(statement(repo.tree()), keys / "isolated"))
    repo.commit()
    done = pushing.push(repo, "main")
    assert done.code == 0, done.err
    assert server.tip() == repo.head()


def test_allowed_signers_and_revoked_keys_are_the_gates_own(tmp_path: Path, keys: Path) -> None:
    for number, path in enumerate((ALLOWED, REVOKED)):
        repo = repository(tmp_path / f"repo{number}", keys)
        repo.write(path, f"x {public(keys, 'stranger')}\n")
        repo.stage_all()
        assert repo.rules() == []
        scope = (repo.path / SCOPE).read_bytes()
        repo.write(SCOPE, scope + b"# a note\n")
        repo.stage_all()
        assert repo.rules() == [(path, "gate-mixed")]
        repo.write(SCOPE, scope)
        repo.write("src/more.py", "X = 1\n")
        repo.stage_all()
        assert repo.rules() == []
    repo.commit()
    repo.remove(".freezegate")
    repo.write(SCOPE, scope + b"# a note\n")
    repo.stage_all()
    assert (ALLOWED, "gate-mixed") in repo.rules()


def test_what_is_signed_is_canonical_json() -> None:
    for said in (statement("a" * 40), statement("a" * 40, fingerprint='é "\\\u0007\U0001f600/\u2028', replays=10**30)):
        assert said.canonical == canonical(said.as_json())


def run(repo: Repo, *args: str) -> Completed:
    """What a command does, whether or not the catalog lists `attest`."""
    program = (
        "import sys; from freezegate.cli import catalogue, main; catalogue.MODULES.setdefault('attest', 'attest'); "
        "sys.exit(main.main())"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program, *args], cwd=repo.path, capture_output=True, text=True,
        env=environment(), check=False,
    )  # fmt: skip
    return Completed(done.returncode, done.stdout, done.stderr)


def test_an_export_is_an_in_toto_statement_whose_signatures_ssh_keygen_checks(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    made = attestation(statement(repo.tree()), keys / "isolated")
    stale = attestation(statement(repo.tree(), fixture_digest="a" * 64), keys / "isolated")
    bind(repo, stale, made)
    done = run(repo, "attest", "export", SCOPE_ID)
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": COUNTEREXAMPLE, "digest": {"sha256": HASH}}],
        "predicateType": "https://freezegate.dev/label/v1",
        "predicate": {"attestations": [{**made, "namespace": "freezegate-label-isolated"}]},
    }
    (tmp_path / "signature").write_text(document["predicate"]["attestations"][0]["signature"])
    command = ["ssh-keygen", "-Y", "verify", "-f", repo.at(ALLOWED), "-I", "ci@example.org"]
    command += ["-n", "freezegate-label-isolated", "-s", tmp_path / "signature"]
    message = canonical(document["predicate"]["attestations"][0]["statement"])
    assert subprocess.run(command, input=message, capture_output=True, check=False).returncode == 0
    assert run(repo, "attest", "export", SCOPE_ID, "--out", "x.json").code == 0
    assert json.loads((repo.path / "x.json").read_text()) == document


@pytest.mark.parametrize(("scope_id", "code"), [(SCOPE_ID, 1), ("no.such", 1), ("../x", 2), ("--x", 2)])
def test_nothing_to_export_is_refused(tmp_path: Path, keys: Path, scope_id: str, code: int) -> None:
    repo = repository(tmp_path / "repo", keys)
    bind(repo)
    done = run(repo, "attest", "export", "--", scope_id)
    assert done.code == code and not done.out and "Traceback" not in done.err


def test_attestations_of_another_machine_are_taken_into_the_record(tmp_path: Path, keys: Path) -> None:
    repo = repository(tmp_path / "repo", keys)
    tree = repo.tree()
    seen = {
        side: {"environment": side, "fingerprint": f"{side} here", "tree": tree, "counterexample_sha256": HASH,
               "replays": 3, "failed": 3, "regenerated": True}
        for side in ("local", "isolated")
    }  # fmt: skip
    bind(repo, evaluations=seen)
    brought = tmp_path / "brought.json"
    brought.write_bytes(as_json([attestation(statement(tree), keys / "isolated")]))
    done = run(repo, "attest", "add", SCOPE_ID, str(brought))
    assert done.code == 0 and f"git add -- {RECORD}" in done.out, done.err
    once = repo.at(RECORD).read_bytes()
    assert run(repo, "attest", "add", SCOPE_ID, str(brought)).code == 0 and repo.at(RECORD).read_bytes() == once
    repo.stage_all()
    assert found(repo) == []
    record = read_record(once).document
    assert record is not None and record.evaluations is not None
    assert record.evaluations.isolated.fingerprint == fingerprint("isolated")
    assert record.evaluations.isolated.regenerated is None and record.evaluations.local.regenerated is True

    for refused in (statement("b" * 40), statement(tree, counterexample_sha256="b" * 64)):
        brought.write_bytes(as_json([attestation(refused, keys / "isolated")]))
        assert run(repo, "attest", "add", SCOPE_ID, str(brought)).code == 1
        assert repo.at(RECORD).read_bytes() == once
    for garbage in (b"", b"{}", b"[1]", b"\xff", b"[" * 5000):
        brought.write_bytes(garbage)
        done = run(repo, "attest", "add", SCOPE_ID, str(brought))
        assert done.code == 2 and "Traceback" not in done.err, done.err
        assert repo.at(RECORD).read_bytes() == once


def runnable(path: Path, keys: Path) -> Repo:
    """The project with its bug really in it, the case retained and committed, no record."""
    repo = repository(path, keys, policy="both", files={"requirements.txt": "\n"})
    repo.write(COUNTEREXAMPLE, good_project()[COUNTEREXAMPLE])
    repo.commit_all()
    return repo


def test_classify_signs_in_the_parent_and_bind_keeps_every_attempt(tmp_path: Path, keys: Path) -> None:
    repo = runnable(tmp_path / "repo", keys)
    scope = ("--scope", SCOPE_ID, "--python", sys.executable)
    local = (*scope, "--environment", "local", "--sign-key")
    out = tmp_path / "out.json"
    done = run(repo, "classify", *local, str(keys / "local"), "--out", str(out))
    assert done.code == 0, done.err + done.out
    (signed,) = json.loads(out.read_bytes())
    assert signed["statement"] == {
        **statement(repo.tree(), "local").as_json(), "fingerprint": signed["statement"]["fingerprint"]
    }  # fmt: skip
    printed = run(repo, "classify", *local, f"local={keys / 'local'}")
    assert json.loads(printed.out) == [signed] and "local: fail" in printed.err

    done = run(repo, "classify", *local, str(tmp_path / "no-key"))
    assert done.code == 2 and "no key file" in done.err
    (tmp_path / "no-key").write_text("no key")
    done = run(repo, "classify", *local, str(tmp_path / "no-key"))
    assert done.code == 2 and "did not sign" in done.err and "Traceback" not in done.err
    assert run(repo, "classify", *scope, "--out", str(out)).code == 2


@pytest.mark.slow
def test_bind_signs_both_labels_and_the_hooks_take_the_record(tmp_path: Path, keys: Path) -> None:
    repo = runnable(tmp_path / "repo", keys)
    repo.remove(COUNTEREXAMPLE)
    repo.commit_all()
    assert run(repo, "property-run", "--scope", SCOPE_ID, "--python", sys.executable).code == 1
    repo.commit_all()
    words = ("bind", "--scope", SCOPE_ID, "--case", COUNTEREXAMPLE, "--python", sys.executable)
    signing = ("--sign-key", f"local={keys / 'local'}", "--sign-key", f"isolated={keys / 'isolated'}")
    done = run(repo, *words, *signing)
    assert done.code == 0, done.err
    repo.stage_all()
    assert repo.rules() == []
    first = json.loads(repo.at(RECORD).read_bytes())
    assert [each["statement"]["environment"] for each in first["attestations"]] == ["local", "isolated"]
    repo.commit()
    repo.write("docs/note.md", "One more commit.\n")
    repo.commit_all()
    assert run(repo, *words, *signing).code == 0
    again = json.loads(repo.at(RECORD).read_bytes())
    assert again["attestations"][:2] == first["attestations"] and len(again["attestations"]) == 4
    repo.stage_all()
    assert repo.rules() == []

    case = again["counterexample_sha256"]
    passed = attestation(statement(repo.tree(), label="pass", counterexample_sha256=case), keys / "stranger")
    repo.write(RECORD, as_json({**again, "attestations": [*again["attestations"], passed]}))
    done = run(repo, *words, *signing)
    assert done.code == 1 and "unstable" in done.err

"""Hook binding-record: a record is closed over a counterexample that is really there, or it does not get in."""

from __future__ import annotations

from collections.abc import Iterator

from freezegate.documents.config import Policy
from freezegate.documents.domain import outside
from freezegate.documents.record import Evaluation, Evaluations
from freezegate.findings import Finding
from freezegate.fingerprints import is_damaged, names_host, other_host, parts_of
from freezegate.gate.bindings import Binding
from freezegate.gate.commands import unstage
from freezegate.gate.registry import rule
from freezegate.gate.saying import at, refused
from freezegate.text import quoted

HOOK = "binding-record"


@rule(
    HOOK,
    "binding",
    rejects="a record that the strict loader refuses",
    protects="A reviewer and the gate must read the same values.",
    mend="Bind again: the record is written by a command, not by hand.",
    accepted='{"scope_id": "a.b", ...}',
    rejected='{"class_local": "pass", "class_local": "fail", ...}',
)
def record_unreadable(binding: Binding) -> Iterator[Finding]:
    """Each reason of the strict loader."""
    if binding.record is not None and binding.record.reading.problems:
        yield from refused(
            "record-unreadable",
            "unreadable",
            binding.record.path,
            binding.record.reading,
            binding.bind_command,
        )


@rule(
    HOOK,
    "binding",
    rejects="a record that its schema refuses",
    protects="A field that is missing or misspelled binds nothing.",
    mend="Bind again: the record is written by a command, not by hand.",
    accepted='"class_local": "fail"',
    rejected='"class_local": "failed"',
)
def record_schema(binding: Binding) -> Iterator[Finding]:
    """Each violation."""
    if binding.record is not None and binding.record.reading.problems:
        yield from refused("record-schema", "schema", binding.record.path, binding.record.reading, binding.bind_command)


@rule(
    HOOK,
    "binding",
    rejects="a record whose file name and scope_id differ",
    protects="A record is found by its name; another id inside would excuse another scope.",
    mend="Name the file after the scope_id inside, or bind again.",
    accepted="order_total.non_negative.json with scope_id order_total.non_negative",
    rejected="order_total.non_negative.json with scope_id order_total.rounded",
)
def record_name(binding: Binding) -> Iterator[Finding]:
    """The two ids, on the record."""
    if binding.record is not None and binding.stated is not None and binding.stated.scope_id != binding.scope_id:
        message = f'the file is named for "{binding.scope_id}", its scope_id is {binding.stated.scope_id}'
        path = binding.record.path
        right = binding.tree.record_path(binding.stated.scope_id)
        yield at("record-name", binding.record, ("scope_id",), message, f"git mv -- {path.shell} {right.shell}")


@rule(
    HOOK,
    "binding",
    rejects="a record whose id no scope has, or whose `scope` is not that scope's path",
    protects="Evidence belongs to a scope that is there to be read.",
    mend="Retire the freeze, or bring the scope back.",
    accepted="a record and the scope with its id",
    rejected="a record whose scope was deleted",
)
def record_scope_missing(binding: Binding) -> Iterator[Finding]:
    """On the record's scope_id, or its scope."""
    if binding.record is None or binding.stated is None or binding.stated.scope_id != binding.scope_id:
        return
    rule_name, record = "record-scope-missing", binding.record
    if binding.scope is None:
        message = f"no readable scope has the id {binding.scope_id} (one that lost it by mistake gets it back)"
        yield at(rule_name, record, ("scope_id",), message, binding.bind_command)
    elif binding.stated.scope is not None and binding.stated.scope != binding.scope.path.text:
        message = f'/scope: "{binding.stated.scope}" is not the scope\'s path {binding.scope.path}'
        yield at(rule_name, record, ("scope",), message, binding.bind_command)


@rule(
    HOOK,
    "binding",
    rejects="a record with a null hash or label, labels that disagree, or labels that are not fail",
    protects="Only a retained case that two independent evaluations saw fail may ever be cited.",
    mend="Bind the case where it fails in both environments; or retire the record.",
    accepted='"class_local": "fail", "class_isolated": "fail"',
    rejected='"class_isolated": null',
)
def record_open(binding: Binding) -> Iterator[Finding]:
    """On the first field that keeps the record open, all of them named."""
    record, stated = binding.record, binding.stated
    if record is None or stated is None:
        return
    labels = {"class_local": stated.class_local, "class_isolated": stated.class_isolated}
    why = {key: f"{key} is {label or 'null'}, not fail" for key, label in labels.items() if label != "fail"}
    if stated.counterexample_sha256 is None:
        why = {"counterexample_sha256": "counterexample_sha256 is null", **why}
    for key in list(why)[:1]:
        yield at("record-open", record, (key,), "; ".join(why.values()), binding.bind_command)


@rule(
    HOOK,
    "binding",
    rejects="evaluations for another counterexample, of two trees, with equal or edited fingerprints, too few replays, or "
    "replays that disagree with the label; of one machine, or none at all, where policy asks for what only they can show",
    protects="Two labels are two independent observations of exactly this case.",
    mend="Bind again.",
    accepted="two evaluations of one case, with two fingerprints, 3 of 3 replays failed",
    rejected="two evaluations with one fingerprint",
)
def record_evaluations(binding: Binding) -> Iterator[Finding]:
    """Each flaw, on the evaluation that has it."""
    record, stated = binding.record, binding.stated
    if record is None or stated is None:
        return
    rule_name, policy = "record-evaluations", binding.tree.config.policy
    evaluations = stated.evaluations
    if evaluations is None:
        if policy.require_regenerated or policy.isolation == "other_host":
            message = "policy asks for what only evaluations show, and the record has none"
            yield at(rule_name, record, (), message, binding.bind_command)
        return
    sides = (
        ("local", evaluations.local, stated.class_local),
        ("isolated", evaluations.isolated, stated.class_isolated),
    )
    for side, seen, label in sides:
        flaws = []
        # A null hash or label is record-open's to say.
        if stated.counterexample_sha256 not in (None, seen.counterexample_sha256):
            flaws.append(("counterexample_sha256", "is of another counterexample"))
        if seen.replays < policy.replays:
            flaws.append(("replays", f"{seen.replays} replays are too few: policy asks for {policy.replays}"))
        shown = {0: "pass", seen.replays: "fail"}.get(seen.failed)
        if shown is None or label not in (None, shown):
            what = "" if label is None else f", and class_{side} is {label}"
            flaws.append(("failed", f"{seen.failed} of {seen.replays} replays failed{what}"))
        if policy.require_regenerated and seen.regenerated is not True:
            flaws.append(("regenerated", "policy asks for a search that gave the same bytes again"))
        flaws += _mislabelled(seen)
        if seen.tree != evaluations.local.tree:
            flaws.append(("tree", "is not the tree of the local evaluation"))
        for key, flaw in flaws:
            pointer = ("evaluations", side, key)
            yield at(rule_name, record, pointer, f"/{'/'.join(pointer)}: {flaw}", binding.bind_command)
    if (same := _one_place(evaluations, policy)) is not None:
        side, flaw = same
        yield at(rule_name, record, ("evaluations", side, "fingerprint"), flaw, binding.bind_command)


def _mislabelled(seen: Evaluation) -> Iterator[tuple[str, str]]:
    """Where a fingerprint of our own form is not what was written, or is of another environment."""
    if is_damaged(seen.fingerprint):
        yield "fingerprint", "was changed after it was written"
    parts = parts_of(seen.fingerprint)
    if parts is not None and parts["environment"] != seen.environment:
        yield "environment", f"the fingerprint is of the environment {quoted(parts['environment'])}"


def _one_place(evaluations: Evaluations, policy: Policy) -> tuple[str, str] | None:
    """The side on which, and why, the two evaluations do not count as two; None where they do."""
    local, isolated = evaluations.local.fingerprint, evaluations.isolated.fingerprint
    if local == isolated:
        return "isolated", "both evaluations have one fingerprint"
    if policy.isolation != "other_host" or other_host(local, isolated):
        return None
    for side, fingerprint in (("local", local), ("isolated", isolated)):
        if not names_host(fingerprint):
            return side, "policy asks for two machines, and this fingerprint names none"
    return "isolated", "policy asks for two machines, and both evaluations are of one"


@rule(
    HOOK,
    "binding",
    rejects="a label without any attestation, where policy.attested_labels asks for one",
    protects="A label that no signer stands for is a word in a file; the record is open without it.",
    mend="Have the label attested: `freezegate bind --sign-key NAME=KEY`, or add what another machine signed.",
    accepted="attested_labels: isolated, and an attestation of the environment isolated",
    rejected="attested_labels: isolated, and class_isolated: fail typed by hand",
)
def attestation_missing(binding: Binding) -> Iterator[Finding]:
    """On each label that has none."""
    yield from _doubted("attestation-missing", binding)


@rule(
    HOOK,
    "binding",
    rejects="a label whose attestations all fail: another statement, no allowed signer of its namespace on the old side, a key "
    "that is revoked or no longer valid, one signer for both labels; or attempts that disagree (under every policy)",
    protects="Only what a signer of the environment measured on exactly this binding counts, and nothing that is unstable.",
    mend="Attest the label again with a key that .freezegate/allowed_signers of the old side allows for its namespace.",
    accepted="a signature in the namespace freezegate-label-isolated by a signer who is allowed there",
    rejected="a signature in that namespace with the key of the local signer",
)
def attestation_invalid(binding: Binding) -> Iterator[Finding]:
    """On the value of each attestation that keeps it from counting."""
    yield from _doubted("attestation-invalid", binding)


def _doubted(rule_name: str, binding: Binding) -> Iterator[Finding]:
    record = binding.record
    if record is None:
        return
    for doubt in binding.doubts:
        if doubt.rule == rule_name:
            bind, note, rest = binding.bind_command.partition("  #")
            hint = f"{bind} --sign-key {doubt.side}=KEY{note}{rest}"
            # Attempts are kept, so another one does not settle what they disagree about.
            can_bind = bind.startswith("freezegate bind") and not doubt.unstable
            yield at(rule_name, record, doubt.pointer, doubt.message, hint if can_bind else binding.retire_command)


@rule(
    HOOK,
    "binding",
    rejects="a record without its counterexample's file, or whose `counterexample` is not that file's path",
    protects="The failing input itself is the evidence; a hash of something absent is none.",
    mend="Add the retained case, or retire the record.",
    accepted="order_total.non_negative.json beside order_total.non_negative.cex.json",
    rejected="order_total.non_negative.json alone",
)
def counterexample_missing(binding: Binding) -> Iterator[Finding]:
    """On the record's hash, or its counterexample."""
    record, stated = binding.record, binding.stated
    if record is None or stated is None or stated.scope_id != binding.scope_id:
        return
    path = binding.tree.case_path(binding.scope_id)
    entry = binding.tree.entry(path)
    if stated.counterexample_sha256 is not None and (entry is None or not entry.is_file):
        message = f"there is no regular file {path}"
        yield at("counterexample-missing", record, ("counterexample_sha256",), message, binding.retire_command)
    elif stated.counterexample is not None and stated.counterexample != path.text:
        message = f'/counterexample: "{stated.counterexample}" is not {path}'
        yield at("counterexample-missing", record, ("counterexample",), message, binding.bind_command)


@rule(
    HOOK,
    "binding",
    rejects="a counterexample that the strict loader refuses",
    protects="Every reader must see one and the same input.",
    mend="Retain the case again.",
    accepted='{"input": {"qty": 3}, ...}',
    rejected='{"input": {"qty": 3, "qty": 4}, ...}',
)
def counterexample_unreadable(binding: Binding) -> Iterator[Finding]:
    """Each reason of the strict loader."""
    if binding.case is not None and binding.case.reading.problems:
        hint = f"retain the case again, or: {unstage(binding.case.path)}"
        yield from refused("counterexample-unreadable", "unreadable", binding.case.path, binding.case.reading, hint)


@rule(
    HOOK,
    "binding",
    rejects="a counterexample that its schema refuses",
    protects="A case says which scope it is of, how it was found, and that it failed.",
    mend="Retain the case again.",
    accepted='"predicate_result": "fail"',
    rejected='"predicate_result": "pass"',
)
def counterexample_schema(binding: Binding) -> Iterator[Finding]:
    """Each violation."""
    if binding.case is not None and binding.case.reading.problems:
        hint = f"retain the case again, or: {unstage(binding.case.path)}"
        yield from refused("counterexample-schema", "schema", binding.case.path, binding.case.reading, hint)


@rule(
    HOOK,
    "binding",
    rejects="a counterexample whose file name and scope_id differ",
    protects="A case of one scope is no evidence for another.",
    mend="Retain a case of this scope.",
    accepted="order_total.non_negative.cex.json with scope_id order_total.non_negative",
    rejected="order_total.non_negative.cex.json with scope_id order_total.rounded",
)
def counterexample_scope(binding: Binding) -> Iterator[Finding]:
    """The two ids, on the counterexample."""
    case = binding.case
    if case is not None and case.value is not None and case.value.scope_id != binding.scope_id:
        message = f'the file is named for "{binding.scope_id}", its scope_id is {case.value.scope_id}'
        right = binding.tree.case_path(case.value.scope_id)
        hint = f"git mv -- {case.path.shell} {right.shell}"
        yield at("counterexample-scope", case, ("scope_id",), message, hint)


@rule(
    HOOK,
    "binding",
    rejects="a record whose counterexample_sha256 is not the hash of the counterexample's bytes",
    protects="The labels describe exactly the retained bytes.",
    mend="Bind the case that is there.",
    accepted="the SHA-256 of the staged counterexample",
    rejected="the SHA-256 of the counterexample before it was edited",
)
def counterexample_mismatch(binding: Binding) -> Iterator[Finding]:
    """The stated and the real hash, on the record."""
    record, stated, real = binding.record, binding.stated, binding.case_sha256
    if record is None or stated is None or stated.scope_id != binding.scope_id or real is None:
        return
    if stated.counterexample_sha256 not in (None, real):
        message = f"the record says {stated.counterexample_sha256}, the file has {real}"
        yield at("counterexample-mismatch", record, ("counterexample_sha256",), message, binding.bind_command)


@rule(
    HOOK,
    "binding",
    rejects="a counterexample with a declared domain field that is absent or outside the domain",
    protects="A failure outside the declared domain says nothing about the property.",
    mend="Retain a case inside the domain, or declare the domain that is meant.",
    accepted='"qty": 3 for {min: 1, max: 20}',
    rejected='"qty": 0 for {min: 1, max: 20}',
)
def counterexample_out_of_domain(binding: Binding) -> Iterator[Finding]:
    """Each field, on the counterexample."""
    case, scope = binding.case, binding.scope
    if case is None or case.value is None or scope is None or scope.value is None:
        return
    if case.value.scope_id != binding.scope_id:
        return
    for pointer, why in outside(scope.value.domain, case.value.input):
        message = f"/{'/'.join(map(str, ('input', *pointer)))}: {why}"
        hint = f"retain a case inside the domain that {scope.path} declares"
        yield at("counterexample-out-of-domain", case, ("input", *pointer), message, hint)

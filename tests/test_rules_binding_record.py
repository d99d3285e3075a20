"""Hook binding-record: each rule, accepted and rejected."""

from __future__ import annotations

import hashlib
from typing import Any

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, good_project, scope_digest
from freezegate.fingerprints import KEYS, written
from memory import Link
from rule_tables import (
    Edit,
    Row,
    accept,
    append,
    assert_complete,
    drop,
    fields,
    judge,
    move,
    put,
    rebound,
    reject,
    rows,
    swap,
)

UNCITED = drop(CITATION)
REOPENED = ("citation-open-record",)
BIND = f"freezegate bind --scope {SCOPE} --case {COUNTEREXAMPLE}"
RETIRE = f"freezegate retire {SCOPE_ID}"
OTHER = "order_total.rounded"
OTHER_RECORD = f"tests/bindings/{OTHER}.json"
OTHER_CASE = f"tests/bindings/{OTHER}.cex.json"
HASH = hashlib.sha256(good_project()[COUNTEREXAMPLE]).hexdigest()


def evaluation(fingerprint: str = "one", **changes: Any) -> dict[str, Any]:
    return {
        "environment": "local",
        "fingerprint": fingerprint,
        "tree": "a" * 40,
        "counterexample_sha256": HASH,
        "replays": 3,
        "failed": 3,
        "regenerated": True,
        **changes,
    }


def evaluated(local: dict[str, Any] | None = None, isolated: dict[str, Any] | None = None, **changes: Any) -> Edit:
    sides = {"local": evaluation(**(local or {})), "isolated": evaluation(**{"fingerprint": "two", **(isolated or {})})}
    return fields(RECORD, evaluations=sides, **changes)


def case_input(**changes: Any) -> Edit:
    given = {"currency": "USD", "qty": 1, "unit_cents": -1, **changes}
    return fields(COUNTEREXAMPLE, input={key: value for key, value in given.items() if value is not ...})


RECORDS: list[Row] = [
    accept("record-unreadable", "crlf", put(RECORD, good_project()[RECORD].replace(b"\n", b"\r\n"))),
    accept("record-unreadable", "stays-unreadable", append(SCOPE, ""), before=(UNCITED, put(RECORD, "{"))),
    reject("record-unreadable", "duplicate-label", swap(RECORD, '"class_local"', '"class_local": "pass", "class_local"'),
           at=f"{RECORD}:5:26", says='"class_local"', hint=BIND, also=REOPENED),
    reject("record-unreadable", "empty", put(RECORD, ""), at=f"{RECORD}:1:1", says="not JSON", hint=BIND,
           before=(UNCITED,)),
    accept("record-schema", "paths", fields(RECORD, scope=SCOPE, counterexample=COUNTEREXAMPLE)),
    reject("record-schema", "label-word", fields(RECORD, class_local="failed"),
           at=f"{RECORD}:5:3", says="/class_local", hint=BIND, also=REOPENED),
    reject("record-schema", "missing-and-unknown", fields(RECORD, class_local=..., when="today"),
           at=(f"{RECORD}:1:1", f"{RECORD}:6:3"), says="class_local", hint=BIND, before=(UNCITED,)),
    accept("record-name", "renamed-with-its-scope", swap(SCOPE, SCOPE_ID, OTHER), move(RECORD, OTHER_RECORD),
           move(COUNTEREXAMPLE, OTHER_CASE), swap(OTHER_CASE, SCOPE_ID, OTHER), rebound(),
           also=("property-removed",), before=(UNCITED,)),
    reject("record-name", "another-id-inside", fields(RECORD, scope_id=OTHER), at=f"{RECORD}:2:3",
           says=f'"{SCOPE_ID}", its scope_id is {OTHER}', hint=f"git mv -- {RECORD} {OTHER_RECORD}",
           before=(UNCITED,)),
    reject("record-name", "no-id-at-all", move(RECORD, "tests/bindings/Order.json"), at="tests/bindings/Order.json:2:3",
           says=f'"Order", its scope_id is {SCOPE_ID}', hint=f"git mv -- tests/bindings/Order.json {RECORD}",
           before=(UNCITED,)),
    accept("record-scope-missing", "its-path", fields(RECORD, scope=SCOPE)),
    reject("record-scope-missing", "no-scope", put(OTHER_RECORD, good_project()[RECORD].replace(b"non_negative",
           b"rounded")), put(OTHER_CASE, good_project()[COUNTEREXAMPLE].replace(b"non_negative", b"rounded")),
           at=f"{OTHER_RECORD}:2:3", says=f"no readable scope has the id {OTHER}", hint=f"freezegate retire {OTHER}",
           also=("counterexample-mismatch",)),
    reject("record-scope-missing", "unreadable-scope", append(SCOPE, "x: [\n"), at=f"{RECORD}:2:3",
           says="no readable scope", hint=f"mend {SCOPE}", also=("scope-unreadable", "property-removed"),
           before=(UNCITED,)),
    reject("record-scope-missing", "another-path", fields(RECORD, scope="tests/properties/x.scope.yaml"),
           at=f"{RECORD}:7:3", says="/scope", hint=BIND),
]  # fmt: skip

OPEN: list[Row] = [
    accept("record-open", "two-labels-fail", fields(RECORD, class_local="fail")),
    accept("record-open", "taken-away", drop(RECORD, CITATION)),
    *[
        reject("record-open", name, fields(RECORD, **changes), at=f"{RECORD}:{at}:3", says=says, before=(UNCITED,),
               hint=RETIRE if name == "labels-pass" else BIND)
        for name, changes, at, says in (
            ("null-hash", {"counterexample_sha256": None}, 4, "counterexample_sha256 is null"),
            ("null-label", {"class_isolated": None}, 6, "class_isolated is null, not fail"),
            ("labels-disagree", {"class_local": "pass"}, 5, "class_local is pass, not fail"),
            ("labels-pass", {"class_local": "pass", "class_isolated": "pass"}, 5,
             "class_local is pass, not fail; class_isolated is pass, not fail"),
            ("all-null", {"counterexample_sha256": None, "class_local": None, "class_isolated": None}, 4,
             "counterexample_sha256 is null; class_local is null, not fail; class_isolated is null"),
        )
    ],
    reject("record-open", "null-hash-without-a-case", fields(RECORD, counterexample_sha256=None), drop(COUNTEREXAMPLE),
           at=f"{RECORD}:4:3", says="null", hint=RETIRE, before=(UNCITED,)),
    reject("record-open", "cited", fields(RECORD, class_isolated=None), at=f"{RECORD}:6:3", says="null", hint=BIND,
           also=("citation-open-record", "citation-mismatch")),
]  # fmt: skip


def fingerprint(**changes: str) -> str:
    host = {"environment": "local", "machine": "a" * 16, "boot": "b" * 16}
    return written({**dict.fromkeys(KEYS, "x"), **host, **changes})


def hosts(local: str, isolated: str) -> Edit:
    return evaluated({"fingerprint": local}, {"fingerprint": isolated})


HERE, THERE = fingerprint(), fingerprint(machine="c" * 16, boot="d" * 16)
OTHER_HOST = {"config": "policy: {isolation: other_host}\n"}
REGENERATED = {"config": "policy: {require_regenerated: true}\n"}
EVALUATIONS: list[Row] = [
    accept("record-evaluations", "two-of-them", evaluated()),
    accept("record-evaluations", "not-regenerated", evaluated({"regenerated": False}, {"regenerated": None})),
    accept("record-evaluations", "regenerated", evaluated(), append(RECORD, "\n"), **REGENERATED),
    accept("record-evaluations", "one-host", hosts(HERE, fingerprint(preset="bwrap"))),
    accept("record-evaluations", "two-hosts-where-asked", hosts(HERE, THERE), **OTHER_HOST),
    *[
        reject("record-evaluations", name, edit, at=f"{RECORD}:{at}", says=says, hint=BIND, **options)
        for name, edit, at, says, options in (
            ("another-case", evaluated({"counterexample_sha256": "b" * 64}), "12:7", "another counterexample", {}),
            ("one-fingerprint", evaluated(isolated={"fingerprint": "one"}), "19:7", "one fingerprint", {}),
            ("too-few-replays", evaluated({"replays": 2, "failed": 2}), "13:7", "2 replays are too few", {}),
            ("replays-disagree", evaluated({"failed": 2}), "14:7", "2 of 3 replays failed, and class_local is fail", {}),
            ("label-differs", evaluated(isolated={"failed": 0}), "23:7", "0 of 3 replays failed", {}),
            ("not-regenerated-where-asked", evaluated({"regenerated": None}), "15:7", "same bytes again", REGENERATED),
            ("none-where-asked", fields(RECORD, scope=SCOPE), "1:1", "the record has none", REGENERATED),
            ("none-for-another-host", fields(RECORD, scope=SCOPE), "1:1", "the record has none", OTHER_HOST),
            ("one-host-where-two-are-asked", hosts(HERE, fingerprint(preset="bwrap")), "19:7", "are of one", OTHER_HOST),
            ("one-boot-where-two-are-asked", hosts(HERE, fingerprint(machine="c" * 16)), "19:7", "of one", OTHER_HOST),
            ("one-machine-where-two-are-asked", hosts(HERE, fingerprint(boot="c" * 16)), "19:7", "of one", OTHER_HOST),
            ("equal-fingerprints-where-two-are-asked", hosts(HERE, HERE), "19:7", "have one fingerprint", OTHER_HOST),
            ("isolated-host-unknown", hosts(HERE, fingerprint(boot="")), "19:7", "names none", OTHER_HOST),
            ("local-host-unknown", hosts("one", THERE), "10:7", "names none", OTHER_HOST),
            ("two-trees", evaluated(isolated={"tree": "b" * 40}), "20:7", "not the tree of the local", {}),
            ("edited-fingerprint", hosts(HERE.replace("os=x", "os=y"), "two"), "10:7", "after it was written", {}),
            ("edited-form", hosts("one", THERE.replace("environment=", "environment:")), "19:7", "after it was", {}),
            ("other-environment", hosts(fingerprint(environment="ci"), "two"), "9:7", 'of the environment "ci"', {}),
        )
    ],
    reject("record-open", "null-label-with-evaluations", evaluated(class_isolated=None), at=f"{RECORD}:6:3",
           says="null", hint=BIND, before=(UNCITED,)),
    reject("record-open", "null-hash-with-evaluations", evaluated(counterexample_sha256=None), at=f"{RECORD}:4:3",
           says="null", hint=BIND, before=(UNCITED,)),
]  # fmt: skip

CASES: list[Row] = [
    accept("counterexample-missing", "without-a-record", drop(RECORD, CITATION)),
    accept("counterexample-missing", "its-path", fields(RECORD, counterexample=COUNTEREXAMPLE)),
    reject("counterexample-missing", "deleted", drop(COUNTEREXAMPLE), at=f"{RECORD}:4:3",
           says=f"no regular file {COUNTEREXAMPLE}", hint=RETIRE, also=REOPENED),
    reject("counterexample-missing", "a-link", put(COUNTEREXAMPLE, Link("x")), at=f"{RECORD}:4:3",
           says="no regular file", hint=RETIRE, also=("layout-kind",), before=(UNCITED,)),
    reject("counterexample-missing", "another-path", fields(RECORD, counterexample="x.json"), at=f"{RECORD}:7:3",
           says="/counterexample", hint=BIND),
    accept("counterexample-unreadable", "crlf", put(COUNTEREXAMPLE, good_project()[COUNTEREXAMPLE].replace(b"\n",
           b"\r\n")), rebound()),
    reject("counterexample-unreadable", "duplicate-key", swap(COUNTEREXAMPLE, '"qty": 1', '"qty": 1, "qty": 2'),
           rebound(), at=f"{COUNTEREXAMPLE}:7:15", says='"qty"', hint=f"git rm --cached -- {COUNTEREXAMPLE}",
           also=REOPENED),
    reject("counterexample-unreadable", "without-a-record", put(COUNTEREXAMPLE, "NaN"), at=f"{COUNTEREXAMPLE}:1:1",
           says="NaN", hint="retain", before=(UNCITED, drop(RECORD))),
    accept("counterexample-schema", "engine", fields(COUNTEREXAMPLE, engine={"name": "a", "version": "1"}), rebound()),
    reject("counterexample-schema", "result-pass", fields(COUNTEREXAMPLE, predicate_result="pass"), rebound(),
           at=f"{COUNTEREXAMPLE}:10:3", says="/predicate_result", hint="retain the case again", also=REOPENED),
    reject("counterexample-schema", "negative-seed", fields(COUNTEREXAMPLE, seed=-1), rebound(),
           at=f"{COUNTEREXAMPLE}:3:3", says="/seed", hint="retain the case again", before=(UNCITED,)),
    accept("counterexample-scope", "right-id", fields(COUNTEREXAMPLE, shrink_steps=7), rebound()),
    reject("counterexample-scope", "another-id", fields(COUNTEREXAMPLE, scope_id=OTHER), rebound(),
           at=f"{COUNTEREXAMPLE}:2:3", says=f"its scope_id is {OTHER}", hint=f"git mv -- {COUNTEREXAMPLE} {OTHER_CASE}",
           also=REOPENED),
    reject("counterexample-scope", "another-id-and-domain", fields(COUNTEREXAMPLE, scope_id=OTHER, input={}), rebound(),
           at=f"{COUNTEREXAMPLE}:2:3", says="its scope_id is", hint="git mv", before=(UNCITED,)),
    accept("counterexample-mismatch", "bound-again", append(COUNTEREXAMPLE, "\n"), rebound()),
    reject("counterexample-mismatch", "edited", append(COUNTEREXAMPLE, "\n"), at=f"{RECORD}:4:3",
           says=f"the record says {HASH}, the file has", hint=BIND, also=REOPENED),
    reject("counterexample-mismatch", "typed-by-hand", fields(RECORD, counterexample_sha256="b" * 64),
           at=f"{RECORD}:4:3", says=f"the file has {HASH}", hint=BIND, before=(UNCITED,)),
    accept("counterexample-out-of-domain", "bounds-and-further-keys", case_input(qty=20, unit_cents=500, note="x"),
           rebound()),
    *[
        reject("counterexample-out-of-domain", name, case_input(**changes), rebound(), at=f"{COUNTEREXAMPLE}:{at}",
               says=says, hint=f"the domain that {SCOPE} declares")
        for name, changes, at, says in (
            ("above", {"qty": 21}, "7:5", "/input/qty"),
            ("boolean", {"qty": True}, "7:5", "/input/qty"),
            ("float", {"qty": 1.0}, "7:5", "/input/qty"),
            ("no-member", {"currency": "SEK"}, "6:5", "/input/currency"),
            ("absent", {"qty": ...}, "5:3", "/input: the field"),
        )
    ],
    reject("counterexample-out-of-domain", "narrowed-domain", swap(SCOPE, "min: 1,", "min: 2,"), rebound(),
           at=f"{COUNTEREXAMPLE}:7:5", says="/input/qty", hint=f"the domain that {SCOPE} declares"),
]  # fmt: skip
SIGNED = {"config": "policy: {attested_labels: isolated}\n"}


def attempt(**changes: Any) -> Edit:
    """An attempt at the isolated label, whose signature is no signature; real ones have tests of their own."""
    statement = {
        "scope_id": SCOPE_ID,
        "fixture_digest": scope_digest(good_project(), SCOPE),
        "counterexample_sha256": HASH,
        "label": "fail",
        "environment": "isolated",
        "fingerprint": "two",
        "tree": "a" * 40,
        "replays": 3,
        **changes,
    }
    return fields(RECORD, attestations=[{"statement": statement, "signature": "typed"}])


ATTESTATIONS: list[Row] = [
    accept("attestation-missing", "not-asked-for", fields(RECORD, scope=SCOPE)),
    accept("attestation-missing", "none-empty", fields(RECORD, attestations=[])),
    reject("attestation-missing", "typed-by-hand", fields(RECORD, scope=SCOPE), at=f"{RECORD}:6:3",
           says="class_isolated has no attestation", hint=f"{BIND} --sign-key isolated=KEY", also=REOPENED, **SIGNED),
    accept("attestation-invalid", "not-asked-for", attempt()),
    accept("attestation-invalid", "not-asked-for-another-digest", attempt(fixture_digest="a" * 64, label="pass")),
    accept("attestation-invalid", "not-asked-for-another-environment", attempt(environment="gpu", label="pass")),
    reject("attestation-invalid", "nobody-may-sign", attempt(), at=f"{RECORD}:19:7",
           says="there is no .freezegate/allowed_signers on the old side", hint=f"{BIND} --sign-key isolated=KEY",
           also=REOPENED, **SIGNED),
    reject("attestation-invalid", "another-digest", attempt(fixture_digest="a" * 64), at=f"{RECORD}:11:9",
           says="/statement/fixture_digest: is not the record's", hint=BIND, also=REOPENED, **SIGNED),
    reject("attestation-invalid", "disagreeing", attempt(label="pass"), at=f"{RECORD}:13:9",
           says="class_isolated is unstable: another attempt at the same case gave pass", hint=RETIRE, also=REOPENED),
]  # fmt: skip
TABLE = [*RECORDS, *OPEN, *EVALUATIONS, *CASES, *ATTESTATIONS]


@rows(TABLE)
def test_row(row: Row) -> None:
    judge(row)


def test_table_is_complete() -> None:
    assert_complete(TABLE, "binding-record")

"""Hook freeze-citation: each rule, accepted and rejected."""

from __future__ import annotations

from datetime import timedelta

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, good_project
from memory import DAY, rules
from rule_tables import (
    Row,
    accept,
    append,
    assert_complete,
    drop,
    edited,
    fields,
    judge,
    move,
    put,
    rebound,
    reject,
    rows,
    swap,
)

PREDICATE = "tests/properties/order_total.py"
AMOUNTS = "tests/properties/amounts.py"
UNBOUND = drop(RECORD, COUNTEREXAMPLE, CITATION)
UNCITED = drop(CITATION)
CITE = f"freezegate cite {SCOPE_ID}"
BIND = f"freezegate bind --scope {SCOPE} --case {COUNTEREXAMPLE}"
RETIRE = f"freezegate retire {SCOPE_ID}"
OTHER = "order_total.rounded"
CITED = put(CITATION, good_project()[CITATION])
EXPIRING = "policy: {expiry_days: 30}\n"


def expires(days: int, path: str = CITATION) -> object:
    return fields(path, expires=(DAY + timedelta(days=days)).isoformat())


DOCUMENTS: list[Row] = [
    accept("citation-unreadable", "crlf", put(CITATION, good_project()[CITATION].replace(b"\n", b"\r\n"))),
    accept("citation-unreadable", "taken-away", drop(CITATION)),
    reject("citation-unreadable", "duplicate-id", swap(CITATION, '"scope_id"', '"scope_id": "a.b", "scope_id"'),
           at=f"{CITATION}:2:22", says='"scope_id"', hint=CITE),
    reject("citation-unreadable", "byte-order-mark", put(CITATION, b"\xef\xbb\xbf" + good_project()[CITATION]),
           at=f"{CITATION}:1:1", says="byte order mark", hint=CITE),
    accept("citation-schema", "added", CITED, before=(UNCITED,)),
    accept("citation-schema", "expiry-that-policy-asks-for", expires(30), config=EXPIRING),
    reject("citation-schema", "another-reason", fields(CITATION, freeze_reason="flaky"),
           at=f"{CITATION}:7:3", says="/freeze_reason", hint=CITE),
    reject("citation-schema", "null-hash", fields(CITATION, counterexample_sha256=None),
           at=f"{CITATION}:4:3", says="/counterexample_sha256", hint=CITE),
    reject("citation-schema", "comment", fields(CITATION, comment="x"), at=f"{CITATION}:8:3", says="/comment", hint=CITE),
    reject("citation-schema", "expiry-that-no-policy-asks-for", expires(3), at=f"{CITATION}:8:3",
           says="/expires", hint=CITE),
    reject("citation-schema", "expiry-missing", CITED, at=f"{CITATION}:1:1", says="/expires: missing", hint=CITE,
           before=(UNCITED,), config=EXPIRING),
    reject("citation-schema", "no-such-day", fields(CITATION, expires="2024-02-30"), at=f"{CITATION}:8:3",
           says="/expires", hint=CITE, config=EXPIRING),
    accept("citation-name", "right", append(CITATION, "\n")),
    reject("citation-name", "another-id", fields(CITATION, scope_id=OTHER), at=f"{CITATION}:2:3",
           says=f'"{SCOPE_ID}", its scope_id is {OTHER}',
           hint=f"git mv -- {CITATION} tests/freezes/{OTHER}.freeze.json"),
    reject("citation-name", "renamed-file", move(CITATION, f"tests/freezes/{OTHER}.freeze.json"),
           at=f"tests/freezes/{OTHER}.freeze.json:2:3", says=f'"{OTHER}", its scope_id is {SCOPE_ID}',
           hint=f"git mv -- tests/freezes/{OTHER}.freeze.json {CITATION}",
           also=("citation-dangling", "citation-oracle-moved")),
]  # fmt: skip

RECORDS: list[Row] = [
    accept("citation-dangling", "record-and-citation-removed", drop(RECORD, CITATION)),
    reject("citation-dangling", "record-removed", drop(RECORD), at=f"{CITATION}:1:1",
           says=f"there is no record {RECORD}", hint=RETIRE),
    reject("citation-dangling", "all-but-the-citation-removed", drop(RECORD, COUNTEREXAMPLE), at=f"{CITATION}:1:1",
           says=f"there is no record {RECORD}", hint=RETIRE),
    accept("citation-open-record", "closed-again", append(SCOPE, "# more\n"), rebound()),
    *[
        reject("citation-open-record", name, *edits, at=f"{CITATION}:1:1", says=says, also=also,
               hint=RETIRE if name in ("holds", "no-case") else BIND)
        for name, edits, says, also in (
            ("null-hash", (fields(RECORD, counterexample_sha256=None),),
             "counterexample_sha256 is null (nothing_to_bind)", ("record-open", "citation-mismatch")),
            ("null-local", (fields(RECORD, class_local=None),), "(nothing_to_bind)", ("record-open", "citation-mismatch")),
            ("null-isolated", (fields(RECORD, class_isolated=None),), "(classifier_missing)",
             ("record-open", "citation-mismatch")),
            ("split", (fields(RECORD, class_isolated="pass"),), "(environment_split)", ("record-open", "citation-mismatch")),
            ("holds", (fields(RECORD, class_isolated="pass", class_local="pass"),), "(holds)",
             ("record-open", "citation-mismatch")),
            ("stale-digest", (append(SCOPE, "# more\n"),), "(recompute_digest)", ("digest-mismatch",)),
            ("no-case", (drop(COUNTEREXAMPLE),), "there is no counterexample", ("counterexample-missing",)),
            ("another-case", (append(COUNTEREXAMPLE, "\n"),), "has another hash", ("counterexample-mismatch",)),
            ("unreadable-case", (put(COUNTEREXAMPLE, "{"),), "the counterexample cannot be read",
             ("counterexample-unreadable",)),
            ("case-of-another", (fields(COUNTEREXAMPLE, scope_id=OTHER), rebound()),
             f"the counterexample is one of {OTHER}", ("counterexample-scope",)),
            ("unreadable-record", (put(RECORD, "{"),), "the record cannot be read", ("record-unreadable",)),
            ("record-of-another", (fields(RECORD, scope_id=OTHER),), f"the record is one of {OTHER}",
             ("record-name", "citation-mismatch")),
        )
    ],
    reject("citation-open-record", "no-scope", swap(SCOPE, SCOPE_ID, OTHER), at=f"{CITATION}:1:1",
           says="no scope has this id", hint=RETIRE,
           also=("record-scope-missing", "property-removed")),
    accept("citation-mismatch", "written-again", append(SCOPE, "# more\n"), rebound()),
    reject("citation-mismatch", "digest", fields(CITATION, fixture_digest="a" * 64), at=f"{CITATION}:3:3",
           says="differs from the record in fixture_digest", hint=CITE),
    reject("citation-mismatch", "hash-and-label", fields(CITATION, counterexample_sha256="a" * 64, class_local="pass"),
           at=f"{CITATION}:4:3", says="in counterexample_sha256, class_local", hint=CITE),
    reject("citation-mismatch", "other-formula-of-the-same-bytes", rebound(sized=True), fields(CITATION,
           fixture_digest="a" * 64), at=f"{CITATION}:3:3", says="fixture_digest", hint=CITE),
]  # fmt: skip

MOVED: list[Row] = [
    accept("citation-oracle-moved", "cited-later", CITED, before=(UNCITED,)),
    accept("citation-oracle-moved", "bound-with-a-new-generator", append("tests/fixtures/gen_orders.py", "# x\n"),
           rebound()),
    accept("citation-oracle-moved", "removed-with-the-predicate-changed", drop(CITATION),
           append(PREDICATE, "# more\n"), append(SCOPE, "# more\n"), rebound()),
    reject("citation-oracle-moved", "predicate-changed", append(PREDICATE, "# more\n"), append(SCOPE, "# more\n"),
           rebound(), at=f"{CITATION}:1:1", says="the predicate's closure of order_total.non_negative",
           hint=f"take the citation out (git rm --cached -- {CITATION}), and cite in a change after this one"),
    reject("citation-oracle-moved", "helper-changed-and-cited", append(AMOUNTS, "# more\n"), append(SCOPE, "# more\n"),
           rebound(), CITED, rebound(), at=f"{CITATION}:1:1", says="new or changed in the change that cites it",
           hint="in a change after this one", before=(UNCITED,)),
    reject("citation-oracle-moved", "all-of-it-new", lambda files: {**files, **edited(good_project())},
           at=f"{CITATION}:1:1", says="new or changed", hint="in a change after this one", before=(drop(SCOPE, RECORD, COUNTEREXAMPLE, CITATION,
           PREDICATE), put("tests/properties/old.scope.yaml", good_project()[SCOPE].replace(b"order_total.py:test_total",
           b"amounts.py:is_amount").replace(b"_non_negative\n", b"\n").replace(SCOPE_ID.encode(), b"amounts.old")))),
]  # fmt: skip

EXPIRED: list[Row] = [
    accept("citation-expired", "today", expires(0), config=EXPIRING),
    accept("citation-expired", "last-day", expires(30), config=EXPIRING),
    accept("citation-expired", "huge-policy", expires(900_000), config="policy: {expiry_days: 99999999}\n"),
    reject("citation-expired", "yesterday", expires(-1), at=f"{CITATION}:8:3", says="expired on 2024-05-16", hint=CITE,
           config=EXPIRING),
    reject("citation-expired", "too-far", expires(31), at=f"{CITATION}:8:3", says="more than 30 days after 2024-05-17",
           hint=CITE, config=EXPIRING),
]  # fmt: skip
TABLE = [*DOCUMENTS, *RECORDS, *MOVED, *EXPIRED]


@rows(TABLE)
def test_row(row: Row) -> None:
    judge(row)


def test_table_is_complete() -> None:
    assert_complete(TABLE, "freeze-citation")


@pytest.mark.parametrize(("days", "expected"), [(0, []), (31, ["citation-expired"])])
def test_a_citation_expires_while_nothing_changes(days: int, expected: list[str]) -> None:
    """No change touches it: a check of the whole tree finds it, a later commit of something else does not."""
    files = edited(good_project(), expires(30))
    later = DAY + timedelta(days=days)
    assert rules(None, files, config=EXPIRING, day=later) == expected
    assert rules(files, {**files, "src/orders.py": b""}, config=EXPIRING, day=later) == []

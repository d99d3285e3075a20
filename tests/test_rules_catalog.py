"""Hook catalog: each rule, accepted and rejected."""

from __future__ import annotations

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, as_json, good_project
from memory import Link, evaluate_memory, found, rules
from rule_tables import (
    Edit,
    Files,
    Row,
    accept,
    append,
    assert_complete,
    drop,
    edited,
    judge,
    move,
    put,
    reject,
    rows,
    swap,
)

ENTRY = "catalog/order_total.yaml"
CLAIMED = "catalog/claimed.json"
LEDGER = "freezes/ledger.json"
ORACLE = "props/order_total.py"
CASES = "fixtures/orders.json"
PREDICATE = "tests/properties/order_total.py"
SOURCE = append("src/orders.py", "X = 1\n")
FIXTURE = put("fixtures/more.txt", b"x")
SECOND = "catalog/second.yaml"
TWO = "props/two.py"
BOTH = "class TestIt:\n    def test_a(self): pass\n    def test_b(self): pass\n"


def prop(prop_id: str, oracle: str, more: str = "") -> str:
    """A catalog entry."""
    return f"id: {prop_id}\noracle: {oracle}\nclaim: something holds\nmutates_fixture: false\n{more}"


def claims(*ids: str) -> Edit:
    """The claims file."""
    return put(CLAIMED, as_json(list(ids)))


def oracle(text: str, path: str = ORACLE) -> Edit:
    """Another oracle file."""
    return put(path, text.encode())


def _frozen(digit: str) -> Edit:
    entry = {
        "prop_id": "prop.order_total",
        "signature": digit * 64,
        "fixture_digest": "0" * 64,
        "base_revision": "a" * 40,
    }
    return put(LEDGER, as_json([entry]))


WITH_SECOND = (put(SECOND, prop("second", TWO).encode()), oracle("def check(case): pass\n", TWO))
CLAIM_BOTH = (*WITH_SECOND, claims("prop.order_total", "second"))
SCOPED = put(ENTRY, prop("prop.order_total", f"{PREDICATE}:test_total_non_negative", f"scope: {SCOPE}\n").encode())
NAMED = put(".freezegate.yaml", b"layout: {claimed: catalog/claimed.json}\n")
# What an added entry that cannot count as clean by itself brings along.
ADDED = {"known": ("a" * 40,)}

TABLE: list[Row] = [
    accept("catalog-unreadable", "crlf", put(ENTRY, prop("prop.order_total", ORACLE).replace("\n", "\r\n"))),
    accept("catalog-unreadable", "another-kind-of-file", put("catalog/notes.txt", "{")),
    reject(
        "catalog-unreadable", "duplicate-key", append(ENTRY, "id: b\n"),
        at=f"{ENTRY}:6:1", says='"id"', hint="mend", also=("claimed-unknown",),
    ),
    reject(
        "catalog-unreadable", "in-a-folder", put("catalog/a/b.yaml", b"\xff"),
        at="catalog/a/b.yaml:1:1", says="UTF-8", hint="mend",
    ),
    accept("catalog-schema", "every-field", swap(ENTRY, 'cases: "*.json"', 'cases: "**/*.json"\nvolatile: [at]')),
    accept("catalog-schema", "cases-gone", swap(ENTRY, 'cases: "*.json"\n', "")),
    reject(
        "catalog-schema", "missing", swap(ENTRY, "mutates_fixture: false\n", ""),
        at=f"{ENTRY}:1:1", says="mutates_fixture", hint="edit catalog/order_total.yaml", also=("claimed-unknown",),
    ),
    reject(
        "catalog-schema", "oracle-list", swap(ENTRY, "oracle: props", "oracle: [props"),
        swap(ENTRY, ":check_total", "]"),
        at=f"{ENTRY}:2:1", says="/oracle", hint="edit", also=("claimed-unknown",),
    ),
    reject(
        "catalog-schema", "yes-is-a-string", swap(ENTRY, "false", "yes"),
        at=f"{ENTRY}:4:1", says="/mutates_fixture", hint="edit", also=("claimed-unknown",),
    ),
    reject(
        "catalog-schema", "cases-and-scope", append(ENTRY, f"scope: {SCOPE}\n"),
        at=f"{ENTRY}:1:1", says="cases", hint="edit", also=("claimed-unknown",),
    ),
    reject(
        "catalog-schema", "empty-document", put("catalog/empty.yaml", b""),
        at="catalog/empty.yaml:1:1", says="null", hint="edit",
    ),
    accept("catalog-duplicate", "two-of-everything", *WITH_SECOND),
    accept("catalog-duplicate", "one-file-two-functions",
           append(ORACLE, "def check_b(case): pass\n"), put(SECOND, prop("second", f"{ORACLE}:check_b"))),
    reject(
        "catalog-duplicate", "id", oracle("def check(case): pass\n", TWO), put(SECOND, prop("prop.order_total", TWO)),
        at=f"{SECOND}:1:1", says=f"the id of {ENTRY}", hint=f"edit {SECOND}",
    ),
    reject(
        "catalog-duplicate", "oracle", put(SECOND, prop("second", f"{ORACLE}:check_total")),
        at=f"{SECOND}:2:1", says=f"the oracle of {ENTRY}", hint="its own oracle",
    ),
    reject(
        "catalog-duplicate", "oracle-told-from-the-file", put(SECOND, prop("second", ORACLE)),
        at=f"{SECOND}:2:1", says=f"{ORACLE}:check_total", hint="its own oracle",
    ),
    reject(
        "catalog-duplicate", "oracle-as-node",
        oracle("def test_total(case): pass\n"), put(ENTRY, prop("prop.order_total", ORACLE)),
        put(SECOND, prop("second", f"{ORACLE}::test_total")),
        at=f"{SECOND}:2:1", says="the oracle of", hint="its own oracle",
    ),
    accept("catalog-duplicate", "two-nodes-of-a-class", append(ORACLE, BOTH),
           put(ENTRY, prop("prop.order_total", f"{ORACLE}::TestIt::test_a[1]")),
           put(SECOND, prop("second", f"{ORACLE}::TestIt::test_b"))),
    reject(
        "catalog-duplicate", "node-with-parameters", put(SECOND, prop("second", f"{ORACLE}::check_total[0]")),
        at=f"{SECOND}:2:1", says="the oracle of", hint="its own oracle",
    ),
    reject(
        "catalog-duplicate", "the-scope's-predicate", put(SECOND, prop("second", PREDICATE, f"scope: {SCOPE}\n")),
        before=(SCOPED, append(PREDICATE, "\n\ndef test_more(other): pass\n")),
        at=f"{SECOND}:2:1", says="the oracle of", hint="its own oracle",
    ),
    reject(
        "catalog-duplicate", "three", put("catalog/a.yaml", prop("second", ORACLE)),
        put("catalog/z.yaml", prop("third", ORACLE)),
        at=(f"{ENTRY}:2:1", "catalog/z.yaml:2:1"), says="the oracle of catalog/a.yaml", hint="its own",
    ),
    reject(
        "catalog-duplicate", "oracle-becomes-the-same", swap(SECOND, "check_b", "check_total"),
        before=(append(ORACLE, "def check_b(case): pass\n"), put(SECOND, prop("second", f"{ORACLE}:check_b").encode())),
        at=f"{SECOND}:2:1", says="the oracle of", hint="its own",
    ),
    accept("oracle-missing", "fixtures-parameter", swap(ORACLE, "check_total(case)", "check_total(fixtures)"),
           swap(ORACLE, 'case["lines"]', "[]"), swap(ORACLE, 'case["total"]', "0")),
    accept("oracle-missing", "only-check-function", put(ENTRY, prop("prop.order_total", ORACLE)),
           append(ORACLE, "def helper(a, b): pass\n")),
    accept("oracle-missing", "pytest-node", put(ENTRY, prop("prop.order_total", f"{ORACLE}::TestIt::test_a[1]")),
           append(ORACLE, "class TestIt:\n    def test_a(self): pass\n")),
    accept("oracle-missing", "pytest-node-inherited", put(ENTRY, prop("prop.order_total", f"{ORACLE}::TestIt::test_a")),
           append(ORACLE, "class TestIt(Base): pass\n")),
    accept("oracle-missing", "scope", SCOPED),
    accept("oracle-missing", "scope-without-function",
           put(ENTRY, prop("prop.order_total", PREDICATE, f"scope: {SCOPE}\n"))),
    reject(
        "oracle-missing", "file-goes", drop(ORACLE),
        at=f"{ENTRY}:2:1", says="no regular file props/order_total.py", hint="edit",
    ),
    reject(
        "oracle-missing", "link", put(ORACLE, Link("two.py")),
        at=f"{ENTRY}:2:1", says="no regular file", hint="edit",
    ),
    reject(
        "oracle-missing", "behind-a-link", drop("props"), put("props", Link("fixtures")),
        at=f"{ENTRY}:2:1", says="no regular file", hint="edit", also=("layout-kind",),
    ),
    reject(
        "oracle-missing", "does-not-parse", append(ORACLE, "def f(:\n"),
        at=f"{ENTRY}:2:1", says="does not parse (line 6", hint="edit",
    ),
    reject(
        "oracle-missing", "bound-twice", append(ORACLE, "check_total = None\n"),
        at=f"{ENTRY}:2:1", says="check_total", hint="one plain function",
    ),
    reject(
        "oracle-missing", "star-import", append(ORACLE, "from other import *\n"),
        at=f"{ENTRY}:2:1", says="star import", hint="one plain function",
    ),
    reject(
        "oracle-missing", "decorated", swap(ORACLE, "def check", "@staticmethod\ndef check"),
        at=f"{ENTRY}:2:1", says="decorat", hint="one plain function",
    ),
    reject(
        "oracle-missing", "async", swap(ORACLE, "def check", "async def check"),
        at=f"{ENTRY}:2:1", says="async", hint="one plain function",
    ),
    reject(
        "oracle-missing", "two-parameters", swap(ORACLE, "(case)", "(case, more)"),
        at=f"{ENTRY}:2:1", says="parameter", hint="one plain function",
    ),
    reject(
        "oracle-missing", "parameter-of-another-name", swap(ORACLE, "(case)", "(row)"),
        at=f"{ENTRY}:2:1", says="takes row", hint="case or fixtures",
    ),
    reject(
        "oracle-missing", "two-candidates", put(ENTRY, prop("prop.order_total", ORACLE)),
        append(ORACLE, "def test_more(case): pass\n"),
        at=f"{ENTRY}:2:1", says=ORACLE, hint="one plain function",
    ),
    reject(
        "oracle-missing", "no-candidate", put(ENTRY, prop("prop.order_total", ORACLE)),
        swap(ORACLE, "def check_total", "def holds"),
        at=f"{ENTRY}:2:1", says=ORACLE, hint="one plain function",
    ),
    reject(
        "oracle-missing", "node-that-is-not-there", put(ENTRY, prop("prop.order_total", f"{ORACLE}::test_gone")),
        at=f"{ENTRY}:2:1", says="test_gone", hint="edit",
    ),
    reject(
        "oracle-missing", "method-that-is-not-there", append(ORACLE, BOTH),
        put(ENTRY, prop("prop.order_total", f"{ORACLE}::TestIt::test_gone")),
        at=f"{ENTRY}:2:1", says="does not define test_gone", hint="edit",
    ),
    reject(
        "oracle-missing", "method-of-a-function", put(ENTRY, prop("prop.order_total", f"{ORACLE}::check_total::x")),
        at=f"{ENTRY}:2:1", says="is a function", hint="edit",
    ),
    reject(
        "oracle-missing", "another-function-than-the-scope's",
        put(ENTRY, prop("prop.order_total", f"{PREDICATE}:other", f"scope: {SCOPE}\n")),
        at=f"{ENTRY}:2:1", says="the scope's predicate", hint="edit",
    ),
    reject(
        "oracle-missing", "scope-that-is-not-there", swap(ENTRY, SCOPE, "tests/properties/gone.scope.yaml"),
        before=(SCOPED,), at=f"{ENTRY}:2:1", says="no readable scope", hint="edit",
    ),
    reject(
        "oracle-missing", "its-scope-goes", drop(SCOPE), before=(SCOPED, drop(RECORD, COUNTEREXAMPLE, CITATION)),
        at=f"{ENTRY}:2:1", says="no readable scope", hint="edit", also=("property-removed",),
    ),
    accept("oracle-path", "in-a-folder", move(ORACLE, "props/deep/order_total.py"),
           swap(ENTRY, "props/", "props/deep/")),
    *(
        reject(
            "oracle-path", name, swap(ENTRY, f"{ORACLE}:check_total", text),
            at=f"{ENTRY}:2:1", says=says, hint="edit catalog/order_total.yaml",
        )
        for name, text, says in (
            ("absolute", "/props/order_total.py", "absolute"),
            ("dots", "props/../props/order_total.py", "component"),
            ("dot", "./props/order_total.py", "component"),
            ("empty-component", "props//order_total.py", "empty component"),
            ("outside", "src/orders.py", "outside props/"),
            ("beside", "propsy/order_total.py", "outside props/"),
            ("no-python", "props/order_total.txt", ".py"),
            ("a-predicate-without-a-scope", PREDICATE, "outside props/"),
        )
    ),
    reject(
        "oracle-path", "backslash", swap(ENTRY, f"{ORACLE}:", "props\\order_total.py:"),
        at=f"{ENTRY}:2:1", says="backslash", hint="edit",
    ),
    reject(
        "oracle-path", "an-oracle-with-a-scope", swap(ENTRY, PREDICATE, ORACLE), before=(SCOPED,),
        at=f"{ENTRY}:2:1", says="outside tests/properties/", hint="edit",
    ),
    accept("claimed-unreadable", "more", put(CLAIMED, '[\r\n "prop.order_total"\r\n]')),
    reject(
        "claimed-unreadable", "not-json", put(CLAIMED, "[,]"),
        at=f"{CLAIMED}:1:2", says="not JSON", hint="a list of unique property ids",
    ),
    reject(
        "claimed-unreadable", "twice", claims("prop.order_total", "prop.order_total"),
        at=f"{CLAIMED}:3:3", says="prop.order_total", hint="unique",
    ),
    reject(
        "claimed-unreadable", "number", put(CLAIMED, "[7]"), at=f"{CLAIMED}:1:2", says="7", hint="property ids",
    ),
    accept("claimed-unknown", "two", *CLAIM_BOTH),
    reject(
        "claimed-unknown", "no-entry", claims("prop.order_total", "second"),
        at=f"{CLAIMED}:3:3", says="second", hint="add its entry below catalog/",
    ),
    reject(
        "claimed-unknown", "entry-goes", drop(SECOND), before=CLAIM_BOTH,
        at=f"{CLAIMED}:3:3", says="second", hint=f"edit {CLAIMED}",
    ),
    reject(
        "claimed-unknown", "entry-gets-another-id", swap(SECOND, "id: second", "id: third"), before=CLAIM_BOTH,
        at=f"{CLAIMED}:3:3", says="second", hint="add",
    ),
    accept("claimed-empty", "one", claims("second"), before=CLAIM_BOTH),
    accept("claimed-empty", "all-gone", drop("catalog")),
    reject("claimed-empty", "empty", claims(), at=f"{CLAIMED}:1:1", says="no property", hint=f"into {CLAIMED}"),
    reject(
        "claimed-empty", "file-goes", drop(CLAIMED), at=f"{ENTRY}:1:1", says=f"no {CLAIMED}", hint=f"into {CLAIMED}",
        before=(NAMED,),
    ),
    reject(
        "claimed-empty", "catalog-goes-while-a-freeze-remains", drop("catalog"), before=(NAMED, _frozen("1")),
        at=f"{LEDGER}:1:1", says=f"no {CLAIMED}", hint="property ids", also=("ledger-unknown-property",),
    ),
    accept("claim-removed", "alone", claims("prop.order_total"), drop(SECOND), before=CLAIM_BOTH),
    accept("claim-removed", "with-its-own-oracle", claims("prop.order_total"), drop(SECOND, TWO), before=CLAIM_BOTH),
    accept("claim-removed", "with-docs", claims("prop.order_total"), put("README.md", "x"), before=CLAIM_BOTH),
    accept("claim-removed", "with-a-freeze-that-goes", claims("prop.order_total"), put(LEDGER, b"[]\n"),
           before=(*CLAIM_BOTH, _frozen("1"))),
    accept("claim-removed", "entry-that-moves", move(SECOND, "catalog/2.yaml"), SOURCE, before=CLAIM_BOTH),
    accept("claim-removed", "order-of-the-claims", claims("second", "prop.order_total"), SOURCE, before=CLAIM_BOTH),
    *(
        reject(
            "claim-removed", name, claims("prop.order_total"), *edits, before=CLAIM_BOTH,
            at=f"{CLAIMED}:1:1", says=says, hint="in a change of its own", **more,
        )
        for name, edits, says, more in (
            ("source", (SOURCE,), "second leaves the claims in a change that also touches source", {}),
            ("source-file-that-goes", (drop("src/orders.py"), put("src/o.py", "")), "source", {}),
            ("other-oracle", (append(ORACLE, "# x\n"),), "other oracles", {}),
            ("new-oracle", (put("props/new.py", ""),), "other oracles", {}),
            ("fixtures", (FIXTURE,), "fixtures", {}),
            ("ledger", (_frozen("1"),), "an entry is added", {**ADDED, "also": ("ledger-digest-stale",)}),
        )
    ),
    reject(
        "claim-removed", "file-goes-with-source", drop("catalog", "freezes"), SOURCE,
        at=f"{CLAIMED}:1:1", says="deleted: prop.order_total leaves the claims", hint="in a change of its own",
    ),
    reject(
        "claim-removed", "unclaimed-entry", drop(SECOND), SOURCE, before=WITH_SECOND,
        at=f"{CLAIMED}:1:1", says="second leaves the catalog", hint="in a change of its own",
    ),
    reject(
        "claim-removed", "id-in-the-entry", swap(SECOND, "id: second", "id: third"), FIXTURE, before=WITH_SECOND,
        at=f"{CLAIMED}:1:1", says="second leaves the catalog", hint="in a change of its own",
    ),
    reject(
        "claim-removed", "claims-made-unreadable", put(CLAIMED, "["), SOURCE,
        at=f"{CLAIMED}:1:1", says="prop.order_total leaves the claims", hint="in a change of its own",
        also=("claimed-unreadable",),
    ),
    reject(
        "claim-removed", "two-companions", claims("prop.order_total"), SOURCE, FIXTURE, before=CLAIM_BOTH,
        at=(f"{CLAIMED}:1:1",) * 2, says="fixtures", hint="in a change of its own",
    ),
    accept("catalog-mixed", "with-its-oracle-and-claim", *CLAIM_BOTH),
    accept("catalog-mixed", "with-fixtures", *WITH_SECOND, FIXTURE),
    accept("catalog-mixed", "source-alone", SOURCE, before=CLAIM_BOTH),
    accept("catalog-mixed", "entry-that-moves", move(ENTRY, "catalog/a/b.yaml"), SOURCE),
    accept("catalog-mixed", "ledger-entry-that-goes", swap(ENTRY, "the sum", "a sum"), put(LEDGER, b"[]\n"),
           before=(_frozen("1"),)),
    reject(
        "catalog-mixed", "new-with-source", *WITH_SECOND, SOURCE,
        at=f"{SECOND}:1:1", says="also touches source", hint="change of its own",
    ),
    reject(
        "catalog-mixed", "changed-with-source", swap(ENTRY, "the sum", "a sum"), SOURCE,
        at=f"{ENTRY}:1:1", says="also touches source", hint="change of its own",
    ),
    reject(
        "catalog-mixed", "with-a-ledger-entry", *WITH_SECOND, _frozen("1"),
        at=f"{SECOND}:1:1", says="the ledger", hint="change of its own", also=("ledger-digest-stale",), **ADDED,
    ),
    reject(
        "catalog-mixed", "moved-and-changed", move(ENTRY, "catalog/b.yaml"),
        swap("catalog/b.yaml", "the sum", "a sum"), SOURCE,
        at="catalog/b.yaml:1:1", says="source", hint="change of its own",
    ),
]  # fmt: skip


@rows(TABLE)
def test_rule(row: Row) -> None:
    judge(row)


def test_table_is_complete() -> None:
    assert_complete(TABLE, "catalog")


def test_a_claims_file_that_goes_leaves_the_half_on_for_that_step_only() -> None:
    """Alone, a tree without claims file and without a word in its config is not under this half."""
    good = dict(good_project())
    without = edited(good, drop(CLAIMED))
    assert found(evaluate_memory(good, without)) == [("claimed-empty", ENTRY, 1, 1)]
    assert rules(None, without) == rules(without, without) == []


@pytest.mark.parametrize("old", [None, {"src/a.py": b""}], ids=["alone", "step"])
def test_a_half_that_is_off_leaves_other_peoples_catalog_alone(old: Files | None) -> None:
    theirs: Files = {
        "src/a.py": b"X = 1\n",
        "catalog/chairs.yaml": b"chairs: 4\n",
        "catalog/empty.yaml": Link("chairs.yaml"),
        "props/hammer.py": b"def f(:",
        "fixtures/zero": b"\0",
        LEDGER: b"none",
    }
    assert rules(old, theirs) == []
    assert rules(old, {**theirs, SCOPE: good_project()[SCOPE]}) == [
        "digest-input-missing", "digest-input-missing", "predicate-missing",
    ]  # fmt: skip
    named = {**theirs, ".freezegate.yaml": b"layout: {catalog: catalog}\n"}
    assert {"catalog-schema", "layout-kind", "ledger-unreadable"} <= set(rules(old, named))


def test_a_merge_that_takes_both_sides_is_free_and_a_mixture_is_not() -> None:
    good = edited(dict(good_project()), *CLAIM_BOTH)
    source = edited(good, SOURCE)
    retired = edited(good, claims("prop.order_total"), drop(SECOND))
    merged = edited(retired, SOURCE)
    assert rules([source, retired], merged) == rules([retired, source], merged) == []
    grown = edited(good, put("catalog/third.yaml", prop("third", "props/three.py").encode()), oracle(
        "def check(case): pass\n", "props/three.py"
    ))  # fmt: skip
    assert rules([source, grown], edited(grown, SOURCE)) == []
    # an entry that neither parent has, brought in by the merge itself
    assert rules([source, grown], edited(grown, SOURCE, append("catalog/third.yaml", "volatile: [at]\n"))) == [
        "catalog-mixed"
    ]
    # a claim that both parents have, dropped by the merge itself
    assert set(rules([source, grown], edited(grown, SOURCE, claims("prop.order_total")))) == {"claim-removed"}


def test_two_merged_entries_with_one_oracle_are_a_new_set() -> None:
    good = dict(good_project())
    one = edited(good, oracle("def check(case): pass\n", TWO), put("catalog/a.yaml", prop("a", TWO).encode()))
    two = edited(good, oracle("def check(case): pass\n", TWO), put("catalog/b.yaml", prop("b", TWO).encode()))
    assert found(evaluate_memory([one, two], {**one, **two})) == [("catalog-duplicate", "catalog/b.yaml", 2, 1)]


def test_a_module_that_comes_to_shadow_an_oracles_import_is_judged_with_its_entry() -> None:
    good = edited(dict(good_project()), swap(ORACLE, "from orders", "import adding\nfrom orders"))
    assert "predicate-shadowed" in rules(good, edited(good, put("props/order_total/__init__.py", b"")))
    undecidable = edited(good, put("props/adding.py", b"exec('X = 1')\n"))
    assert found(evaluate_memory(good, undecidable)) == [("closure-undecidable", "props/adding.py", 1, 1)]


def test_an_oracle_is_reread_when_a_config_moves_its_folder() -> None:
    """The config in force is the old side's: what it does not call an oracle folder stays outside."""
    good = dict(good_project())
    moved = edited(good, put(".freezegate.yaml", b"layout: {oracles: checks}\n"), move(ORACLE, "checks/order_total.py"),
                   swap(ENTRY, "props/", "checks/"))  # fmt: skip
    assert {"oracle-path", "gate-mixed"} <= set(rules(good, moved))

"""Hook predicate-scope: each rule, accepted and rejected."""

from __future__ import annotations

import test_rules_predicate_vacuous
from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, good_project
from memory import Executable, Link
from rule_tables import (
    Edit,
    Files,
    Row,
    accept,
    append,
    assert_complete,
    drop,
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
GENERATOR = "tests/fixtures/gen_orders.py"
OTHER = "tests/properties/rounding.scope.yaml"
UNBOUND = drop(RECORD, COUNTEREXAMPLE, CITATION)
UNCITED = drop(CITATION)
TOUCHED = swap(SCOPE, "max: 20", "max: 21")
MORE = append(PREDICATE, "# more\n")
LOCK_HINT = f"freezegate lock {SCOPE} && git add -- {SCOPE}"


# Where a source folder is a package, what lies beside it can be imported.
PACKAGED_CONFIG = "layout: {source: [src, lib/shop]}\n"
PACKAGED = (
    put("lib/shop/orders.py", "A = 1\n"),
    put("lib/tax.py", "A = 1\n"),
    append(PREDICATE, "import tax\n"),
    UNCITED,
)


def scope(scope_id: str, predicate: str = f"{PREDICATE}:test_total_non_negative", more: str = "") -> str:
    return (
        f"scope_id: {scope_id}\npredicate: {predicate}\ndomain: {{}}\ngenerator: {GENERATOR}\n"
        f"seed_lock: tests/fixtures/order_total.lock\nschema_version: 3\n{more}"
    )


def locked(path: str = SCOPE) -> Edit:
    """Write the digest of the closure that good_project() has into a scope."""

    def edit(files: Files) -> Files:
        from building import item
        from freezegate.digests import digest_of

        parts = [(name, files[name]) for name in sorted((PREDICATE, AMOUNTS))]
        digest = digest_of([item(name.encode(), data) for name, data in parts if isinstance(data, bytes)], sized=False)
        text = files[path]
        assert isinstance(text, bytes)
        kept = [line for line in text.splitlines(keepends=True) if not line.startswith(b"predicate_digest")]
        return {**files, path: b"".join(kept) + f"predicate_digest: {digest}\n".encode()}

    return edit


STALE = append(SCOPE, f"predicate_digest: {'f' * 64}\n")
WITHOUT_SCOPE: list[Row] = [
    accept("predicate-without-scope", "changed-together", MORE, TOUCHED, rebound(), before=(UNCITED,)),
    accept("predicate-without-scope", "source-is-no-part-of-it", append("src/orders.py", "# more\n")),
    accept("predicate-without-scope", "locked-anew", MORE, locked(), rebound(), before=(UNCITED, locked(), rebound())),
    accept("predicate-without-scope", "new-scope-for-an-old-predicate", put(OTHER, scope("order_total.rounded"))),
    reject("predicate-without-scope", "alone", MORE, at=f"{SCOPE}:2:1", says=f"{PREDICATE} changed", hint=LOCK_HINT),
    reject("predicate-without-scope", "helper-alone", append(AMOUNTS, "# more\n"),
           at=f"{SCOPE}:2:1", says=f"{AMOUNTS} changed", hint=LOCK_HINT),
    reject("predicate-without-scope", "helper-deleted", drop(AMOUNTS),
           at=f"{SCOPE}:2:1", says=f"{AMOUNTS} changed", hint=LOCK_HINT),
    reject("predicate-without-scope", "file-that-an-import-could-mean", put("tests/fixtures/amounts.py", "A = 1\n"),
           at=f"{SCOPE}:2:1", says="tests/fixtures/amounts.py changed", hint=LOCK_HINT),
    reject("predicate-without-scope", "source-folder-that-becomes-a-package", put("lib/shop/__init__.py", ""),
           at=f"{SCOPE}:2:1", says="lib/tax.py changed", hint=LOCK_HINT, before=PACKAGED, config=PACKAGED_CONFIG),
    reject("predicate-without-scope", "mode-alone", put(PREDICATE, Executable(good_project()[PREDICATE])),
           at=f"{SCOPE}:2:1", says=f"{PREDICATE} changed", hint=LOCK_HINT),
    reject("predicate-without-scope", "moved-scope-of-equal-bytes", MORE, move(SCOPE, OTHER), rebound(),
           at=f"{OTHER}:2:1", says=f"{PREDICATE} changed", hint=f"freezegate lock {OTHER}", before=(UNCITED,)),
    reject("predicate-without-scope", "one-of-two-scopes", MORE, TOUCHED, rebound(),
           at=f"{OTHER}:2:1", says=f"{PREDICATE} changed", hint=f"freezegate lock {OTHER}",
           before=(UNCITED, put(OTHER, scope("order_total.rounded")))),
    reject("predicate-without-scope", "stale-digest", STALE, rebound(),
           at=f"{SCOPE}:2:1", says="has the digest", hint=LOCK_HINT),
    reject("predicate-without-scope", "digest-that-was-right", MORE,
           at=f"{SCOPE}:2:1", says="the scope says", hint=LOCK_HINT, before=(locked(), rebound())),
    reject("predicate-without-scope", "plain-digest-under-sized",
           locked(), rebound(sized=True), at=f"{SCOPE}:2:1", says="sized:", hint=LOCK_HINT,
           before=(rebound(sized=True),), config="policy: {framing: sized}\n"),
]  # fmt: skip

LOOSE = "tests/properties/loose.py"
FUNCTION = "def test_loose(case):\n    assert case\n"
UNSCOPED: list[Row] = [
    accept("property-unscoped", "with-its-scope", put(LOOSE, FUNCTION), put(OTHER, scope("loose.one", f"{LOOSE}:test_loose"))),
    accept("property-unscoped", "old-function-in-a-changed-file", append(LOOSE, "# more\n"), before=(put(LOOSE, FUNCTION),)),
    accept("property-unscoped", "another-function-changed", append(LOOSE, "def helper():\n    return 1\n"),
           before=(put(LOOSE, FUNCTION),)),
    accept("property-unscoped", "no-property-by-its-look", put(LOOSE, "def test_a(case, x): pass\ndef check(case): pass\n"
           "@given\ndef test_b(case): pass\nclass T:\n    def test_c(case): pass\n")),
    accept("property-unscoped", "not-a-property-file", put("tests/test_more.py", FUNCTION)),
    reject("property-unscoped", "added", put(LOOSE, "import os\n\n\n" + FUNCTION),
           at=f"{LOOSE}:4:1", says=f"no scope names {LOOSE}:test_loose", hint="*.scope.yaml below tests/properties/"),
    reject("property-unscoped", "changed-body", swap(LOOSE, "assert case", "assert not case"),
           at=f"{LOOSE}:1:1", says="test_loose", hint="*.scope.yaml", before=(put(LOOSE, FUNCTION),)),
    reject("property-unscoped", "beside-a-scoped-one", append(PREDICATE, "\n\n" + FUNCTION), TOUCHED, rebound(),
           at=f"{PREDICATE}:10:1", says="test_loose", hint="*.scope.yaml", before=(UNCITED,)),
    reject("property-unscoped", "moved-file", move(LOOSE, "tests/properties/looser.py"),
           at="tests/properties/looser.py:1:1", says="test_loose", hint="*.scope.yaml", before=(put(LOOSE, FUNCTION),)),
]  # fmt: skip

RETIRE = f"freezegate retire {SCOPE_ID}"
LOOSE_SCOPE = put(OTHER, scope("loose.one", f"{LOOSE}:test_loose"))
BY_SCOPE = (
    "id: prop.by_scope\noracle: tests/properties/loose.py:test_loose\nclaim: nothing is lost\n"
    f"mutates_fixture: false\nscope: {OTHER}\n"
)
CLAIM = put("catalog/by_scope.yaml", BY_SCOPE)
CLAIMED = put("catalog/claimed.json", '["prop.order_total", "prop.by_scope"]\n')
WITH_LOOSE = (put(LOOSE, FUNCTION), LOOSE_SCOPE)
REMOVED: list[Row] = [
    accept("property-removed", "with-its-predicate", drop(SCOPE, PREDICATE), before=(UNBOUND,)),
    accept("property-removed", "moved-file", move(SCOPE, OTHER), rebound()),
    accept("property-removed", "replaced-by-a-new-id", swap(SCOPE, SCOPE_ID, "order_total.more"), before=(UNBOUND,)),
    accept("property-removed", "other-function-unbound", swap(OTHER, "loose.one", "loose.two"), before=WITH_LOOSE),
    reject("property-removed", "with-a-record", drop(SCOPE, PREDICATE),
           at=f"{RECORD}:1:1", says="the old side has its record and its citation", hint=RETIRE,
           also=("record-scope-missing", "citation-open-record")),
    reject("property-removed", "with-all-that-excuses-it", drop(SCOPE, PREDICATE, RECORD, COUNTEREXAMPLE, CITATION),
           at=f"{SCOPE}:1:1", says="deleted: ", hint=RETIRE),
    reject("property-removed", "citation-left-behind", drop(SCOPE, PREDICATE, RECORD, COUNTEREXAMPLE),
           at=f"{CITATION}:1:1", says="its citation", hint=RETIRE, also=("citation-dangling",)),
    reject("property-removed", "predicate-stays", drop(SCOPE),
           at=f"{PREDICATE}:1:1", says="stays without a scope", hint="or take the function test_total_non_negative out", before=(UNBOUND,)),
    reject("property-removed", "with-source", drop(SCOPE, PREDICATE), append("src/orders.py", "# more\n"),
           at=f"{SCOPE}:1:1", says="deleted: order_total.non_negative: its scope is gone, and the change touches source",
           hint="in a change without source", before=(UNBOUND,)),
    reject("property-removed", "claimed", drop(OTHER, LOOSE),
           at="catalog/claimed.json:1:1", says="the claim prop.by_scope", hint="freezegate retire loose.one",
           before=(*WITH_LOOSE, CLAIM, CLAIMED), also=("oracle-missing",)),
    reject("property-removed", "names-another-predicate", swap(SCOPE, f"{PREDICATE}:test_total_non_negative",
           f"{LOOSE}:test_loose"), rebound(), at=f"{SCOPE}:2:1", says="names another predicate", hint=RETIRE,
           before=(put(LOOSE, FUNCTION), UNCITED)),
    reject("property-removed", "another-id", swap(SCOPE, SCOPE_ID, "order_total.more"),
           at=f"{SCOPE}:1:1", says="its scope file has the id order_total.more now", hint="back as it was",
           also=("record-scope-missing", "citation-open-record")),
    reject("property-removed", "became-unreadable", append(SCOPE, "x: [\n"),
           at=f"{SCOPE}:1:1", says="cannot be read any more", hint=f"mend {SCOPE}",
           also=("scope-unreadable",), before=(UNBOUND,)),
    reject("property-removed", "became-a-link", put(SCOPE, Link("elsewhere")),
           at=f"{PREDICATE}:1:1", says="its scope is gone", hint="back as it was", also=("layout-kind",), before=(UNBOUND,)),
]  # fmt: skip

SHADOWED: list[Row] = [
    accept("predicate-shadowed", "data-beside-it", put("tests/properties/amounts.json", "{}")),
    accept("predicate-shadowed", "no-start-of-a-package", put("tests/properties/amounts/__init__.txt", "x")),
    accept("predicate-shadowed", "shadow-of-another-stem", put("tests/bindings/README.so", b"\0")),
    accept("predicate-shadowed", "taken-away", drop("tests/properties/amounts.so"),
           before=(put("tests/properties/amounts.so", b"\0"),)),
    *[
        reject("predicate-shadowed", name, put(path, b""), *more, at=f"{at}:1:1", says=f"{at} could run in place",
               hint=f"git rm -r --cached -- {at}", **options)
        for name, path, at, more, options in (
            ("extension", "tests/properties/order_total.cpython-311-x86_64-linux-gnu.so", None, (), {}),
            ("compiled", "tests/properties/amounts.pyc", None, (), {}),
            ("cache", "tests/properties/__pycache__/x.cpython-311.pyc", "tests/properties/__pycache__", (), {}),
            ("package", "tests/properties/order_total/__init__.py", None, (), {}),
            ("generator", "tests/fixtures/gen_orders.pyd", None, (), {}),
            ("oracle", "props/order_total.so", None, (), {}),
        )
        for at in (at or path,)
    ],
]  # fmt: skip
TABLE = [*WITHOUT_SCOPE, *UNSCOPED, *REMOVED, *SHADOWED]
ELSEWHERE = test_rules_predicate_vacuous.TABLE


@rows(TABLE)
def test_row(row: Row) -> None:
    judge(row)


def test_table_is_complete() -> None:
    assert_complete([*TABLE, *ELSEWHERE], "predicate-scope")

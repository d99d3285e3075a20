"""Hook scope-schema: each rule, accepted and rejected."""

from __future__ import annotations

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID
from memory import Link, Submodule
from rule_tables import Row, accept, append, assert_complete, drop, judge, move, put, rebound, reject, rows, swap

PREDICATE = "tests/properties/order_total.py"
AMOUNTS = "tests/properties/amounts.py"
GENERATOR = "tests/fixtures/gen_orders.py"
LOCK = "tests/fixtures/order_total.lock"
UNBOUND = drop(RECORD, COUNTEREXAMPLE, CITATION)
# What a scope that cannot be read takes with it, so that each hook alone fails closed.
UNNAMED = ("property-removed",)
BLIND = ("record-scope-missing", "citation-open-record", "property-removed")
TOUCHED = swap(SCOPE, "max: 20", "max: 21")  # so that an edited predicate does not stand alone


def _scope(scope_id: str) -> str:
    return (
        f"scope_id: {scope_id}\npredicate: {PREDICATE}:test_total_non_negative\ndomain: {{}}\n"
        f"generator: {GENERATOR}\nseed_lock: {LOCK}\nschema_version: 3\n"
    )


SCOPES: list[Row] = [
    accept("scope-unreadable", "crlf", put(SCOPE, _scope(SCOPE_ID).replace("\n", "\r\n")), rebound()),
    accept("scope-unreadable", "stays-unreadable", append(PREDICATE, "# more\n"), before=(UNBOUND, put(SCOPE, "{"))),
    reject(
        "scope-unreadable",
        "duplicate-key",
        append(SCOPE, "schema_version: 3\n"),
        at=f"{SCOPE}:10:1",
        says='"schema_version"',
        hint="mend",
        also=BLIND,
    ),
    reject(
        "scope-unreadable",
        "anchor",
        swap(SCOPE, "[USD, EUR]", "&a [USD, EUR]"),
        at=f"{SCOPE}:4:13",
        says="anchor",
        hint="mend",
        before=(UNBOUND,),
        also=UNNAMED,
    ),
    reject(
        "scope-unreadable",
        "not-utf-8",
        put(SCOPE, b"scope_id: \xff\n"),
        at=f"{SCOPE}:1:11",
        says="UTF-8",
        hint="mend",
        before=(UNBOUND,),
        also=UNNAMED,
    ),
    reject(
        "scope-unreadable",
        "larger-than-documents-are",
        append(SCOPE, "#" + "x" * (1 << 20)),
        at=f"{SCOPE}:1:1",
        says="1 MiB",
        hint="below 1 MiB",
        before=(UNBOUND,),
        also=UNNAMED,
    ),
    reject(
        "scope-unreadable",
        "folded-path",
        swap(SCOPE, "generator: tests/fixtures/gen_orders.py", 'generator: "tests/fixtures/gen\\x5forders.py"'),
        at=f"{SCOPE}:7:1",
        says="without escapes",
        hint="write the value itself",
        before=(UNBOUND,),
        also=UNNAMED,
    ),
    accept("scope-schema", "every-optional-field", append(SCOPE, "description: more\ninputs: []\n"), rebound()),
    reject(
        "scope-schema",
        "reversed-range",
        swap(SCOPE, "min: 1,", "min: 21,"),
        at=f"{SCOPE}:5:3",
        says="/domain/qty",
        hint="edit",
        also=BLIND,
    ),
    reject(
        "scope-schema",
        "unknown-key-in-a-scope-nobody-binds",
        append(SCOPE, "owner: me\n"),
        at=f"{SCOPE}:10:1",
        says="/owner",
        hint="edit",
        before=(UNBOUND,),
        also=UNNAMED,
    ),
    reject(
        "scope-schema",
        "two-violations",
        swap(SCOPE, "schema_version: 3", "schema_version: 2\nowner: me"),
        at=(f"{SCOPE}:9:1", f"{SCOPE}:10:1"),
        says="/schema_version",
        hint="edit",
        before=(UNBOUND,),
        also=UNNAMED,
    ),
    reject(
        "scope-schema",
        "required-predicate-digest",
        swap(SCOPE, "max: 20", "max: 21"),
        rebound(),
        at=f"{SCOPE}:2:1",
        says="/predicate_digest",
        hint=f"freezegate lock {SCOPE}",
        config="policy: {require_predicate_digest: true}\n",
    ),
    accept(
        "scope-path",
        "lock-beside-the-generators",
        move(LOCK, "tests/fixtures/locks/a.lock"),
        swap(SCOPE, LOCK, "tests/fixtures/locks/a.lock"),
        rebound(),
    ),
    accept(
        "scope-path", "input-at-the-root", append(SCOPE, "inputs: [README.md]\n"), put("README.md", "x\n"), rebound()
    ),
    reject(
        "scope-path",
        "dots-in-the-generator",
        swap(SCOPE, GENERATOR, "tests/fixtures/../fixtures/gen_orders.py"),
        at=f"{SCOPE}:7:1",
        says='has a component ".."',
        hint=f"edit {SCOPE}",
        also=("citation-open-record",),
    ),
    reject(
        "scope-path",
        "absolute-lock",
        swap(SCOPE, LOCK, "/" + LOCK),
        at=f"{SCOPE}:8:1",
        says="is absolute",
        hint=f"edit {SCOPE}",
        before=(UNBOUND,),
    ),
    reject(
        "scope-path",
        "backslash-and-double-slash",
        append(SCOPE, "inputs: ['a\\b', a//b]\n"),
        at=(f"{SCOPE}:10:10", f"{SCOPE}:10:17"),
        says="/inputs/0",
        hint=f"edit {SCOPE}",
        before=(UNBOUND,),
    ),
    reject(
        "scope-path",
        "predicate-outside-its-folder",
        swap(SCOPE, PREDICATE, "props/order_total.py"),
        at=f"{SCOPE}:2:1",
        says="outside tests/properties/",
        hint=f"edit {SCOPE}",
        before=(UNBOUND, drop(PREDICATE)),
    ),
    reject(
        "scope-path",
        "generator-is-no-python",
        swap(SCOPE, GENERATOR, LOCK),
        at=f"{SCOPE}:7:1",
        says="no Python file",
        hint=f"edit {SCOPE}",
        before=(UNBOUND,),
    ),
    reject(
        "scope-path",
        "input-in-source",
        append(SCOPE, "inputs: [src/orders.py]\n"),
        at=f"{SCOPE}:10:10",
        says="source",
        hint=f"edit {SCOPE}",
        before=(UNBOUND,),
    ),
    accept("scope-id-duplicate", "another-id", put("tests/properties/b.scope.yaml", _scope("order_total.rounded"))),
    accept("scope-id-duplicate", "moved-scope", move(SCOPE, "tests/properties/b.scope.yaml"), rebound()),
    reject(
        "scope-id-duplicate",
        "two-scopes",
        put("tests/properties/z.scope.yaml", _scope(SCOPE_ID)),
        at="tests/properties/z.scope.yaml:1:1",
        says=f"the id of {SCOPE} too",
        hint="scope_id of its own",
        before=(UNBOUND,),
    ),
    reject(
        "scope-id-duplicate",
        "twin-folders",
        put("tests/fixtures/Sub/a", "1"),
        put("tests/fixtures/sub/b", "2"),
        at="tests/fixtures/sub:1:1",
        says="folding",
        hint="git mv -- tests/fixtures/sub",
    ),
    reject(
        "scope-id-duplicate",
        "nfc-and-nfd",
        put("fixtures/\u00e9.json", "1"),
        put("fixtures/e\u0301.json", "2"),
        at="fixtures/\u00e9.json:1:1",
        says="folding",
        hint="git mv -- ",
    ),
]

PREDICATES: list[Row] = [
    accept(
        "predicate-missing",
        "defaults-beside-one-parameter",
        swap(PREDICATE, "(case)", "(case, again=1, *, how=None)"),
        TOUCHED,
        rebound(),
        before=(drop(CITATION),),
    ),
    reject(
        "predicate-missing",
        "deleted",
        drop(PREDICATE),
        at=f"{SCOPE}:2:1",
        says=f"no regular file {PREDICATE}",
        hint="def test_total_non_negative(case):",
    ),
    reject(
        "predicate-missing",
        "a-link",
        put(PREDICATE, Link("amounts.py")),
        at=f"{SCOPE}:2:1",
        says="no regular file",
        hint="def test_total_non_negative(case):",
    ),
    reject(
        "predicate-missing",
        "a-submodule",
        put(PREDICATE, Submodule()),
        at=f"{SCOPE}:2:1",
        says="no regular file",
        hint="def test_total_non_negative(case):",
    ),
    reject(
        "predicate-missing",
        "folder-became-a-file",
        drop("tests/properties/deep"),
        put("tests/properties/deep", "x"),
        at=f"{SCOPE}:2:1",
        says="no regular file",
        hint="define",
        before=(
            UNBOUND,
            move(PREDICATE, "tests/properties/deep/p.py"),
            swap(SCOPE, PREDICATE, "tests/properties/deep/p.py"),
        ),
    ),
    *[
        reject(
            "predicate-missing",
            name,
            put(PREDICATE, text),
            TOUCHED,
            rebound(),
            at=f"{SCOPE}:2:1",
            says=says,
            hint="def test_total_non_negative(case):",
            before=(drop(CITATION),),
        )
        for name, text, says in (
            ("renamed", "def test_other(cases):\n    pass\n", "no function"),
            ("no-python", "def test_total_non_negative(case):\n", "does not parse (line 1"),
            ("bound-twice", "def test_total_non_negative(case): pass\ntest_total_non_negative = 1\n", "bound 2 times"),
            ("star-import", "from os import *\ndef test_total_non_negative(case): pass\n", "star import"),
            ("decorated", "import a\n@a.b\ndef test_total_non_negative(case): pass\n", "decorated"),
            ("asynchronous", "async def test_total_non_negative(case): pass\n", "asynchronous"),
            ("generator", "def test_total_non_negative(case):\n    yield\n", "generator"),
            ("two-parameters", "def test_total_non_negative(case, seed): pass\n", "2 required"),
            ("no-parameter", "def test_total_non_negative(*case): pass\n", "0 required"),
            ("keyword-only", "def test_total_non_negative(case, *, seed): pass\n", "keyword-only"),
            ("lambda", "test_total_non_negative = lambda case: True\n", "not a def"),
            ("nested", "if True:\n    def test_total_non_negative(case): pass\n", "not a def"),
        )
    ],
]

EVAL = "def generate(domain, rng):\n    return eval('1')\n"
COOKIE = "# coding: utf-7\ndef generate(domain, rng):\n    return {}\n"
CLOSURES: list[Row] = [
    accept("closure-undecidable", "literal-import", append(AMOUNTS, "from importlib import import_module\n"
           "import_module('order_total')\n"), TOUCHED, rebound(), before=(drop(CITATION),)),
    reject("closure-undecidable", "eval-in-a-generator", put(GENERATOR, EVAL), rebound(),
           at=f"{GENERATOR}:2:12", says="eval", hint="plain import statement"),
    reject("closure-undecidable", "path-in-an-imported-helper", append(AMOUNTS, "import sys\nsys.path.append('.')\n"),
           TOUCHED, rebound(), at=f"{AMOUNTS}:7:1", says="sys.path", hint="plain import statement",
           before=(drop(CITATION),)),
    reject("closure-undecidable", "in-an-oracle", append("props/order_total.py", "exec('')\n"),
           at="props/order_total.py:6:1", says="exec", hint="plain import statement"),
    reject("closure-undecidable", "imported-file-does-not-parse", put(AMOUNTS, "def ("), TOUCHED, rebound(),
           at=f"{AMOUNTS}:1:5", says="parse", hint="plain import statement", before=(drop(CITATION),)),
    accept("closure-undecidable", "nobody-imports-it", put("tests/properties/loose.py", "eval('1')\n")),
    accept("source-disguised", "utf-8-cookie", put(GENERATOR, COOKIE.replace("utf-7", "utf-8")), rebound()),
    reject("source-disguised", "another-cookie", put(GENERATOR, COOKIE), rebound(),
           at=f"{GENERATOR}:1:11", says="utf-7", hint="plain UTF-8"),
    reject("source-disguised", "lone-carriage-return", append(AMOUNTS, "# a\rimport os\n"), TOUCHED, rebound(),
           at=f"{AMOUNTS}:6:4", says="carriage return", hint="plain UTF-8", before=(drop(CITATION),)),
    reject("source-disguised", "bidirectional-control", append(AMOUNTS, "# \u202e\n"), TOUCHED, rebound(),
           at=f"{AMOUNTS}:6:3", says="U+202E", hint="plain UTF-8", before=(drop(CITATION),)),
]  # fmt: skip
TABLE = [*SCOPES, *PREDICATES, *CLOSURES]


@rows(TABLE)
def test_row(row: Row) -> None:
    judge(row)


def test_table_is_complete() -> None:
    assert_complete(TABLE, "scope-schema")

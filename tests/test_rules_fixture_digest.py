"""Hook fixture-digest: each rule, accepted and rejected."""

from __future__ import annotations

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE
from memory import Link, Submodule
from rule_tables import (
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

PREDICATE = "tests/properties/order_total.py"
GENERATOR = "tests/fixtures/gen_orders.py"
LOCK = "tests/fixtures/order_total.lock"
CLAIMED = "catalog/claimed.json"
FIXTURE = "fixtures/orders.json"
UNBOUND = drop(RECORD, COUNTEREXAMPLE, CITATION)
UNCITED = drop(CITATION)
REOPENED = ("citation-open-record",)
BIND = f"freezegate bind --scope {SCOPE} --case {COUNTEREXAMPLE}"
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12\n"
SIZED = "policy: {framing: sized}\n"
HELPED = append(GENERATOR, "import helper\n")
HELPER = put("tests/fixtures/helper.py", "A = 1\n")
INPUT = append(SCOPE, "inputs: [tests/fixtures/helper.py]\n")

MISMATCH: list[Row] = [
    accept("digest-mismatch", "bound-again", append(GENERATOR, "# more\n"), rebound()),
    accept("digest-mismatch", "predicate-is-no-part-of-it", append(PREDICATE, "# more\n"),
           append(SCOPE, "# more\n"), rebound(), before=(UNCITED,)),
    accept("digest-mismatch", "sized-where-plain-would-do", append(GENERATOR, "# more\n"), rebound(sized=True)),
    accept("digest-mismatch", "sized", append(GENERATOR, "# more\n"), rebound(sized=True),
           before=(rebound(sized=True),), config=SIZED),
    accept("digest-mismatch", "default-lock", append("tests/fixtures/seeds.lock", "# more\n"), rebound(),
           before=(move(LOCK, "tests/fixtures/seeds.lock"), swap(SCOPE, f"seed_lock: {LOCK}\n", ""), rebound())),
    *[
        reject("digest-mismatch", name, *edits, at=f"{RECORD}:3:3", says="the tree gives", hint=BIND,
               also=REOPENED, **options)
        for name, edits, options in (
            ("generator-edited", (append(GENERATOR, "# more\n"),), {}),
            ("lock-edited", (append(LOCK, "# more\n"),), {}),
            ("scope-edited", (append(SCOPE, "# more\n"),), {}),
            ("input-edited", (append("tests/fixtures/helper.py", "# more\n"),), {"before": (HELPER, INPUT, rebound())}),
            ("default-lock-edited", (append("tests/fixtures/seeds.lock", "# more\n"),),
             {"before": (move(LOCK, "tests/fixtures/seeds.lock"), swap(SCOPE, f"seed_lock: {LOCK}\n", ""), rebound())}),
        )
    ],
    reject("digest-mismatch", "scope-moved", move(SCOPE, "tests/properties/moved.scope.yaml"),
           at=f"{RECORD}:3:3", says="the tree gives", also=REOPENED,
           hint=f"freezegate bind --scope tests/properties/moved.scope.yaml --case {COUNTEREXAMPLE}"),
    reject("digest-mismatch", "typed-by-hand", fields(RECORD, fixture_digest="a" * 64),
           at=f"{RECORD}:3:3", says=f"the record says {'a' * 64}", hint=BIND, before=(UNCITED,)),
    reject("digest-mismatch", "plain-where-policy-asks-for-sized", append(GENERATOR, "# more\n"), rebound(),
           at=f"{RECORD}:3:3", says="the tree gives sized:", hint=BIND, also=REOPENED, config=SIZED,
           before=(rebound(sized=True),)),
]  # fmt: skip

MISSING: list[Row] = [
    accept("digest-input-missing", "moved-and-named", move(GENERATOR, "tests/fixtures/gen.py"),
           swap(SCOPE, GENERATOR, "tests/fixtures/gen.py"), rebound()),
    accept("digest-input-missing", "other-fixtures", drop(FIXTURE), put("fixtures/more.json", "[]")),
    reject("digest-input-missing", "generator-deleted", drop(GENERATOR), at=f"{SCOPE}:7:1",
           says=f"/generator: there is no regular file {GENERATOR}", hint=f"add {GENERATOR}, or edit", also=REOPENED),
    reject("digest-input-missing", "lock-deleted", drop(LOCK), at=f"{SCOPE}:8:1",
           says="/seed_lock", hint=f"add {LOCK}", also=REOPENED),
    reject("digest-input-missing", "default-lock-absent", swap(SCOPE, f"seed_lock: {LOCK}\n", ""), at=f"{SCOPE}:1:1",
           says="tests/fixtures/seeds.lock", hint="add tests/fixtures/seeds.lock", before=(UNBOUND,)),
    reject("digest-input-missing", "input-absent", INPUT, at=f"{SCOPE}:10:10", says="/inputs/0", hint="add",
           before=(UNBOUND,)),
    reject("digest-input-missing", "generator-is-a-folder", move(GENERATOR, f"{GENERATOR}/x"), at=f"{SCOPE}:7:1",
           says="no regular file", hint="add", before=(UNBOUND,)),
    reject("digest-input-missing", "no-fixtures", drop("fixtures"), at=f"{CLAIMED}:1:1",
           says="the fixture tree fixtures/ holds no files", hint="add the fixtures below fixtures/"),
]  # fmt: skip

KINDS: list[Row] = [
    accept("digest-input-kind", "large-text-like-a-pointer", put(FIXTURE, POINTER + "x" * 2000)),
    accept("digest-input-kind", "link-nobody-hashes", put("tests/fixtures/other", Link("gen_orders.py"))),
    reject("digest-input-kind", "generator-is-a-link", move(GENERATOR, "tests/fixtures/gen.py"),
           put(GENERATOR, Link("gen.py")), at=f"{SCOPE}:7:1", says=f"{GENERATOR} is a symbolic link",
           hint="commit the file itself", also=REOPENED),
    reject("digest-input-kind", "lock-is-a-submodule", put(LOCK, Submodule()), at=f"{SCOPE}:8:1",
           says=f"{LOCK} is a submodule", hint="commit the file itself", also=REOPENED),
    reject("digest-input-kind", "input-below-a-link", drop("data"), put("data", Link("elsewhere")),
           at=f"{SCOPE}:10:10", says="/inputs/0: data is a symbolic link", hint="commit the file itself", also=REOPENED,
           before=(put("data/x", "1"), append(SCOPE, "inputs: [data/x]\n"), rebound())),
    reject("digest-input-kind", "lock-is-a-pointer", put(LOCK, POINTER), rebound(), at=f"{SCOPE}:8:1",
           says="LFS pointer", hint="commit the file itself"),
    reject("digest-input-kind", "imported-link", append(PREDICATE, "import extra\n"), append(SCOPE, "# more\n"),
           put("tests/properties/extra.py", Link("amounts.py")), rebound(), at="tests/properties/extra.py:1:1",
           says="a link or submodule stands where a closure imports from", hint="commit the file itself",
           before=(UNCITED,)),
    reject("digest-input-kind", "fixture-is-a-link", put("fixtures/more.json", Link("orders.json")),
           at="fixtures/more.json:1:1", says="fixtures/more.json is a symbolic link", hint="commit the file itself"),
    reject("digest-input-kind", "fixture-is-a-submodule", put("fixtures/deep/more", Submodule()),
           at="fixtures/deep/more:1:1", says="is a submodule", hint="commit the file itself"),
    reject("digest-input-kind", "fixture-is-a-pointer", put(FIXTURE, POINTER), at=f"{FIXTURE}:1:1",
           says=f"{FIXTURE} is an LFS pointer", hint="commit the file itself"),
    reject("digest-input-kind", "root-is-a-link", drop("fixtures"), put("fixtures", Link("tests")),
           at="fixtures:1:1", says="fixtures is a symbolic link", hint="commit the file itself", also=("layout-kind",)),
]  # fmt: skip

AMBIGUOUS: list[Row] = [
    accept("digest-ambiguous", "sized", put(LOCK, b"\0"), put("fixtures/more.bin", b"\0"), rebound(sized=True),
           before=(rebound(sized=True),), config=SIZED),
    accept("digest-ambiguous", "not-hashed", put("tests/fixtures/other", b"\0")),
    accept("digest-ambiguous", "gone", drop("fixtures/more.bin"), before=(put("fixtures/more.bin", b"\0"),)),
    accept("digest-ambiguous", "last-file-without-line-feed", put(LOCK, "order_total.non_negative 18"), rebound()),
    accept("digest-ambiguous", "empty-file", put(LOCK, ""), rebound()),
    reject("digest-ambiguous", "generator-without-line-feed", append(GENERATOR, "# the end"), rebound(),
           at=f"{GENERATOR}:1:1", says=f"{GENERATOR} does not end with a line feed", hint=f"end {GENERATOR} with",
           also=REOPENED),
    reject("digest-ambiguous", "scope-without-line-feed", append(SCOPE, "# the end"), rebound(), at=f"{SCOPE}:1:1",
           says=f"{SCOPE} does not end with a line feed", hint=f"end {SCOPE} with", also=REOPENED),
    reject("digest-ambiguous", "lock-with-a-zero-byte", put(LOCK, b"1\0"), rebound(), at=f"{LOCK}:1:1",
           says=f"{LOCK} has a zero byte", hint="framing: sized", also=REOPENED),
    reject("digest-ambiguous", "fixture-with-a-late-zero-byte", put("fixtures/more.bin", b"1" * 2000 + b"\0"),
           at="fixtures/more.bin:1:1", says="fixtures/more.bin has a zero byte", hint="framing: sized"),
    reject("digest-ambiguous", "control-character-in-a-fixture-name", put("fixtures/a\nb", "1"),
           at="fixtures/a\\x0ab:1:1", says="fixtures/a\\x0ab", hint="framing: sized"),
    reject("digest-ambiguous", "fixture-name-not-utf-8", put("fixtures/a\udcff", "1"),
           at="fixtures/a\\xff:1:1", says="UTF-8", hint="framing: sized"),
]  # fmt: skip

UNLOCKED: list[Row] = [
    accept("generator-import-unlocked", "listed", HELPED, HELPER, INPUT, rebound()),
    accept("generator-import-unlocked", "standard-library-and-source", append(GENERATOR, "import json, orders\n"),
           rebound()),
    reject("generator-import-unlocked", "helper", HELPED, HELPER, rebound(), at=f"{SCOPE}:7:1",
           says="it imports tests/fixtures/helper.py", hint=f"edit {SCOPE}: add tests/fixtures/helper.py to inputs"),
    reject("generator-import-unlocked", "helper-appears", HELPER, at=f"{SCOPE}:7:1",
           says="tests/fixtures/helper.py", hint="inputs", before=(HELPED, rebound())),
    reject("generator-import-unlocked", "helper-of-a-listed-helper", HELPED, INPUT, put("tests/fixtures/helper.py",
           "import amounts\n"), rebound(), at=f"{SCOPE}:7:1", says="tests/properties/amounts.py", hint="inputs"),
]  # fmt: skip
TABLE = [*MISMATCH, *MISSING, *KINDS, *AMBIGUOUS, *UNLOCKED]


@rows(TABLE)
def test_row(row: Row) -> None:
    judge(row)


def test_table_is_complete() -> None:
    assert_complete(TABLE, "fixture-digest")

"""Edited oracles: each way in which a change can move what judges it is seen, and nothing else is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import pytest

from building import SCOPE, good_project
from freezegate.documents.config import DEFAULT
from freezegate.gate.archive import Archive
from freezegate.gate.governed import Governed
from freezegate.git.snapshot import Snapshot, Trees
from freezegate.verdicts.edited import edited
from memory import DAY, Content, Executable, Link, MemoryStore, Submodule, entries_of

Files = Mapping[str, Content]
Edit = Callable[[dict[str, Content]], object]

CASES, SCOPED, NODE = "prop.order_total", "prop.scoped", "prop.node"
ENTRY, ORACLE, ROWS = "catalog/order_total.yaml", "props/order_total.py", "fixtures/orders.json"
PREDICATE, GENERATOR, LOCK = (
    "tests/properties/order_total.py",
    "tests/fixtures/gen_orders.py",
    "tests/fixtures/order_total.lock",
)


def project() -> dict[str, Content]:
    """Three properties: one of cases, one of a scope, one that is a pytest node; each with a helper."""
    files: dict[str, Content] = dict(good_project())
    files[ORACLE] = b"import deep.sums\n" + good_project()[ORACLE]
    files["props/deep/sums.py"] = "from below import ZERO\n"
    files["props/below.py"] = "ZERO = 0\n"
    files[GENERATOR] = b"import gen_tools\n" + good_project()[GENERATOR]
    files["tests/fixtures/gen_tools.py"] = "TOP = 1\n"
    files[SCOPE] = good_project()[SCOPE] + b"inputs: [tests/data/rates.txt]\n"
    files["tests/data/rates.txt"] = "1\n"
    files["catalog/scoped.yaml"] = (
        f"id: {SCOPED}\noracle: {PREDICATE}:test_total_non_negative\nclaim: never negative\n"
        f"mutates_fixture: false\nscope: {SCOPE}\n"
    )
    files["props/test_node.py"] = "def test_node():\n    assert True\n"
    files["props/conftest.py"] = "import below\n"
    files["catalog/node.yaml"] = (
        f"id: {NODE}\noracle: props/test_node.py::test_node\nclaim: it holds\nmutates_fixture: false\n"
    )
    files["catalog/claimed.json"] = f'["{CASES}", "{SCOPED}", "{NODE}"]\n'
    return files


def trees(*sides: Files) -> list[Governed]:
    store = MemoryStore()
    known = Trees(store)
    roots = [store.tree(entries_of(store, files)) for files in sides]
    return [Governed(Snapshot(known, root), DEFAULT, Archive(store), DAY) for root in roots]


def after(change: Edit, start: Files | None = None) -> dict[str, tuple[str, ...]]:
    """What is edited after a change of the project."""
    before = dict(project() if start is None else start)
    files = dict(before)
    change(files)
    head, fork = trees(files, before)
    return edited(head, fork, fork, lambda prop_id: True)


def put(path: str, content: Content) -> Edit:
    return lambda files: files.__setitem__(path, content)


def sub(path: str, old: str, new: str) -> Edit:
    def change(files: dict[str, Content]) -> None:
        content = files[path]
        text = content.decode() if isinstance(content, bytes) else content
        assert isinstance(text, str) and old in text
        files[path] = text.replace(old, new)

    return change


def rename(old: str, new: str) -> Edit:
    return lambda files: files.__setitem__(new, files.pop(old))


def drop(*paths: str) -> Edit:
    return lambda files: [files.pop(path) for path in paths]


def both(*edits: Edit) -> Edit:
    return lambda files: [edit(files) for edit in edits]


def to_link(folder: str) -> Edit:
    """The folder's files elsewhere, and a link in its place."""

    def change(files: dict[str, Content]) -> None:
        for path in [path for path in files if path.startswith(folder + "/")]:
            files["elsewhere/" + path] = files.pop(path)
        files[folder] = Link("elsewhere/" + folder)

    return change


UNTOUCHED = {
    "nothing": lambda files: None,
    "source": put("src/orders.py", "def total_cents(qty, unit_cents):\n    return 0\n"),
    "new source": put("src/more.py", "X = 1\n"),
    "readme": put("README", "hello\n"),
    "another oracle file": put("props/unrelated.py", "X = 1\n"),
    "another fixture": put("fixtures/blob.bin", b"\0"),
    "ledger": put("freezes/ledger.json", "[ ]\n"),
    "claims": put("catalog/claimed.json", f'["{CASES}"]\n'),
    "a row at the end": sub(ROWS, '"total": 0}', '"total": 0}, {"lines": [7], "total": 7}'),
    "a row in front": sub(ROWS, "[\n", '[\n  {"lines": [7], "total": 7},\n'),
    "a row between": sub(ROWS, "3},", '3}, {"lines": [7], "total": 7},'),
    "a file of rows": put("fixtures/new.json", '[{"lines": [7], "total": 7}]'),
    "rows laid out otherwise": put(ROWS, '[{"lines":[1,2],"total":3},{"lines":[],"total":0}]'),
    "a case of the scope": put("tests/bindings/order_total.non_negative.cex.json", "{}"),
}


@pytest.mark.parametrize("change", UNTOUCHED.values(), ids=UNTOUCHED)
def test_what_edits_no_oracle(change: Edit) -> None:
    assert after(change) == {}


HELPER, DEEP = "props/deep/sums.py", "props/below.py"
NODE_FILES = ("props/test_node.py", "props/conftest.py", DEEP)
ROW = '{"lines": [1, 2], "total": 3},\n'

EDITED: dict[str, tuple[Edit, dict[str, tuple[str, ...]]]] = {
    "oracle file": (sub(ORACLE, "==", "<="), {CASES: (ORACLE,)}),
    "comment in the oracle": (sub(ORACLE, "def", "# text\ndef"), {CASES: (ORACLE,)}),
    "helper": (put(HELPER, "from below import ZERO as Z\n"), {CASES: (HELPER,)}),
    "helper of a helper": (put(DEEP, "ZERO = 1\n"), {CASES: (DEEP,), NODE: (DEEP,)}),
    "helper gone": (drop(HELPER), {CASES: (HELPER,)}),
    "import dropped": (sub(ORACLE, "import deep.sums\n", ""), {CASES: (ORACLE,)}),
    "oracle gone": (drop(ORACLE), {CASES: (ORACLE,)}),
    "imported source gone": (drop("src/orders.py"), {CASES: ("src/orders.py",), SCOPED: ("src/orders.py",)}),
    "oracle renamed": (
        both(rename(ORACLE, "props/other.py"), sub(ENTRY, "props/order_total", "props/other")),
        {CASES: (ENTRY, ORACLE, "props/other.py")},
    ),
    "oracle executable": (put(ORACLE, Executable(b"import deep.sums\n" + good_project()[ORACLE])), {CASES: (ORACLE,)}),
    "oracle a link": (put(ORACLE, Link("below.py")), {CASES: (ORACLE,)}),
    "helper a link": (put(HELPER, Link("../below.py")), {CASES: (HELPER,)}),
    "oracle folder a link": (to_link("props"), {CASES: ("props", ORACLE, HELPER, DEEP), NODE: ("props", *NODE_FILES)}),
    "helper folder a link": (to_link("props/deep"), {CASES: ("props/deep", HELPER)}),
    "oracle a folder": (both(drop(ORACLE), put(ORACLE + "/x", "")), {CASES: (ORACLE,)}),
    "oracle folder a submodule": (
        both(drop(*[path for path in project() if path.startswith("props/")]), put("props", Submodule())),
        {CASES: ("props", ORACLE, HELPER, DEEP), NODE: ("props", *NODE_FILES)},
    ),
    "helper package": (put("props/deep/sums/__init__.py", ""), {CASES: ("props/deep/sums/__init__.py",)}),
    "helper found earlier": (put("tests/properties/deep/sums.py", ""), {CASES: ("tests/properties/deep/sums.py",)}),
    "standard library shadowed": (
        both(sub(ORACLE, "import deep.sums\n", "import deep.sums\nimport json\n"), put("json.py", "")),
        {CASES: ("json.py", ORACLE)},
    ),
    "compiled twin": (put("props/order_total.cpython-311.pyc", b"\0"), {CASES: ("props/order_total.cpython-311.pyc",)}),
    "cache": (
        put("props/deep/__pycache__/sums.cpython-311.pyc", b"\0"),
        {CASES: ("props/deep/__pycache__",)},
    ),
    "catalog entry": (sub(ENTRY, "the total", "The total"), {CASES: (ENTRY,)}),
    "catalog entry moved": (rename(ENTRY, "catalog/a/b.yaml"), {CASES: ("catalog/a/b.yaml", ENTRY)}),
    "catalog entry gone": (drop(ENTRY), {CASES: (ENTRY,)}),
    "catalog entry unreadable": (put(ENTRY, "id: [\n"), {CASES: (ENTRY,)}),
    "catalog entry executable": (put(ENTRY, Executable(good_project()[ENTRY])), {CASES: (ENTRY,)}),
    "catalog a link": (
        to_link("catalog"),
        {CASES: (ENTRY,), SCOPED: ("catalog/scoped.yaml",), NODE: ("catalog/node.yaml",)},
    ),
    "new entry": (
        put("catalog/new.yaml", "id: prop.new\noracle: props/below.py:f\nclaim: x\nmutates_fixture: false\n"),
        {"prop.new": ("catalog/new.yaml",)},
    ),
    "second entry with the id": (
        put("catalog/twin.yaml", good_project()[ENTRY]),
        {CASES: (ENTRY, "catalog/twin.yaml")},
    ),
    "claimed and new": (
        both(
            put("catalog/new.yaml", "id: prop.new\noracle: props/below.py:f\nclaim: x\nmutates_fixture: false\n"),
            put("catalog/claimed.json", '["prop.new"]'),
        ),
        {"prop.new": ("catalog/new.yaml",)},
    ),
    "scope": (sub(SCOPE, "max: 20", "max: 1"), {SCOPED: (SCOPE,)}),
    "scope gone": (drop(SCOPE), {SCOPED: (SCOPE,)}),
    "scope unreadable": (put(SCOPE, "a: [\n"), {SCOPED: (SCOPE,)}),
    "predicate": (sub(PREDICATE, "assert", "assert True or"), {SCOPED: (PREDICATE,)}),
    "predicate helper": (sub("tests/properties/amounts.py", ">=", "<="), {SCOPED: ("tests/properties/amounts.py",)}),
    "generator": (sub(GENERATOR, "randint", "choice"), {SCOPED: (GENERATOR,)}),
    "generator helper": (put("tests/fixtures/gen_tools.py", "TOP = 2\n"), {SCOPED: ("tests/fixtures/gen_tools.py",)}),
    "generator gone": (drop(GENERATOR), {SCOPED: (GENERATOR,)}),
    "generator folder a link": (
        to_link("tests/fixtures"),
        {SCOPED: ("tests/fixtures", LOCK, GENERATOR, "tests/fixtures/gen_tools.py")},
    ),
    "input": (put("tests/data/rates.txt", "2\n"), {SCOPED: ("tests/data/rates.txt",)}),
    "input folder a link": (to_link("tests/data"), {SCOPED: ("tests/data", "tests/data/rates.txt")}),
    "seed lock": (sub(LOCK, "17", "18"), {SCOPED: (LOCK,)}),
    "conftest": (put("props/conftest.py", "import below, os\n"), {NODE: ("props/conftest.py",)}),
    "conftest at the root": (put("conftest.py", ""), {NODE: ("conftest.py",)}),
    "row removed": (sub(ROWS, ROW, ""), {CASES: (ROWS,)}),
    "row changed": (sub(ROWS, '"total": 3', '"total": 3.0'), {CASES: (ROWS,)}),
    "row true for one": (sub(ROWS, "[1, 2]", "[true, 2]"), {CASES: (ROWS,)}),
    "keys of a row turned": (sub(ROWS, ROW, '{"total": 3, "lines": [1, 2]},\n'), {CASES: (ROWS,)}),
    "rows turned": (put(ROWS, '[{"lines": [], "total": 0}, {"lines": [1, 2], "total": 3}]'), {CASES: (ROWS,)}),
    "rows unreadable": (put(ROWS, "["), {CASES: (ROWS,)}),
    "rows gone": (drop(ROWS), {CASES: (ROWS,)}),
    "rows renamed": (rename(ROWS, "fixtures/other.json"), {CASES: (ROWS,)}),
    "rows a link": (both(put("fixtures/copy.txt", ""), put(ROWS, Link("copy.txt"))), {CASES: (ROWS,)}),
    "rows executable": (put(ROWS, Executable(good_project()[ROWS])), {CASES: (ROWS,)}),
    "fixtures a link": (to_link("fixtures"), {CASES: ("fixtures",)}),
}


@pytest.mark.parametrize(("change", "expected"), EDITED.values(), ids=EDITED)
def test_what_edits_an_oracle(change: Edit, expected: dict[str, tuple[str, ...]]) -> None:
    assert after(change) == {prop_id: tuple(sorted(voided)) for prop_id, voided in expected.items()}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (ORACLE, "import sys\nsys.path.append('x')\n\ndef check_total(case): ...\n", {CASES: (f"{ORACLE}, line 2: ",)}),
        (HELPER, "exec('')\n", {CASES: (f"{HELPER}, line 1: ",)}),
        (DEEP, "def f(:\n", {CASES: (f"{DEEP}, line 1: ",), NODE: (f"{DEEP}, line 1: ",)}),
        (ORACLE, "def f(:\n", {CASES: (f"{ORACLE}, line 1: ",)}),
        (GENERATOR, "__import__(x)\n", {SCOPED: (f"{GENERATOR}, line 1: ",)}),
        (PREDICATE, "# coding: latin-1\n", {SCOPED: (f"{PREDICATE}, line 1: ",)}),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_edited_though_nothing_differs(
    path: str, text: str, expected: dict[str, tuple[str, ...]]
) -> None:
    files = {**project(), path: text}
    found = after(lambda files: None, files)
    assert found.keys() == expected.keys()
    for prop_id, voided in found.items():
        assert (
            len(voided) == 1
            and voided[0].startswith(expected[prop_id][0])
            and len(voided[0]) > len(expected[prop_id][0])
        )


@pytest.mark.parametrize(
    ("path", "content", "prop_id"),
    [
        ("props/order_total.so", b"\0", CASES),
        ("props/deep/sums/__init__.py", b"", CASES),
        ("tests/fixtures/__pycache__/x.pyc", b"\0", SCOPED),
        ("tests/properties/below.py", Link("x"), CASES),
    ],
)
def test_what_may_run_instead_is_edited_though_nothing_differs(path: str, content: Content, prop_id: str) -> None:
    assert prop_id in after(lambda files: None, {**project(), path: content})


def test_an_oracle_outside_its_folder_is_edited_though_nothing_differs() -> None:
    files = {**project(), ENTRY: "id: prop.x\noracle: src/orders.py:f\nclaim: x\nmutates_fixture: false\n"}
    assert after(lambda files: None, files) == {
        "prop.x": ("catalog/order_total.yaml: the oracle src/orders.py:f lies outside props/",)
    }


@pytest.mark.parametrize("named", ["generator: src/orders.py", "seed_lock: ../x", "inputs: [src/orders.py]"])
def test_a_scope_that_names_what_it_may_not_is_edited_though_nothing_differs(named: str) -> None:
    key = named.partition(":")[0]
    text = "".join(line for line in good_project()[SCOPE].decode().splitlines(True) if not line.startswith(key))
    (voided,) = after(lambda files: None, {**project(), SCOPE: text + named + "\n"}).values()
    assert len(voided) == 1 and voided[0].startswith(f"{SCOPE}: ")


def test_two_entries_with_one_id_are_edited_though_nothing_differs() -> None:
    files = {**project(), "catalog/twin.yaml": good_project()[ENTRY]}
    assert after(lambda files: None, files) == {CASES: (ENTRY, "catalog/twin.yaml")}
    assert after(drop("catalog/twin.yaml"), files) == {CASES: (ENTRY, "catalog/twin.yaml")}


def test_unreadable_rows_that_stay_the_same_are_no_edit() -> None:
    files = {**project(), ROWS: "["}
    assert after(lambda files: None, files) == {}
    assert after(put(ROWS, '[{"lines": [], "total": 0}]'), files) == {CASES: (ROWS,)}
    large = {**project(), ROWS: '[{"lines": [], "total": 0}]' + " " * (1 << 20)}
    assert after(lambda files: None, large) == {}
    assert after(lambda files: files.__setitem__(ROWS, str(large[ROWS]) + " "), large) == {CASES: (ROWS,)}


def test_without_scope_a_seed_lock_of_the_layout_counts() -> None:
    files = project()
    sub(SCOPE, f"seed_lock: {LOCK}\n", "")(files)
    files["tests/fixtures/seeds.lock"] = "1\n"
    assert after(put("tests/fixtures/seeds.lock", "2\n"), files) == {SCOPED: ("tests/fixtures/seeds.lock",)}


def test_each_row_of_several_must_stay() -> None:
    twice = '[{"lines": [], "total": 0}, {"lines": [], "total": 0}]'
    files = {**project(), ROWS: twice}
    assert after(put(ROWS, '[{"lines": [], "total": 0}]'), files) == {CASES: (ROWS,)}
    assert after(put(ROWS, twice.replace("[{", '[{"lines": [1], "total": 1}, {')), files) == {}


@pytest.mark.parametrize(
    ("path", "content"),
    [(ORACLE, "def check_total(case):\n    pass\n"), (ENTRY, good_project()[ENTRY] + b"# more\n"), (ROWS, "[]")],
)
def test_what_only_base_has_otherwise_counts_while_a_freeze_applies(path: str, content: Content) -> None:
    fork = project()
    head, fork_tree, base = trees({**fork, "src/orders.py": "X = 1\n"}, fork, {**fork, path: content})
    asked: list[str] = []

    def applies(prop_id: str) -> bool:
        asked.append(prop_id)
        return prop_id == CASES

    assert edited(head, fork_tree, base, applies) == {CASES: (path,)}
    assert edited(head, fork_tree, base, lambda prop_id: False) == {}
    assert edited(head, fork_tree, base, lambda prop_id: prop_id == NODE) == {}
    assert sorted(asked) == [NODE, CASES, SCOPED]


def test_base_may_have_more_rows_and_other_source_while_a_freeze_applies() -> None:
    fork = project()
    more = '[{"lines": [1, 2], "total": 3}, {"lines": [], "total": 0}, {"lines": [5], "total": 5}]'
    head, fork_tree, base = trees(fork, fork, {**fork, ROWS: more, "src/orders.py": "X = 1\n"})
    assert edited(head, fork_tree, base, lambda prop_id: True) == {}


def test_odd_names_are_shown_escaped() -> None:
    files = {**project(), "props/order_total.so": b"", "fixtures/a\udcff\n.json": "[{}]"}
    assert after(drop("fixtures/a\udcff\n.json"), files)[CASES] == ("fixtures/a\\xff\\x0a.json", "props/order_total.so")


TOML = '[project]\nname = "x"\n\n[tool.pytest.ini_options]\npythonpath = ["a"]\n'
INI = "[metadata]\nname = x\n[tool:pytest]\naddopts = -q\n[other]\nx = 1\n"


@pytest.mark.parametrize(
    ("path", "before", "after_it", "is_edit"),
    [
        ("pytest.ini", None, "", True),
        ("props/.pytest.ini", None, "[pytest]\n", True),
        ("pytest.toml", "a = 1\n", "a = 2\n", True),
        ("tests/pytest.ini", None, "[pytest]\n", False),
        ("setup.cfg", INI, INI.replace("-q", "-p cheat"), True),
        ("setup.cfg", INI, INI.replace("x", "y"), False),
        ("setup.cfg", None, "[metadata]\n", False),
        ("setup.cfg", "[metadata]\n", "[metadata]\n[ tool:pytest ]\n", True),
        ("tox.ini", "[tox]\n", "[tox]\n[pytest]\n", True),
        ("tox.ini", "[tox]\n", "[tox]\nenvlist = pytest\n", False),
        ("pyproject.toml", TOML, TOML.replace('"a"', '"b"'), True),
        ("pyproject.toml", None, TOML, True),
        ("pyproject.toml", TOML, "[project\n" + TOML, True),
        ("pyproject.toml", None, '["tool"."\\u0070ytest"]\nx = 1\n', True),
        ("pyproject.toml", "", "[project]\n", False),
        ("pyproject.toml", TOML, Link("x"), True),
    ],
)
def test_settings_of_pytest_are_part_of_a_node_alone(
    path: str, before: Content | None, after_it: Content, is_edit: bool
) -> None:
    files = {**project(), **({} if before is None else {path: before})}
    assert after(put(path, after_it), files) == ({NODE: (path,)} if is_edit else {})


@pytest.mark.skipif(sys.version_info < (3, 11), reason="without tomllib any change of the file counts")
def test_other_tables_of_pyproject_are_no_setting_of_pytest() -> None:
    files = {**project(), "pyproject.toml": TOML}
    assert after(put("pyproject.toml", TOML.replace('"x"', '"pytest-y"') + "# more\n"), files) == {}

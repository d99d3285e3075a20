"""Whatever else loads in place of what a patch ships, or of what judges it: it is seen before a run, or by the run itself."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from children import Project
from freezegate.gate.governed import Governed
from freezegate.paths import RepoPath
from freezegate.running.evaluation import ABSENT
from freezegate.running.nodes import node
from freezegate.running.rows import generated, rows
from freezegate.running.searching import search
from freezegate.verdicts.edited import moved
from freezegate.verdicts.resting import reached
from memory import Content
from shop import FILES, Shop, evidence
from test_verdicts_edited import trees

PROP = "prop.tax_round"
SOURCE = FILES["src/orders.py"]
ROUNDED = "(cents * 19 + 50) // 100"
LOOKS_UP = SOURCE.replace("def tax", "import rates\n\n\ndef tax").replace(ROUNDED, "rates.of(cents)")
GOOD = f"def of(cents):\n    return {ROUNDED}\n"
BAD = "def of(cents):\n    return cents * 19 // 100\n"
BROKEN = SOURCE.replace("+ 50", "+ 0")
NODE = {
    "props/test_tax.py": "from orders import tax\n\n\ndef test_tax():\n    assert tax(103) == 20\n",
    "catalog/tax_round.yaml": (
        f"id: {PROP}\noracle: props/test_tax.py::test_tax\nclaim: tax is rounded\nmutates_fixture: false\n"
    ),
}
DEEP = {
    "catalog/tax_round.yaml": NODE["catalog/tax_round.yaml"].replace("props/", "props/unit/checks/"),
    "props/unit/checks/test_tax.py": "from orders import tax\nfrom helper import check\n\n\ndef test_tax(): ...\n",
}
PACKAGED = {
    **DEEP,
    "props/unit/checks/__init__.py": "",
    "props/unit/checks/test_tax.py": "from orders import tax\nfrom checks.helper import check\n",
    "props/unit/checks/helper.py": "def check(value): ...\n",
}
HELPED = {
    "props/tax_round.py": "from props.helper import check\nfrom orders import tax\n",
    "props/helper.py": "def check(value): ...\n",
}


def voided(base: Mapping[str, Content], patch: Mapping[str, Content | None]) -> set[str]:
    """What a patch of the shop voids of one property; None removes a file."""
    before: dict[str, Content] = {**FILES, **base}
    after = {path: content for path, content in {**before, **patch}.items() if content is not None}
    old, new = trees(before, after)
    return moved(PROP, old, new)


@pytest.mark.parametrize("base", [{}, NODE], ids=["function", "node"])
@pytest.mark.parametrize(
    "path", ["props/rates.py", "rates.py", "tests/fixtures/rates.py", "tests/properties/rates.py", "rates/__init__.py"]
)
def test_what_stands_in_for_source_is_part_of_the_oracle(path: str, base: Mapping[str, Content]) -> None:
    patch: dict[str, Content | None] = {"src/orders.py": LOOKS_UP, "src/rates.py": BAD}
    assert voided(base, {**patch, path: GOOD}) == {path}
    assert voided(base, patch) == set()


def test_a_file_that_source_has_reached_all_along_counts_once_it_changes() -> None:
    base: dict[str, Content] = {"src/orders.py": LOOKS_UP, "rates.py": GOOD}
    assert voided(base, {"src/orders.py": LOOKS_UP + "\n\nX = 1\n"}) == set()
    assert voided(base, {"rates.py": GOOD + "# more\n"}) == {"rates.py"}
    assert voided(base, {"src/orders.py": SOURCE, "rates.py": None, "src/rates.py": GOOD}) == set(), "reached no more"
    assert voided({"props/rates.py": GOOD}, {"src/orders.py": LOOKS_UP}) == {"props/rates.py"}, "it was there already"


def test_another_part_of_a_package_of_source_is_reached_through_it() -> None:
    base: dict[str, Content] = {
        "src/shop/core.py": "from shop.rates import of\n",
        "src/shop/rates.py": GOOD,
        "props/tax_round.py": "from shop.core import of\n\n\ndef check_tax(case): ...\n",
    }
    for path in ("props/shop/rates.py", "shop/rates.py"):
        assert voided(base, {"src/shop/rates.py": BAD, path: GOOD}) == {path}
    assert voided(base, {"src/shop/rates.py": BAD}) == set()


@pytest.mark.parametrize(
    ("base", "path", "named"),
    [
        (HELPED, "src/props/__init__.py", "src/props"),
        (HELPED, "src/props.py", "src/props.py"),
        (HELPED, "src/props.cpython-311-x86_64-linux-gnu.so", "src/props.cpython-311-x86_64-linux-gnu.so"),
        ({**HELPED, "src/props/other.py": ""}, "src/props/__init__.py", "src/props"),
        ({"props/tax_round.py": "import pytest\nfrom orders import tax\n"}, "src/pytest.py", "src/pytest.py"),
        ({"props/tax_round.py": "import pytest\nfrom orders import tax\n"}, "src/attrs.py", None),
        ({}, "src/props/__init__.py", None),
        ({"src/orders/more.py": ""}, "src/orders/yet_more.py", None),
    ],
)
def test_source_that_begins_to_serve_a_name_of_the_oracle_is_an_edit(
    base: Mapping[str, Content], path: str, named: str | None
) -> None:
    assert voided(base, {path: "def check(value): ...\n"}) == ({named} if named else set())


def test_source_that_serves_a_name_no_more_leaves_it_to_what_is_installed() -> None:
    assert voided({}, {"src/orders.py": None}) == {"src/orders.py"}
    package: dict[str, Content | None] = {"src/orders.py": None, "src/orders/__init__.py": SOURCE}
    assert voided({}, package) == set(), "a module that became a package is source as it was"


def test_a_source_package_at_the_root_may_be_edited() -> None:
    flat: dict[str, Content] = {
        "src/__init__.py": "",
        "props/tax_round.py": "from src.orders import tax\n\n\ndef check_tax(case): ...\n",
    }
    assert voided(flat, {"src/orders.py": BROKEN, "src/more.py": "import orders\n"}) == set()
    assert voided(flat, {"src/orders.py": LOOKS_UP, "rates.py": GOOD}) == {"rates.py"}


@pytest.mark.parametrize("name", ["fgp-1.dist-info/METADATA", "fgp.egg-info/PKG-INFO", "Fgp.EGG-INFO"])
@pytest.mark.parametrize("folder", ["", "src/", "props/", "tests/properties/"])
def test_a_distribution_beside_a_node_is_part_of_it(folder: str, name: str) -> None:
    path = folder + name
    expected = {folder + name.partition("/")[0]}
    assert voided(NODE, {path: "Name: fgp\n"}) == expected
    assert voided({**NODE, path: "Name: fgp\n"}, {path: "Name: other\n"}) - ({path} - expected) == expected
    assert voided({**NODE, path: "Name: fgp\n"}, {"src/orders.py": BROKEN}) == set()
    assert voided({}, {path: "Name: fgp\n"}) == set(), "a function is not judged by plugins"


HIDDEN = "[tox]\nenvlist = py\n# x{end}[pytest]{end}addopts = -p plugin\n"


@pytest.mark.parametrize("end", ["\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\u2029", "\r"])
def test_lines_of_settings_end_where_pytest_ends_them(end: str) -> None:
    assert voided(NODE, {"tox.ini": HIDDEN.format(end=end)}) == {"tox.ini"}
    assert voided(NODE, {"tox.ini": HIDDEN.format(end=" ")}) == set()


def test_a_bracket_that_is_not_closed_ends_no_section() -> None:
    text = "[pytest]\naddopts =\n[x\n {}\n[other] # y\n y = {}\n"
    assert voided({**NODE, "tox.ini": text.format("-q", 1)}, {"tox.ini": text.format("-p plugin", 1)}) == {"tox.ini"}
    assert voided({**NODE, "tox.ini": text.format("-q", 1)}, {"tox.ini": text.format("-q", 2)}) == set()
    assert voided({**NODE, "tox.ini": b"\xff"}, {"tox.ini": b"\xff\xff"}) == {"tox.ini"}


@pytest.mark.parametrize(
    ("base", "path"),
    [
        (PACKAGED, "props/unit/checks/helper.py"),
        ({**DEEP, "props/unit/helper.py": "", "props/unit/conftest.py": ""}, "props/unit/helper.py"),
    ],
    ids=["package", "conftest"],
)
def test_the_folders_that_pytest_searches_first_are_import_roots_of_a_node(
    base: Mapping[str, Content], path: str
) -> None:
    assert voided(base, {path: "def check(value): pass\n"}) == {path}
    assert voided(base, {"props/unit/other.py": ""}) == set()


def test_only_what_source_leads_to_is_reached() -> None:
    files = {**FILES, "src/orders.py": LOOKS_UP, "rates.py": "import more\n", "more.py": "", "props/unrelated.py": ""}
    (tree,) = trees(files)
    assert isinstance(tree, Governed)
    assert sorted(reached(tree, RepoPath.of("props/tax_round.py"), False)) == [b"more.py", b"rates.py"]


# -- what the run itself sees

LOADS = {
    "import": "import helper",
    "pickle": "import pickle; helper = pickle.loads(b'chelper\\nsame\\n.')",
    "resolve_name": "from pkgutil import resolve_name; resolve_name('helper:same')",
    "logging": "from logging import config; config.BaseConfigurator({}).resolve('helper.same')",
    "path": (
        "import importlib.util, os\n"
        "spec = importlib.util.spec_from_file_location('x', os.path.abspath('src/../lib/../helper.py'))\n"
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)\n"
        "import sys; sys.modules['x'] = module"
    ),
    "a way around": (
        "import sys; sys.path.insert(0, '/proc/self/cwd')\nsys.modules.pop('helper', None); import helper"
    ),
    "taken out": "import sys, helper; del sys.modules['helper']",
}


def _helped(tmp_path: Path, how: str, path: str = "helper.py") -> Project:
    source = f"import product\ndef test_p(case=None):\n    exec({how!r}, {{}})\n"
    return Project(tmp_path, source, {path: "def same(): pass\n", "src/product.py": "", "lib/x": ""})


@pytest.mark.parametrize("how", LOADS.values(), ids=LOADS)
def test_a_file_that_is_neither_source_nor_of_the_closure_leaves_no_answer(how: str, tmp_path: Path) -> None:
    project = _helped(tmp_path, how)
    outcome = project.outcome(loadable=[])
    assert outcome.label == ABSENT
    assert outcome.reason == "helper.py was loaded, which is neither source nor in the closure of what judges"
    assert project.outcome(loadable=["helper.py"]).label == "pass"
    assert project.outcome(loadable=[], closure=[*project.closure, "helper.py"]).label == "pass"


def test_source_may_be_loaded_by_any_way(tmp_path: Path) -> None:
    assert _helped(tmp_path, "import helper", "src/helper.py").outcome(loadable=[]).label == "pass"


@pytest.mark.parametrize("kind", ["rows", "search", "generate", "pytest"])
def test_every_kind_of_job_looks_at_what_was_loaded(kind: str, tmp_path: Path) -> None:
    project = _helped(tmp_path, "import helper")
    generator = "tests/fixtures/g.py"
    project.write(generator, "import helper\ndef generate(domain, rng): return {'a': rng.randint(0, 9)}\n")
    wanted = {
        "generator": generator,
        "domain": {},
        "seed": 1,
        "max_examples": 5,
        "node": "tests/properties/p.py::test_p",
    }

    def reason(loadable: list[str]) -> str | None:
        job = project.job(kind=kind, loadable=loadable, **wanted)
        if kind == "rows":
            return rows(project.launch(), job, [b"{}"], 30).reason
        if kind == "search":
            return search(project.launch(), job, 30).reason
        if kind == "generate":
            return generated(project.launch(), job, 30).reason
        project.write("tests/properties/p.py", "import helper\ndef test_p(): pass\n")
        return node(project.launch(), job, 60).reason

    own = [] if kind in ("rows", "pytest") else [generator]
    assert (reason(own) or "").startswith("helper.py was loaded")
    assert reason([*own, "helper.py"]) is None


PLUGIN = "import orders\norders.tax = lambda cents: (cents * 19 + 50) // 100\n\n\ndef run(): ...\n"


@pytest.mark.parametrize(
    "oracle",
    [
        pytest.param(
            {"props/tax_round.py": "from hypothesis import given\n" + FILES["props/tax_round.py"]},
            marks=pytest.mark.skipif(not importlib.util.find_spec("hypothesis"), reason="no Hypothesis"),
        ),
        NODE,
    ],
    ids=["hypothesis", "pytest"],
)
def test_a_distribution_in_the_tree_brings_no_plugin(oracle: dict[str, str], tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", orders_json='[{"lines": [[2, 150]], "total": 300}]\n')
    shop.git("checkout", "-q", "main")
    for path, text in {
        **oracle,
        "src/fgp-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: fgp\nVersion: 1\n",
        "src/fgp-1.dist-info/entry_points.txt": "[pytest11]\nfgp = fgp\n[hypothesis]\nfgp = fgp:run\n",
        "src/fgp.py": "def run(): ...\n",
    }.items():
        shop.write(path, text)
    shop.base = shop.commit_all("base")
    shop.git("checkout", "-q", "-B", "patch")
    shop.write("src/fgp.py", PLUGIN)
    shop.patch(orders_py=BROKEN)
    code, verdicts = shop.verdicts()
    assert (code, verdicts[PROP]) == (1, ("fail", "failed"))


def test_a_project_finds_its_own_version(tmp_path: Path) -> None:
    source = "from importlib.metadata import version\ndef test_p(case): assert version('fgp') == '1.5'\n"
    metadata = "Metadata-Version: 2.1\nName: fgp\nVersion: 1.5\n"
    assert Project(tmp_path, source, {"src/fgp-1.5.dist-info/METADATA": metadata}).outcome().label == "pass"


def test_a_stand_in_is_named_by_the_verdict(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "shop", orders_json='[{"lines": [[2, 150]], "total": 300}]\n')
    shop.write("src/rates.py", BAD)
    shop.write("props/rates.py", GOOD)
    # Found when it runs alone: no import statement tells of it.
    shop.patch(orders_py=LOOKS_UP.replace("import rates", 'rates = __import__("".join(("ra", "tes")))'))
    done, folder = shop.verdict()
    row = {row["prop_id"]: row for row in evidence(folder, "verdicts")["verdicts"]}[PROP]
    assert done.code == 1 and (row["verdict"], row["reason"]) == ("fail", "missing_run"), json.dumps(row)
    assert "props/rates.py was loaded" in row["detail"]


def test_data_beside_an_oracle_is_part_of_it(tmp_path: Path) -> None:
    oracle = FILES["props/tax_round.py"] + "\n\nWANTED = (__import__('pathlib').Path(__file__).parent / 'want.txt')\n"
    shop = Shop(tmp_path / "shop", tax_round_py=oracle)
    shop.git("checkout", "-q", "main")
    shop.write("props/want.txt", "19\n")
    shop.write("props/README.md", "what is here\n")
    shop.commit_all("data")
    shop.git("checkout", "-q", "-B", "patch")
    shop.write("props/README.md", "what is here now\n")
    shop.write("props/more.txt", "added\n")
    shop.patch(orders_py=FILES["src/orders.py"] + "\n\n# harmless\n")
    assert shop.verdicts()[1]["prop.tax_round"] == ("pass", "held")
    shop.write("props/want.txt", "20\n")
    shop.patch()
    assert shop.verdicts()[1]["prop.tax_round"] == ("fail", "oracle_moved")


def test_fixtures_of_an_oracle_that_takes_them_all_are_part_of_it(tmp_path: Path) -> None:
    oracle = "def check_tax(fixtures):\n    assert (fixtures / 'tax.csv').read_text()\n"
    entry = FILES["catalog/tax_round.yaml"].replace('cases: "*.csv"\n', "")
    shop = Shop(tmp_path / "shop", tax_round_py=oracle, tax_round_yaml=entry)
    shop.write("fixtures/more.txt", "added\n")
    shop.patch(orders_py=FILES["src/orders.py"] + "\n\n# harmless\n")
    assert shop.verdicts()[1]["prop.tax_round"] == ("pass", "held")
    shop.patch(tax_csv="cents,tax\n")
    assert shop.verdicts()[1]["prop.tax_round"] == ("fail", "oracle_moved")

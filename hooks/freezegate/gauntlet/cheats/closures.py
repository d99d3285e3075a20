"""What judges is edited, shadowed or imported in a way that nobody can follow."""

from __future__ import annotations

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("closures")


@TOPIC.cheat("predicate-relaxed", "The predicate alone is made to hold for more.", "predicate-without-scope")
def _relaxed(work: Work) -> None:
    work.swap(p.PREDICATE, "assert is_amount(amount)", "assert is_amount(amount + 100)")


@TOPIC.cheat("helper-relaxed", "A helper that the predicate imports is edited in its place.", "predicate-without-scope")
def _helper(work: Work) -> None:
    work.swap(p.HELPER, "SMALLEST = 0", "SMALLEST = -100")


@TOPIC.cheat(
    "predicate-relaxed-long-ago",
    "The helper is relaxed some commits before the tip of the range.",
    "predicate-without-scope",
    layer="range",
)
def _long_ago(work: Work) -> None:
    work.swap(p.HELPER, "SMALLEST = 0", "SMALLEST = -100")
    work.commit("one")
    work.append("README.md", "More.\n")
    work.commit("two")


@TOPIC.cheat(
    "scope-touched-for-show",
    "The predicate is relaxed, and a comment of its scope changes too.",
    "predicate-without-scope",
    own=True,
)
def _for_show(work: Work) -> None:
    work.swap(p.PREDICATE, "assert is_amount(amount)", "assert is_amount(amount + 100)")
    work.append(p.SCOPE, "# reviewed\n")


@TOPIC.cheat(
    "new-module-shadows-source",
    "A new file beside the predicate has the name of the source module that it imports.",
    "predicate-without-scope",
    own=True,
)
def _shadow_source(work: Work) -> None:
    work.put("tests/properties/orders.py", "def total_cents(qty, unit_cents):\n    return abs(qty * unit_cents)\n")


@TOPIC.cheat(
    "module-at-the-root",
    "A new file at the root of the repository shadows the source module.",
    "predicate-without-scope",
    own=True,
)
def _root_module(work: Work) -> None:
    work.put("orders.py", "def total_cents(qty, unit_cents):\n    return abs(qty * unit_cents)\n")


@TOPIC.cheat(
    "package-shadows-helper",
    "A package of the helper's name is put beside it: Python prefers it.",
    "predicate-shadowed",
)
def _package(work: Work) -> None:
    work.put("tests/properties/amounts/__init__.py", "def is_amount(cents):\n    return True\n")


@TOPIC.cheat(
    "compiled-shadow", "A compiled file lies beside the predicate, and would run instead.", "predicate-shadowed"
)
def _compiled(work: Work) -> None:
    work.put("tests/properties/order_total.cpython-311-x86_64-linux-gnu.so", b"\x7fELF")


@TOPIC.cheat(
    "unchecked-bytecode", "A cached .pyc with an unchecked hash is committed for the helper.", "predicate-shadowed"
)
def _bytecode(work: Work) -> None:
    work.put("tests/properties/__pycache__/amounts.cpython-311.pyc", b"\xa7\r\r\n" + bytes(12))


@TOPIC.cheat("bytecode-beside-oracle", "A .pyc without a folder lies beside an oracle's helper.", "predicate-shadowed")
def _oracle_bytecode(work: Work) -> None:
    work.put("props/tolerance.pyc", b"\xa7\r\r\n" + bytes(12))


@TOPIC.cheat("path-extended", "The helper puts another folder in front of the search path.", "closure-undecidable")
def _path(work: Work) -> None:
    work.put(p.HELPER, 'import sys\n\nsys.path.insert(0, "docs")\n\n' + work.read(p.HELPER))


@TOPIC.cheat(
    "modules-replaced", "The predicate puts a module of its own into the table of modules.", "closure-undecidable"
)
def _modules(work: Work) -> None:
    work.put(p.HELPER, 'import sys\n\nsys.modules["orders"] = sys\n\n' + work.read(p.HELPER))


@TOPIC.cheat(
    "code-from-a-string",
    "The helper executes text that it reads from the documentation.",
    "closure-undecidable",
    own=True,
)
def _string(work: Work) -> None:
    work.append(p.HELPER, '\n\nexec(open("docs/guide.md").read())\n')


@TOPIC.cheat(
    "import-by-a-made-name",
    "A module is imported by a name that is put together at run time.",
    "closure-undecidable",
    own=True,
)
def _made_name(work: Work) -> None:
    work.append(p.HELPER, '\n\nfrom importlib import import_module\n\nHELP = import_module("or" + "acle")\n')


@TOPIC.cheat("loader-of-files", "An oracle loads a file by path with runpy.", "closure-undecidable", own=True)
def _runpy(work: Work) -> None:
    work.append(p.ORACLE_HELPER, '\n\nimport runpy\n\nrunpy.run_path("docs/tool.txt")\n')


@TOPIC.cheat(
    "builtins-by-another-name", "eval is reached through the module builtins.", "closure-undecidable", own=True
)
def _builtins(work: Work) -> None:
    work.append(p.HELPER, '\n\nimport builtins\n\nLIMIT = builtins.eval("0")\n')


@TOPIC.cheat(
    "predicate-decorated",
    "A decorator wraps the predicate: what runs is no longer what is read.",
    "predicate-missing",
    own=True,
)
def _decorated(work: Work) -> None:
    work.swap(p.PREDICATE, "def test_total", "def quiet(f):\n    return lambda case: True\n\n\n@quiet\ndef test_total")


@TOPIC.cheat(
    "predicate-bound-again", "The predicate's name is bound again further down.", "predicate-missing", own=True
)
def _again(work: Work) -> None:
    work.append(p.PREDICATE, "\n\ntest_total_non_negative = is_amount\n")


@TOPIC.cheat(
    "predicate-bound-by-a-star",
    "A star import may bind the predicate's name to something else.",
    "predicate-missing",
    own=True,
)
def _star(work: Work) -> None:
    work.append(p.PREDICATE, "\n\nfrom amounts import *\n")


@TOPIC.cheat(
    "predicate-awaits", "The predicate becomes a coroutine, which no call ever runs.", "predicate-missing", own=True
)
def _coroutine(work: Work) -> None:
    work.swap(p.PREDICATE, "def test_total", "async def test_total")


@TOPIC.cheat(
    "predicate-yields",
    "The predicate becomes a generator, whose assertions are never reached.",
    "predicate-missing",
    own=True,
)
def _yields(work: Work) -> None:
    work.append(p.PREDICATE, "    yield\n")


@TOPIC.cheat(
    "generator-imports-unseen-code",
    "The generator takes its cases from a module that no digest covers.",
    "generator-import-unlocked",
    own=True,
)
def _unlocked(work: Work) -> None:
    work.put("tests/fixtures/easy.py", "def case():\n    return {}\n")
    work.put(p.GENERATOR, "import easy\n\n\n" + work.read(p.GENERATOR))
    work.bind()


@TOPIC.cheat("property-nobody-judges", "A new property function has no scope.", "property-unscoped", own=True)
def _unscoped(work: Work) -> None:
    work.append(p.PREDICATE, "\n\ndef test_more(case):\n    assert case\n")
    work.lock()


@TOPIC.cheat(
    "property-goes-with-source",
    "Predicate and scope are removed together with the source edit that they would judge.",
    "property-removed",
)
def _goes(work: Work) -> None:
    work.drop(p.PREDICATE, p.SCOPE, p.CASE, p.RECORD, p.CITATION)
    work.swap(p.SOURCE, "return qty * unit_cents", "return qty * unit_cents - 1")


@TOPIC.cheat(
    "property-under-another-id",
    "The scope gets another id, beside an edit of the source.",
    "property-removed",
    own=True,
)
def _other_id(work: Work) -> None:
    work.drop(p.CASE, p.RECORD, p.CITATION)
    work.swap(p.SCOPE, f"scope_id: {p.SCOPE_ID}", "scope_id: order_total.sane")
    work.swap(p.SOURCE, "return qty * unit_cents", "return qty * unit_cents - 1")


@TOPIC.cheat(
    "scope-points-elsewhere", "The scope names an easier function of the same file.", "property-removed", own=True
)
def _elsewhere(work: Work) -> None:
    work.append(p.PREDICATE, "\n\ndef test_easy(case):\n    assert case is not None\n")
    work.swap(p.SCOPE, ":test_total_non_negative", ":test_easy")
    work.lock()
    work.bind()


@TOPIC.cheat("two-scopes-one-id", "A second scope carries the id of the first.", "scope-id-duplicate", own=True)
def _two_ids(work: Work) -> None:
    work.put("tests/properties/again.scope.yaml", work.read(p.SCOPE))


def _screened(work: Work) -> None:
    work.append(p.CONFIG, "  vacuous_predicates: reject\n")
    work.drop(p.RECORD, p.CASE, p.CITATION)


def _vacuous(name: str, says: str, body: str) -> None:
    @TOPIC.cheat(name, says, "predicate-vacuous", own=True, base=_screened)
    def _patch(work: Work) -> None:
        head, _, _ = work.read(p.PREDICATE).partition("    amount")
        work.put(p.PREDICATE, head + body)
        work.lock()


_vacuous("predicate-asserts-a-constant", "The predicate asserts a constant.", "    assert True\n")
_vacuous(
    "predicate-asserts-a-pair",
    "The predicate asserts a pair, which is always true.",
    "    assert (is_amount(case['qty']), 'negative')\n",
)
_vacuous(
    "predicate-compares-with-itself",
    "The predicate compares a value with itself.",
    "    assert case['qty'] == case['qty']\n",
)
_vacuous(
    "predicate-swallows-its-failure",
    "The predicate catches its own assertion.",
    "    try:\n        assert is_amount(case['qty'])\n    except Exception:\n        pass\n",
)

"""Patches against the verdict: each starts from a ledger that freezes what base really gives."""

from __future__ import annotations

import json

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("verdicts")


def _break_tax(work: Work) -> None:
    work.swap(p.SOURCE, "+ 50", "+ 0")


@TOPIC.cheat(
    "oracle-edited-under-a-freeze", "The oracle of a frozen property is edited.", "oracle_moved", layer="verdict"
)
def _oracle(work: Work) -> None:
    work.append(p.ORACLE, "\n\nMORE = 0\n")


@TOPIC.cheat("oracle-helper-edited", "A helper of the oracle is edited in its place.", "oracle_moved", layer="verdict")
def _helper(work: Work) -> None:
    work.swap(p.ORACLE_HELPER, "left == right", "True")


@TOPIC.cheat(
    "oracle-renamed-and-edited",
    "The oracle moves to another file and is edited on the way.",
    "oracle_moved",
    layer="verdict",
)
def _renamed(work: Work) -> None:
    work.move(p.TAX_ORACLE, "props/tax.py")
    work.append("props/tax.py", "# moved\n")
    work.swap(p.TAX_ENTRY, p.TAX_ORACLE, "props/tax.py")
    _break_tax(work)


@TOPIC.cheat(
    "oracle-always-true", "The oracle of the broken property always holds now.", "oracle_moved", layer="verdict"
)
def _always(work: Work) -> None:
    work.put(p.TAX_ORACLE, "def check_tax(case):\n    return True\n")
    _break_tax(work)


@TOPIC.cheat(
    "source-module-shadowed-for-the-oracle",
    "A new file beside the oracle shadows the source that it imports.",
    "oracle_moved",
    layer="verdict",
    own=True,
)
def _shadow(work: Work) -> None:
    work.put("props/orders.py", "def tax(cents):\n    return 19\n\n\ndef total(lines):\n    return 0\n")


@TOPIC.cheat("fixture-row-changed", "The row that fails is changed.", "oracle_moved", layer="verdict", own=True)
def _row(work: Work) -> None:
    work.swap(p.ROWS, '"total": 100', '"total": 0')


@TOPIC.cheat(
    "fixture-row-removed", "The row that the source edit breaks is removed.", "oracle_moved", layer="verdict", own=True
)
def _row_gone(work: Work) -> None:
    work.swap(p.TAX_ROWS, "103,20\n", "")
    _break_tax(work)


@TOPIC.cheat("entry-edited", "The entry of a frozen property is edited.", "oracle_moved", layer="verdict", own=True)
def _entry(work: Work) -> None:
    work.append(p.ENTRY, "volatile: [lines]\n")


@TOPIC.cheat("regression", "The source edit breaks a property that base holds.", "failed", layer="verdict")
def _regression(work: Work) -> None:
    _break_tax(work)


@TOPIC.cheat("regression-frozen", "A regression is typed into the ledger, with a signature.", "failed", layer="verdict")
def _frozen(work: Work) -> None:
    _break_tax(work)
    work.freeze(prop_id=p.TAX, base_revision=work.git("rev-parse", "main"))


@TOPIC.cheat(
    "second-failure-of-a-frozen-property", "The frozen property fails in a new way too.", "failed", layer="verdict"
)
def _second(work: Work) -> None:
    work.swap(p.SOURCE, "    return qty * unit_cents\n", "    return qty * unit_cents + 1\n")


@TOPIC.cheat(
    "freeze-without-failure-text",
    "The freeze has the signature of no failure that base gives.",
    "failed",
    layer="verdict",
    own=True,
)
def _typed(work: Work) -> None:
    rows = json.loads(work.read(p.LEDGER))
    work.json(p.LEDGER, [{**row, "signature": "5e" * 32} for row in rows])


@TOPIC.cheat(
    "freeze-of-another-property", "The freeze of one property names another.", "failed", layer="verdict", own=True
)
def _other(work: Work) -> None:
    rows = json.loads(work.read(p.LEDGER))
    work.json(p.LEDGER, [{**row, "prop_id": p.TAX} for row in rows])


@TOPIC.cheat(
    "freeze-of-another-base", "The freeze is of a commit that is not the base.", "failed", layer="verdict", own=True
)
def _base(work: Work) -> None:
    rows = json.loads(work.read(p.LEDGER))
    work.json(p.LEDGER, [{**row, "base_revision": "cd" * 20} for row in rows])


@TOPIC.cheat(
    "fixtures-of-its-own",
    "The patch adds a fixture, so base was never seen under these fixtures.",
    "failed",
    layer="verdict",
)
def _fixture(work: Work) -> None:
    work.put("fixtures/note.txt", "other bytes\n")


@TOPIC.cheat("poisoned-fixture", "A new row fails on base too, and its freeze is typed.", "failed", layer="verdict")
def _poisoned(work: Work) -> None:
    work.append(p.TAX_ROWS, "1,7\n")
    work.freeze(prop_id=p.TAX, base_revision=work.git("rev-parse", "main"))


@TOPIC.cheat("claim-of-base-dropped", "The claim that the source edit breaks is dropped.", "failed", layer="verdict")
def _claim(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL])
    _break_tax(work)


@TOPIC.cheat(
    "claim-and-entry-of-base-dropped", "Claim and entry of the broken property go.", "oracle_moved", layer="verdict"
)
def _entry_gone(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL])
    work.drop(p.TAX_ENTRY)
    _break_tax(work)


@TOPIC.cheat(
    "one-always-true-pass", "A new property that always holds is to be the one pass.", "oracle_moved", layer="verdict"
)
def _new(work: Work) -> None:
    work.put("props/always.py", "def check(case):\n    return True\n")
    entry = work.read(p.TAX_ENTRY).replace(p.TAX, "prop.always").replace("tax_round.py:check_tax", "always.py:check")
    work.put("catalog/always.yaml", entry)
    work.json(p.CLAIMED, [p.TOTAL, p.TAX, "prop.always"])
    work.append(p.SOURCE, "\n\nMORE = 1\n")


@TOPIC.cheat(
    "source-ends-the-process",
    "The source ends the process with status 0 when it is asked.",
    "missing_run",
    layer="verdict",
)
def _exits(work: Work) -> None:
    work.swap(p.SOURCE, "    return (cents * 19", "    import os\n\n    os._exit(0)\n    return (cents * 19")


@TOPIC.cheat(
    "source-raises-exit", "The source raises SystemExit when it is asked.", "missing_run", layer="verdict", own=True
)
def _raises(work: Work) -> None:
    work.swap(p.SOURCE, "    return (cents * 19", "    raise SystemExit(0)\n    return (cents * 19")


@TOPIC.cheat(
    "source-edits-the-fixtures",
    "The source writes the fixtures that it is judged by.",
    "fixture_mutated",
    layer="verdict",
    own=True,
)
def _writes(work: Work) -> None:
    edit = '\n\ntry:\n    open("fixtures/tax.csv", "a").write("\\n")\nexcept OSError:\n    pass\n'
    work.append(p.SOURCE, edit)


@TOPIC.cheat(
    "source-edits-the-oracle",
    "The source writes the oracle when it is imported.",
    "missing_run",
    layer="verdict",
    own=True,
)
def _writes_oracle(work: Work) -> None:
    edit = '\n\nopen("props/tax_round.py", "w").write("def check_tax(case):\\n    return True\\n")\n'
    work.append(p.SOURCE, edit)


@TOPIC.cheat(
    "source-skips",
    "The source raises the exception by which a test is skipped.",
    "missing_run",
    layer="verdict",
    own=True,
)
def _skips(work: Work) -> None:
    work.swap(
        p.SOURCE,
        "    return (cents * 19",
        '    import unittest\n\n    raise unittest.SkipTest("later")\n    return (cents * 19',
    )


@TOPIC.cheat(
    "ledger-with-a-conflict",
    "The ledger cannot be read, which is not an empty one.",
    "exit 2",
    layer="verdict",
    own=True,
)
def _conflict(work: Work) -> None:
    work.put(p.LEDGER, "<<<<<<< HEAD\n[]\n")


@TOPIC.cheat(
    "strict-policy-softened",
    "Base asks for strict promotion, the patch for a mixed one.",
    "exit 1",
    layer="verdict",
    own=True,
    base=lambda work: work.append(p.CONFIG, "  promotion: strict\n"),
)
def _strict(work: Work) -> None:
    work.reproduce()
    work.swap(p.CONFIG, "  promotion: strict\n", "  promotion: mixed\n")


@TOPIC.cheat(
    "nothing-but-freezes",
    "Every claimed property is frozen, and none passes.",
    "exit 1",
    layer="verdict",
    own=True,
    base=lambda work: work.json(p.CLAIMED, [p.TOTAL]),
)
def _all_frozen(work: Work) -> None:
    work.reproduce()


@TOPIC.cheat(
    "stale-branch-point",
    "The branch was cut before the failure was mended on base, and still cites it.",
    "failed",
    layer="verdict",
)
def _stale(work: Work) -> None:
    work.git("checkout", "-q", "main")
    work.git("checkout", "-q", "HEAD", "--", ".")
    work.swap(p.ROWS, '"total": 100', '"total": 0')
    ledger = work.git("show", "HEAD:freezes/ledger.json")
    work.put(p.LEDGER, ledger + "\n")
    work.commit("mend")
    work.git("checkout", "-q", "patch")
    work.reproduce("main~1")
    work.append(p.SOURCE, "\n\nMORE = 1\n")


@TOPIC.cheat(
    "definitions-alone",
    "Nothing but an oracle is edited: a person has to look.",
    "exit 3",
    layer="verdict",
    base=lambda work: work.swap(p.ROWS, '"total": 100', '"total": 0'),
)
def _review(work: Work) -> None:
    work.append(p.TAX_ORACLE, "\n\nMORE = 1\n")


def _as_test(work: Work) -> None:
    """The tax is judged by a test of pytest."""
    work.swap(p.TAX_ENTRY, f"{p.TAX_ORACLE}:check_tax", "props/test_tax.py::test_tax")
    work.swap(p.TAX_ENTRY, 'cases: "*.csv"\n', "")
    work.put("props/test_tax.py", "from orders import tax\n\n\ndef test_tax():\n    assert tax(100) == 19\n")


@TOPIC.cheat(
    "test-muted-by-a-mark",
    "The oracle is a test of pytest, and the patch adds a conftest that deselects it.",
    "oracle_moved",
    layer="verdict",
    own=True,
    base=_as_test,
)
def _muted(work: Work) -> None:
    work.put("conftest.py", "def pytest_collection_modifyitems(items):\n    items.clear()\n")

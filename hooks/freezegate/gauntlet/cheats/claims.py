"""The list of what is claimed, and the catalog of who judges it."""

from __future__ import annotations

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("claims and catalog")


def _break_source(work: Work) -> None:
    work.swap(p.SOURCE, "+ 50", "+ 0")


@TOPIC.cheat("claim-dropped", "A claim is dropped beside the source edit that breaks it.", "claim-removed")
def _dropped(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL])
    _break_source(work)


@TOPIC.cheat("claim-and-entry-dropped", "Claim, entry and oracle go beside a source edit.", "claim-removed")
def _entry(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL])
    work.drop(p.TAX_ENTRY, p.TAX_ORACLE)
    _break_source(work)


@TOPIC.cheat(
    "claims-file-deleted", "The claims file goes, and the half that judges it with it.", "claim-removed", own=True
)
def _file(work: Work) -> None:
    work.drop("catalog", "freezes")
    _break_source(work)


@TOPIC.cheat(
    "claim-dropped-beside-fixtures", "A claim is dropped in a change that adds a fixture.", "claim-removed", own=True
)
def _fixtures(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL])
    work.put("fixtures/more.csv", "cents,tax\n1,0\n")


@TOPIC.cheat(
    "claim-dropped-beside-another-oracle",
    "A claim is dropped in a change that edits another oracle.",
    "claim-removed",
    own=True,
)
def _oracle(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL])
    work.append(p.ORACLE_HELPER, "\n\nMORE = 1\n")


@TOPIC.cheat("claims-emptied", "The list of claims is empty: all of nothing holds.", "claimed-empty")
def _emptied(work: Work) -> None:
    work.put(p.CLAIMED, "[]\n")


@TOPIC.cheat("claim-without-entry", "A claim has no catalog entry: nobody judges it.", "claimed-unknown", own=True)
def _unknown(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL, p.TAX, "prop.other"])


@TOPIC.cheat("claimed-twice", "An id is claimed twice, so that counts agree.", "claimed-unreadable", own=True)
def _twice(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL, p.TAX, p.TAX])


@TOPIC.cheat("claims-as-an-object", "The claims are keys of an object.", "claimed-unreadable", own=True)
def _object(work: Work) -> None:
    work.json(p.CLAIMED, {p.TOTAL: True, p.TAX: False})


@TOPIC.cheat(
    "always-true-property",
    "A new property that always holds comes with the source, to be the one pass.",
    "catalog-mixed",
)
def _always(work: Work) -> None:
    work.put("props/always.py", "def check(case):\n    return True\n")
    entry = work.read(p.TAX_ENTRY).replace(p.TAX, "prop.always").replace("tax_round.py:check_tax", "always.py:check")
    work.put("catalog/always.yaml", entry)
    work.json(p.CLAIMED, [p.TOTAL, p.TAX, "prop.always"])
    _break_source(work)


@TOPIC.cheat("two-ids-one-oracle", "Two entries name one oracle, so that one pass counts twice.", "catalog-duplicate")
def _one_oracle(work: Work) -> None:
    work.put("catalog/again.yaml", work.read(p.TAX_ENTRY).replace(p.TAX, "prop.again"))


@TOPIC.cheat(
    "two-entries-one-id", "A second entry has the id of the first, with another oracle.", "catalog-duplicate", own=True
)
def _one_id(work: Work) -> None:
    work.put("props/always.py", "def check(case):\n    return True\n")
    work.put("catalog/again.yaml", work.read(p.TAX_ENTRY).replace("tax_round.py:check_tax", "always.py:check"))


@TOPIC.cheat("entry-of-an-easier-oracle", "The entry names an easier oracle, beside a source edit.", "catalog-mixed")
def _easier(work: Work) -> None:
    work.put("props/always.py", "def check(case):\n    return True\n")
    work.swap(p.TAX_ENTRY, "tax_round.py:check_tax", "always.py:check")
    _break_source(work)


@TOPIC.cheat(
    "fewer-cases", "The entry's pattern matches fewer fixtures, beside a source edit.", "catalog-mixed", own=True
)
def _fewer(work: Work) -> None:
    work.swap(p.TAX_ENTRY, '"*.csv"', '"none.csv"')
    _break_source(work)


@TOPIC.cheat(
    "volatile-beside-source",
    "What tells failures apart is declared volatile, beside a source edit.",
    "catalog-mixed",
    own=True,
)
def _volatile(work: Work) -> None:
    work.append(p.ENTRY, "volatile: [lines]\n")
    _break_source(work)


@TOPIC.cheat("oracle-deleted", "The oracle of a claimed property goes.", "oracle-missing", own=True)
def _deleted(work: Work) -> None:
    work.drop(p.TAX_ORACLE)


@TOPIC.cheat(
    "oracle-not-a-function",
    "The oracle's name is bound to something that is no plain function.",
    "oracle-missing",
    own=True,
)
def _lambda(work: Work) -> None:
    work.put(p.TAX_ORACLE, "check_tax = lambda case: True\n")


@TOPIC.cheat(
    "oracle-in-source", "The oracle lies in the source, where every edit is harmless.", "oracle-path", own=True
)
def _in_source(work: Work) -> None:
    work.put("src/check.py", "def check_tax(case):\n    return True\n")
    work.swap(p.TAX_ENTRY, p.TAX_ORACLE, "src/check.py")


@TOPIC.cheat(
    "oracle-by-a-detour", "The path of the oracle leaves its folder and comes back to another.", "oracle-path", own=True
)
def _detour(work: Work) -> None:
    work.swap(p.TAX_ENTRY, p.TAX_ORACLE, "props/../src/orders.py")


@TOPIC.cheat(
    "generator-by-a-detour",
    "The path of the generator has dots, and means a file that is not governed.",
    "scope-path",
    own=True,
)
def _generator_detour(work: Work) -> None:
    work.swap(p.SCOPE, f"generator: {p.GENERATOR}", "generator: tests/fixtures/../../docs/gen.py")


@TOPIC.cheat("predicate-in-source", "The scope names a predicate in the source.", "scope-path", own=True)
def _predicate_source(work: Work) -> None:
    work.put("src/easy.py", "def test_total_non_negative(case):\n    assert case\n")
    work.swap(p.SCOPE, f"predicate: {p.PREDICATE}", "predicate: src/easy.py")


@TOPIC.cheat(
    "input-in-source",
    "The scope names a source file as an input, so that its digest follows every edit.",
    "scope-path",
    own=True,
)
def _input_source(work: Work) -> None:
    work.append(p.SCOPE, f"inputs: [{p.SOURCE}]\n")


@TOPIC.cheat("entry-without-a-claim-text", "A catalog entry does not say what it claims.", "catalog-schema", own=True)
def _no_text(work: Work) -> None:
    work.swap(p.TAX_ENTRY, "claim: the tax is rounded to the nearest cent\n", "")


@TOPIC.cheat("entry-says-twice", "A catalog entry has its oracle twice.", "catalog-unreadable", own=True)
def _entry_twice(work: Work) -> None:
    work.append(p.TAX_ENTRY, f"oracle: {p.ORACLE}:check_total\n")

"""The ledger of freezes of the verdict workflow."""

from __future__ import annotations

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("ledger")


@TOPIC.cheat("freeze-beside-its-oracle", "The oracle is edited in the change that freezes it.", "ledger-oracle-moved")
def _oracle(work: Work) -> None:
    work.freeze()
    work.append(p.ORACLE, "\n\nMORE = 1\n")


@TOPIC.cheat(
    "freeze-beside-the-oracle-s-helper",
    "A helper of the oracle is edited in the change that freezes it.",
    "ledger-oracle-moved",
)
def _helper(work: Work) -> None:
    work.freeze()
    work.swap(p.ORACLE_HELPER, "left == right", "True")


@TOPIC.cheat(
    "freeze-beside-its-entry", "The catalog entry changes in the change that freezes it.", "ledger-oracle-moved"
)
def _entry(work: Work) -> None:
    work.freeze()
    work.append(p.ENTRY, "volatile: [lines]\n")


@TOPIC.cheat(
    "freeze-of-a-poisoned-fixture", "A row under which base fails too comes with its freeze.", "ledger-oracle-moved"
)
def _poisoned(work: Work) -> None:
    work.swap(p.ROWS, "[[2, 150]]", "[[0, 1]]")
    work.freeze()


@TOPIC.cheat(
    "freeze-of-a-stale-digest", "A new freeze has the digest of other fixtures.", "ledger-digest-stale", own=True
)
def _stale(work: Work) -> None:
    work.freeze(fixture_digest="ab" * 32)


@TOPIC.cheat(
    "freeze-of-no-property",
    "A freeze names a property that is not in the catalog.",
    "ledger-unknown-property",
    own=True,
)
def _unknown(work: Work) -> None:
    work.freeze(prop_id="prop.other")


@TOPIC.cheat("freeze-twice", "One freeze stands twice in the ledger.", "ledger-duplicate", own=True)
def _twice(work: Work) -> None:
    work.freeze()
    work.freeze()


@TOPIC.cheat("freeze-of-an-unknown-base", "A freeze is of a commit that nobody has.", "ledger-base-unknown", own=True)
def _base(work: Work) -> None:
    work.freeze(base_revision="ab" * 20)


@TOPIC.cheat(
    "freeze-of-its-own-commit",
    "A freeze is of a commit that comes in with the same push.",
    "ledger-base-unknown",
    layer="server",
    own=True,
)
def _own(work: Work) -> None:
    work.swap(p.SOURCE, "+ 50", "+ 0")
    work.commit("break")
    work.freeze()
    work.commit("freeze")


@TOPIC.cheat(
    "freeze-of-a-side-branch",
    "A freeze is of a commit that is on no branch of the base.",
    "ledger-base-unknown",
    layer="range",
    own=True,
)
def _side(work: Work) -> None:
    tree = work.git("rev-parse", "HEAD^{tree}")
    work.freeze(base_revision=work.git("commit-tree", tree, "-m", "side"))


@TOPIC.cheat("freeze-of-an-abbreviated-base", "A freeze has seven digits of a commit.", "ledger-schema", own=True)
def _short(work: Work) -> None:
    work.freeze(base_revision=work.git("rev-parse", "--short=7", "HEAD"))


@TOPIC.cheat(
    "freeze-without-a-signature", "A freeze has an empty signature, which a missing one equals.", "ledger-schema"
)
def _empty(work: Work) -> None:
    work.freeze(signature="")


@TOPIC.cheat("freeze-of-everything", "A freeze has a pattern for a signature.", "ledger-schema", own=True)
def _pattern(work: Work) -> None:
    work.freeze(signature="*")


@TOPIC.cheat(
    "freeze-with-a-note", "A freeze carries a fifth field that says who allowed it.", "ledger-schema", own=True
)
def _note(work: Work) -> None:
    work.freeze(approved_by="someone")


@TOPIC.cheat("ledger-unreadable", "The ledger holds what is left of a merge conflict.", "ledger-unreadable", own=True)
def _conflict(work: Work) -> None:
    work.put(p.LEDGER, "<<<<<<< HEAD\n[]\n=======\n[]\n>>>>>>> other\n")


@TOPIC.cheat(
    "new-property-beside-a-freeze", "A new property comes with a freeze of another.", "catalog-mixed", own=True
)
def _new(work: Work) -> None:
    work.put("props/always.py", "def check(case):\n    return True\n")
    entry = work.read(p.TAX_ENTRY).replace(p.TAX, "prop.always").replace("tax_round.py:check_tax", "always.py:check")
    work.put("catalog/always.yaml", entry)
    work.freeze()


@TOPIC.cheat(
    "claim-dropped-beside-a-freeze", "A claim is dropped in the change that freezes another.", "claim-removed", own=True
)
def _claim(work: Work) -> None:
    work.json(p.CLAIMED, [p.TOTAL])
    work.freeze()


def _scoped(work: Work) -> None:
    text = f"id: prop.scoped\noracle: {p.PREDICATE}:test_total_non_negative\nclaim: never negative\nmutates_fixture: false\nscope: {p.SCOPE}\n"
    work.put("catalog/scoped.yaml", text)
    work.drop(p.CITATION)


@TOPIC.cheat(
    "freeze-over-an-open-record",
    "A property is frozen whose scope has no closed record.",
    "ledger-open-record",
    own=True,
    base=_scoped,
)
def _open(work: Work) -> None:
    work.drop(p.RECORD)
    work.freeze(prop_id="prop.scoped")

"""Frozen properties with a scope: the citation carries the freeze, and it must not hide a new failure."""

from __future__ import annotations

import shutil
from copy import copy
from pathlib import Path

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID
from shop import FILES, LEDGER, Shop, evidence

SOURCE = FILES["src/orders.py"] + "\n\ndef share(qty):\n    return 100 // qty\n"
PREDICATE = "from orders import share\n\n\ndef test_share(case):\n    assert share(case['qty']) * case['qty'] <= 100\n"
SCOPED = {
    "tests/properties/share.py": PREDICATE,
    SCOPE: f"""\
scope_id: {SCOPE_ID}
predicate: tests/properties/share.py:test_share
domain:
  qty: {{min: 0, max: 40}}
generator: tests/fixtures/gen_share.py
seed_lock: tests/fixtures/share.lock
schema_version: 3
""",
    "tests/fixtures/gen_share.py": "def generate(domain, rng):\n    return {'qty': rng.randint(0, 40)}\n",
    "tests/fixtures/share.lock": f"{SCOPE_ID} 17 200\n",
    "catalog/share.yaml": f"""\
id: prop.share
oracle: tests/properties/share.py:test_share
claim: nobody gets more than there is
mutates_fixture: false
scope: {SCOPE}
""",
    "catalog/claimed.json": '["prop.share", "prop.tax_round"]\n',
}
HARMLESS = SOURCE + "\n\ndef gross(cents):\n    return cents + tax(cents)\n"
FROZEN = ("inconclusive", "frozen")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Scoped:
    return Scoped(tmp_path_factory.mktemp("template") / "shop")


@pytest.fixture
def shop(template: Scoped, tmp_path: Path) -> Scoped:
    """A copy: binding takes its time, and once is enough."""
    copied = copy(template)
    copied.path = tmp_path / "shop"
    shutil.copytree(template.path, copied.path, symlinks=True)
    return copied


class Scoped(Shop):
    """A shop whose scope fails on base for one quantity, bound and cited there; the patch adds the freeze."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.git("checkout", "-q", "main")
        for name, text in {**SCOPED, "src/orders.py": SOURCE}.items():
            self.write(name, text)
        self.commit_all("scope")
        for words in (
            ("property-run", "--scope", SCOPE),
            ("bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE),
        ):
            done = self.run(*words)
            assert done.code == (1 if words[0] == "property-run" else 0), done.err
        self.stage_all()
        done = self.run("cite", SCOPE_ID)
        assert done.code == 0, done.err
        self.base = self.commit_all("bound and cited")
        self.git("checkout", "-q", "-B", "patch")
        self.freeze(*self.reproduced())


def test_a_cited_failure_that_base_gives_is_frozen(shop: Scoped) -> None:
    shop.patch(orders_py=HARMLESS)
    assert shop.verdicts() == (0, {"prop.share": FROZEN, "prop.tax_round": ("pass", "held")})


def test_a_new_failure_that_shrinks_to_the_frozen_input_is_a_fail(shop: Scoped) -> None:
    """Base fails for quantity 0 only, head for many; both reduce to 0, with the very same signature."""
    shop.patch(orders_py=SOURCE.replace("100 // qty", "100 // (qty if qty < 30 else 0)"))
    done, folder = shop.verdict()
    row = evidence(folder, "verdicts")["verdicts"][0]
    assert (done.code, row["verdict"], row["reason"]) == (1, "fail", "new_failures")
    assert "fails on head and not on base" in row["detail"]
    run = evidence(folder, "runs")["runs"][0]
    frozen = evidence(folder, "verdicts")["verdicts"][0]["signature"]
    assert run["signatures"] == [frozen], "by its signature alone it would have been frozen"


def test_another_failure_for_the_same_inputs_is_a_new_one(shop: Scoped) -> None:
    shop.patch(orders_py=SOURCE.replace("return 100 // qty", "return 100 // qty if qty != 7 else 99"))
    assert shop.verdicts()[1]["prop.share"] == ("fail", "new_failures")


@pytest.mark.parametrize(
    "fate",
    [
        "raise SystemExit",
        "raise KeyboardInterrupt",
        "raise __import__('unittest').SkipTest",
        "__import__('hypothesis').reject()",
        "import nowhere_",
    ],
)
def test_an_input_that_passes_on_base_and_has_no_answer_on_head_is_a_new_failure(shop: Scoped, fate: str) -> None:
    body = f"if qty == 20:\n        {fate}\n    return 100 // qty"
    shop.patch(orders_py=SOURCE.replace("return 100 // qty", body))
    _, folder = shop.verdict()
    row = evidence(folder, "verdicts")["verdicts"][0]
    assert (row["verdict"], row["reason"]) == ("fail", "new_failures"), row
    assert '{"qty": 20} has no answer on head' in row["detail"] and "on base it passes" in row["detail"]


def test_an_input_that_has_no_answer_on_either_side_is_no_new_one(shop: Scoped) -> None:
    shop.git("checkout", "-q", "main")
    ended = SOURCE.replace("return 100 // qty", "if qty == 20:\n        raise SystemExit\n    return 100 // qty")
    shop.write("src/orders.py", ended)
    shop.base = shop.commit_all("ended")
    shop.git("checkout", "-q", "-B", "patch")
    shop.freeze(*shop.reproduced())
    shop.patch(orders_py=ended + "\n\ndef gross(cents):\n    return cents + tax(cents)\n")
    assert shop.verdicts()[1]["prop.share"] == FROZEN


def test_a_scope_of_which_source_rejects_an_input_does_not_hold(shop: Scoped) -> None:
    rejecting = "if qty in (0, 20):\n        __import__('hypothesis').reject()\n    return 100 // qty"
    shop.patch(orders_py=SOURCE.replace("return 100 // qty", rejecting))
    _, folder = shop.verdict()
    row = evidence(folder, "verdicts")["verdicts"][0]
    assert (row["verdict"], row["reason"]) == ("fail", "missing_run") and "rejected a case" in row["detail"]


def test_a_freeze_without_a_standing_citation_does_not_count(shop: Scoped) -> None:
    shop.remove(CITATION)
    shop.patch(orders_py=HARMLESS)
    done, folder = shop.verdict()
    row = evidence(folder, "verdicts")["verdicts"][0]
    assert (done.code, row["verdict"], row["reason"]) == (1, "fail", "uncited")
    assert f"nothing cites {SCOPE_ID}" in row["detail"]


def test_an_open_record_carries_no_freeze(shop: Scoped) -> None:
    text = shop.at(RECORD).read_text()
    shop.write(RECORD, text.replace('"class_isolated": "fail"', '"class_isolated": "pass"'))
    shop.patch(orders_py=HARMLESS)
    assert shop.verdicts()[1]["prop.share"] == ("fail", "uncited")


def test_without_a_ledger_entry_it_fails_as_anything_does(shop: Scoped) -> None:
    shop.remove(LEDGER)
    shop.patch(orders_py=HARMLESS)
    assert shop.verdicts()[1]["prop.share"] == ("fail", "failed")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tests/fixtures/share.lock", f"{SCOPE_ID} 17 20\n"),
        ("tests/fixtures/gen_share.py", "def generate(domain, rng):\n    return {'qty': 0}\n"),
        ("tests/properties/share.py", PREDICATE + "\n\n# looked at\n"),
    ],
)
def test_an_edit_of_what_the_scope_rests_on_voids_the_freeze(shop: Scoped, name: str, text: str) -> None:
    shop.write(name, text)
    shop.patch(orders_py=HARMLESS)
    assert shop.verdicts()[1]["prop.share"] == ("fail", "oracle_moved")


def test_a_scope_that_holds_passes(shop: Scoped) -> None:
    shop.patch(orders_py=SOURCE.replace("100 // qty", "100 // qty if qty else 0"))
    done, folder = shop.verdict()
    assert evidence(folder, "verdicts")["verdicts"][0]["verdict"] == "pass", done.out
    (stale,) = evidence(folder, "verdicts")["stale_freezes"]
    assert stale["prop_id"] == "prop.share"


def test_a_patch_cannot_take_away_the_case_that_it_fails_on(shop: Scoped) -> None:
    """The seed's search would not find it again: base retains it, and head has to hold it."""
    shop.git("checkout", "-q", "main")
    shop.patch(orders_py=SOURCE.replace("100 // qty", "100 // qty if qty else 0"))
    shop.git("checkout", "-q", "-B", "patch")
    for path in (RECORD, COUNTEREXAMPLE, CITATION, LEDGER):
        shop.remove(path)
    shop.write("src/orders.py", SOURCE.replace("100 // qty", "100 // qty if qty else 101 / 0"))
    shop.write("tests/properties/notes.txt", "x\n")
    shop.commit_all("patch")
    assert shop.verdicts()[1]["prop.share"][0] == "fail"

"""Tests of the project's own pytest as oracles: which answers count, and which failures can be frozen."""

from __future__ import annotations

from pathlib import Path

import pytest

from shop import FILES, Shop, evidence

ENTRY = """\
id: prop.order_total
oracle: props/test_orders.py::test_share
claim: a total is never negative
mutates_fixture: false
"""
SOURCE = FILES["src/orders.py"] + "\n\ndef share(qty):\n    return 100 // qty\n"
PLAIN = "from orders import share\n\n\ndef test_share():\n    assert share({}) == 25\n"
SEARCHED = """\
from hypothesis import given, strategies as st
from orders import share


@given(st.integers(0, 40))
def test_share(qty):
    assert share(qty) * qty <= 100
"""
HARMLESS = SOURCE + "\n\ndef gross(cents):\n    return cents + tax(cents)\n"


class NodeShop(Shop):
    """A shop whose first property is a test of pytest, with this text."""

    def __init__(self, path: Path, text: str, **more: str) -> None:
        super().__init__(path)
        self.git("checkout", "-q", "main")
        self.remove("props/order_total.py")
        for name, content in {
            "props/test_orders.py": text,
            "catalog/order_total.yaml": ENTRY,
            "src/orders.py": SOURCE,
            **{name.replace("__", "/").replace("_py", ".py"): content for name, content in more.items()},
        }.items():
            self.write(name, content)
        self.base = self.commit_all("tests")
        self.git("checkout", "-q", "-B", "patch")

    def outcome(self) -> tuple[str, str, str]:
        """Verdict, reason and detail of the test's property on a harmless patch."""
        self.patch(orders_py=HARMLESS)
        _, folder = self.verdict()
        row = evidence(folder, "verdicts")["verdicts"][0]
        return row["verdict"], row["reason"], row.get("detail") or ""


def test_a_test_that_passes_is_a_pass(tmp_path: Path) -> None:
    assert NodeShop(tmp_path / "shop", PLAIN.format(4)).outcome()[:2] == ("pass", "held")


def test_a_failing_test_without_an_example_has_no_signature_and_so_no_freeze(tmp_path: Path) -> None:
    shop = NodeShop(tmp_path / "shop", PLAIN.format(5))
    assert shop.reproduced() == []
    verdict, reason, detail = shop.outcome()
    assert (verdict, reason) == ("fail", "failed")
    assert "AssertionError" in detail


def test_a_hypothesis_failure_is_frozen_by_its_smallest_example(tmp_path: Path) -> None:
    shop = NodeShop(tmp_path / "shop", SEARCHED)
    rows = shop.reproduced()
    assert [row["prop_id"] for row in rows] == ["prop.order_total"]
    shop.freeze(*rows)
    assert shop.outcome()[:2] == ("inconclusive", "frozen")
    shop.patch(orders_py=SOURCE.replace("100 // qty", "100 // qty if qty != 20 else 9"))
    assert shop.verdicts()[1]["prop.order_total"] == ("fail", "failed"), "another example fails first, or another way"


def test_a_freeze_of_the_smallest_example_hides_no_other_input(tmp_path: Path) -> None:
    """Base fails for 0 only; the example that both are reduced to is the same, and so is its signature."""
    shop = NodeShop(tmp_path / "shop", SEARCHED)
    rows = shop.reproduced()
    shop.freeze(*rows)
    shop.patch(orders_py=SOURCE.replace("100 // qty", "100 // (qty if qty < 3 else 0)"))
    done, folder = shop.verdict()
    row = evidence(folder, "verdicts")["verdicts"][0]
    assert (done.code, row["verdict"], row["reason"]) == (1, "fail", "new_failures"), row
    assert "fails on head and not on base" in row["detail"]
    run = evidence(folder, "runs")["runs"][0]
    assert run["signatures"] == [frozen["signature"] for frozen in rows], "by its signature alone it would be frozen"


@pytest.mark.parametrize(
    ("qty", "says"),
    [
        (29, '{"qty":29} fails on head and not on base'),
        (33, '{"qty":33} fails on head in another way than on base'),
    ],
)
def test_nor_one_that_fails_as_another_frozen_one_does(tmp_path: Path, qty: int, says: str) -> None:
    """Both sides give the examples 0 and 30, each failing in its own way."""
    text = SEARCHED.replace("    assert share(qty)", "    given = share(qty)\n    assert qty < 30\n    assert given")
    shop = NodeShop(tmp_path / "shop", text)
    rows = shop.reproduced()
    assert len(rows) == 2
    shop.freeze(*rows)
    assert shop.outcome()[:2] == ("inconclusive", "frozen")
    shop.patch(orders_py=SOURCE.replace("100 // qty", f"100 // (qty if qty != {qty} else 0)"))
    _, folder = shop.verdict()
    row = evidence(folder, "verdicts")["verdicts"][0]
    assert (row["verdict"], row["reason"]) == ("fail", "new_failures") and says in row["detail"], row


@pytest.mark.parametrize("fate", ["raise SystemExit", "raise __import__('unittest').SkipTest", "reject()"])
def test_nor_one_that_has_no_answer(tmp_path: Path, fate: str) -> None:
    shop = NodeShop(tmp_path / "shop", SEARCHED)
    shop.freeze(*shop.reproduced())
    body = f"if qty == 33:\n        from hypothesis import reject\n        {fate}\n    return 100 // qty"
    shop.patch(orders_py=SOURCE.replace("return 100 // qty", body))
    assert shop.verdicts()[1]["prop.order_total"][0] == "fail"


def test_a_patch_that_mends_some_of_the_frozen_inputs_stays_frozen(tmp_path: Path) -> None:
    shop = NodeShop(tmp_path / "shop", SEARCHED.replace("<= 100", "<= 100 and qty < 30"))
    rows = shop.reproduced()
    shop.freeze(*rows)
    assert len(rows) == 2
    shop.patch(orders_py=SOURCE.replace("100 // qty", "100 // (qty or 1)"))
    assert shop.verdicts()[1]["prop.order_total"] == ("inconclusive", "frozen")


def test_an_input_that_source_rejects_is_no_pass(tmp_path: Path) -> None:
    shop = NodeShop(tmp_path / "shop", SEARCHED.replace("st.integers(0", "st.integers(1"))
    shop.patch(
        orders_py=SOURCE.replace(
            "return 100 // qty",
            "if qty > 30:\n        from hypothesis import reject\n        reject()\n    return 100 // qty",
        )
    )
    _, folder = shop.verdict()
    row = evidence(folder, "verdicts")["verdicts"][0]
    assert (row["verdict"], row["reason"]) == ("fail", "missing_run") and "rejected a case" in row["detail"]


@pytest.mark.parametrize(
    ("mark", "says"),
    [
        ("@pytest.mark.skip(reason='flaky')", "skipped"),
        ("@pytest.mark.xfail", "xfail"),
        ("@pytest.mark.skipif(True, reason='flaky')", "skipped"),
    ],
)
def test_a_test_that_is_muted_is_a_missing_run(tmp_path: Path, mark: str, says: str) -> None:
    text = "import pytest\n" + PLAIN.format(5).replace("def test", f"{mark}\ndef test")
    verdict, reason, detail = NodeShop(tmp_path / "shop", text).outcome()
    assert (verdict, reason) == ("fail", "missing_run")
    assert says in detail


def test_a_mark_that_the_patch_adds_moves_the_oracle(tmp_path: Path) -> None:
    shop = NodeShop(tmp_path / "shop", PLAIN.format(5))
    shop.write(
        "props/test_orders.py", "import pytest\n" + PLAIN.format(5).replace("def test", "@pytest.mark.skip\ndef test")
    )
    assert shop.outcome()[:2] == ("fail", "oracle_moved")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("conftest.py", "collect_ignore = ['props/test_orders.py']\n"),
        ("props/conftest.py", "def pytest_collection_modifyitems(items):\n    items.clear()\n"),
        ("pytest.ini", "[pytest]\naddopts = --deselect props/test_orders.py\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-k nothing'\n"),
    ],
)
def test_settings_that_the_patch_brings_move_the_oracle(tmp_path: Path, path: str, text: str) -> None:
    shop = NodeShop(tmp_path / "shop", PLAIN.format(5))
    shop.write(path, text)
    assert shop.outcome()[0] == "fail"


def test_what_pytest_prints_or_how_it_ends_is_no_answer(tmp_path: Path) -> None:
    text = PLAIN.format(4).replace("    assert", "    print('1 passed')\n    import os\n    os._exit(0)\n    assert")
    assert NodeShop(tmp_path / "shop", text).outcome()[:2] == ("fail", "missing_run")

"""Two processes judge a large tree as one would, and a half that is missing is no half that is clean."""

from __future__ import annotations

import os
import signal

import pytest

from building import good_project
from children import own_children
from freezegate.errors import CannotJudge
from freezegate.gate import binding_half, side_by_side
from memory import evaluate_memory

SCOPE = """\
scope_id: {id}
predicate: tests/properties/order_total.py:test_total_non_negative
domain:
  qty: {{min: 1, max: 20}}
generator: tests/fixtures/gen_orders.py
seed_lock: tests/fixtures/order_total.lock
schema_version: 3
"""


def many_scopes() -> dict[str, bytes]:
    """A project with thirty scopes: duplicates across both halves, unreadable ones, open records, strangers."""
    files = dict(good_project())
    for number in range(30):
        files[f"tests/properties/many_{number:02}.scope.yaml"] = SCOPE.format(id=f"many.n{number % 20}").encode()
    files["tests/properties/many_07.scope.yaml"] += b"scope_id: twice\n"
    files["tests/bindings/many.n3.json"] = b"{}"
    files["tests/bindings/many.n4.json"] = files["tests/bindings/order_total.non_negative.json"]
    files["tests/freezes/many.n5.freeze.json"] = b"[]"
    files["tests/bindings/nobody.here.json"] = b"[1]"
    return files


def test_two_processes_find_what_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    files = many_scopes()
    whole = evaluate_memory(None, files)
    monkeypatch.setattr(binding_half, "_SPLIT_FROM", 2)
    monkeypatch.setattr(binding_half, "can_split", lambda: True)
    split = evaluate_memory(None, files)
    assert split.findings == whole.findings
    assert split.checked == whole.checked
    assert {"scope-id-duplicate", "record-schema", "scope-unreadable"} <= {found.rule for found in whole.findings}


def test_both_results_come_back_and_values_are_exchanged() -> None:
    seen = side_by_side.in_two(lambda number, exchange: (number, exchange("from " + "01"[number] * 300_000)[5]))
    assert seen == ((0, "1"), (1, "0"))


def test_a_child_that_dies_is_no_answer() -> None:
    def work(number: int, exchange: side_by_side.Exchange) -> int:
        if number:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(CannotJudge, match="half of the check"):
        side_by_side.in_two(work)


def test_an_error_of_the_child_is_told() -> None:
    def work(number: int, exchange: side_by_side.Exchange) -> int:
        return 1 // (1 - number)

    with pytest.raises(CannotJudge, match="ZeroDivisionError"):
        side_by_side.in_two(work)


def test_an_error_here_ends_the_child() -> None:
    def work(number: int, exchange: side_by_side.Exchange) -> int:
        if number:
            signal.pause()
        raise RuntimeError("here")

    before = own_children()
    with pytest.raises(RuntimeError, match="here"):
        side_by_side.in_two(work)
    assert own_children() <= before

"""What a seed lock pins, and which flags it lets pass."""

from __future__ import annotations

import pytest

from freezegate.errors import CannotJudge
from freezegate.running.seeds import Bounds, Lock, Pin, bounds, read_lock


def test_lines_pin_seed_and_examples() -> None:
    text = b"# bounds\n\norders.total 17 200\norders.rounded 5\r\n"
    assert read_lock(text, "a.lock").pins == {"orders.total": Pin(17, 200), "orders.rounded": Pin(5, None)}


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"seed = 17\n",
        b"orders.total 17 200\nand a remark\n",
        b"orders.total -1\n",
        b"orders.total 17 200 3\n",
        b"orders.total\n",
        b"orders.total 1.5\n",
        "orders.total １７\n".encode(),
        b"\xff\xfe",
        b"total 17\n",
    ],
)
def test_any_other_content_pins_nothing(text: bytes) -> None:
    assert read_lock(text, "a.lock").pins == {}


def test_an_id_that_is_pinned_twice_is_refused() -> None:
    with pytest.raises(CannotJudge, match=r"a\.lock, line 2, pins orders\.total twice"):
        read_lock(b"orders.total 17 200\norders.total 17 100\n", "a.lock")


def pinned(pin: Pin | None) -> Lock:
    return Lock("a.lock", {} if pin is None else {"a.b": pin})


def test_the_lock_gives_what_no_flag_says() -> None:
    assert bounds("a.b", pinned(Pin(17, 200)), None, None, False, 10_000) == Bounds(17, 200, True)
    assert bounds("a.b", pinned(Pin(17, None)), None, 50, False, 10_000) == Bounds(17, 50, True)
    assert bounds("a.b", pinned(None), 3, 50, False, 10_000) == Bounds(3, 50, True)
    assert bounds("a.b", pinned(Pin(17, 200)), 17, 200, False, 10_000) == Bounds(17, 200, True)
    assert bounds("a.b", pinned(Pin(0, 1)), None, None, False, 10_000) == Bounds(0, 1, True)


@pytest.mark.parametrize(("seed", "examples"), [(18, None), (None, 100), (18, 100), (0, 200)])
def test_a_flag_that_differs_needs_unlocked_and_then_it_is_not_locked(seed: int | None, examples: int | None) -> None:
    with pytest.raises(CannotJudge, match="differs from the"):
        bounds("a.b", pinned(Pin(17, 200)), seed, examples, False, 10_000)
    found = bounds("a.b", pinned(Pin(17, 200)), seed, examples, True, 10_000)
    assert found == Bounds(17 if seed is None else seed, examples or 200, False)


@pytest.mark.parametrize(
    ("pin", "seed", "examples", "flag"),
    [(None, None, 10, "--seed"), (None, 1, None, "--max-examples"), (Pin(17, None), None, None, "--max-examples")],
)
def test_what_nothing_pins_is_a_required_flag(
    pin: Pin | None, seed: int | None, examples: int | None, flag: str
) -> None:
    with pytest.raises(CannotJudge, match=f"nothing pins {flag}"):
        bounds("a.b", pinned(pin), seed, examples, False, 10_000)


@pytest.mark.parametrize(("examples", "cap"), [(201, 200), (10_001, 10_000), (0, 5)])
def test_more_examples_than_policy_allows_are_refused(examples: int, cap: int) -> None:
    with pytest.raises(CannotJudge, match="max_examples_cap"):
        bounds("a.b", pinned(Pin(17, None)), None, examples, False, cap)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "a.lock: there is no such file"),
        (b"a.c 17 200\n", "a.lock: no line begins with a.b"),
        (b"a.b 17\n", "a.lock: its line has a seed alone"),
        (b"# bounds\na.b seventeen 200\n", 'a.lock: line 2, "a.b seventeen 200", is no'),
    ],
)
def test_why_nothing_is_pinned_is_said(data: bytes | None, why: str) -> None:
    with pytest.raises(CannotJudge) as refused:
        bounds("a.b", read_lock(data, "a.lock"), None, None, False, 10_000)
    assert why in refused.value.message
    assert "in a.lock" in refused.value.hint

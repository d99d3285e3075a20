"""Seed locks as text: lines of `scope_id seed [max_examples]` pin how a scope is searched."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from freezegate.documents.checks import SCOPE_ID
from freezegate.errors import CannotJudge
from freezegate.text import quoted

_NUMBER = re.compile(r"[0-9]{1,18}")


class Pin(NamedTuple):
    """What a line says of one scope; None where it leaves the number of examples open."""

    seed: int
    max_examples: int | None


class Bounds(NamedTuple):
    """How a search is bounded. `locked`: no flag differs from what the seed lock pins."""

    seed: int
    max_examples: int
    locked: bool


class Lock(NamedTuple):
    """A seed lock: its path for messages, scope id to pin, and what keeps it from pinning anything (else empty)."""

    shown: str
    pins: Mapping[str, Pin]
    flaw: str = ""


def read_lock(data: bytes | None, shown: str) -> Lock:
    """The pins of a lock of which every line is of the form (blank lines and `#` comments aside). None is no file.

    Any other content is legal, pins nothing, and counts by its bytes alone. Raises CannotJudge where one id is pinned
    twice: nobody could tell which line holds.
    """
    if data is None:
        return Lock(shown, {}, "there is no such file of at most 1 MiB")
    found: dict[str, Pin] = {}
    twice = None
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        if not (words := line.split()) or words[0].startswith("#"):
            continue
        scope_id, *numbers = words
        if not SCOPE_ID.fullmatch(scope_id) or len(numbers) not in (1, 2) or not all(map(_NUMBER.fullmatch, numbers)):
            return Lock(shown, {}, f"line {number}, {quoted(line.strip())}, is no `scope_id seed [max_examples]`")
        if scope_id in found:
            twice = f"{shown}, line {number}, pins {scope_id} twice"
        found[scope_id] = Pin(int(numbers[0]), int(numbers[1]) if len(numbers) == 2 else None)
    if twice is not None:
        raise CannotJudge(twice, "leave one line for each scope id")
    return Lock(shown, found)


def bounds(scope_id: str, lock: Lock, seed: int | None, max_examples: int | None, unlocked: bool, cap: int) -> Bounds:
    """Seed and number of examples from the lock's pin and the flags. Raises CannotJudge where they leave one open,
    differ without `--unlocked`, or ask for more examples than policy allows.
    """
    pin = lock.pins.get(scope_id)
    pinned = pin or Pin(-1, None)
    pairs = (("--seed", seed, pin.seed if pin else None), ("--max-examples", max_examples, pinned.max_examples))
    locked = True
    for flag, given, held in pairs:
        if given is None and held is None:
            raise CannotJudge(
                f"nothing pins {flag} of {scope_id}: {lock.shown}: {lock.flaw or _unpinned(scope_id, pin)}",
                f"give {flag}, or write the line `{scope_id} SEED MAX_EXAMPLES` in {lock.shown}",
            )
        if given is not None and held is not None and given != held:
            if not unlocked:
                raise CannotJudge(
                    f"{flag} {given} differs from the {held} that the seed lock pins for {scope_id}",
                    f"leave {flag} out, or add --unlocked (then nothing can be bound)",
                )
            locked = False
    chosen = [held if given is None else given for _, given, held in pairs]
    assert chosen[0] is not None and chosen[1] is not None
    if not 1 <= chosen[1] <= cap:
        raise CannotJudge(
            f"{chosen[1]} examples are not between 1 and the {cap} of policy.max_examples_cap",
            "ask for fewer examples, or raise the cap in a change of its own",
        )
    return Bounds(chosen[0], chosen[1], locked)


def _unpinned(scope_id: str, pin: Pin | None) -> str:
    return f"no line begins with {scope_id}" if pin is None else "its line has a seed alone"

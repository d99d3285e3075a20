"""Seed locks as text: lines of `scope_id seed [max_examples]` pin how a scope is searched."""

from __future__ import annotations

import re
from typing import NamedTuple

from freezegate.documents.checks import SCOPE_ID
from freezegate.errors import CannotJudge

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


def pins(data: bytes) -> dict[str, Pin]:
    """Scope id to pin, where every line of the lock is of the form (blank lines and `#` comments aside).

    Any other content is legal, pins nothing, and counts by its bytes alone. Raises CannotJudge where one id is pinned
    twice: nobody could tell which line holds.
    """
    found: dict[str, Pin] = {}
    try:
        lines = data.decode("ascii").splitlines()
    except UnicodeDecodeError:
        return {}
    twice = None
    for line in lines:
        if not (words := line.split()) or words[0].startswith("#"):
            continue
        scope_id, *numbers = words
        if not SCOPE_ID.fullmatch(scope_id) or len(numbers) not in (1, 2):
            return {}
        if not all(_NUMBER.fullmatch(number) for number in numbers):
            return {}
        if scope_id in found:
            twice = scope_id
        found[scope_id] = Pin(int(numbers[0]), int(numbers[1]) if len(numbers) == 2 else None)
    if twice is not None:
        raise CannotJudge(f"the seed lock pins {twice} twice", "leave one line for each scope id")
    return found


def bounds(
    scope_id: str, pin: Pin | None, seed: int | None, max_examples: int | None, unlocked: bool, cap: int
) -> Bounds:
    """Seed and number of examples from the lock's pin and the flags. Raises CannotJudge where they leave one open,
    differ without `--unlocked`, or ask for more examples than policy allows.
    """
    pinned = pin or Pin(-1, None)
    pairs = (("--seed", seed, pin.seed if pin else None), ("--max-examples", max_examples, pinned.max_examples))
    locked = True
    for flag, given, held in pairs:
        if given is None and held is None:
            raise CannotJudge(
                f"nothing pins {flag} of {scope_id}",
                f"give {flag}, or add a line `{scope_id} SEED MAX_EXAMPLES` to its seed lock",
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

"""What a revision really gives: its properties run several times, each in a clean state, with its own fixtures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from freezegate.documents.evidence import BaseSignature
from freezegate.gate.governed import Governed
from freezegate.verdicts.judging import Judged
from freezegate.verdicts.prepared import Prepared, Unrunnable, prepared
from freezegate.verdicts.propcheck import How, run_all


@dataclass(frozen=True)
class Reproduction:
    """Signature to the number of attempts that gave it, for one property, and the rows that failed in any of them; `notes`
    say what kept others from counting.
    """

    attempts: int
    seen: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    rows: frozenset[str] = frozenset()


def reproduced(
    tree: Governed,
    commit: str,
    ids: Sequence[str],
    attempts: int,
    how: How,
    done: Callable[[int], None] = lambda count: None,
) -> dict[str, Reproduction]:
    """Each of the properties, as `tree` at `commit` defines it. One that cannot be run there gives nothing."""
    plans: list[Prepared] = []
    answers: dict[str, Reproduction] = {}
    for prop_id in ids:
        try:
            plans.append(prepared(tree, prop_id, how.top))
        except Unrunnable as why:
            answers[prop_id] = Reproduction(0, notes=(str(why),))
    # An attempt after another: those of one property are spread over the workers too.
    ran = run_all([plan for plan in plans for _ in range(attempts)], commit, how, done)
    for number, plan in enumerate(plans):
        answers[plan.prop.id] = _counted(ran[number * attempts : (number + 1) * attempts])
    return answers


def _counted(results: Sequence[Judged]) -> Reproduction:
    seen: dict[str, int] = {}
    rows: set[str] = set()
    for result in results:
        # A run whose fixtures or tree did not stay what they were shows nothing.
        if result.status == "fail" and result.reason is None:
            rows.update(result.rows)
            for made in dict.fromkeys(result.signatures):
                if made is not None:
                    seen[made] = seen.get(made, 0) + 1
    notes = dict.fromkeys(result.detail or "" for result in results if result.status == "missing")
    return Reproduction(len(results), seen, tuple(notes), frozenset(rows))


def as_rows(found: Mapping[str, Reproduction], digest: str, revision: str) -> list[BaseSignature]:
    """The four-field records of all that was seen, in the order of the ids."""
    return [
        BaseSignature(prop_id, made, digest, revision) for prop_id, each in found.items() for made in sorted(each.seen)
    ]

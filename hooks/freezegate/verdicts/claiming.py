"""Which properties a change must answer for, and whether a person must look at it."""

from __future__ import annotations

from freezegate.gate.governed import CONFIG_PATH
from freezegate.git.snapshot import difference
from freezegate.verdicts.splitting import Trees


def claims(trees: Trees) -> tuple[tuple[str, ...], str | None]:
    """The claimed ids that are judged, and why a person must look at the change (None: none must).

    A change of what judges alone may take claims back, and is a person's to let in: head's claims count. Any other may only
    add to base's. One that edits the configuration is a person's too: it says where all of this is looked for.
    """
    places = trees.head.places
    judges = [places.catalog, places.claimed, places.oracles]
    if trees.head.has_scopes:
        judges += [places.properties, places.generators, places.seed_lock]
    delta = difference(trees.fork.snapshot, trees.head.snapshot)
    alone = bool(delta) and all(any(path.within(place) for place in judges) for path in delta)
    if alone:
        return trees.head.claims, "definitions"
    both = tuple(dict.fromkeys((*trees.head.claims, *trees.base.claims)))
    return both, "config" if CONFIG_PATH in delta else None

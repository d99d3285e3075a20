"""Which properties a change must answer for, and whether a person must look at it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from freezegate.gate.governed import CONFIG_PATH
from freezegate.git.plumbing import answer
from freezegate.git.snapshot import difference
from freezegate.paths import RepoPath
from freezegate.verdicts.splitting import Trees


def claims(trees: Trees) -> tuple[tuple[str, ...], str | None]:
    """The claimed ids that are judged, and why a person must look at the change (None: none must).

    A change of what judges alone may take claims back, and is a person's to let in: head's claims count. Any other may only
    add to base's. One that edits the configuration is a person's too: it says where all of this is looked for.
    """
    delta = difference(trees.fork.snapshot, trees.head.snapshot)
    if delta and next(_others(trees), None) is None:
        return trees.head.claims, "definitions"
    both = tuple(dict.fromkeys((*trees.head.claims, *trees.base.claims)))
    return both, "config" if CONFIG_PATH in delta else None


def notes(trees: Trees, ids: Collection[str], voided: Collection[str], review: str | None) -> Iterator[str]:
    """What a person should know who asks why the change is, or is not, what it was meant to be."""
    if unclaimed := sorted(set(trees.head.properties_by_id) - set(ids)):
        yield f"not claimed, so not run: {', '.join(unclaimed)}"
    if voided and review is None:
        yield f"definitions are edited beside other files ({next(_others(trees))}), so this is no review change"
    if answer(["diff-index", "--quiet", "HEAD"])[0] == 1:
        yield "HEAD is judged; what is not committed is not"


def _others(trees: Trees) -> Iterator[RepoPath]:
    """Changed paths that are no definitions: neither catalog, claims, oracles nor predicates and what makes their cases."""
    places = trees.head.places
    judges = [places.catalog, places.claimed, places.oracles]
    if trees.head.has_scopes:
        judges += [places.properties, places.generators, places.seed_lock]
    for path in sorted(difference(trees.fork.snapshot, trees.head.snapshot)):
        if not any(path.within(place) for place in judges):
            yield path

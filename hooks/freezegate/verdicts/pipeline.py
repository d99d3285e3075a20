"""A change judged from end to end, in the one safe order: the fixture digest is written before anything runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from freezegate.documents.evidence import SplitDiff, Verdicts, encoded
from freezegate.errors import CannotJudge
from freezegate.files import write_whole
from freezegate.gate.governed import Document, Governed
from freezegate.git.ancestry import known_to
from freezegate.git.repository import Repository
from freezegate.git.snapshot import difference
from freezegate.verdicts.applying import apply
from freezegate.verdicts.cache import Cache
from freezegate.verdicts.propcheck import How, fixture_digest, run_claims
from freezegate.verdicts.reproduce import Reproduction, as_rows, reproduced
from freezegate.verdicts.splitting import Ends, Trees, split

Say = Callable[[str], None]
Progress = Callable[[int, str], Callable[[int], None]]


@dataclass(frozen=True)
class Asked:
    """How a change is to be judged. `strict` can only tighten what base's policy says."""

    base: str
    run_dir: str
    strict: bool
    attempts: int
    cached: bool


def verdict(asked: Asked, how: How, say: Say, progress: Progress) -> Verdicts:
    """The verdicts on HEAD against the base revision, with all evidence in the run folder.

    Raises CannotJudge, GitError, OSError: then what was written so far is no verdict.
    """
    folder = _run_folder(asked.run_dir)
    ends = Ends.of(asked.base)
    repository = Repository()
    try:
        trees = Trees.at(repository, ends)
        for tree in (trees.head, trees.base):
            _refuse_unreadable(tree)
        digest = fixture_digest(trees.head, trees.head.sized)
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder, "fixture.digest", f"{digest}\n".encode("ascii"))
        parts = split(ends, trees)
        _write(folder, "oracle_edited.json", encoded(parts))
        ids, review = _claims(trees)
        found = _reproductions(trees, parts, digest, ids, asked, how, say, progress)
        rows = as_rows(found, digest, ends.base)
        _write(folder, "base.sig.json", encoded(rows))
        unsettled = sum(prop_id not in parts.voided for prop_id in ids)
        runs = run_claims(trees, parts, digest, ids, how, progress(unsettled, "properties"))
        _write(folder, "runs.json", encoded(runs))
        policy = trees.base.config.policy
        known = known_to([ends.base])({freeze.base_revision for freeze in trees.head.freezes})
        strict = asked.strict or policy.promotion == "strict"
        verdicts = apply(
            runs,
            trees.head.freezes,
            ids,
            rows,
            strict,
            base_known=known.__contains__ if policy.base_match == "reproduced" else None,
            stale_fails=policy.stale == "fail",
            voided=parts.voided,
            attempts={
                (name, made): (n, each.attempts) for name, each in found.items() for made, n in each.seen.items()
            },
        )
        if review:
            verdicts = _for_review(verdicts, strict)
        _write(folder, "verdicts.json", encoded(verdicts))
    finally:
        repository.close()
    return verdicts


def _run_folder(given: str) -> Path:
    folder = Path(given)
    if os.path.lexists(given) and (folder.is_symlink() or not folder.is_dir() or any(folder.iterdir())):
        raise CannotJudge(f"{given} is there and not an empty folder", "name a folder that is not there, or empty")
    return folder


def _write(folder: Path, name: str, data: bytes) -> None:
    write_whole(str(folder / name), data)


def _refuse_unreadable(tree: Governed) -> None:
    """What decides on freezes and claims must be readable; of the other documents each is its property's matter."""
    documents: Sequence[Document | None] = (tree.ledger, tree.claimed)
    for document in documents:
        if document is not None and document.value is None:
            problem = document.reading.problems[0]
            where = f"{document.path}, line {problem.line}, column {problem.column}"
            raise CannotJudge(f"{where}: {problem.message}", "freezegate check --all-files")
    for path in (tree.places.ledger, tree.places.claimed):
        entry = tree.entry(path)
        if entry is not None and not entry.is_file:
            raise CannotJudge(f"{path} is no regular file", "commit the file itself")


def _claims(trees: Trees) -> tuple[tuple[str, ...], bool]:
    """The claimed ids that are judged, and whether this is a change of what judges alone.

    Such a change may take claims back, and is a person's to let in: head's claims count. Any other may only add to base's.
    """
    places = trees.head.places
    delta = difference(trees.fork.snapshot, trees.head.snapshot)
    judges = (places.catalog, places.claimed, places.oracles, places.properties, places.generators, places.seed_lock)
    review = bool(delta) and all(any(path.within(place) for place in judges) for path in delta)
    if review:
        return trees.head.claims, True
    return tuple(dict.fromkeys((*trees.head.claims, *trees.base.claims))), False


def _reproductions(
    trees: Trees,
    parts: SplitDiff,
    digest: str,
    ids: Sequence[str],
    asked: Asked,
    how: How,
    say: Say,
    progress: Progress,
) -> dict[str, Reproduction]:
    """What base gives of the properties for which a freeze may apply: nothing else of it can matter."""
    frozen = {freeze.prop_id for freeze in trees.head.freezes}
    wanted = [prop_id for prop_id in ids if prop_id in frozen and prop_id not in parts.voided]
    if not wanted:
        return {}
    there = trees.base.fixture_digest(digest.startswith("sized:"))
    if there != digest:
        say(f"nothing is reproduced: the base revision's fixture digest is {there or 'none'}, head's is {digest}")
        return {}
    cache = Cache(trees.base.snapshot.root, digest, asked.attempts, how)
    known = cache.known(wanted) if asked.cached else {}
    left = [prop_id for prop_id in wanted if prop_id not in known]
    show = progress(len(left) * asked.attempts, "runs on the base revision")
    fresh = reproduced(trees.base, parts.base, left, asked.attempts, how, show)
    for prop_id, each in fresh.items():
        for note in each.notes:
            say(f"on the base revision, {prop_id}: {note}")
    if asked.cached:
        cache.keep(fresh)
    return {prop_id: known.get(prop_id) or fresh[prop_id] for prop_id in wanted}


def _for_review(verdicts: Verdicts, strict: bool) -> Verdicts:
    """A change of what judges is never promoted by itself; where all that it leaves alone passes, a person may."""
    others = [row for row in verdicts.verdicts if row.reason != "oracle_moved"]
    allowed = ("pass",) if strict else ("pass", "inconclusive")
    settled = all(row.verdict in allowed for row in others)
    reason = "review" if verdicts.promotion_reason == "promoted" else verdicts.promotion_reason
    return replace(verdicts, promoted=False, review=settled, promotion_reason=reason)

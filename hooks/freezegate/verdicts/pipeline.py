"""A change judged from end to end, in the one safe order: the fixture digest is written before anything runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from freezegate.documents.evidence import SplitDiff, Verdicts, encoded
from freezegate.errors import CannotJudge
from freezegate.gate.governed import Document, Governed
from freezegate.git.ancestry import known_to
from freezegate.git.repository import Repository
from freezegate.verdicts.applying import apply
from freezegate.verdicts.cache import Cache
from freezegate.verdicts.claiming import claims, notes
from freezegate.verdicts.propcheck import How, fixture_digest, run_claims
from freezegate.verdicts.reading import contents
from freezegate.verdicts.reproduce import Reproduction, as_rows, reproduced
from freezegate.verdicts.splitting import Ends, Trees, split
from freezegate.verdicts.writing import write_evidence

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
    folder = _Folder(asked.run_dir)
    ends = Ends.of(asked.base)
    repository = Repository()
    try:
        trees = Trees.at(repository, ends)
        for tree in (trees.head, trees.base):
            _refuse_unreadable(tree)
        digest = fixture_digest(trees.head, trees.head.sized)
        folder.write("fixture.digest", f"{digest}\n".encode("ascii"))
        parts = split(ends, trees)
        folder.write("oracle_edited.json", encoded(parts))
        ids, review = claims(trees)
        for note in notes(trees, ids, parts.voided, review):
            say(note)
        found = _reproductions(trees, parts, digest, ids, asked, how, say, progress)
        rows = as_rows(found, digest, ends.base)
        folder.write("base.sig.json", encoded(rows))
        unsettled = sum(prop_id not in parts.voided for prop_id in ids)
        on_base = {prop_id: each.rows for prop_id, each in found.items()}
        shown = progress(unsettled, "properties")
        runs = replace(run_claims(trees, parts, digest, ids, how, shown, on_base), review=review)
        folder.write("runs.json", encoded(runs))
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
        folder.write("verdicts.json", encoded(verdicts))
    finally:
        repository.close()
    return verdicts


class _Folder:
    """The run folder: made with its first file, and read again before its last one is written."""

    def __init__(self, given: str) -> None:
        if not given:  # as a path it would be the current folder
            raise CannotJudge("the name of the run folder is empty", "name a folder that is not there, or empty")
        self._path = Path(given)
        self._written: dict[str, bytes] = {}
        there = os.path.lexists(given)
        if there and (self._path.is_symlink() or not self._path.is_dir() or any(self._path.iterdir())):
            raise CannotJudge(f"{given} is there and not an empty folder", "name a folder that is not there, or empty")

    def write(self, name: str, data: bytes) -> None:
        """Write one file, once those before are what they were: project code runs meanwhile, and could find them."""
        if not self._written:
            self._path.mkdir(parents=True, exist_ok=True)
        for known, before in self._written.items():
            try:
                same = contents(self._path / known, len(before)) == before
            except CannotJudge:
                same = False
            if not same:
                why = f"{self._path / known} was changed or removed while the properties ran"
                raise CannotJudge(why, "look at what they do")
        if os.path.lexists(self._path / name):
            raise CannotJudge(f"{self._path / name} was made while the properties ran", "look at what they do")
        write_evidence(str(self._path / name), data)
        self._written[name] = data


def _refuse_unreadable(tree: Governed) -> None:
    """What decides on freezes and claims must be readable; of the other documents each is its property's matter."""
    documents: Sequence[Document | None] = (tree.ledger, tree.claimed)
    for document in documents:
        if document is not None and document.value is None:
            problem = document.reading.problems[0]
            where = f"{document.path}, line {problem.line}, column {problem.column}"
            raise CannotJudge(f"{where}: {problem.message}", "freezegate check --all-files")
    fields = [(freeze.prop_id, freeze.signature) for freeze in tree.freezes]
    if len(set(fields)) < len(fields):
        raise CannotJudge(f"{tree.places.ledger} has two entries for one failure", "freezegate check --all-files")
    for path in (tree.places.ledger, tree.places.claimed):
        entry = tree.entry(path)
        if entry is not None and not entry.is_file:
            raise CannotJudge(f"{path} is no regular file", "commit the file itself")


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
    # What a CI service keeps of a clone from one job to the next, the code of the last job could write to.
    cached = asked.cached and not os.environ.get("CI")
    cache = Cache(trees.base.snapshot.root, digest, asked.attempts, how)
    known = cache.known(wanted) if cached else {}
    left = [prop_id for prop_id in wanted if prop_id not in known]
    show = progress(len(left) * asked.attempts, "runs on the base revision")
    fresh = reproduced(trees.base, parts.base, left, asked.attempts, how, show)
    for prop_id, each in fresh.items():
        for note in each.notes:
            say(f"on the base revision, {prop_id}: {note}")
    if cached:
        cache.keep(fresh)
    return {prop_id: known.get(prop_id) or fresh[prop_id] for prop_id in wanted}

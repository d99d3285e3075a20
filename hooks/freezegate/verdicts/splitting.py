"""Splitting a diff: which revisions, which files are what to the verdict, and which oracles the diff edits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from freezegate.documents.evidence import Buckets, ChangedFile, EditedOracle, SplitDiff
from freezegate.errors import UsageError
from freezegate.gate.alone import alone, grown_from
from freezegate.gate.governed import Governed
from freezegate.git.ancestry import known_to
from freezegate.git.diffs import line_counts
from freezegate.git.plumbing import GitError
from freezegate.git.repository import Repository
from freezegate.git.revisions import merge_base, resolve
from freezegate.git.snapshot import difference
from freezegate.paths import RepoPath
from freezegate.text import quoted
from freezegate.verdicts.edited import edited


@dataclass(frozen=True)
class Ends:
    """Full commit ids: the base, the head, and the merge base of both, where the diff begins."""

    base: str
    merge_base: str
    head: str

    @classmethod
    def of(cls, base: str, head: str = "HEAD") -> Ends:
        """The ends that two revisions name. Raises GitError, also where they share no history that is here."""
        one, other = resolve(base + "^{commit}"), resolve(head + "^{commit}")
        return cls(one, merge_base(one, other), other)

    @classmethod
    def in_range(cls, given: str) -> Ends:
        """The ends of ``A...B`` or ``A..B``, which mean the same here; a side left out is HEAD.

        Raises UsageError where it is no range, GitError as `of` does.
        """
        base, dots, head = given.partition("..")
        if not dots or ".." in head.lstrip(".") or not (base or head.strip(".")):
            raise UsageError(f"{quoted(given)} is no range: name the base and the head, as in origin/main...HEAD")
        return cls.of(base or "HEAD", head.removeprefix(".") or "HEAD")


@dataclass(frozen=True)
class Trees:
    """The trees of the three ends. Head and fork (the merge base) are under one config, so that a patch moves no folder
    out of sight; base is under its own."""

    head: Governed
    fork: Governed
    base: Governed

    @classmethod
    def at(cls, repository: Repository, ends: Ends) -> Trees:
        """The trees. Raises GitError, CannotJudge where a config in force is invalid."""
        fork = alone(repository.snapshot(ends.merge_base))
        base = fork if ends.base == ends.merge_base else alone(repository.snapshot(ends.base))
        return cls(grown_from(repository.snapshot(ends.head), fork.snapshot), fork, base)


def split(ends: Ends, trees: Trees) -> SplitDiff:
    """The diff from the merge base to head in buckets, and the edited properties. Raises GitError."""
    applies = applying(trees.head, trees.base, ends.base)
    voided = edited(trees.head, trees.fork, trees.base, applies)
    return SplitDiff(
        base=ends.base,
        merge_base=ends.merge_base,
        head=ends.head,
        buckets=_buckets(trees.fork, trees.head),
        oracle_edited=tuple(EditedOracle(prop_id, why) for prop_id, why in voided.items()),
    )


def applying(head: Governed, base: Governed, revision: str) -> Callable[[str], bool]:
    """Whether head's ledger may freeze a property, by its id, at the base `revision`, under base's policy.

    Only the revisions are compared: which signatures there are is not known before anything ran.
    """
    if head.ledger is not None and head.ledger.value is None:
        return lambda prop_id: True
    accepted = {revision}
    if base.config.policy.base_match == "reproduced":
        accepted |= known_to([revision])({freeze.base_revision for freeze in head.freezes})
    frozen = frozenset(freeze.prop_id for freeze in head.freezes if freeze.base_revision in accepted)
    return frozen.__contains__


def _buckets(fork: Governed, head: Governed) -> Buckets:
    judges = _predicates(fork) | _predicates(head)
    places = head.places
    found: dict[str, list[ChangedFile]] = {"source": [], "oracles": [], "fixtures": [], "other": []}
    delta = difference(fork.snapshot, head.snapshot)
    counts = line_counts(fork.snapshot.root, head.snapshot.root)
    for path in sorted(delta):
        if path not in counts:
            raise GitError(f"git shows no change of {path}, which differs", "git fsck")
        if places.in_source(path):
            bucket = "source"
        elif path.within(places.oracles) or path in judges:
            bucket = "oracles"
        else:
            bucket = "fixtures" if path.within(places.fixtures) else "other"
        found[bucket].append(ChangedFile(str(path), *counts[path]))
    return Buckets(**{bucket: tuple(files) for bucket, files in found.items()})


def _predicates(tree: Governed) -> set[RepoPath]:
    """The files below the properties folder that judge a property: predicates of scopes that the catalog names."""
    units = (tree.property_unit(document) for documents in tree.properties_by_id.values() for document in documents)
    return {
        unit.oracle.path
        for unit in units
        if unit.value is not None and unit.value.scope is not None and unit.oracle is not None
    }

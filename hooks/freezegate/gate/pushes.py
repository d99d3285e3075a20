"""A push as changes: each new commit against its parents, each protected ref's new tip against what was there before."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timezone
from functools import cached_property
from typing import NamedTuple

from freezegate.documents.config import DEFAULT, Config
from freezegate.findings import DOCUMENT_KINDS, Finding
from freezegate.gate.archive import Archive
from freezegate.gate.evaluate import Options, evaluate
from freezegate.gate.force import own_config
from freezegate.gate.governed import CONFIG_PATH, Governed
from freezegate.gate.index import Index
from freezegate.gate.narrow import RELATIVE
from freezegate.gate.placing import Places
from freezegate.gate.side_by_side import Exchange, can_split, in_two
from freezegate.git.change import Change, today
from freezegate.git.push import Commit, Push, Update, is_ancestor, merge_base
from freezegate.git.repository import Repository
from freezegate.git.snapshot import Snapshot
from freezegate.git.steps import Compared, Pair, compare_trees
from freezegate.paths import RepoPath
from freezegate.source.closure import forget

# From this many new commits on, an index costs less than searches for each.
_INDEX_FROM = 8
# So many commits are read ahead of being judged, or as many as bring so many names of files with them.
_CHUNK = 200
_FIRST_CHUNK = 8
_NAMES_AHEAD = 200_000
# From this many on, two processes share them: the first part is judged by the one that is not left with the tips.
_SPLIT_FROM = 100
_FIRST_PART = 0.55
_READ = (b".scope.yaml", b".json", b".py")


# A commit's id, and what was found in it.
_Found = tuple[str, tuple[Finding, ...]]


class Group(NamedTuple):
    """What was found in one step: the ref that brings it, the commit (None: the ref as a whole), old and new id."""

    ref: bytes
    commit: str | None
    old: str | None
    new: str
    findings: tuple[Finding, ...]


class Judgement(NamedTuple):
    """The outcome for a push: `groups` with findings, how many commits and refs were judged, what was verified."""

    groups: tuple[Group, ...]
    commits: int
    refs: int
    checked: dict[str, int]


def judge_push(repository: Repository, push: Push, config: bytes | None) -> Judgement:
    """Judge the push; `config` is the text of the config in force, where one is given. Raises CannotJudge, GitError."""
    return _Pushed(repository, push, config).judge()


class _Pushed:
    """One push: what was read of it, and what was judged already."""

    def __init__(self, repository: Repository, push: Push, config: bytes | None) -> None:
        self.repository = repository
        self.push = push
        self.options = Options(config)
        self.archive = Archive(repository.store)
        self.known = push.known()
        self.checked = dict.fromkeys(DOCUMENT_KINDS, 0)
        self._snapshots: dict[str, Snapshot] = {}
        self._adopted: dict[str, bool] = {}
        self._judged: dict[tuple[object, ...], tuple[Finding, ...]] = {}
        self._steps: dict[Pair, Compared] = {}
        self._tips: list[tuple[str | None, tuple[Finding, ...]]] = []
        self._bases: dict[tuple[str, str], str | None] = {}
        self.by_id = {commit.oid: commit for commit in push.commits}

    def judge(self) -> Judgement:
        """Commits first, parents before children, then the tips."""
        # One index serves all trees only where one config is in force for all of them.
        if len(self.push.commits) >= _INDEX_FROM and self._one_config is not None:
            self.archive.index = Index(self.repository.store, Places.of(self._one_config), RELATIVE)
        self.repository.trees.watchful = True
        refs = self._refs_of_commits()
        found: dict[bytes, list[Group]] = {move.ref: [] for move in self.push.moves}
        for oid, findings in self._commits():
            parents = self.by_id[oid].parents
            found[refs[oid]].append(Group(refs[oid], oid, parents[0] if parents else None, oid, findings))
        for move, (old, findings) in zip(self.push.moves, self._tips, strict=True):
            said = {finding for group in found[move.ref] for finding in group.findings}
            rest = tuple(finding for finding in findings if finding not in said)
            if rest and move.new is not None:
                found[move.ref].append(Group(move.ref, None, old, move.new, rest))
        groups = tuple(group for each in found.values() for group in each)
        return Judgement(groups, len(self.push.commits), len(self.push.moves), self.checked)

    def _commits(self) -> list[_Found]:
        """What was found in each commit that has findings; the tips are judged as well."""
        commits = self.push.commits
        base = commits[0].parents[0] if commits and commits[0].parents else None
        if len(commits) < _SPLIT_FROM or base is None or self.archive.index is None or not can_split():
            found = self._judge_each(commits)
            self._judge_tips()
            return found
        # What both processes need is read before there are two.
        self._is_adopted(base)
        self.archive.index.cover(self._snapshot(base), None, {})
        middle = int(len(commits) * _FIRST_PART)

        def work(half: int, _: Exchange) -> tuple[list[_Found], dict[str, int]]:
            if half:
                self.repository.store.reopen()
                self.checked = dict.fromkeys(DOCUMENT_KINDS, 0)
                return self._judge_each(commits[:middle]), self.checked
            self._cover(commits[middle - 1].oid, base)
            found = self._judge_each(commits[middle:])
            self._judge_tips()
            return found, {}

        (later, _), (earlier, checked) = in_two(work)
        for kind, count in checked.items():
            self.checked[kind] += count
        return earlier + later

    def _cover(self, commit: str, base: str) -> None:
        """Take the files of a commit into the index through those of one that is there."""
        assert self.archive.index is not None
        pair = (self.push.tree_of(base), self.push.tree_of(commit))
        ((_, step),) = compare_trees([pair])
        if not any(self.repository.trees.flaws(oid) for oid in step.folders.values()):
            self.archive.index.cover(self._snapshot(commit), self._snapshot(base), step.delta)

    def _judge_each(self, commits: Sequence[Commit]) -> list[_Found]:
        found = []
        left = deque(commits)
        size = _FIRST_CHUNK
        while left:
            chunk = [left.popleft() for _ in range(min(size, len(left)))]
            before = self.repository.trees.read
            self._read_ahead(chunk)
            # Where folders are very large, few commits at a time are as many as memory should hold.
            names = (self.repository.trees.read - before) // len(chunk)
            size = max(_FIRST_CHUNK, min(_CHUNK, _NAMES_AHEAD // (names + 1)))
            for commit in chunk:
                findings = self._commit(commit)
                if findings:
                    found.append((commit.oid, findings))
        return found

    def _judge_tips(self) -> None:
        # What a commit was refused for is said; a tip may be judged twice, and must be found bad in both.
        self.archive.noting = False
        self._tips = [self._tip(move) for move in self.push.moves]

    def _read_ahead(self, commits: Sequence[Commit]) -> None:
        """Compare the trees of these commits with their parents', and read what differs, in one go each."""
        tree_of = self.push.tree_of
        pairs = [(tree_of(parent), commit.tree) for commit in commits for parent in commit.parents]
        self._steps = dict(compare_trees(pairs))
        trees = self.repository.trees
        trees.forget()
        old = -2 * len(commits)
        # What a tree and its documents know of each other goes round in circles, which nobody collects.
        for tree in list(self.archive.seen)[:old]:
            forget(self.archive.seen.pop(tree))
        for tree in list(self._snapshots)[:old]:
            self._snapshots.pop(tree).forget()
        trees.load([tree for pair in pairs for tree in pair])
        trees.load([oid for step in self._steps.values() for oid in step.folders.values()])
        blobs = []
        for step in self._steps.values():
            for path, sides in step.delta.items():
                if path.endswith(_READ):
                    blobs += [entry.oid for entry in sides if entry is not None and entry.is_file]
        self.repository.store.prefetch(blobs)
        self.repository.store.prefetch(self._named_by_scopes(commits))

    def _named_by_scopes(self, commits: Sequence[Commit]) -> Iterator[str]:
        """The blobs that changed scopes name."""
        for commit in commits:
            for parent in commit.parents[:1]:
                for path, (_, after) in self._steps[self.push.tree_of(parent), commit.tree].delta.items():
                    if after is not None and after.is_file and path.endswith(_READ[0]):
                        scope = self.archive.reading("scope", after.oid).document
                        names = (scope.generator, scope.seed_lock, *scope.inputs) if scope is not None else ()
                        found = (self._snapshot(commit.oid).entry(RepoPath.of(name)) for name in names if name)
                        yield from (entry.oid for entry in found if entry is not None and entry.is_file)

    def _compared(self, old: str, new: str) -> Compared | None:
        """What differs between two commits' trees, where git's own comparison may be believed: both are well-formed."""
        step = self._steps.get((self.push.tree_of(old), self.push.tree_of(new)))
        if step is None or any(self.repository.trees.flaws(oid) for oid in step.folders.values()):
            return None
        return step

    def _refs_of_commits(self) -> dict[str, bytes]:
        """The first ref of the push that reaches each new commit."""
        refs: dict[str, bytes] = {}
        for move in self.push.moves:
            waiting = [move.new] if move.new is not None else []
            while waiting:
                oid = waiting.pop()
                if oid in self.by_id and oid not in refs:
                    refs[oid] = move.ref
                    waiting += self.by_id[oid].parents
        return refs

    # -- steps

    def _commit(self, commit: Commit) -> tuple[Finding, ...]:
        """A new commit against all its parents. One from before the adoption is judged as part of the tip alone."""
        if not self._is_adopted(commit.oid):
            if not any(map(self._is_adopted, commit.parents)):
                return ()
            return self._step(commit.parents, commit.oid)
        sides = commit.parents if any(map(self._is_adopted, commit.parents)) else ()
        return self._step(sides, commit.oid)

    def _tip(self, move: Update) -> tuple[str | None, tuple[Finding, ...]]:
        """A ref's new tip against what it grew from: the commit that this was, and the findings."""
        assert move.new is not None
        side = self._side(move)
        if side is not None and not self._is_adopted(side):
            # Whoever brings governed documents to a branch from before the adoption answers to the default branch.
            bound = self._is_adopted(move.new) and self.push.default is not None
            side = self.push.default if bound and self._is_adopted(self.push.default or "") else None
        elif side is None and self._is_adopted(move.new) and self.push.default is not None:
            side = self.push.default if self._is_adopted(self.push.default) else None
        sides = () if side is None else (side,)
        tree = self.push.tree_of(move.new)
        if side is not None and self.push.tree_of(side) == tree:
            return side, ()
        findings = self._step(sides, move.new)
        if findings and (accepted := self._accepted(move, side)):
            if tree in map(self.push.tree_of, accepted):
                return side, ()
            # What another protected ref holds was let in there; only where this can matter it is looked at.
            findings = self._step(sides, move.new, accepted)
        return side, findings

    def _side(self, move: Update) -> str | None:
        """The commit that a ref's new tip is compared with: its old one, for a new ref the merge base with the default
        branch, or, where there is none, with the first protected ref that has one."""
        assert move.new is not None
        if move.ref in self.push.before:
            return self.push.before[move.ref]
        default = self.push.default
        for tip in [default] if default is not None else dict.fromkeys(self.push.before.values()):
            start = self._grown_from(move.new)
            if (start, tip) not in self._bases:
                self._bases[start, tip] = merge_base(start, tip)
            if (base := self._bases[start, tip]) is not None:
                return base
        return None

    def _grown_from(self, tip: str) -> str:
        """The one old commit that all new ones below `tip` grew from, else `tip`: both have the same merge bases with an
        old commit, and hundreds of new branches off one commit need only one question."""
        old: set[str] = set()
        seen = {tip}
        waiting = [tip]
        while waiting and len(old) < 2:
            oid = waiting.pop()
            commit = self.by_id.get(oid)
            if commit is None:
                old.add(oid)
                continue
            fresh = [parent for parent in commit.parents if parent not in seen]
            seen.update(fresh)
            waiting += fresh
        return old.pop() if len(old) == 1 else tip

    def _accepted(self, move: Update, side: str | None) -> tuple[str, ...]:
        """Old tips of other protected refs that have something of their own: under the gate, and not merged yet."""
        tips = dict.fromkeys(tip for ref, tip in self.push.before.items() if ref != move.ref)
        self.push.know(tips)
        own = (tip for tip in tips if tip != side and self._is_adopted(tip))
        return tuple(tip for tip in own if side is None or not is_ancestor(tip, side))

    def _step(self, sides: Sequence[str], new: str, accepted: Sequence[str] = ()) -> tuple[Finding, ...]:
        self.push.know([new, *sides])
        day = self._day(new)
        trees = self.push.tree_of
        key = (*map(trees, sides), None, trees(new), None, *map(trees, accepted), day)
        if key not in self._judged:
            change = Change(
                mode="push",
                old=tuple(map(self._snapshot, sides)),
                new=self._snapshot(new),
                compared="a push",
                known=self.known,
                day=day,
                well_formed=False,
                accepted=tuple(map(self._snapshot, accepted)),
                force=self._force,
            )
            steps = [self._compared(side, new) for side in sides]
            if all(step is not None for step in steps) and steps:
                change = change._replace(steps=tuple(step for step in steps if step is not None))
            # Without a document or a config of its own, a tree that grew from none is nothing that a config asks of.
            governed = self._is_adopted(new) or any(map(self._is_adopted, sides))
            if not governed:
                change = change._replace(force=None)
            report = evaluate(change, self.options, self.archive) if governed else evaluate(change, Options())
            for kind, count in report.checked.items():
                self.checked[kind] += count
            self._judged[key] = report.findings
        return self._judged[key]

    # -- what is known of commits

    @cached_property
    def _force(self) -> Snapshot | None:
        """The default branch's tree, where it is under the gate."""
        default = self.push.default
        return self._snapshot(default) if default is not None and self._is_adopted(default) else None

    @cached_property
    def _named_config(self) -> Config | None:
        """The given config, else that of the default branch; None where there is none, or where it is invalid."""
        if self.options.config is not None:
            from freezegate.documents.reading import read_config

            return read_config(self.options.config).document
        if self.push.default is None:
            return None
        reading = own_config(self._snapshot(self.push.default), self.archive)
        return reading.document if reading is not None else None

    @property
    def _one_config(self) -> Config | None:
        """The config that is in force for every step; None where steps may have different ones."""
        if self._named_config is not None or self._force is None:
            return self._named_config
        return DEFAULT if self._force.entry(CONFIG_PATH) is None else None

    def _is_adopted(self, commit: str) -> bool:
        """Whether a commit's tree shows that it is under the gate: a config, or a document in its place."""
        tree = self.push.tree_of(commit)
        if tree not in self._adopted:
            snapshot = self._snapshot(commit)
            self._adopted[tree] = snapshot.entry(CONFIG_PATH) is not None or any(
                Governed(snapshot, config, self.archive, today()).has_documents for config in self._configs()
            )
        return self._adopted[tree]

    def _configs(self) -> Iterator[Config]:
        yield DEFAULT
        if self._named_config is not None:
            yield self._named_config

    def _snapshot(self, commit: str) -> Snapshot:
        tree = self.push.tree_of(commit)
        if tree not in self._snapshots:
            self._snapshots[tree] = self.repository.tree(tree)
        return self._snapshots[tree]

    def _day(self, commit: str) -> date:
        """The UTC day on which a new commit was committed; today for any other, and for a time that is no time."""
        try:
            return datetime.fromtimestamp(self.by_id[commit].seconds, timezone.utc).date()
        except (KeyError, OverflowError, ValueError, OSError):
            return today()

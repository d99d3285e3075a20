"""What a push asks for: the lines that git gives a pre-receive hook, the protected refs before it, its new commits."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from freezegate.errors import CannotJudge, Refused
from freezegate.git.ancestry import Known, commits_among
from freezegate.git.plumbing import Child, answer, ask, refusal, scratch

_LINE = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (refs/[^\0-\x20\x7f]+)")
_FORMAT = "--format=%(objectname) %(objecttype) %(HEAD) %(refname)"


class Update(NamedTuple):
    """One line: the ref, and the ids that it has before and after; None where it is absent there."""

    ref: bytes
    old: str | None
    new: str | None


class Commit(NamedTuple):
    """A commit: its id, its tree's id, the seconds since 1970 at which it was committed, its parents in order."""

    oid: str
    tree: str
    seconds: int
    parents: tuple[str, ...]


class Push(NamedTuple):
    """A push to protected refs.

    `moves` are the updates of protected refs that leave them in place, with `new` as a commit's id. `before` gives the
    commit of each protected ref before the push, `default` that of the default branch. `commits` are those that no
    protected ref had before, parents first. `trees` holds the tree of every commit that was named so far.
    """

    updates: tuple[Update, ...]
    moves: tuple[Update, ...]
    before: Mapping[bytes, str]
    default: str | None
    commits: tuple[Commit, ...]
    trees: dict[str, str]

    def tree_of(self, commit: str) -> str:
        """The id of a commit's tree. Raises CannotJudge where the commit is not here."""
        if commit not in self.trees:
            self.know([commit])
        return self.trees[commit]

    def know(self, commits: Iterable[str]) -> None:
        """Find the trees of these commits in one go. Raises CannotJudge where one is not here."""
        wanted = [commit for commit in dict.fromkeys(commits) if commit not in self.trees]
        found = _objects([f"{commit}^{{tree}}" for commit in wanted]) if wanted else []
        for commit, tree in zip(wanted, found, strict=True):
            if tree is None:
                raise CannotJudge(f"the commit {commit} is not complete here", "git fsck")
            self.trees[commit] = tree

    def known(self) -> Known:
        """Those of some ids that a protected ref had in its history before the push."""
        tips = [f"^{tip}\n" for tip in dict.fromkeys(self.before.values())]

        def known(commits: Collection[str]) -> frozenset[str]:
            existing = commits_among(commits)
            if not existing or not tips:
                return frozenset()
            asked = "".join([*(f"{commit}\n" for commit in existing), *tips])
            return existing - frozenset(ask(["rev-list", "--stdin"], asked.encode("ascii")).decode("ascii").split())

        return known


def read_updates(data: bytes) -> tuple[Update, ...]:
    """The lines of a pre-receive hook's input. Raises CannotJudge for whatever git would not have written."""
    if data and not data.endswith(b"\n"):
        raise CannotJudge("the last line of the input is cut off", "git gives each line whole: OLD NEW REF")
    updates = []
    widths = set()
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise CannotJudge(
                f"line {number} of the input is not OLD NEW REF", "it is for git to call: see docs/servers.md"
            )
        old, new, ref = match[1].decode("ascii"), match[2].decode("ascii"), match[3]
        widths |= {len(old), len(new)}
        updates.append(Update(ref, old if old.strip("0") else None, new if new.strip("0") else None))
    if len(widths) > 1:
        raise CannotJudge("the input has ids of two object formats")
    if len({update.ref for update in updates}) < len(updates):
        raise CannotJudge("the input names a ref twice")
    return tuple(updates)


def protection(globs: Sequence[bytes]) -> re.Pattern[bytes]:
    """An expression for the refs that one of the globs matches; ``*`` and ``?`` cross slashes, ``[`` is itself."""
    words = (re.escape(glob).replace(rb"\*", b".*").replace(rb"\?", b".") for glob in globs)
    return re.compile(b"|".join(b"(?:" + word + b")" for word in words), re.DOTALL)


def read_push(updates: tuple[Update, ...], globs: Sequence[bytes], default_branch: bytes | None) -> Push:
    """What the updates mean for the refs that `globs` protect. Raises CannotJudge, GitError."""
    protected = protection(globs)
    touched = [update for update in updates if protected.fullmatch(update.ref)]
    questions = [oid for update in updates for oid in (update.old, update.new) if oid is not None]
    peeled = [f"{update.new}^{{commit}}" for update in touched if update.new is not None]
    stream = scratch("".join(f"{each}\n" for each in [*questions, *peeled]).encode("ascii"))
    prefixes = dict.fromkeys([b"refs/heads", *map(_literal_folder, globs)])
    refs = Child(["for-each-ref", _FORMAT, *prefixes])
    facts = Child(["cat-file", "--batch-check=%(objectname) %(objecttype)"], stream)
    os.close(stream)
    listed, answers = refs.read_all(), _ids(facts.read_all(), len(questions) + len(peeled))
    for child in (refs, facts):
        status, errors = child.finish()
        if status != 0:
            raise refusal(child.arguments, status, errors)
    for asked, found in zip(questions, answers, strict=False):
        if asked != found:
            raise CannotJudge(f"the object {asked} is not here", "git fsck")
    before, default = _standing(listed, protected, default_branch, updates)
    tops = iter(answers[len(questions) :])
    moves = []
    for update in touched:
        if update.new is not None:
            top = next(tops)
            if top is None:
                name = update.ref.decode("utf-8", "backslashreplace")
                raise CannotJudge(f"{name} would name no commit", "push a commit, or a tag of one, to a protected ref")
            moves.append(update._replace(new=top))
    commits = _new_commits([move.new for move in moves if move.new is not None], list(before.values()))
    push = Push(updates, tuple(moves), before, default, commits, {commit.oid: commit.tree for commit in commits})
    parents = [parent for commit in commits for parent in commit.parents]
    tips = [move.new for move in moves if move.new is not None] + [before[m.ref] for m in moves if m.ref in before]
    push.know([*parents, *tips])
    return push


def merge_base(one: str, other: str) -> str | None:
    """The best common ancestor of two commits; None where they have none. Raises GitError."""
    status, out, errors = answer(["merge-base", one, other])
    if status == 0:
        return out.split()[0].decode("ascii")
    if status == 1 and not errors:
        return None
    raise refusal(["merge-base"], status, errors)


def is_ancestor(one: str, other: str) -> bool:
    """Whether the commit `other` is or descends from the commit `one`."""
    return answer(["merge-base", "--is-ancestor", one, other])[0] == 0


def _standing(
    listed: bytes, protected: re.Pattern[bytes], default_branch: bytes | None, updates: Sequence[Update]
) -> tuple[dict[bytes, str], str | None]:
    """The commit of each protected ref, and of the default branch, from what git lists."""
    if default_branch is not None and not default_branch.startswith(b"refs/"):
        default_branch = b"refs/heads/" + default_branch
    tags = []
    before: dict[bytes, str] = {}
    default = None
    for row in listed.splitlines():
        oid, kind, rest = row.split(b" ", 2)
        ref = rest[2:]
        commit = oid.decode("ascii")
        if protected.fullmatch(ref):
            if kind == b"commit":
                before[ref] = commit
            elif kind == b"tag":
                tags.append((ref, commit))
        if ref == default_branch if default_branch is not None else rest.startswith(b"*"):
            default = commit
    for (ref, _), tip in zip(tags, _objects([f"{oid}^{{commit}}" for _, oid in tags]) if tags else [], strict=True):
        if tip is not None:
            before[ref] = tip
    if default_branch is not None and default is None:
        default = _resolve(default_branch)
        if default is None and before and all(update.ref != default_branch for update in updates):
            name = default_branch.decode("utf-8", "backslashreplace")
            raise CannotJudge(
                f"the default branch {name} is not here", "mend --default-branch, or push that branch first"
            )
    return before, default


def _resolve(ref: bytes) -> str | None:
    status, out, _ = answer(["rev-parse", "--quiet", "--verify", "--end-of-options", ref + b"^{commit}"])
    return out.decode("ascii").strip() if status == 0 else None


def _literal_folder(glob: bytes) -> bytes:
    """The folder of refs that holds all that a glob can match."""
    literal = re.split(rb"[*?]", glob, maxsplit=1)[0]
    return literal if literal == glob else literal.rpartition(b"/")[0] or b"refs"


def _new_commits(tops: Sequence[str], old: Sequence[str]) -> tuple[Commit, ...]:
    if not tops or set(tops) <= set(old):
        return ()
    asked = "".join([*(f"{top}\n" for top in dict.fromkeys(tops)), *(f"^{tip}\n" for tip in dict.fromkeys(old))])
    options = ["--stdin", "--topo-order", "--reverse", "--no-commit-header", "--format=%H %T %ct %P"]
    rows = ask(["rev-list", *options], asked.encode("ascii")).decode("ascii")
    commits = []
    for row in rows.splitlines():
        oid, tree, seconds, *parents = row.split(" ")
        commits.append(Commit(oid, tree, int(seconds or 0), tuple(parent for parent in parents if parent)))
    return tuple(commits)


def _objects(names: Sequence[str]) -> list[str | None]:
    """The ids that expressions name, None for what is not here."""
    asked = "".join(f"{name}\n" for name in names).encode("ascii")
    return _ids(ask(["cat-file", "--batch-check=%(objectname) %(objecttype)"], asked), len(names))


def _ids(out: bytes, count: int) -> list[str | None]:
    rows = out.decode("ascii", "replace").splitlines()
    if len(rows) != count:
        raise CannotJudge("git cat-file answered less than it was asked", "git fsck")
    words = [row.split(" ") for row in rows]
    return [row[0] if len(row) == 2 and row[1] in ("commit", "tag", "tree", "blob") else None for row in words]


def refuse_replacements(updates: Iterable[Update]) -> None:
    """Raises Refused for updates that make replacement objects: other readers would see what was not judged."""
    replaced = [each.ref for each in updates if each.new is not None and each.ref.lower().startswith(b"refs/replace/")]
    if replaced:
        why = "it would change what others read of the history"
        rows = [f"{ref.decode('utf-8', 'surrogateescape')}: {why}" for ref in replaced]
        raise Refused("replacement objects are not taken; nothing else was judged", rows, "push without refs/replace/*")

"""The quick way out of a push: where no commit and no tip touches what a document can depend on, none is read.

It passes a push only where every step, a commit from each parent and a tip from what was there before, is made of
changes that `gate/sieve.py` calls harmless, and where every tree object on the way is well-formed. Then config and
documents are the same in all of these trees. Anything unusual goes the long way, which gives the same answer.
"""

from __future__ import annotations

import os

from freezegate.gate.sieve import is_harmless, is_harmless_folder, known_places
from freezegate.git.incoming import Incoming, Line
from freezegate.git.plumbing import GitError
from freezegate.git.raw_tree import sound_rows
from freezegate.git.standing import Row

_HEX = b"0123456789abcdef"
_NAME = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+#"
_FOLDER = b"040000"
_ABSENT = b"000000"
_MOST_REFS = 8
_CONFIG = b".freezegate.yaml"


def verdict(data: bytes) -> str | None:
    """What is said of a push that touches nothing governed, from the lines that git gives the hook; None: go the long
    way.
    """
    moves = _moves(data)
    folder = os.environ.get("GIT_DIR")
    if not moves or not folder:
        return None
    try:
        with open(f"{folder}/HEAD", "rb") as file:
            head = file.read(4096)
        if not head.startswith(b"ref: refs/heads/") or head[5:-1].strip(_NAME):
            return None  # detached, or a name that git would take for an expression
        incoming = Incoming()
        try:
            commits = _Sieve(incoming, folder, head[5:-1].decode("ascii"), moves).commits()
        finally:
            incoming.close()
    except (GitError, OSError, LookupError, ValueError):
        return None  # the long way meets the same trouble, and explains it
    if commits is None:
        return None
    words = f"{commits} new commit{'s'[: commits != 1]}, {len(moves)} ref{'s'[: len(moves) != 1]}"
    return f"freezegate: accepted: {words}\n"


def _moves(data: bytes) -> list[tuple[str, str | None, str]] | None:
    """Ref, old and new id of each line, where all are branches that stay; None for any other push."""
    lines = data.split(b"\n")
    if lines.pop() != b"" or not 0 < len(lines) <= _MOST_REFS:
        return None
    moves = []
    for line in lines:
        words = line.split(b" ")
        if len(words) != 3:
            return None
        old, new, ref = words
        plain = ref.startswith(b"refs/heads/") and not ref.strip(_NAME)
        if not plain or (old + new).strip(_HEX) or len(old) != len(new) or len(new) not in (40, 64):
            return None
        if not new.strip(b"0"):
            return None
        moves.append((ref.decode(), old.decode() if old.strip(b"0") else None, new.decode()))
    if len({ref for ref, _, _ in moves}) < len(moves) or len({len(new) for _, _, new in moves}) > 1:
        return None
    return moves


class _Side:
    """What a tip grew from: the commit, its tree, its config and its properties folder."""

    __slots__ = ("commit", "config", "properties", "tree")

    def __init__(self, commit: str, found: list[tuple[str, str] | None]) -> None:
        """From the answers to `questions`. Raises LookupError where it is no commit."""
        self.commit = commit
        tree, config, properties = found
        if tree is None:
            raise LookupError(commit)
        self.tree = tree[0]
        self.config = None if config is None else config[0]
        self.properties = None if properties is None else properties[0]

    @staticmethod
    def questions(commit: str) -> list[str]:
        return [f"{commit}^{{tree}}", f"{commit}:{_CONFIG.decode()}", f"{commit}:tests/properties"]


class _Sieve:
    """One push, and what was learned of it."""

    def __init__(self, incoming: Incoming, folder: str, default: str, moves: list[tuple[str, str | None, str]]) -> None:
        self._git = incoming
        self._folder = folder
        self._default = default
        self._moves = moves
        self._trees: dict[str, None] = {}

    def commits(self) -> int | None:
        """How many commits are new, where all is harmless; else None."""
        git, moves = self._git, self._moves
        listing = git.ask_new([new for _, _, new in moves])
        steps = [git.ask_step(old, new) for _, old, new in moves if old is not None]
        bases = {new: git.start(["merge-base", new, self._default]) for _, old, new in moves if old is None}
        asked = [f"{self._default}^{{commit}}", *_Side.questions(self._default)]
        for ref, old, new in moves:
            asked += [new, f"{new}^{{tree}}"]
            if old is not None:
                asked += [ref, *_Side.questions(old)]
        found = git.named(git.ask_names(asked), len(asked))
        default = found[0]
        if default is None:
            return None
        sides = {default[0]: _Side(default[0], found[1:4])}
        answers = iter(found[4:])
        tree_of: dict[str, str] = {}
        for _, old, new in moves:
            commit, tree = next(answers), next(answers)
            if commit != (new, "commit") or tree is None:
                return None
            tree_of[new] = tree[0]
            if old is not None:
                if next(answers) != (old, "commit"):
                    return None  # the ref has moved since, or these are no lines of git's
                sides[old] = _Side(old, [next(answers), next(answers), next(answers)])
        grown = []
        for _, old, new in moves:
            base = old if old is not None else git.answer_of(bases[new]).decode("ascii").split()[0]
            if base not in sides:
                questions = _Side.questions(base)
                sides[base] = _Side(base, git.named(git.ask_names(questions), len(questions)))
            grown.append((sides[base], new))
        if len({(side.config, side.properties) for side, _ in grown}) != 1:
            return None
        ((side, _), *_) = grown
        if side.config != sides[default[0]].config:
            return None  # the default branch's is in force, and not the one that these trees hold
        known = known_places(self._folder, side.config, side.properties)
        if known is None:
            return None
        if not all(self._pass(git.rows(step, 0), *known) for step in steps):
            return None
        tree_of.update({each.commit: each.tree for each in sides.values()})
        count = self._pass_commits(git.answer_of(listing), grown, tree_of, known)
        held = {sides[default[0]].tree, *(each.tree for each, _ in grown)}
        if count is None or not self._are_sound({*tree_of.values()}, held, side.config):
            return None
        return count

    def _pass_commits(
        self,
        listing: bytes,
        grown: list[tuple[_Side, str]],
        tree_of: dict[str, str],
        known: tuple[tuple[bytes, ...], tuple[bytes, ...], frozenset[bytes]],
    ) -> int | None:
        """How many commits git lists, where each step from a parent is harmless; their trees are noted in `tree_of`."""
        lines = [Line(row) for row in listing.decode("ascii").splitlines()]
        tree_of.update({line.oid: line.tree for line in lines})
        if not all(line.parents for line in lines):
            return None  # without an old side every document is verified
        away = list(dict.fromkeys(parent for line in lines for parent in line.parents if parent not in tree_of))
        if away:
            found = self._git.named(self._git.ask_names([f"{parent}^{{tree}}" for parent in away]), len(away))
            tree_of.update({parent: tree[0] for parent, tree in zip(away, found, strict=True) if tree is not None})
        pairs = {(tree_of[parent], line.tree) for line in lines for parent in line.parents}
        pairs |= {(side.tree, tree_of[new]) for side, new in grown}
        # What was compared commit by commit already.
        done = {(side.tree, tree_of[new]) for (side, new), (_, old, _) in zip(grown, self._moves, strict=True) if old}
        left = sorted(pairs - done)
        if left and not self._pass(self._git.rows(self._git.ask_steps(left), len(left)), *known):
            return None
        return len(lines)

    def _pass(
        self, rows: list[Row], places: tuple[bytes, ...], sources: tuple[bytes, ...], inputs: frozenset[bytes]
    ) -> bool:
        """Whether these changes are harmless; the tree objects of changed folders are noted."""
        for row in rows:
            if _FOLDER not in (row.old_mode, row.mode):
                if not is_harmless(row, places, sources, inputs):
                    return False
                continue
            if row.old_mode != row.mode:
                if _ABSENT not in (row.old_mode, row.mode):
                    return False
                if not is_harmless_folder(row.path, row.old_mode == _ABSENT, places, sources, inputs):
                    return False
            for mode, oid in ((row.old_mode, row.old_oid), (row.mode, row.oid)):
                if mode == _FOLDER:
                    self._trees[oid.decode("ascii")] = None
        return True

    def _are_sound(self, roots: set[str], held: set[str], config: str | None) -> bool:
        """Whether every tree object on the way is well-formed, and the config a regular file where one is held."""
        ids = list({**dict.fromkeys(roots), **self._trees})
        for oid, data in self._git.trees(ids):
            rows = sound_rows(data, len(oid) // 2)
            if rows is None:
                return False
            if oid in held:
                mode, found = rows.get(_CONFIG, (None, None))
                if found != config or (found is not None and mode not in (b"100644", b"100755")):
                    return False
        return True

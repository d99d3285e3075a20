"""Which files hold which words, over all trees of a push: what a byte search finds in one tree, kept for many.

Words are never taken out, so a question finds too much rather than too little; what it finds is then looked up in the
tree that is asked about, and judged exactly. A tree is covered through one that is covered and what differs from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from freezegate.gate.placing import Places
from freezegate.git.entry import Entry
from freezegate.git.snapshot import SEARCHED, Delta, Snapshot, Store
from freezegate.paths import RepoPath

# An id or a path is a whole scalar of a scope, and these end a scalar, or the path in `path:function`.
_PARTS = re.compile(rb"[^\s:\"'\[\]{},#]+")
_NAMES = re.compile(rb"[A-Za-z0-9_]+")
_SCOPE = b".scope.yaml"
# From this many files on, a child that reads them in bulk costs less.
_FEW = 50


class Index:
    """The words of scope files, and of Python files outside source, of every tree that was covered."""

    def __init__(self, store: Store, places: Places, relative: bytes) -> None:
        self._store = store
        self._places = places
        self._relative = re.compile(relative)
        self._covered: set[str] = set()
        self._read: set[tuple[RepoPath, str]] = set()
        self._scopes: dict[bytes, set[RepoPath]] = {}
        self._python: dict[bytes, set[RepoPath]] = {}
        self._sample: RepoPath | None = None
        self._always: dict[bytes, set[RepoPath]] = {_SCOPE: set(), b".py": set()}

    def cover(self, snapshot: Snapshot, old: Snapshot | None, delta: Delta) -> None:
        """Take in the files of a tree; `delta` says what differs from `old`."""
        if snapshot.root in self._covered:
            return
        if old is not None and old.root in self._covered:
            found = [(path, after) for path, (_, after) in delta.items() if after is not None]
        else:
            found = list(self._every(snapshot))
        self._take([(path, entry) for path, entry in found if entry.is_file and self._is_searched(path)])
        self._covered.add(snapshot.root)

    def holds_scope(self, snapshot: Snapshot, folder: RepoPath) -> bool:
        """Whether a scope file of some covered tree is in this one too; false says nothing."""
        if self._sample is None or not self._sample.below(folder):
            return False
        entry = snapshot.entry(self._sample)
        return entry is not None and entry.is_file

    def scopes(self, words: Iterable[bytes]) -> set[RepoPath]:
        """Scope files that hold one of the ids or paths."""
        found = set(self._always[_SCOPE])
        for word in words:
            parts = _PARTS.findall(word)
            found |= self._scopes.get(max(parts, key=len), set()) if parts else set().union(*self._scopes.values())
        return found

    def importers(self, words: Iterable[bytes]) -> set[RepoPath]:
        """Python files that hold one of the names, or import relatively."""
        found = set(self._always[b".py"])
        for word in words:
            if _NAMES.fullmatch(word):
                found |= self._python.get(word, set())
            else:  # no import statement can name it, but a string could
                parts = _NAMES.findall(word)
                found |= self._python.get(max(parts, key=len), set()) if parts else set()
        return found

    def _every(self, snapshot: Snapshot) -> Iterator[tuple[RepoPath, Entry]]:
        """The searched files of a whole tree, without a look into source."""
        level = [RepoPath(b"")]
        while level:
            snapshot.load(level)
            below = []
            for folder in level:
                names = snapshot.children(folder)
                for suffix in (b".py", _SCOPE):
                    for name, entry in names.leaves(suffix):
                        yield folder.joined(name), entry
                below += [folder.joined(name) for name in names.folders()]
            level = [folder for folder in below if not self._places.in_source(folder)]

    def _is_searched(self, path: RepoPath) -> bool:
        if path.endswith(b".py"):
            return not self._places.in_source(path)
        return path.endswith(_SCOPE) and path.below(self._places.properties)

    def _take(self, files: list[tuple[RepoPath, Entry]]) -> None:
        wanted = [(path, entry.oid) for path, entry in files if (path, entry.oid) not in self._read]
        self._read.update(wanted)
        if len(wanted) < _FEW:
            for path, oid in wanted:
                self._words(path, self._store.blob(oid, SEARCHED))
            return
        files_left = iter(wanted)
        for run in self._store.runs(oid for _, oid in wanted):
            if isinstance(run, tuple):
                size, chunks = run
                data = b"".join(chunks) if size <= SEARCHED else None
                if data is None:
                    for _ in chunks:
                        pass
                self._words(next(files_left)[0], data)
            else:
                for data in run:
                    self._words(next(files_left)[0], data)

    def _words(self, path: RepoPath, data: bytes | None) -> None:
        """Note the words of one file; a file that is too large counts as found by every search."""
        python = path.endswith(b".py")
        if not python and self._sample is None:
            self._sample = path
        if data is None or (python and self._relative.search(data)):
            self._always[b".py" if python else _SCOPE].add(path)
        if data is not None:
            words, pattern = (self._python, _NAMES) if python else (self._scopes, _PARTS)
            for word in set(pattern.findall(data)):
                holders = words.get(word)
                if holders is None:
                    words[word] = {path}
                else:
                    holders.add(path)

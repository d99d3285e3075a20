"""Who names what: finds scopes by their id, their predicate, or any path that they name.

Small or wholly verified trees are indexed by reading every scope. For a small change in a large tree one byte search
over the scope files narrows first. That is sound because ids and paths in a scope are literal bytes: a file that does
not contain them cannot name them. What the search finds is read and judged exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from freezegate.git.expressions import any_of
from freezegate.git.snapshot import Where
from freezegate.paths import RepoPath

if TYPE_CHECKING:
    from freezegate.gate.governed import Governed
    from freezegate.gate.scopes import ScopeView

# Longer lists of words cost git more than reading everything.
_MANY_WORDS = 60


class Finder:
    """Finds the scopes of one tree."""

    def __init__(self, tree: Governed) -> None:
        self._tree = tree
        self.narrow = False
        self._by_id: dict[str, list[ScopeView]] = {}
        self._known_ids: dict[str, list[RepoPath]] = {}
        self._by_path: dict[bytes, list[ScopeView]] = {}
        self._by_word: dict[bytes, list[ScopeView]] = {}
        self._indexed = False

    def know(self, ids: Iterable[tuple[str, RepoPath]]) -> None:
        """Take these ids and paths for those of every readable scope of the tree, by path, instead of reading them."""
        for scope_id, path in ids:
            self._known_ids.setdefault(scope_id, []).append(path)

    def with_id(self, scope_id: str) -> list[ScopeView]:
        """Readable scopes with this id, by path."""
        if self._known_ids:
            known = map(self._tree.scope, self._known_ids.get(scope_id, ()))
            return [view for view in known if view is not None]
        if not self.narrow:
            self._index()
            return self._by_id.get(scope_id, [])
        views = self.containing([RepoPath.of(scope_id)])
        return [view for view in views if view.value is not None and view.value.scope_id == scope_id]

    def with_predicate(self, path: RepoPath, function: str) -> list[ScopeView]:
        """Readable scopes whose predicate is this function of this file, by path."""
        found = self.naming([path])
        return [
            view
            for view in found
            if view.value is not None and view.predicate == path and view.value.predicate_function == function
        ]

    def naming(self, paths: Iterable[RepoPath]) -> list[ScopeView]:
        """Readable scopes that name one of these paths as predicate, generator, seed lock or input, by path."""
        wanted = set(paths)
        if not self.narrow:
            self._index()
            views = {view.path: view for path in wanted for view in self._by_path.get(path, ())}
        else:
            words: list[bytes] = [bytes(path) for path in wanted if path.find(b"\n") < 0]
            default = self._tree.places.seed_lock in wanted
            many = len(words) > _MANY_WORDS and self._tree.archive.index is None
            found = self.every() if default or many else self.containing(words)
            views = {view.path: view for view in found if any(name.path in wanted for name in view.named)}
        return [views[path] for path in sorted(views)]

    def containing(self, words: Iterable[bytes]) -> list[ScopeView]:
        """Scope files with one of these words in their bytes, by path: one search for all that are not known yet."""
        wanted = list(dict.fromkeys(words))
        unknown = [word for word in wanted if word not in self._by_word]
        if unknown:
            index = self._tree.archive.index
            if index is None:
                views = self._views(sorted(self._search(unknown)))
            for word in unknown:
                near = views if index is None else self._views(sorted(index.scopes([word])))
                self._by_word[word] = [view for view in near if self._has(view, word)]
        merged = {view.path: view for word in wanted for view in self._by_word[word]}
        return [merged[path] for path in sorted(merged)]

    def _search(self, words: list[bytes]) -> set[RepoPath]:
        return self._tree.snapshot.search(any_of(words), Where(self._tree.places.properties, b".scope.yaml"))

    def _has(self, view: ScopeView, word: bytes) -> bool:
        data = self._tree.archive.store.blob(view.entry.oid, 1 << 20)
        return data is None or word in data

    def every(self) -> list[ScopeView]:
        """Every scope file, by path."""
        return self._views(sorted(self._tree.scope_entries))

    def _views(self, paths: Iterable[RepoPath]) -> list[ScopeView]:
        self._tree.prefetch(paths)
        return [view for path in paths if (view := self._tree.scope(path)) is not None]

    def _index(self) -> None:
        if self._indexed:
            return
        self._indexed = True
        for view in self.every():
            if view.value is not None:
                self._by_id.setdefault(view.value.scope_id, []).append(view)
                for path in {name.path for name in view.named if name.path is not None}:
                    self._by_path.setdefault(path, []).append(view)

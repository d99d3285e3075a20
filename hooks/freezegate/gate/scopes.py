"""A scope file with what it names in one tree."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from freezegate import digests
from freezegate.gate.placing import misplaced
from freezegate.git.entry import Entry
from freezegate.paths import RepoPath
from freezegate.source.closure import Closure

if TYPE_CHECKING:
    from freezegate.documents.reading import Reading
    from freezegate.documents.scope import Scope
    from freezegate.gate.governed import Governed


class Named(NamedTuple):
    """A path that a scope names: the keys that lead to it in the document, its text, why the text is refused."""

    pointer: tuple[str | int, ...]
    text: str
    refused: str | None

    @property
    def path(self) -> RepoPath | None:
        """The path, where its text may be followed."""
        return None if self.refused else RepoPath.of(self.text)


class ScopeView:
    """One scope file; its parts are computed when they are asked for. Unreadable: `value` is None and nothing is named."""

    def __init__(self, tree: Governed, path: RepoPath, entry: Entry) -> None:
        self.tree = tree
        self.path = path
        self.entry = entry

    @cached_property
    def reading(self) -> Reading[Scope]:
        """The file read strictly."""
        return self.tree.archive.reading("scope", self.entry.oid)

    @property
    def value(self) -> Scope | None:
        """The document, or None where it could not be read or its schema refuses it."""
        return self.reading.document

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """What it names: predicate, generator, seed lock, then the inputs as written."""
        scope, places = self.value, self.tree.places
        if scope is None:
            return ()
        lock = places.seed_lock.text if scope.seed_lock is None else scope.seed_lock
        # A lock may stand anywhere with the generators, or beside the lock that the layout names; but a layout lock at
        # the root does not open the whole repository.
        lock_folders = tuple(dict.fromkeys((places.generators, places.seed_lock.parent or places.generators)))
        lock_refused = None if lock == places.seed_lock.text else misplaced(lock, lock_folders)
        found = [
            Named(
                ("predicate",),
                scope.predicate_path,
                python_misplaced(scope.predicate_path, places.properties),
            ),
            Named(("generator",), scope.generator, python_misplaced(scope.generator, places.generators)),
            Named(("seed_lock",), lock, lock_refused),
        ]
        for index, text in enumerate(scope.inputs):
            refused = misplaced(text, (RepoPath(b""),))
            if refused is None and places.in_source(RepoPath.of(text)):
                refused = "lies inside a source folder"
            found.append(Named(("inputs", index), text, refused))
        return tuple(found)

    @property
    def predicate(self) -> RepoPath | None:
        """The predicate's file."""
        return self.named[0].path if self.named else None

    @property
    def generator(self) -> RepoPath | None:
        """The generator's file."""
        return self.named[1].path if self.named else None

    @cached_property
    def predicate_closure(self) -> Closure | None:
        """The predicate's closure; None where its file is not there."""
        return self.tree.closure(self.predicate)

    @cached_property
    def parts(self) -> list[tuple[bytes, Entry]] | None:
        """What the binding digest covers, in its order; None where a part is missing or no regular file."""
        if not self.named or any(name.path is None for name in self.named):
            return None
        generator, lock, *inputs = (RepoPath.of(name.text) for name in self.named[1:])
        parts: list[tuple[bytes, Entry]] = []
        for path in digests.binding_order(generator, self.path, lock, inputs):
            entry = self.tree.snapshot.entry(path)
            if entry is None or not entry.is_file:
                return None
            parts.append((path, entry))
        return parts

    @cached_property
    def ambiguities(self) -> list[tuple[bytes, str]]:
        """Hashed files that the plain formula could confuse with others: path, and why. None under framing sized."""
        if self.tree.sized:
            return []
        hashed = [self.parts or []]
        if self.value is not None and self.value.predicate_digest is not None and self.predicate_closure is not None:
            hashed.append(sorted(self.predicate_closure.files.items()))
        found: dict[tuple[bytes, str], None] = {}
        for files in hashed:
            for number, (path, entry) in enumerate(files, 1):
                content = self.tree.archive.content(entry)
                if content.has_zero:
                    found[path, f"{RepoPath(path)} has a zero byte"] = None
                # Nothing stands between a file's bytes and the next path: an end without a line feed could be either's.
                elif content.runs_on and number < len(files):
                    found[path, f"{RepoPath(path)} does not end with a line feed"] = None
                if (why := digests.ambiguity(path)) is not None:
                    found[path, f"{RepoPath(path)}: {why}"] = None
        return list(found)

    def binding_digest(self, sized: bool) -> str | None:
        """The recomputed binding digest; None where a part is missing."""
        return None if self.parts is None else self._digest(self.parts, sized)

    def predicate_digest(self, sized: bool) -> str | None:
        """The digest of the predicate's closure; None where its file is not there."""
        found = self.predicate_closure
        if found is None or not found.files:
            return None
        return self._digest(sorted(found.files.items()), sized)

    def _digest(self, files: list[tuple[bytes, Entry]], sized: bool) -> str:
        items = self.tree.archive.items(files)
        return digests.sized_digest(items, len(files)) if sized else digests.binding_digest(items)

    @cached_property
    def binding_key(self) -> object:
        """Equal in two trees exactly when the scope and all that its binding digest covers are."""
        return (self.path, self.entry, tuple(self.tree.named_key(name.path) for name in self.named[1:]))

    @cached_property
    def key(self) -> object:
        """Equal in two trees exactly when the unit is: the scope, its closures, and what else it names."""
        tree = self.tree
        where = tree.named_key(self.predicate)
        return (self.binding_key, where, tree.closure_key(self.predicate), tree.closure_key(self.generator))


def python_misplaced(text: str, folder: RepoPath) -> str | None:
    """Why `text` is no plain path of a Python file inside `folder`, or None."""
    why = misplaced(text, (folder,))
    return why or (None if text.endswith(".py") else "is no Python file (.py)")

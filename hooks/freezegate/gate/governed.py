"""A tree seen as documents: which scopes, records, citations and properties it holds, and what they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.documents.config import Config
from freezegate.gate.archive import Archive
from freezegate.gate.bindings import Binding
from freezegate.gate.finder import Finder
from freezegate.gate.placing import Places, malformed
from freezegate.gate.scopes import ScopeView
from freezegate.git.entry import Entry
from freezegate.git.snapshot import Names, Snapshot
from freezegate.paths import RepoPath
from freezegate.source.closure import Closure, closure
from freezegate.source.module import Module

if TYPE_CHECKING:
    from freezegate.documents.ledger import Freeze
    from freezegate.documents.reading import Reading
    from freezegate.gate.claims import PropertyUnit

SCOPE_SUFFIX = b".scope.yaml"
CASE_SUFFIX = b".cex.json"
CITATION_SUFFIX = b".freeze.json"
# So many files in the folders of a side without config are looked at for one of ours.
_LOOKED_AT = 200
CONFIG_PATH = RepoPath(b".freezegate.yaml")


class Document(NamedTuple):
    """A regular file in a document's place, read."""

    path: RepoPath
    entry: Entry
    reading: Reading[Any]

    @property
    def value(self) -> Any:
        """The document, or None where it could not be read or its schema refuses it."""
        return self.reading.document


class Governed:
    """One snapshot under the config in force. Everything is looked up when it is asked for, and once."""

    def __init__(self, snapshot: Snapshot, config: Config, archive: Archive, day: date) -> None:
        self.snapshot = snapshot
        self.config = config
        self.archive = archive
        self.day = day
        # The side whose allowed signers count: not one that the change could have edited.
        self.trusted = snapshot
        self.places = Places.of(config)
        self.binding_on = self.verdict_on = False
        self.finder = Finder(self)
        self._views: dict[RepoPath, ScopeView | None] = {}
        self._property_units: dict[RepoPath, PropertyUnit] = {}
        self._fixture_digests: dict[bool, str | None] = {}
        self._bindings: dict[str, Binding] = {}
        self._closures: dict[tuple[bytes, bool], Closure | None] = {}
        self._keys: dict[tuple[bytes, bool], object] = {}

    @property
    def sized(self) -> bool:
        """Whether policy asks for digests of the sized framing."""
        return self.config.policy.framing == "sized"

    @property
    def governed_places(self) -> tuple[RepoPath, ...]:
        """Folders and files of the halves that are on."""
        binding = self.places.binding_half if self.binding_on else ()
        return binding + (self.places.verdict_half if self.verdict_on else ())

    @property
    def watched_places(self) -> tuple[RepoPath, ...]:
        """The same, and the source folders where any half is on."""
        governed = self.governed_places
        return governed + (self.places.source if governed else ())

    @property
    def has_scopes(self) -> bool:
        """Whether there is any scope file."""
        index = self.archive.index
        if index is not None and index.holds_scope(self.snapshot, self.places.properties):
            return True
        return next(self.snapshot.walk(self.places.properties, SCOPE_SUFFIX), None) is not None

    def has_many_properties(self, at_least: int) -> bool:
        """Whether the properties folder holds at least so many names, without reading what they are."""
        folders = self.snapshot.folders(self.places.properties)
        return sum(len(self.children(folder)) for folder in folders) >= at_least

    @property
    def has_documents(self) -> bool:
        """Whether the tree shows by itself that it is governed: a scope, a claims file, or another document of ours.

        Folders of these names may be somebody else's, so that of the other kinds only a readable document counts.
        """
        if self.has_scopes or self.entry(self.places.claimed) is not None:
            return True
        return self.holds_bindings or self.holds_verdicts

    @property
    def holds_bindings(self) -> bool:
        """Whether a readable record or citation is there."""
        bound = (self.binding(scope_id) for scope_id in islice(self.bound_ids(), _LOOKED_AT))
        return any(binding.stated is not None or binding.cited is not None for binding in bound)

    @property
    def holds_verdicts(self) -> bool:
        """Whether a readable ledger or catalog entry is there."""
        if self.ledger is not None and self.ledger.value is not None:
            return True
        return any(document.value is not None for document in islice(self.properties, _LOOKED_AT))

    @property
    def has_claims_or_freezes(self) -> bool:
        """Whether anything of the verdict half is there that needs the fixture tree."""
        return self.claimed is not None or bool(self.properties) or bool(self.freezes)

    # -- documents by their place

    def document(self, kind: str, path: RepoPath) -> Document | None:
        """The document of `kind` at `path`, or None where no regular file is."""
        entry = self.snapshot.entry(path)
        if entry is None or not entry.is_file:
            return None
        return Document(path, entry, self.archive.reading(kind, entry.oid))

    @cached_property
    def scope_entries(self) -> dict[RepoPath, Entry]:
        """Every scope file: path to entry."""
        found = self.snapshot.walk(self.places.properties, SCOPE_SUFFIX)
        return {path: entry for path, entry in found if entry.is_file}

    def scope(self, path: RepoPath) -> ScopeView | None:
        """The scope file at `path` with what it names in this tree; None where there is none."""
        if path not in self._views:
            entry = self.snapshot.entry(path)
            here = path.endswith(SCOPE_SUFFIX) and path.below(self.places.properties)
            self._views[path] = ScopeView(self, path, entry) if here and entry is not None and entry.is_file else None
        return self._views[path]

    def scopes_with_id(self, scope_id: str) -> list[ScopeView]:
        """The readable scopes that carry this id, by path (one, in a clean tree)."""
        return self.finder.with_id(scope_id)

    def scope_of(self, scope_id: str) -> ScopeView | None:
        """The first readable scope with this id."""
        return next(iter(self.scopes_with_id(scope_id)), None)

    def record_path(self, scope_id: str) -> RepoPath:
        """Where the binding record of this id is."""
        return self.places.bindings.joined(RepoPath.of(scope_id) + b".json")

    def case_path(self, scope_id: str) -> RepoPath:
        """Where the counterexample of this id is."""
        return self.places.bindings.joined(RepoPath.of(scope_id) + CASE_SUFFIX)

    def citation_path(self, scope_id: str) -> RepoPath:
        """Where the citation of this id is."""
        return self.places.freezes.joined(RepoPath.of(scope_id) + CITATION_SUFFIX)

    def record(self, scope_id: str) -> Document | None:
        """The binding record that is found under this id."""
        return self.document("record", self.record_path(scope_id))

    def counterexample(self, scope_id: str) -> Document | None:
        """The counterexample that is found under this id."""
        return self.document("counterexample", self.case_path(scope_id))

    def citation(self, scope_id: str) -> Document | None:
        """The citation that is found under this id."""
        return self.document("citation", self.citation_path(scope_id))

    def bound_ids(self) -> Iterator[str]:
        """Every id that a record, counterexample or citation is found under."""
        for folder in (self.places.bindings, self.places.freezes):
            for name, entry in self.snapshot.children(folder).items():
                if entry.is_file and (scope_id := self.id_in_name(folder.joined(name))) is not None:
                    yield scope_id

    def id_in_name(self, path: RepoPath) -> str | None:
        """The scope id that the name of a record, counterexample or citation says; None for any other path."""
        name = path.name
        if path.parent == self.places.bindings and name.endswith(b".json"):
            stem = name[: -len(CASE_SUFFIX)] if name.endswith(CASE_SUFFIX) else name[:-5]
        elif path.parent == self.places.freezes and name.endswith(CITATION_SUFFIX):
            stem = name[: -len(CITATION_SUFFIX)]
        else:
            return None
        return RepoPath(stem).text or None

    # -- the verdict half

    @cached_property
    def properties(self) -> list[Document]:
        """Every catalog document, by path."""
        entries = [item for item in sorted(self.snapshot.walk(self.places.catalog, b".yaml")) if item[1].is_file]
        self.archive.store.prefetch(entry.oid for _, entry in entries)
        return [Document(path, entry, self.archive.reading("property", entry.oid)) for path, entry in entries]

    @cached_property
    def properties_by_id(self) -> dict[str, list[Document]]:
        """Property id to the readable catalog documents that carry it."""
        found: dict[str, list[Document]] = {}
        for document in self.properties:
            if document.value is not None:
                found.setdefault(document.value.id, []).append(document)
        return found

    @cached_property
    def claimed(self) -> Document | None:
        """The claims file."""
        return self.document("claimed", self.places.claimed)

    @cached_property
    def claims(self) -> tuple[str, ...]:
        """The claimed ids; none where the file is absent or unreadable."""
        return tuple(self.claimed.value.ids) if self.claimed is not None and self.claimed.value is not None else ()

    @cached_property
    def claim_set(self) -> frozenset[str]:
        """The claimed ids."""
        return frozenset(self.claims)

    @cached_property
    def ledger(self) -> Document | None:
        """The freeze ledger."""
        return self.document("ledger", self.places.ledger)

    @cached_property
    def freezes(self) -> tuple[Freeze, ...]:
        """The ledger's entries; none where it is absent or unreadable."""
        return tuple(self.ledger.value.freezes) if self.ledger is not None and self.ledger.value is not None else ()

    @cached_property
    def fixture_files(self) -> list[tuple[RepoPath, Entry]]:
        """Everything below the fixture root that is no folder: path relative to the root, entry."""
        root = self.places.fixtures
        return [(RepoPath(path[len(root) + 1 :]), entry) for path, entry in self.snapshot.walk(root)]

    def fixture_digest(self, sized: bool) -> str | None:
        """The digest of the whole fixture tree; None where it has no files, or one that may not be hashed."""
        if sized not in self._fixture_digests:
            from freezegate.gate.fixture_hash import hash_fixtures

            found = hash_fixtures(self, self.places.fixtures, sized)
            self._fixture_digests[sized] = None if found.flaws else found.digest
        return self._fixture_digests[sized]

    def property_unit(self, document: Document) -> PropertyUnit:
        """A catalog document as a unit, with what was computed of it before."""
        if document.path not in self._property_units:
            from freezegate.gate.claims import PropertyUnit

            self._property_units[document.path] = PropertyUnit(self, document)
        return self._property_units[document.path]

    def scope_named(self, text: str) -> ScopeView | None:
        """The scope file that a catalog entry's `scope` names; None where there is none at that plain path."""
        return self.scope(RepoPath.of(text)) if malformed(text) is None else None

    def binding(self, scope_id: str) -> Binding:
        """Everything that is found under one scope id."""
        if scope_id not in self._bindings:
            self._bindings[scope_id] = Binding(self, scope_id)
        return self._bindings[scope_id]

    # -- Python sources

    def module(self, path: bytes) -> Module:
        """The regular file at `path` read as Python source."""
        entry = self.snapshot.entry(path)
        assert entry is not None
        return self.archive.module(entry.oid)

    def entry(self, path: bytes) -> Entry | None:
        """What the tree holds at `path`."""
        return self.snapshot.entry(path)

    def children(self, folder: bytes) -> Names:
        """Name to entry of one folder."""
        return self.snapshot.children(folder)

    def prefetch(self, paths: Iterable[bytes]) -> None:
        """Read these files' blobs in one batch."""
        entries = [self.snapshot.entry(path) for path in paths]
        self.archive.store.prefetch(entry.oid for entry in entries if entry is not None and entry.is_file)

    @cached_property
    def roots(self) -> tuple[RepoPath, ...]:
        """Import roots behind a file's own folder: those of the layout, and the folders that hold a source package,
        which a run appends too and where other files may lie."""
        packages = (folder for folder in self.places.source if self.entry(folder.joined(b"__init__.py")) is not None)
        return tuple(dict.fromkeys((*self.places.roots, *(folder.parent for folder in packages))))

    def closure(self, path: RepoPath | None, conftest: bool = False) -> Closure | None:
        """The closure of the Python file at `path`; None where no regular file is."""
        if path is None:
            return None
        key = (path, conftest)
        if key not in self._closures:
            entry = self.snapshot.entry(path)
            known = None
            if entry is not None and entry.is_file:
                known = closure(path, self, self.roots, self.places.source, conftest)
            self._closures[key] = known
        return self._closures[key]

    def closure_key(self, path: RepoPath | None, conftest: bool = False) -> object:
        """A value that is equal in two trees exactly when everything that the rules ask of the closure is."""
        if path is None:
            return None
        key = (path, conftest)
        if key not in self._keys:
            found = self.closure(path, conftest)
            self._keys[key] = (
                None if found is None else (frozenset(found.files.items()), found.problems, found.shadows, found.links)
            )
        return self._keys[key]

    def named_key(self, path: RepoPath | None) -> object:
        """A value that is equal in two trees exactly when the named path leads to the same thing in both."""
        if path is None:
            return None
        return self.snapshot.entry(path) or self.snapshot.obstruction(path)

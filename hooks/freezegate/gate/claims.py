"""The units of the verdict half: ledger, ledger entries, catalog properties, claims."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from freezegate.documents.catalog import Property
from freezegate.documents.ledger import Freeze
from freezegate.gate.bindings import Binding
from freezegate.gate.oracles import Oracle, oracle_of
from freezegate.gate.patterns import matches_glob

if TYPE_CHECKING:
    from freezegate.gate.governed import Document, Governed


@dataclass(frozen=True)
class PropertyUnit:
    """One catalog document."""

    tree: Governed
    document: Document

    @property
    def value(self) -> Property | None:
        """The property, where the document can be read."""
        value = self.document.value
        return value if isinstance(value, Property) else None

    @cached_property
    def oracle(self) -> Oracle | None:
        """The oracle, where its text may be followed."""
        return oracle_of(self.value, self.tree) if self.value is not None else None

    @cached_property
    def oracle_key(self) -> object:
        """Equal in two trees exactly when the oracle's closure is."""
        if self.oracle is None:
            return None
        where = self.tree.named_key(self.oracle.path)
        return (self.oracle.path, where, self.tree.closure_key(self.oracle.path, self.oracle.is_node))

    @cached_property
    def cases_key(self) -> object:
        """Equal in two trees exactly when the rows of `cases` are: relative paths and entries."""
        if self.value is None or self.value.cases is None:
            return None
        return tuple(item for item in self.tree.fixture_files if matches_glob(item[0], self.value.cases))

    @cached_property
    def key(self) -> object:
        """Equal in two trees exactly when the unit is: the entry, its oracle, its scope."""
        scope = None
        if self.value is not None and self.value.scope is not None:
            view = self.tree.scope_named(self.value.scope)
            scope = view.entry if view is not None else None
        return (self.document.path, self.document.entry, self.oracle_key, scope)


@dataclass(frozen=True)
class LedgerUnit:
    """The ledger as a whole."""

    tree: Governed

    @property
    def key(self) -> object:
        """The file itself."""
        return self.tree.entry(self.tree.places.ledger)


@dataclass(frozen=True)
class EntryUnit:
    """One ledger entry."""

    tree: Governed
    freeze: Freeze

    @cached_property
    def properties(self) -> list[PropertyUnit]:
        """The catalog documents of its property; one, in a clean tree."""
        found = self.tree.properties_by_id.get(self.freeze.prop_id, [])
        return [self.tree.property_unit(document) for document in found]

    @cached_property
    def bindings(self) -> list[Binding]:
        """What is bound for the scopes that its property names."""
        scopes = (prop.value.scope for prop in self.properties if prop.value is not None)
        views = (self.tree.scope_named(scope) for scope in scopes if scope is not None)
        ids = (view.value.scope_id for view in views if view is not None and view.value is not None)
        return [self.tree.binding(scope_id) for scope_id in ids]

    @cached_property
    def key(self) -> object:
        """Equal in two trees exactly when the entry, its property and what is bound for it are."""
        return (
            self.freeze.fields,
            tuple(prop.key for prop in self.properties),
            tuple(binding.key for binding in self.bindings),
        )


@dataclass(frozen=True)
class ClaimsUnit:
    """The claims file as a whole."""

    tree: Governed

    @property
    def needed_by(self) -> Document | None:
        """What is left of the verdict half without claims: a property, or a ledger with entries."""
        if self.tree.properties:
            return self.tree.properties[0]
        return self.tree.ledger if self.tree.freezes else None

    @property
    def key(self) -> object:
        """The file itself, and what would need it."""
        needed = self.needed_by if self.tree.claimed is None else None
        return (self.tree.entry(self.tree.places.claimed), needed.path if needed is not None else None)


@dataclass(frozen=True)
class ClaimUnit:
    """One claimed id, at its place in the claims file (0-based)."""

    tree: Governed
    index: int
    prop_id: str

    @property
    def key(self) -> object:
        """The id, and whether the catalog has it."""
        return (self.prop_id, self.prop_id in self.tree.properties_by_id)


@dataclass(frozen=True)
class CatalogSet:
    """The catalog documents of one tree that share an id, or an oracle function, by path."""

    what: str
    members: tuple[PropertyUnit, ...]

    @property
    def key(self) -> object:
        """Equal in two trees exactly when the same documents share it."""
        return (self.what, tuple(member.document.path for member in self.members))

"""The step from one old side to the new tree, as the change rules see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from freezegate.gate.governed import Governed
from freezegate.git.ancestry import Known
from freezegate.git.snapshot import Delta
from freezegate.paths import RepoPath

if TYPE_CHECKING:
    from freezegate.documents.ledger import Freeze


@dataclass(frozen=True)
class Step:
    """One old side, the new tree, what differs, and which commit ids the old side knows."""

    old: Governed
    new: Governed
    delta: Delta
    known: Known

    @cached_property
    def touches_source(self) -> bool:
        """Whether anything in a source folder differs."""
        return any(self.new.places.in_source(path) for path in self.delta)

    @cached_property
    def moved_oracles(self) -> tuple[RepoPath, ...]:
        """Paths below the oracle folder that differ."""
        return tuple(path for path in self.delta if path.within(self.new.places.oracles))

    @cached_property
    def touches_fixtures(self) -> bool:
        """Whether anything in the fixture tree differs."""
        return self.touches((self.new.places.fixtures,))

    def touches(self, folders: Iterable[RepoPath]) -> bool:
        """Whether anything in one of these folders or files differs."""
        places = tuple(folders)
        return any(path.within(place) for path in self.delta for place in places)

    @cached_property
    def added_fields(self) -> frozenset[tuple[str, str, str, str]]:
        """The four fields of each added ledger entry."""
        return frozenset(freeze.fields for freeze in self.added_freezes)

    @cached_property
    def known_bases(self) -> frozenset[str]:
        """Those of the added entries' revisions that the old side knows."""
        return self.known([freeze.base_revision for freeze in self.added_freezes])

    @cached_property
    def added_freezes(self) -> tuple[Freeze, ...]:
        """Ledger entries whose four fields the old ledger does not have."""
        before = {freeze.fields for freeze in self.old.freezes}
        return tuple(freeze for freeze in self.new.freezes if freeze.fields not in before)

    def closure_moved(self, old_path: RepoPath | None, new_path: RepoPath | None, conftest: bool = False) -> bool:
        """Whether the closure of a Python file is new, gone or different."""
        before = self.old.closure(old_path, conftest)
        after = self.new.closure(new_path, conftest)
        return before is None or after is None or old_path != new_path or before.files != after.files

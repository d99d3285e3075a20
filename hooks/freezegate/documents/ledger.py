"""The freeze ledger: the failures that are allowed to be inconclusive."""

from __future__ import annotations

from dataclasses import dataclass

from freezegate.documents import checks

_FIELDS = frozenset(("prop_id", "signature", "fixture_digest", "base_revision"))


@dataclass(frozen=True)
class Freeze:
    """One ledger entry, at its place in the file (0-based)."""

    index: int
    prop_id: str
    signature: str
    fixture_digest: str
    base_revision: str

    @property
    def fields(self) -> tuple[str, str, str, str]:
        """The four values that make the entry what it is, wherever it stands."""
        return self.prop_id, self.signature, self.fixture_digest, self.base_revision


@dataclass(frozen=True)
class Ledger:
    """All freezes in the order of the file."""

    freezes: tuple[Freeze, ...] = ()

    @classmethod
    def from_value(cls, value: object) -> Ledger:
        """The ledger in a loaded document. Raises Refused."""
        return cls(tuple(_freeze(each, index) for index, each in enumerate(checks.sequence(value, ()))))


def _freeze(value: object, index: int) -> Freeze:
    given = checks.members(value, _FIELDS, at=(index,))
    return Freeze(
        index=index,
        prop_id=checks.text(given["prop_id"], (index, "prop_id")),
        signature=checks.hex64(given["signature"], (index, "signature")),
        fixture_digest=checks.digest(given["fixture_digest"], (index, "fixture_digest")),
        base_revision=checks.object_id(given["base_revision"], (index, "base_revision")),
    )

"""Everything that is found under one scope id: record, counterexample, citation, and the scope itself."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from freezegate import digests
from freezegate.gate import commands
from freezegate.paths import RepoPath

if TYPE_CHECKING:
    from freezegate.decisions import CitationDecision
    from freezegate.documents.citation import Citation
    from freezegate.documents.record import Record
    from freezegate.gate.attested import Doubt
    from freezegate.gate.governed import Document, Governed
    from freezegate.gate.scopes import ScopeView


class Binding:
    """One scope id in one tree."""

    def __init__(self, tree: Governed, scope_id: str) -> None:
        self.tree = tree
        self.scope_id = scope_id

    @cached_property
    def record(self) -> Document | None:
        """The binding record's file."""
        return self.tree.record(self.scope_id)

    @cached_property
    def case(self) -> Document | None:
        """The counterexample's file."""
        return self.tree.counterexample(self.scope_id)

    @cached_property
    def citation(self) -> Document | None:
        """The citation's file."""
        return self.tree.citation(self.scope_id)

    @cached_property
    def scope(self) -> ScopeView | None:
        """The readable scope that carries the id."""
        return self.tree.scope_of(self.scope_id)

    @property
    def unread_scope(self) -> ScopeView | None:
        """A scope file that has the id in its text, but cannot be read: likely the one that is meant."""
        views = self.tree.finder.containing([RepoPath.of(self.scope_id)])
        return next((view for view in views if view.value is None), None)

    @property
    def is_anything(self) -> bool:
        """Whether there is a record, a counterexample or a citation."""
        return self.record is not None or self.case is not None or self.citation is not None

    @property
    def stated(self) -> Record | None:
        """The record, where it can be read."""
        return self.record.value if self.record is not None else None

    @property
    def cited(self) -> Citation | None:
        """The citation, where it can be read."""
        return self.citation.value if self.citation is not None else None

    @property
    def stated_digest(self) -> str | None:
        """The digest that the record states."""
        return self.stated.fixture_digest if self.stated is not None else None

    @cached_property
    def recomputed_digest(self) -> str | None:
        """The digest of what is there now, by the formula that the record names (sized where policy asks for it)."""
        if self.scope is None or self.stated_digest is None:
            return None
        return self.scope.binding_digest(self.tree.sized or digests.is_sized(self.stated_digest))

    @property
    def digest_equal(self) -> bool:
        """Whether the record states the digest of what is there now, by a formula that is sound for it."""
        sound = self.scope is not None and not self.scope.ambiguities
        return sound and self.stated_digest is not None and self.stated_digest == self.recomputed_digest

    @cached_property
    def case_sha256(self) -> str | None:
        """The hash of the counterexample's blob; None where it is absent, unreadable or of another scope."""
        if self.case is None or self.case.value is None or self.case.value.scope_id != self.scope_id:
            return None
        return self.tree.archive.sha256(self.case.entry.oid)

    @cached_property
    def decision(self) -> CitationDecision:
        """Whether the record may be cited."""
        from freezegate.decisions import may_cite

        stated = self.stated
        bound = (
            stated is not None
            and stated.scope_id == self.scope_id
            and stated.counterexample_sha256 is not None
            and stated.counterexample_sha256 == self.case_sha256
        )
        if stated is None or not bound:
            return may_cite(None, None, self.digest_equal)
        return may_cite(self._label("local"), self._label("isolated"), self.digest_equal)

    @cached_property
    def doubts(self) -> tuple[Doubt, ...]:
        """Why labels that the record states are absent: policy asks for attestations, or attempts disagree."""
        stated = self.stated
        if stated is None or (self.tree.config.policy.attested_labels == "none" and not stated.attestations):
            return ()
        from freezegate.gate.attested import doubts

        return doubts(self)

    def _label(self, side: str) -> str | None:
        """The class label that counts."""
        if self.stated is None or any(doubt.side == side for doubt in self.doubts):
            return None
        return self.stated.class_local if side == "local" else self.stated.class_isolated

    @property
    def open_because(self) -> str:
        """Why the record is open, in words; empty where it is closed."""
        if self.decision:
            return ""
        stated = self.stated
        if self.record is None:
            why = "there is no record"
        elif stated is None:
            why = "the record cannot be read"
        elif stated.scope_id != self.scope_id:
            why = f"the record is one of {stated.scope_id}"
        elif stated.counterexample_sha256 is None:
            why = "counterexample_sha256 is null"
        elif self.case is None:
            why = "there is no counterexample"
        elif self.case.value is None:
            why = "the counterexample cannot be read"
        elif self.case_sha256 is None:
            why = f"the counterexample is one of {self.case.value.scope_id}"
        elif stated.counterexample_sha256 != self.case_sha256:
            why = "the counterexample has another hash"
        elif self.scope is None:
            why = "no scope has this id"
        else:
            doubted = self.digest_equal and self.decision.reason in ("nothing_to_bind", "classifier_missing")
            why = self.doubts[0].message if doubted and self.doubts else self.decision.message
        return f"{why} ({self.decision.reason})"

    @property
    def bind_command(self) -> str:
        """The command that makes the record anew from what is there; what to do where nothing can be bound."""
        if self.scope is None:
            unread = self.unread_scope
            return self.retire_command if unread is None else f"mend {unread.path}"
        if self.case is None or self.decision.reason == "holds":
            return self.retire_command
        bind = f"freezegate bind --scope {self.scope.path.shell} --case {self.case.path.shell}"
        if self.decision.reason == "recompute_digest":
            # What is bound is committed, and an edit under a record is not until that is gone: this mends either way.
            return f"{self.retire_command}  # where the edit is committed, it can be bound again instead: {bind}"
        return bind

    @property
    def retire_command(self) -> str:
        """The command that takes the freeze away."""
        return commands.retire(self.scope_id)

    @cached_property
    def key(self) -> object:
        """Equal in two trees exactly when the record and all that its binding rests on are."""
        scopes = tuple(scope.binding_key for scope in self.tree.scopes_with_id(self.scope_id))
        record = self.tree.entry(self.tree.record_path(self.scope_id))
        return (record, self.tree.entry(self.tree.case_path(self.scope_id)), scopes)

    @cached_property
    def citation_key(self) -> object:
        """Equal in two trees exactly when the citation and its record are."""
        return (self.tree.entry(self.tree.citation_path(self.scope_id)), self.key)

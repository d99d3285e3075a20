"""What the gate says: findings, and the report that holds them."""

from __future__ import annotations

from dataclasses import dataclass, field

from freezegate.paths import RepoPath
from freezegate.text import escape

DOCUMENT_KINDS = ("scope", "counterexample", "record", "citation", "property", "claimed", "ledger", "config")


@dataclass(frozen=True, order=True)
class Finding:
    """One rejected thing, on the document whose edit mends it. Line and column are 1-based; a whole file is 1:1."""

    path: RepoPath
    line: int
    rule: str
    column: int
    message: str
    hint: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", escape(self.message))
        object.__setattr__(self, "hint", escape(self.hint))


@dataclass(frozen=True)
class Report:
    """The outcome of one check; true exactly when nothing was found.

    `mode` is commit, range, all or push; `compared` says in words which trees were; `checked` counts the verified
    documents of each kind of DOCUMENT_KINDS; `notes` are sentences that a reader must not miss.
    """

    mode: str
    compared: str
    findings: tuple[Finding, ...] = ()
    checked: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.findings

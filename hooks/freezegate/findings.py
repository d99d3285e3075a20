"""What the gate says: findings, and the report that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from freezegate.paths import RepoPath
from freezegate.text import escape

DOCUMENT_KINDS = ("scope", "counterexample", "record", "citation", "property", "claimed", "ledger", "config")


class _Fields(NamedTuple):
    path: RepoPath
    line: int
    rule: str
    column: int
    message: str
    hint: str


class Finding(_Fields):
    """One rejected thing, on the document whose edit mends it. Line and column are 1-based; a whole file is 1:1.

    Findings sort by path, line and rule. Message and hint are escaped when it is made.
    """

    __slots__ = ()

    def __new__(cls, path: RepoPath, line: int, rule: str, column: int, message: str, hint: str) -> Finding:
        return super().__new__(cls, path, line, rule, column, escape(message), escape(hint))


class Report(NamedTuple):
    """The outcome of one check; true exactly when nothing was found.

    `mode` is commit, range, all or push; `compared` says in words which trees were; `checked` counts the verified
    documents of each kind of DOCUMENT_KINDS; `notes` are sentences that a reader must not miss.
    """

    mode: str
    compared: str
    findings: tuple[Finding, ...] = ()
    checked: Mapping[str, int] = MappingProxyType({})
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return not self.findings

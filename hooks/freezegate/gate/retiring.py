"""Taking a freeze away: which files and ledger entries an id stands for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from freezegate.documents.ledger import Freeze
from freezegate.gate.alone import Refusal
from freezegate.gate.governed import Governed
from freezegate.gate.saying import did_you_mean
from freezegate.git.entry import Entry
from freezegate.paths import RepoPath

ORDER = (
    "a property goes in this order, each step a commit of its own: its freeze (freezegate retire ID); then its id in "
    "the claims file together with its catalog entry; then its scope together with its predicate, without any source"
)


@dataclass(frozen=True)
class Retirement:
    """What is to be removed: files, and ledger entries.

    `rewritten` is the ledger's path with its entry and its new content, where it has to be written; `absent` are paths
    at which the tree holds nothing.
    """

    files: dict[RepoPath, Entry]
    absent: tuple[RepoPath, ...] = ()
    entries: tuple[Freeze, ...] = ()
    rewritten: dict[RepoPath, tuple[Entry, bytes]] = field(default_factory=dict)

    @property
    def staged(self) -> dict[RepoPath, str]:
        """Every file that is touched, with its blob id before."""
        touched = {path: entry for path, (entry, _) in self.rewritten.items()}
        return {path: entry.oid for path, entry in {**self.files, **touched}.items()}

    def __bool__(self) -> bool:
        return bool(self.files or self.entries)


def retirement(tree: Governed, given: str) -> Retirement:
    """What the scope id or property id stands for in `tree`; false where that is nothing.

    Raises Refusal where the ledger cannot be read.
    """
    scope_ids, prop_ids = _meant(tree, given)
    files: dict[RepoPath, Entry] = {}
    absent: list[RepoPath] = []
    for scope_id in sorted(scope_ids):
        for path in (tree.record_path(scope_id), tree.case_path(scope_id), tree.citation_path(scope_id)):
            if tree.id_in_name(path) == scope_id:
                entry = tree.entry(path)
                if entry is None:
                    absent.append(path)
                elif not entry.is_folder:
                    files[path] = entry
    document = tree.ledger
    if document is None:
        return Retirement(files, tuple(absent))
    if document.value is None:
        problem = document.reading.problems[0]
        raise Refusal(f"{document.path} cannot be read (line {problem.line}: {problem.message}); mend it first")
    gone = tuple(freeze for freeze in tree.freezes if freeze.prop_id in prop_ids)
    left = [_as_json(freeze) for freeze in tree.freezes if freeze not in gone]
    data = (json.dumps(left, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
    return Retirement(files, tuple(absent), gone, {document.path: (document.entry, data)} if gone else {})


def not_frozen(tree: Governed, given: str) -> str:
    """Why nothing is frozen under an id: a name that it may be a typo of, else the order in which a property goes."""
    if given in tree.properties_by_id or tree.scope_of(given) is not None:
        return ORDER
    return did_you_mean(given, {*tree.bound_ids(), *(freeze.prop_id for freeze in tree.freezes)}) or ORDER


def _meant(tree: Governed, given: str) -> tuple[set[str], set[str]]:
    """The scope ids and property ids: the given one, and those that a catalog entry ties to it."""
    scope_ids, prop_ids = {given}, {given}
    for document in tree.properties_by_id.get(given, ()):
        view = tree.scope_named(document.value.scope) if document.value.scope is not None else None
        if view is not None and view.value is not None:
            scope_ids.add(view.value.scope_id)
    scopes = {view.path.text for scope_id in scope_ids for view in tree.scopes_with_id(scope_id)}
    for prop_id, documents in tree.properties_by_id.items():
        if any(document.value.scope in scopes for document in documents):
            prop_ids.add(prop_id)
    return scope_ids, prop_ids


def _as_json(freeze: Freeze) -> dict[str, str]:
    names = ("prop_id", "signature", "fixture_digest", "base_revision")
    return dict(zip(names, freeze.fields, strict=True))

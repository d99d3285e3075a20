"""Starts the one search that a small change in a large tree will need, while the rules are still being loaded.

A guess only: where it is wrong, the search that is really needed is made later, with the same answer.
"""

from __future__ import annotations

import re

from freezegate.git.expressions import any_of
from freezegate.git.repository import GitStore
from freezegate.git.snapshot import Where
from freezegate.git.standing import Standing
from freezegate.paths import RepoPath

_PROPERTIES = RepoPath(b"tests/properties")
_NAMES = re.compile(rb"^(?:scope_id: *([a-z0-9_.]+)|predicate: *([^:\s]+\.py):\w+) *\r?$", re.MULTILINE)
_FEW = 20


def search_ahead(store: GitStore, standing: Standing) -> None:
    """Start the search for who names what the staged difference changes, where it changes a scope."""
    scopes = [row for row in standing.rows if row.path.endswith(b".scope.yaml")]
    if not scopes or len(standing.rows) > _FEW or standing.tree is None:
        return
    words = {row.path for row in standing.rows if not row.path.startswith(b"src/")}
    sides = [(row.mode, row.oid) for row in scopes] + [(row.old_mode, row.old_oid) for row in scopes]
    ids = [oid.decode("ascii") for mode, oid in sides if mode in (b"100644", b"100755")]
    store.prefetch(ids)
    for oid in ids:
        for found in _NAMES.findall(store.blob(oid, 1 << 20) or b""):
            words.update(name for name in found if name)
    store.search_ahead(standing.tree, any_of(words), Where(_PROPERTIES, b".scope.yaml"))

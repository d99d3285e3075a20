"""`freezegate lock`: write predicate digests into scope files."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from freezegate.cli.trees import Sight, looked_at
from freezegate.errors import CannotJudge
from freezegate.text import escape

if TYPE_CHECKING:
    from freezegate.gate.scopes import ScopeView
    from freezegate.paths import RepoPath


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "lock",
        help="write predicate_digest into scope files",
        description="Writes the digest of the predicate's closure, as the working tree has it, into scope files of the "
        "working tree; all else in them stays. Without SCOPE: into every scope whose digest is stale. Layout and policy are "
        "those of HEAD's config, which judges the commit.",
    )
    parser.add_argument("scopes", nargs="*", metavar="SCOPE", help="a scope file, or a scope id")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write and say what was written; 1 where a scope was refused."""
    from freezegate.gate import commands
    from freezegate.gate.alone import scope_given
    from freezegate.gate.locking import stale_scopes

    refused = False
    written, right = [], []
    with looked_at(worktree=True, judged=True) as sight:
        named = [scope_given(sight.tree, given, sight.prefix) for given in options.scopes]
        chosen = list({view.path: view for view in named}.values()) if named else list(stale_scopes(sight.tree))
        for scope in chosen:
            try:
                if _lock(scope, sight):
                    written.append(scope.path)
                    print(f"locked {scope.path}")
                right.append(scope)
            except CannotJudge as error:
                refused = True
                sys.stderr.write(f"freezegate: refused {scope.path}: {escape(error.message)}\n")
    if not written and not refused:
        print("nothing to lock")
    if unstaged := [*written, *_unstaged(right)]:
        print(f"stage it: {commands.add(unstaged, sight.prefix)}")
    return 1 if refused else 0


def _unstaged(scopes: list[ScopeView]) -> list[RepoPath]:
    """What has to be staged too for the digests to fit; nothing where the index cannot be read, as in a conflict."""
    from freezegate.gate.locking import staged_otherwise
    from freezegate.git.plumbing import GitError

    try:
        with looked_at(judged=True) as sight:
            return staged_otherwise(sight.tree, scopes)
    except (GitError, CannotJudge):
        return []


def _lock(scope: ScopeView, sight: Sight) -> bool:
    """Whether the scope's file had to be written. Raises CannotJudge, OSError."""
    from freezegate.documents.digest_line import CannotEdit, with_predicate_digest
    from freezegate.documents.reading import read_scope
    from freezegate.gate.locking import predicate_lock
    from freezegate.git.worktree_files import WorkTree

    digest = predicate_lock(scope)
    files = WorkTree(sight.top)
    data = files.read(scope.path)
    if data is None or read_scope(data).document != scope.value:
        raise CannotJudge("the file in the working tree is not what git would stage of it")
    if scope.value is not None and scope.value.predicate_digest == digest:
        return False
    try:
        files.write(scope.path, with_predicate_digest(data, digest))
    except CannotEdit as error:
        raise CannotJudge(f"{error}; write predicate_digest: {digest} by hand") from None
    return True

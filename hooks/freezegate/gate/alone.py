"""One tree looked at by itself, under its own config: what the commands that write or print ask."""

from __future__ import annotations

from itertools import islice
from posixpath import normpath

from freezegate.errors import CannotJudge
from freezegate.gate.archive import Archive
from freezegate.gate.force import config_in_force, is_adopted
from freezegate.gate.governed import Governed
from freezegate.gate.scopes import ScopeView
from freezegate.git.ancestry import known_to
from freezegate.git.change import Change, today
from freezegate.git.snapshot import Snapshot
from freezegate.paths import RepoPath
from freezegate.text import escape, quoted

_LOOKED_AT = 1000  # scopes of which one may be meant by a name that is none


def grown_from(snapshot: Snapshot, old: Snapshot) -> Governed:
    """The tree under the config that is in force for a step from `old` to it, as a check of that step takes it.

    Raises CannotJudge where that is invalid.
    """
    archive = Archive(snapshot.store)
    change = Change("range", (old,), snapshot, "a step", known_to([]), today())
    adopted = old if is_adopted(old, archive, change) else None
    tree = Governed(snapshot, config_in_force(change, archive, None, adopted, ()), archive, change.day)
    tree.trusted = adopted or snapshot
    tree.finder.narrow = True
    return tree


class Refusal(Exception):
    """The command is refused, which is no failure of it: the message says why."""


def alone(snapshot: Snapshot) -> Governed:
    """The tree under the config that it holds, else under the defaults. Raises CannotJudge where that is invalid."""
    archive = Archive(snapshot.store)
    change = Change("all", (), snapshot, "the tree alone", known_to([]), today())
    tree = Governed(snapshot, config_in_force(change, archive, None, None, ()), archive, change.day)
    tree.finder.narrow = True
    return tree


def candidates(given: str, prefix: bytes) -> list[RepoPath]:
    """The repository paths that a word of the command line may mean: from the folder it was typed in, from the root.

    `prefix` is that folder's path, empty at the root.
    """
    typed = RepoPath.of(given)
    found = []
    for start in dict.fromkeys((prefix, b"")):
        path = normpath(start + b"/" + typed if start else typed)
        if path != b".." and not path.startswith((b"/", b"../")):
            found.append(RepoPath(b"" if path == b"." else path))
    return found


def scope_given(tree: Governed, given: str, prefix: bytes) -> ScopeView:
    """The scope that a path or a scope id names. Raises CannotJudge where none does, or several."""
    for path in candidates(given, prefix):
        if (view := tree.scope(path)) is not None:
            return view
    views = tree.scopes_with_id(given)
    if len(views) == 1:
        return views[0]
    if views:
        shown = ", ".join(str(view.path) for view in views)
        raise CannotJudge(f"several scopes have the id {quoted(given)}: {shown}", "name the file")
    raise CannotJudge(
        f"no scope file has the path or the id {quoted(given)}",
        _alike(tree, given) or f"name a *.scope.yaml below {tree.places.properties}/, or the scope_id in it",
    )


def _alike(tree: Governed, given: str) -> str:
    """The names that may be meant, as a hint; empty where none is like what was given."""
    from difflib import get_close_matches

    views = list(islice(tree.finder.every(), _LOOKED_AT))
    names = [name for view in views for name in (view.path.text, view.value.scope_id if view.value is not None else "")]
    alike = get_close_matches(given, names, 2)
    return f"did you mean {' or '.join(map(escape, alike))}?" if alike else ""


def readable(view: ScopeView) -> str | None:
    """Why the scope cannot be read, or None."""
    if view.value is not None:
        return None
    problem = view.reading.problems[0]
    return f"line {problem.line}, column {problem.column}: {problem.message}"


def fixture_lock(tree: Governed, given: str, prefix: bytes) -> str:
    """The digest of the folder that a word of the command line names, in the policy's framing. Raises CannotJudge."""
    from freezegate.gate.fixture_hash import hash_fixtures

    paths = candidates(given, prefix)
    for path in paths:
        if (step := tree.snapshot.obstruction(path) if path else None) is not None:
            what = "symbolic link" if step[1].is_link else "submodule"
            raise CannotJudge(f"{step[0]} is a {what}", "commit the files themselves in its place")
    root = next((path for path in paths if tree.snapshot.children(path)), None)
    if root is None:
        raise CannotJudge(f"there are no files below {quoted(given)}, so it has no digest", "git add the fixtures")
    hashed = hash_fixtures(tree, root, tree.sized)
    if hashed.flaws:
        path, why = hashed.flaws[0]
        more = f" (and {len(hashed.flaws) - 1} more)" if len(hashed.flaws) > 1 else ""
        raise CannotJudge(f"{root.joined(path)} {why}{more}", "freezegate explain fixture-digest")
    if hashed.digest is None:
        raise CannotJudge(f"there are no files below {root}/, so it has no digest", "git add the fixtures")
    return hashed.digest

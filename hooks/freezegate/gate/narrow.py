"""Which scopes a small change can have touched, found by byte searches instead of reading every document."""

from __future__ import annotations

from collections.abc import Iterable

from freezegate.gate.finder import literal
from freezegate.gate.governed import SCOPE_SUFFIX, Governed
from freezegate.git.entry import Entry
from freezegate.git.snapshot import Delta, Where
from freezegate.paths import RepoPath
from freezegate.source.narrow import stems

# A change that reaches more files than this is judged by reading everything, which costs less then.
_REACH = 60
# A relative import, or the start of one that goes on in the next line: it may load a module without naming it.
_RELATIVE = b"from[ \t\f]*(\\.|\\\\)"


def touched_scopes(tree: Governed, delta: Delta) -> set[RepoPath] | None:
    """Paths of the scope files of `tree` that the change can have touched through anything that they depend on.

    None: too many to be worth the search, look at all of them. Soundness: a scope depends on the files that it names,
    whose paths are literal bytes in it, and on what its predicate and generator import; a file that imports another
    has the other's stem, or the name of its folder, in its text, or is found by its relative import.
    """
    scopes = {path for path in delta if path.endswith(SCOPE_SUFFIX) and path.below(tree.places.properties)}
    if len(scopes) > _REACH:
        return None
    outside = {path: sides for path, sides in delta.items() if not tree.places.in_source(path)}
    reached = _importers(tree, [path for path, sides in outside.items() if _importable(path, sides)])
    if reached is None or len(reached) + len(outside) > _REACH:
        return None
    named = {view.path for view in tree.finder.naming({*outside, *reached})}
    return named | {path for path in scopes if tree.entry(path) is not None}


def _importable(path: RepoPath, sides: tuple[Entry | None, Entry | None]) -> bool:
    """Whether an import statement could reach, or be hidden by, what changed at `path`."""
    if path.endswith((b".py", b".pyc", b".so", b".pyd")) or path.find(b"__pycache__") >= 0:
        return True
    return any(entry is not None and not entry.is_file for entry in sides)


def _importers(tree: Governed, changed: Iterable[RepoPath]) -> set[RepoPath] | None:
    """Python files that may import a changed one, directly or through others; None: more than is worth following."""
    reached: set[RepoPath] = set()
    frontier = set(changed)
    while frontier:
        words = {word for path in frontier for word in stems(path)}
        if b"" in words or len(words) > _REACH:
            return None
        either = b"|".join(map(literal, sorted(words)))
        expression = b"(^|[^A-Za-z0-9_])(" + either + b")([^A-Za-z0-9_]|$)|" + _RELATIVE
        hits = tree.snapshot.search(expression, Where(RepoPath(b""), b".py", tree.places.source))
        # A file of the stem itself is what a new shadow beside it would hide.
        frontier = {path for path in hits if path not in reached}
        reached |= frontier
        if len(reached) > _REACH:
            return None
    return reached

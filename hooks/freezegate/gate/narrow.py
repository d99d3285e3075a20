"""Which scopes a small change can have touched, found by byte searches instead of reading every document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from freezegate.gate.governed import SCOPE_SUFFIX, Governed
from freezegate.git.entry import Entry
from freezegate.git.expressions import any_of
from freezegate.git.snapshot import Delta, Where
from freezegate.paths import RepoPath
from freezegate.source.narrow import stems

# A change that reaches more files than this is judged by reading everything, which costs less then.
_REACH = 60
# The same where an index answers, which costs next to nothing.
_INDEXED = 100_000
# A relative import, or the start of one that goes on in the next line: it may load a module without naming it.
RELATIVE = b"from[ \t\f]*(\\.|\\\\)"


def touched_scopes(tree: Governed, sides: tuple[Governed, ...], delta: Delta) -> set[RepoPath] | None:
    """Paths of the scope files of `tree` that the change can have touched through anything that they depend on.

    None: too many to be worth the search, look at all of them. Soundness: a scope depends on the files that it names,
    whose paths are literal bytes in it, and on what its predicate and generator import; a file that imports another
    has the other's stem, or the name of its folder, in its text, or is found by its relative import.
    """
    scopes = {path for path in delta if path.endswith(SCOPE_SUFFIX) and path.below(tree.places.properties)}
    reach = _REACH if tree.archive.index is None else _INDEXED
    if len(delta) > reach or _is_unsearchable(delta):
        return None
    if any(folder.joined(b"__init__.py") in delta for folder in tree.places.source):
        return None  # a source folder became a package, or is none any more: imports are searched in other folders
    for side in sides:
        side.finder.containing(_words(side, sides, scopes, delta))
    outside = {path: step for path, step in delta.items() if not tree.places.in_source(path)}
    reached = _importers(tree, [path for path, step in outside.items() if _importable(path, step)], reach)
    if reached is None or len(reached) + len(outside) > reach:
        return None
    named = {view.path for view in tree.finder.naming({*outside, *reached})}
    return named | {path for path in scopes if tree.entry(path) is not None}


def _words(side: Governed, sides: tuple[Governed, ...], scopes: set[RepoPath], delta: Delta) -> Iterator[bytes]:
    """What will be asked about: changed paths, and the ids and predicates that changed scopes and records carry.

    All of them are searched for at once, and the same way on every side, so that sides that start from one tree share
    the search.
    """
    yield from sorted(path for path in delta if not side.places.in_source(path) and path.find(b"\n") < 0)
    ids = {scope_id for path in delta if (scope_id := side.id_in_name(path)) is not None}
    for each in sides:
        each.prefetch(scopes)
        for view in map(each.scope, scopes):
            if view is not None and view.value is not None:
                ids.add(view.value.scope_id)
                yield RepoPath.of(view.value.predicate_path)
    yield from map(RepoPath.of, sorted(ids))


def _importable(path: RepoPath, sides: tuple[Entry | None, Entry | None]) -> bool:
    """Whether an import statement could reach, or be hidden by, what changed at `path`."""
    if path.endswith((b".py", b".pyc", b".so", b".pyd")) or path.find(b"__pycache__") >= 0:
        return True
    return any(entry is not None and not entry.is_file for entry in sides)


def _importers(tree: Governed, changed: Iterable[RepoPath], reach: int) -> set[RepoPath] | None:
    """Python files that may import a changed one, directly or through others; None: more than is worth following."""
    frontier = set(changed)
    # A file beside a changed shadow of its own stem need not have the stem in its text.
    reached = {source for path in frontier for source in _shadowed(path) if tree.entry(source) is not None}
    frontier |= reached
    while frontier:
        words = {word for path in frontier for word in stems(path)}
        if b"" in words or len(words) > reach or _is_unsearchable(frontier):
            return None
        hits = _holders(tree, words)
        # A file of the stem itself is what a new shadow beside it would hide.
        frontier = {path for path in hits if path not in reached}
        reached |= frontier
        if len(reached) > reach:
            return None
    return reached


def _is_unsearchable(paths: Iterable[RepoPath]) -> bool:
    """Whether one of the names has a newline, which a search takes for the end of its expression."""
    return any(path.find(b"\n") >= 0 for path in paths)


def _holders(tree: Governed, words: set[bytes]) -> set[RepoPath]:
    """Python files outside source with one of these words, or with a relative import."""
    if tree.archive.index is not None:
        return {path for path in tree.archive.index.importers(words) if tree.entry(path) is not None}
    expression = b"(^|[^A-Za-z0-9_])(" + any_of(words) + b")([^A-Za-z0-9_]|$)|" + RELATIVE
    return tree.snapshot.search(expression, Where(RepoPath(b""), b".py", tree.places.source))


def _shadowed(path: RepoPath) -> Iterator[RepoPath]:
    """The source files that a compiled file, a package or a link at `path` would hide."""
    stem = path.name.partition(b".")[0]
    yield path.parent.joined(stem + b".py")
    if stem == b"__init__":
        yield RepoPath(path.parent + b".py")

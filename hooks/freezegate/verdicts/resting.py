"""What an oracle's answer rests on besides its closure: what stands in for a helper, or loads beside it."""

from __future__ import annotations

from collections.abc import Iterator

from freezegate.gate.governed import Governed
from freezegate.git.entry import Entry
from freezegate.paths import RepoPath
from freezegate.running.subject import import_paths
from freezegate.source.closure import through_source

_DISTRIBUTIONS = (b".dist-info", b".egg-info", b".egg", b".egg-link")
_COMPILED = (b".so", b".pyd", b".pyc")

NONE, PART, WHOLE = 0, 1, 2
"""How source serves a name: not, as one part of a package that others may add to, or to the exclusion of all behind it."""


def reached(tree: Governed, path: RepoPath, is_node: bool) -> dict[RepoPath, Entry | None]:
    """The files outside source that the Python file at `path` reaches through source files.

    The child searches the folders outside source first, so that such a file can stand in for behaviour.
    """
    roots = (*tree.roots, *import_paths(tree, path.parent))
    found = through_source(path, tree, roots, tree.places.source, is_node)
    return {RepoPath(other): entry for other, entry in found.items()}


def served(tree: Governed, path: RepoPath, is_node: bool) -> dict[str, tuple[int, RepoPath]]:
    """Each top-level name that a file of the closure imports: how source serves it, and by which entry."""
    closure = tree.closure(path, is_node)
    names: dict[str, None] = {}
    for file in () if closure is None else closure.files:
        imported = (each for each in tree.module(file).imports if not each.level)
        names.update(dict.fromkeys(each.module.partition(".")[0] for each in imported))
    folders = [folder for folder in import_paths(tree, path.parent) if _leads_to_source(tree, folder)]
    return {name: max(_serving(tree, folders, name.encode("utf-8", "surrogatepass"))) for name in names}


def _leads_to_source(tree: Governed, folder: RepoPath) -> bool:
    return any(folder in (source, source.parent) for source in tree.places.source)


def _serving(tree: Governed, folders: list[RepoPath], name: bytes) -> Iterator[tuple[int, RepoPath]]:
    yield NONE, RepoPath(name)
    for folder in folders:
        for other, entry in tree.children(folder).items():
            path = folder.joined(other)
            if other.partition(b".")[0] != name or not tree.places.in_source(path):
                continue
            if other == name and entry.is_folder:
                inside = tree.children(path)
                whole = any(each.startswith(b"__init__.") for each in inside)
                yield (WHOLE if whole else PART), path
            elif other in (name, name + b".py") or other.endswith(_COMPILED):
                yield WHOLE, path


def distributions(tree: Governed, test: RepoPath) -> dict[RepoPath, object]:
    """What says that a distribution is installed in a folder that pytest may search: its entry points are plugins."""
    folders = dict.fromkeys((*import_paths(tree, test.parent), *test.ancestors()))
    return {
        folder.joined(name): entry
        for folder in folders
        for name, entry in tree.children(folder).items()
        if name.lower().endswith(_DISTRIBUTIONS)
    }

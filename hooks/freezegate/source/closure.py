"""The closure of a Python file: it and every file of the tree that it can import, source folders left out.

Found from import statements alone. It errs on the side of more: a file that Python would not take after all
costs a second look at a change, one that was missed would let the change through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakKeyDictionary

from freezegate.git.entry import Entry
from freezegate.source.candidates import INIT, NOTHING, Candidates, Files, Hit, Memo
from freezegate.source.model import DISGUISED, UNDECIDABLE, Import, SourceProblem
from freezegate.text import quoted

__all__ = ["Closure", "Entry", "Files", "closure", "through_source"]


class Closure(NamedTuple):
    """What one file can import.

    `files`: path to entry, the file itself first. `problems`: path and problem, sorted. `shadows`: sorted
    paths of files that would run instead of one of `files`, or instead of a name that none of them serves.
    `links`: sorted paths of symbolic links in the place of a candidate, of a folder on the way to it, or on
    the way to the file itself. That the file itself does not parse is no problem here (its
    `Module.parse_error` says so): it has an owner of its own.
    """

    files: Mapping[bytes, Entry] = MappingProxyType({})
    problems: tuple[tuple[bytes, SourceProblem], ...] = ()
    shadows: tuple[bytes, ...] = ()
    links: tuple[bytes, ...] = ()


class _Edges(NamedTuple):
    """What one file leads to in one step. Hits are shared between files: many star imports cost little."""

    hits: tuple[Hit, ...]
    problems: tuple[SourceProblem, ...]
    renamed: tuple[SourceProblem, ...]
    shadows: tuple[bytes, ...]


class _Known:
    """What has been found in one tree under one set of roots and source folders."""

    def __init__(self, roots: Sequence[bytes], source: Sequence[bytes]) -> None:
        self.memo = Memo(roots, source)
        self.edges: dict[tuple[bytes, bytes], _Edges] = {}  # by file, and folder of the file that the walk began at


_TREES: WeakKeyDictionary[Files, dict[tuple[tuple[bytes, ...], tuple[bytes, ...]], _Known]] = WeakKeyDictionary()


def closure(
    start: bytes, files: Files, roots: Sequence[bytes], source: Sequence[bytes], conftest: bool = False
) -> Closure:
    """The closure of the file at `start`; empty where no regular file outside source is there.

    `roots` are the folders that Python searches besides a file's own, the repository root among them.
    `conftest` says that pytest loads the file: then the ``conftest.py`` and ``__init__.py`` files in its
    folder and above belong too, and each of these folders may be searched.
    """
    return _Walk(files, _searched(start, roots, conftest), source).closure(bytes(start), conftest)


def through_source(
    start: bytes, files: Files, roots: Sequence[bytes], source: Sequence[bytes], conftest: bool = False
) -> dict[bytes, Entry | None]:
    """What the file at `start` can reach outside source by way of source files, with what is there: files, and what would
    run or stands in place of one. What else keeps their imports from being told is left aside: it is behaviour.
    """
    roots = _searched(start, roots, conftest)
    walk = _Walk(files, roots, ())
    whole = walk.closure(bytes(start), conftest)
    own = _Walk(files, roots, source)
    direct = own.closure(bytes(start), conftest)
    found = {*whole.files, *whole.links, *whole.shadows} - {*direct.files, *direct.links, *direct.shadows}
    home = _folder(start)
    for path in whole.files:
        if own.candidates.in_source(path):
            for hit in walk.edges(path, home).hits:
                found.update((path for path, _ in hit.files), hit.links, hit.shadows)
    return {path: files.entry(path) for path in found if not own.candidates.in_source(path)}


def _searched(start: bytes, roots: Sequence[bytes], conftest: bool) -> Sequence[bytes]:
    """The folders that are searched: pytest puts those of a test, of its package and of each ``conftest.py`` first."""
    if not conftest:
        return roots
    above = [_folder(start)]
    while above[-1]:
        above.append(_folder(above[-1]))
    return tuple(dict.fromkeys((*roots, *above)))


def forget(files: Files) -> None:
    """Let go of what was found out about a tree; whoever still asks has it found out again."""
    _TREES.pop(files, None)


class _Walk:
    def __init__(self, files: Files, roots: Sequence[bytes], source: Sequence[bytes]) -> None:
        trees = _TREES.setdefault(files, {})
        key = (tuple(roots), tuple(source))
        known = trees.get(key)
        if known is None:
            known = trees[key] = _Known(*key)
        self.files = files
        self.known = known
        self.candidates = Candidates(files, known.memo)

    def closure(self, start: bytes, conftest: bool) -> Closure:
        entry = self.files.entry(start)
        if entry is None or not entry.is_file or self.candidates.in_source(start):
            return Closure(links=self.links_on_the_way(start))
        home = _folder(start)
        found = {start: entry}
        links: set[bytes] = set()
        if conftest:
            self.above(home, found, links)
        problems: list[tuple[bytes, SourceProblem]] = []
        shadows: set[bytes] = set()
        followed: set[int] = set()
        level = list(found)
        while level:
            self.prefetch(level, home)
            below: list[bytes] = []
            for path in level:
                edges = self.edges(path, home)
                if edges.problems:
                    problems += [(path, problem) for problem in edges.problems]
                if path != start:
                    problems += [(path, problem) for problem in (*self.unread(path), *edges.renamed)]
                shadows.update(edges.shadows)
                for hit in edges.hits:
                    if id(hit) in followed:
                        continue
                    followed.add(id(hit))
                    shadows.update(hit.shadows)
                    links.update(hit.links)
                    for other, its_entry in hit.files:
                        if other not in found:
                            found[other] = its_entry
                            below.append(other)
            level = below
        problems.sort(key=lambda item: (item[0], item[1].line, item[1].column, item[1].message))
        return Closure(found, tuple(problems), tuple(sorted(shadows)), tuple(sorted(links)))

    def prefetch(self, level: list[bytes], home: bytes) -> None:
        wanted = [path for path in level if (path, home) not in self.known.edges]
        if wanted:
            self.files.prefetch(wanted)

    def above(self, folder: bytes, found: dict[bytes, Entry], links: set[bytes]) -> None:
        """Add what pytest loads from a test's folder and those above it."""
        while True:
            names = self.files.children(folder)
            for name in (b"conftest.py", INIT + b".py"):
                path = folder + b"/" + name if folder else name
                entry = names.get(name)
                if entry is not None and not self.candidates.in_source(path):
                    if entry.is_file:
                        found.setdefault(path, entry)
                    elif entry.is_link:
                        links.add(path)
            if not folder:
                return
            folder = _folder(folder)

    def links_on_the_way(self, path: bytes) -> tuple[bytes, ...]:
        parts = path.split(b"/")
        for count in range(1, len(parts) + 1):
            step = b"/".join(parts[:count])
            entry = self.files.entry(step)
            if entry is not None and entry.is_link:
                return (step,)
        return ()

    def unread(self, path: bytes) -> list[SourceProblem]:
        """That an imported file does not parse, unless it is disguised, which is said already."""
        module = self.files.module(path)
        if module.parse_error is None or any(problem.rule == DISGUISED for problem in module.problems):
            return []
        line, column, message = module.parse_error
        return [SourceProblem(UNDECIDABLE, line, column, message)]

    def edges(self, path: bytes, home: bytes) -> _Edges:
        key = (path, home)
        known = self.known.edges.get(key)
        if known is None:
            known = self.known.edges[key] = self.step(path, home)
        return known

    def step(self, path: bytes, home: bytes) -> _Edges:
        module = self.files.module(path)
        own = _folder(path)
        hits: dict[int, Hit] = {}
        problems = dict.fromkeys(module.problems)
        # The running child searches the folder of the file that it was started for, not that of each helper.
        roots = tuple(dict.fromkeys((own, home, *self.known.memo.roots, b"")))
        for imported in module.imports:
            places = _places(imported, own, roots)
            if not places:
                problems[_at(imported, "the relative import leaves the repository")] = None
            for root, name in places:
                hit = self.candidates.at(root, name, imported.names)
                if hit is NOTHING:
                    continue
                hits[id(hit)] = hit
                for submodule in hit.submodules:
                    where = quoted(submodule.decode("utf-8", "surrogateescape"))
                    problems[_at(imported, f"the import leads into the submodule {where}")] = None
        own_shadows = tuple(self.candidates.shadows(path))
        return _Edges(tuple(hits.values()), tuple(problems), module.renamed, own_shadows)


def _places(imported: Import, own: bytes, roots: tuple[bytes, ...]) -> list[tuple[bytes, bytes]]:
    """The folders to search for an import, each with the dotted name to look for; none: outside the tree."""
    name = imported.module.encode("utf-8", "surrogatepass")
    if imported.level == 0:
        return [(root, name) for root in roots]
    package = own
    for _ in range(imported.level - 1):
        if not package:
            return []
        package = _folder(package)
    # The package may have parts in other folders (PEP 420), and importing it runs the packages above it.
    return [(package, name)] + [
        (root, b".".join([dotted, name]) if name else dotted)
        for below in roots
        if package != below and (not below or package.startswith(below + b"/"))
        for dotted in [package[len(below) :].lstrip(b"/").replace(b"/", b".")]
        for root in roots
    ]


def _at(imported: Import, message: str) -> SourceProblem:
    return SourceProblem(UNDECIDABLE, imported.line, imported.column, message)


def _folder(path: bytes) -> bytes:
    return path.rpartition(b"/")[0]

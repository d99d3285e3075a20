"""Which files of a tree an imported name could be, at one folder that Python searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from freezegate.git.entry import Entry
from freezegate.source.model import Module

_COMPILED = (b".pyc", b".so", b".pyd")
_CACHE = b"__pycache__"
INIT = b"__init__"


class Files(Protocol):
    """One tree, which does not change, as the closure needs to see it.

    An object of this kind is compared by identity: what was found in its folders is kept as long as it lives.
    """

    def entry(self, path: bytes) -> Entry | None:
        """What is at `path`; None where it is absent or something above it is no folder."""

    def children(self, folder: bytes) -> Mapping[bytes, Entry]:
        """Name to entry of a folder (empty bytes: the root); empty where there is none."""

    def module(self, path: bytes) -> Module:
        """The regular file at `path`, read as Python; the caller keeps it."""

    def prefetch(self, paths: Iterable[bytes]) -> None:
        """A hint that these files will be asked for next."""


class Hit(NamedTuple):
    """What one name may be: files, links and submodules in its place, and what would run instead."""

    files: tuple[tuple[bytes, Entry], ...] = ()
    links: tuple[bytes, ...] = ()
    submodules: tuple[bytes, ...] = ()
    shadows: tuple[bytes, ...] = ()


NOTHING = Hit()


class _Folder(NamedTuple):
    """An index of one folder: compiled files by the module name that they would serve."""

    names: Mapping[bytes, Entry]
    compiled: dict[bytes, tuple[bytes, ...]]


class Memo:
    """What is known of one tree under one set of roots and source folders; it keeps no tree alive."""

    def __init__(self, roots: Sequence[bytes], source: Sequence[bytes]) -> None:
        self.roots = tuple(dict.fromkeys(roots))
        self.source = tuple(source)
        self.folders: dict[bytes, _Folder] = {}
        self.hits: dict[tuple[bytes, bytes, tuple[str, ...]], Hit] = {}


class Candidates:
    """Looks names up in one tree, through a memo."""

    def __init__(self, files: Files, memo: Memo) -> None:
        self.files = files
        self.memo = memo

    def at(self, root: bytes, module: bytes, names: tuple[str, ...]) -> Hit:
        """What ``from module import names`` could load with `root` on the search path.

        Every candidate counts, not only the first that Python would take: which one it takes depends on what
        is installed and in which order the folders are searched. `module` may be empty: then `root` is the
        package.
        """
        key = (root, module, names)
        known = self.memo.hits.get(key)
        if known is None:
            known = self.memo.hits[key] = self._look(root, module, names)
        return known

    def shadows(self, path: bytes) -> list[bytes]:
        """What could run in place of the file at `path`: compiled twins, caches, a package of its name."""
        folder, _, name = path.rpartition(b"/")
        stem = name.removesuffix(b".py")
        index = self.folder(folder)
        found = [_join(folder, twin) for twin in index.compiled.get(stem, ())]
        if _CACHE in index.names:
            found.append(_join(folder, _CACHE))
        package = index.names.get(stem) if name.endswith(b".py") else None
        if package is not None:
            below = _join(folder, stem)
            if package.is_folder:
                inside = self.files.children(below)
                found += [_join(below, other) for other in inside if _is_init(other)]
            elif not package.is_file:
                found.append(below)  # a link or submodule: what it holds is not in this tree
        return [shadow for shadow in found if not self.in_source(shadow)]

    def in_source(self, path: bytes) -> bool:
        """Whether it is or lies in a source folder: behaviour under test is not part of a closure."""
        return any(path == folder or not folder or path.startswith(folder + b"/") for folder in self.memo.source)

    def folder(self, path: bytes) -> _Folder:
        """The index of a folder, built when it is first asked for."""
        known = self.memo.folders.get(path)
        if known is None:
            known = self.memo.folders[path] = _index(self.files.children(path))
        return known

    def _look(self, root: bytes, module: bytes, names: tuple[str, ...]) -> Hit:
        found = _Gathered(self)
        folder: bytes | None = root
        for component in module.split(b".") if module else ():
            if folder is not None:
                folder = found.component(folder, component)
        if folder is not None:
            if not module and root:
                found.module(root, INIT)
            package = folder
            for name in names:
                if name == "*":
                    found.everything(package)
                else:
                    found.component(package, name.encode("utf-8", "surrogatepass"))
        return found.hit()


class _Gathered:
    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.files: dict[bytes, Entry] = {}
        self.links: set[bytes] = set()
        self.submodules: set[bytes] = set()
        self.shadows: set[bytes] = set()

    def hit(self) -> Hit:
        if not (self.files or self.links or self.submodules or self.shadows):
            return NOTHING
        return Hit(tuple(self.files.items()), tuple(self.links), tuple(self.submodules), tuple(self.shadows))

    def module(self, folder: bytes, stem: bytes) -> None:
        """The module file `stem` directly in `folder`, and compiled files that would serve the same name."""
        candidates = self.candidates
        index = candidates.folder(folder)
        name = stem + b".py"
        entry = index.names.get(name)
        if entry is not None and not candidates.in_source(path := _join(folder, name)):
            if entry.is_file:
                self.files[path] = entry
            elif entry.is_link:
                self.links.add(path)
        for twin in index.compiled.get(stem, ()):
            if not candidates.in_source(path := _join(folder, twin)):
                self.shadows.add(path)

    def component(self, folder: bytes, component: bytes) -> bytes | None:
        """One part of a dotted name, as module and as package; the package's folder if there is one."""
        self.module(folder, component)
        entry = self.candidates.folder(folder).names.get(component)
        if entry is None:
            return None
        below = _join(folder, component)
        if self.candidates.in_source(below):
            return None
        if entry.is_folder:
            self.module(below, INIT)
            return below
        if entry.is_link:
            self.links.add(below)
        elif entry.is_submodule:
            self.submodules.add(below)
        return None

    def everything(self, folder: bytes) -> None:
        """All modules directly in a package: its ``__all__`` may name any of them."""
        for name, entry in self.candidates.folder(folder).names.items():
            if name.endswith(b".py"):
                self.module(folder, name.removesuffix(b".py"))
            elif not entry.is_file and b"." not in name:
                self.component(folder, name)
        for stem in self.candidates.folder(folder).compiled:
            self.module(folder, stem)


def _is_init(name: bytes) -> bool:
    return name.startswith(INIT + b".") and name.endswith((b".py", *_COMPILED))


def _index(names: Mapping[bytes, Entry]) -> _Folder:
    compiled: dict[bytes, list[bytes]] = {}
    # One search over all names at once: most folders hold nothing compiled, and some hold tens of thousands of files.
    together = b"/".join(names)
    suspects = names if any(suffix in together for suffix in _COMPILED) else ()
    for name in suspects:
        if name.endswith(_COMPILED):
            # stem.so, stem.abi3.so and stem.cpython-311-x86_64-linux-gnu.so all serve the module stem.
            for stem in {name.partition(b".")[0], name.rpartition(b".")[0]}:
                compiled.setdefault(stem, []).append(name)
    return _Folder(names, {stem: tuple(twins) for stem, twins in compiled.items()})


def _join(folder: bytes, name: bytes) -> bytes:
    return folder + b"/" + name if folder else name

"""A tree as the rules see it: entries by path, folders read when they are looked at, blobs by object id."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import ge, gt
from typing import Any, NamedTuple, Protocol

from freezegate.git.entry import EXECUTABLE, FILE, FOLDER, LINK, SUBMODULE, Entry
from freezegate.git.plumbing import GitError
from freezegate.git.raw_tree import forbidden
from freezegate.paths import RepoPath

# One row of a raw tree object: mode, space, name, zero byte, id. Two passes, rows and then names, cost half of what one
# pass with groups costs: a folder may hold tens of thousands of entries, of which few are ever looked at.
_ROW = {width: re.compile(rb"(?s)[^\0]+\0.{%d}" % width) for width in (20, 32)}
_NAME = {width: re.compile(rb"(?s)[^ ]+ ([^\0]*)\0.{%d}" % width) for width in (20, 32)}
_MODES = {b"40000": FOLDER, b"100644": FILE, b"100755": EXECUTABLE, b"120000": LINK, b"160000": SUBMODULE}
_FOLDER = b"40000 "


class Names(Mapping[bytes, Entry]):
    """The entries of one folder, made from the rows of its tree object when they are looked at.

    `noted` is for a reader of many trees that hold this folder: what it found out about the names.
    """

    __slots__ = ("_rows", "noted")

    def __init__(self, rows: dict[bytes, bytes]) -> None:
        self._rows = rows
        self.noted: dict[object, Any] = {}

    def __getitem__(self, name: bytes) -> Entry:
        mode, _, rest = self._rows[name].partition(b" ")
        return Entry(_MODES.get(mode, 0), rest[len(name) + 1 :].hex())

    def get(self, name: bytes, default: Any = None) -> Any:
        """The entry of that name, or `default`."""
        return self[name] if name in self._rows else default

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def folders(self) -> list[bytes]:
        """The names that are folders."""
        return [name for name, row in self._rows.items() if row.startswith(_FOLDER)]

    def leaves(self, suffix: bytes) -> Iterator[tuple[bytes, Entry]]:
        """Names with this ending that are no folders, with their entries."""
        for name, row in self._rows.items():
            if name.endswith(suffix) and not row.startswith(_FOLDER):
                yield name, self[name]

    def laid_over(self, staged: Mapping[bytes, Entry | None]) -> Names:
        """These names with the staged entries in place of their own; None takes a name out."""
        rows = dict(self._rows)
        for name, entry in staged.items():
            if entry is None:
                rows.pop(name, None)
            else:
                rows[name] = b"%o %b\0%b" % (entry.mode, name, bytes.fromhex(entry.oid))
        return Names(rows)


# A staged file above this size counts as found by every search: a search may only narrow, never miss.
SEARCHED = 1 << 20


class Where(NamedTuple):
    """The files that a search reads: below `folder` (empty: the root), name ends with `suffix`, not in `excluded`."""

    folder: RepoPath
    suffix: bytes
    excluded: tuple[RepoPath, ...] = ()

    def holds(self, path: RepoPath) -> bool:
        """Whether the search reads the file at `path`."""
        return (
            path.below(self.folder)
            and path.endswith(self.suffix)
            and not any(path.within(folder) for folder in self.excluded)
        )


class Store(Protocol):
    """Where snapshots get bytes from: git, or memory in the tests."""

    def trees(self, ids: Sequence[str]) -> Iterator[bytes]:
        """Raw tree objects, in the order of `ids`."""

    def blob(self, oid: str, limit: int) -> bytes | None:
        """The blob's bytes, or None where it is larger than `limit`."""

    def prefetch(self, ids: Iterable[str]) -> None:
        """These blobs will be asked for soon: one batch reads them all."""

    def stream(self, ids: Sequence[str]) -> Iterator[tuple[str, int, Iterable[bytes]]]:
        """Blobs of any size in order: id, size in bytes, chunks to be read to the end."""

    def runs(self, ids: Iterable[str]) -> Iterator[list[bytes] | tuple[int, Iterator[bytes]]]:
        """Blobs in order, many at a time, while `ids` are still being found: whole, or size and chunks of a large one."""

    def reopen(self) -> None:
        """In a forked child: share nothing with the parent that only one of the two may read from."""

    def search(self, root: str, expression: bytes, where: Where) -> set[bytes]:
        """Paths of the files of tree `root` with a line that matches the POSIX extended expression, byte by byte."""


# Names of parsed trees that are kept for being asked for again; the oldest trees go first.
_KEPT = 400_000


class Trees:
    """Parsed tree objects of one store, each read once however many snapshots hold it.

    `watchful`: what is malformed is noted when a tree is read, for a caller that will ask it of every tree. `read`
    counts the names that were read so far.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.watchful = False
        self._names: dict[str, Names] = {"": Names({})}
        self._flaws: dict[str, list[str]] = {}
        self._held = 0
        self.read = 0

    def names(self, oid: str) -> Names:
        """The entries of one tree object."""
        if oid not in self._names:
            self.load([oid])
        return self._names[oid]

    def load(self, ids: Iterable[str]) -> None:
        """Read the trees that are not known yet, in one batch."""
        wanted = [oid for oid in dict.fromkeys(ids) if oid not in self._names]
        for oid, data in zip(wanted, self.store.trees(wanted), strict=True):
            names, rows = _split(data, oid)
            known = self._names[oid] = Names(dict(zip(names, rows, strict=True)))
            self._held += len(known)
            self.read += len(known)
            if self.watchful and oid not in self._flaws:
                self._flaws[oid] = _flaws(names, rows)

    def forget(self) -> None:
        """Let go of the oldest trees, where very many are held."""
        while self._held > _KEPT and len(self._names) > 1:
            oldest = next(oid for oid in self._names if oid)
            self._held -= len(self._names.pop(oldest))

    def flaws(self, oid: str) -> list[str]:
        """What git would have refused to write in this tree object."""
        if oid in self._flaws:
            return self._flaws[oid]
        (data,) = self.store.trees([oid])
        return flaws(data, oid)


def _split(data: bytes, oid: str) -> tuple[list[bytes], list[bytes]]:
    """The names of the raw tree object with the id `oid`, and its rows. Raises GitError where it is none."""
    width = len(oid) // 2
    names, rows = _NAME[width].findall(data), _ROW[width].findall(data)
    if len(names) != len(rows) or sum(map(len, rows)) != len(data):
        raise GitError(f"the object {oid} is no tree that git could read", "git fsck")
    return names, rows


def flaws(data: bytes, oid: str) -> list[str]:
    """What is malformed about the raw tree object with the id `oid`."""
    return _flaws(*_split(data, oid))


def _flaws(names: list[bytes], rows: list[bytes]) -> list[str]:
    if _are_sound(names, rows):
        return []
    modes = [row.partition(b" ")[0] for row in rows]
    counts = Counter(names)
    found = [f'"{RepoPath(name)}" twice' for name, count in counts.items() if count > 1]
    keys = _keys(names, rows)
    if any(map(gt, keys, keys[1:])):
        found.append("unsorted names")
    found += [f'the name "{RepoPath(name)}"' for name in counts if forbidden(name)]
    odd = ((mode, name) for mode, name in zip(modes, names, strict=True) if mode not in _MODES)
    return found + [f'mode {mode.decode("ascii", "replace")} of "{RepoPath(name)}"' for mode, name in odd]


def _keys(names: list[bytes], rows: list[bytes]) -> list[bytes]:
    """What git sorts the names by."""
    return [name + b"/" if row.startswith(_FOLDER) else name for name, row in zip(names, rows, strict=True)]


def _are_sound(names: list[bytes], rows: list[bytes]) -> bool:
    """Whether nothing is malformed, said of all names at once: a push brings many large folders, hardly a bad one."""
    keys = _keys(names, rows)
    together = b"\0".join((b"", *names, b"")).lower()
    # A row begins with its mode and a space; a folder's is one digit shorter.
    heads = (
        head.startswith(_FOLDER) or (head[:6] in _MODES and head[6:] == b" ") for head in {row[:7] for row in rows}
    )
    return (
        not any(map(ge, keys, keys[1:]))
        and len(set(names)) == len(names)
        and all(heads)
        and not any(word in together for word in (b"\0\0", b"\0.\0", b"\0..\0", b"\0.git\0", b"/"))
    )


class Snapshot:
    """One tree: a written tree object, and optionally staged entries laid over it.

    Folders are read when they are looked at, so that a check of a small change in a large repository reads little.
    """

    def __init__(self, trees: Trees, root: str, staged: Mapping[RepoPath, Entry | None] | None = None) -> None:
        self._trees = trees
        self.store = trees.store
        self.root = root
        self.staged = dict(staged or {})
        self._laid: dict[bytes, dict[bytes, Entry | None]] = {}  # folder: staged entries directly in it
        self._laid_below: dict[bytes, set[RepoPath]] = {}  # folder: folders directly in it that hold staged entries
        for path, entry in self.staged.items():
            self._laid.setdefault(path.parent, {})[path.name] = entry
            for folder in (RepoPath(b""), *path.ancestors()):
                self._laid.setdefault(folder, {})
                if folder:
                    self._laid_below.setdefault(folder.parent, set()).add(folder)
        self._folders: dict[bytes, Names] = {}
        self._entries: dict[bytes, Entry | None] = {}
        self._is_base = False
        self._grown: tuple[Snapshot, dict[RepoPath, None]] | None = None

    def children(self, folder: bytes) -> Names:
        """Name to entry of one folder (empty bytes: the root); empty where there is no such folder."""
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = self._read(RepoPath(folder))
        return known

    def _read(self, folder: RepoPath) -> Names:
        if not folder:
            base = self.root
        else:
            entry = self.children(folder.parent).get(folder.name)
            if entry is None or not entry.is_folder:
                return self._trees.names("")
            base = entry.oid
        if folder not in self._laid:
            return self._trees.names(base)
        staged: dict[bytes, Entry | None] = {}
        for below in self._laid_below.get(folder, ()):
            staged[below.name] = Entry(FOLDER, "") if self._holds_any(below) else None
        # A file may stand where a folder's staged deletions were.
        staged.update({name: entry for name, entry in self._laid[folder].items() if entry or name not in staged})
        return self._trees.names(self._written(folder)).laid_over(staged)

    def _holds_any(self, folder: RepoPath) -> bool:
        names = set(self._trees.names(self._written(folder)))
        for name, entry in self._laid[folder].items():
            if entry is not None:
                return True
            names.discard(name)
        below = self._laid_below.get(folder, set())
        for path in below:
            names.discard(path.name)
        return bool(names) or any(self._holds_any(path) for path in below)

    def _written(self, folder: RepoPath) -> str:
        """The id of the folder in the tree object that lies below the staged entries; "" where it has none."""
        oid = self.root
        for name in folder.split(b"/") if folder else ():
            entry = self._trees.names(oid).get(name)
            if entry is None or not entry.is_folder:
                return ""
            oid = entry.oid
        return oid

    def entry(self, path: bytes) -> Entry | None:
        """The entry at `path`; None where it or a folder above it is absent, or where one above is no folder."""
        try:
            return self._entries[path]
        except KeyError:
            head, _, name = path.rpartition(b"/")
            found: Entry | None = self.children(head).get(name)
            self._entries[path] = found
            return found

    def forget(self) -> None:
        """Let go of the folders that were read; whoever still asks has them read again."""
        self._folders.clear()
        self._entries.clear()

    def obstruction(self, path: RepoPath) -> tuple[RepoPath, Entry] | None:
        """The first thing on the way to `path`, itself included, that is a link or a submodule."""
        for step in (*path.ancestors(), path):
            entry = self.entry(step)
            if entry is None:
                return None
            if not entry.is_folder:
                return None if entry.is_file else (step, entry)
        return None

    def walk(self, folder: RepoPath, suffix: bytes = b"") -> Iterator[tuple[RepoPath, Entry]]:
        """Everything below `folder` that is no folder and whose name ends with `suffix`; one batch a level is read."""
        for path in self.folders(folder):
            for name, entry in self.children(path).leaves(suffix):
                yield path.joined(name), entry

    def folders(self, folder: RepoPath) -> Iterator[RepoPath]:
        """`folder` and every folder inside it, a level at a time."""
        level = [folder]
        while level:
            self.load(level)
            yield from level
            level = [path.joined(name) for path in level for name in self.children(path).folders()]

    def load(self, folders: Iterable[RepoPath]) -> None:
        """Read these folders' tree objects in one batch (their parents are known)."""
        wanted = []
        for folder in folders:
            if folder not in self._folders and folder not in self._laid:
                entry = self.entry(folder) if folder else Entry(FOLDER, self.root)
                if entry is not None and entry.is_folder:
                    wanted.append(entry.oid)
        self._trees.load(wanted)

    def search(self, expression: bytes, where: Where) -> set[RepoPath]:
        """Paths of files with a line that matches `expression`, which POSIX extended and Python syntax read alike."""
        base, changed = self._grown or (None, dict.fromkeys(self.staged))
        if base is not None:
            found = base.search(expression, where)
        else:
            found = {RepoPath(path) for path in self.store.search(self.root, expression, where)} if self.root else set()
        found.difference_update(changed)
        line = re.compile(expression, re.MULTILINE)
        for path in changed:
            entry = self.entry(path) if where.holds(path) else None
            if entry is not None and entry.is_file:
                data = self.store.blob(entry.oid, SEARCHED)
                if data is None or line.search(data):
                    found.add(path)
        return found

    def grew_from(self, old: Snapshot, delta: Delta) -> None:
        """Searches of this tree may ask `old`, and look at nothing but what `delta` says to differ."""
        # One step deep: trees that grew from each other would ask without end.
        if not self.staged and old is not self and old._grown is None and not self._is_base:
            self._grown = (old, dict.fromkeys(delta))
            old._is_base = True

    def flaws(self, folder: RepoPath) -> Sequence[str]:
        """What is malformed in the tree object of `folder` (staged folders have none: git writes them)."""
        entry = Entry(FOLDER, self.root) if not folder else self.entry(folder)
        return self._trees.flaws(entry.oid) if entry is not None and entry.is_folder else ()


Delta = dict[RepoPath, tuple[Entry | None, Entry | None]]


def difference(old: Snapshot, new: Snapshot, visit: Callable[[RepoPath], None] | None = None) -> Delta:
    """Every path that is no folder and whose entry differs: path to (old entry, new entry).

    Renames are a deletion and an addition. `visit` is told each folder of `new` that was compared.
    """
    if new.staged and not old.staged and old.root == new.root:
        laid = {path: (old.entry(path), entry) for path, entry in new.staged.items()}
        return {path: sides for path, sides in laid.items() if sides[0] != sides[1]}
    delta: Delta = {}
    level = [RepoPath(b"")]
    while level:
        old.load(level)
        new.load(level)
        below: list[RepoPath] = []
        for folder in level:
            if visit is not None:
                visit(folder)
            was, now = old.children(folder), new.children(folder)
            for name in {**was, **now}:
                before, after = was.get(name), now.get(name)
                if before == after and (before is None or before.oid):
                    continue
                path = folder.joined(name)
                if (before is not None and before.is_folder) or (after is not None and after.is_folder):
                    below.append(path)
                sides = (_leaf(before), _leaf(after))
                if sides[0] != sides[1]:
                    delta[path] = sides
        level = below
    return delta


def _leaf(entry: Entry | None) -> Entry | None:
    return None if entry is None or entry.is_folder else entry

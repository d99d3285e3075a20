"""Trees in memory: the rules judge dictionaries of files, with no git process and no file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from freezegate.findings import Report
from freezegate.gate.evaluate import Options, evaluate
from freezegate.git.change import Change
from freezegate.git.entry import EXECUTABLE, FILE, FOLDER, LINK, SUBMODULE, Entry
from freezegate.git.snapshot import Snapshot, Trees, Where, difference
from freezegate.paths import RepoPath

DAY = date(2024, 5, 17)


@dataclass(frozen=True)
class Link:
    """A symbolic link; `target` is its text."""

    target: str


@dataclass(frozen=True)
class Submodule:
    """A commit of another repository."""

    commit: str = "5" * 40


@dataclass(frozen=True)
class Executable:
    """A regular file with the executable bit."""

    content: bytes


Content = bytes | str | Link | Submodule | Executable
Files = Mapping[str, Content] | Mapping[str, bytes] | Mapping[str | bytes, Content]


class MemoryStore:
    """Blobs and trees by their real git ids (SHA-1); `searches` counts what was asked of `search`."""

    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}
        self.searches = 0

    def put(self, kind: str, data: bytes) -> str:
        """The id of a new object."""
        oid = hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)) + data).hexdigest()
        self._objects[oid] = data
        return oid

    def entry(self, content: Content, mode: int | None = None) -> Entry:
        """One file as git would hold it."""
        if isinstance(content, Submodule):
            return Entry(SUBMODULE, content.commit)
        if isinstance(content, Link):
            return Entry(LINK, self.put("blob", content.target.encode()))
        if isinstance(content, Executable):
            return Entry(EXECUTABLE, self.put("blob", content.content))
        data = content.encode() if isinstance(content, str) else content
        return Entry(mode or FILE, self.put("blob", data))

    def tree(self, entries: Mapping[bytes, Entry]) -> str:
        """The id of a new tree object of whole paths."""
        rows: dict[bytes, Entry] = {}
        below: dict[bytes, dict[bytes, Entry]] = {}
        for path, entry in entries.items():
            name, _, rest = path.partition(b"/")
            if rest:
                below.setdefault(name, {})[rest] = entry
            else:
                rows[name] = entry
        assert not rows.keys() & below.keys(), f"both file and folder: {rows.keys() & below.keys()}"
        rows.update({name: Entry(FOLDER, self.tree(inside)) for name, inside in below.items()})
        ordered = sorted(rows.items(), key=lambda row: row[0] + b"/" if row[1].is_folder else row[0])
        data = b"".join(b"%o %s\0" % (entry.mode, name) + bytes.fromhex(entry.oid) for name, entry in ordered)
        return self.put("tree", data)

    def trees(self, ids: Sequence[str]) -> Iterator[bytes]:
        """Raw tree objects."""
        return (self._objects[oid] for oid in ids)

    def blob(self, oid: str, limit: int) -> bytes | None:
        """The blob, or None where it is larger."""
        data = self._objects[oid]
        return data if len(data) <= limit else None

    def prefetch(self, ids: Iterable[str]) -> None:
        """Nothing is far in memory; but the objects must be there."""
        assert all(oid in self._objects for oid in ids)

    def stream(self, ids: Iterable[str]) -> Iterator[tuple[str, int, Iterable[bytes]]]:
        """Blobs in two chunks; as with git, a small one comes whole."""
        for oid in ids:
            data = self._objects[oid]
            yield oid, len(data), (data[:1024], data[1024:])

    def reopen(self) -> None:
        """Nothing is shared that a fork could disturb."""

    def runs(self, ids: Iterable[str]) -> Iterator[list[bytes] | tuple[int, Iterator[bytes]]]:
        """Whole blobs and large ones by turns."""
        for index, oid in enumerate(ids):
            data = self._objects[oid]
            yield [data] if index % 2 else (len(data), iter((data[:5], data[5:])))

    def search(self, root: str, expression: bytes, where: Where) -> set[bytes]:
        """Paths of regular files with a line that matches."""
        self.searches += 1
        line = re.compile(expression)
        return {
            path
            for path, entry in Snapshot(Trees(self), root).walk(RepoPath(b""))
            if entry.is_file
            and where.holds(path)
            and any(line.search(each) for each in self._objects[entry.oid].split(b"\n"))
        }


def entries_of(store: MemoryStore, files: Files, modes: Mapping[str, int] | None = None) -> dict[bytes, Entry]:
    """Whole paths to entries."""
    given = modes or {}
    return {
        path.encode("utf-8", "surrogateescape") if isinstance(path, str) else path: store.entry(
            content, given.get(path) if isinstance(path, str) else None
        )
        for path, content in files.items()
    }


def change(
    old: Files | Sequence[Files] | None,
    new: Files,
    *,
    modes: Mapping[str, int] | None = None,
    known: Collection[str] = (),
    mode: str | None = None,
    day: date = DAY,
    staged: bool = False,
) -> Change:
    """A step between trees in memory: one old side, several (a merge's parents), or none.

    `modes` are those of files of the new side. `staged` lays the new side over the first old one as staged entries,
    as a commit hook sees it; else it is a tree of its own. `mode` defaults to commit, or all without an old side.
    """
    store = MemoryStore()
    trees = Trees(store)
    sides: Sequence[Files] = () if old is None else ([old] if isinstance(old, Mapping) else old)
    before = tuple(Snapshot(trees, store.tree(entries_of(store, files))) for files in sides)
    after = Snapshot(trees, store.tree(entries_of(store, new, modes)))
    if staged and before:
        laid = {path: entry for path, (_, entry) in difference(before[0], after).items()}
        after = Snapshot(trees, before[0].root, laid)
    return Change(
        mode=mode or ("commit" if before else "all"),
        old=before,
        new=after,
        compared="trees in memory",
        known=frozenset(known).intersection,
        day=day,
    )


def evaluate_memory(
    old: Files | Sequence[Files] | None,
    new: Files,
    *,
    modes: Mapping[str, int] | None = None,
    known: Collection[str] = (),
    mode: str | None = None,
    verify_all: bool = False,
    config: bytes | str | None = None,
    day: date = DAY,
    hooks: Sequence[str] = (),
    narrow_from: int = 200,
    staged: bool = False,
) -> Report:
    """The report on a step between trees in memory; `config` is what ``--config`` would give."""
    given = config.encode() if isinstance(config, str) else config
    step = change(old, new, modes=modes, known=known, mode=mode, day=day, staged=staged)
    options = Options(config=given, verify_all=verify_all, hooks=tuple(hooks), narrow_from=narrow_from)
    return evaluate(step, options)


def found(report: Report) -> list[tuple[str, str, int, int]]:
    """The report's findings as rule, path, line, column."""
    return [(each.rule, str(each.path), each.line, each.column) for each in report.findings]


def findings(old: Files | Sequence[Files] | None, new: Files, **options: object) -> list[tuple[str, str, int, int]]:
    """What `evaluate_memory` finds, as rule, path, line, column."""
    return found(evaluate_memory(old, new, **options))  # type: ignore[arg-type]


def rules(old: Files | Sequence[Files] | None, new: Files, **options: object) -> list[str]:
    """The names of the rules that `evaluate_memory` finds broken, sorted, one a finding."""
    return sorted(row[0] for row in findings(old, new, **options))

"""Blobs as documents and modules, each read once however many trees hold it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.digests import Item, is_lfs_pointer
from freezegate.documents import reading
from freezegate.documents.reading import Problem, Reading
from freezegate.git.entry import Entry
from freezegate.git.snapshot import Store
from freezegate.source.module import Module, read_module

if TYPE_CHECKING:
    from freezegate.gate.governed import Governed
    from freezegate.gate.index import Index
    from freezegate.gate.ssh_keygen import Signer

# Documents are at most this large; more is refused unread.
DOCUMENT_LIMIT = 1 << 20
_SOURCE_LIMIT = (128 << 10) + 1
_READERS: dict[str, Callable[[bytes], Reading[Any]]] = {
    "scope": reading.read_scope,
    "counterexample": reading.read_counterexample,
    "record": reading.read_record,
    "citation": reading.read_citation,
    "property": reading.read_property,
    "claimed": reading.read_claimed,
    "ledger": reading.read_ledger,
    "config": reading.read_config,
}


class Content(NamedTuple):
    """What the digest rules ask of a blob."""

    has_zero: bool
    is_pointer: bool
    runs_on: bool  # neither empty nor ended by a line feed


class Archive:
    """The documents, modules and contents of one store, by blob id.

    `index`, where there is one, answers the searches that narrow a change, for every tree that it covers; then one
    config is in force for all of them, and `seen` keeps the latest by the id of their tree. `signers` keeps what was
    said of signatures, by all that they were checked against.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.index: Index | None = None
        self.seen: dict[str, Governed] = {}
        self.noting = True
        self._judged: set[object] = set()
        self._readings: dict[tuple[str, str], Reading[Any]] = {}
        self._modules: dict[str, Module] = {}
        self._contents: dict[str, Content] = {}
        self._hashes: dict[str, str] = {}
        self.signers: dict[object, Signer | str] = {}

    def first(self, key: object) -> bool:
        """Whether no unit with this key was judged while `noting` was true. Without an index each is judged."""
        if self.index is None:
            return True
        is_first = key not in self._judged
        if self.noting:
            self._judged.add(key)
        return is_first

    def reading(self, kind: str, oid: str) -> Reading[Any]:
        """The blob read strictly as a document of `kind`."""
        known = self._readings.get((kind, oid))
        if known is None:
            data = self.store.blob(oid, DOCUMENT_LIMIT)
            if data is None:
                problem = Problem("unreadable", "the file is larger than 1 MiB", 1, 1, "keep documents below 1 MiB")
                known = Reading(None, (problem,))
            else:
                known = _READERS[kind](data)
            self._readings[kind, oid] = known
        return known

    def module(self, oid: str) -> Module:
        """The blob read as Python source."""
        known = self._modules.get(oid)
        if known is None:
            data = self.store.blob(oid, DOCUMENT_LIMIT)
            # Above the limit for sources the bytes do not matter: the reader refuses them by their size.
            known = self._modules[oid] = read_module(bytes(_SOURCE_LIMIT) if data is None else data)
        return known

    def contents(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Content]]:
        """Each regular file's content facts, unknown ones read in one stream."""
        wanted = list(entries)
        unknown = list(dict.fromkeys(entry.oid for entry in wanted if entry.oid not in self._contents))
        for oid, size, chunks in self.store.stream(unknown):
            first, last, has_zero = b"", b"", False
            for chunk in chunks:
                first, last = first or chunk, chunk or last
                has_zero = has_zero or b"\0" in chunk
            runs_on = size > 0 and not last.endswith(b"\n")
            self._contents[oid] = Content(has_zero, size < 1024 and is_lfs_pointer(first), runs_on)
        for entry in wanted:
            yield entry, self._contents[entry.oid]

    def content(self, entry: Entry) -> Content:
        """One regular file's content facts."""
        known = self._contents.get(entry.oid)
        if known is None:
            data = self.store.blob(entry.oid, DOCUMENT_LIMIT)
            if data is None:
                ((_, known),) = self.contents([entry])
            else:
                known = self._contents[entry.oid] = Content(
                    b"\0" in data, is_lfs_pointer(data), bool(data) and not data.endswith(b"\n")
                )
        return known

    def items(self, files: Iterable[tuple[bytes, Entry]]) -> Iterator[Item]:
        """Regular files as digest items, in the given order; each is to be consumed before the next is asked for."""
        for path, entry in files:
            data = self.store.blob(entry.oid, DOCUMENT_LIMIT)
            if data is not None:
                yield Item(path, entry.mode, len(data), (data,))
            else:
                for _, size, chunks in self.store.stream([entry.oid]):
                    yield Item(path, entry.mode, size, chunks)

    def sha256(self, oid: str) -> str:
        """SHA-256 of the blob's bytes, hex."""
        known = self._hashes.get(oid)
        if known is None:
            import hashlib

            hasher = hashlib.sha256()
            data = self.store.blob(oid, DOCUMENT_LIMIT)
            chunks = [data] if data is not None else next(iter(self.store.stream([oid])))[2]
            for chunk in chunks:
                hasher.update(chunk)
            known = self._hashes[oid] = hasher.hexdigest()
        return known

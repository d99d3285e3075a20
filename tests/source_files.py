"""A tree in memory, as the closure sees one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from freezegate.git.entry import Entry
from freezegate.source.module import Module, read_module

FILE, LINK, SUBMODULE, FOLDER = 0o100644, 0o120000, 0o160000, 0o040000
ROOTS = (b"tests/properties", b"tests/fixtures", b"props", b"")


class Tree:
    """Paths to source text, to bytes, or to a mode (a link or submodule)."""

    def __init__(self, contents: Mapping[str, str | bytes | int]) -> None:
        self.contents: dict[bytes, bytes] = {}
        self.folders: dict[bytes, dict[bytes, Entry]] = {b"": {}}
        self.modules: dict[bytes, Module] = {}
        self.batches: list[list[bytes]] = []
        for number, (text, content) in enumerate(contents.items()):
            path = text.encode()
            mode = content if isinstance(content, int) else FILE
            if not isinstance(content, int):
                self.contents[path] = content if isinstance(content, bytes) else content.encode()
            self._put(path, Entry(mode, f"{number:040x}"))

    def _put(self, path: bytes, entry: Entry) -> None:
        folder, _, name = path.rpartition(b"/")
        if folder not in self.folders:
            self.folders[folder] = {}
            self._put(folder, Entry(FOLDER, ""))
        self.folders[folder][name] = entry

    def entry(self, path: bytes) -> Entry | None:
        folder, _, name = path.rpartition(b"/")
        return self.folders.get(folder, {}).get(name)

    def children(self, folder: bytes) -> Mapping[bytes, Entry]:
        return self.folders.get(folder, {})

    def module(self, path: bytes) -> Module:
        if path not in self.modules:
            self.modules[path] = read_module(self.contents[path])
        return self.modules[path]

    def prefetch(self, paths: Iterable[bytes]) -> None:
        self.batches.append(list(paths))

"""Files of the working tree that a command reads, writes or removes, and staging exactly these."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from freezegate.errors import CannotJudge
from freezegate.files import write_whole
from freezegate.git.entry import Entry
from freezegate.git.plumbing import GitError, ask
from freezegate.paths import RepoPath


def current_folder() -> bytes:
    """The path of the current folder below the root of the work tree; empty at the root, and in a bare repository."""
    return ask(["rev-parse", "--show-prefix"]).removesuffix(b"\n").removesuffix(b"/")


class WorkTree:
    """The working tree of the repository; every path is below `top`, and no link on the way leads out of it."""

    def __init__(self, top: str) -> None:
        self.top = top

    def place(self, path: RepoPath) -> str:
        """Where the file at `path` is. Raises CannotJudge where a link, or no folder, stands above it."""
        for folder in path.ancestors():
            mode = _mode(self._at(folder))
            if mode is not None and not stat.S_ISDIR(mode):
                raise CannotJudge(f"{folder} is no folder in the working tree", f"put a real folder at {folder}")
        return self._at(path)

    def _at(self, path: RepoPath) -> str:
        return f"{self.top}/{path.text}"

    def read(self, path: RepoPath) -> bytes | None:
        """The regular file at `path`; None where nothing is. Raises CannotJudge, OSError."""
        place = self.place(path)
        mode = _mode(place)
        if mode is None:
            return None
        if not stat.S_ISREG(mode):
            raise CannotJudge(f"{path} is no regular file in the working tree", f"put the file itself at {path}")
        return Path(place).read_bytes()

    def write(self, path: RepoPath, data: bytes) -> None:
        """Write the file whole, its folders too. Raises CannotJudge, OSError."""
        place = self.place(path)
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, data)

    def remove(self, path: RepoPath) -> None:
        """Remove the file, where it is, and the folders that this leaves empty (never the current one)."""
        place = Path(self.place(path))
        place.unlink(missing_ok=True)
        here = Path.cwd()
        for folder in place.parents:
            if folder in (Path(self.top), here):
                return
            try:
                folder.rmdir()
            except OSError:
                return

    def unstaged(self, staged: Mapping[RepoPath, str]) -> list[RepoPath]:
        """Of these staged files (path to blob id), those that the working tree holds with another content.

        A file that it does not hold is none of them. Compared is what `git add` would stage.
        """
        present = [path for path in staged if _mode(self.place(path)) is not None]
        odd = [path for path in present if not stat.S_ISREG(_mode(self.place(path)) or 0)]
        plain = [path for path in present if path not in odd]
        found = ask(["-C", self.top, "hash-object", "--", *plain]).split() if plain else []
        if len(found) != len(plain):
            raise GitError("git hash-object did not answer for every file", "git fsck")
        differing = [path for path, oid in zip(plain, found, strict=True) if oid.decode("ascii") != staged[path]]
        return sorted([*odd, *differing])

    def stage(self, removed: Mapping[RepoPath, Entry], changed: Mapping[RepoPath, tuple[int, bytes]]) -> None:
        """Put into the index exactly this: `removed` gone, `changed` (path to mode and content) there. Raises GitError."""
        rows = [b"0 %s\t%s\0" % (b"0" * len(entry.oid), path) for path, entry in removed.items()]
        for path, (mode, data) in changed.items():
            oid = ask(["hash-object", "-w", "--no-filters", "--stdin"], data).strip()
            rows.append(b"%o %s\t%s\0" % (mode, oid, path))
        ask(["-C", self.top, "update-index", "-z", "--index-info"], b"".join(rows))


def _mode(place: str) -> int | None:
    try:
        return os.lstat(place).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None

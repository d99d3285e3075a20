"""One name in a git tree: what kind of thing it is, and which object holds it."""

from __future__ import annotations

from typing import NamedTuple

FILE = 0o100644
EXECUTABLE = 0o100755
LINK = 0o120000
SUBMODULE = 0o160000
FOLDER = 0o040000


class Entry(NamedTuple):
    """A mode as git writes it (any other number is a kind that git does not know) and an object id in hex."""

    mode: int
    oid: str

    @property
    def is_file(self) -> bool:
        """A regular file, executable or not."""
        return self.mode in (FILE, EXECUTABLE)

    @property
    def is_link(self) -> bool:
        """A symbolic link."""
        return self.mode == LINK

    @property
    def is_submodule(self) -> bool:
        """A commit of another repository, whose files this one does not hold."""
        return self.mode == SUBMODULE

    @property
    def is_folder(self) -> bool:
        """A folder."""
        return self.mode == FOLDER

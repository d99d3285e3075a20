"""Evidence put into files, each whole or not at all."""

from __future__ import annotations

from freezegate.errors import CannotJudge
from freezegate.files import write_whole
from freezegate.text import escape


def write_evidence(path: str, data: bytes) -> None:
    """Write the file. Raises CannotJudge, which names it, where that fails; then nothing of it is there."""
    if not path:
        raise CannotJudge("the name of the file to write is empty", "name a file")
    try:
        write_whole(path, data)
    except OSError as error:
        why = error.strerror or str(error)
        hint = "is its folder there, may you write into it, and has its disk space left?"
        raise CannotJudge(f"{escape(path)} could not be written: {escape(why)}", hint) from None

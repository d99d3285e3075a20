"""Files that a command line or a run folder names, read and strictly loaded. All raise CannotJudge."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TypeVar

from freezegate.documents.catalog import Claimed
from freezegate.documents.ledger import Ledger
from freezegate.documents.reading import Reading, read_claimed, read_ledger
from freezegate.documents.strict_text import MAX_BYTES
from freezegate.errors import CannotJudge
from freezegate.text import escape

T = TypeVar("T")


def contents(path: Path, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file, or as many as show that it has more than `limit`."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would keep us waiting
            raise CannotJudge(f"{escape(str(path))} is no regular file", "name the file itself")
        with path.open("rb") as file:
            return file.read(limit + 1)
    except OSError as error:
        why = error.strerror or str(error)
    except ValueError as error:  # a zero byte in the name
        why = str(error)
    raise CannotJudge(f"{escape(str(path))}: {escape(why)}", "look at its name: is it there, and may you read it?")


def is_there(path: Path) -> bool:
    """Whether anything has this name, a link into nothing included."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True  # reading it says what is wrong
    return True


def ledger(path: Path) -> Ledger:
    """The ledger; one that is not there is empty."""
    return document(read_ledger(contents(path)), path) if is_there(path) else Ledger()


def claimed(path: Path) -> Claimed:
    """The claimed ids."""
    return document(read_claimed(contents(path)), path)


def document(reading: Reading[T], path: Path) -> T:
    """What was read, if it is a document."""
    if reading.document is None:
        problem = reading.problems[0]
        place = f"{escape(str(path))}, line {problem.line}, column {problem.column}"
        raise CannotJudge(f"{place}: {escape(problem.message)}", problem.hint or "mend the file")
    return reading.document

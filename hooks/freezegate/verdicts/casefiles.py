"""Case files: the rows that an oracle judges, one JSON object each, read strictly whatever the syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from freezegate.documents.checks import shown
from freezegate.documents.loading import Syntax, load_json, load_yaml, locate_all
from freezegate.documents.strict_text import LoadError, decode
from freezegate.paths import RepoPath


class Row(NamedTuple):
    """One case: its file, the 1-based line where it begins, and the object."""

    file: RepoPath
    line: int
    input: dict[str, Any]


class Unreadable(Exception):
    """A file that holds no rows that could be judged: which, at what 1-based line, and why."""

    def __init__(self, file: RepoPath, line: int, why: str) -> None:
        super().__init__(f"{file}, line {line}: {why}")
        self.file = file
        self.line = line
        self.why = why


_Item = tuple[int, object]


def rows(path: RepoPath, data: bytes) -> list[Row]:
    """The rows of a case file in their order; none is legal here. The ending of its name says the syntax.

    ``*.json``: a list of objects, or one object. ``*.jsonl``: an object a line, blank lines apart. ``*.yaml``: a list
    of mappings. ``*.csv``: a header row, then a row a case; its values are strings. Raises Unreadable.
    """
    _, dot, ending = path.name.rpartition(b".")
    read = _SYNTAXES.get(dot + ending)
    if read is None:
        raise Unreadable(path, 1, "is no case file: it ends neither in .json, .jsonl, .yaml nor in .csv")
    found = []
    try:
        for line, value in read(data):
            if type(value) is not dict:
                raise Unreadable(path, line, f"{shown(value)} is no case: a case is an object")
            found.append(Row(path, line, value))
    except LoadError as error:
        raise Unreadable(path, error.line, error.message) from None
    return found


def _json(data: bytes) -> Iterator[_Item]:
    value = load_json(data).value
    if type(value) is list:
        yield from _items("json", data, value)
    else:
        text = data.decode("utf-8")
        yield text.count("\n", 0, len(text) - len(text.lstrip())) + 1, value


def _yaml(data: bytes) -> Iterator[_Item]:
    value = load_yaml(data).value
    if type(value) is not list:
        raise LoadError(f"{shown(value)} is no list of cases")
    yield from _items("yaml", data, value)


def _items(syntax: Syntax, data: bytes, values: list[object]) -> Iterator[_Item]:
    places = locate_all(syntax, data, [(index,) for index in range(len(values))])
    for (line, _), value in zip(places, values, strict=True):
        yield line, value


def _json_lines(data: bytes) -> Iterator[_Item]:
    for number, line in enumerate(decode(data).split("\n"), 1):
        if text := line.rstrip(" \t\r"):
            try:
                yield number, load_json(text.encode("utf-8")).value
            except LoadError as error:
                raise LoadError(error.message, number, error.column) from None


def _csv(data: bytes) -> Iterator[_Item]:
    import csv
    from io import StringIO

    reader = csv.reader(StringIO(decode(data), newline=""), strict=True)
    header: list[str] | None = None
    line = 1
    try:
        for fields in reader:
            if not fields:
                pass  # a blank line
            elif header is None:
                header = fields
                _check_header(header, line)
            elif len(fields) != len(header):
                raise LoadError(f"the row has {len(fields)} values, the header names {len(header)}", line)
            else:
                yield line, dict(zip(header, fields, strict=True))
            line = reader.line_num + 1  # a quoted value may hold line breaks
    except csv.Error as error:
        raise LoadError(f"not CSV: {error}", line) from None
    if header is None:
        raise LoadError("there is no header row")


def _check_header(header: list[str], line: int) -> None:
    for index, name in enumerate(header):
        if not name.strip():
            raise LoadError(f"the header names no column {index + 1}", line)
        if name in header[:index]:
            raise LoadError(f"the header names {shown(name)} twice", line)


_SYNTAXES: dict[bytes, Callable[[bytes], Iterator[_Item]]] = {
    b".json": _json,
    b".jsonl": _json_lines,
    b".yaml": _yaml,
    b".csv": _csv,
}

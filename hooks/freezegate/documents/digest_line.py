"""Writing one value into a scope document and leaving every other byte as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from freezegate.documents.loading import LoadError, load_yaml

KEY = "predicate_digest"


class CannotEdit(Exception):
    """The document is written in a way in which the value cannot be put without touching anything else."""


class _Form(NamedTuple):
    """Where things are in a document's text, in code points.

    `value` spans the present value, quotes included, and `quote` is its quote mark; `root` is where the outermost
    mapping begins and `flow` says that it is written in braces; `last` is the end of its last value, `end` that of
    the document; `column` is where its keys begin.
    """

    value: tuple[int, int] | None
    quote: str
    root: int
    flow: bool
    last: int
    end: int
    column: int


def with_predicate_digest(data: bytes, digest: str) -> bytes:
    """The scope document with this `predicate_digest`, in place of the one it has or on a line of its own at the end.

    Raises CannotEdit where nothing that was tried gives the same document but for that value.
    """
    try:
        before = load_yaml(data).value
        text = data.decode("utf-8")
        form = _form(text)
    except (LoadError, yaml.YAMLError) as error:
        raise CannotEdit(f"it cannot be read: {getattr(error, 'message', 'not YAML')}") from None
    if not isinstance(before, dict) or form is None:
        raise CannotEdit("it is no mapping")
    for edited in _attempts(text, form, digest):
        result = edited.encode("utf-8")
        try:
            after = load_yaml(result)
        except LoadError:
            continue
        if (KEY,) not in after.folded and _is_edit(after.value, before, digest):
            return result
    raise CannotEdit("it is written in a way that cannot be edited in place")


def _is_edit(after: object, before: dict[str, object], digest: str) -> bool:
    """Whether the value is there and all else is as before, types included."""
    return isinstance(after, dict) and after.get(KEY) == digest and repr(_others(after)) == repr(_others(before))


def _others(value: dict[str, object]) -> dict[str, object]:
    return {key: each for key, each in value.items() if key != KEY}


def _attempts(text: str, form: _Form, digest: str) -> Iterator[str]:
    if form.value is not None:
        start, end = form.value
        for quote in dict.fromkeys((form.quote, '"')):
            yield text[:start] + quote + digest + quote + text[end:]
        return
    for quote in ("", '"'):
        value = quote + digest + quote
        if form.flow:
            key = f'"{KEY}"' if text[form.root + 1 :].lstrip().startswith('"') else KEY
            member = f"{key}: {value}" if key == KEY else f'{key}: "{digest}"'
            yield f"{text[: form.last]}{', ' if form.last > form.root + 1 else ''}{member}{text[form.last :]}"
        else:
            yield from _on_a_line(text, form, " " * form.column + f"{KEY}: {value}")


def _on_a_line(text: str, form: _Form, line: str) -> Iterator[str]:
    """At the end; else, where that would change a text block that ends the document, before the first key."""
    ending = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    head, tail = text[: form.end], text[form.end :]
    if head.endswith("\n"):
        yield head + line + ending + tail
    else:
        yield head + ending + line + (ending if tail else "")
    start = form.root - form.column
    yield text[:start] + line + ending + text[start:]


def _form(text: str) -> _Form | None:
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    root: Any = None
    value: tuple[int, int] | None = None
    quote, last, end, depth = "", 0, len(text), 0
    key: str | None = None
    expects_key = True
    while True:
        event: Any = loader.get_event()
        kind = type(event)
        if kind is yaml.StreamEndEvent:
            break
        if kind is yaml.DocumentEndEvent:
            end = event.start_mark.index if event.explicit else len(text)
            continue
        if root is None and kind in (yaml.ScalarEvent, yaml.SequenceStartEvent):
            return None
        if root is None and kind is yaml.MappingStartEvent:
            root, last = event, event.end_mark.index
        elif depth == 1 and kind is yaml.ScalarEvent:
            if expects_key:
                key = event.value
            elif key == KEY:
                value = (event.start_mark.index, event.end_mark.index)
                quote = event.style if event.style in ("'", '"') else ""
            expects_key = not expects_key
        if kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
            depth += 1
        elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
            depth -= 1
            expects_key = True
        if depth and event is not root:
            last = event.end_mark.index
    if root is None:
        return None
    start = root.start_mark
    return _Form(value, quote, start.index, bool(root.flow_style), last, end, start.column)

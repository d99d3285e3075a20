"""What pytest reads from settings files before it runs a test: import paths, plugins and options that stand in no source.

A setting can put another helper in front of the one that the oracle's closure holds, so it is part of the oracle.
"""

from __future__ import annotations

import sys

from freezegate.gate.archive import DOCUMENT_LIMIT
from freezegate.gate.governed import Governed
from freezegate.paths import RepoPath

_OWN = (b"pytest.ini", b".pytest.ini", b"pytest.toml", b".pytest.toml")
_SHARED = (b"tox.ini", b"setup.cfg", b"pyproject.toml")


def settings(tree: Governed, test: RepoPath) -> dict[RepoPath, object]:
    """The settings files that pytest may take for the file at `test`, each with a value that is equal in two trees exactly
    when pytest reads the same from it: in its folder and all above."""
    found: dict[RepoPath, object] = {}
    for folder in (RepoPath(b""), *test.ancestors()):
        names = tree.children(folder)
        for name in (*_OWN, *_SHARED):
            if (entry := names.get(name)) is None:
                continue
            path = folder.joined(name)
            found[path] = entry
            if name in _SHARED and entry.is_file:
                data = tree.archive.store.blob(entry.oid, DOCUMENT_LIMIT)
                part = entry if data is None else _part(name, data)
                if part is None:
                    del found[path]  # as good as absent: it is about other tools
                else:
                    found[path] = part
    return found


def _part(name: bytes, data: bytes) -> object:
    """What the file says about pytest, None for nothing; all of it where that cannot be told apart."""
    return _toml_part(data) if name == b"pyproject.toml" else _ini_part(data)


def _toml_part(data: bytes) -> object:
    if b"pytest" not in data and b"\\" not in data:
        return None
    if sys.version_info >= (3, 11):
        import tomllib

        try:
            tool = tomllib.loads(data.decode("utf-8")).get("tool")
        except (ValueError, RecursionError):
            return data
        found = tool.get("pytest") if isinstance(tool, dict) else None
        return None if found is None else repr(found)
    else:
        return data


def _ini_part(data: bytes) -> object:
    """The sections whose head names pytest: a head stands at the beginning of its line.

    Lines end where iniconfig ends them, at any character that Unicode has for it; and a bracket that is not closed at the end
    of its line, comments aside, is part of a value.
    """
    try:
        text = data.decode("utf-8-sig")
    except ValueError:
        return data
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("["):
            head = line.partition("#")[0].partition(";")[0].rstrip()
            inside = "pytest" in line or (inside and not head.endswith("]"))
        if inside:
            lines.append(line)
    return tuple(lines) or None

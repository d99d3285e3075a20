"""What a tree says of the packages that it needs: a lock where there is one, else requirements, else its dependencies."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any, NamedTuple

from freezegate.running.environments.place import Absent

LOCKS = ("requirements.lock", "pylock.toml", "uv.lock", "poetry.lock")
_PLAIN = ("requirements.lock", "requirements.txt")
_NAMED = re.compile(
    r"(requirements|constraints)[^/]*\.(txt|in|lock)|pylock(\.[^/.]+)?\.toml|(uv|poetry)\.lock|pyproject\.toml"
)
_INCLUDES = re.compile(r"(-r|-c|--requirement|--constraint)(?:[ \t]*=[ \t]*|[ \t]+|(?<=-[rc]))(\S.*)")
_ITSELF = re.compile(
    r"(?:(?:-e|--editable)(?:[ \t]*=[ \t]*|[ \t]+|(?<=-e)))?(?:file:)?\.(?:/)?(?:\[[^\]]*\])?(?:[ \t]*;.*|[ \t]+#.*)?"
)


class Needs(NamedTuple):
    """Where the packages are named (`source`, a file at the root), and as what: lines for pip, or a lock of a tool's."""

    source: str
    lines: tuple[str, ...] = ()


def needs(tree: str) -> list[Needs]:
    """What the tree names, the best first; empty where it needs nothing. Raises Absent where it cannot be read."""
    found: list[Needs] = []
    for name in ("requirements.lock", "uv.lock", "poetry.lock", "pylock.toml", "requirements.txt"):
        if os.path.isfile(os.path.join(tree, name)):
            found.append(Needs(name, _lines(tree, name) if name in _PLAIN else ()))
    dependencies = _dependencies(tree) if not any(each.lines for each in found) else ()
    if dependencies:
        found.append(Needs("pyproject.toml", dependencies))
    return [each for each in found if each.lines or each.source not in _PLAIN]


def digest(tree: str) -> str:
    """Hash of all files at the root, and in a folder `requirements`, that can say what is needed."""
    hasher = hashlib.sha256()
    for folder in ("", "requirements"):
        top = os.path.join(tree, folder)
        names = sorted(os.listdir(top)) if os.path.isdir(top) else []
        for name in names:
            path = os.path.join(top, name)
            if (folder or _NAMED.fullmatch(name)) and os.path.isfile(path):
                with open(path, "rb") as file:
                    data = file.read()
                hasher.update(f"{folder}/{name}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
                hasher.update(data)
    return hasher.hexdigest()


def _lines(tree: str, name: str) -> tuple[str, ...]:
    """The lines of a requirements file, for a copy that lies elsewhere: the files that it includes by their whole path.

    The project itself is left out: it is not installed, since what is judged is the tree.
    """
    found = []
    for line in _text(tree, name).replace("\\\n", " ").splitlines():
        words = line.strip()
        if not words or words.startswith("#") or _ITSELF.fullmatch(words):
            continue
        included = _INCLUDES.fullmatch(words)
        if included is not None and "://" not in included[2]:
            words = f"{included[1]} {os.path.join(tree, included[2])}"
        found.append(words)
    return tuple(found)


def _text(tree: str, name: str) -> str:
    try:
        with open(os.path.join(tree, name), encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Absent(f"{name} cannot be read: {error}", f"mend {name}") from None


def _dependencies(tree: str) -> tuple[str, ...]:
    if not os.path.isfile(os.path.join(tree, "pyproject.toml")):
        return ()
    project = _toml(_text(tree, "pyproject.toml")).get("project")
    listed = project.get("dependencies", []) if isinstance(project, dict) else []
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise Absent("pyproject.toml: project.dependencies is no list of texts", "mend pyproject.toml")
    return tuple(" ".join(each.split()) for each in listed)


def _toml(text: str) -> dict[str, Any]:
    module = None
    for name in ("tomllib", "pip._vendor.tomli"):  # before Python 3.11 only pip has a reader
        try:
            module = __import__(name, fromlist=["loads"])
            break
        except ImportError:
            continue
    if module is None:
        raise Absent("pyproject.toml cannot be read by this Python without pip", "add a requirements.txt")
    try:
        read: dict[str, Any] = module.loads(text)
    except ValueError as error:
        raise Absent(f"pyproject.toml cannot be read: {error}", "mend pyproject.toml") from None
    return read

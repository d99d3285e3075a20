"""The quick way out: a commit of files that no document can depend on is done before any document is read.

Reads only what git says of the staged difference, and which paths outside the layout some scope names as inputs; that
list is kept under the git folder, keyed by the ids of the config and of the properties folder that it was read from.
Anything unusual (a merge, an odd name, a mode that is no regular file's, any flag that asks for more) goes the long
way, which gives the same answer. Imports nothing that costs: no dataclasses, json, re, yaml.
"""

from __future__ import annotations

import os

from freezegate import __version__
from freezegate.git.plumbing import GitError, answer
from freezegate.git.standing import Row, Standing

ACCEPTED = "freezegate: no findings; compared HEAD with the index; checked NO DOCUMENTS AT ALL\n"

_PLACES = (
    b"tests/properties",
    b"tests/fixtures",
    b"tests/bindings",
    b"tests/freezes",
    b"props",
    b"fixtures",
    b"catalog",
    b"freezes/ledger.json",
)
_SOURCES = (b"src",)
_CODE = (b".py", b".pyc", b".pyo", b".pyd", b".so", b".json", b".yml", b".yaml")
_GATE = (b".freezegate.yaml", b".gitattributes", b"jenkinsfile", b".gitmodules")
_REGULAR = (b"100644", b"100755", b"000000")
# Written out: the registry costs more to import than this whole module (a test holds the two equal).
_HOOKS = (
    "scope-schema",
    "predicate-scope",
    "fixture-digest",
    "binding-record",
    "freeze-citation",
    "freeze-ledger",
    "catalog",
    "gate-integrity",
)
_LONG_WAY = ("PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF", "PRE_COMMIT_LOCAL_BRANCH")


def is_plain(flags: list[str]) -> bool:
    """Whether this call may go the quick way: no flag but hooks, no variable that names other trees."""
    if any(name in os.environ for name in _LONG_WAY) or any(name.startswith("GITHEAD_") for name in os.environ):
        return False
    names = flags[1::2]
    return flags[0::2] == ["--hook"] * len(names) and len(flags) % 2 == 0 and all(name in _HOOKS for name in names)


def nothing_governed(standing: Standing) -> bool:
    """Whether the staged commit touches nothing that any rule could judge; False: go the long way."""
    if standing.merging or standing.head is None or not (standing.rows or "GIT_INDEX_FILE" in os.environ):
        return False
    try:
        known = known_places(standing.folder, standing.config, standing.properties)
    except (GitError, OSError, LookupError, ValueError):
        return False  # the long way meets the same trouble, and explains it
    return known is not None and all(is_harmless(row, *known) for row in standing.rows)


def is_harmless(
    row: Row,
    places: tuple[bytes, ...],
    sources: tuple[bytes, ...],
    inputs: frozenset[bytes],
) -> bool:
    """Whether no rule can depend on this change of one path."""
    path = row.path
    name = path.rpartition(b"/")[2].lower()
    if not path.isascii() or row.old_mode not in _REGULAR or row.mode not in _REGULAR:
        return False
    if name in _GATE or name.endswith(b".json"):
        return False
    if any(path.startswith(source + b"/") for source in sources):
        # With its last file gone, there would be no source to watch; and where a source folder becomes a package,
        # imports are searched in the folder above it too.
        becomes_package = row.old_mode == b"000000" and any(path == source + b"/__init__.py" for source in sources)
        return row.mode != b"000000" and not becomes_package
    if name.endswith(_CODE) or b"__pycache__" in path or path in inputs:
        return False
    return not any(_touch(path.lower(), place.lower()) or _is_twin(path, place) for place in (*places, *sources))


def is_harmless_folder(
    path: bytes,
    added: bool,
    places: tuple[bytes, ...],
    sources: tuple[bytes, ...],
    inputs: frozenset[bytes],
) -> bool:
    """Whether no rule can depend on a folder's coming, or going, by itself: a tree object may be empty."""
    name = path.rpartition(b"/")[2].lower()
    if not path.isascii() or name in _GATE or name.endswith(_CODE) or b"__pycache__" in path or path in inputs:
        return False
    if any(path.startswith(source + b"/") for source in sources):
        return added
    inside = path + b"/"
    return not any(_touch(path.lower(), place.lower()) or _is_twin(inside, place) for place in (*places, *sources))


def _is_twin(path: bytes, place: bytes) -> bool:
    """Whether a folder above `path` is one above `place` but for its case."""
    steps = place.split(b"/")
    above = (b"/".join(steps[:count]) for count in range(1, len(steps) + 1))
    return any(path.lower().startswith(step.lower() + b"/") and not path.startswith(step + b"/") for step in above)


def _touch(path: bytes, place: bytes) -> bool:
    """Whether one is the other or lies inside it."""
    return path == place or path.startswith(place + b"/") or place.startswith(path + b"/")


def known_places(
    folder: str, config: str | None, properties: str | None
) -> tuple[tuple[bytes, ...], tuple[bytes, ...], frozenset[bytes]] | None:
    """Places, source folders and named inputs of a tree that holds these ids at the default paths, HEAD's config: kept
    in the git folder `folder` from before, or read now. None: go the long way.
    """
    key = f"freezegate {__version__} {config} {properties}"
    path = f"{folder}/freezegate-sieve"
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        lines = []
    if lines[:1] != [key.encode("ascii")] or lines[-1:] != [b"."]:
        lines = [key.encode("ascii"), *_read(config, properties), b"."]
        if len(lines) == 2:
            return None
        _keep(path, b"\n".join(lines))
    sorted_out: dict[bytes, list[bytes]] = {b"place": [], b"source": [], b"input": []}
    for line in lines[1:-1]:
        kind, _, value = line.partition(b" ")
        sorted_out[kind].append(value)
    return tuple(sorted_out[b"place"]), tuple(sorted_out[b"source"]), frozenset(sorted_out[b"input"])


def _keep(path: str, data: bytes) -> None:
    from freezegate.files import write_whole

    try:
        write_whole(path, data)
    except OSError:
        pass  # a git folder that cannot be written: it is read again next time


def _read(config: str | None, properties: str | None) -> list[bytes]:
    """What HEAD's config and scopes name, as lines; none where the long way must look."""
    places, sources = list(_PLACES), list(_SOURCES)
    if config is not None:
        status, data, _ = answer(["cat-file", "blob", config])
        _, row, _ = answer(["ls-tree", "--full-tree", "HEAD", ".freezegate.yaml"])
        if status != 0 or not row.startswith(b"100"):
            return []  # a link: the long way refuses it
        if not _is_plain_policy(data):
            layout = _layout(data)
            if layout is None:
                return []
            places, sources = layout
            if places[0] != _PLACES[0]:
                return []  # the key holds the id of the default folder only
    scopes = _scopes_with_inputs(properties) if properties is not None else []
    if config is None and (properties is None or scopes is None):
        return []  # nothing is governed yet: the long way says so
    lines = [b"place " + place for place in places] + [b"source " + source for source in sources]
    return lines + [b"input " + named for named in _inputs(scopes or [])]


def _scopes_with_inputs(properties: str) -> list[str] | None:
    """Ids of the scope blobs that hold the word `inputs`; None where there is no scope at all."""
    status, out, _ = answer(["ls-tree", "-r", "-z", "--full-tree", properties])
    if status != 0:
        return None
    ids = {}
    for row in out.split(b"\0"):
        header, _, name = row.partition(b"\t")
        if name.endswith(b".scope.yaml"):
            ids[name] = header.split(b" ")[2].decode("ascii")
    if not ids:
        return None
    # Called below the root, git would look below that folder only; the user's colours would be part of the names.
    options = ["--no-color", "--full-name", "-a", "-l", "-z", "-F", "-e", "inputs"]
    status, out, errors = answer(["-c", "grep.threads=1", "grep", *options, properties, "--", ":(top)"])
    if status not in (0, 1):
        raise GitError(errors)
    names = (row[len(properties) + 1 :] for row in out.split(b"\0") if row)
    return [ids[name] for name in names if name in ids]


def _inputs(scopes: list[str]) -> set[bytes]:
    """The paths that these scopes name as inputs (an unreadable scope names none)."""
    if not scopes:
        return set()
    from freezegate.documents.reading import read_scope

    found: set[bytes] = set()
    for oid in scopes:
        _, data, _ = answer(["cat-file", "blob", oid])
        scope = read_scope(data).document
        if scope is not None:
            found.update(name.encode("utf-8", "surrogateescape") for name in scope.inputs)
    return found


def _is_plain_policy(data: bytes) -> bool:
    """Whether a config is nothing but well-known policy settings of one line each, so that the layout is the default.

    Reads far less than YAML, and says no to all it does not know.
    """
    lines = [line for line in data.split(b"\n") if line and not line.startswith(b"#")]
    if lines[:1] != [b"policy:"] or not data.isascii() or b"\r" in data:
        return False
    known = {
        b"promotion": (b"mixed", b"strict"),
        b"framing": (b"plain", b"sized"),
        b"base_match": (b"exact", b"reproduced"),
        b"require_predicate_digest": (b"true", b"false"),
        b"require_regenerated": (b"true", b"false"),
        b"isolation": (b"any", b"other_host"),
        b"stale": (b"report", b"fail"),
        b"attested_labels": (b"none", b"isolated", b"both"),
    }
    seen = set()
    for line in lines[1:]:
        key, _, value = line.removeprefix(b"  ").partition(b": ")
        if not line.startswith(b"  ") or key in seen or value not in known.get(key, ()):
            return False
        seen.add(key)
    return bool(seen)


def _layout(data: bytes) -> tuple[list[bytes], list[bytes]] | None:
    """Places and source folders of a config that needs reading; None where it is refused."""
    from freezegate.documents.reading import read_config

    config = read_config(data).document
    if config is None:
        return None
    layout = config.layout
    folders = (layout.properties, layout.generators, layout.bindings, layout.freezes)
    # A scope's own lock may stand beside the layout's.
    lock = layout.seed_lock.parent or layout.seed_lock
    others = (layout.oracles, layout.fixtures, layout.catalog, layout.ledger, lock, layout.claimed)
    return [bytes(place) for place in (*folders, *others)], [bytes(source) for source in layout.source]

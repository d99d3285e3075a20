"""Whether a change of a file is a change of the gate: its config, its pre-commit entries, its CI, its attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freezegate.gate.companions import is_ci_file
from freezegate.gate.governed import CONFIG_PATH, Governed
from freezegate.gate.registry import HOOKS
from freezegate.gate.step import Step
from freezegate.paths import RepoPath

if TYPE_CHECKING:
    import yaml

_LIMIT = 1 << 20
_KEYS = ("ci", "default_stages", "default_install_hook_types")
_DEPTH = 40


def is_gate_change(path: RepoPath, step: Step) -> bool:
    """Whether the step's change of `path` changes the gate."""
    if path == CONFIG_PATH:
        return True
    if path == b".pre-commit-config.yaml":
        before, after = _entries(_bytes(step.old, path)), _entries(_bytes(step.new, path))
        return before is None or after is None or before != after
    if is_ci_file(path):
        sides = (_bytes(step.old, path), _bytes(step.new, path))
        return any(data is None or b"freezegate" in data for data in sides)
    if path.name == b".gitattributes":
        folder = path.parent
        return any(place.within(folder) or folder.within(place) for place in step.new.watched_places)
    return False


def _bytes(tree: Governed, path: RepoPath) -> bytes | None:
    """The file's bytes, nothing where it is absent, None where it cannot be read as a file of sane size."""
    entry = tree.entry(path)
    if entry is None:
        return b""
    return tree.library.store.blob(entry.oid, _LIMIT) if entry.is_file else None


def _entries(data: bytes | None) -> object:
    """What a pre-commit configuration says about us; None where it cannot be read, which counts as changed.

    Compared are digests of the composed nodes, each computed once, so that aliases cannot make the comparison explode.
    """
    if data is None:
        return None
    import yaml

    try:
        text = data.decode("utf-8")
        if _depth(text) > _DEPTH:
            return None
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (UnicodeDecodeError, yaml.YAMLError, ValueError, RecursionError, MemoryError):
        return None
    known: dict[int, object] = {}
    ours: list[object] = []
    for key, value in _members(root):
        if key in _KEYS:
            ours.append((key, _fingerprint(value, known)))
        elif key == "repos" and isinstance(value, yaml.SequenceNode):
            ours += [_fingerprint(repo, known) for repo in value.value if _is_ours(repo)]
    return ours


def _depth(text: str) -> int:
    import yaml

    depth = deepest = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            deepest = max(deepest, depth)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if deepest > _DEPTH:
            break
    return deepest


def _members(node: yaml.Node | None) -> list[tuple[str, Any]]:
    import yaml

    if not isinstance(node, yaml.MappingNode):
        return []
    return [(key.value, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)]


def _is_ours(repo: yaml.Node) -> bool:
    """Whether a `repos` entry is freezegate's by its address, or offers one of our hook ids."""
    for key, value in _members(repo):
        if key == "repo" and "freezegate" in str(value.value):
            return True
        if key == "hooks" and isinstance(value.value, list):
            for hook in value.value:
                for name, given in _members(hook):
                    if name in ("id", "entry") and ("freezegate" in str(given.value) or given.value in HOOKS):
                        return True
    return False


def _fingerprint(node: yaml.Node, known: dict[int, object]) -> object:
    """A digest of the node's content, shared nodes computed once (a node that contains itself is cut there)."""
    import hashlib

    if id(node) not in known:
        known[id(node)] = b"itself"
        if isinstance(node.value, list):
            flat = [each for item in node.value for each in (item if isinstance(item, tuple) else (item,))]
            parts = [str(_fingerprint(each, known)) for each in flat]
        else:
            parts = [str(node.value)]
        known[id(node)] = hashlib.sha256("\0".join([str(node.tag), *parts]).encode("utf-8", "replace")).digest()
    return known[id(node)]

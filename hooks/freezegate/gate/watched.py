"""Whether a change of a file is a change of the gate: its config and signers, its pre-commit entries, its CI, its attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freezegate.gate.companions import is_ci_file, is_signers_file
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
    if path == CONFIG_PATH or is_signers_file(path):
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
    return tree.archive.store.blob(entry.oid, _LIMIT) if entry.is_file else None


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
        return _ours(yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except (yaml.YAMLError, ValueError, RecursionError, MemoryError):
        return None


def _ours(root: yaml.Node | None) -> object:
    import yaml

    known: dict[int, object] = {}
    members = _members(root)
    ours = [(key, _fingerprint(members[key], known)) for key in _KEYS if key in members]
    repos = members.get("repos")
    if isinstance(repos, yaml.SequenceNode):
        ours += [("repo", _fingerprint(repo, known)) for repo in repos.value if _is_ours(repo)]
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


def _members(node: yaml.Node | None) -> dict[str, Any]:
    """Key to value; of a key that is there twice the last value counts, as for pre-commit itself.

    Raises ValueError for a merge key: what it brings in is not worth following.
    """
    import yaml

    if not isinstance(node, yaml.MappingNode):
        return {}
    scalars = [(key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)]
    if any(key.tag == "tag:yaml.org,2002:merge" for key, _ in scalars):
        raise ValueError("a merge key")
    return {key.value: value for key, value in scalars}


def _is_ours(repo: yaml.Node) -> bool:
    """Whether a `repos` entry is freezegate's by its address, or offers one of our hook ids."""
    members = _members(repo)
    if "freezegate" in _scalar(members.get("repo")):
        return True
    hooks = members.get("hooks")
    for hook in hooks.value if hooks is not None and isinstance(hooks.value, list) else ():
        said = [_scalar(value) for key, value in _members(hook).items() if key in ("id", "entry")]
        if any("freezegate" in text or text in HOOKS for text in said):
            return True
    return False


def _scalar(node: yaml.Node | None) -> str:
    """The text of a scalar; of anything else none (its words could be an explosion of aliases)."""
    return node.value if node is not None and isinstance(node.value, str) else ""


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
        known[id(node)] = hashlib.sha256(
            "\0".join([type(node).__name__, str(node.tag), *parts]).encode("utf-8", "replace")
        ).digest()
    return known[id(node)]

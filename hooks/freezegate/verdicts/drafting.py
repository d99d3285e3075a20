"""Drafts: what a person could begin a property of changed code with. Nothing here judges, or imports the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from freezegate.documents.scope import RESERVED_LAST_PARTS, SCHEMA_VERSION
from freezegate.gate.governed import Governed
from freezegate.git.snapshot import difference
from freezegate.paths import RepoPath
from freezegate.source.model import PARSE_ERRORS, Function, parse
from freezegate.verdicts.splitting import Trees

_LONGEST = 100  # characters of an id; a number may follow, and 120 are allowed
_PLAIN = re.compile(r"[A-Za-z0-9_./-]+")
_NUMBERS = "{min: 0, max: 100}"
_DOMAINS = {
    "int": _NUMBERS,
    "float": "{min: 0.0, max: 1.0}",
    "bool": "{type: boolean}",
    "str": "{type: string, min_length: 0, max_length: 20}",
}


@dataclass(frozen=True)
class Changed:
    """A public top-level function of a source file that is new or differs."""

    path: RepoPath
    function: Function
    is_new: bool
    parts: tuple[str, ...]

    @property
    def why(self) -> str:
        """What a reader of the draft should know of it."""
        return f"{self.function.name} in {self.path} is {'new' if self.is_new else 'changed'}."


@dataclass(frozen=True)
class Draft:
    """A document to be completed: its file name among the drafts, its text, and the path where it would belong."""

    name: str
    text: str
    place: RepoPath


def changed_functions(trees: Trees) -> list[Changed]:
    """Public functions of head's source that are not as at the merge base, in the order of their files and lines."""
    found = []
    delta = difference(trees.fork.snapshot, trees.head.snapshot)
    for path, (before, after) in sorted(delta.items()):
        if not path.endswith(b".py") or after is None or not after.is_file:
            continue
        folder = next((folder for folder in trees.head.places.source if path.within(folder)), None)
        if folder is None:
            continue
        old = trees.fork.module(path).functions if before is not None and before.is_file else {}
        for name, function in trees.head.module(path).functions.items():
            known = old.get(name)
            if not name.startswith("_") and (known is None or known.body != function.body):
                found.append(Changed(path, function, known is None, _parts(path, folder, name)))
    return found


def drafts(trees: Trees) -> list[Draft]:
    """For each changed function a scope, where the project has scopes; a catalog entry, where it has none or a catalog."""
    head = trees.head
    taken = {*head.properties_by_id, *(view.value.scope_id for view in head.finder.every() if view.value is not None)}
    scoped = head.has_scopes
    found: list[Draft] = []
    for changed in changed_functions(trees):
        scope_id = _free(changed.parts, taken)
        taken.add(scope_id)
        scope = _scope(changed, scope_id, head) if scoped else None
        if scope is not None:
            found.append(scope)
        if scope is None or head.has_claims_or_freezes:
            found.append(_entry(changed, scope_id, scope, head))
    return found


def _parts(path: RepoPath, folder: RepoPath, name: str) -> tuple[str, ...]:
    """Of an id: the dotted name of the function, in the letters that an id has."""
    above = folder.parent if path == folder else folder  # source may name a single file
    dotted = path[len(above) :].removesuffix(b".py").removesuffix(b"/__init__").decode("ascii", "replace")
    parts = [part for part in (*dotted.split("/"), name) if part]
    return tuple(re.sub(r"[^a-z0-9_]", "_", part.lower()) for part in (parts if len(parts) > 1 else ["source", *parts]))


def _free(parts: tuple[str, ...], taken: set[str]) -> str:
    while len(".".join(parts)) > _LONGEST and len(parts) > 2:
        parts = parts[1:]
    *above, last = (part[: _LONGEST // 2] for part in parts)
    number = 1
    while True:
        suffix = str(number) if number > 1 else ("_holds" if last in RESERVED_LAST_PARTS else "")
        scope_id = ".".join((*above, last + suffix))
        if scope_id not in taken:
            return scope_id
        number += 1


def _stem(scope_id: str) -> bytes:
    return scope_id.replace(".", "_").encode("ascii")


def _scope(changed: Changed, scope_id: str, head: Governed) -> Draft:
    places, stem = head.places, _stem(scope_id)
    lines = [
        f"# Draft of a scope: {changed.why}",
        "# Bound the domain by what callers may pass, then write the predicate, the generator and the seed lock.",
        f"scope_id: {scope_id}",
        f"predicate: {_word(_predicate(scope_id, head))}",
        "domain:" if changed.function.positional_required else "domain: {}",
        *(f'  "{name}": {domain}' for name, domain in _domain(changed.function)),
        f"generator: {_word(places.generators.joined(b'gen_' + stem + b'.py').text)}",
        f"seed_lock: {_word(places.generators.joined(stem + b'.lock').text)}",
        f"schema_version: {SCHEMA_VERSION}",
    ]
    return Draft(f"{scope_id}.scope.yaml", _text(lines), places.properties.joined(stem + b".scope.yaml"))


def _entry(changed: Changed, scope_id: str, scope: Draft | None, head: Governed) -> Draft:
    places, stem = head.places, _stem(scope_id)
    name = scope_id.rpartition(".")[2]
    oracle = (
        f"{places.oracles.joined(stem + b'.py').text}:check_{name}" if scope is None else _predicate(scope_id, head)
    )
    lines = [
        f"# Draft of a property: {changed.why}",
        "# Say in the claim what a caller may rely on, then write the oracle that can tell whether it holds.",
        f"id: {scope_id}",
        f"oracle: {_word(oracle)}",
        f'claim: "what {name} promises for every input"',
        "mutates_fixture: false",
        f'cases: "{stem.decode()}/*.json"' if scope is None else f"scope: {_word(scope.place.text)}",
    ]
    return Draft(f"{scope_id}.yaml", _text(lines), places.catalog.joined(stem + b".yaml"))


def _predicate(scope_id: str, head: Governed) -> str:
    path = head.places.properties.joined(_stem(scope_id) + b".py")
    return f"{path.text}:test_{scope_id.rpartition('.')[2]}"


def _domain(function: Function) -> Iterator[tuple[str, str]]:
    """Each required parameter with a domain after its annotation; where that says nothing, numbers and a word on it."""
    annotations = _annotations(function)
    for name in function.positional_required:
        domain = _of_annotation(annotations.get(name))
        yield name, domain if domain is not None else f"{_NUMBERS} # a guess: no annotation says more"


def _annotations(function: Function) -> dict[str, ast.expr | None]:
    try:
        node = parse(function.text.decode("utf-8")).body[0]
    except PARSE_ERRORS:
        return {}
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return {argument.arg: argument.annotation for argument in (*node.args.posonlyargs, *node.args.args)}


def _of_annotation(annotation: ast.expr | None) -> str | None:
    if isinstance(annotation, ast.Name):
        return _DOMAINS.get(annotation.id)
    if (
        isinstance(annotation, ast.Subscript)
        and isinstance(annotation.value, ast.Name)
        and annotation.value.id == "list"
    ):
        items = _of_annotation(annotation.slice)
        return None if items is None else f"{{type: list, items: {items}, min_items: 0, max_items: 5}}"
    return None


def _word(text: str) -> str:
    return text if _PLAIN.fullmatch(text.replace(":", "", 1)) else f'"{text}"'


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"

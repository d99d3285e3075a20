"""What is run for one scope: its predicate and generator in one tree, and how the child imports them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from freezegate.documents.domain import Domain
from freezegate.documents.loading import load_yaml
from freezegate.errors import CannotJudge
from freezegate.gate.alone import readable
from freezegate.gate.governed import Governed
from freezegate.gate.rules.scope_schema import predicate_missing
from freezegate.gate.scopes import ScopeView
from freezegate.paths import RepoPath
from freezegate.running.limits import MEMORY


@dataclass(frozen=True)
class Subject:
    """One scope as it is run.

    `named` are the files that a run rests on (the scope, its predicate's and generator's closures, seed lock, inputs),
    each with its blob id. `loadable` are files outside source that a run may load besides `closure`. `domain_value` is the
    domain as plain Python values, which a generator is given. `top` is the working tree, which nothing may be imported from
    where another folder is run.
    """

    scope_id: str
    scope: RepoPath
    predicate: RepoPath
    function: str
    generator: RepoPath
    lock: RepoPath
    domain: Domain
    domain_value: Mapping[str, Any]
    closure: tuple[RepoPath, ...]
    loadable: tuple[RepoPath, ...]
    paths: tuple[RepoPath, ...]
    source: tuple[RepoPath, ...]
    named: Mapping[RepoPath, str]
    top: str

    @property
    def predicate_name(self) -> str:
        """`path:function`."""
        return f"{self.predicate.text}:{self.function}"

    def job(self, kind: str, root: str, **more: object) -> dict[str, object]:
        """What the child is told; `root` is the tree as it sees it."""
        return {
            "kind": kind,
            "root": root,
            "paths": [path.text for path in self.paths],
            "source_paths": [path.text for path in self.source],
            "predicate": {"path": self.predicate.text, "function": self.function},
            "closure": [path.text for path in self.closure],
            "loadable": [path.text for path in self.loadable],
            "memory": MEMORY,
            "facts": False,
            "elsewhere": [self.top],
            **more,
        }


def subject(view: ScopeView, top: str) -> Subject:
    """The scope as it can be run; `top` is the root of the working tree. Raises CannotJudge where a rule would refuse what it names."""
    tree = view.tree
    if (why := readable(view)) is not None:
        raise CannotJudge(f"{view.path} cannot be read: {why}", f"mend {view.path}")
    for name in view.named:
        if name.path is None:
            raise CannotJudge(f"{view.path}: {name.text} {name.refused}", "freezegate explain scope-path")
    for finding in predicate_missing(view):
        raise CannotJudge(finding.message, finding.hint)
    scope, predicate, generator = view.value, view.predicate, view.generator
    closure = view.predicate_closure
    assert scope is not None and predicate is not None and generator is not None and closure is not None
    found = tree.entry(generator)
    if found is None or not found.is_file:
        raise CannotJudge(f"there is no regular file {generator}, the generator of {view.path}", f"git add {generator}")
    drawn = tree.closure(generator)
    value = load_yaml(view.reading.data).value
    assert isinstance(value, dict)
    return Subject(
        scope_id=scope.scope_id,
        scope=view.path,
        predicate=predicate,
        function=scope.predicate_function,
        generator=generator,
        lock=RepoPath.of(view.named[2].text),
        domain=scope.domain,
        domain_value=value["domain"],
        closure=tuple(map(RepoPath, closure.files)),
        loadable=() if drawn is None else tuple(map(RepoPath, drawn.files)),
        paths=import_paths(tree, predicate.parent),
        source=tree.places.source,
        named=_named(view),
        top=top,
    )


def import_paths(tree: Governed, folder: RepoPath) -> tuple[RepoPath, ...]:
    """Where a child looks for what a file in `folder` imports: the import roots of closures, then those of source."""
    sources = [_import_root(tree, source) for source in tree.places.source]
    return tuple(dict.fromkeys((folder, *tree.places.roots, *sources)))


def _import_root(tree: Governed, folder: RepoPath) -> RepoPath:
    """What has to be on the path for the source in `folder`: itself, or its parent where it is a package."""
    return folder.parent if tree.entry(folder.joined(b"__init__.py")) is not None else folder


def _named(view: ScopeView) -> dict[RepoPath, str]:
    tree = view.tree
    found = {view.path: view.entry.oid}
    for name in view.named:
        if name.path is not None and (entry := tree.entry(name.path)) is not None:
            found[name.path] = entry.oid
    for start in (view.predicate, view.generator):
        closure = tree.closure(start)
        if closure is not None:
            found.update((RepoPath(path), entry.oid) for path, entry in closure.files.items())
    return found

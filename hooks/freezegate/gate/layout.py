"""What is wrong with the places themselves, and the config that names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from freezegate.documents.reading import Problem
from freezegate.gate.commands import unstage
from freezegate.gate.sets import fold
from freezegate.git.entry import Entry
from freezegate.git.snapshot import Names
from freezegate.paths import RepoPath

if TYPE_CHECKING:
    from freezegate.gate.governed import Governed


class Flaw(NamedTuple):
    """Something in the wrong place, or of the wrong kind for its place."""

    path: RepoPath
    entry: Entry | None
    message: str
    hint: str


class FolderUnit(NamedTuple):
    """A folder that a change touched, and what is malformed in its tree object."""

    path: RepoPath
    flaws: Sequence[str]


class ConfigUnit(NamedTuple):
    """The config file of one side, and whether it went away while documents remain.

    `sources` are the source folders that it names, or those of the config in force where it cannot be read.
    """

    tree: Governed
    path: RepoPath
    entry: Entry | None
    problems: tuple[Problem, ...]
    removed: bool
    sources: tuple[RepoPath, ...]

    @property
    def sourceless(self) -> bool:
        """Whether a half is on and no source folder exists."""
        if not (self.tree.binding_on or self.tree.verdict_on):
            return False
        entries = map(self.tree.entry, self.sources)
        return not any(entry is not None and not entry.is_link for entry in entries)

    @property
    def key(self) -> object:
        """Equal in two trees exactly when the rules see the same of the config.

        A half is on for both sides of a step: that one turns it on is told from what each holds.
        """
        turned_on = self.sourceless and (self.tree.has_scopes, self.tree.claimed is not None)
        return (self.entry, self.removed, turned_on)


def place_flaws(tree: Governed) -> Iterator[Flaw]:
    """Layout places of the halves that are on: links, submodules, and twins after folding, on the way to each."""
    steps = {step for place in tree.watched_places for step in (*place.ancestors(), place)}
    for step in sorted(steps):
        entry = tree.entry(step)
        if entry is not None and (entry.is_link or entry.is_submodule):
            yield _kind(step, entry)
        for name in _alike(tree.children(step.parent), fold(step.name)):
            twin = step.parent.joined(name)
            if name != step.name and twin not in steps:
                message = f"{twin} is {step} after Unicode and case folding, but not that path"
                # The name is what is wrong: what it holds may change.
                yield Flaw(twin, None, message, f"git mv -- {twin.shell} {step.shell}")


def _alike(names: Names, folded: bytes) -> list[bytes]:
    """The names that folding makes this one. Looked for once a folder, however many trees of a push hold it."""
    known: list[bytes] | None = names.noted.get(folded)
    if known is None:
        # Folding keeps the length of ASCII names; others (a long s, a Kelvin sign) it can shorten to ASCII.
        size = len(folded)
        could = (name for name in names if (len(name) == size if name.isascii() else len(name) <= 4 * size))
        known = names.noted[folded] = [name for name in could if fold(name) == folded]
    return known


def _kind(path: RepoPath, entry: Entry) -> Flaw:
    what = "a symbolic link" if entry.is_link else "a submodule"
    hint = f"{unstage(path)}; then add the real file or folder"
    return Flaw(path, entry, f"{path} is {what}, where the layout asks for the file or folder itself", hint)


def file_flaws(tree: Governed, paths: Iterable[tuple[RepoPath, Entry]]) -> Iterator[Flaw]:
    """Of these files: documents that are links or submodules, strangers in bindings and freezes, ``*.scope.yml``."""
    places = tree.places
    kinds = {}
    if tree.binding_on:
        kinds = {places.properties: _scope_flaw, places.bindings: _bound_flaw, places.freezes: _bound_flaw}
    if tree.verdict_on:
        kinds[places.catalog] = _catalog_flaw
    for path, entry in paths:
        for folder, judge in kinds.items():
            if path.startswith(folder) and path.below(folder):
                flaw = judge(tree, path, entry)
                if flaw is not None:
                    yield flaw


def _scope_flaw(tree: Governed, path: RepoPath, entry: Entry) -> Flaw | None:
    if path.endswith(b".scope.yaml"):
        return None if entry.is_file else _kind(path, entry)
    if not path.lower().endswith((b".scope.yml", b".scope.yaml")):
        return None
    right = RepoPath(path[: path.rindex(b".")] + b".yaml")
    message = f"{path} looks like a scope, but scopes end in .scope.yaml"
    return Flaw(path, entry, message, f"git mv -- {path.shell} {right.shell}")


def _bound_flaw(tree: Governed, path: RepoPath, entry: Entry) -> Flaw | None:
    if tree.id_in_name(path) is not None:
        return None if entry.is_file else _kind(path, entry)
    if path.name.startswith((b"README", b".git")):
        return None
    message = f"{path} is no document, and nothing else belongs in {path.parent}/"
    return Flaw(path, entry, message, unstage(path))


def _catalog_flaw(tree: Governed, path: RepoPath, entry: Entry) -> Flaw | None:
    return _kind(path, entry) if path.endswith(b".yaml") and not entry.is_file else None

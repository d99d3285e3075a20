"""`init`: write what is missing, touch nothing that exists, say what was done and what comes next."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from freezegate.documents.config import Config
from freezegate.documents.reading import read_config
from freezegate.errors import CannotJudge
from freezegate.files import write_whole
from freezegate.gate.governed import CONFIG_PATH
from freezegate.paths import RepoPath
from freezegate.setup import texts
from freezegate.setup.worktree import Worktree
from freezegate.text import escape, shell_word

PRE_COMMIT_PATH = RepoPath(b".pre-commit-config.yaml")
_KEEP = b".gitkeep"


@dataclass(frozen=True)
class Asked:
    """What `init` was asked for. Neither half named: the binding half."""

    binding: bool = False
    verdict: bool = False
    pre_commit: bool = True
    sized: bool = False
    repo: str | None = None
    rev: str | None = None

    @property
    def with_binding(self) -> bool:
        """Whether the folders of the binding half are wanted."""
        return self.binding or not self.verdict


@dataclass
class _Done:
    written: list[RepoPath] = field(default_factory=list)
    kept: list[RepoPath] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def set_up(asked: Asked, start: Path | None = None) -> str:
    """Set up the repository around `start` (default: the current folder); what was done, as text.

    Raises CannotJudge where there is no working tree or its config cannot be used, and OSError.
    """
    tree = Worktree(start)
    try:
        done = _Done()
        config = _config(tree, asked, done)
        for folder in _folders(config, asked):
            _folder(tree, folder, done)
        if asked.pre_commit:
            _pre_commit(tree, asked, done)
        ignored = tree.ignored([path.text for path in done.written])
        if ignored:
            names = ", ".join(escape(name) for name in sorted(ignored))
            done.notes.append(f"git ignores {names}: until .gitignore says otherwise, the gate does not see it.\n")
        return _told(tree, config, asked, done)
    finally:
        tree.close()


def _config(tree: Worktree, asked: Asked, done: _Done) -> Config:
    kind = tree.kind(CONFIG_PATH)
    if kind not in ("nothing", "file"):
        raise CannotJudge(f"{CONFIG_PATH} is no regular file ({kind})", "put the file itself in its place")
    if kind == "file":
        config = _accepted(tree.at(CONFIG_PATH).read_bytes())
        done.kept.append(CONFIG_PATH)
        if asked.sized and config.policy.framing != "sized":
            done.notes.append(f"{CONFIG_PATH} is there and stays: set framing: sized under policy by hand.\n")
    else:
        default = Config()
        source = _source(tree, default)
        sized = asked.sized or any(tree.has_zero_byte(folder) for folder in _hashed(default, asked))
        data = texts.config_text(sized=sized, source=source).encode()
        config = _accepted(data)
        write_whole(os.fsencode(tree.at(CONFIG_PATH)), data)
        done.written.append(CONFIG_PATH)
    if not any(tree.kind(place) in ("folder", "file") for place in config.layout.source):
        done.notes.append(texts.NO_SOURCE)
    return config


def _source(tree: Worktree, default: Config) -> list[str]:
    """The source folders to name: none where the default ones hold Python or nothing else does. Without any package a
    module that stands alone at the root is named.

    A folder called like the default may hold other things (C, what a build left): it is then source too.
    """
    folders = [folder for folder in default.layout.source if tree.kind(folder) == "folder"]
    if any(tree.has_python(folder) for folder in folders):
        return []
    found = tree.packages()
    if not found and len(modules := tree.modules()) == 1:
        found = modules
    return [*map(str, folders), *found] if found else []


def _accepted(data: bytes) -> Config:
    reading = read_config(data)
    if reading.document is None:
        problem = reading.problems[0]
        where = f"{CONFIG_PATH}, line {problem.line}, column {problem.column}"
        raise CannotJudge(f"{where}: {problem.message}", problem.hint or "mend the config, then run it again")
    return reading.document


def _hashed(config: Config, asked: Asked) -> Iterator[RepoPath]:
    """Folders whose files a digest may cover."""
    if asked.with_binding:
        yield config.layout.generators
    if asked.verdict:
        yield config.layout.fixtures


def _folders(config: Config, asked: Asked) -> Iterator[RepoPath]:
    """Folders to make. Not that of the fixtures: a file put there to keep it would be part of its digest."""
    layout = config.layout
    if asked.with_binding:
        yield from (layout.properties, layout.generators, layout.bindings, layout.freezes)
    if asked.verdict:
        yield from (layout.oracles, layout.catalog)


def _folder(tree: Worktree, folder: RepoPath, done: _Done) -> None:
    kind = tree.kind(folder)
    if kind not in ("nothing", "folder"):
        done.notes.append(f"{folder} is, or lies behind, a {kind}: the gate asks for a real folder there.\n")
        return
    place = tree.at(folder)
    if kind == "folder" and any(place.iterdir()):
        done.kept.append(folder)
        return
    place.mkdir(parents=True, exist_ok=True)
    keep = folder.joined(_KEEP)
    write_whole(os.fsencode(tree.at(keep)), b"")
    done.written.append(keep)


def _pre_commit(tree: Worktree, asked: Asked, done: _Done) -> None:
    kind = tree.kind(PRE_COMMIT_PATH)
    repo, rev = asked.repo or texts.REPOSITORY, asked.rev or texts.TAG
    if kind == "nothing":
        write_whole(os.fsencode(tree.at(PRE_COMMIT_PATH)), texts.pre_commit(repo, rev).encode())
        done.written.append(PRE_COMMIT_PATH)
        done.notes.append(texts.trusted(str(PRE_COMMIT_PATH), repo, rev))
        return
    done.kept.append(PRE_COMMIT_PATH)
    data = tree.at(PRE_COMMIT_PATH).read_bytes() if tree.at(PRE_COMMIT_PATH).is_file() else b""
    if b"freezegate" not in data:
        done.notes.append(f"{PRE_COMMIT_PATH} is there and stays. Add under repos:\n\n{texts.entry(repo, rev)}")
        done.notes.append(texts.trusted(str(PRE_COMMIT_PATH), repo, rev))
    elif any(text is not None and text.encode() not in data for text in (asked.repo, asked.rev)):
        done.notes.append(f"{PRE_COMMIT_PATH} is there and stays: set repo and rev by hand.\n")
    if b"pre-merge-commit" not in data:
        line = f"    {texts.INSTALL_TYPES}\n"
        done.notes.append(f"Merges are judged only where this is at the top of {PRE_COMMIT_PATH}:\n\n{line}")


def _told(tree: Worktree, config: Config, asked: Asked, done: _Done) -> str:
    rows = [f"freezegate: setting up {escape(str(tree.root))}"]
    rows += [f"  wrote  {path}" for path in done.written]
    rows += [f"  kept   {path}" for path in done.kept]
    if not done.written:
        rows.append("Everything is in place; nothing was written.")
    rows += ["", *done.notes]
    if done.written:
        # Relative to where the person stands, so that the line can be pasted.
        names = " ".join(shell_word(os.path.relpath(tree.at(path))) for path in done.written)
        rows.append(f"Next:\n  git add -- {names}")
        rows += ["  pre-commit install\n"] if asked.pre_commit else [""]
        rows += [texts.first_property(config.layout)] if asked.with_binding else []
        rows += [texts.first_claim(config.layout)] if asked.verdict else []
    return "\n".join(rows).rstrip("\n") + "\n"

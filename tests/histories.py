"""Random histories in a real repository: branches, merges of every kind, reverts, cherry-picks, and edits between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from pathlib import Path

from hypothesis import strategies as st

from building import Repo
from governed_edits import UNKNOWN, edited
from memory import Executable, Link, Submodule
from wild_edits import Files, encoded, wild_project

Entries = dict[bytes, tuple[bytes, bytes]]
"""Paths to mode and id, as git lists them."""


@dataclass
class History:
    """A repository with a work tree at `folder`, and the commits that were made in it, the first one first."""

    folder: Path
    commits: list[str] = field(default_factory=list)
    days: dict[str, date] = field(default_factory=dict)
    _parents: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repo = Repo(self.folder / "work")
        self.lay(dict(wild_project()))
        self.commit()

    @property
    def day(self) -> date:
        """The UTC day of the commit that is made next."""
        return datetime.fromtimestamp(self.repo._clock + 60, timezone.utc).date()

    def files(self) -> Files:
        """What is staged, as files."""
        found: Files = {}
        for path, (mode, oid) in self.entries().items():
            name = path.decode("utf-8", "surrogateescape")
            place = self.repo.at(path)
            if mode == b"160000":
                found[name] = Submodule(oid.decode())
            elif mode == b"120000":
                found[name] = Link(str(place.readlink()))
            else:
                found[name] = Executable(place.read_bytes()) if mode == b"100755" else place.read_bytes()
        return found

    def lay(self, files: Files) -> None:
        """Make work tree and index hold exactly these files."""
        repo = self.repo
        before = self.files()
        wanted = encoded(files)
        for path in before:
            if wanted.get(path) != before[path]:
                repo.remove(path)
        modules = {}
        for path, content in wanted.items():
            if isinstance(content, Submodule):
                repo.at(path).mkdir(parents=True, exist_ok=True)
                modules[path] = content.commit
            elif before.get(path) == content:
                continue
            elif isinstance(content, Link):
                repo.link(path, content.target)
            elif isinstance(content, Executable):
                repo.write(path, content.content, 0o755)
            else:
                assert isinstance(content, bytes)
                repo.write(path, content)
        repo.stage_all()
        for path, commit in modules.items():
            repo.stage_entry(path, "160000", commit)

    def entries(self, revision: str | None = None) -> Entries:
        """What is staged, or what a commit holds."""
        if revision is None:
            rows = self.repo.git("ls-files", "-s", "-z").split(b"\0")[:-1]
            heads = [row.split(b"\t", 1)[0].split() for row in rows]
        else:
            rows = self.repo.git("ls-tree", "-r", "-z", "--full-tree", revision).split(b"\0")[:-1]
            heads = [[head[0], head[2]] for head in (row.split(b"\t", 1)[0].split() for row in rows)]
        return {row.split(b"\t", 1)[1]: (head[0], head[1]) for row, head in zip(rows, heads, strict=True)}

    def stage(self, entries: Entries) -> None:
        """Make index and work tree hold exactly these entries, but for files where a folder is needed."""
        needed = {b"/".join(path.split(b"/")[:depth]) for path in entries for depth in range(1, path.count(b"/") + 1)}
        rows = [mode + b" " + oid + b"\t" + path for path, (mode, oid) in entries.items() if path not in needed]
        self.repo.git("read-tree", "--empty")
        self.repo.git("update-index", "-z", "--index-info", input=b"".join(row + b"\0" for row in rows))
        self.repo.git("clean", "-ffdqx")
        self.repo.git("checkout-index", "-q", "-a", "-f")

    def conflicts(self) -> dict[bytes, dict[bytes, tuple[bytes, bytes]]]:
        """Unmerged paths: by stage (2 ours, 3 theirs), mode and id."""
        found: dict[bytes, dict[bytes, tuple[bytes, bytes]]] = {}
        for row in self.repo.git("ls-files", "-u", "-z").split(b"\0")[:-1]:
            head, path = row.split(b"\t", 1)
            mode, oid, stage = head.split()
            found.setdefault(path, {})[stage] = (mode, oid)
        return found

    def go(self, commit: str) -> None:
        """Be at a commit, with nothing in progress."""
        self.repo.git("reset", "-q", "--hard")
        self.repo.git("update-ref", "--no-deref", "HEAD", commit)
        self.repo.git("reset", "-q", "--hard")
        self.repo.git("clean", "-ffdqx")

    def merging(self) -> list[str]:
        """The commits that are being merged."""
        path = self.repo.path / ".git" / "MERGE_HEAD"
        return path.read_text().split() if path.exists() else []

    def commit(self) -> str:
        """Commit what is staged; the commit's id."""
        day, made = self.day, self.repo.commit()
        self.commits.append(made)
        self._parents[made] = self.repo.git("rev-list", "--parents", "-n", "1", made).decode().split()[1:]
        self.days[made] = day
        return made

    def told(self) -> str:
        """The history for a person: each commit against each of its parents."""
        options = ("--raw", "-m", "-p", "--no-renames", "--format=%n%h of %p %ci")
        return self.repo.git("log", *options, *self.commits[1:], f"^{self.commits[0]}").decode(
            errors="backslashreplace"
        )

    def parents(self, commit: str) -> list[str]:
        """The ids of a commit's parents."""
        return self._parents[commit]

    def ancestors(self, commit: str) -> set[str]:
        """The commit and all that it grew from."""
        found, waiting = set(), [commit]
        while waiting:
            found.add(each := waiting.pop())
            waiting += (parent for parent in self._parents[each] if parent not in found)
        return found

    def related(self, commit: str, others: list[str]) -> bool:
        """Whether a commit grew from one of the others, or one of them from it."""
        return any(each in self.ancestors(commit) or commit in self.ancestors(each) for each in others)

    def tips(self) -> list[str]:
        """The commits that none grew from yet, and the two latest ones."""
        behind = {parent for parents in self._parents.values() for parent in parents}
        return [commit for commit in self.commits if commit not in behind] + self.commits[-2:]


def advance(
    history: History, draw: Callable[[st.SearchStrategy[object]], object], without: tuple[str, ...] = ()
) -> bool:
    """Stage what the next commit will hold, in any of git's ways to come to it; whether there is anything to commit."""
    way = draw(st.sampled_from(_WAYS))
    if draw(st.integers(0, 3)) == 0:
        history.repo._clock += 86_400 * draw(st.integers(0, 3))  # type: ignore[operator]
    if way == "branch" and len(history.commits) > 1:
        history.go(draw(st.sampled_from(history.commits)))  # type: ignore[arg-type]
    if way in ("merge", "octopus") and len(history.commits) > 2:
        _merge(history, draw, 1 if way == "merge" else 2)
    elif way in ("revert", "cherry-pick") and len(history.commits) > 1:
        commit = str(draw(st.sampled_from(history.commits[1:])))
        main = ["-m", "1"] if len(history.parents(commit)) > 1 else []
        history.repo.git(way, "--no-commit", *main, commit, check=False)
        _mend(history, draw)
        if draw(st.integers(0, 2)):
            return _differs(history)
    elif way == "root" and history.commits:
        history.repo.git("symbolic-ref", "HEAD", f"refs/heads/root-{len(history.commits)}")
    if not history.merging() or draw(st.integers(0, 2)) == 0:
        head = history.repo.git("rev-parse", "-q", "--verify", "HEAD", check=False).decode().strip() or UNKNOWN
        history.lay(draw(edited(history.files(), head, without)))  # type: ignore[arg-type]
    return bool(history.merging()) or _differs(history)


_WAYS = ("edit",) * 3 + ("branch",) * 3 + ("merge",) * 3 + ("octopus",) * 2 + ("revert", "cherry-pick", "root")


_MERGE = ("merge", "-q", "--no-commit", "--no-ff", "--allow-unrelated-histories")


def _differs(history: History) -> bool:
    head = history.repo.git("rev-parse", "-q", "--verify", "HEAD^{tree}", check=False).decode().strip()
    return history.repo.git("write-tree").decode().strip() != head


def _merge(history: History, draw: Callable[[st.SearchStrategy[object]], object], count: int) -> None:
    """Merge other commits: as git does it, with conflicts mended path by path, or as a free mixture of the sides."""
    before = str(draw(st.sampled_from(history.tips())))
    history.go(before)
    others: list[str] = []
    while len(others) < count:
        beyond = [each for each in reversed(history.commits) if not history.related(each, [before, *others])]
        # Where no other line is left, what has this commit behind it can be merged as well.
        beyond = beyond or [each for each in history.commits if each not in history.ancestors(before)]
        if not beyond:
            break
        others.append(str(draw(st.sampled_from(beyond))))
    if not others:
        return
    history.repo.git(*_MERGE, *others, check=False)
    # git leaves an octopus alone where it has a conflict.
    if count > 1 and (history.conflicts() or len(history.merging()) < 2):
        history.go(before)
    if not history.merging() or draw(st.integers(0, 2)) == 0:
        history.go(before)
        history.repo.git(*_MERGE, "-s", "ours", *others, check=False)
        sides = [history.entries(side) for side in (before, *history.merging())]
        mixed: Entries = {}
        for path in sorted({path for side in sides for path in side}):
            held = [side.get(path) for side in sides]
            entry = held[0] if len(set(held)) == 1 else held[draw(st.integers(0, len(held) - 1))]  # type: ignore[call-overload]
            if entry is not None:
                mixed[path] = entry
        history.stage(mixed)
    _mend(history, draw)


def _mend(history: History, draw: Callable[[st.SearchStrategy[object]], object]) -> None:
    """End conflicts with what one of the sides has."""
    conflicts = history.conflicts()
    if not conflicts:
        return
    entries = {path: entry for path, entry in history.entries().items() if path not in conflicts}
    for path, stages in conflicts.items():
        entry = stages.get(draw(st.sampled_from([b"2", b"3"])))  # type: ignore[call-overload]
        if entry is not None:
            entries[path] = entry
    history.stage(entries)

"""Print what freezegate takes beside named peers: ``python benchmarks/run.py [--only NAME ...]``.

Every figure is a median of one run in which both sides took turns. It measures; it does not pass or fail.
"""

from __future__ import annotations

import argparse
import compileall
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import repositories
from measuring import Command, Outcome, Side, compare, run

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent / "hooks" / "freezegate"
SCHEMA = HERE.parent / "schemas" / "scope.schema.json"
MEGABYTE = 1_000_000
CHANGES_TREES = ("PRE_COMMIT_", "GITHUB_", "CI_", "SYSTEM_PULLREQUEST_", "BITBUCKET_", "CHANGE_TARGET")


@dataclass(frozen=True)
class Bench:
    """One comparison: our sides, the peer, and the largest ratio and memory (bytes) we allow ourselves."""

    ours: tuple[Side, ...]
    peer: Side
    bound: float
    memory: int | None = None
    most_rounds: int = 1000


@dataclass(frozen=True)
class Lab:
    """The programs that take part, and the folder of the repositories."""

    work: Path
    schema: Path
    git: str
    python: str

    @property
    def errors(self) -> Path:
        return self.work / "errors"

    def repository(self, name: str) -> Path:
        """Built in a child: what this process once held would be counted in every peak that it measures."""
        words = (self.python, str(HERE / "repositories.py"), name, "--work", str(self.work))
        if run(Command(words, self.work), environment(), self.errors).status:
            raise SystemExit(f"the repository {name} could not be built: {self.errors.read_text().strip()}")
        return self.work / name

    def stage(self, repository: Path, changes: dict[str, bytes]) -> None:
        """Make the index HEAD's, with the contents of `changes` staged."""
        repositories.git(repository, "read-tree", "HEAD")
        for path, data in changes.items():
            blob = repositories.git(repository, "hash-object", "-w", "--stdin", stdin=data).decode().strip()
            repositories.git(repository, "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")

    def gate(self, repository: Path, *arguments: str) -> tuple[Side, ...]:
        """Both ways to start the gate: the console script, which a hook runs, and the module."""
        script = beside_python("freezegate") or "freezegate"
        words = " ".join(arguments)
        return (
            Side(f"freezegate {words}", (Command((script, *arguments), repository),)),
            Side(
                f"python -m freezegate {words}",
                (Command((self.python, "-m", "freezegate", *arguments), repository),),
            ),
        )

    def checker(self, folder: Path, files: list[str]) -> Side:
        """check-jsonschema over `files`, as the peer that only checks their schema."""
        program = beside_python("check-jsonschema")
        words = (program or "", "--schemafile", str(self.schema), *files)
        side = Side(f"check-jsonschema, {len(files):,} file{'s'[: len(files) != 1]}", (Command(words, folder),))
        if program is None:
            side.problem = "not installed: pip install check-jsonschema"
        elif not self.schema.exists():
            side.problem = f"no schema at {self.schema}: --schema FILE"
        return side

    def reader(self, repository: Path) -> Side:
        """git printing the same blobs to nowhere."""
        ids = self.work / f"{repository.name}.ids"
        words = (self.git, "cat-file", "--batch", "--buffer")
        return Side("git cat-file --batch --buffer", (Command(words, repository, ids),))


def small_commit(lab: Lab) -> Bench:
    repository = lab.repository("big")
    lab.stage(
        repository,
        {
            "docs/chapter_01/page_00001.md": b"# Page 1\n\nOther words.\n",
            "src/package_01/module_00001.py": b"def price(kind):\n    return 0\n",
        },
    )
    floor = (
        Command((lab.python, "-c", "pass"), repository),
        Command((lab.git, "diff-index", "--cached", "--ita-invisible-in-index", "HEAD"), repository),
    )
    return Bench(lab.gate(repository, "check"), Side("python -c pass, then git diff-index --cached", floor), 1.5)


def one_scope(lab: Lab) -> Bench:
    repository = lab.repository("big")
    path, data = repositories.scope_files(1)[0]
    changed = data.replace(b"Orders of kind", b"All orders of kind")
    lab.stage(repository, {path: changed})
    copy = lab.work / "one.scope.yaml"
    copy.write_bytes(changed)
    return Bench(lab.gate(repository, "check"), lab.checker(lab.work, [copy.name]), 0.5, 40 * MEGABYTE)


def all_files(lab: Lab) -> Bench:
    repository = lab.repository("big-closed")
    lab.stage(repository, {})
    folder = lab.work / "big-closed.scopes"
    files = sorted(path.name for path in folder.iterdir())
    # the peer takes tens of seconds a round
    return Bench(lab.gate(repository, "check", "--all-files")[:1], lab.checker(folder, files), 0.2, None, 3)


def fixtures_tiny(lab: Lab) -> Bench:
    return digesting(lab, "fixtures-tiny", 1.5)


def fixtures_small(lab: Lab) -> Bench:
    return digesting(lab, "fixtures-small", 1.5)


def fixtures_text(lab: Lab) -> Bench:
    return digesting(lab, "fixtures-text", 1.4)


def digesting(lab: Lab, name: str, bound: float) -> Bench:
    repository = lab.repository(name)
    ours = lab.gate(repository, "fixture-lock", "fixtures")[:1]
    return Bench(ours, lab.reader(repository), bound, 100 * MEGABYTE, 7)


def push_page(lab: Lab) -> Bench:
    """The hook as `install-server` writes it, beside the start of its interpreter."""
    repository = lab.repository("push")
    floor = Side("python -c pass", (Command((lab.python, "-c", "pass"), repository),))
    return Bench((pre_receive(lab, repository, "one"),), floor, 2.5)


def push_many(lab: Lab) -> Bench:
    """What git takes to list the objects of the push, and to compare its commits."""
    repository = lab.repository("push")
    ours = pre_receive(lab, repository, "many")
    old, new = (git_id(repository, name) for name in ("refs/heads/main", "refs/pushed/many"))
    commits = lab.work / "push.commits"
    commits.write_bytes(repositories.git(repository, "rev-list", new, f"^{old}"))
    floor = (
        Command((lab.git, "rev-list", "--objects", new, "--not", old), repository),
        Command((lab.git, "diff-tree", "-r", "--stdin"), repository, commits),
    )
    return Bench((ours,), Side("git rev-list --objects, then git diff-tree -r", floor), 3, 200 * MEGABYTE, 5)


def pre_receive(lab: Lab, repository: Path, name: str) -> Side:
    """A push of `refs/pushed/NAME` to main, as git starts the hook."""
    lines = lab.work / f"push.{name}.lines"
    old, new = git_id(repository, "refs/heads/main"), git_id(repository, f"refs/pushed/{name}")
    lines.write_text(f"{old} {new} refs/heads/main\n")
    words = ("/usr/bin/env", "GIT_DIR=.", lab.python, "-I", "-m", "freezegate", "pre-receive")
    return Side("python -I -m freezegate pre-receive", (Command(words, repository, lines),))


def git_id(repository: Path, name: str) -> str:
    return repositories.git(repository, "rev-parse", "--verify", name).decode().strip()


BENCHES: dict[str, Callable[[Lab], Bench]] = {
    "small-commit": small_commit,
    "one-scope": one_scope,
    "all-files": all_files,
    "fixtures-tiny": fixtures_tiny,
    "fixtures-small": fixtures_small,
    "fixtures-text": fixtures_text,
    "push-page": push_page,
    "push-many": push_many,
}


def environment() -> dict[str, str]:
    """For both sides: without anything that would choose other trees, settings or a slower start."""
    return {name: value for name, value in repositories.environment().items() if not name.startswith(CHANGES_TREES)}


def beside_python(name: str) -> str | None:
    """The program of this interpreter's own environment, so that no shim's start is measured; else PATH's."""
    own = Path(sys.executable).parent / name
    return str(own) if own.exists() else shutil.which(name)


def git_processes(lab: Lab, side: Side) -> int:
    """How many times one run of `side` starts git, counted by a wrapper that is first on PATH."""
    folder, log = lab.work / "counting", lab.work / "counting.log"
    folder.mkdir(exist_ok=True)
    wrapper = folder / "git"
    wrapper.write_text(f'#!/bin/sh\necho "$*" >> "{log}"\nexec "{lab.git}" "$@"\n')
    wrapper.chmod(0o755)
    log.write_text("")
    counted = environment()
    counted["PATH"] = f"{folder}{os.pathsep}{counted['PATH']}"
    run(side.commands[0], counted)
    return len(log.read_text().splitlines())


def show(lab: Lab, name: str, bench: Bench, rounds: int) -> None:
    print(f"\n{name}")
    compare([*bench.ours, bench.peer], environment(), min(rounds, bench.most_rounds), lab.errors)
    for side in (*bench.ours, bench.peer):
        print(f"  {line(side)}")
    for side in bench.ours:
        if side.seconds and bench.peer.seconds:
            ratio = side.median / bench.peer.median
            word = "within" if ratio <= bench.bound else "ABOVE"
            print(f"  ratio {ratio:.2f}, {word} the bound {bench.bound:g}: {side.label}")
    first = bench.ours[0]
    if not first.problem:
        peaks = run(first.commands[0], environment(), sample=True)
        print(f"  {git_processes(lab, first)} git processes; {memory(peaks, bench.memory)}")


def line(side: Side) -> str:
    if side.problem:
        return f"{'-':>10}     {side.label}: {side.problem}"
    times = sorted(side.seconds)
    spread = f"{milliseconds(times[0])} to {milliseconds(times[-1])}"
    return f"{milliseconds(side.median):>10} ms  {side.label} ({len(times)} rounds, {spread})"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.1f}"


def memory(peaks: Outcome, bound: int | None) -> str:
    """The peak of our own process, and of the largest process with git's children and their mapped packs."""
    own = f"peak memory {peaks.peak_self / MEGABYTE:.1f} MB ours, {peaks.peak_tree / MEGABYTE:.1f} MB with git"
    if bound is None:
        return own
    word = "within" if peaks.peak_self <= bound else "ABOVE"
    return f"{own}, {word} the bound {bound / MEGABYTE:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description="Print medians and ratios against named peers.")
    parser.add_argument("--only", nargs="+", choices=BENCHES, metavar="NAME", help=f"of {', '.join(BENCHES)}")
    parser.add_argument(
        "--work", type=Path, metavar="DIR", help="keep the repositories here (default: a temporary folder)"
    )
    parser.add_argument("--repeat", type=int, default=15, metavar="N", help="rounds after the warm-up (default 15)")
    parser.add_argument("--schema", type=Path, default=SCHEMA, metavar="FILE", help="scope schema for the peer")
    chosen = parser.parse_args()
    git = shutil.which("git")
    if git is None:
        parser.error("git is not on PATH")
    if chosen.repeat < 1:
        parser.error("--repeat must be at least 1")
    # As an installation leaves it: else every start would compile what was edited since.
    compileall.compile_dir(str(PACKAGE), quiet=1)
    with tempfile.TemporaryDirectory() as temporary:
        work = (chosen.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        lab = Lab(work, chosen.schema.resolve(), git, sys.executable)
        print(f"python {sys.version.split()[0]}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
        for name in chosen.only or BENCHES:
            show(lab, name, BENCHES[name](lab), chosen.repeat)
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE
        print(f"\nThis process peaked at {own:.1f} MB: no figure of memory with git can be below that.")


if __name__ == "__main__":
    main()

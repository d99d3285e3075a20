"""Print what running a catalog takes beside bare child starts: ``python benchmarks/verdicts.py [--repeat N]``.

The peer starts as many children as there are properties, on as many cores, and gives them nothing to do. Every figure is
a median of one run in which both sides took turns. It measures; it does not pass or fail.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import repositories
from measuring import Command, Side, compare

from run import PACKAGE, environment, line

PROPERTIES = 200
CORES = len(os.sched_getaffinity(0))
ORACLE = "def check(case):\n    assert case['n'] >= 0\n"
ENTRY = "id: prop.n{n}\noracle: props/check_{n}.py:check\nclaim: n is no less than zero\nmutates_fixture: false\ncases: n.json\n"
BARE = f"""\
import os, sys
from freezegate.running.launch import harness_command
command = harness_command(sys.executable)
null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
for _ in range({CORES}):
    if os.fork() == 0:
        for _ in range({PROPERTIES} // {CORES}):
            os.waitpid(os.posix_spawn(command[0], command, dict(os.environ), file_actions=null), 0)
        os._exit(0)
for _ in range({CORES}):
    os.wait()
"""


def files() -> Iterator[tuple[str, str]]:
    yield "src/numbers.py", "ONE = 1\n"
    yield "fixtures/n.json", '[{"n": 1}]\n'
    for n in range(PROPERTIES):
        yield f"props/check_{n}.py", ORACLE
        yield f"catalog/n{n}.yaml", ENTRY.format(n=n)
    yield "catalog/claimed.json", json.dumps([f"prop.n{n}" for n in range(PROPERTIES)])


def build(repository: Path) -> None:
    repository.mkdir()
    repositories.git(repository, "init", "-q", "--initial-branch=main")
    for path, text in files():
        place = repository / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    author = ("-c", "user.name=b", "-c", "user.email=b@b")
    repositories.git(repository, "add", "-A")
    repositories.git(repository, *author, "commit", "-q", "-m", "catalog")
    repositories.git(repository, "checkout", "-q", "-b", "patch")
    (repository / "src/numbers.py").write_text("ONE = 1\nTWO = 2\n")
    repositories.git(repository, *author, "commit", "-q", "-a", "-m", "patch")
    (repository.parent / "bare.py").write_text(BARE)


def main() -> None:
    parser = argparse.ArgumentParser(description="Print medians and ratios of running a catalog.")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="rounds after the warm-up (default 5)")
    chosen = parser.parse_args()
    compileall.compile_dir(str(PACKAGE), quiet=1)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary).resolve()
        repository = work / "catalog"
        build(repository)

        def side(label: str, *words: str) -> Side:
            return Side(label, (Command((sys.executable, *words), repository),))

        edited, runs = str(work / "edited.json"), str(work / "runs.json")
        digest = os.popen(f"cd {repository} && {sys.executable} -m freezegate fixture-lock fixtures").read().strip()
        os.system(f"cd {repository} && {sys.executable} -m freezegate split-diff main...HEAD --out {edited}")
        words = ["--catalog", "catalog", "--edited", edited, "--digest", digest, "--out", runs]
        found = [
            side(f"freezegate propcheck, {PROPERTIES} properties", "-m", "freezegate", "propcheck", *words),
            side(f"{PROPERTIES} bare child starts on {CORES} cores", str(work / "bare.py")),
        ]
        print(f"python {sys.version.split()[0]}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
        compare(found, environment(), chosen.repeat, work / "errors")
        for each in found:
            print(f"  {line(each)}")
        ratio = found[0].median / found[1].median
        print(f"  ratio {ratio:.2f}, {'within' if ratio <= 1.3 else 'ABOVE'} the bound 1.3")


if __name__ == "__main__":
    main()

"""Build the repositories that the benchmarks run in: ``python repositories.py NAME... --work DIR``.

Each goes through one ``git fast-import`` and gets an index but no working tree, since the gate reads only
what git holds. A finished repository is kept in the work folder and used again.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

SCOPES = 10_000
GENERATORS = 100
SOURCE_FILES = 60_000
DOC_FILES = 20_000
FIXTURES = 100_000
COMMITS = 1_000
TEXT_FIXTURES = 500
TEXT_BYTES = 1_000_000

File = tuple[str, bytes]

PREDICATE = '''\
from package_{package:02d}.module_{number:05d} import price


def total_is_bounded(case):
    """The total of {scope_id} never exceeds its parts."""
    unit = price(case["kind"])
    total = unit * case["qty"]
    if case["kind"] == "gift":
        return total == 0
    return 0 <= total <= {limit} * case["qty"]
'''

SCOPE = """\
scope_id: {scope_id}
description: Orders of kind number {number}
predicate: tests/properties/{stem}.py:total_is_bounded
domain:
  kind: [small, large, gift]
  qty: {{min: 1, max: {limit}}}
generator: tests/fixtures/{generator}
seed_lock: tests/fixtures/{stem}.lock
schema_version: 3
"""

GENERATOR = '''\
"""Cases of family {number}."""


def generate(domain, rng):
    kind = rng.choice(domain["kind"])
    qty = rng.randint(domain["qty"]["min"], domain["qty"]["max"])
    return {{"kind": kind, "qty": qty}}
'''


def environment() -> dict[str, str]:
    """The caller's environment without what could change which repository or settings git uses."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(repository: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    """The standard output of one git command in `repository`."""
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, env=environment(), check=True).stdout


def scope_id(number: int) -> str:
    return f"bench.p{number:05d}"


def generator_file(number: int) -> File:
    return f"tests/fixtures/gen_{number:03d}.py", GENERATOR.format(number=number).encode()


def scope_files(number: int) -> tuple[File, File, File]:
    """Scope, predicate and seed lock number `number`."""
    stem = f"p{number:05d}"
    words = {
        "scope_id": scope_id(number),
        "number": number,
        "stem": stem,
        "package": number % 60,
        "limit": 20 + number % 80,
        "generator": f"gen_{number % GENERATORS:03d}.py",
    }
    return (
        (f"tests/properties/{stem}.scope.yaml", SCOPE.format(**words).encode()),
        (f"tests/properties/{stem}.py", PREDICATE.format(**words).encode()),
        (f"tests/fixtures/{stem}.lock", f"{scope_id(number)} {1000 + number} 200\n".encode()),
    )


def binding_digest(parts: list[File]) -> str:
    """For each part its path, a zero byte, its bytes: a second opinion, without the package under test."""
    return hashlib.sha256(b"".join(path.encode() + b"\0" + data for path, data in parts)).hexdigest()


def evidence_files(number: int) -> Iterator[File]:
    """A counterexample, the closed record that binds it to its scope, and the citation of that record."""
    scope, _, lock = scope_files(number)
    identity = scope_id(number)
    counterexample = as_json(
        {
            "scope_id": identity,
            "seed": 1000 + number,
            "example_index": number % 200,
            "input": {"kind": "large", "qty": 1 + number % 20},
            "predicate_result": "fail",
            "shrink_steps": number % 7,
        }
    )
    triple = {
        "scope_id": identity,
        "fixture_digest": binding_digest([generator_file(number % GENERATORS), scope, lock]),
        "counterexample_sha256": hashlib.sha256(counterexample).hexdigest(),
        "class_local": "fail",
        "class_isolated": "fail",
    }
    reason = {"freeze_reason": "retained_input_failed_in_both_classifiers"}
    yield f"tests/bindings/{identity}.cex.json", counterexample
    yield f"tests/bindings/{identity}.json", as_json(triple)
    yield f"tests/freezes/{identity}.freeze.json", as_json(triple | reason)


def as_json(value: object) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()


def big() -> Iterator[File]:
    """110,100 files: source, documentation, and 10,000 scopes with a predicate and a seed lock each."""
    for number in range(SOURCE_FILES):
        body = f"def price(kind):\n    return {{'small': {number}, 'large': {number + 1}}}.get(kind, 0)\n"
        yield f"src/package_{number % 60:02d}/module_{number:05d}.py", body.encode()
    for number in range(DOC_FILES):
        yield (
            f"docs/chapter_{number % 40:02d}/page_{number:05d}.md",
            f"# Page {number}\n\nSome words.\n".encode(),
        )
    for number in range(GENERATORS):
        yield generator_file(number)
    for number in range(SCOPES):
        yield from scope_files(number)


def big_closed() -> Iterator[File]:
    """The big repository with a closed record, its counterexample and a citation for every scope."""
    yield from big()
    for number in range(SCOPES):
        yield from evidence_files(number)


def tiny_fixtures() -> Iterator[File]:
    """100,000 blobs of 56 bytes below `fixtures`: the cost of a blob, hardly of its bytes."""
    for number in range(FIXTURES):
        yield fixture_path(number), as_json(order(number))


def small_fixtures() -> Iterator[File]:
    """100,000 blobs of 250 to 1,150 bytes below `fixtures`: rows of JSON, as a fixture usually is."""
    rng = random.Random(11)
    names = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(3, 9))) for _ in range(3000)]
    for number in range(FIXTURES):
        lines = [{"item": rng.choice(names), "price": rng.randint(1, 9999)} for _ in range(rng.randint(3, 18))]
        yield fixture_path(number), as_json(order(number) | {"customer": rng.choice(names), "lines": lines})


def fixture_path(number: int) -> str:
    return f"fixtures/batch_{number % 500:03d}/order_{number:06d}.json"


def order(number: int) -> dict[str, object]:
    return {"order": number, "kind": ("small", "large", "gift")[number % 3], "total": number * 37 % 9973}


def text_fixtures() -> Iterator[File]:
    """500 MB below `fixtures`: files of 1 MB of words that compress about as well as prose."""
    rng = random.Random(7)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 10))) for _ in range(3000)]
    lines = [" ".join(rng.choices(words, k=12)) + "\n" for _ in range(8000)]
    for number in range(TEXT_FIXTURES):
        text = "".join(rng.choices(lines, k=TEXT_BYTES // 60)).encode()
        yield f"fixtures/text_{number:03d}.txt", text[:TEXT_BYTES]


def spread(file: File, number: int) -> File:
    """The file in one of 50 folders of its properties folder, and with it what names it."""
    path, data = file
    folder = f"tests/properties/group_{number % 50:02d}/"
    return path.replace("tests/properties/", folder), data.replace(b"tests/properties/", folder.encode())


def grouped() -> Iterator[File]:
    """95,100 files: source, documentation, and 5,000 scopes in 50 folders with a predicate and a seed lock each."""
    for path, data in big():
        if not path.startswith("tests/") or "/gen_" in path:
            yield path, data
    for number in range(SCOPES // 2):
        yield from (spread(file, number) for file in scope_files(number))


def pushed(repository: Path) -> None:
    """In a bare repository: `refs/pushed/one`, a commit of a page and a source file upon main, `refs/pushed/scope`, a
    commit of a scope and its predicate, and `refs/pushed/many`, 1,000 commits of another scope and its predicate each.
    """
    clock = itertools.count(1_700_000_060, 60)

    def commit(ref: str, files: list[File], start: str) -> bytes:
        head = b"commit %s\ncommitter Bench <bench@example.invalid> %d +0000\n" % (ref.encode(), next(clock))
        rows = (b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data) for path, data in files)
        return head + b"data 4\npush\n" + start.encode() + b"".join(rows)

    def governed(number: int) -> list[File]:
        (scope, text), (predicate, code), _ = (spread(file, number * 3) for file in scope_files(number * 3))
        return [(scope, text.replace(b"Orders of", b"All orders of")), (predicate, code + b"\n\nSMALLEST = 0\n")]

    page = ("docs/chapter_01/page_00001.md", b"# Page 1\n\nOther words.\n")
    source = ("src/package_01/module_00001.py", b"def price(kind):\n    return 0\n")
    first = "from refs/heads/main^0\n"
    stream = [commit("refs/pushed/one", [page, source], first), commit("refs/pushed/scope", governed(5), first)]
    stream += [commit("refs/pushed/many", governed(number), "" if number else first) for number in range(COMMITS)]
    git(repository, "fast-import", "--quiet", stdin=b"".join(stream))


BUILDERS: dict[str, Callable[[], Iterator[File]]] = {
    "big": big,
    "big-closed": big_closed,
    "push": grouped,
    "fixtures-tiny": tiny_fixtures,
    "fixtures-small": small_fixtures,
    "fixtures-text": text_fixtures,
}


def build(name: str, work: Path) -> Path:
    """The repository `name` below `work`, built unless a finished one is there.

    Beside it: `NAME.ids`, the blob ids below `fixtures` a line each, and for `big-closed` the folder
    `NAME.scopes` with the scopes as files, for peers that read no git objects.
    """
    repository = work / name
    done = work / f"{name}.done"
    if done.exists():
        return repository
    shutil.rmtree(repository, ignore_errors=True)
    repository.mkdir(parents=True)
    git(repository, "init", "-q", *(["--bare"] if name == "push" else []))
    git(repository, "symbolic-ref", "HEAD", "refs/heads/main")
    git(repository, "config", "user.name", "Bench")
    git(repository, "config", "user.email", "bench@example.invalid")
    fast_import(repository, BUILDERS[name]())
    if name != "fixtures-text":  # already one pack, and searching 500 MB for deltas would take minutes
        git(repository, "repack", "-adq")
    if name == "push":
        pushed(repository)
        done.touch()
        return repository
    git(repository, "read-tree", "HEAD")
    listing = git(repository, "ls-tree", "-r", "-z", "HEAD", "fixtures").split(b"\0")[:-1]
    (work / f"{name}.ids").write_bytes(b"".join(row.split(None, 3)[2] + b"\n" for row in listing))
    if name == "big-closed":
        write_scopes(work / f"{name}.scopes")
    done.touch()
    return repository


def fast_import(repository: Path, files: Iterator[File]) -> None:
    command = ["git", "-C", str(repository), "fast-import", "--quiet", "--depth=0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment()) as child:
        assert child.stdin is not None
        child.stdin.write(b"commit refs/heads/main\ncommitter Bench <bench@example.invalid> 1700000000 +0000\n")
        child.stdin.write(b"data 5\nbench\n")
        for path, data in files:
            child.stdin.write(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
        child.stdin.close()
        if child.wait():
            raise SystemExit(f"git fast-import failed in {repository}")


def write_scopes(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(SCOPES):
        path, data = scope_files(number)[0]
        (folder / Path(path).name).write_bytes(data)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the benchmark repositories.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BUILDERS)}; default: all")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where they are kept")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - set(BUILDERS)
    if unknown:
        parser.error(f"unknown repository: {', '.join(sorted(unknown))}")
    for name in chosen.names or BUILDERS:
        print(build(name, chosen.work.resolve()))


if __name__ == "__main__":
    main()

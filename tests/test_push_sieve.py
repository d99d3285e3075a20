"""The quick way out of a push: what it lets in, the long way lets in, in the same words."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from building import SCOPE, Repo, environment, good_project, rebind
from freezegate.errors import CannotJudge
from freezegate.gate import push_sieve
from freezegate.gate.pushes import judge_push
from freezegate.git.plumbing import GitError
from freezegate.git.push import read_push, read_updates
from freezegate.git.raw_tree import sound_rows
from freezegate.git.repository import Repository
from freezegate.git.snapshot import flaws
from freezegate.reports.push import render
from pushing import Server, clone_of, push, started
from test_imports import COSTLY, imported, interpreter_itself

Files = dict[bytes, tuple[bytes, bytes]]  # path: mode, content; a path that ends in a slash is an empty folder

HARMLESS = (
    b"docs/page.md",
    b"docs/new/page.txt",
    b"README",
    b"src/orders.py",
    b"src/deep/er/util.py",
    b"src/notes.txt",
    b"tools/run.sh",
)
TELLING = (
    b"docs/table.csv",
    b"docs/helper.py",
    b"orders.py",
    b"data/base.sig.json",
    b"src/orders.json",
    b"src/__init__.py",
    b"Tests/page.txt",
    b"SRC/page.txt",
    b"tests/Bindings/page.txt",
    b"tests/page.txt",
    b"tests/bindings/page.txt",
    b"tests/fixtures/page.txt",
    b"tests/properties/amounts.py",
    b"tests/properties/__pycache__/amounts.pyc",
    SCOPE.encode(),
    b"tests/properties/order_total.py",
    b"freezes",
    b"catalog/claimed.json",
    b".gitattributes",
    b"docs/.gitattributes",
    b"Jenkinsfile",
    b".github/workflows/ci.yml",
    b".pre-commit-config.yaml",
    b".freezegate.yaml",
    b"docs/\xc3\xa9.md",
    b"docs/caf\xe9.md",
    b"te\xc5\xbfts/page.txt",
    b"docs/.git/page.txt",
    b"src/.GIT/page.txt",
)
FOLDERS = (b"Tests/", b"Src/", b"docs/none/", b"tests/none/", b"src/none/", b"props/none/", b"docs/.git/", b"Catalog/")
CONFIGS = (
    None,
    b"policy:\n  promotion: strict\n",
    b"policy:\n  expiry_days: 30\n",
    b"layout:\n  source: [src, tools]\n",
    b"layout:\n  properties: docs\n",
)


class Maker:
    """Writes loose objects of any shape into a bare repository."""

    def __init__(self, repo: Repo, rng: random.Random) -> None:
        self.repo = repo
        self.rng = rng
        self.clock = 1_700_000_000

    def write(self, kind: bytes, data: bytes) -> str:
        whole = b"%b %d\0%b" % (kind, len(data), data)
        oid = hashlib.sha1(whole).hexdigest()
        place = self.repo.path / "objects" / oid[:2] / oid[2:]
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(zlib.compress(whole, 1))
        return oid

    def tree(self, files: Files, odd: bool = False) -> str:
        """A tree; where it is `odd`, one of its folders is malformed."""
        names = sorted({path.partition(b"/")[0] for path in files})
        rows = []
        below = None
        for name in names:
            inside = {path[len(name) + 1 :]: each for path, each in files.items() if path.startswith(name + b"/")}
            inside.pop(b"", None)
            if name in files and not inside:
                mode, content = files[name]
                oid = content.decode() if mode == b"160000" else self.write(b"blob", content)
                rows.append((mode, name, oid))
            else:
                down = odd and below is None and self.rng.random() < 0.5
                below = name if down else below
                rows.append((b"40000", name, self.tree(inside, down)))
        rows.sort(key=lambda row: row[1] + b"/" if row[0] == b"40000" else row[1])
        if odd and below is None and rows:
            mode, name, oid = at = self.rng.choice(rows)
            rows = self.rng.choice(
                (
                    [*rows, at],
                    rows[::-1] if len(rows) > 1 else rows + rows,
                    [(b"100664" if row == at else row[0], *row[1:]) for row in rows],
                    [*rows, (b"100644", b"..", self.write(b"blob", b""))],
                    [(mode, name + b"/x", oid), *rows],
                )
            )
        return self.write(b"tree", b"".join(b"%b %b\0%b" % (m, n, bytes.fromhex(oid)) for m, n, oid in rows))

    def commit(self, tree: str, parents: list[str]) -> str:
        self.clock += self.rng.choice((60, 60, 60, 86_400 * 40))
        head = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        who = f"A <a@example.invalid> {self.clock} +0000"
        return self.write(b"commit", "\n".join([*head, f"author {who}", f"committer {who}", "", "step\n"]).encode())

    def edited(self, files: Files, telling: float) -> Files:
        files = dict(files)
        for _ in range(self.rng.choice((0, 1, 1, 2, 3))):
            chance = self.rng.random()
            path = self.rng.choice(TELLING if chance < telling else HARMLESS)
            if self.rng.random() < telling / 4:
                path = self.rng.choice(FOLDERS)
            text = b"%d\n" % self.rng.randrange(5)
            if path == b".freezegate.yaml":
                text = self.rng.choice(CONFIGS) or text
            mode = b"100644"
            if self.rng.random() < telling / 4:
                mode = self.rng.choice((b"120000", b"100755", b"160000"))
                text = b"1" * 40 if mode == b"160000" else text
            if self.rng.random() < 0.25:
                files.pop(path, None)
            elif path in files or not any(
                path.startswith(each.rstrip(b"/") + b"/") or each.startswith(path + b"/") for each in files
            ):
                files[path] = (mode, text)
        return files


def start(rng: random.Random) -> Files:
    project = good_project()
    if rng.random() < 0.5:
        project["docs/table.csv"] = b"1,2\n"
        project[SCOPE] += b"inputs: [docs/table.csv]\n"
        project = rebind(project)
    project["docs/page.md"] = b"0\n"
    files = {path.encode(): (b"100644", data) for path, data in project.items()}
    config = rng.choice(CONFIGS)
    if config is not None:
        files[b".freezegate.yaml"] = (b"100644", config)
    if rng.random() < 0.1:
        files = {path: each for path, each in files.items() if path.startswith((b"docs/", b"src/"))}
    return files


def random_push(maker: Maker) -> bytes:
    """Commits upon branches that are there, and the lines that would push them."""
    rng = maker.rng
    telling = rng.choice((0.0, 0.0, 0.1, 0.3))
    files = start(rng)
    trees = {}

    def made(files: Files, parents: list[str], odd: bool = False) -> str:
        commit = maker.commit(maker.tree(files, odd), parents)
        trees[commit] = files
        return commit

    main = made(files, [])
    early = main
    main = made(maker.edited(files, 0.0), [main], rng.random() < 0.05)
    topic = made(maker.edited(trees[rng.choice((early, main))], rng.choice((0.0, 0.3))), [rng.choice((early, main))])
    maker.repo.git("update-ref", "refs/heads/main", main)
    maker.repo.git("update-ref", "refs/heads/topic", topic)
    lines = []
    refs = rng.choice((("main",), ("main",), ("topic",), ("fresh",), ("main", "topic"), ("topic", "fresh")))
    tip = None
    for ref in refs:
        tip = rng.choice((early, main, topic)) if tip is None or rng.random() < 0.5 else tip
        if ref in ("main", "topic") and rng.random() < 0.7:
            tip = {"main": main, "topic": topic}[ref]
        for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
            parents = [tip]
            if rng.random() < 0.15:
                parents.append(rng.choice(list(trees)))
            if rng.random() < 0.02:
                parents = []
            tip = made(maker.edited(trees[rng.choice(parents or [tip])], telling), parents, rng.random() < 0.04)
        old = {"main": main, "topic": topic}.get(ref, "0" * 40)
        lines.append(f"{old} {tip} refs/heads/{ref}\n")
    return "".join(lines).encode()


def long_way(data: bytes) -> str:
    repository = Repository()
    try:
        pushed = read_push(read_updates(data), [b"refs/heads/*"], None)
        return render(judge_push(repository, pushed, None), {})
    except (CannotJudge, GitError) as error:
        return f"freezegate: rejected: {error}"
    finally:
        repository.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_what_passes_the_quick_way_passes_the_long_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    repo = Repo(tmp_path / "server.git", bare=True)
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("GIT_DIR", ".")
    maker = Maker(repo, random.Random(seed))
    quick = refused = 0
    for _ in range(60):
        data = random_push(maker)
        said = push_sieve.verdict(data)
        judged = long_way(data)
        refused += judged.startswith("freezegate: rejected")
        if said is not None:
            quick += 1
            assert said == judged, repo.git("log", "--graph", "--raw", "-m", data.split()[1].decode()).decode()
    assert quick >= 8
    assert refused >= 5


@pytest.mark.parametrize(
    ("row", "sound"),
    [
        (b"100644 a\0", True),
        (b"100664 a\0", False),
        (b"100644 ..\0", False),
        (b"40000 .Git\0", False),
        (b"100644 a/b\0", False),
        (b"100644 \0", False),
        (b"100644 0\0", False),  # behind the row before it, where it should be in front of it
        (b"100644 README\0", False),  # twice
        (b"40000 README\0", False),  # twice, as file and folder
    ],
)
def test_both_ways_see_the_same_flaws_of_a_tree(row: bytes, sound: bool) -> None:
    data = b"100644 README\0" + b"\1" * 20 + row + b"\2" * 20
    assert (sound_rows(data, 20) is not None) is sound
    assert (not flaws(data, "1" * 40)) is sound


def test_a_tree_that_is_cut_off_is_not_sound() -> None:
    data = b"100644 README\0" + b"\1" * 20
    assert sound_rows(data, 20) is not None
    assert all(sound_rows(data[:size], 20) is None for size in range(1, len(data)))


def hook_imports(server: Server, lines: bytes) -> set[str]:
    command = [sys.executable, "-I", "-X", "importtime", "-m", "freezegate", "pre-receive"]
    done = subprocess.run(
        command, cwd=server.repo.path, env=environment(GIT_DIR="."), input=lines, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"freezegate: accepted: " in done.stderr
    return imported(done.stderr.decode()) - interpreter_itself()


@pytest.mark.parametrize("sha256", [False, True])
def test_a_push_of_a_page_and_a_source_imports_nothing_costly(tmp_path: Path, sha256: bool) -> None:
    server, repo = started(tmp_path, sha256=sha256)
    old = repo.head()
    repo.write("docs/page.md", "a\n")
    repo.write("src/orders.py", good_project()["src/orders.py"] + b"\n# A remark.\n")
    new = repo.commit_all()
    assert push(repo, "main:refs/keep/page").code == 0
    for lines in (f"{old} {new} refs/heads/main\n", f"{'0' * len(new)} {new} refs/heads/topic\n"):
        modules = hook_imports(server, lines.encode())
        assert not modules & COSTLY
        assert "freezegate.cli.commands" not in modules


def test_a_push_that_touches_an_input_goes_the_long_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(tmp_path / "server.git")
    repo = clone_of(server, tmp_path / "work")
    files = good_project()
    files[SCOPE] += b"inputs: [docs/table.csv]\n"
    files["docs/table.csv"] = b"1,2\n"
    for path, data in rebind(files).items():
        repo.write(path, data)
    old = repo.commit_all()
    assert push(repo, "main").code == 0
    repo.write("docs/page.md", "a\n")
    page = repo.commit_all()
    repo.write("docs/table.csv", "1,3\n")
    table = repo.commit_all()
    assert push(repo, "main:refs/keep/both").code == 0
    monkeypatch.chdir(server.repo.path)
    monkeypatch.setenv("GIT_DIR", ".")
    said = push_sieve.verdict(f"{old} {page} refs/heads/main\n".encode())
    assert said == "freezegate: accepted: 1 new commit, 1 ref\n"
    assert push_sieve.verdict(f"{old} {table} refs/heads/main\n".encode()) is None
    done = push(repo, "main")
    assert done.code == 1
    assert "digest-mismatch" in done.err

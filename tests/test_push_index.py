"""A push of many commits, whose searches an index answers, is judged like one whose trees are each read as a whole."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from building import RECORD, SCOPE, Repo, good_project, rebind, with_files
from freezegate.gate import pushes
from freezegate.gate.evaluate import Options
from freezegate.git.push import Update, read_push
from freezegate.git.repository import Repository

FILES = good_project()
PREDICATE = "tests/properties/order_total.py"
OTHER = SCOPE.replace("order_total", "other")
TEXTS: dict[str, list[bytes]] = {
    SCOPE: [FILES[SCOPE], FILES[SCOPE] + b"description: Other.\n", b"scope_id: [\n", FILES[SCOPE] + b"inputs: [data.csv]\n"],
    OTHER: [FILES[SCOPE], FILES[SCOPE].replace(b"non_negative", b"other").replace(b"properties/order_total", b"properties/amounts")],
    PREDICATE: [FILES[PREDICATE], FILES[PREDICATE] + b"\nSMALL = 1\n", b"from . import amounts\n" + FILES[PREDICATE]],
    "tests/properties/amounts.py": [
        FILES["tests/properties/amounts.py"],
        b"from deeper import SMALLEST\n" + FILES["tests/properties/amounts.py"],
        b"def test_new(case):\n    assert case\n",
    ],
    "tests/properties/deeper.py": [b"SMALLEST = 0\n", b"SMALLEST = 1\n"],
    "deeper.py": [b"SMALLEST = 2\n"],
    "tests/properties/amounts/__init__.py": [b""],
    "tests/fixtures/gen_orders.py": [FILES["tests/fixtures/gen_orders.py"], b"import deeper\n" + FILES["tests/fixtures/gen_orders.py"]],
    "tests/fixtures/order_total.lock": [FILES["tests/fixtures/order_total.lock"], b"other\n", b"zero\0byte\n"],
    "data.csv": [b"1\n", b"2\n"],
    RECORD: [FILES[RECORD], b"{}\n"],
    "src/orders.py": [FILES["src/orders.py"], b"\n" + FILES["src/orders.py"]],
    "src/__init__.py": [b""],
    "props/order_total.py": [FILES["props/order_total.py"], b"\n" + FILES["props/order_total.py"]],
    "catalog/claimed.json": [FILES["catalog/claimed.json"], b"[]\n"],
    "docs/page.md": [b"1\n", b"2\n"],
}  # fmt: skip


def history(repo: Repo, seed: int, commits: int) -> None:
    """Random commits, merges among them, on a few branches that start at the good project; `main` is the last one."""
    rng = random.Random(seed)
    with_files(repo, FILES).commit()
    repo.git("update-ref", "refs/start", "HEAD")
    tips = [repo.head()]
    trees = {repo.head(): dict(FILES)}
    for _ in range(commits):
        parents = rng.sample(tips, 2) if len(tips) > 1 and rng.random() < 0.3 else [rng.choice(tips)]
        files = dict(trees[parents[0]])
        if len(parents) > 1:
            files = {path: trees[rng.choice(parents)].get(path, files.get(path, b"")) for path in files}
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            path = rng.choice(list(TEXTS))
            if rng.random() < 0.2:
                files.pop(path, None)
            else:
                files[path] = rng.choice(TEXTS[path])
        if rng.random() < 0.3 and not files.get(SCOPE, b"[").endswith(b"[\n") and OTHER not in files:
            files = rebind(files) if {"tests/fixtures/order_total.lock", "tests/fixtures/gen_orders.py"} <= set(files) and (
                b"data.csv" not in files[SCOPE] or "data.csv" in files
            ) else files  # fmt: skip
        if "tests/properties/amounts/__init__.py" in files and rng.random() < 0.5:
            files.pop("tests/properties/amounts/__init__.py")
        with_files(repo, files)
        repo._clock += 60
        tree = repo.git("write-tree").decode().strip()
        made = repo.git("commit-tree", tree, "-m", "step", *(word for each in parents for word in ("-p", each)))
        commit = made.decode().strip()
        trees[commit] = files
        tips = [tip for tip in tips if tip not in parents or rng.random() < 0.3] + [commit]
    repo.git("update-ref", "refs/end", tips[-1])


def judged(repo: Repo) -> pushes.Judgement:
    update = Update(b"refs/heads/main", repo.resolve("refs/start"), repo.resolve("refs/end"))
    repository = Repository()
    try:
        push = read_push((update,), [b"refs/heads/*"], None)
        return pushes.judge_push(repository, push, None)
    finally:
        repository.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_neither_the_index_nor_a_second_process_changes_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    repo = Repo(tmp_path / "repo")
    history(repo, seed, 25)
    repo.git("update-ref", "refs/heads/main", "refs/start")
    monkeypatch.chdir(repo.path)
    monkeypatch.setattr(pushes, "_INDEX_FROM", 10_000)
    plain = judged(repo)
    monkeypatch.setattr(pushes, "Options", lambda config: Options(config, narrow_from=0))
    assert judged(repo).groups == plain.groups
    monkeypatch.undo()
    monkeypatch.chdir(repo.path)
    monkeypatch.setattr(pushes, "_INDEX_FROM", 1)
    indexed = judged(repo)
    monkeypatch.setattr(pushes, "_SPLIT_FROM", 2)
    monkeypatch.setattr(pushes, "can_split", lambda: True)
    split = judged(repo)
    assert plain.groups
    said = [
        {(group.commit, finding) for group in each.groups for finding in group.findings}
        for each in (plain, indexed, split)
    ]
    # Two processes say what one says, and again what both of them came upon.
    assert said[1] <= said[2] | {(None, finding) for _, finding in said[2]}
    assert not said[2] - said[0]
    # A unit that was judged bad in one commit is not judged again where it is the same.
    again = said[0] - said[1]
    assert not said[1] - said[0]
    assert {finding for _, finding in again} <= {finding for _, finding in said[1]}

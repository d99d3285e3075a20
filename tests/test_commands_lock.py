"""`lock` writes predicate digests into scope files of the working tree, as the check computes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, Completed, Repo, good_project, with_files
from freezegate.digests import Item, digest_of
from shell import shell

PREDICATE = "tests/properties/order_total.py"
HELPER = "tests/properties/amounts.py"


def unbound() -> dict[str, bytes]:
    """The good project without anything that a changed scope would reopen."""
    return {path: data for path, data in good_project().items() if path not in (RECORD, COUNTEREXAMPLE, CITATION)}


def ready(path: Path, files: dict[str, bytes] | None = None) -> Repo:
    repo = with_files(Repo(path), files or unbound())
    repo.commit()
    return repo


def closure_digest(repo: Repo, *paths: str, sized: bool = False) -> str:
    items = []
    for path in sorted(paths):
        data = repo.at(path).read_bytes()
        items.append(Item(path.encode(), 0o100644, len(data), (data,)))
    return digest_of(items, sized=sized)


def stated(repo: Repo, path: str = SCOPE) -> str:
    found = re.search(rb"(?m)^predicate_digest: (\S+)\r?$", repo.at(path).read_bytes())
    assert found is not None
    return found[1].decode()


def locks(repo: Repo, *words: str) -> Completed:
    done = repo.run("lock", *words)
    assert done.code == 0, done.err
    return done


def test_a_named_scope_is_locked_in_the_working_tree_alone(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    before, index = repo.at(SCOPE).read_bytes(), repo.git("ls-files", "-s")
    done = locks(repo, SCOPE_ID)
    expected = closure_digest(repo, PREDICATE, HELPER)
    assert repo.at(SCOPE).read_bytes() == before + f"predicate_digest: {expected}\n".encode()
    assert f"locked {SCOPE}" in done.out and f"git add -- {SCOPE}" in done.out
    assert repo.git("ls-files", "-s") == index
    assert locks(repo, SCOPE).out == "nothing to lock\n"
    repo.stage_all()
    assert repo.rules() == []


def test_without_names_every_stale_scope_is_locked_and_no_other(tmp_path: Path) -> None:
    files = unbound()
    files["tests/properties/other.py"] = b"def test_other(case):\n    assert case\n"
    other = "tests/properties/other.scope.yaml"
    text = files[SCOPE].replace(b"order_total.py:test_total_non_negative", b"other.py:test_other")
    files[other] = text.replace(SCOPE_ID.encode(), b"other.one")
    bare = "tests/properties/bare.scope.yaml"
    files[bare] = files[SCOPE].replace(SCOPE_ID.encode(), b"bare.one")
    repo = ready(tmp_path, files)
    assert locks(repo).out == "nothing to lock\n"
    locks(repo, SCOPE, other)
    repo.commit_all()
    repo.write(HELPER, repo.at(HELPER).read_bytes() + b"# more\n")
    kept = repo.at(other).read_bytes()
    assert locks(repo).out.startswith(f"locked {SCOPE}\nstage it")
    assert stated(repo) == closure_digest(repo, PREDICATE, HELPER)
    assert repo.at(other).read_bytes() == kept
    assert repo.at(bare).read_bytes() == files[bare]
    repo.write(".freezegate.yaml", "policy: {require_predicate_digest: true}\n")
    assert locks(repo).out == "nothing to lock\n", "the config that judges the next commit is HEAD's"
    repo.commit_all()
    assert f"locked {bare}" in locks(repo).out


def test_the_formula_is_the_policy_s_or_the_stated_one_s(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.write(SCOPE, repo.at(SCOPE).read_bytes() + b"predicate_digest: sized:" + b"0" * 64 + b"\n")
    locks(repo)
    assert stated(repo) == closure_digest(repo, PREDICATE, HELPER, sized=True)
    repo.write(SCOPE, unbound()[SCOPE])
    repo.write(".freezegate.yaml", "policy: {framing: sized}\n")
    repo.commit_all()
    locks(repo, SCOPE)
    assert stated(repo) == closure_digest(repo, PREDICATE, HELPER, sized=True)


@pytest.mark.parametrize(
    ("path", "data", "said"),
    [
        (PREDICATE, b"x = 1\n", "no function"),
        (PREDICATE, b"def test_total_non_negative(case:\n", "parse"),
        (PREDICATE, b"def test_total_non_negative(case):\n    eval('1')\n", "eval"),
        (HELPER, b"import importlib\nimportlib.import_module(x)\n", "line 2"),
        (SCOPE, b"scope_id: a.b\n", "line"),
        (SCOPE, b"\xff", "line"),
    ],
)
def test_a_predicate_that_is_not_to_be_told_is_refused(tmp_path: Path, path: str, data: bytes, said: str) -> None:
    repo = ready(tmp_path)
    repo.write(path, data)
    before = repo.at(SCOPE).read_bytes()
    done = repo.run("lock", SCOPE)
    assert done.code == 1 and said in done.err and SCOPE in done.err, done.err
    assert repo.at(SCOPE).read_bytes() == before


def test_a_missing_predicate_is_refused_and_the_others_are_locked(tmp_path: Path) -> None:
    files = unbound()
    gone = "tests/properties/gone.scope.yaml"
    files[gone] = files[SCOPE].replace(b"order_total.py:", b"gone.py:").replace(SCOPE_ID.encode(), b"gone.one")
    repo = ready(tmp_path, files)
    done = repo.run("lock", gone, SCOPE)
    assert done.code == 1 and f"refused {gone}: there is no regular file" in done.err
    assert f"locked {SCOPE}" in done.out
    assert repo.run("lock", "no.such").code == 2


def test_a_file_that_a_filter_converts_is_edited_as_it_lies_there(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.write(".gitattributes", "*.yaml text eol=crlf\n")
    text = unbound()[SCOPE].replace(b"\n", b"\r\n")
    repo.write(SCOPE, text)
    locks(repo, SCOPE)
    now = repo.at(SCOPE).read_bytes()
    assert now.startswith(text) and now.count(b"\r\n") == now.count(b"\n") == text.count(b"\r\n") + 1
    repo.git("config", "filter.other.clean", "sed s/order_total.non/other_total.non/")
    repo.write(".gitattributes", "*.yaml filter=other\n")
    done = repo.run("lock", SCOPE)
    assert done.code == 1 and "not what git would stage" in done.err
    assert repo.at(SCOPE).read_bytes() == now


def test_it_names_what_has_to_be_staged_beside_the_scope(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    locks(repo, SCOPE)
    repo.commit_all()
    repo.write(HELPER, repo.at(HELPER).read_bytes() + b"# edited\n")
    said = locks(repo, SCOPE).out.splitlines()
    assert said == [f"locked {SCOPE}", f"stage it: git add -- {SCOPE} {HELPER}"]
    repo.add(SCOPE)
    ((_, rule),) = repo.rules()
    assert rule == "predicate-without-scope"
    # The hint's command finds the scope right already, and says what is missing.
    said = locks(repo, SCOPE).out.splitlines()
    assert said == ["nothing to lock", f"stage it: git add -- {HELPER}"]
    shell(repo, said[1].removeprefix("stage it: "))
    assert repo.rules() == []
    assert locks(repo, SCOPE).out == "nothing to lock\n"


def test_a_module_removed_from_the_working_tree_has_to_be_staged_too(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.write(PREDICATE, b"def test_total_non_negative(case):\n    assert case\n")
    repo.remove(HELPER)
    said = locks(repo, SCOPE).out.splitlines()
    assert said[-1] == f"stage it: git add -- {SCOPE} {HELPER} {PREDICATE}"
    shell(repo, said[-1].removeprefix("stage it: "))
    assert repo.rules() == []


def test_it_works_in_a_conflict(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.git("checkout", "-q", "-b", "topic")
    for branch in ("topic", "main"):
        repo.git("checkout", "-q", branch)
        repo.write(HELPER, f"{branch} = 1\n")
        repo.commit_all()
    repo.git("merge", "-q", "topic", check=False)
    repo.write(HELPER, b"SMALLEST = 0\n")
    assert locks(repo, SCOPE).out == f"locked {SCOPE}\nstage it: git add -- {SCOPE}\n"


def test_it_helps_after_a_refused_commit_that_left_the_index_behind(tmp_path: Path) -> None:
    repo = ready(tmp_path)
    repo.write(PREDICATE, repo.at(PREDICATE).read_bytes() + b"# edited\n")
    locks(repo, SCOPE)
    assert stated(repo) == closure_digest(repo, PREDICATE, HELPER)


@pytest.mark.parametrize("digest", [False, True])
def test_the_hint_mends_a_predicate_without_scope(tmp_path: Path, digest: bool) -> None:
    files = unbound()
    odd = "tests/properties/sub $(touch ran)/it's ö;.scope.yaml"
    files[odd] = files.pop(SCOPE)
    repo = ready(tmp_path, files)
    if digest:
        locks(repo, odd)
        repo.commit_all()
    repo.write(HELPER, repo.at(HELPER).read_bytes() + b"# edited\n")
    repo.stage_all()
    (finding,) = repo.check_json()["findings"]
    assert finding["rule"] == "predicate-without-scope"
    shell(repo, finding["hint"])
    assert repo.rules() == [] and not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["total.scope.yaml", "-to [a]*?.scope.yaml", ":(top) it's ö.scope.yaml"])
def test_what_is_to_be_staged_can_be_pasted_below_the_root(tmp_path: Path, name: str) -> None:
    files = unbound()
    path = f"tests/properties/{name}"
    files[path] = files.pop(SCOPE)
    repo = ready(tmp_path, files)
    locks(repo, path)
    repo.commit_all()
    repo.write(HELPER, repo.at(HELPER).read_bytes() + b"# edited\n")
    for folder in ("tests/fixtures", "tests/properties"):
        done = repo.run("lock", cwd=repo.at(folder))
        assert done.code == 0
        shell(repo, done.out.splitlines()[-1].removeprefix("stage it: "), repo.at(folder))
        assert repo.rules() == []
        repo.write(HELPER, repo.at(HELPER).read_bytes() + b"# again\n")

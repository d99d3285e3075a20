"""`draft`: what it writes for changed code, where it refuses to write, and what a command makes of the diff."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from building import Repo, environment, good_project, with_files
from freezegate.cli import catalogue, commands
from freezegate.documents.reading import read_property, read_scope

BINDINGS = ("tests/properties/", "tests/fixtures/", "tests/bindings/", "tests/freezes/")
VERDICTS = ("props/", "fixtures/", "catalog/", "freezes/")
CODE = """\
def total_cents(qty: int, unit_cents: float, gift: bool, note: str, lines: list[int], other, Scope="x"):
    return qty * unit_cents


def sum_of_lines(lines):
    # a comment is no change
    return sum(lines)


def scope():
    return 1


def _hidden(x):
    return x


class Order:
    def total(self):
        return 1
"""


@pytest.fixture(autouse=True)
def by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue.MODULES, "draft", "draft")
    for name in os.environ.keys() - environment().keys():
        monkeypatch.delenv(name)
    for name, value in environment().items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs the command in a repository, as the program does: exit status, standard output, standard error."""

    def run(repo: Repo, *words: str, cwd: str = "") -> tuple[int, str, str]:
        monkeypatch.chdir(repo.at(cwd))
        code = commands.run(["draft", "--base", "main", *words])
        done = capfd.readouterr()
        return code, done.out, done.err

    return run


def repository(path: Path, without: tuple[str, ...] = (), more: Mapping[str, bytes] | None = None) -> Repo:
    files = {name: data for name, data in good_project().items() if not name.startswith(without)}
    files |= more or {}
    repo = with_files(Repo(path), files)
    repo.commit()
    repo.git("checkout", "-q", "-b", "work")
    repo.write("src/orders.py", CODE)
    repo.write("src/shop/__init__.py", "def open_shop():\n    pass\n")
    repo.write("other/code.py", "def elsewhere(x):\n    pass\n")
    repo.write("src/broken.py", "def broken(:\n")
    repo.commit_all()
    return repo


def written(repo: Repo, folder: str = "freezegate-drafts") -> dict[str, bytes]:
    assert repo.git("status", "--porcelain", "--ignored").split() in ([], [b"??", folder.encode() + b"/"])
    place = repo.at(folder)
    return {path.name: path.read_bytes() for path in place.iterdir()} if place.is_dir() else {}


def test_scopes_and_entries_where_the_project_has_both(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    code, out, err = call(repo)
    assert (code, err) == (0, "")
    files = written(repo)
    ids = ["orders.scope_holds", "orders.total_cents", "shop.open_shop"]
    assert sorted(files) == sorted([f"{each}.yaml" for each in ids] + [f"{each}.scope.yaml" for each in ids])
    scope = read_scope(files["orders.total_cents.scope.yaml"])
    assert scope.problems == () and scope.document is not None
    assert scope.document.scope_id == "orders.total_cents"
    assert scope.document.predicate == "tests/properties/orders_total_cents.py:test_total_cents"
    assert scope.document.generator == "tests/fixtures/gen_orders_total_cents.py"
    assert list(scope.document.domain.fields) == ["qty", "unit_cents", "gift", "note", "lines", "other"]
    entry = read_property(files["orders.total_cents.yaml"])
    assert entry.problems == () and entry.document is not None
    assert entry.document.scope == "tests/properties/orders_total_cents.scope.yaml"
    assert entry.document.oracle == scope.document.predicate
    assert read_scope(files["orders.scope_holds.scope.yaml"]).problems == ()
    assert b"total_cents in src/orders.py is changed." in files["orders.total_cents.yaml"]
    assert b"open_shop in src/shop/__init__.py is new." in files["shop.open_shop.yaml"]
    assert "orders.total_cents.scope.yaml (belongs at tests/properties/orders_total_cents.scope.yaml)" in out
    assert "freezegate check" in out
    assert not {"pass", "fail", "inconclusive", "promoted"} & set(out.split())


def test_a_draft_in_its_place_is_one_that_the_gate_reads(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    call(repo)
    repo.at("freezegate-drafts/orders.total_cents.yaml").rename(repo.at("catalog/orders_total_cents.yaml"))
    scope = "tests/properties/orders_total_cents.scope.yaml"
    repo.at("freezegate-drafts/orders.total_cents.scope.yaml").rename(repo.at(scope))
    repo.remove("freezegate-drafts")
    repo.stage_all()
    found = repo.check_json("--all-files")["findings"]
    assert {row["path"] for row in found} == {scope, "catalog/orders_total_cents.yaml"}
    assert all("no regular file" in row["message"] for row in found), found


@pytest.mark.parametrize(
    ("without", "ending"), [(VERDICTS, ".scope.yaml"), (BINDINGS, ".yaml"), (VERDICTS + BINDINGS, ".yaml")]
)
def test_one_kind_where_the_project_has_one_half(
    tmp_path: Path, call: Any, without: tuple[str, ...], ending: str
) -> None:
    repo = repository(tmp_path, without)
    assert call(repo)[0] == 0
    files = written(repo)
    assert "orders.total_cents" + ending in files and len(files) == 3
    for name, data in files.items():
        reading = read_scope(data) if name.endswith(".scope.yaml") else read_property(data)
        assert reading.problems == ()
    if ending == ".yaml":
        entry = read_property(files["orders.total_cents.yaml"]).document
        assert entry is not None and entry.scope is None
        assert (entry.oracle, entry.cases) == (
            "props/orders_total_cents.py:check_total_cents",
            "orders_total_cents/*.json",
        )


def test_odd_names_give_documents_that_can_be_read(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    deep = "/".join(["very_long_folder_name"] * 9)
    for path in ("src/A b\n-c.py", f"src/{deep}/x.py", "src/\udcff.py", "src/true.py"):
        repo.write(os.fsencode(path), "def Größe(null: int, ünit: bool):\n    pass\n")
    repo.commit_all()
    assert call(repo)[0] == 0
    files = written(repo)
    assert len(files) == 6 + 8
    for name, data in files.items():
        reading = read_scope(data) if name.endswith(".scope.yaml") else read_property(data)
        assert reading.problems == (), (name, data)
    assert "true.gr__e.yaml" in files


def test_an_id_that_is_taken_gets_a_number(tmp_path: Path, call: Any) -> None:
    entry = good_project()["catalog/order_total.yaml"].replace(b"prop.order_total", b"orders.total_cents")
    repo = repository(tmp_path, BINDINGS, {"catalog/a.yaml": entry})
    repo.write("src/Orders.py", "def Total_cents(x):\n    pass\n")
    repo.commit_all()
    assert call(repo)[0] == 0
    assert {"orders.total_cents2.yaml", "orders.total_cents3.yaml"} <= written(repo).keys()


def test_nothing_to_draft(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    repo.git("reset", "-q", "--hard", "main")
    code, out, err = call(repo)
    assert (code, err) == (0, "") and "nothing to draft" in out and written(repo) == {}
    code, out, err = call(repo, "--with", f"{sys.executable} -c 'raise SystemExit(9)'")
    assert (code, err) == (0, "") and "nothing to draft" in out and written(repo) == {}


def test_nothing_is_overwritten(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    repo.write("freezegate-drafts/shop.open_shop.yaml", "mine\n")
    code, out, err = call(repo)
    assert (code, out) == (2, "") and "is there already" in err
    assert written(repo) == {"shop.open_shop.yaml": b"mine\n"}


@pytest.mark.parametrize(
    "folder",
    [
        "props", "props/deep", "Props/deep", "fixtures", "catalog", "tests/properties/x", "tests/fixtures", "tests/bindings",
        "tests/freezes/x", "src", "src/deep", ".git", ".git/x", "vendor/.git/hooks", ".github/workflows", "catalog/claimed.json",
    ],
)  # fmt: skip
def test_it_refuses_to_write_where_git_or_the_gate_looks(tmp_path: Path, call: Any, folder: str) -> None:
    repo = repository(tmp_path)
    code, out, err = call(repo, "--out", folder)
    assert (code, out) == (2, "") and "hint: name a" in err
    assert call(repo, "--out", str(repo.path / folder))[0] == 2
    assert call(repo, "--out", f"../{folder}", cwd="src")[0] == 2
    assert repo.git("status", "--porcelain", "--ignored") == b""
    assert not list(repo.path.rglob("*.total_cents.yaml"))


def test_the_layouts_of_both_sides_are_refused(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path, more={".freezegate.yaml": b"layout: {catalog: old/props}\n"})
    repo.write(".freezegate.yaml", "layout: {catalog: new/props}\n")
    repo.commit_all()
    assert call(repo, "--out", "old/props/x")[0] == 2
    assert call(repo, "--out", "new/props")[0] == 2
    assert call(repo, "--out", "new")[0] == 0


@pytest.mark.parametrize(
    ("link", "target"), [("freezegate-drafts", "props"), ("away", "props"), ("up", "."), ("gone", "x/y")]
)
def test_no_link_is_followed(tmp_path: Path, call: Any, link: str, target: str) -> None:
    repo = repository(tmp_path)
    repo.link(link, target)
    for out in (link, f"{link}/deep", str(repo.path / link / "deep")):
        code, printed, err = call(repo, "--out", out)
        assert (code, printed) == (2, "") and "symbolic link" in err, out
    if link == "freezegate-drafts":
        assert call(repo)[0] == 2
    assert not list(repo.path.rglob("*.total_cents.yaml"))


def test_a_link_from_outside_leads_into_no_gated_folder(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path / "repo")
    (tmp_path / "side").symlink_to("repo", target_is_directory=True)
    code, _, err = call(repo, "--out", str(tmp_path / "side" / "props"))
    assert code == 2 and "under the gate" in err


def test_outside_the_repository_and_below_a_linked_top(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path / "repo")
    assert call(repo, "--out", str(tmp_path / "apart" / "x"))[0] == 0
    assert (tmp_path / "apart" / "x" / "orders.total_cents.yaml").is_file()
    assert written(repo) == {}
    (tmp_path / "link").symlink_to("repo", target_is_directory=True)
    assert call(Repo(tmp_path / "link", create=False))[0] == 0
    assert written(repo)


def test_a_file_in_the_place_of_the_folder(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    repo.write("freezegate-drafts", "mine\n")
    code, _, err = call(repo)
    assert code == 2 and "is no folder" in err and repo.at("freezegate-drafts").read_bytes() == b"mine\n"


ECHO = f"{shlex.quote(sys.executable)} -c 'import sys; sys.stdout.write(sys.stdin.read())'"


def test_a_command_gets_the_diff_and_its_answer_is_the_draft(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    repo.git("config", "diff.noprefix", "true")
    repo.write(".gitattributes", "* -diff\n")
    head = repo.commit_all()
    code, out, err = call(repo, "--with", ECHO)
    assert (code, err) == (0, "") and "freezegate check" in out
    ((name, diff),) = written(repo).items()
    assert name == f"{head[:12]}.txt"
    assert b"+++ b/src/orders.py" in diff and b"+    # a comment is no change" in diff
    repo.remove("freezegate-drafts")
    repo.git("checkout", "-q", "main")
    repo.git("apply", "--index", input=diff)
    assert repo.git("write-tree").decode().strip() == repo.tree(head)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import sys; print(1); sys.exit(3)", "exit status 3"),
        ("import os; print(1, flush=True); os.kill(os.getpid(), 9)", "signal 9"),
        ("print(' ')", "printed nothing"),
        ("print('x' * (1 << 20))", "at most 1048576"),
    ],
)
def test_a_command_that_fails_writes_nothing(tmp_path: Path, call: Any, script: str, said: str) -> None:
    repo = repository(tmp_path)
    code, out, err = call(repo, "--with", shlex.join([sys.executable, "-c", script]))
    assert (code, out) == (2, "") and said in err and "standard input" in err and written(repo) == {}


@pytest.mark.parametrize(
    ("command", "said"),
    [("", "names no command"), ("a 'b", "no closing quotation"), ("./no-such-program", "could not be started")],
)
def test_what_is_no_command(tmp_path: Path, call: Any, command: str, said: str) -> None:
    repo = repository(tmp_path)
    code, out, err = call(repo, "--with", command)
    assert (code, out) == (2, "") and said in err and written(repo) == {}


def test_a_command_is_not_run_where_its_answer_could_not_be_written(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    script = "import pathlib; pathlib.Path('ran').touch(); print(1)"
    assert call(repo, "--out", "props", "--with", shlex.join([sys.executable, "-c", script]))[0] == 2
    assert not repo.at("ran").exists()


def test_code_is_read_and_not_imported(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    repo.write("src/live.py", "import pathlib\npathlib.Path('ran').touch()\n\n\ndef live(x):\n    pass\n")
    repo.commit_all()
    assert call(repo)[0] == 0 and "live.live.yaml" in written(repo)
    assert not repo.at("ran").exists()


def test_unknown_base_and_unrelated_histories(tmp_path: Path, call: Any) -> None:
    repo = repository(tmp_path)
    code, _, err = call(repo, "--base", "nowhere")
    assert code == 2 and "does not exist here" in err
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit()
    code, _, err = call(repo)
    assert code == 2 and "no common ancestor" in err

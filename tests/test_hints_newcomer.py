"""Hints that somebody new to the gate meets first: each names what to do next, and that leads on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, Repo, good_project, with_files
from freezegate.documents.reading import read_config
from freezegate.gate.explaining import WIDTH
from freezegate.verdicts.reporting import table
from shop import Shop, evidence

ENTRY = "catalog/order_total.yaml"
ORACLE = "props/order_total.py"
LEDGER = "freezes/ledger.json"


def project(path: Path, without: tuple[str, ...] = (), changes: Mapping[str, str] | None = None) -> Repo:
    files = {name: data for name, data in good_project().items() if name not in without}
    files |= {name: text.encode() for name, text in (changes or {}).items()}
    repo = with_files(Repo(path), files)
    repo.commit()
    return repo


def hints(repo: Repo, rule: str) -> list[str]:
    return [row["hint"] for row in repo.check_json("--all")["findings"] if row["rule"] == rule]


# -- a source that is one file


def test_a_source_that_is_one_file_is_drafted(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.write(".freezegate.yaml", "layout: {source: [money.py]}\n")
    repo.write("money.py", "def add(a, b):\n    return a + b\n")
    repo.commit_all()
    repo.git("checkout", "-q", "-b", "patch")
    repo.write("money.py", "def add(a, b):\n    return b + a\n")
    repo.commit_all()
    done = repo.run("draft", "--base", "main")
    assert (done.code, done.err) == (0, "")
    assert "money.add" in done.out and (tmp_path / "freezegate-drafts" / "money.add.yaml").is_file()


def test_a_file_beside_the_source_is_not(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.write(".freezegate.yaml", "layout: {source: [money.py]}\n")
    repo.commit_all()
    repo.git("checkout", "-q", "-b", "patch")
    repo.write("other.py", "def add(a, b):\n    return a + b\n")
    repo.commit_all()
    assert "nothing to draft" in repo.run("draft", "--base", "main").out


@pytest.mark.parametrize(
    ("files", "source"),
    [
        (("money.py",), ["money.py"]),
        (("money.py", "setup.py", "conftest.py", "test_money.py", "money_test.py"), ["money.py"]),
        (("money.py", "shop/__init__.py"), ["shop"]),
        (("money.py", "src/a.py"), ["src"]),
        (("money.py", "bank.py"), ["src"]),
        (("a-b.py",), ["src"]),
    ],
)
def test_init_names_the_only_module(tmp_path: Path, files: tuple[str, ...], source: list[str]) -> None:
    repo = Repo(tmp_path)
    for path in files:
        repo.write(path, "X = 1\n")
    done = repo.run("init")
    assert (done.code, done.err) == (0, "")
    config = read_config(repo.at(".freezegate.yaml").read_bytes()).document
    assert config is not None and [str(path) for path in config.layout.source] == source
    assert ("No source folder was found" in done.out) == (source == ["src"] and "src/a.py" not in files)
    repo.stage_all()
    assert repo.rules() == []


# -- a revision that is not there


def origin(path: Path) -> Repo:
    repo = project(path)
    repo.git("branch", "side")
    repo.commit("two")
    return repo


def revision_hint(repo: Repo, revision: str) -> str:
    done = repo.run("draft", "--base", revision)
    assert (done.code, done.out) == (2, "") and f"the revision {revision} does not exist here" in done.err
    return done.err


def test_a_shallow_clone_says_so_and_the_hint_leads_on(tmp_path: Path) -> None:
    clone = origin(tmp_path / "a").clone(tmp_path / "b", "--depth=1")
    assert "history is shallow" in revision_hint(clone, "HEAD~1")
    said = revision_hint(clone, "origin/side")
    assert "    hint: git fetch --unshallow origin '+refs/heads/*:refs/remotes/origin/*', then" in said
    clone.git("fetch", "-q", "--unshallow", "origin", "+refs/heads/*:refs/remotes/origin/*")
    assert clone.run("draft", "--base", "origin/side").code == 0
    assert clone.run("draft", "--base", "HEAD~1").code == 0


def test_the_remote_that_is_there_is_named(tmp_path: Path) -> None:
    repo = origin(tmp_path / "a")
    said = revision_hint(repo, "gone")
    assert "git fetch" not in said and "origin" not in said and "git branch" in said
    clone = repo.clone(tmp_path / "b")
    assert "hint: git fetch origin, then" in revision_hint(clone, "gone")
    clone.git("remote", "rename", "origin", "upstream")
    assert "hint: git fetch upstream, then" in revision_hint(clone, "gone")


# -- explain


def test_every_reason_is_explained(tmp_path: Path) -> None:
    repo = Repo(tmp_path, create=False)
    listed = repo.run("explain").out
    for word, means in table.words().items():
        done = repo.run("explain", word)
        told = " ".join(done.out.split())
        assert done.code == 0 and means in told and table.todo(word) in told
        assert f"\n  {word} " in listed and max(map(len, done.out.splitlines())) <= WIDTH
    assert {"oracle_moved", "missing_run", "review", *table.REASONS} <= table.words().keys()
    done = repo.run("explain", "oracle-move")
    assert done.code == 2 and "did you mean oracle_moved" in done.err


# -- cases


@pytest.mark.parametrize(
    ("cases", "meant"),
    [
        ("fixtures/orders.json", "orders.json"),
        ("/orders.json", "orders.json"),
        ("../fixtures/orders.json", "orders.json"),
        ("./orders.json", "orders.json"),
        ("**", "**/*"),
        ("gone.json", None),
    ],
)
def test_where_cases_are_looked_for_is_said(tmp_path: Path, cases: str, meant: str | None) -> None:
    entry = f'id: prop.order_total\noracle: props/order_total.py\nclaim: x\nmutates_fixture: false\ncases: "{cases}"\n'
    shop = Shop(tmp_path / "shop", order_total_yaml=entry, tax_csv="cents,tax\n")
    shop.patch()
    _, folder = shop.verdict()
    rows = {row["prop_id"]: row for row in evidence(folder, "verdicts")["verdicts"]}
    detail = rows["prop.order_total"]["detail"]
    assert rows["prop.order_total"]["reason"] == "missing_run"
    assert "cases is a glob below fixtures/" in detail
    assert detail.endswith(f'so write "{meant}"') if meant else "so write" not in detail
    assert "fixtures/tax.csv holds none" in rows["prop.tax_round"]["detail"]


# -- an oracle that is missing


def prop(oracle: str, more: str = "") -> dict[str, str]:
    return {ENTRY: f"id: prop.order_total\noracle: {oracle}\nclaim: x\nmutates_fixture: false\n{more}"}


@pytest.mark.parametrize(
    ("oracle", "code", "said"),
    [
        (f"{ORACLE}::test_totl", "def test_total():\n    pass\n", "did you mean test_total?"),
        (f"{ORACLE}::TestOrder::test_totl", "class TestOrders:\n    pass\n", "did you mean TestOrders?"),
        (f"{ORACLE}::TestIt::test_totl", "class TestIt:\n    def test_total(self): pass\n", "did you mean test_total?"),
        (f"{ORACLE}:check_totl", "def check_total(case):\n    pass\n", "did you mean check_total?"),
        (f"{ORACLE}:test_total", "@given(1)\ndef test_total(x):\n    pass\n", "two colons before test_total"),
        (ORACLE, "def test_total():\n    pass\n", "two colons before test_total"),
        ("props/gone.py", "", f"git add -- props/gone.py where it is only in the working tree, else edit {ENTRY}"),
    ],
)
def test_a_missing_oracle_is_hinted_at_by_its_cause(tmp_path: Path, oracle: str, code: str, said: str) -> None:
    repo = project(tmp_path, changes={**prop(oracle), ORACLE: code})
    (hint,) = hints(repo, "oracle-missing")
    assert said in hint and "edit" in hint


def test_nothing_near_names_nothing(tmp_path: Path) -> None:
    repo = project(tmp_path, changes=prop(f"{ORACLE}::qqqq"))
    assert hints(repo, "oracle-missing") == [
        f"edit {ENTRY} or the oracle: one plain function that takes case or fixtures"
    ]


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        (SCOPE_ID, f"name the scope by its path, {SCOPE}"),
        ("tests/properties/order_totl.scope.yaml", f"did you mean {SCOPE}?"),
    ],
)
def test_a_scope_is_named_by_its_path(tmp_path: Path, scope: str, said: str) -> None:
    repo = project(tmp_path, changes=prop("tests/properties/order_total.py", f"scope: {scope}\n"))
    (hint,) = hints(repo, "oracle-missing")
    assert hint.startswith(said)


# -- the ledger


def freeze(**changes: str) -> str:
    entry = {
        "prop_id": "prop.order_total",
        "signature": "a" * 64,
        "fixture_digest": "b" * 64,
        "base_revision": "c" * 40,
    }
    return json.dumps([{**entry, **changes}])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"base_revision": "main"}, "git rev-parse main gives"),
        ({"base_revision": "--all"}, "git rev-parse REV gives"),
        ({"base_revision": "a b"}, "git rev-parse 'a b' gives"),
        ({"signature": "x"}, "freezegate reproduce writes it"),
        ({"fixture_digest": "x"}, "freezegate fixture-lock"),
        ({"note": "x"}, "as freezegate reproduce writes them"),
    ],
)
def test_a_ledger_field_says_where_it_comes_from(tmp_path: Path, changes: dict[str, str], said: str) -> None:
    (hint,) = hints(project(tmp_path, changes={LEDGER: freeze(**changes)}), "ledger-schema")
    assert said in hint


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("prop.order_totl", "did you mean prop.order_total? else freezegate retire prop.order_totl"),
        ("qqqq", "freezegate retire qqqq"),
    ],
)
def test_an_unknown_property_may_be_a_typo(tmp_path: Path, given: str, said: str) -> None:
    assert hints(project(tmp_path, changes={LEDGER: freeze(prop_id=given)}), "ledger-unknown-property") == [said]


# -- cite, retire


def test_a_case_without_record_is_bound_next(tmp_path: Path) -> None:
    repo = project(tmp_path, without=(RECORD, CITATION, COUNTEREXAMPLE))
    done = repo.run("cite", SCOPE_ID)
    assert done.code == 1 and f"hint: freezegate property-run --scope {SCOPE_ID}" in done.err
    bind = f"hint: freezegate bind --scope {SCOPE} --case {COUNTEREXAMPLE}\n"
    repo.write(COUNTEREXAMPLE, good_project()[COUNTEREXAMPLE])
    for _ in range(2):
        done = repo.run("cite", SCOPE_ID)
        assert done.code == 1 and done.err.endswith(bind) and "git add" not in done.err
        repo.stage_all()
    repo.write(RECORD, good_project()[RECORD])
    done = repo.run("cite", SCOPE_ID)
    assert done.code == 1 and f"git add -- {RECORD}" in done.err and "freezegate bind" not in done.err


@pytest.mark.parametrize("command", ["cite", "retire"])
def test_a_typo_of_an_id(tmp_path: Path, command: str) -> None:
    repo = project(tmp_path)
    done = repo.run(command, "order_total.non_negativ")
    assert done.code == 1 and f"did you mean {SCOPE_ID}?" in done.err
    done = repo.run(command, "zzz.q")
    assert done.code == 1 and "did you mean" not in done.err


def test_a_property_that_is_not_frozen_is_no_typo(tmp_path: Path) -> None:
    done = project(tmp_path).run("retire", "prop.order_total")
    assert done.code == 1 and "did you mean" not in done.err and "commit of its own" in done.err


# -- what runs


@pytest.mark.parametrize(
    "words", [["property-run"], ["classify"], ["bind", "--case", "x"], ["property-eval", "--case", "x"]]
)
def test_a_scope_without_its_flag(tmp_path: Path, words: list[str]) -> None:
    done = project(tmp_path).run(*words, SCOPE)
    assert (done.code, done.out) == (2, "")
    assert f"hint: freezegate {words[0]} --scope {SCOPE}\n" in done.err


def test_other_unknown_arguments_are_argparse_s(tmp_path: Path) -> None:
    repo = project(tmp_path)
    for words in (["property-run", "--nope"], ["cite", SCOPE_ID, "more"]):
        done = repo.run(*words)
        assert done.code == 2 and "unrecognized arguments" in done.err and "--scope SCOPE\n" not in done.err


def test_all_of_no_scopes(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.write("src/a.py", "")
    repo.commit_all()
    done = repo.run("property-run", "--all")
    assert done.code == 2 and "docs/documents.md" in done.err and "init" not in done.err

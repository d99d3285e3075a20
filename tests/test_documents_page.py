"""The page of documents is one project: its files, its values and its commands are taken through the gate."""

from __future__ import annotations

import json
import random
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml

from building import Repo
from freezegate.documents.domain import domain_from_value, outside
from shell import shell, typed

PAGE = (Path(__file__).parent.parent / "docs" / "documents.md").read_text(encoding="utf-8")
SHOWN = re.compile(r"^<!-- (?:file|example): (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RECIPE = PAGE.partition("### How they are made")[2].partition("\n## ")[0]
BLOCKS = [textwrap.dedent(block) for block in re.findall(r"^ *```sh\n(.*?)^ *```$", RECIPE, re.MULTILINE | re.DOTALL)]

SCOPE_FILE = "tests/properties/total.scope.yaml"
CASE_FILE = "tests/bindings/orders.total.cex.json"
RECORD_FILE = "tests/bindings/orders.total.json"
CITATION_FILE = "tests/freezes/orders.total.freeze.json"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Adopted on main; on a branch, uncommitted, everything of the page but record and citation."""
    made = Repo(tmp_path / "r")
    made.write("src/orders.py", "def total_cents(qty, unit_cents):\n    return qty * unit_cents\n")
    made.commit_all()
    shell(made, "freezegate init")
    made.write(".git/hooks/pre-commit", "#!/bin/sh\nexec freezegate check\n", mode=0o755)
    shell(made, "git add -A && git commit -qm 'Adopt freezegate' && git checkout -qb topic")
    shown = dict(SHOWN.findall(PAGE))
    for name, text in shown.items():
        if "/" in name:
            made.write(name, text)
    made.write(SCOPE_FILE, shown["scope"])
    made.write(CASE_FILE, shown["counterexample"])
    return made


def test_the_shown_predicate_digest_is_that_of_the_shown_predicate(repo: Repo) -> None:
    assert shell(repo, f"freezegate lock {SCOPE_FILE}").startswith("nothing to lock\n")
    repo.write("tests/properties/total.py", "def test_total_non_negative(case):\n    assert case\n")
    assert shell(repo, f"freezegate lock {SCOPE_FILE}").startswith(f"locked {SCOPE_FILE}\n")


def test_case_and_record_are_made_as_the_page_says(repo: Repo) -> None:
    make, cite = BLOCKS
    repo.remove(CASE_FILE)
    codes = [typed(repo, line).code for line in make.splitlines()]
    assert codes == [0, 1, 0, 0, 0]
    assert repo.git("status", "--porcelain") == b""
    record = json.loads(repo.at(RECORD_FILE).read_bytes())
    assert (record["class_local"], record["class_isolated"]) == ("fail", "fail")
    assert record["fixture_digest"] == json.loads(dict(SHOWN.findall(PAGE))["record"])["fixture_digest"]
    assert repo.rules("--base", "main") == []
    shell(repo, cite)
    assert repo.git("status", "--porcelain") == b""
    # Commit for commit it passed; as one change it is what the page warns of.
    assert repo.rules("--base", "main") == [(CITATION_FILE, "citation-oracle-moved")]
    repo.git("branch", "-f", "main", "HEAD~")
    assert repo.rules("--base", "main") == []


def test_the_shown_record_and_citation_are_accepted(repo: Repo) -> None:
    shown = dict(SHOWN.findall(PAGE))
    repo.commit_all()
    repo.write(RECORD_FILE, shown["record"])
    repo.commit_all()
    shell(repo, "freezegate cite orders.total")
    assert json.loads(repo.at(CITATION_FILE).read_bytes()) == json.loads(shown["citation"])
    repo.commit_all()
    assert repo.rules("--all-files") == []


def test_the_finding_on_the_front_page_is_what_an_edit_of_the_predicate_gives(repo: Repo) -> None:
    repo.commit_all()
    repo.write("tests/properties/total.py", repo.at("tests/properties/total.py").read_bytes() + b"# x\n")
    repo.stage_all()
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```text\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert " ".join(shown.split()) in " ".join(repo.check().out.split())


@pytest.mark.parametrize("seed", range(20))
def test_the_shown_generator_stays_in_the_shown_domain(seed: int) -> None:
    shown = dict(SHOWN.findall(PAGE))
    domain = yaml.safe_load(shown["scope"])["domain"]
    module: dict[str, Any] = {}
    exec(shown["tests/fixtures/gen_orders.py"], module)
    assert outside(domain_from_value(domain), module["generate"](domain, random.Random(seed))) == []

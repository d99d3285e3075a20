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
RECIPE = PAGE.partition("### Record by hand")[2].partition("\n## ")[0]
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


def test_a_record_is_written_by_hand_as_the_page_says(repo: Repo) -> None:
    shown = dict(SHOWN.findall(PAGE))
    evaluate, values, commit, cite = BLOCKS
    failed = typed(repo, evaluate)
    assert failed.code == 1 and failed.err.splitlines()[-1] == "AssertionError"
    digest, sha256 = (line.split()[0] for line in shell(repo, values).splitlines())
    record = json.loads(shown["record"])
    assert (digest, sha256) == (record["fixture_digest"], record["counterexample_sha256"])
    repo.write(RECORD_FILE, shown["record"])
    shell(repo, commit)
    assert repo.git("status", "--porcelain") == b""
    assert repo.rules("--base", "main") == []
    shell(repo, cite)
    assert json.loads(repo.at(CITATION_FILE).read_bytes()) == json.loads(shown["citation"])
    assert repo.git("status", "--porcelain") == b""
    # Commit for commit it passed; as one change it is what the page warns of.
    assert repo.rules("--base", "main") == [(CITATION_FILE, "citation-oracle-moved")]
    repo.git("branch", "-f", "main", "HEAD~")
    assert repo.rules("--base", "main") == []


def test_the_finding_on_the_front_page_is_what_an_edit_of_the_predicate_gives(repo: Repo) -> None:
    repo.commit_all()
    repo.write("tests/properties/total.py", repo.at("tests/properties/total.py").read_bytes() + b"# x\n")
    repo.stage_all()
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```text\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert " ".join(shown.split()) in " ".join(repo.check().out.split())


def test_a_case_that_holds_is_told_by_the_shown_command(repo: Repo) -> None:
    repo.write("src/orders.py", "def total_cents(qty, unit_cents):\n    return 0\n")
    assert typed(repo, BLOCKS[0]).code == 0


@pytest.mark.parametrize("seed", range(20))
def test_the_shown_generator_stays_in_the_shown_domain(seed: int) -> None:
    shown = dict(SHOWN.findall(PAGE))
    domain = yaml.safe_load(shown["scope"])["domain"]
    module: dict[str, Any] = {}
    exec(shown["tests/fixtures/gen_orders.py"], module)
    assert outside(domain_from_value(domain), module["generate"](domain, random.Random(seed))) == []

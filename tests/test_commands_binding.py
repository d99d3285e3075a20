"""`check-binding` compares three local files; `cite` writes the citation of a closed record."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, Repo, as_json, good_project, rebind, with_files
from freezegate.gate.three_files import compare
from shell import shell

Change = Callable[[dict[str, Any]], object]


def three(**changes: Change) -> tuple[bytes, bytes, bytes]:
    """Citation, record and counterexample of the good project, each changed as its keyword says."""
    files = good_project()
    values = []
    for name, path in (("citation", CITATION), ("record", RECORD), ("case", COUNTEREXAMPLE)):
        value = json.loads(files[path])
        if name in changes:
            changes[name](value)
        values.append(as_json(value) if name in changes else files[path])
    return values[0], values[1], values[2]


def sets(**fields: object) -> Change:
    return lambda value: value.update(fields)


def drops(key: str) -> Change:
    return lambda value: value.pop(key)


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({}, 0, "closed"),
        ({"citation": sets(scope_id="other.id"), "record": sets(scope_id="other.id")}, 2, "scope_id"),
        ({"record": sets(fixture_digest="0" * 64)}, 2, "fixture_digest differs"),
        ({"record": sets(counterexample_sha256="0" * 64)}, 2, "counterexample_sha256 differs"),
        ({"record": sets(counterexample_sha256=None)}, 2, "counterexample_sha256 is null in the record"),
        ({"citation": drops("scope_id"), "record": drops("scope_id")}, 2, "scope_id is missing in the citation"),
        ({"citation": sets(fixture_digest=None)}, 2, "fixture_digest is null in the citation"),
        ({"citation": drops("freeze_reason")}, 2, "freeze_reason is missing"),
        ({"record": sets(class_isolated=None)}, 2, "class_isolated is null"),
        ({"case": drops("scope_id")}, 2, "scope_id is missing in the counterexample"),
        ({"record": sets(class_local="pass")}, 3, "class_local of the record"),
        ({"citation": sets(class_isolated="pass")}, 3, "class_isolated of the citation"),
        ({"case": sets(seed=18)}, 4, "hash"),
        ({"citation": sets(freeze_reason="flaky")}, 1, "citation is refused"),
        ({"record": sets(class_local="failed")}, 1, "record is refused"),
        ({"record": sets(more=1)}, 1, "record is refused"),
        ({"case": sets(predicate_result="pass")}, 1, "counterexample is refused"),
        ({"case": sets(input=[])}, 1, "counterexample is refused"),
        ({"citation": sets(scope_id=["a.b"]), "record": sets(scope_id=["a.b"])}, 1, "citation is refused"),
    ],
)
def test_the_answer_names_what_is_wrong(changes: dict[str, Change], status: int, said: str) -> None:
    answer = compare(*three(**changes))
    assert (answer.status, said in answer.reason) == (status, True), answer


def test_other_spellings_of_the_same_bytes_are_no_match() -> None:
    citation, record, case = three()
    assert compare(citation, record, case + b"\n").status == 4
    assert compare(citation, record.replace(b'"fail"', b'"fail", "class_local": "fail"', 1), case).status == 1
    assert compare(b"[]", record, case).status == 1
    assert compare(b"", record, case).status == 1


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_no_bytes_are_a_pass_or_an_exception(one: bytes, two: bytes, three_: bytes) -> None:
    assert compare(one, two, three_).status == 1


def test_the_command_works_outside_a_repository(tmp_path: Path) -> None:
    repo = Repo(tmp_path, create=False)
    names = ("citation\x1b[31m.json", "record.json", "case.json")
    for name, data in zip(names, three(), strict=True):
        (tmp_path / name).write_bytes(data)
    done = repo.run("check-binding", *names)
    assert done.code == 0 and "closed" in done.out and not done.err
    done = repo.run("check-binding", names[0], names[0], names[2])
    assert done.code == 1 and "Traceback" not in done.err
    for missing in ("none\x1b[31m", ".", "a\nb"):
        done = repo.run("check-binding", missing, *names[1:])
        assert done.code == 1 and "\x1b" not in done.err and len(done.err.splitlines()) == 1
    (tmp_path / "record.json").write_bytes(three(record=sets(class_local="pass"))[1])
    assert repo.run("check-binding", *names).code == 3
    assert repo.run("check-binding", names[0]).code == 2


def uncited(path: Path, **more: bytes) -> Repo:
    files = {name: data for name, data in good_project().items() if name != CITATION}
    repo = with_files(Repo(path), {**files, **more})
    repo.commit()
    return repo


def test_a_closed_record_is_cited(tmp_path: Path) -> None:
    repo = uncited(tmp_path)
    done = repo.run("cite", SCOPE_ID)
    assert done.code == 0 and f"cited {CITATION}" in done.out and f"git add -- {CITATION}" in done.out
    assert repo.at(CITATION).read_bytes() == good_project()[CITATION]
    assert CITATION.encode() not in repo.git("ls-files")
    again = repo.run("cite", SCOPE_ID)
    assert again.code == 0 and f"unchanged {CITATION}" in again.out
    repo.stage_all()
    assert repo.rules() == []


def test_a_citation_that_says_the_same_is_not_rewritten(tmp_path: Path) -> None:
    repo = uncited(tmp_path)
    own = json.dumps(json.loads(good_project()[CITATION])).encode()
    repo.write(CITATION, own)
    assert repo.run("cite", SCOPE_ID).code == 0
    assert repo.at(CITATION).read_bytes() == own


def test_an_expiry_is_written_where_policy_asks_for_one(tmp_path: Path) -> None:
    repo = uncited(tmp_path, **{".freezegate.yaml": b"policy: {expiry_days: 14}\n"})
    assert repo.run("cite", SCOPE_ID).code == 0
    day = datetime.now(timezone.utc).date() + timedelta(days=14)
    assert json.loads(repo.at(CITATION).read_bytes())["expires"] in (day.isoformat(), (day - timedelta(1)).isoformat())
    repo.stage_all()
    assert repo.rules() == []
    repo.write(".freezegate.yaml", "policy: {expiry_days: 999999999}\n")
    repo.stage_all()
    done = repo.run("cite", SCOPE_ID)
    assert done.code in (0, 2) and "internal error" not in done.err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"class_isolated": "pass"}, "environment_split"),
        ({"counterexample_sha256": None}, "null"),
        ({"fixture_digest": "0" * 64}, "recompute_digest"),
        ({"class_isolated": None}, "classifier_missing"),
    ],
)
def test_an_open_record_is_not_cited(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    repo = uncited(tmp_path, **{RECORD: rebind(good_project(), **changes)[RECORD]})
    done = repo.run("cite", SCOPE_ID)
    assert done.code == 1 and said in done.err
    assert not repo.at(CITATION).exists()


def test_the_record_of_the_index_counts_not_the_one_beside_it(tmp_path: Path) -> None:
    repo = uncited(tmp_path)
    repo.write(RECORD, "{}")
    assert repo.run("cite", SCOPE_ID).code == 0
    repo.stage_all()
    assert repo.run("cite", SCOPE_ID).code == 1


@pytest.mark.parametrize("given", ["none.such", "../../x", "", "a.b\n", "-x", "ö.b"])
def test_an_id_without_a_record_is_refused(tmp_path: Path, given: str) -> None:
    repo = uncited(tmp_path)
    done = repo.run("cite", "--", given)
    assert done.code == 1 and len(done.err.splitlines()) == 1
    assert repo.git("status", "--porcelain") == b""


def test_a_link_does_not_lead_the_citation_out_of_the_repository(tmp_path: Path) -> None:
    repo = uncited(tmp_path / "repo")
    (tmp_path / "outside").mkdir()
    repo.link("tests/freezes", "../../outside")
    done = repo.run("cite", SCOPE_ID)
    assert done.code == 2 and "tests/freezes" in done.err
    repo.stage_all()
    assert repo.run("cite", SCOPE_ID).code == 1
    assert not any((tmp_path / "outside").iterdir())


def test_the_hint_mends_a_citation_mismatch(tmp_path: Path) -> None:
    repo = uncited(tmp_path)
    repo.write(CITATION, good_project()[CITATION].replace(b'"class_local": "fail"', b'"class_local": "pass"'))
    repo.stage_all()
    (finding,) = repo.check_json()["findings"]
    assert finding["rule"] == "citation-mismatch"
    shell(repo, finding["hint"])
    repo.stage_all()
    assert repo.rules() == []


def test_a_scope_id_beside_many_others_is_found(tmp_path: Path) -> None:
    text = good_project()[SCOPE]
    more = {
        f"tests/properties/n{number}.scope.yaml": text.replace(SCOPE_ID.encode(), b"n.n%d" % number)
        for number in range(30)
    }
    repo = uncited(tmp_path, **more)
    assert repo.run("cite", SCOPE_ID).code == 0


@pytest.mark.parametrize("folder", ["tests", "tests/freezes", "docs/deep", "tests/properties"])
def test_what_is_to_be_staged_can_be_pasted_below_the_root(tmp_path: Path, folder: str) -> None:
    repo = uncited(tmp_path)
    repo.at(folder).mkdir(parents=True, exist_ok=True)
    done = repo.run("cite", SCOPE_ID, cwd=repo.at(folder))
    assert done.code == 0
    shell(repo, done.out.splitlines()[-1].removeprefix("stage it: "), repo.at(folder))
    assert CITATION.encode() in repo.git("ls-files")
    assert repo.rules() == []


LOCK = "tests/fixtures/order_total.lock"


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ([RECORD], "the record in the working tree is not staged: git add -- ../bindings/"),
        ([RECORD, COUNTEREXAMPLE], "the record and counterexample in the working tree are not staged: "),
        ([COUNTEREXAMPLE, SCOPE, LOCK], "the counterexample, scope and seed lock in the working tree are not staged: "),
    ],
)
def test_what_was_not_staged_is_named_where_that_is_why(tmp_path: Path, left_out: list[str], said: str) -> None:
    files = {name: data for name, data in good_project().items() if name != CITATION}
    repo = with_files(Repo(tmp_path), {name: data for name, data in files.items() if name not in left_out})
    repo.commit()
    for name in left_out:
        repo.write(name, files[name])
    folder = repo.at("tests/properties")
    done = repo.run("cite", SCOPE_ID, cwd=folder)
    assert done.code == 1 and said in done.err
    shell(repo, done.err[done.err.index("git add") :], folder)
    assert repo.run("cite", SCOPE_ID).code == 0


def test_a_refusal_that_staging_would_not_change_names_nothing_to_stage(tmp_path: Path) -> None:
    repo = uncited(tmp_path, **{RECORD: rebind(good_project(), class_isolated="pass")[RECORD]})
    repo.write("src/orders.py", "# not of the binding\n")
    repo.remove(COUNTEREXAMPLE)
    done = repo.run("cite", SCOPE_ID)
    assert done.code == 1 and "staged" not in done.err

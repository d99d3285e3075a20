"""Where the commands that run properties send a person next: notes, hints, and what became of a retained case."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, Repo, good_project, with_files
from test_commands_running import LOCK, PREDICATES, committed, project

GOOD = good_project()


def test_a_failure_that_may_be_a_slip_of_the_predicate_is_noted(tmp_path: Path) -> None:
    repo = committed(tmp_path, order_total_py="def test_total_non_negative(case):\n    assert totl(case) >= 0\n")
    done = repo.run("property-run", "--scope", SCOPE)
    assert done.code == 1
    assert "note: it failed by NameError at tests/properties/order_total.py:2, not by an assertion" in done.out


def test_an_assertion_is_no_slip(tmp_path: Path) -> None:
    repo = committed(tmp_path, order_total_py=PREDICATES["fails"])
    done = repo.run("property-run", "--scope", SCOPE)
    assert done.code == 1 and "note:" not in done.out


def test_a_generator_that_does_not_draw_from_rng_is_noted(tmp_path: Path) -> None:
    text = 'def generate(domain, rng):\n    return {"currency": "USD", "qty": 1, "unit_cents": 2}\n'
    repo = committed(tmp_path, gen_orders_py=text)
    done = repo.run("property-run", "--scope", SCOPE)
    assert done.code == 0
    assert "held for 1 example\n" in done.out
    assert "note: the search ended after 1 example of 200" in done.out and "rng" in done.out


def test_the_bind_command_keeps_the_interpreter_that_was_named(tmp_path: Path) -> None:
    repo = committed(tmp_path)
    done = repo.run("property-run", "--scope", SCOPE, "--python", sys.executable)
    assert f"bind it: freezegate bind --scope {SCOPE} --case {COUNTEREXAMPLE} --python {sys.executable}" in done.out


def test_a_module_that_is_not_found_names_the_interpreter(tmp_path: Path) -> None:
    repo = committed(tmp_path, order_total_py="import nowhere\n\n\ndef test_total_non_negative(case):\n    pass\n")
    done = repo.run("property-run", "--scope", SCOPE, "--python", sys.executable)
    assert done.code == 2
    assert f"the project runs under {sys.executable}" in done.err and "--python" in done.err


def test_a_time_limit_that_ran_out_says_how_to_give_more(tmp_path: Path) -> None:
    repo = committed(tmp_path, order_total_py="def test_total_non_negative(case):\n    while True: pass\n")
    done = repo.run("property-run", "--scope", SCOPE, "--time-limit", "1")
    assert done.code == 4 and "hint: give more with --time-limit SECONDS" in done.err


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        (
            (RECORD, CITATION),
            f"it is not bound (there is no record (nothing_to_bind)): freezegate bind --scope {SCOPE}",
        ),
        ((CITATION,), f"it is bound and not cited: freezegate cite {SCOPE_ID}"),
        ((), f"it is frozen by {CITATION}; once it is mended: freezegate retire {SCOPE_ID}"),
    ],
)
def test_a_case_that_still_fails_says_what_became_of_it(tmp_path: Path, left_out: tuple[str, ...], said: str) -> None:
    repo = with_files(Repo(tmp_path / "repo"), {path: data for path, data in GOOD.items() if path not in left_out})
    repo.commit("step")
    done = repo.run("property-run", "--scope", SCOPE_ID)
    assert done.code == 1 and "still fails" in done.out
    assert said in done.out


def test_every_scope_is_run(tmp_path: Path) -> None:
    files = project(order_total_py=PREDICATES["holds"])
    other = files[SCOPE].replace(SCOPE_ID.encode(), b"other.one")
    files["tests/properties/other.scope.yaml"] = other.replace(LOCK.encode(), b"tests/fixtures/other.lock")
    files["tests/fixtures/other.lock"] = b"other.one 5 20\n"
    repo = with_files(Repo(tmp_path / "repo"), files)
    done = repo.run("property-run", "--all")
    assert (done.code, done.err) == (0, "")
    assert sorted(line.split(":")[0] for line in done.out.splitlines()) == sorted([SCOPE_ID, "other.one"])
    assert repo.run("property-run", "--all", "--scope", SCOPE).code == 2
    assert repo.run("property-run", "--all", "--out", "case.json").code == 2


def test_all_of_no_scope_is_no_pass(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "repo"), {"src/a.py": b"\n"})
    done = repo.run("property-run", "--all")
    assert done.code == 2 and "there is no scope below tests/properties/" in done.err


def test_a_name_like_that_of_a_scope_is_proposed(tmp_path: Path) -> None:
    repo = committed(tmp_path)
    done = repo.run("property-run", "--scope", SCOPE_ID[:-1])
    assert done.code == 2 and f"did you mean {SCOPE_ID}" in done.err
    done = repo.run("property-run", "--scope", "zzz")
    assert done.code == 2 and "did you mean" not in done.err


def test_a_case_is_found_from_the_root_as_a_scope_is(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "repo"), GOOD)
    done = repo.run("property-eval", "--scope", SCOPE, "--case", COUNTEREXAMPLE, cwd=repo.path / "src")
    assert (done.code, done.out) == (1, "fail\n"), done.err


def test_what_was_never_retained_says_how_to_look_for_a_case(tmp_path: Path) -> None:
    repo = committed(tmp_path)
    done = repo.run("property-eval", "--scope", SCOPE, "--case", COUNTEREXAMPLE)
    assert done.code == 2 and f"freezegate property-run --scope {SCOPE_ID}" in done.err
    done = repo.run("cite", SCOPE_ID)
    assert done.code == 1 and f"freezegate property-run --scope {SCOPE_ID}, then freezegate bind" in done.err


def test_an_id_without_a_record_names_those_that_have_one(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "repo"), GOOD)
    repo.commit("step")
    done = repo.run("cite", "no.such_id")
    assert done.code == 1 and f"there are records of {SCOPE_ID}" in done.err


def test_an_edit_under_a_freeze_is_told_the_way_out_and_it_works(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "repo"), GOOD)
    repo.commit("step")
    repo.write(SCOPE, repo.at(SCOPE).read_bytes() + b"description: edited\n")
    repo.git("add", "-A")
    found = {finding["rule"]: finding["hint"] for finding in repo.check_json()["findings"]}
    assert found["digest-mismatch"].startswith(f"freezegate retire {SCOPE_ID}  # where the edit is committed")
    done = repo.run("bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE)
    assert done.code == 2 and f"freezegate retire {SCOPE_ID}" in done.err
    assert repo.run("retire", SCOPE_ID).code == 0
    repo.git("add", "-A")
    assert repo.rules() == []


def test_a_scope_without_any_source_is_refused_when_it_comes(tmp_path: Path) -> None:
    """Though the config, which names no folder that exists, was committed before."""
    files = {path: data for path, data in project().items() if path.startswith("tests/")}
    repo = with_files(Repo(tmp_path / "repo"), {".freezegate.yaml": b"policy: {replays: 3}\n", "tests/readme": b"x\n"})
    repo.commit("config")
    assert repo.rules() == []
    for path, data in files.items():
        repo.write(path, data)
    repo.git("add", "-A")
    assert repo.rules() == [(".freezegate.yaml", "config-invalid")]

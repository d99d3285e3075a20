"""The commands that run properties, from a property file to a citation, as a user types them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, Repo, environment, good_project, with_files

PREDICATE = "tests/properties/order_total.py"
GENERATOR = "tests/fixtures/gen_orders.py"
LOCK = "tests/fixtures/order_total.lock"
BOUND = (COUNTEREXAMPLE, RECORD, CITATION)


def project(**changes: str) -> dict[str, bytes]:
    """The good project before anything is retained; `changes` are texts by the last part of a path, dots as `_`."""
    files = {path: data for path, data in good_project().items() if path not in BOUND}
    for name, text in changes.items():
        path = next(path for path in files if Path(path).name.replace(".", "_") == name)
        files[path] = text.encode()
    return files


def committed(tmp_path: Path, **changes: str) -> Repo:
    repo = with_files(Repo(tmp_path / "repo"), project(**changes))
    repo.commit("A property")
    return repo


def left_behind(repo: Repo) -> list[str]:
    """What a run left in the repository: changed or new files, and worktrees."""
    trees = repo.git("worktree", "list", "--porcelain", "-z").split(b"\0\0")
    status = repo.git("status", "--porcelain", "--ignored", "--untracked-files=all").decode().splitlines()
    return status + [tree.decode() for tree in trees[1:] if tree]


PREDICATES = {
    "fails": "def test_total_non_negative(case):\n    assert case['qty'] < 3\n",
    "holds": "def test_total_non_negative(case):\n    return True\n",
}


def test_a_property_that_holds_writes_nothing(tmp_path: Path) -> None:
    repo = committed(tmp_path, order_total_py=PREDICATES["holds"])
    done = repo.run("property-run", "--scope", SCOPE)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{SCOPE_ID}: held: held for 200 examples\n"
    assert left_behind(repo) == []


def test_from_a_property_to_a_citation(tmp_path: Path) -> None:
    """The whole story: run, evaluate, classify, bind, cite, check, recheck, and what each refuses on the way."""
    repo = committed(tmp_path)
    base = repo.head()
    done = repo.run("property-run", "--scope", SCOPE_ID)
    assert done.code == 1, done.err
    case = json.loads(repo.at(COUNTEREXAMPLE).read_bytes())
    assert case["input"] == {"currency": "USD", "qty": 1, "unit_cents": -1}
    assert repo.at(COUNTEREXAMPLE).read_bytes() == (json.dumps(case, indent=2, sort_keys=True) + "\n").encode()
    assert f"wrote {COUNTEREXAMPLE}" in done.out and "freezegate bind" in done.out
    assert left_behind(repo) == [f"?? {COUNTEREXAMPLE}"]

    done = repo.run("property-eval", "--scope", SCOPE, "--case", COUNTEREXAMPLE)
    assert (done.code, done.out) == (1, "fail\n")
    assert "order_total.py:7: AssertionError" in done.err
    done = repo.run("classify", "--scope", SCOPE, "--case", COUNTEREXAMPLE)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{SCOPE_ID} {name}: fail (3 of 3 replays failed)" for name in ("local", "isolated")
    ]
    done = repo.run("bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE)
    assert (done.code, done.err) == (0, "")
    assert f"git add -- {COUNTEREXAMPLE} {RECORD}" in done.out
    record = json.loads(repo.at(RECORD).read_bytes())
    local, isolated = (record["evaluations"][side] for side in ("local", "isolated"))
    assert (record["class_local"], record["class_isolated"]) == ("fail", "fail")
    assert (local["replays"], local["failed"], local["regenerated"]) == (3, 3, True)
    assert local["tree"] == isolated["tree"] == repo.tree()
    assert local["fingerprint"].startswith("environment=local; ")
    assert isolated["fingerprint"].startswith("environment=isolated; preset=venv; ")
    assert left_behind(repo) == [f"?? {COUNTEREXAMPLE}", f"?? {RECORD}"]

    repo.add(COUNTEREXAMPLE, RECORD)
    assert repo.rules() == []
    repo.commit("Its record")
    # The retained case is replayed first, and still fails.
    done = repo.run("property-run", "--scope", SCOPE)
    assert (done.code, left_behind(repo)) == (1, [])
    assert "the retained case" in done.out and "still fails" in done.out
    done = repo.run("recheck", "--base", base)
    assert (done.code, done.err) == (0, ""), done.out
    assert f"{RECORD}: ok: still fails, at head and at base" in done.out
    assert repo.run("cite", SCOPE_ID).code == 0
    repo.add(CITATION)
    assert repo.rules() == []
    repo.commit("Freeze it")
    assert repo.rules("--all-files") == []
    assert left_behind(repo) == []


def test_bind_refuses_a_case_that_passes_in_one_environment(tmp_path: Path) -> None:
    """The isolated environment lacks what makes it fail."""
    text = "import sys\n\n\ndef test_total_non_negative(case):\n    assert not PLACE in sys.prefix\n"
    repo = committed(tmp_path, order_total_py=text.replace("PLACE", repr(sys.prefix)))
    assert repo.run("property-run", "--scope", SCOPE).code == 1
    done = repo.run("classify", "--scope", SCOPE)
    assert done.code == 1
    assert f"{SCOPE_ID} local: fail" in done.out and f"{SCOPE_ID} isolated: pass" in done.out
    done = repo.run("bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE)
    assert (done.code, done.out) == (1, "")
    assert "the record would be open (local fail, isolated pass)" in done.err
    assert not repo.at(RECORD).exists()
    assert repo.run("classify", "--scope", SCOPE, "--environment", "local").code == 0
    assert repo.run("classify", "--scope", SCOPE, "--environment", "isolated").code == 1
    done = repo.run("classify", "--scope", SCOPE, "--environment", "elsewhere")
    assert done.code == 2 and "elsewhere" in done.err


def test_a_random_predicate_writes_nothing(tmp_path: Path) -> None:
    # It fails once in four times: that every replay agrees, and two searches do, is next to impossible.
    text = "import os\n\n\ndef test_total_non_negative(case):\n    assert os.urandom(1)[0] >= 64\n"
    repo = committed(tmp_path, order_total_py=text)
    done = repo.run("property-run", "--scope", SCOPE)
    assert (done.code, done.out) == (3, ""), done.err
    assert left_behind(repo) == []


def test_a_generator_that_does_not_follow_its_seed_writes_nothing(tmp_path: Path) -> None:
    # of more values than two searches could draw alike
    text = (
        "import os\n\n\ndef generate(domain, rng):\n"
        '    return {"currency": "USD", "qty": 1, "unit_cents": -3, "run": os.urandom(8).hex()}\n'
    )
    repo = committed(tmp_path, gen_orders_py=text)
    done = repo.run("property-run", "--scope", SCOPE)
    assert (done.code, done.out) == (3, ""), done.err
    assert left_behind(repo) == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("while True: pass", 4),
        ("raise SystemExit(0)", 2),
        ("import os; os._exit(0)", 2),
        ("return 1", 2),
        ("import nowhere_at_all", 2),
    ],
)
def test_no_answer_is_no_pass_and_writes_nothing(tmp_path: Path, body: str, code: int) -> None:
    repo = committed(tmp_path, order_total_py=f"def test_total_non_negative(case):\n    {body}\n")
    done = repo.run("property-run", "--scope", SCOPE, "--time-limit", "2")
    assert (done.code, done.out) == (code, ""), done.err
    assert "Traceback" not in done.err
    assert left_behind(repo) == []


def test_a_case_outside_the_domain_is_refused(tmp_path: Path) -> None:
    text = 'def generate(domain, rng):\n    return {"currency": "EUR", "qty": 0, "unit_cents": -1}\n'
    repo = committed(
        tmp_path, gen_orders_py=text, order_total_py="def test_total_non_negative(case):\n    return False\n"
    )
    done = repo.run("property-run", "--scope", SCOPE)
    assert (done.code, done.out) == (2, "")
    assert "the generator leaves the domain: /qty: 0 is outside 1 to 20" in done.err
    assert left_behind(repo) == []


def test_a_run_that_changes_what_it_rests_on_proves_nothing(tmp_path: Path) -> None:
    text = (
        "from pathlib import Path\n\n\ndef test_total_non_negative(case):\n"
        "    Path(__file__).write_text('# gone\\n')\n    return False\n"
    )
    repo = committed(tmp_path, order_total_py=text)
    done = repo.run("property-run", "--scope", SCOPE)
    assert (done.code, done.out) == (2, "")
    assert f"the run changed {PREDICATE}" in done.err or "absent" in done.err
    repo.git("checkout", "-q", "--", PREDICATE)
    assert left_behind(repo) == []


def test_classify_takes_a_tree_that_the_run_changed_for_no_answer(tmp_path: Path) -> None:
    text = (
        "from pathlib import Path\n\n\ndef test_total_non_negative(case):\n"
        "    Path('left.txt').write_text('x')\n    return False\n"
    )
    repo = committed(tmp_path, order_total_py=text)
    repo.write(COUNTEREXAMPLE, good_project()[COUNTEREXAMPLE])
    done = repo.run("classify", "--scope", SCOPE)
    assert done.code == 2
    assert "the run changed the tree: left.txt" in done.out
    assert left_behind(repo) == [f"?? {COUNTEREXAMPLE}"]


def test_a_run_that_edits_the_source_proves_nothing(tmp_path: Path) -> None:
    text = "def test_total_non_negative(case):\n    open('src/orders.py', 'a').write('#\\n')\n    return False\n"
    repo = committed(tmp_path, order_total_py=text)
    done = repo.run("property-run", "--scope", SCOPE)
    assert (done.code, done.out) == (2, "")
    assert "the run changed src/orders.py" in done.err
    assert left_behind(repo) == [" M src/orders.py"]


def test_a_case_that_is_too_large_is_not_kept(tmp_path: Path) -> None:
    text = (
        'def generate(domain, rng):\n    return {"currency": "USD", "qty": 1, "unit_cents": -1, "x": "a" * (2 << 20)}\n'
    )
    repo = committed(tmp_path, gen_orders_py=text)
    done = repo.run("property-run", "--scope", SCOPE)
    assert (done.code, done.out) == (2, "")
    assert "the case cannot be kept" in done.err and "internal error" not in done.err
    assert left_behind(repo) == []


def test_what_nobody_committed_is_not_bound(tmp_path: Path) -> None:
    """The source is a link out of the repository: its target may be edited at any time."""
    repo = committed(tmp_path)
    outside = tmp_path / "orders.py"
    outside.write_bytes(repo.at("src/orders.py").read_bytes())
    repo.link("src/orders.py", str(outside))
    repo.commit_all("A link")
    assert repo.run("property-run", "--scope", SCOPE).code == 1
    done = repo.run("bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE)
    assert (done.code, done.out) == (1, "")
    assert "local absent, isolated absent" in done.err
    assert not repo.at(RECORD).exists()


@pytest.mark.parametrize("how", ["link", "folder", "linked folder", "pipe", "other case"])
def test_nothing_is_written_through_or_over_what_is_in_the_way(tmp_path: Path, how: str) -> None:
    repo = committed(tmp_path)
    case = tmp_path / "case.json"
    assert repo.run("property-run", "--scope", SCOPE, "--out", str(case)).code == 1
    victim = tmp_path / "victim"
    victim.mkdir()
    bind = ("bind", "--scope", SCOPE, "--case", str(case))
    if how == "link":
        (victim / "file").write_text("mine\n")
        repo.link(RECORD, str(victim / "file"))
        done = repo.run(*bind)
    elif how == "folder":
        repo.at(RECORD).mkdir(parents=True)
        done = repo.run(*bind)
    elif how == "linked folder":
        repo.link("tests/bindings", str(victim))
        done = repo.run("property-run", "--scope", SCOPE)
    elif how == "pipe":
        os.mkfifo(victim / "pipe")
        done = repo.run("property-run", "--scope", SCOPE, "--out", str(victim / "pipe"))
    else:
        repo.write(COUNTEREXAMPLE, "precious\n")
        done = repo.run("property-run", "--scope", SCOPE, "--rev", "HEAD")
        assert repo.at(COUNTEREXAMPLE).read_text() == "precious\n"
    assert (done.code, done.out) == (2, "") and "hint: " in done.err
    assert not repo.at(COUNTEREXAMPLE).exists() or how == "other case"
    assert [(path.name, path.read_text()) for path in victim.iterdir() if path.is_file()] == (
        [("file", "mine\n")] if how == "link" else []
    )


def test_bind_looks_again_before_it_writes(tmp_path: Path) -> None:
    text = f"from pathlib import Path\nimport time\n\n\ndef test_total_non_negative(case):\n    Path({str(tmp_path)!r}, 'here').touch()\n    time.sleep(0.3)\n    return False\n"
    repo = committed(tmp_path, order_total_py=text, order_total_lock=f"{SCOPE_ID} 17\n")
    repo.write(COUNTEREXAMPLE, good_project()[COUNTEREXAMPLE])
    child = subprocess.Popen(
        [sys.executable, "-I", "-m", "freezegate", "bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE],
        cwd=repo.path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    deadline = time.monotonic() + 20
    while not (tmp_path / "here").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    repo.write("NOTES", "meanwhile\n")
    repo.add("NOTES")
    repo.commit("Meanwhile")
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 1 and b"changed while this ran" in errors
    assert not repo.at(RECORD).exists()


@pytest.mark.parametrize("where", ["index", "working tree", "source", "new import"])
def test_classify_and_bind_refuse_what_is_not_committed(tmp_path: Path, where: str) -> None:
    repo = committed(tmp_path)
    repo.write(COUNTEREXAMPLE, good_project()[COUNTEREXAMPLE])
    path = {"source": "src/orders.py", "new import": "tests/properties/orders.py"}.get(where, PREDICATE)
    before = repo.at(path).read_text() if repo.at(path).exists() else ""
    repo.write(path, before + "# more\n")
    if where == "index":
        repo.add(path)
    for command in ("classify", "bind"):
        done = repo.run(command, "--scope", SCOPE, "--case", COUNTEREXAMPLE)
        assert (done.code, done.out) == (2, "")
        assert path in done.err and "what runs must be committed" in done.err
    # A file that nothing depends on is in nobody's way.
    if where == "working tree":
        repo.write(path, before)
        repo.write("NOTES", "a\n")
        assert repo.run("classify", "--scope", SCOPE).code == 0


def test_a_seed_that_differs_from_the_lock_cannot_be_bound(tmp_path: Path) -> None:
    repo = committed(tmp_path)
    done = repo.run("property-run", "--scope", SCOPE, "--seed", "18")
    assert (done.code, done.out) == (2, "")
    assert "--seed 18 differs from the 17 that the seed lock pins" in done.err
    done = repo.run("property-run", "--scope", SCOPE, "--seed", "18", "--unlocked")
    assert done.code == 1 and "it cannot be bound" in done.out
    done = repo.run("bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE)
    assert (done.code, done.out) == (1, "")
    assert "found with seed 18, and the seed lock pins 17" in done.err


@pytest.mark.parametrize("edit", ["seed", "index"])
def test_a_case_that_a_new_search_does_not_find_is_not_bound_as_if_it_were(tmp_path: Path, edit: str) -> None:
    """A case typed by hand: it fails, but is not what the pinned search retains."""
    repo = committed(tmp_path)
    repo.run("property-run", "--scope", SCOPE)
    case = json.loads(repo.at(COUNTEREXAMPLE).read_bytes())
    if edit == "index":
        case["example_index"] += 1
    else:
        case["input"]["unit_cents"] = -2
    repo.write(COUNTEREXAMPLE, json.dumps(case))
    done = repo.run("bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE)
    assert (done.code, done.out) == (1, "")
    assert "finds another case" in done.err


def test_recheck_refuses_typed_labels(tmp_path: Path) -> None:
    """A record typed by hand for a case that passes; every hash in it is right, so the hooks take it."""
    repo = committed(tmp_path, order_total_py=PREDICATES["holds"])
    base = repo.head()
    files = {path: data for path, data in good_project().items() if path in (RECORD, COUNTEREXAMPLE)}
    with_files(repo, {**project(order_total_py=PREDICATES["holds"]), **files})
    assert repo.rules() == []
    repo.commit("A typed record")
    done = repo.run("recheck", "--base", base)
    assert done.code == 1
    assert f"{RECORD}: refused: record-stale: the retained case holds now" in done.err
    assert left_behind(repo) == []


def test_recheck_refuses_a_failure_that_the_base_does_not_have(tmp_path: Path) -> None:
    source = "def total_cents(qty, unit_cents):\n    return abs(qty * unit_cents)\n"
    repo = committed(tmp_path, orders_py=source)
    base = repo.head()
    broken = source.replace("abs", "")
    with_files(repo, project(orders_py=broken))
    repo.commit("Break it")
    assert repo.run("property-run", "--scope", SCOPE).code == 1
    assert repo.run("bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE).code == 0
    repo.add(COUNTEREXAMPLE, RECORD)
    repo.commit("Freeze the break")
    done = repo.run("recheck", "--base", base)
    assert done.code == 1
    assert "the case passes at the base" in done.err
    # Against a base that fails as well, it stands; nothing changed since is nothing to evaluate.
    assert repo.run("recheck", "--base", "HEAD~1").code == 0
    done = repo.run("recheck", "--base", "HEAD")
    assert (done.code, done.out) == (0, "freezegate: rechecked 0 changed records against HEAD\n")
    assert "rechecked 1 record against" in repo.run("recheck", "--base", "HEAD", "--all").out


def test_a_branch_cannot_move_its_record_out_of_sight(tmp_path: Path) -> None:
    repo = committed(tmp_path, order_total_py=PREDICATES["holds"])
    base = repo.head()
    files = {path: data for path, data in good_project().items() if path in (RECORD, COUNTEREXAMPLE)}
    moved = {".freezegate.yaml": b"layout:\n  bindings: other/bindings\n"}
    with_files(repo, {**project(order_total_py=PREDICATES["holds"]), **files, **moved})
    repo.commit("A typed record, and a layout that does not see it")
    done = repo.run("recheck", "--base", base)
    assert done.code == 1 and "record-stale" in done.err


def test_recheck_gives_no_answer_where_the_base_has_no_predicate(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "repo"), {"src/orders.py": project()["src/orders.py"]})
    base = repo.commit("Before")
    with_files(repo, {path: data for path, data in good_project().items() if path != CITATION})
    repo.commit("A property and its record")
    done = repo.run("recheck", "--base", base)
    assert done.code == 2
    assert "at the base, there is no regular file" in done.err and "land the property first" in done.err


def test_several_scopes_run_side_by_side(tmp_path: Path) -> None:
    files = project()
    for number in range(4):
        name = f"other{number}"
        files[f"tests/properties/{name}.scope.yaml"] = (
            files[SCOPE]
            .replace(SCOPE_ID.encode(), f"order_total.{name}".encode())
            .replace(LOCK.encode(), b"tests/fixtures/all.lock")
        )
    files["tests/fixtures/all.lock"] = b"".join(b"order_total.other%d %d 500\n" % (n, n) for n in range(4))
    repo = with_files(Repo(tmp_path / "repo"), files)
    repo.commit("Properties")
    scopes = [word for number in range(4) for word in ("--scope", f"order_total.other{number}")]
    done = repo.run("property-run", *scopes)
    assert done.code == 1, done.err
    cases = [
        json.loads(repo.at(f"tests/bindings/order_total.other{number}.cex.json").read_bytes()) for number in range(4)
    ]
    assert [case["seed"] for case in cases] == [0, 1, 2, 3]
    done = repo.run("classify", *scopes)
    assert (done.code, len(done.out.splitlines())) == (0, 8)
    done = repo.run("property-run", *scopes, "--out", "case.json")
    assert done.code == 2 and "name one scope" in done.err


def test_the_variables_name_scope_and_file(tmp_path: Path) -> None:
    repo = committed(tmp_path)
    out = tmp_path / "elsewhere" / "case.json"
    done = repo.run("property-run", env={"PROPERTY_SCOPE": SCOPE, "COUNTEREXAMPLE_OUT": str(out)})
    assert done.code == 1 and json.loads(out.read_bytes())["scope_id"] == SCOPE_ID
    assert left_behind(repo) == []
    done = repo.run("property-eval", "--case", str(out), "--json", env={"PROPERTY_SCOPE": SCOPE})
    answer = json.loads(done.out)
    assert (done.code, answer["outcome"], answer["failed"]) == (1, "fail", 3)
    assert len(answer["signature"]) == 64 and answer["fingerprint"].startswith("environment=local; ")
    done = repo.run("bind", "--scope", SCOPE, "--case", str(out))
    assert done.code == 0
    assert repo.at(COUNTEREXAMPLE).read_bytes() == out.read_bytes()
    assert repo.run("property-run").code == 2


def test_a_revision_is_run_in_a_worktree_of_its_own(tmp_path: Path) -> None:
    repo = committed(tmp_path)
    repo.write(PREDICATE, PREDICATES["holds"])
    assert repo.run("property-run", "--scope", SCOPE).code == 0
    done = repo.run("property-run", "--scope", SCOPE, "--rev", "HEAD", "--out", str(tmp_path / "case.json"))
    assert done.code == 1
    case = str(tmp_path / "case.json")
    assert repo.run("property-eval", "--scope", SCOPE, "--case", case).code == 0
    assert repo.run("property-eval", "--scope", SCOPE, "--case", case, "--rev", "HEAD").code == 1
    assert left_behind(repo) == [f" M {PREDICATE}"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("property-run", "--scope", "no.such"), "no scope file has the path or the id"),
        (("property-run",), "no scope is named"),
        (("property-run", "--scope", SCOPE, "--time-limit", "0"), "above 0"),
        (("property-run", "--scope", SCOPE, "--max-examples", "10001", "--unlocked"), "max_examples_cap"),
        (("property-run", "--scope", SCOPE, "--python", "/no/such/python"), "python"),
        (("property-eval", "--scope", SCOPE, "--case", "nowhere.json"), "nowhere.json"),
        (("property-eval", "--scope", SCOPE, "--case", SCOPE), "line"),
        (("property-eval", "--scope", SCOPE, "--case", "/dev/tty"), "/dev/tty"),
        (("property-eval", "--scope", SCOPE, "--case", "tests"), "is no regular file"),
        (("classify", "--scope", "no.such"), "in HEAD, no scope file"),
        (("recheck", "--base", "no-such-ref"), "does not exist here"),
    ],
)
def test_bad_input_is_said(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    repo = committed(tmp_path)
    done = repo.run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err and "Traceback" not in done.err
    assert left_behind(repo) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_leaves_no_worktree_and_no_process(tmp_path: Path, number: int) -> None:
    text = f"import time\nfrom pathlib import Path\n\n\ndef test_total_non_negative(case):\n    Path({str(tmp_path)!r}, 'here').touch()\n    time.sleep(600)\n"
    repo = committed(tmp_path, order_total_py=text)
    repo.write(COUNTEREXAMPLE, good_project()[COUNTEREXAMPLE])
    child = subprocess.Popen(
        [sys.executable, "-I", "-m", "freezegate", "classify", "--scope", SCOPE],
        cwd=repo.path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 20
    while not (tmp_path / "here").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(child.pid, number)
    child.communicate(timeout=20)
    assert child.returncode != 0
    assert left_behind(repo) == [f"?? {COUNTEREXAMPLE}"]
    sleeping = subprocess.run(["pgrep", "-f", str(repo.path)], capture_output=True, check=False)
    assert sleeping.stdout == b""


@pytest.mark.parametrize("body", ["while True: pass", "import time; time.sleep(600)"])
def test_a_child_ends_with_a_command_that_is_killed(tmp_path: Path, body: str) -> None:
    note = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(__import__('os').getpid()))"
    repo = committed(tmp_path, order_total_py=f"def test_total_non_negative(case):\n    {note}\n    {body}\n")
    repo.write(COUNTEREXAMPLE, good_project()[COUNTEREXAMPLE])
    command = [sys.executable, "-I", "-m", "freezegate", "property-eval", "--scope", SCOPE, "--case", COUNTEREXAMPLE]
    parent = subprocess.Popen(command, cwd=repo.path, env=environment())
    deadline = time.monotonic() + 20
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    child = Path("/proc", pid.read_text())
    parent.kill()
    parent.wait()
    while child.exists() and "Z (zombie)" not in (child / "status").read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not child.exists() or "Z (zombie)" in (child / "status").read_text()

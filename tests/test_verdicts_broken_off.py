"""A verdict that is broken off, at any of its stages: by a signal, a full disk, or by what others do meanwhile."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path

import pytest

from building import COUNTEREXAMPLE, SCOPE, SCOPE_ID, Completed, environment
from shop import FILES, LEDGER, Shop, evidence
from test_verdicts_scopes import SCOPED, SOURCE

FIVE = ["base.sig.json", "fixture.digest", "oracle_edited.json", "runs.json", "verdicts.json"]
IN_ORDER = ["fixture.digest", "oracle_edited.json", "base.sig.json", "runs.json", "verdicts.json"]
TIME_UP = re.compile(r"the time limit of [0-9.]+ s ran out")
PATIENCE = 60.0  # seconds, on a machine that does much else
# Where the gate has a file of the stage's name, the stage is held up until that file is gone.
STAGE = """
import time
from pathlib import Path

import orders


def hold():
    gate = Path({gate!r})
    if hasattr(orders, "gross"):
        stage = "head"
        (gate / "head-ran").touch()
    else:
        stage = "comparison" if (gate / "head-ran").exists() else "base"
    while (gate / stage).exists():
        (gate / f"{{stage}}-reached").touch()
        time.sleep(0.01)
"""
# What git is asked for between two runs of properties can be held up too.
GIT = """\
#!/bin/sh
case "$*" in
*--numstat*) stage=split ;;
*--is-ancestor*) stage=apply ;;
*) stage=none ;;
esac
while [ -e {gate}/$stage ]; do touch {gate}/$stage-reached; sleep 0.02; done
exec {git} "$@"
"""
LIMITED = """\
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""
ORDERS = FILES["src/orders.py"] + "\n\ndef gross(cents):\n    return cents + tax(cents)\n"


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gate")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory, gate: Path) -> Shop:
    """A shop that is promoted with one frozen failure."""
    total = FILES["props/order_total.py"].replace("):\n", "):\n    hold()\n")
    made = Shop(tmp_path_factory.mktemp("plain") / "shop", order_total_py=STAGE.format(gate=str(gate)) + total)
    made.freeze(*made.reproduced())
    made.patch(orders_py=ORDERS)
    return made


@pytest.fixture(scope="module")
def scoped(tmp_path_factory: pytest.TempPathFactory, gate: Path) -> Shop:
    """A shop whose frozen failure is of a scope, bound and cited on base."""
    made = Shop(tmp_path_factory.mktemp("scoped") / "shop")
    made.git("checkout", "-q", "main")
    predicate = SCOPED["tests/properties/share.py"].replace("):\n", "):\n    hold()\n")
    held = {"tests/properties/share.py": STAGE.format(gate=str(gate)) + predicate, "src/orders.py": SOURCE}
    for name, text in {**SCOPED, **held}.items():
        made.write(name, text)
    made.commit_all("scope")
    assert made.run("property-run", "--scope", SCOPE).code == 1
    assert made.run("bind", "--scope", SCOPE, "--case", COUNTEREXAMPLE).code == 0
    made.stage_all()
    assert made.run("cite", SCOPE_ID).code == 0
    made.base = made.commit_all("bound and cited")
    made.git("checkout", "-q", "-B", "patch")
    made.freeze(*made.reproduced())
    made.patch(orders_py=SOURCE + "\n\ndef gross(cents):\n    return cents + tax(cents)\n")
    return made


class Broken:
    """A copy of a shop, and one `freezegate verdict` in it at a time."""

    def __init__(self, made: Shop, gate: Path, path: Path) -> None:
        self.shop = copy(made)
        self.shop.path = path / "shop"
        shutil.copytree(made.path, self.shop.path, symlinks=True)
        self.shop.git("update-index", "--refresh")
        self.gate = gate
        self.path = path
        self.folder = path / "run"
        self.temp = path / "temp"
        self.temp.mkdir()
        (path / "bin").mkdir()
        program = path / "bin" / "git"
        program.write_text(GIT.format(gate=gate, git=shutil.which("git")))
        program.chmod(0o755)
        self.before = self.state()
        self.child: subprocess.Popen[str] | None = None

    def with_stale_freezes(self, count: int) -> None:
        """Have the ledger hold so many more entries, which nothing needs."""
        rows = json.loads(self.shop.at(LEDGER).read_text())
        rows += [{**rows[0], "prop_id": "prop.tax_round", "signature": f"{number:064x}"} for number in range(count)]
        self.shop.freeze(*rows)
        self.shop.commit_all("stale")
        self.before = self.state()

    def state(self) -> tuple[object, ...]:
        """What of the repository no verdict may change."""
        index = self.shop.at(".git/index").read_bytes()
        status = self.shop.git("status", "--porcelain", "--ignored", "--untracked-files=all")
        return index, status, self.shop.git("for-each-ref"), self.shop.at(".git/HEAD").read_bytes()

    @property
    def env(self) -> dict[str, str]:
        path = f"{self.path / 'bin'}{os.pathsep}{os.environ['PATH']}"
        # A limit on what may be written would cut bytecode short, which the next command would read.
        return environment(TMPDIR=str(self.temp), PATH=path, PYTHONDONTWRITEBYTECODE="1")

    def words(self, *more: str) -> list[str]:
        """The command; `more` are options, or all of another command."""
        words = ["verdict", "--base", "main", "--run-dir", str(self.folder), "--attempts", "2", "--jobs", "1"]
        if more and not more[0].startswith("-"):
            words = []
        return [sys.executable, "-I", "-m", "freezegate", *words, *more]

    def start(self, *more: str, largest: int | None = None) -> subprocess.Popen[str]:
        """The command, running; `largest` is how many bytes it can write to one file."""
        for mark in (*self.gate.glob("*-reached"), *self.gate.glob("*-ran")):
            mark.unlink()
        limit = [] if largest is None else [sys.executable, "-c", LIMITED, str(largest)]
        self.child = subprocess.Popen(
            [*limit, *self.words(*more)], cwd=self.shop.path, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        return self.child

    def hold(self, stage: str) -> None:
        """Hold up every run at this stage from now on."""
        (self.gate / stage).touch()

    def at(self, stage: str, *more: str) -> subprocess.Popen[str]:
        """The command, held up at this stage."""
        self.hold(stage)
        child = self.start(*more)
        assert until((self.gate / f"{stage}-reached").exists, child), child.communicate()
        return child

    def go_on(self) -> Completed:
        """Let the command run to its end."""
        assert self.child is not None
        for file in self.gate.iterdir():
            if not file.name.endswith(("-reached", "-ran")):
                file.unlink()
        out, errors = self.child.communicate(timeout=PATIENCE)
        return Completed(self.child.returncode, out, errors)

    def evidence_files(self) -> list[str]:
        """What lies in the run folder, each file whole."""
        if not self.folder.exists():
            return []
        for file in self.folder.iterdir():
            if file.suffix == ".json":
                json.loads(file.read_text())
            else:
                assert file.name == "fixture.digest" and len(file.read_text()) == 65
        return sorted(file.name for file in self.folder.iterdir())

    def nothing_left(self) -> None:
        """Fail where a worktree, a temporary file, a process or a change is left."""
        assert self.state() == self.before
        assert len(self.shop.git("worktree", "list").splitlines()) == 1
        assert not self.shop.at(".git/worktrees").exists()
        assert list(self.temp.iterdir()) == []
        assert [*self.path.rglob("*.tmp"), *self.shop.at(".git").rglob("*.lock")] == []
        until(lambda: not self.processes())
        assert self.processes() == []

    def processes(self) -> list[str]:
        """Every process that was started for this copy, by its command line."""
        found = []
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and int(process.name) != os.getpid():
                try:
                    seen = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
                    if os.fsencode(self.path) in seen:
                        found.append((process / "cmdline").read_text().replace("\0", " "))
                except OSError:
                    pass  # it has ended, or is another user's
        return found


def until(true: Callable[[], bool], child: subprocess.Popen[str] | None = None) -> bool:
    """Wait for something to be true, at most until the child has ended or the patience has."""
    deadline = time.monotonic() + (PATIENCE if child is not None else 5)
    while time.monotonic() < deadline and (child is None or child.poll() is None):
        if true():
            return True
        time.sleep(0.01)
    return true()


@pytest.fixture
def broken(plain: Shop, gate: Path, tmp_path: Path) -> Iterator[Broken]:
    yield from _one(plain, gate, tmp_path)


@pytest.fixture
def broken_scope(scoped: Shop, gate: Path, tmp_path: Path) -> Iterator[Broken]:
    yield from _one(scoped, gate, tmp_path)


def _one(made: Shop, gate: Path, path: Path) -> Iterator[Broken]:
    for file in gate.iterdir():
        file.unlink()
    one = Broken(made, gate, path)
    yield one
    if one.child is not None and one.child.poll() is None:
        one.child.kill()
        one.child.communicate()


def ended_by(child: subprocess.Popen[str], number: int, broken: Broken, files: list[str]) -> None:
    """Fail unless the signal ended the command in good order, with no more than these files in the run folder."""
    out, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode == 128 + number, errors
    assert out == "" and "Traceback" not in errors
    said = [line for line in errors.splitlines() if not line.startswith("freezegate: not claimed")]
    assert said == (["freezegate: interrupted"] if number == signal.SIGINT else [])
    assert broken.evidence_files() == sorted(files)
    broken.nothing_left()


STAGES = [("split", "1", 1), ("base", "1", 2), ("base", "2", 2), ("head", "1", 3), ("head", "2", 3), ("apply", "1", 4)]
SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(("stage", "jobs", "written"), STAGES)
def test_a_signal_at_any_stage_leaves_nothing(broken: Broken, stage: str, jobs: str, written: int, number: int) -> None:
    child = broken.at(stage, "--jobs", jobs)
    child.send_signal(number)
    ended_by(child, number, broken, IN_ORDER[:written])


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_a_frozen_scope_is_compared_leaves_nothing(broken_scope: Broken, number: int) -> None:
    child = broken_scope.at("comparison")
    child.send_signal(number)
    ended_by(child, number, broken_scope, IN_ORDER[:3])


@pytest.mark.parametrize(("stage", "jobs"), [("base", "2"), ("head", "1"), ("head", "2")])
def test_a_key_pressed_reaches_every_process_of_the_terminal_at_once(broken: Broken, stage: str, jobs: str) -> None:
    child = broken.at(stage, "--jobs", jobs)
    os.killpg(child.pid, signal.SIGINT)
    _, errors = child.communicate(timeout=PATIENCE)
    # A second interruption, while the interpreter takes itself down, ends it by the signal itself.
    assert child.returncode in (130, -signal.SIGINT) and errors == "freezegate: interrupted\n"
    assert "verdicts.json" not in broken.evidence_files()
    broken.nothing_left()


def test_held_up_and_let_go_it_is_promoted(broken: Broken) -> None:
    """The stages by themselves break nothing: else the tests above would show nothing."""
    for stage in ("split", "base", "head", "apply"):
        broken.hold(stage)
    child = broken.start()
    for stage in ("split", "base", "head", "apply"):
        assert until((broken.gate / f"{stage}-reached").exists, child)
        (broken.gate / stage).unlink()
    done = broken.go_on()
    assert done.code == 0, done.err
    assert broken.evidence_files() == FIVE
    broken.nothing_left()


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "written"), [("base", 2), ("head", 3)])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_next_run_removes_what_a_killed_one_left(broken: Broken, stage: str, written: int, jobs: str) -> None:
    child = broken.at(stage, "--jobs", jobs)
    child.kill()
    assert broken.go_on().code == -signal.SIGKILL
    assert until(lambda: not broken.processes()), broken.processes()
    assert broken.evidence_files() == sorted(IN_ORDER[:written])
    assert broken.state() == broken.before
    broken.folder = broken.path / "again"
    broken.start("--jobs", jobs)
    done = broken.go_on()
    assert done.code == 0, done.err
    broken.nothing_left()


@pytest.mark.parametrize(
    ("name", "stage", "size"),
    [
        ("fixture.digest", None, 10),
        ("oracle_edited.json", None, 100),
        ("base.sig.json", "base", 40),
        ("runs.json", "head", 40),
        pytest.param("verdicts.json", "head", None, marks=pytest.mark.slow),
    ],
)
def test_a_file_that_cannot_be_written_to_its_end_is_not_there(
    broken: Broken, name: str, stage: str | None, size: int | None
) -> None:
    if size is None:
        broken.with_stale_freezes(20)
        broken.start()
        assert broken.go_on().code == 0
        size = (broken.folder / "runs.json").stat().st_size
        assert size < (broken.folder / "verdicts.json").stat().st_size
        shutil.rmtree(broken.folder)
    if stage is None:
        broken.start(largest=size)
    else:
        resource.prlimit(broken.at(stage).pid, resource.RLIMIT_FSIZE, (size, size))
    refused(
        broken, broken.go_on(), f"{broken.folder}/{name} could not be written: File too large", IN_ORDER.index(name)
    )


def refused(broken: Broken, done: Completed, says: str, written: int) -> None:
    """Fail unless the command could not judge, and said so, with whole files alone in the run folder."""
    assert (done.code, done.out) == (2, ""), done.err
    assert done.err.startswith(f"freezegate: error: {says}\n    hint: ")
    assert len(done.err.splitlines()) == 2
    assert broken.evidence_files() == sorted(IN_ORDER[:written])
    broken.nothing_left()


# A file system of 16 pages in a name space of its own, of which all but some are taken: "$1" is where, "$2" how many.
SMALL_DISK = """\
mount -t tmpfs -o size=64k none "$1" || exit 99
head -c $(((16 - $2) * 4096)) /dev/zero > "$1/taken"
folder=$1 gate=$3
shift 3
if [ -e "$gate/base" ]; then
    "$@" &
    while [ ! -e "$gate/base-reached" ]; do sleep 0.02; done
    mount -o remount,ro "$folder"
    rm "$gate/base"
    wait $!
else
    "$@"
fi
status=$?
ls -A "$folder/run"
exit $status
"""


def on_a_small_disk(broken: Broken, pages: int) -> Completed:
    """The command with a run folder for which there are so many pages of 4 KiB."""
    disk = broken.path / "disk"
    disk.mkdir()
    broken.folder = disk / "run"
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", SMALL_DISK, "sh", str(disk), str(pages), str(broken.gate), *broken.words()],
        cwd=broken.shop.path, env=broken.env, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    if done.returncode in (1, 99) and "freezegate" not in done.stderr:
        pytest.skip(f"no file system can be mounted here: {done.stderr}")
    return Completed(done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs name spaces of Linux")
@pytest.mark.parametrize("pages", range(5))
def test_a_full_disk_leaves_whole_files_alone(broken: Broken, pages: int) -> None:
    done = on_a_small_disk(broken, pages)
    assert done.code == 2, done.err
    assert f"{IN_ORDER[pages]} could not be written: No space left on device\n    hint: " in done.err
    assert sorted(done.out.split()) == sorted(IN_ORDER[:pages])
    broken.nothing_left()


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs name spaces of Linux")
def test_a_disk_that_becomes_read_only_is_said(broken: Broken) -> None:
    broken.hold("base")
    done = on_a_small_disk(broken, 16)
    assert done.code == 2, done.err
    assert "base.sig.json could not be written: Read-only file system\n    hint: " in done.err
    assert sorted(done.out.split()) == sorted(IN_ORDER[:2])
    broken.nothing_left()


@pytest.mark.skipif(os.geteuid() == 0, reason="to root every folder is writable")
def test_a_run_folder_that_becomes_unwritable_is_said(broken: Broken) -> None:
    broken.at("base")
    broken.folder.chmod(0o500)
    done = broken.go_on()
    broken.folder.chmod(0o700)
    refused(broken, done, f"{broken.folder}/base.sig.json could not be written: Permission denied", 2)


@pytest.mark.parametrize("stage", ["base", "head"])
def test_a_run_folder_that_is_taken_away_is_said_and_not_made_again(broken: Broken, stage: str) -> None:
    broken.at(stage)
    shutil.rmtree(broken.folder)
    done = broken.go_on()
    refused(broken, done, f"{broken.folder}/fixture.digest was changed or removed while the properties ran", 0)
    assert not broken.folder.exists()


@pytest.mark.parametrize("name", ["fixture.digest", "runs.json", "verdicts.json"])
@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_nothing_is_written_to_what_was_put_into_the_run_folder(broken: Broken, name: str, kind: str) -> None:
    """A pipe would keep the command waiting, and a link lead it to another file."""
    child = broken.at("base")
    place, other = broken.folder / name, broken.path / "other"
    other.write_text("other\n")
    place.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "link":
        place.symlink_to(other)
    else:
        place.mkdir()
    done = broken.go_on()
    assert (child.returncode, done.out, other.read_text()) == (2, "", "other\n")
    what = "was changed or removed" if name == "fixture.digest" else "was made"
    assert done.err.startswith(f"freezegate: error: {place} {what} while the properties ran\n    hint: ")
    broken.nothing_left()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["propcheck", "reproduce"])
def test_a_single_file_that_cannot_be_written_is_said(broken: Broken, command: str) -> None:
    edited, out = str(broken.path / "edited.json"), broken.path / "out.json"
    digest = broken.shop.run("fixture-lock", "fixtures").out.strip()
    assert broken.shop.run("split-diff", "main...HEAD", "--out", edited).code == 0
    words, stage = {
        "propcheck": (["propcheck", "--catalog", "catalog", "--edited", edited, "--digest", digest], "head"),
        "reproduce": (["reproduce", "--revision", "main", "--digest", digest, "--attempts", "1"], "base"),
    }[command]
    for name, says in (
        ("/dev/full", "/dev/full could not be written: No space left on device"),
        (f"{edited}/x", f"{edited}/x could not be written: Not a directory"),
        ("", "the name of the file to write is empty"),
    ):
        done = broken.shop.run(*words, "--out", name)
        assert (done.code, done.out) == (2, "")
        assert f"freezegate: error: {says}\n    hint: " in done.err
    # What is there stays as it is where the new file cannot be written whole.
    out.write_text("old\n")
    child = broken.at(stage, *words, "--out", str(out), "--jobs", "1")
    resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (40, 40))
    done = broken.go_on()
    assert (done.code, out.read_text()) == (2, "old\n")
    assert f"{out} could not be written: File too large\n    hint: " in done.err
    broken.nothing_left()
    child = broken.at(stage, *words, "--out", str(out), "--jobs", "1")
    child.send_signal(signal.SIGTERM)
    assert broken.go_on().code == 128 + signal.SIGTERM
    assert out.read_text() == "old\n"
    broken.nothing_left()


def files(folder: Path) -> dict[str, bytes]:
    """What the files of a run folder hold."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["split", "base", "head"])
def test_base_and_head_are_what_they_were_at_the_start(broken: Broken, stage: str) -> None:
    broken.start("--no-cache")
    assert broken.go_on().code == 0
    expected = files(broken.folder)
    shop, ends = broken.shop, (broken.shop.resolve("main"), broken.shop.head())
    broken.folder = broken.path / "moved"
    broken.at(stage, "--no-cache")
    # As by a fetch, and a commit on another terminal: base now has the change, and head lacks it.
    shop.git("update-ref", "refs/heads/main", ends[1])
    shop.git("update-ref", "refs/heads/patch", ends[0])
    done = broken.go_on()
    assert done.code == 0, done.err
    assert files(broken.folder) == expected
    verdicts, runs = evidence(broken.folder, "verdicts"), evidence(broken.folder, "runs")
    assert verdicts["base_revision"] == runs["base_revision"] == ends[0]
    assert runs["head_revision"] == ends[1]
    shop.git("update-ref", "refs/heads/main", ends[0])
    shop.git("update-ref", "refs/heads/patch", ends[1])
    broken.nothing_left()


@pytest.mark.slow
def test_another_branch_checked_out_meanwhile_changes_nothing(broken: Broken) -> None:
    broken.at("head")
    broken.shop.git("checkout", "-q", "main")
    done = broken.go_on()
    assert done.code == 0, done.err
    assert evidence(broken.folder, "runs")["head_revision"] == broken.shop.resolve("patch")
    broken.shop.git("checkout", "-q", "patch")
    broken.before = broken.before[1:]
    assert broken.state()[1:] == broken.before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "cwd", "place"),
    [
        ("evidence", "src", "src/evidence"),
        ("../evidence/of/today", "catalog", "evidence/of/today"),
        ("fixtures/run", ".", "fixtures/run"),
        ("catalog/run", ".", "catalog/run"),
    ],
)
def test_the_run_folder_may_lie_in_the_repository(broken: Broken, given: str, cwd: str, place: str) -> None:
    """What runs is committed: evidence beside fixtures or in the catalog is part of neither."""
    shop = broken.shop
    words = ["verdict", "--base", "main", "--run-dir", given, "--attempts", "2"]
    done = shop.run(*words, cwd=shop.path / cwd)
    assert done.code == 0, done.err
    assert sorted(files(shop.at(place))) == FIVE
    top = place.partition("/")[0]
    untracked = shop.git("status", "--porcelain").decode().split()
    assert untracked == ["??", f"{place}/" if shop.git("ls-files", "--", top) else f"{top}/"]
    again = shop.run(*words, cwd=shop.path / cwd)
    assert again.code == 2 and f"{given} is there and not an empty folder" in again.err
    broken.start()
    assert broken.go_on().code == 0
    assert files(broken.folder) == files(shop.at(place))
    shop.remove(place)
    broken.nothing_left()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("", "the name of the run folder is empty"),
        (".", ". is there and not an empty folder"),
        ("src/orders.py/run", "Not a directory (src/orders.py/run)"),
        ("r" * 300, f"File name too long ({'r' * 300})"),
    ],
)
def test_a_run_folder_that_cannot_be_one_is_said(broken: Broken, given: str, says: str) -> None:
    done = broken.shop.run("verdict", "--base", "main", "--run-dir", given)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"freezegate: error: {says}\n")
    broken.nothing_left()


@pytest.mark.parametrize(
    ("closed", "form"),
    [
        *((closed, "text") for closed in (">&-", ">/dev/full", ">&- 2>&-", ">/dev/full 2>/dev/full", "<&- >&-")),
        (">/dev/full", "json"),
        (">/dev/full", "junit"),
    ],
)
def test_a_verdict_that_nobody_hears_is_no_pass(broken: Broken, closed: str, form: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *broken.words("--format", form)], cwd=broken.shop.path,
        env=broken.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "internal error" not in done.stderr and "Traceback" not in done.stderr
    if closed == ">&-":
        assert "standard output is closed" in done.stderr and broken.evidence_files() == []
    broken.nothing_left()


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full"])
def test_without_standard_error_the_verdict_stands(broken: Broken, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *broken.words()], cwd=broken.shop.path, env=broken.env,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0 and "promoted" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_property_that_hangs_is_a_missing_run(broken: Broken, jobs: str) -> None:
    broken.hold("head")
    child = broken.start("--time-limit", "2", "--jobs", jobs)
    out, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode == 1, errors
    hung, held = evidence(broken.folder, "verdicts")["verdicts"]
    assert (hung["prop_id"], hung["verdict"], hung["reason"]) == ("prop.order_total", "fail", "missing_run")
    assert TIME_UP.fullmatch(hung["detail"]) and hung["detail"] in out
    assert held["verdict"] == "pass"
    broken.nothing_left()


@pytest.mark.slow
def test_a_property_that_hangs_on_base_gives_no_signature(broken: Broken) -> None:
    broken.hold("base")
    child = broken.start("--time-limit", "2", "--attempts", "1")
    _, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode == 1
    assert re.search(f"on the base revision, prop.order_total: {TIME_UP.pattern}\n", errors)
    assert json.loads((broken.folder / "base.sig.json").read_text()) == []
    assert evidence(broken.folder, "verdicts")["verdicts"][0]["reason"] == "failed"
    (broken.gate / "base").unlink()
    broken.folder = broken.path / "again"
    broken.start("--attempts", "1")
    assert broken.go_on().code == 0, "what was not answered is not kept"
    broken.nothing_left()


@pytest.mark.slow
def test_a_frozen_scope_that_hangs_in_the_comparison_is_a_new_failure(broken_scope: Broken) -> None:
    broken_scope.hold("comparison")
    child = broken_scope.start("--time-limit", "3")
    _, errors = child.communicate(timeout=PATIENCE)
    assert child.returncode == 1, errors
    row = evidence(broken_scope.folder, "verdicts")["verdicts"][0]
    assert (row["verdict"], row["reason"]) == ("fail", "new_failures")
    assert re.search(f"the inputs cannot be judged: {TIME_UP.pattern}", row["detail"])
    broken_scope.nothing_left()

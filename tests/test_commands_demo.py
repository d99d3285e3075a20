"""`freezegate demo`: it plays to its end whatever the surroundings, leaves nothing behind, and can fail."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from building import Repo, environment
from freezegate.demo import project
from freezegate.demo.cheats import CHEATS
from freezegate.demo.sandbox import Sandbox
from freezegate.demo.stage import Bad, Differs, Good, Stage
from freezegate.demo.story import GOOD, _accepted, _refused, _set_up
from freezegate.demo.telling import Teller
from freezegate.documents.reading import read_scope
from freezegate.gate.registry import all_rules

needs_pre_commit = pytest.mark.skipif(importlib.util.find_spec("pre_commit") is None, reason="pre-commit is absent")


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """An empty folder for temporary folders."""
    place = tmp_path / "temporary files"
    place.mkdir()
    return place


def test_at_least_six_kinds_of_bad_commits_are_told() -> None:
    leading = [cheat.rules[0] for cheat in CHEATS]
    assert len(set(leading)) == len(CHEATS) >= 6
    assert {rule for cheat in CHEATS for rule in cheat.rules} <= set(all_rules())
    messages = [step.message for step in (*GOOD, *CHEATS)]
    assert len(set(messages)) == len(messages)


def test_its_documents_are_accepted() -> None:
    assert read_scope(project.FILES[project.SCOPE].encode()).document is not None


@pytest.mark.slow
@needs_pre_commit
def test_the_whole_story(tmp_path: Path, temporary: Path) -> None:
    """Offline, with hostile variables around it, from inside a repository that must not be touched."""
    around = Repo(tmp_path / "around")
    around.write("a", "a\n")
    around.commit_all()
    around.write("a", "b\n")
    before = around.head(), around.git("status", "--porcelain"), sorted(around.path.rglob("*"))
    hostile = {
        "TMPDIR": str(temporary),
        "GIT_DIR": str(around.path / ".git"),
        "GIT_WORK_TREE": str(around.path),
        "GIT_INDEX_FILE": str(around.path / ".git" / "index"),
        "SKIP": "freezegate",
        "PRE_COMMIT_FROM_REF": "HEAD~1",
        "PRE_COMMIT_TO_REF": "HEAD",
        "GITHUB_BASE_REF": "main",
        "https_proxy": "http://127.0.0.1:1",
        "http_proxy": "http://127.0.0.1:1",
    }
    variables = {name: text for name, text in environment(**hostile).items() if "AUTHOR" not in name}
    done = subprocess.run(
        [sys.executable, "-m", "freezegate", "demo"],
        cwd=around.path, env=variables, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    said = done.stdout
    assert "Everything happened as told" in said
    assert said.count("-> accepted") == len(GOOD)
    assert "retained: failed" in said and "isolated: fail (3 of 3 replays failed)" in said
    assert "-> refused: record-stale" in said
    for cheat in CHEATS:
        assert f"$ git commit --quiet -m '{cheat.message}'" in said
        assert f"-> refused: {', '.join(cheat.rules)}" in said
        for rule in cheat.rules:
            assert f": {rule}: " in said
    assert "$ pre-commit install" in said
    assert "(all rules)...................................................Failed" in said
    assert "\x1b" not in said
    assert list(temporary.iterdir()) == []
    assert (around.head(), around.git("status", "--porcelain"), sorted(around.path.rglob("*"))) == before


@pytest.mark.slow
@needs_pre_commit
def test_a_difference_is_told_and_the_state_is_put_back(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bad commit that passes, a bad one refused for another reason, and a good one that is refused."""
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with Sandbox(keep=False) as sandbox:
        stage = Stage(sandbox, Teller())
        _set_up(stage)
        _accepted(stage, GOOD[0])
        head = sandbox.head()
        harmless = Bad("harmless", "", "A note", lambda stage: stage.write("NOTES", "a\n"), ("gate-mixed",))
        assert _refused(stage, harmless, "harmless") == '"A note" was accepted'
        assert sandbox.head() == head
        assert not sandbox.at("NOTES").exists()
        relax = next(cheat.edit for cheat in CHEATS if cheat.rules == ("predicate-without-scope",))
        other = Bad("other", "", "Relax", relax, ("gate-mixed",))
        assert "refused with predicate-without-scope, not with gate-mixed" in _refused(stage, other, "other")
        assert sandbox.head() == head
        with pytest.raises(Differs, match="predicate-without-scope"):
            _accepted(stage, Good("not good", "", "Relax again", relax))
        with pytest.raises(Differs, match="does not have the lines"):
            stage.replace(project.SOURCE, "no such line\n", "")
        with pytest.raises(Differs, match="exit status"):
            stage.shell("git", "no-such-command")
    assert list(temporary.iterdir()) == []


def test_the_sandbox_gives_the_environment_back(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setattr("freezegate.demo.sandbox.find_pre_commit", lambda: ["true"])
    monkeypatch.setenv("GIT_DIR", "elsewhere")
    monkeypatch.setenv("PYTHONPATH", "hooks")
    before = dict(os.environ)
    with pytest.raises(KeyboardInterrupt), Sandbox(keep=False) as sandbox:
        assert "GIT_DIR" not in os.environ
        assert Path(os.environ["PYTHONPATH"]).is_absolute()
        assert sandbox.top.parent == temporary
        raise KeyboardInterrupt
    assert dict(os.environ) == before
    assert list(temporary.iterdir()) == []
    with Sandbox(keep=True) as sandbox:
        pass
    assert sandbox.folder.is_dir()


@needs_pre_commit
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_leaves_nothing_behind(temporary: Path, number: int) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "freezegate", "demo"],
        cwd=temporary.parent, env=environment(TMPDIR=str(temporary)),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 20
    while not any(temporary.glob("*/orders/.git/HEAD")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(child.pid, number)
    _, errors = child.communicate(timeout=20)
    assert (child.returncode, errors.strip().splitlines()[-1]) == (130, "freezegate: interrupted")
    assert list(temporary.iterdir()) == []


def test_without_pre_commit_it_says_how_to_get_it(temporary: Path) -> None:
    """In an interpreter that does not see pre-commit, with none on the path."""
    script = (
        "import importlib.util, sys\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'pre_commit' else real(name, *rest)\n"
        "from freezegate.cli.main import main\n"
        "sys.exit(main(['demo']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(TMPDIR=str(temporary), PATH=str(temporary)), capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "which is not installed" in done.stderr
    assert "-m pip install pre-commit" in done.stderr
    assert list(temporary.iterdir()) == []

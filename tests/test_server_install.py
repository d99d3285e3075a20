"""`freezegate install-server`: the hook goes where the server looks, every other hook stays, twice is once."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from building import Completed, Repo, environment
from freezegate.errors import UsageError
from freezegate.server.hook import Flags, gate_call, script


@pytest.fixture
def bare(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "shop.git", bare=True)
    for sample in made.path.glob("hooks/*.sample"):
        sample.unlink()
    return made


def _install(bare: Repo, *flags: str) -> Completed:
    done = bare.run("install-server", str(bare.path), *flags)
    assert done.code in (0, 1), done.err
    return done


def _files(bare: Repo) -> dict[str, tuple[int, bytes]]:
    """Path, mode and bytes of all that may be a hook."""
    found = {}
    for path in sorted(bare.path.rglob("*")):
        if path.is_file() and "objects" not in path.parts:
            found[str(path.relative_to(bare.path))] = (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
    return found


def _own(bare: Repo, path: str, text: str = "#!/bin/sh\nexit 0\n") -> Path:
    bare.write(path, text, mode=0o755)
    return bare.at(path)


def test_the_hook_is_two_lines_that_become_the_gate(bare: Repo) -> None:
    done = _install(bare)
    hook = bare.at("hooks/pre-receive")
    first, second = hook.read_text(encoding="utf-8").splitlines()
    assert first == "#!/bin/sh"
    assert shlex.split(second) == ["exec", sys.executable, "-I", "-m", "freezegate", "pre-receive"]
    assert stat.S_IMODE(hook.stat().st_mode) == 0o755
    assert "wrote    hooks/pre-receive" in done.out
    assert f"freezegate doctor {bare.path}" in done.out


def test_flags_come_back_as_they_were_given(bare: Repo) -> None:
    given = ["--protect", "refs/heads/it's $HOME *", "--protect", "refs/tags/v*", "--time-limit", "4.5"]
    given += ["--default-branch", "refs/heads/trunk"]
    _install(bare, *given)
    words = gate_call(bare.at("hooks/pre-receive").read_bytes())
    assert words is not None and words[5:] == given
    echo = bare.at("hooks/pre-receive").read_text(encoding="utf-8").replace("exec ", "printf '%s\\n' ")
    said = subprocess.run(["sh", "-c", echo], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[5:] == given


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_twice_is_once(bare: Repo, mask: int) -> None:
    before = os.umask(mask)
    try:
        _install(bare)
        once = _files(bare)
        done = _install(bare)
    finally:
        os.umask(before)
    assert "in place" in done.out and "wrote" not in done.out
    assert _files(bare) == once
    assert once["hooks/pre-receive"][0] == 0o755


def test_other_flags_replace_our_own_hook(bare: Repo) -> None:
    _install(bare)
    assert "replaced hooks/pre-receive" in _install(bare, "--time-limit", "3").out
    assert b"--time-limit 3\n" in bare.at("hooks/pre-receive").read_bytes()


def test_a_hook_of_ours_that_lost_its_mode_gets_it_back(bare: Repo) -> None:
    _install(bare)
    bare.at("hooks/pre-receive").chmod(0o644)
    _install(bare)
    assert stat.S_IMODE(bare.at("hooks/pre-receive").stat().st_mode) == 0o755


def test_a_hook_that_is_there_stays_and_the_gate_is_said_not_to_be_in_force(bare: Repo) -> None:
    before = _own(bare, "hooks/pre-receive").read_bytes()
    done = _install(bare)
    assert done.code == 1
    assert bare.at("hooks/pre-receive").read_bytes() == before
    assert "NOT IN FORCE" in done.out and "kept     hooks/pre-receive" in done.out
    once = _files(bare)
    assert _install(bare).code == 1
    assert _files(bare) == once


def test_the_chain_that_is_told_runs_both_hooks_on_all_lines(bare: Repo, tmp_path: Path) -> None:
    log = tmp_path / "log"
    _own(bare, "hooks/pre-receive", f"#!/bin/sh\nwhile read -r line; do echo \"theirs $line\" >>'{log}'; done\n")
    told = _install(bare).out
    (move,) = [line.strip() for line in told.splitlines() if line.startswith("  mv ")]
    subprocess.run(["sh", "-c", move], check=True)
    start = told.index("  #!/bin/sh")
    chain = [line[2:] for line in told[start:].splitlines()[:4]]
    _own(bare, "hooks/pre-receive", "\n".join(chain) + "\n")
    assert "kept     hooks/pre-receive" in (again := _install(bare)).out
    assert again.code == 0

    gate = f"#!/bin/sh\nwhile read -r line; do echo \"gate $line\" >>'{log}'; done\nexit 1\n"
    _own(bare, "hooks/pre-receive.freezegate", gate)
    work = Repo(tmp_path / "work")
    work.write("a", "a")
    work.commit_all()
    push = ["git", "-c", "protocol.file.allow=always", "push", "-q", bare.path.as_uri(), "main", "main:other"]
    assert subprocess.run(push, cwd=work.path, env=environment(), capture_output=True, check=False).returncode == 1
    rows = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
    refs = ["refs/heads/main", "refs/heads/other"]
    assert [(row[0], row[3]) for row in rows] == [(who, ref) for who in ("theirs", "gate") for ref in refs]


def test_a_link_to_the_shipped_hook_stays(bare: Repo, tmp_path: Path) -> None:
    shipped = tmp_path / "shipped"
    shipped.write_text('#!/bin/sh\nexec freezegate pre-receive "$@"\n', encoding="utf-8")
    shipped.chmod(0o755)
    bare.at("hooks/pre-receive").symlink_to(shipped)
    done = _install(bare)
    assert done.code == 0 and "kept     hooks/pre-receive" in done.out
    assert bare.at("hooks/pre-receive").is_symlink()
    assert not bare.at("hooks/pre-receive.freezegate").exists()


def test_a_server_that_runs_a_folder_gets_it_there(bare: Repo) -> None:
    runner = "#!/bin/sh\nfor hook in ${GIT_DIR}/hooks/pre-receive.d/*; do ${hook} || exit 1; done\n"
    _own(bare, "hooks/pre-receive", runner)
    theirs = _own(bare, "hooks/pre-receive.d/gitea")
    done = _install(bare)
    assert done.code == 0 and "wrote    hooks/pre-receive.d/freezegate" in done.out
    assert bare.at("hooks/pre-receive").read_text(encoding="utf-8") == runner
    assert theirs.exists()
    once = _files(bare)
    assert _install(bare).code == 0
    assert _files(bare) == once


def test_a_folder_that_nothing_runs_is_not_used(bare: Repo) -> None:
    bare.at("hooks/pre-receive.d").mkdir()
    assert "wrote    hooks/pre-receive\n" in _install(bare).out
    assert not list(bare.at("hooks/pre-receive.d").iterdir())


def test_gitlab_gets_its_custom_hook(bare: Repo) -> None:
    bare.at("custom_hooks").mkdir()
    assert "wrote    custom_hooks/pre-receive.d/freezegate" in _install(bare).out
    assert not bare.at("hooks/pre-receive").exists()


def test_hooks_that_git_looks_for_elsewhere_are_not_written(bare: Repo, tmp_path: Path) -> None:
    bare.git("config", "core.hooksPath", str(tmp_path / "shared"))
    before = _files(bare)
    done = bare.run("install-server", str(bare.path))
    assert done.code == 2 and "core.hooksPath" in done.err
    assert _files(bare) == before
    bare.git("config", "core.hooksPath", "hooks")
    assert _install(bare).code == 0


def test_what_is_no_bare_repository_is_refused(tmp_path: Path) -> None:
    clone = Repo(tmp_path / "clone")
    for place in (clone.path, clone.path / ".git", tmp_path, tmp_path / "nowhere"):
        done = clone.run("install-server", str(place))
        assert done.code == 2 and "Traceback" not in done.err, place
        assert not list(clone.path.rglob("pre-receive"))


@pytest.mark.parametrize("ref", ["main", "", "refs/heads/a\nrm", "refs/heads/\x1b[2J"])
def test_what_is_no_ref_is_refused(bare: Repo, ref: str) -> None:
    with pytest.raises(UsageError):
        Flags(protect=(ref,))
    assert bare.run("install-server", str(bare.path), "--protect", ref).code == 2
    assert bare.run("install-server", str(bare.path), "--default-branch", ref.removeprefix("main")).code == 2
    assert not bare.at("hooks/pre-receive").exists()


def test_a_config_is_named_by_its_absolute_path_and_has_to_exist(bare: Repo) -> None:
    assert bare.run("install-server", str(bare.path), "--config", "strict.yaml").code == 2
    assert not bare.at("hooks/pre-receive").exists()
    bare.write("strict.yaml", "policy: {promotion: strict}\n")
    assert bare.run("install-server", str(bare.path), "--config", "strict.yaml").code == 0
    assert f"--config {bare.at('strict.yaml').resolve()}\n" in bare.at("hooks/pre-receive").read_text(encoding="utf-8")


def test_only_our_own_two_lines_are_taken_for_ours() -> None:
    ours = script(Flags())
    assert gate_call(ours) is not None
    for other in (b"", ours + b"echo more\n", b"#!/bin/sh\nexec freezegate pre-receive\n", b"#!/bin/sh\nexec 'open\n"):
        assert gate_call(other) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to another user")
def test_a_freezegate_that_the_owner_cannot_start_is_warned_of(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as closed:  # mode 0700
        repository = Repo(tmp_path / "shop.git", bare=True)
        python = Path(closed, "python")
        python.symlink_to(sys.executable)
        os.chown(repository.path, 12345, 12345)
        code = "import sys; from freezegate.cli.main import main; sys.exit(main())"
        command = [python, "-c", code, "install-server", repository.path]
        paths = os.pathsep.join(path for path in sys.path if path)
        done = subprocess.run(
            command, env=environment(PYTHONPATH=paths), capture_output=True, text=True, check=True, cwd=tmp_path
        )  # fmt: skip
        assert f"WARNING: {closed} is closed to other users" in done.stdout

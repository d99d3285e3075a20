"""Where a case is evaluated: the active interpreter, fresh environments, sandboxes, containers, other machines, commands."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from building import COUNTEREXAMPLE, SCOPE_ID, Repo, good_project, with_files
from children import Project
from freezegate.documents.config import Config, Environment
from freezegate.errors import CannotJudge
from freezegate.fingerprints import parts_of
from freezegate.gate.alone import alone, scope_given
from freezegate.git.repository import Repository
from freezegate.running.cases import Case, case_in
from freezegate.running.environments import Absent, Place, active_python, chosen, requirements, shared
from freezegate.running.environments.command import CommandPlace
from freezegate.running.evaluation import Outcome
from freezegate.running.labels import Label, labelled
from freezegate.running.leftovers import sweep_scratch
from freezegate.running.subject import Subject, subject
from transports import program, ssh_login

SOURCE = "def test_p(case):\n    assert case['x'] < 3\n"
# What it finds out comes back as the message of its failure.
PROBE = """\
import importlib.util, json, os, socket, sys


def tried(action):
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "done"


def test_p(case):
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    raise AssertionError(json.dumps(eval(case["ask"], {**globals(), "here": here})))
"""


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files; nothing may be left in it. Its path is short enough for a socket's."""
    with tempfile.TemporaryDirectory(prefix="fg-") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)
        assert list(Path(folder).iterdir()) == []


def place(preset: Any = None, **more: Any) -> Place:
    """The environment of a configuration that has just this one, or the active interpreter."""
    if preset is None:
        return local(chosen(Config(), "local"))
    return local(chosen(Config(environments={"isolated": Environment(preset=preset, **more)}), "isolated"))


def local(found: Place | CommandPlace) -> Place:
    assert not isinstance(found, CommandPlace)
    return found


def outcome(where: Place, project: Project, case: Any = None, limit: float | None = 30, **job: Any) -> Outcome:
    with where.open(str(project.root), sys.executable) as launch:
        return project.outcome({"x": 3} if case is None else case, limit, launch=launch, root=launch.root, **job)


def asked(where: Place, project: Project, question: str, python: str = sys.executable) -> Any:
    """The value of a Python expression inside the environment."""
    with where.open(str(project.root), python) as launch:
        found = project.outcome({"ask": question}, launch=launch, root=launch.root)
    assert found.failure is not None, found
    return json.loads(found.failure.message)


def gone(path: Path, seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while path.exists() and time.monotonic() < until:
        time.sleep(0.02)
    return not path.exists()


def processes() -> dict[int, list[str]]:
    """The command of every process."""
    found = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit():
                found[int(entry.name)] = (entry / "cmdline").read_text(errors="replace").split("\0")
    return found


# The active interpreter


def test_the_active_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    assert active_python() == sys.executable
    for name in ("CONDA_PREFIX", "VIRTUAL_ENV"):  # the latter wins
        python = tmp_path / name / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.symlink_to(sys.executable)
        monkeypatch.setenv(name, str(tmp_path / name))
        assert active_python() == str(python)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "removed"))
    assert active_python() == str(tmp_path / "CONDA_PREFIX/bin/python")
    monkeypatch.chdir(tmp_path / "CONDA_PREFIX")
    assert active_python("bin/python") == str(tmp_path / "CONDA_PREFIX/bin/python")
    monkeypatch.setenv("PATH", str(tmp_path / "CONDA_PREFIX/bin"))
    assert active_python("python") == str(tmp_path / "CONDA_PREFIX/bin/python")
    for named in ("no-such-python", "bin/no-such-python", str(tmp_path)):
        with pytest.raises(CannotJudge, match="is no program"):
            active_python(named)


def test_names_of_environments() -> None:
    config = Config(environments={"isolated": Environment(preset="venv"), "local": Environment(preset="bwrap")})
    assert [chosen(config, name).preset for name in ("local", "isolated")] == ["local", "venv"]
    with pytest.raises(CannotJudge, match="no environment far") as caught:
        chosen(config, "far")
    assert "isolated, local" in caught.value.hint


def test_local(tmp_path: Path, temporary: Path) -> None:
    project = Project(tmp_path, SOURCE)
    with place().open(str(project.root), sys.executable) as launch:
        assert [project.outcome({"x": x}, launch=launch).label for x in (2, 3, 2)] == ["pass", "fail", "pass"]
        (scratch,) = temporary.iterdir()
        assert list((scratch / "temp").iterdir()) == []


# Virtual environments


def test_an_environment_for_nothing_has_nothing(tmp_path: Path, temporary: Path) -> None:
    project = Project(tmp_path, PROBE)
    packages = "[importlib.util.find_spec(name) is None for name in ('pytest', 'hypothesis', 'pip')]"
    assert asked(place(), project, packages) == [False, False, False]
    assert asked(place("venv"), project, packages) == [True, True, True]
    assert asked(place("venv"), project, "sys.prefix != sys.base_prefix and sys.version") == sys.version


def wheel(folder: Path, name: str = "tinything", version: str = "1.0", body: str = "ANSWER = 42\n") -> Path:
    """A wheel of one module."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    tags = "Wheel-Version: 1.0\nGenerator: by-hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", body)
        archive.writestr(f"{name}-{version}.dist-info/METADATA", metadata)
        archive.writestr(f"{name}-{version}.dist-info/WHEEL", tags)
        archive.writestr(f"{name}-{version}.dist-info/RECORD", "")
    return path


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pip finds packages, and the only place."""
    wheel(tmp_path / "wheels")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "elsewhere"))  # the user's own settings must not lead astray
    return tmp_path / "wheels"


@pytest.mark.parametrize(
    "files",
    [
        {"requirements.txt": "# ours\n-e .\n.[dev]\ntinything \\\n  == 1.0\n"},
        {"requirements.txt": "no-such-package\n", "requirements.lock": "tinything==1.0\n"},
        {"requirements.txt": "-r requirements/base.txt\n", "requirements/base.txt": "-r more.txt\n",
         "requirements/more.txt": "tinything\n"},
        {"requirements.txt": "tinything\n-c constraints.txt\n", "constraints.txt": "tinything==1.0\n"},
        {"pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = ["tinything >= 1.0"]\n'},
        {"pyproject.toml": '[project]\ndependencies = ["no-such-package"]\n', "requirements.txt": "tinything\n"},
    ],
    ids=["requirements", "lock-first", "included", "constrained", "pyproject", "requirements-first"],
)  # fmt: skip
@pytest.mark.slow
def test_what_the_tree_names_is_installed(tmp_path: Path, temporary: Path, wheels: Path, files: dict[str, str]) -> None:
    project = Project(tmp_path, "import tinything\n" + PROBE, dict(files))
    before = sorted(project.root.rglob("*"))
    assert outcome(place(), project).label == "absent"
    assert asked(place("venv"), project, "tinything.ANSWER") == 42
    assert sorted(project.root.rglob("*")) == before and not (tmp_path / "elsewhere").exists()


@pytest.mark.slow
def test_a_failing_installation_says_why(tmp_path: Path, temporary: Path, wheels: Path) -> None:
    project = Project(tmp_path, SOURCE, {"requirements.txt": "no-such-package\n"})
    with pytest.raises(Absent, match=r"requirements.txt names could not be installed: .*no-such-package"):
        outcome(place("venv"), project)


@pytest.mark.slow
def test_an_interpreter_without_pip(tmp_path: Path, temporary: Path, wheels: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    project = Project(tmp_path, "import tinything\n" + PROBE, {"requirements.txt": "tinything\n"})
    assert asked(place("venv"), project, "tinything.ANSWER", str(bare / "bin/python")) == 42


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"uv.lock": "version = 1\n"}, "nothing here can install from uv.lock"),
        ({"poetry.lock": ""}, "nothing here can install from poetry.lock"),
        ({"pyproject.toml": "["}, "pyproject.toml cannot be read"),
        ({"pyproject.toml": "[project]\ndependencies = [1]\n"}, "no list of texts"),
        ({"requirements.txt": b"\xff\xfe"}, "requirements.txt cannot be read"),
    ],
)
def test_what_cannot_be_installed_here(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str | bytes], why: str
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    project = Project(tmp_path, SOURCE, files)
    if shutil.which("uv") or shutil.which("poetry"):
        pytest.skip("uv or poetry is installed for the whole machine")
    with pytest.raises(Absent, match=why):
        outcome(place("venv"), project)


def test_what_is_named_decides_whether_it_is_the_same_environment(tmp_path: Path) -> None:
    seen = set()
    for number, files in enumerate(
        (
            {},
            {"requirements.txt": "a\n"},
            {"requirements.txt": "b\n"},
            {"requirements.lock": "a\n"},
            {"requirements.txt": "-r requirements/x\n", "requirements/x": "a\n"},
            {"requirements.txt": "-r requirements/x\n", "requirements/x": "b\n"},
            {"constraints.txt": "a\n"},
            {"requirements-dev.in": "a\n"},
            {"pylock.dev.toml": "a\n"},
            {"pyproject.toml": "a\n"},
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        seen.add(requirements.digest(str(Project(folder, SOURCE, dict(files)).root)))
    assert len(seen) == number + 1


def prefix(where: Place, project: Project) -> tuple[str, int]:
    """The interpreter's folder, and when it was made."""
    with where.open(str(project.root), sys.executable) as launch:
        folder = Path(launch.argv[0]).parent.parent
        return str(folder), (folder / "pyvenv.cfg").stat().st_ctime_ns


def test_an_environment_is_built_once_and_shared(tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = Project(tmp_path / "a", SOURCE), Project(tmp_path / "b", SOURCE, {"x.py": "X = 1\n"})
    with shared():
        first = prefix(place("venv"), one)
        assert prefix(place("venv"), other) == first
        with shared():  # inside another it adds nothing
            assert prefix(place("venv"), one) == first
        one.write("requirements.txt", "# nothing\n")
        assert prefix(place("venv"), one)[0] != first[0]
    assert prefix(place("venv"), other)[0] != prefix(place("venv"), other)[0]


FORKS = """
import os, sys
from freezegate.documents.config import Config
from freezegate.running.environments import chosen, shared
with shared():
    children = []
    for number in range(3):
        child = os.fork()
        if child == 0:
            with chosen(Config(), "isolated").open(sys.argv[1], sys.executable) as launch:
                os.write(1, (launch.argv[0] + "\\n").encode())
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    with chosen(Config(), "isolated").open(sys.argv[1], sys.executable) as launch:
        print(launch.argv[0], os.path.exists(launch.argv[0]))
"""


def test_forked_workers_share_it_too(tmp_path: Path, temporary: Path) -> None:
    project = Project(tmp_path, SOURCE)
    done = subprocess.run([sys.executable, "-c", FORKS, str(project.root)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(set(done.stdout.replace(" True", "").splitlines())) == 1 and done.stdout.count("\n") == 4


@pytest.mark.slow
def test_a_refused_installation_is_tried_once(tmp_path: Path, temporary: Path, wheels: Path) -> None:
    project = Project(tmp_path, "import another\n" + PROBE, {"requirements.txt": "another\n"})
    with shared():
        with pytest.raises(Absent) as first:
            outcome(place("venv"), project)
        wheel(wheels, "another")
        with pytest.raises(Absent) as second:
            outcome(place("venv"), project)
        assert (first.value.message, first.value.hint) == (second.value.message, second.value.hint)
    assert asked(place("venv"), project, "another.ANSWER") == 42


@pytest.mark.slow
def test_a_killed_build_is_removed_by_the_next_run(tmp_path: Path, temporary: Path, wheels: Path) -> None:
    project = Project(tmp_path, SOURCE, {"requirements.txt": "tinything\n"})
    code = (
        "import sys\nfrom freezegate.documents.config import Config\n"
        "from freezegate.running.environments import chosen, shared\n"
        "with shared(), chosen(Config(), 'isolated').open(sys.argv[1], sys.executable):\n    print('x')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(project.root)], stdout=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while not any(temporary.rglob("pyvenv.cfg")) and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert any(temporary.iterdir())
    # What the killed run had started ends by itself.
    while any(str(temporary) in " ".join(words) for words in processes().values()) and time.monotonic() < until:
        time.sleep(0.05)
    sweep_scratch()


# bubblewrap


@pytest.fixture
def bwrap() -> Place:
    """The sandbox, where this machine has bubblewrap and its kernel allows it."""
    found = program("bwrap", "bubblewrap")
    done = subprocess.run(
        [found, "--unshare-user", "--unshare-net", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        pytest.skip(f"this kernel forbids the namespaces of bubblewrap: {done.stderr.strip()}")
    return place("bwrap")


def test_a_sandbox_judges(tmp_path: Path, bwrap: Place) -> None:
    project = Project(tmp_path, SOURCE)
    with bwrap.open(str(project.root), sys.executable) as launch:
        labels = [project.outcome({"x": x}, launch=launch, root=launch.root).label for x in (2, 3, 2)]
        assert labels == ["pass", "fail", "pass"]
    failure = outcome(bwrap, project).failure
    assert failure is not None and (failure.file, failure.inside) == ("tests/properties/p.py", True)


def test_a_sandbox_has_no_network(tmp_path: Path, bwrap: Place) -> None:
    project = Project(tmp_path, PROBE)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        connect = f"tried(lambda: socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 2))"
        assert asked(place(), project, connect) == "done"
        assert asked(bwrap, project, connect) != "done"


def test_a_sandbox_sees_files_it_cannot_write(tmp_path: Path, bwrap: Place) -> None:
    project = Project(tmp_path, PROBE, {"data.txt": "data"})
    marker = Path("/tmp", f"freezegate-marker-{os.getpid()}")
    marker.write_text("outside")
    try:
        assert asked(bwrap, project, f"os.path.exists({str(marker)!r})") is False
    finally:
        marker.unlink()
    assert asked(bwrap, project, "tried(lambda: open(here + '/data.txt', 'a'))") == "OSError"
    assert asked(bwrap, project, "tried(lambda: open(here + '/new.txt', 'w'))") == "OSError"
    assert asked(bwrap, project, "tried(lambda: open('/usr/freezegate', 'w'))") == "OSError"
    assert asked(bwrap, project, "tried(lambda: open(os.environ['TMPDIR'] + '/x', 'w'))") == "done"
    assert asked(bwrap, project, "os.listdir(os.environ['TMPDIR'])") == []
    assert asked(bwrap, project, "os.getcwd() == here and sorted(os.listdir('/tmp'))[-1]") == "tree"


def test_a_sandbox_gets_the_variables_of_every_child(
    tmp_path: Path, bwrap: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.setenv("GIT_DIR", "x")
    project = Project(tmp_path, PROBE)
    inside, outside = (set(asked(each, project, "sorted(os.environ)")) for each in (bwrap, place()))
    assert "SECRET" not in inside and "GIT_DIR" not in inside and inside - {"PWD"} == outside - {"PWD"}


def test_an_interpreter_in_a_folder_that_is_hidden(tmp_path: Path, bwrap: Place) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TMPDIR", raising=False)
        base = Path("/tmp", f"freezegate-test-{os.getpid()}")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(base)], check=True)
        try:
            project = Project(tmp_path, PROBE)
            assert asked(bwrap, project, "sys.prefix", str(base / "bin/python")) == str(base)
        finally:
            shutil.rmtree(base)


def test_a_sandbox_ends_with_its_time(tmp_path: Path, bwrap: Place) -> None:
    source = (
        "import os, time\ndef test_p(case):\n    os.fork() or os.setsid()\n    while True:\n        time.sleep(0.1)\n"
    )
    project = Project(tmp_path, source)
    found = outcome(bwrap, project, limit=1.5)
    assert found.label == "absent" and found.timed_out
    until = time.monotonic() + 10
    while (
        left := [words for words in processes().values() if str(project.root) in words]
    ) and time.monotonic() < until:
        time.sleep(0.05)
    assert left == []


def test_without_bubblewrap_and_where_it_is_forbidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path, SOURCE)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(Absent, match="bubblewrap is not installed"):
        outcome(place("bwrap"), project)
    refusing = folder / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    refusing.chmod(0o755)
    with pytest.raises(Absent, match="no sandbox here: bwrap: No permissions"):
        outcome(place("bwrap"), project)


# Containers


@pytest.fixture
def container() -> Place:
    """Containers, where an engine answers that has an image with Python."""
    image = os.environ.get("CONTAINER_IMAGE", "docker.io/library/python:3.11-slim")
    for engine in ("podman", "docker"):
        if (found := shutil.which(engine)) is None:
            continue
        if subprocess.run([found, "version"], capture_output=True, check=False).returncode == 0:
            inspected = subprocess.run([found, "image", "inspect", image], capture_output=True, check=False)
            if inspected.returncode == 0:
                return place("container", image=image)
    pytest.skip(f"no container engine answers that has the image {image}: containers are untested here")


def test_a_container_judges(tmp_path: Path, container: Place) -> None:
    project = Project(tmp_path, SOURCE)
    with container.open(str(project.root), sys.executable) as launch:
        labels = [project.outcome({"x": x}, launch=launch, root=launch.root).label for x in (2, 3, 2)]
    assert labels == ["pass", "fail", "pass"]


def test_a_container_has_no_network_and_writes_nothing(tmp_path: Path, container: Place) -> None:
    project = Project(tmp_path, PROBE)
    assert asked(container, project, "tried(lambda: socket.create_connection(('192.0.2.1', 80), 2))") == "OSError"
    assert asked(container, project, "tried(lambda: open(here + '/new.txt', 'w'))") == "OSError"
    assert asked(container, project, "tried(lambda: open('/new.txt', 'w'))") == "OSError"
    assert asked(container, project, "tried(lambda: open(os.environ['TMPDIR'] + '/x', 'w'))") == "done"


def test_a_container_ends_with_its_time(tmp_path: Path, container: Place) -> None:
    project = Project(tmp_path, "import time\ndef test_p(case):\n    while True:\n        time.sleep(0.1)\n")
    found = outcome(container, project, limit=5)
    assert found.label == "absent" and found.timed_out
    engine = shutil.which("podman") or shutil.which("docker") or ""
    left = subprocess.run([engine, "ps", "-aq", "--filter", "label=freezegate"], capture_output=True, check=True).stdout
    assert left == b""


def test_without_an_engine_or_with_one_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from freezegate.running.environments import container as module

    module._engine.cache_clear()
    project = Project(tmp_path, SOURCE)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(Absent, match="neither podman nor docker is installed"):
        outcome(place("container", image="python:3.11"), project)
    engine = folder / "docker"
    engine.write_text("#!/bin/sh\necho 'Cannot connect to the daemon' >&2\nexit 1\n")
    engine.chmod(0o755)
    with pytest.raises(Absent, match="docker does not answer: Cannot connect"):
        outcome(place("container", image="python:3.11"), project)
    module._engine.cache_clear()


# Another machine


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An sshd on loopback, as which every host answers; the folder where its users' temporary files go."""
    files = tmp_path / "remote files"
    files.mkdir()
    folders = [str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"]
    # A login shell's own files may set another PATH.
    with ssh_login(tmp_path / "sshd", os.pathsep.join(folders), f"TMPDIR={files}") as client:
        monkeypatch.setenv("PATH", f"{client}:{os.environ['PATH']}")
        yield files
        assert gone_below(files), list(files.iterdir())


def gone_below(folder: Path, seconds: float = 10) -> bool:
    until = time.monotonic() + seconds
    while any(folder.iterdir()) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(folder.iterdir())


@pytest.mark.parametrize("folder", ["short", "a name that is much too long for the path of a socket " * 2])
def test_another_machine_judges(
    tmp_path: Path, remote: Path, temporary: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / folder).mkdir()
    if folder != "short":
        monkeypatch.setenv("TMPDIR", str(tmp_path / folder))
    project = Project(tmp_path, SOURCE, {"src/a.py": "X = 1\n", ".git": "gitdir: /nowhere\n"})
    (project.root / "out").symlink_to("/etc/hostname")
    (project.root / "src/in").symlink_to("a.py")
    (project.root / "empty").mkdir()
    (project.root / "run.sh").write_text("#!/bin/sh\n")
    (project.root / "run.sh").chmod(0o755)
    with place("ssh", host="far").open(str(project.root), "/no/local/python") as launch:
        assert Path(launch.root).is_relative_to(remote)
        kept = sorted(str(path.relative_to(launch.root)) for path in Path(launch.root).rglob("*"))
        expected = sorted(str(path.relative_to(project.root)) for path in project.root.rglob("*"))
        assert kept == [name for name in expected if name != ".git"]
        assert Path(launch.root, "out").readlink() == Path("/etc/hostname")
        assert Path(launch.root, "run.sh").stat().st_mode & 0o777 == 0o755
        outcomes = [project.outcome({"x": x}, launch=launch, root=launch.root, facts=True) for x in (2, 3, 2)]
        assert [each.label for each in outcomes] == ["pass", "fail", "pass"], outcomes
        assert outcomes[0].facts is not None and outcomes[0].facts["python"]
        assert list(Path(launch.root).parent.joinpath("temp").iterdir()) == []


def test_another_machine_gives_the_variables_of_every_child(
    tmp_path: Path, remote: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "x")
    project = Project(tmp_path, PROBE)
    found = asked(place("ssh", host="far"), project, "sorted(os.environ)")
    assert set(found) - {"PWD"} == set(asked(place(), project, "sorted(os.environ)")) - {"PWD"}
    assert asked(place("ssh", host="far"), project, "os.environ['HOME']").startswith(str(remote))


def test_a_run_that_changes_the_copy_is_absent(tmp_path: Path, remote: Path, temporary: Path) -> None:
    project = Project(tmp_path, PROBE, {"data.txt": "data"})
    for change in (
        "open(here + '/data.txt', 'a').write('x')",
        "os.mkdir(here + '/new')",
        "os.chmod(here + '/data.txt', 0o755)",
    ):
        with pytest.raises(Absent, match="the run changed the tree"):
            outcome(place("ssh", host="far"), project, {"ask": change})


def test_what_runs_on_another_machine_ends_with_its_time(tmp_path: Path, remote: Path, temporary: Path) -> None:
    source = """\
import os, sys, time
def test_p(case):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
    with open(case["pids"], "a") as file:
        file.write("%d\\n" % os.getpid())
    while True:
        time.sleep(0.1)
"""
    project = Project(tmp_path, source)
    pids = tmp_path / "pids"
    found = outcome(place("ssh", host="far"), project, {"pids": str(pids)}, limit=4)
    assert found.label == "absent" and found.timed_out
    noted = pids.read_text().split()
    assert len(noted) == 2
    assert all(gone(Path("/proc", pid)) for pid in noted)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_copy_goes_with_the_connection(tmp_path: Path, remote: Path, temporary: Path, number: int) -> None:
    project = Project(tmp_path, SOURCE)
    with pytest.raises(Absent, match="the connection"), place("ssh", host="far").open(str(project.root), "") as launch:
        assert Path(launch.root).exists()
        (keeper,) = [
            pid
            for pid, words in processes().items()
            if "ControlMaster=yes" in words and str(temporary) in " ".join(words)
        ]
        os.kill(keeper, number)
        assert gone(Path(launch.root))


def test_the_copy_goes_with_a_killed_run(tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    project = Project(tmp_path, SOURCE)
    code = (
        "import sys, time\nfrom freezegate.running.environments.ssh import SshPlace\n"
        "with SshPlace('isolated', 'far').open(sys.argv[1], '') as launch:\n"
        "    print(launch.root, flush=True)\n    time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(project.root)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(mine)},
    )  # fmt: skip
    assert process.stdout is not None
    copy = Path(process.stdout.readline().strip())
    assert copy.is_dir()
    process.kill()
    process.communicate()
    assert gone(copy)


def test_where_nobody_answers(tmp_path: Path, temporary: Path, remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path, SOURCE)
    with pytest.raises(Absent, match="no name of a host"):
        outcome(place("ssh", host="-oProxyCommand=touch x"), project)
    monkeypatch.setenv("PATH", str(Path(program("ssh", "openssh-client")).parent))
    with pytest.raises(Absent, match=r"invalid\.: .*(resolve|connection)"):
        real = shutil.which("ssh", path="/usr/bin:/usr/local/bin:/bin") or "ssh"
        monkeypatch.setenv("PATH", str(Path(real).parent))
        outcome(place("ssh", host="no-such-host.invalid."), project)
    monkeypatch.setenv("PATH", str(temporary))
    with pytest.raises(Absent, match="ssh is not installed"):
        outcome(place("ssh", host="far"), project)


# A command


@pytest.fixture
def bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Subject, Case, Path]:
    """The good project's scope and case, and its tree."""
    repo = with_files(Repo(tmp_path / "repo"), good_project())
    repo.commit()
    monkeypatch.chdir(repo.path)
    repository = Repository()
    found = subject(scope_given(alone(repository.snapshot("HEAD")), SCOPE_ID, b""), str(repo.path))
    repository.close()
    return found, case_in(good_project()[COUNTEREXAMPLE], COUNTEREXAMPLE, SCOPE_ID, found.domain), repo.path


FINGERPRINT = "another tool's name for a machine"


def good_answer(**changes: Any) -> dict[str, Any]:
    answer = {
        "format_version": 1,
        "scope_id": SCOPE_ID,
        "counterexample_sha256": hashlib.sha256(good_project()[COUNTEREXAMPLE]).hexdigest(),
        "outcome": "fail",
        "reason": None,
        "replays": 3,
        "failed": 3,
        "signature": "a" * 64,
        "fingerprint": FINGERPRINT,
        **changes,
    }
    return {key: value for key, value in answer.items() if value is not ...}


def label(bound: tuple[Subject, Case, Path], *command: str, limit: float | None = 20) -> Label:
    found, case, tree = bound
    where = chosen(Config(environments={"isolated": Environment(command=command)}), "isolated")
    return labelled(where, str(tree), found, case, sys.executable, 3, limit)


def printing(text: str) -> tuple[str, ...]:
    return (sys.executable, "-c", f"import sys; sys.stdout.write({text!r})")


def test_a_commands_answer_is_taken(bound: tuple[Subject, Case, Path], temporary: Path) -> None:
    found = label(bound, *printing(json.dumps(good_answer())))
    assert found == Label("isolated", "fail", None, 3, 3, "a" * 64, FINGERPRINT)
    passed = good_answer(outcome="pass", failed=0, signature=None, replays=4, environment="there")
    assert label(bound, *printing(json.dumps(passed))).label == "pass"
    absent = good_answer(
        outcome="absent", reason="no such module", replays=0, failed=0, signature=None, fingerprint=None
    )
    assert label(bound, *printing(json.dumps(absent))).reason == "no such module"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not one JSON object"),
        ("fail", "not one JSON object"),
        ("[]", "not one JSON object"),
        (json.dumps(good_answer()) * 2, "not one JSON object"),
        ("{" + json.dumps(good_answer())[1:-1] + ', "outcome": "fail"}', "not one JSON object"),
        (json.dumps(good_answer())[:-1], "not one JSON object"),
        (json.dumps(good_answer(counterexample_sha256="b" * 64)), "about another input"),
        (json.dumps(good_answer(scope_id="order_total.rounded")), "about the scope"),
        (json.dumps(good_answer(fingerprint=...)), 'missing or unknown: "fingerprint"'),
        (json.dumps(good_answer(extra=1)), 'missing or unknown: "extra"'),
        (json.dumps(good_answer(format_version=2)), "format_version"),
        (json.dumps(good_answer(format_version=True)), "format_version"),
        (json.dumps(good_answer(outcome="failed")), "outcome is"),
        (json.dumps(good_answer(outcome=["fail"])), "outcome is"),
        (json.dumps(good_answer(replays=2, failed=2)), "too few"),
        (json.dumps(good_answer(failed=2)), "2 of 3 replays failed"),
        (json.dumps(good_answer(failed=True)), "whole numbers"),
        (json.dumps(good_answer(outcome="pass")), "3 of 3 replays failed"),
        (json.dumps(good_answer(fingerprint=None)), "fingerprint is null"),
        (json.dumps(good_answer(fingerprint="two\nlines")), "fingerprint is no text of one line"),
        (json.dumps(good_answer(fingerprint="environment=local; preset=local")), "changed after it was written"),
        (json.dumps(good_answer(signature=None)), "signature"),
        (json.dumps(good_answer(signature="A" * 64)), "signature"),
        (json.dumps(good_answer(outcome="absent", reason=None)), "absent without a reason"),
    ],
)  # fmt: skip
def test_a_malformed_answer_is_none(bound: tuple[Subject, Case, Path], temporary: Path, text: str, why: str) -> None:
    found = label(bound, *printing(text))
    assert (found.label, found.replays, found.fingerprint) == ("absent", 0, None)
    assert found.reason is not None and why in found.reason, found.reason


def test_a_command_that_does_not_answer(bound: tuple[Subject, Case, Path], temporary: Path) -> None:
    hanging = (sys.executable, "-c", "import os, time\nos.fork()\ntime.sleep(60)")
    flooding = (sys.executable, "-c", "import sys\nwhile True: sys.stdout.write('x' * 65536)")
    complaining = (sys.executable, "-c", "import sys; sys.exit('no such host')")
    for command, why in (
        (hanging, "longer than its time limit"),
        (flooding, "more than 1 MiB"),
        (("/no/such/program",), "could not be started"),
        (complaining, '"no such host"'),
    ):
        began = time.monotonic()
        found = label(bound, *command, limit=0.5)
        assert found.label == "absent" and found.reason is not None and why in found.reason
        assert time.monotonic() - began < 15


def test_a_flood_of_errors_beside_a_good_answer(bound: tuple[Subject, Case, Path], temporary: Path) -> None:
    text = json.dumps(good_answer())
    code = f"import sys; sys.stderr.write('x' * 5_000_000); sys.stdout.write({text!r})"
    assert label(bound, sys.executable, "-c", code).label == "fail"


def test_placeholders(bound: tuple[Subject, Case, Path], temporary: Path, tmp_path: Path) -> None:
    odd = tmp_path / "{case} {python}"
    bound[2].rename(odd)
    code = (
        "import json, os, sys, hashlib\ntree, scope, case, python, rest, other = sys.argv[1:]\n"
        "assert os.getcwd() == tree and os.path.exists(scope) and python == sys.executable, sys.argv\n"
        "assert rest == '3 of {that}' and other == '{{3}}', sys.argv\nassert 'GIT_DIR' not in os.environ\n"
        "given = json.loads(open(case).read())\n"
        f"answer = {good_answer()!r}\n"
        "answer.update(scope_id=given['scope_id'], counterexample_sha256=hashlib.sha256(open(case, 'rb').read()).hexdigest())\n"
        "print(json.dumps(answer))"
    )
    subject_, case, _ = bound
    items = ("{tree}", "{scope}", "{case}", "{python}", "{replays} of {that}", "{{{replays}}}")
    found = label((subject_, case, odd), sys.executable, "-c", code, *items)
    assert found.label == "fail", found.reason


@pytest.mark.slow
def test_our_own_evaluation_as_a_command(bound: tuple[Subject, Case, Path], temporary: Path) -> None:
    words = (
        "-m",
        "freezegate",
        "property-eval",
        "--scope",
        "{scope}",
        "--case",
        "{case}",
        "--python",
        "{python}",
        "--json",
    )
    found = label(bound, sys.executable, *words, limit=60)
    assert (found.label, found.replays, found.failed) == ("fail", 3, 3), found
    parts = parts_of(found.fingerprint or "")
    assert parts is not None and (parts["environment"], parts["preset"]) == ("isolated", "command")
    assert found.signature == labelled(place(), str(bound[2]), bound[0], bound[1], sys.executable, 3, 60).signature

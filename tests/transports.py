"""Real servers on loopback that tests push to: files, sshd, nginx with git http-backend, gitolite over sshd.

Each runs from a folder of its own, on a port that the system gives, with keys made for the one test. Nothing of the
machine's own servers is read or written (but `/run/sshd`, an empty folder that sshd insists on when root starts it).
"""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from building import Repo, environment

_SBIN = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin", "/usr/local/sbin"))
_START = 20.0  # seconds that a server may take to answer


@dataclass(frozen=True)
class Remote:
    """Where a test pushes to: the address, the server's repository, and the variables that the client needs."""

    url: str
    bare: Repo
    variables: Mapping[str, str] = field(default_factory=dict)


def program(name: str, package: str, *places: str) -> str:
    """The path of a server's program. Where it is missing the test is skipped; in CI, which installs it, it fails."""
    found = shutil.which(name, path=_SBIN) or next((place for place in places if os.access(place, os.X_OK)), None)
    if found is not None:
        return found
    missing = f"{name} is not installed (Debian's package {package})"
    if "TESTS_MUST_ALL_RUN" in os.environ:
        pytest.fail(missing)
    pytest.skip(missing)


@contextmanager
def over_files(folder: Path) -> Iterator[Remote]:
    """``file://``."""
    bare = Repo(folder / "shop.git", bare=True)
    yield Remote(bare.path.as_uri(), bare)


@contextmanager
def over_ssh(folder: Path) -> Iterator[Remote]:
    """``ssh://`` to an sshd of its own, as the user that runs the tests."""
    bare = Repo(folder / "shop.git", bare=True)
    home = folder / "home"
    home.mkdir()
    key = _key(folder / "pusher")
    shutil.copyfile(f"{key}.pub", folder / "authorized_keys")
    with _sshd(folder, home, folder / "authorized_keys") as port:
        yield Remote(f"ssh://{getpass.getuser()}@127.0.0.1:{port}{bare.path}", bare, _ssh_client(key))


@contextmanager
def ssh_login(folder: Path, path: str, *variables: str) -> Iterator[Path]:
    """A folder with a program `ssh` that reaches an sshd of its own as any host, where `path` is the PATH."""
    home = folder / "home"
    home.mkdir(parents=True)
    key = _key(folder / "login")
    shutil.copyfile(f"{key}.pub", folder / "authorized_keys")
    with _sshd(
        folder, home, folder / "authorized_keys", f'"PATH={path}"', *(f'"{each}"' for each in variables)
    ) as port:
        program_folder = folder / "bin"
        program_folder.mkdir()
        options = f"-p {port} -o HostName=127.0.0.1 -o User={getpass.getuser()}"
        client = program_folder / "ssh"
        client.write_text(f'#!/bin/sh\nexec {_ssh_client(key)["GIT_SSH_COMMAND"]} {options} "$@"\n')
        client.chmod(0o755)
        yield program_folder


@contextmanager
def over_gitolite(folder: Path) -> Iterator[Remote]:
    """``ssh://`` to a gitolite whose home, repositories and keys are the test's own."""
    gitolite = program("gitolite", "gitolite3", "/usr/share/gitolite3/gitolite")
    home = folder / "home"
    home.mkdir()
    key = _key(folder / "keeper")
    setup = [gitolite, "setup", "-pk", f"{key}.pub"]
    done = subprocess.run(
        setup, env=environment(HOME=str(home)), cwd=home, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    bare = Repo(home / "repositories" / "testing.git", create=False)
    bare.git("symbolic-ref", "HEAD", "refs/heads/main")
    with _sshd(folder, home, home / ".ssh" / "authorized_keys") as port:
        yield Remote(f"ssh://{getpass.getuser()}@127.0.0.1:{port}/testing", bare, _ssh_client(key))


@contextmanager
def over_http(folder: Path) -> Iterator[Remote]:
    """``http://`` to nginx, which hands requests to git's http-backend through fcgiwrap."""
    nginx = program("nginx", "nginx-light")
    fcgiwrap = program("fcgiwrap", "fcgiwrap")
    core = Repo(folder / "shop.git", bare=True)
    backend = Path(os.fsdecode(core.git("--exec-path").strip()), "git-http-backend")
    with tempfile.TemporaryDirectory(prefix="fg-") as short:  # the path of a socket may have about 100 characters
        wrapper = Path(short, "fcgi")
        listening = [fcgiwrap, "-f", "-s", f"unix:{wrapper}"]
        with _running(listening, folder / "fcgiwrap.log", wrapper.exists):
            if os.geteuid() == 0:
                wrapper.chmod(0o777)
            port = _free_port()
            config = folder / "nginx.conf"
            config.write_text(_nginx(folder, port, wrapper, backend), encoding="utf-8")
            serving = [nginx, "-p", str(folder), "-e", str(folder / "nginx-error.log"), "-c", str(config)]
            with _running(serving, folder / "nginx.log", lambda: _answers(port)):
                yield Remote(f"http://127.0.0.1:{port}/shop.git", core, {"NO_PROXY": "*", "no_proxy": "*"})


def _nginx(folder: Path, port: int, wrapper: Path, backend: Path) -> str:
    user = "user root;" if os.geteuid() == 0 else ""
    temporary = "\n".join(
        f"  {kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    parameters = {
        "SCRIPT_FILENAME": backend,
        "GIT_PROJECT_ROOT": folder,
        "GIT_HTTP_EXPORT_ALL": '""',
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "HOME": folder,
        "PATH_INFO": "$uri",
        "QUERY_STRING": "$query_string",
        "REQUEST_METHOD": "$request_method",
        "CONTENT_TYPE": "$content_type",
        "CONTENT_LENGTH": "$content_length",
        "REMOTE_USER": "pusher",  # http-backend takes pushes of users that the web server knows
        "REMOTE_ADDR": "$remote_addr",
    }
    given = "\n".join(f"      fastcgi_param {name} {value};" for name, value in parameters.items())
    return f"""\
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
events {{ }}
http {{
  access_log off;
  client_max_body_size 0;
{temporary}
  server {{
    listen 127.0.0.1:{port};
    location / {{
{given}
      fastcgi_pass unix:{wrapper};
    }}
  }}
}}
"""


@contextmanager
def _sshd(folder: Path, home: Path, keys: Path, *variables: str) -> Iterator[int]:
    sshd = program("sshd", "openssh-server")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    host = _key(folder / "host")
    port = _free_port()
    config = folder / "sshd_config"
    config.write_text(
        f"""\
ListenAddress 127.0.0.1:{port}
HostKey {host}
AuthorizedKeysFile {keys}
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
SetEnv HOME={home} GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL={os.devnull} {" ".join(variables)}
""",
        encoding="utf-8",
    )
    with _running([sshd, "-D", "-e", "-f", str(config)], folder / "sshd.log", lambda: _answers(port)):
        yield port


def _ssh_client(key: Path) -> dict[str, str]:
    options = ("StrictHostKeyChecking=no", f"UserKnownHostsFile={key}.hosts", "IdentitiesOnly=yes", "BatchMode=yes")
    ssh = program("ssh", "openssh-client")
    return {"GIT_SSH_COMMAND": f"{ssh} -F none -q -i '{key}' " + " ".join(f"-o {option}" for option in options)}


def _key(path: Path) -> Path:
    keygen = program("ssh-keygen", "openssh-client")
    command = [keygen, "-q", "-t", "ed25519", "-N", "", "-C", "a test's", "-f", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return path


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def _running(command: Sequence[str], log: Path, ready: Callable[[], bool]) -> Iterator[None]:
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment(), cwd=log.parent
        )
    try:
        until = time.monotonic() + _START
        while not ready():
            if server.poll() is not None or time.monotonic() > until:
                pytest.fail(f"{command[0]} did not start: {log.read_text(errors='replace')}")
            time.sleep(0.02)
        yield
    finally:
        server.terminate()
        try:
            server.wait(_START)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()

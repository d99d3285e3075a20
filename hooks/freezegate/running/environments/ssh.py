"""Another machine, reached by ssh: the tree is sent through a connection, and goes with it."""

from __future__ import annotations

import base64
import json
import os
import select
import shlex
import signal
import subprocess
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from shutil import copyfileobj, which

from freezegate.running import strays
from freezegate.running.environments.place import Absent
from freezegate.running.environments.tools import end_group, tool_environment
from freezegate.running.launch import HARNESS, SOURCES_BOOT, Launch, child_env
from freezegate.running.leftovers import scratch
from freezegate.text import escape, quoted

_LIMIT = 120.0  # seconds for the other machine to answer, the sending of the tree apart
_OPTIONS = ("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15")
_LONGEST_SOCKET = 80  # bytes; ssh adds some of its own, and systems take about 104
_KEEPER = os.path.join(os.path.dirname(HARNESS), "environments", "keeper.py")


class SshPlace:
    """Children of the `python3` of another machine. The user's own ssh configuration says how it is reached."""

    preset = "ssh"

    def __init__(self, name: str, host: str) -> None:
        self.name = name
        self.host = host

    @contextmanager
    def open(self, tree: str, python: str) -> Iterator[Launch]:
        """Children that see a copy of the tree, which is removed at the end, also where the connection breaks.

        Raises Absent where there is no connection, or at the end where a run changed the copy.
        """
        ssh = which("ssh")
        if ssh is None:
            raise Absent("ssh is not installed", "install an OpenSSH client")
        if self.host.startswith("-"):
            raise Absent(f"{escape(self.host)} is no name of a host", "name a host")
        with scratch() as folder:
            shared, master = _shared(f"{folder}/ssh")
            keeper = _Keeper([ssh, *_OPTIONS, *shared, *master, "--", self.host], self.host, folder)
            try:
                told = keeper.send(tree)
                temp = told["folder"] + "/temp"
                variables = [f"{name}={value}" for name, value in child_env(temp, told["path"]).items()]
                words = ["exec", "env", "-i", *variables, told["python"], "-s", "-X", "utf8", "-c"]
                remote = f"{shlex.join(words)} {_one_line(SOURCES_BOOT)}"
                command = (ssh, *_OPTIONS, *shared, "--", self.host, remote)
                yield Launch(command, tool_environment(), told["folder"] + "/tree", sources=True, wipe=keeper.wipe)
                keeper.require_unchanged()
            finally:
                keeper.end()


def _shared(socket: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options that let evaluations go through the keeper's connection, as each of its own would have to log in again;
    and those for the keeper itself. Empty where the socket's path is too long for one, or means something to ssh.
    """
    if len(os.fsencode(socket)) > _LONGEST_SOCKET or not set('"%\\').isdisjoint(socket):
        return (), ()
    return ("-o", f'ControlPath="{socket}"', "-o", "ControlPersist=no"), ("-o", "ControlMaster=yes")


def _one_line(program: str) -> str:
    """A Python program as one word that every login shell reads alike."""
    data = base64.b64encode(program.encode()).decode("ascii")
    # The current folder is on the path until the program itself takes it off.
    start = "import sys;sys.path[:]=[path for path in sys.path if path];import base64;"
    return f"\"{start}exec(base64.b64decode('{data}'))\""


class _Keeper:
    """The connection that holds the copy on the other machine: it ends, the copy goes."""

    def __init__(self, command: list[str], host: str, folder: str) -> None:
        self._host = host
        self._folder = folder
        with open(_KEEPER, encoding="utf-8") as file:
            program = file.read()
        with open(os.path.join(folder, "errors"), "wb") as errors:
            self._process = subprocess.Popen(
                [*command, f"python3 -c {_one_line(program)}"],
                env=tool_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        strays.LIVE.add(self._process.pid)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout

    def send(self, tree: str) -> dict[str, str]:
        """Send the tree; where it is on the other machine, and that machine's `path` and `python`. Raises Absent."""
        packed = os.path.join(self._folder, "tree.tar")
        try:
            with tarfile.open(packed, "w", format=tarfile.PAX_FORMAT) as archive:
                for name in sorted(os.listdir(tree)):
                    if name != ".git":
                        archive.add(os.path.join(tree, name), name)
            with open(packed, "rb") as file:
                self._in.write(b"%d\n" % os.fstat(file.fileno()).st_size)
                copyfileobj(file, self._in)
            self._in.flush()
        except OSError:
            raise self._absent("the tree could not be sent") from None
        told = json.loads(self._line())
        return {key: str(told[key]) for key in ("folder", "path", "python")}

    def wipe(self) -> None:
        """Empty the temporary folder, and end what a child left running. Raises OSError."""
        with suppress(Absent):
            self._ask(b"wipe\n")

    def require_unchanged(self) -> None:
        """Raise Absent where a run has changed the copy, or nobody can say."""
        if self._ask(b"check\n").strip() != b"same":
            raise Absent("the run changed the tree")

    def _ask(self, question: bytes) -> bytes:
        try:
            self._in.write(question)
            self._in.flush()
        except OSError:
            raise self._absent("the connection broke") from None
        return self._line()

    def _line(self) -> bytes:
        """The next line of what the other side says. Raises Absent where none comes."""
        data = b""
        until = time.monotonic() + _LIMIT
        while not data.endswith(b"\n"):
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._out], [], [], left)[0]:
                raise self._absent("there was no answer in time")
            part = os.read(self._out.fileno(), 1 << 16)
            if not part:
                raise self._absent("the connection ended")
            data += part
        return data

    def _absent(self, what: str) -> Absent:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)  # for its last words
        with open(os.path.join(self._folder, "errors"), encoding="utf-8", errors="replace") as file:
            said = file.read()[-4096:].strip().rpartition("\n")[2]
        hint = f"see that ssh {escape(self._host)} python3 works without a question"
        return Absent(f"{escape(self._host)}: {what}{': ' + quoted(said, 200) if said else ''}", hint)

    def end(self) -> None:
        """Tell the other side to remove the copy, and wait a while for it."""
        with suppress(OSError):
            self._in.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGTERM)
            end_group(self._process)
        self._out.close()
        strays.LIVE.discard(self._process.pid)

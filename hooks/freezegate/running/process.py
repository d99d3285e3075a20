"""One child from start to end: its descriptors, its limits, and nothing left of it afterwards."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, NamedTuple

from freezegate.running import strays
from freezegate.running.frames import LIMIT, BadFrame, Reader, case_framed, framed
from freezegate.running.launch import Launch, harness_sources
from freezegate.text import quoted

NOISE = 64 << 10
"""Bytes that are kept of what a child prints, the last ones."""

_PIECE = 64 << 10
_GLANCE = 0.02  # seconds between two looks whether the child lives, where the system has no descriptor for that
_LAST = 1.0  # seconds for a child whose channel is closed to end, and for what a killed one had still written


class Answer(NamedTuple):
    """What a child said: its result, or the reason why there is none. `noise` is the end of what it printed."""

    result: Mapping[str, Any] | None
    reason: str | None = None
    facts: Mapping[str, Any] | None = None
    timed_out: bool = False
    noise: str = ""


class _Ended(Exception):
    """The child gives no answer; the text says why."""


class _OutOfTime(Exception):
    pass


class Process:
    """A started child, which waits for its job. Leaving the context ends it, whatever it does.

    Raises OSError where the command cannot be started.
    """

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.noise = bytearray()
        self.reader = Reader()
        self.pending = memoryview(b"")
        self.status: int | None = None  # as waitpid gives it, of a child that ended by itself
        self.until: float | None = None
        self.ended = False
        ours: list[int] = []
        theirs: list[int] = []
        try:
            for number in range(3):
                reading, writing = os.pipe()
                theirs.append(writing if number else reading)
                ours.append(reading if number else writing)
            self.pid = _spawn(launch, theirs)
        except BaseException:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        strays.LIVE.add(self.pid)
        self.inbox, self.channel, self.printed = ours
        for fd in ours:
            os.set_blocking(fd, False)
        # Tells of the end of the child while something else still holds its pipes.
        self.watch = _watched(self.pid)

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def run(
        self,
        job: Mapping[str, Any],
        case: bytes | None,
        time_limit: float | None = None,
        on_progress: Callable[[int], None] | None = None,
    ) -> Answer:
        """Do one job, and end. `case` is JSON text (None: a search has none), `time_limit` in seconds from now.

        `on_progress` is told the number of examples that a search says it has tried.
        """
        self.until = None if time_limit is None else time.monotonic() + time_limit
        facts: Mapping[str, Any] | None = None
        result: Mapping[str, Any] | None = None
        reason = None
        timed_out = False
        nonce = os.urandom(16).hex()
        try:
            # Not earlier: until here the child runs nothing of the project, and this costs an import.
            strays.adopt_orphans()
            if self.launch.sources:
                self._write(framed({"sources": harness_sources()}))
            self._write(framed({"root": self.launch.root, **job}))
            facts = self._ready()
            self._write(case_framed(nonce, case))
            result = self._result(nonce, on_progress)
        except (_Ended, BadFrame) as error:
            reason = str(error)
        except _OutOfTime:
            reason = f"the time limit of {time_limit:.3g} s ran out"
            timed_out = True
        finally:
            self.end()
        if result is not None and self.reader.begun:
            result, reason = None, "the child said more after its answer"
        return Answer(result, reason, facts, timed_out, self.noise.decode("utf-8", "replace"))

    def end(self) -> None:
        """Kill the child, its group and what it left elsewhere; read what they had still written; clean up."""
        if self.ended:
            return
        self.ended = True
        self._look()
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except OSError:
            pass  # none of the group is left, or none that may be killed
        try:
            while True:
                os.waitpid(-self.pid, 0)
        except ChildProcessError:
            pass
        strays.LIVE.discard(self.pid)
        strays.end_strays()
        self._drain_all()
        for fd in (self.inbox, self.channel, self.printed, self.watch):
            if fd >= 0:
                os.close(fd)
        if self.launch.wipe is not None:
            try:
                self.launch.wipe()
            except OSError:
                pass

    def _ready(self) -> Mapping[str, Any] | None:
        """Wait until the project is loaded; the facts that were asked for."""
        message = self._message()
        if message.get("state") == "absent" and type(message.get("reason")) is str:
            raise _Ended(message["reason"])
        if message.get("state") != "ready" or self.reader.begun:
            raise _Ended("the child answered before it was asked")
        facts = message.get("facts")
        return facts if type(facts) is dict else None

    def _result(self, nonce: str, on_progress: Callable[[int], None] | None) -> Mapping[str, Any]:
        while True:
            message = self._message()
            if message.get("nonce") != nonce:
                raise _Ended("the answer is not to the question that was asked")
            count = message.get("progress")
            if type(count) is not int:
                return message
            if on_progress is not None:
                on_progress(count)

    def _write(self, data: bytes) -> None:
        self.pending = memoryview(bytes(self.pending) + data)

    def _message(self) -> dict[str, Any]:
        """Wait for the next message, writing and draining meanwhile."""
        poll = select.poll()
        for fd in (self.channel, self.printed, self.watch):
            if fd >= 0:
                poll.register(fd, select.POLLIN)
        poll.register(self.inbox, select.POLLOUT)
        while True:
            if self.until is not None and time.monotonic() >= self.until:
                raise _OutOfTime  # also where the channel never falls silent
            message = self.reader.message()
            if message is not None:
                return message
            if self.ended:
                raise _Ended(self._how())
            events = dict(poll.poll(self._patience()))
            if self.inbox in events and not self._push():
                poll.unregister(self.inbox)
            if self.printed in events and not self._drain():
                poll.unregister(self.printed)
            if self.channel in events:
                data = _read(self.channel)
                if data == b"":
                    self._wait()
                    self.end()
                self.reader.feed(data or b"")
            elif self.watch in events or self._look():
                self.end()  # which reads what it had still written
            elif self.until is not None and time.monotonic() >= self.until:
                raise _OutOfTime

    def _patience(self) -> int | None:
        """Milliseconds to wait for something to happen; None: however long it takes."""
        waits = [] if self.until is None else [self.until - time.monotonic()]
        if self.watch < 0:
            waits.append(_GLANCE)
        return max(0, int(min(waits) * 1000) + 1) if waits else None

    def _push(self) -> bool:
        """Write what fits; whether something is left."""
        try:
            self.pending = self.pending[os.write(self.inbox, self.pending[:_PIECE]) :]
        except BlockingIOError:
            pass
        except OSError:
            self.pending = memoryview(b"")  # its end will be seen
        return bool(self.pending)

    def _drain(self) -> bool:
        """Read a piece of what was printed; whether there may be more."""
        data = _read(self.printed)
        self.noise += data or b""
        del self.noise[:-NOISE]
        return data != b""

    def _drain_all(self) -> None:
        """Read both pipes to their ends, which come at once unless something could not be killed."""
        until = time.monotonic() + _LAST
        poll = select.poll()
        poll.register(self.channel, select.POLLIN)
        poll.register(self.printed, select.POLLIN)
        left = 2
        while left and (wait := until - time.monotonic()) > 0:
            for fd, _ in poll.poll(wait * 1000):
                if fd == self.printed:
                    more = self._drain()
                else:
                    data = _read(fd)
                    self.reader.feed(data or b"")
                    more = data != b"" and len(self.reader.buffer) <= LIMIT
                if not more:
                    poll.unregister(fd)
                    left -= 1

    def _look(self) -> bool:
        """Whether the child has ended by itself. Its number stays taken: a group is killed by it."""
        if self.status is None and not self.ended:
            try:
                found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return True
            if found is not None:
                self.status = -found.si_status if found.si_code != os.CLD_EXITED else found.si_status
        return self.status is not None

    def _wait(self) -> None:
        """Give a child that has closed its channel the time to end: only then is it known how."""
        until = time.monotonic() + _LAST
        if self.until is not None:
            until = min(until, self.until)
        while not self._look() and time.monotonic() < until:
            time.sleep(0.001)

    def _how(self) -> str:
        if self.status is None:
            return "the process closed its channel before it answered"
        when = "in the middle of its answer" if self.reader.begun else "before it answered"
        if self.status < 0:
            return f"the process ended {when} (killed by signal {-self.status})"
        last = self.noise.decode("utf-8", "replace").strip().rpartition("\n")[2].strip() if self.status else ""
        return f"the process ended {when} (exit status {self.status})" + (f": {quoted(last, 200)}" if last else "")


def _read(fd: int) -> bytes | None:
    """What is there; None where nothing is yet, empty at the end."""
    try:
        return os.read(fd, _PIECE)
    except BlockingIOError:
        return None


def _watched(pid: int) -> int:
    if hasattr(os, "pidfd_open"):
        try:
            return os.pidfd_open(pid)
        except OSError:
            pass  # an old kernel, or a sandbox that forbids it
    return -1


def _spawn(launch: Launch, descriptors: list[int]) -> int:
    """Start the command as the leader of a group of its own, with these descriptors and no others."""
    argv = launch.argv
    if launch.cwd is not None:
        argv = ("/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", launch.cwd, *argv)
    command = _found(argv[0], launch.env.get("PATH", os.defpath))
    actions: list[tuple[int, ...]] = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(descriptors)]
    actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in _inherited()]
    handled = (signal.SIGPIPE, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)
    try:
        return os.posix_spawn(
            command, argv, launch.env, file_actions=actions, setsid=True, setsigmask=(), setsigdef=handled
        )
    except NotImplementedError:
        return os.posix_spawn(
            command, argv, launch.env, file_actions=actions, setpgroup=0, setsigmask=(), setsigdef=handled
        )


def _inherited() -> list[int]:
    """Descriptors that whoever started freezegate left open for every program that it starts."""
    found = []
    for name in os.listdir("/dev/fd"):
        try:
            if int(name) > 2 and os.get_inheritable(int(name)):
                found.append(int(name))
        except OSError:
            pass  # the one that listed them
    return found


def _found(command: str, path: str) -> str:
    if "/" in command:
        return command
    for folder in path.split(os.pathsep):
        file = os.path.join(folder, command)
        if os.access(file, os.X_OK) and os.path.isfile(file):
            return file
    raise FileNotFoundError(2, "no such command", command)

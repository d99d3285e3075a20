"""The child: one process that judges one case or rows of them, searches for one that fails, or runs a test of pytest.

It runs under the project's interpreter and needs the standard library alone (a search: Hypothesis too). Everything that it
uses to answer is imported before a folder of the project is searched, and as little as possible is.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from freezegate.running.harness import freezegate_judgement, freezegate_project, freezegate_wire

    Job = dict[str, Any]
else:
    import freezegate_judgement
    import freezegate_project
    import freezegate_wire

globals()["__builtins__"] = vars(freezegate_judgement)["__builtins__"]

# Taken now: the predicate may replace any of them.
_exit = os._exit
_getpid = os.getpid
_kill = os.kill
_read = os.read
_set_blocking = os.set_blocking
_KILL = 9
_encode = freezegate_wire.encode
_send = freezegate_wire.send
_judge = freezegate_judgement.judge
_described = freezegate_judgement.described

# Far above what a loop over the first descriptors closes, below every usual limit on their number.
_HIGH = 200

# Imported for their kinds alone: a single case is judged often, and starts fast.
_HELPERS = {
    "search": "freezegate_search",
    "rows": "freezegate_rows",
    "generate": "freezegate_generate",
    "pytest": "freezegate_pytest",
}


class Absent(Exception):
    """The job cannot be done; its text says why."""


class Channel:
    """The private way to freezegate and back; what a forked copy of this process would say is not sent."""

    def __init__(self) -> None:
        import fcntl

        self.inbox = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, _HIGH)
        self.outbox = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, _HIGH)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)  # what the project prints is drained with its errors
        self.owner = os.getpid()

    def receive(self) -> Any:
        """The next message. Ends the process where the other end is gone."""
        payload = freezegate_wire.receive(self.inbox)
        if payload is None:
            _exit(1)
        return freezegate_wire.decode(payload or b"")

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""
        if _getpid() == self.owner:
            _send(self.outbox, _encode(message))


class Lifeline:
    """Ends this process and its group once freezegate is gone: the kernel then signals those who wait on the channel.

    A message that arrives signals too, and its signal may come after the message was read: so whoever is signalled looks
    whether the channel has ended.
    """

    def __init__(self, channel: Channel) -> None:
        import fcntl

        signals: Any = __import__("_signal")  # the signal module costs more than the rest of the start

        self.set, self.number, self.ignored = signals.signal, signals.SIGIO, signals.SIG_IGN
        self.inbox = channel.inbox
        self.taut()
        try:
            group = os.getpgrp()
            fcntl.fcntl(channel.inbox, fcntl.F_SETOWN, -group if group == os.getpid() else os.getpid())
            flags = fcntl.fcntl(channel.inbox, fcntl.F_GETFL)
            fcntl.fcntl(channel.inbox, fcntl.F_SETFL, flags | os.O_ASYNC)
        except (OSError, AttributeError):
            pass  # a system without it: the processes are then ended by whoever started them
        self.look(self.number, None)

    def look(self, number: int, frame: Any) -> None:
        """End where the channel has; no message is due, so that nothing is there to be read but its end."""
        try:
            ended = _read(self.inbox, 1) == b""
        except BlockingIOError:
            ended = False
        except OSError:
            ended = True
        if ended:
            _kill(_getpid(), _KILL)

    def taut(self) -> None:
        """From now on freezegate only ends."""
        _set_blocking(self.inbox, False)
        self.set(self.number, self.look)

    def slack(self) -> None:
        """A message is due."""
        self.set(self.number, self.ignored)
        _set_blocking(self.inbox, True)


def main(release: Callable[[int], object]) -> None:
    """Do the job that comes on standard input. `release` takes the harness off the search path when given 0."""
    channel = Channel()
    try:
        _run(channel, release)
    except Absent as error:
        channel.send({"state": "absent", "reason": str(error)})
    except BaseException as error:
        channel.send({"state": "absent", "reason": f"the child failed: {_described(error)}"})
    finally:
        _exit(0)  # no exit handler of the project runs; the status means nothing


def _run(channel: Channel, release: Callable[[int], object]) -> None:
    job: Job = channel.receive()
    lifeline = Lifeline(channel)
    facts = _facts() if job.get("facts") else None
    helper = _helper(job)
    release(0)
    for name in [name for name in sys.modules if name.startswith("freezegate_")]:
        del sys.modules[name]  # not to be found by accident; what is imported above stays
    sys.dont_write_bytecode = True
    _limit(job.get("memory"))
    if sys.flags.optimize:
        raise Absent("the interpreter was started with -O, which leaves every assert out")
    root, elsewhere, loadable = job["root"], job.get("elsewhere", ()), job.get("loadable")
    os.chdir(root)

    def asked() -> Job:
        """Say that the project is loaded; what is asked of it then."""
        if (why := _stranger(root, elsewhere)) is not None:
            raise Absent(why)
        lifeline.slack()
        channel.send({"state": "ready", "facts": facts})
        message: Job = channel.receive()
        lifeline.taut()
        lifeline.look(lifeline.number, None)
        return message

    if job["kind"] == "pytest":
        nonce, result = _tested(helper, job, asked)
    else:
        nonce, result = _called(helper, job, asked, channel)
    why = _stranger(root, elsewhere)
    if why is None and loadable is not None:
        why = _outsider(root, (*job["closure"], *loadable), job.get("source_paths", ()))
    if why is not None:
        result = {"outcome": "absent", "reason": why, "failure": None}
    result["nonce"] = nonce
    channel.send(result)


def _tested(helper: Any, job: Job, asked: Callable[[], Job]) -> tuple[str, dict[str, Any]]:
    """The nonce and the result of a test that pytest runs, which loads its files while it collects."""
    _prepared(helper.load, job)
    path, name = helper.place(job["node"])
    describe = freezegate_judgement.Describer(job["root"], path, name, job["closure"])
    _install(job)
    message, result = helper.run(job, describe, asked)
    if message is None:
        raise Absent(result["reason"])
    return message["nonce"], result


def _called(helper: Any, job: Job, asked: Callable[[], Job], channel: Channel) -> tuple[str, dict[str, Any]]:
    """The nonce and the result of what calls the project's functions itself."""
    root, kind = job["root"], job["kind"]
    path, name = (job["predicate"]["path"], job["predicate"]["function"]) if kind != "generate" else ("", "")
    describe = freezegate_judgement.Describer(root, path, name, job["closure"])
    _install(job)
    predicate = getattr(_loaded(root, path), name, None) if path else None
    if path and predicate is None:
        raise Absent(f"{path} has no function {name}")
    generator = _loaded(root, job["generator"]) if kind in ("search", "generate") else None
    message = asked()
    nonce = message["nonce"]

    def report(examples: int) -> None:
        channel.send({"nonce": nonce, "progress": examples})

    if helper is None:
        return nonce, _evaluated(predicate, message["case"], describe)
    if kind == "rows":
        return nonce, helper.answered(job["argument"], message["case"], predicate, _judge, describe)
    if kind == "search":
        return nonce, _searched(lambda: helper.search(job, predicate, generator, _judge, describe, report))
    return nonce, _searched(lambda: helper.generated(job, generator, _judge, describe, report, message["case"]))


def _install(job: Job) -> None:
    freezegate_project.install(job["root"], job["paths"], job.get("source_paths", ()), job.get("elsewhere", ()))


def _evaluated(predicate: Any, case: Any, describe: freezegate_judgement.Describer) -> dict[str, Any]:
    label, reason, error = _judge(predicate, case)
    return {"outcome": label, "reason": reason, "failure": describe(error) if label == "fail" else None}


def _searched(search: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        result = search()
        _encode(result)
        return dict(result)
    except BaseException as error:
        return {"outcome": "absent", "reason": f"the search ended with {_described(error)}"}


_stranger = freezegate_project.stranger
_outsider = freezegate_project.outsider


def _facts() -> dict[str, str]:
    found: dict[str, str] = __import__("freezegate_facts").facts()
    return found


def _helper(job: Job) -> Any:
    """The module that does the jobs of a kind; None where nothing is needed but what every child has."""
    name = _HELPERS.get(job["kind"])
    if name is None:
        return None
    helper = __import__(name)
    if hasattr(helper, "prepare"):
        _prepared(helper.prepare, job)
    return helper


def _prepared(prepare: Callable[[Job], object], job: Job) -> None:
    """Have imported what a kind of job needs."""
    try:
        prepare(job)
    except Exception as error:
        # Its class is one of a module that this one must not import.
        raise Absent(str(error) if type(error).__name__ == "Unprepared" else _described(error)) from None


def _loaded(root: str, path: str) -> ModuleType:
    try:
        return freezegate_project.load(root, path)
    except BaseException as error:
        raise Absent(f"{path} cannot be imported: {_described(error)}") from None


def _limit(memory: int | None) -> None:
    import resource

    _lower(resource, resource.RLIMIT_CORE, 0)  # a core file would be written into the tree
    if memory is not None:
        # On Linux this counts what is really the process's own; address space is reserved by many libraries unused.
        _lower(resource, resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS, memory)


def _lower(resource: Any, which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(which, (value, value))
    except (OSError, ValueError):
        pass

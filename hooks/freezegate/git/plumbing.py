"""One small function a git question: arguments and bytes in, bytes out.

Children are started with `os.posix_spawn`, which is several times cheaper than the subprocess module's import
and start; a commit hook that has nothing to judge is over before that module would have been loaded. Only plumbing
commands with ``-z`` output are asked, since porcelain follows the user's configuration.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Kept for git: the repository, index and quarantine that the calling git process names. Dropped: what would change how
# our own arguments are read or what our own diffs print.
_DROPPED = (
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_GRAFT_FILE",
)


class GitError(Exception):
    """git could not answer: `message` says what was asked and seen, `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def environment() -> dict[str, str]:
    """The environment of every git child: no replacement objects, no lazy locks, messages in English."""
    env = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    env["GIT_NO_REPLACE_OBJECTS"] = "1"
    # What lies in the git folder may not make up parents. A file that cannot be: of one that is there git tells at length.
    env["GIT_GRAFT_FILE"] = os.devnull + "/none"
    env["GIT_OPTIONAL_LOCKS"] = "0"
    env["LC_ALL"] = "C"
    return env


def scratch(data: bytes = b"") -> int:
    """The descriptor of an unnamed file that holds `data`, at its start: as a child's input it cannot deadlock."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("freezegate")
    else:
        import tempfile

        with tempfile.TemporaryFile(buffering=0) as file:
            fd = os.dup(file.fileno())
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


# Children that were started here and not waited for yet.
_running: set[int] = set()


def end_children() -> None:
    """End every git process that is still running: a time limit or an interruption may come between any two steps."""
    while _running:
        pid = _running.pop()
        try:
            if os.waitpid(pid, os.WNOHANG)[0] == 0:  # so the number is still that of our own child
                os.kill(pid, 9)
                os.waitpid(pid, 0)
        except ChildProcessError:
            pass  # waited for already, or a child of the process that this one was forked from


class Child:
    """A running git process; `out` is the reading end of its standard output."""

    def __init__(
        self, arguments: Sequence[str | bytes], stdin: int | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        self.arguments = arguments
        self.out, child_out = os.pipe()
        self._errors = scratch()
        null = os.open(os.devnull, os.O_RDONLY) if stdin is None else stdin
        actions = [
            (os.POSIX_SPAWN_DUP2, null, 0),
            (os.POSIX_SPAWN_DUP2, child_out, 1),
            (os.POSIX_SPAWN_DUP2, self._errors, 2),
        ]
        try:
            self.pid = os.posix_spawnp(
                "git", [b"git", *map(os.fsencode, arguments)], env or environment(), file_actions=actions
            )
        except OSError as error:
            os.close(self.out)
            os.close(self._errors)
            raise GitError(f"git could not be started: {error.strerror}", "install git 2.34 or later") from None
        else:
            _running.add(self.pid)
        finally:
            os.close(child_out)
            if null != stdin:
                os.close(null)

    def read_all(self) -> bytes:
        """All of its standard output. Where the reading is interrupted, the process ends too."""
        parts = []
        try:
            while part := os.read(self.out, 1 << 20):
                parts.append(part)
        except BaseException:
            os.kill(self.pid, 9)
            self.finish()
            raise
        return b"".join(parts)

    def finish(self) -> tuple[int, str]:
        """Wait for it: exit status (negative: killed by that signal) and standard error."""
        os.close(self.out)
        _, status = os.waitpid(self.pid, 0)
        _running.discard(self.pid)
        os.lseek(self._errors, 0, os.SEEK_SET)
        errors = os.read(self._errors, 1 << 16).decode("utf-8", "replace").strip()
        os.close(self._errors)
        return os.waitstatus_to_exitcode(status), errors


def with_requests(arguments: Sequence[str | bytes]) -> tuple[Child, int]:
    """A running git process, and the writing end of its standard input. Raises GitError."""
    theirs, ours = os.pipe()
    try:
        return Child(arguments, theirs), ours
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)


def fed(arguments: Sequence[str | bytes], stdin: bytes | None = None) -> Child:
    """A running git process with these bytes as its standard input. Raises GitError."""
    fd = None if stdin is None else scratch(stdin)
    try:
        return Child(arguments, fd)
    finally:
        if fd is not None:
            os.close(fd)


def answer(arguments: Sequence[str | bytes], stdin: bytes | None = None) -> tuple[int, bytes, str]:
    """Run git to its end: exit status, standard output, standard error."""
    child = fed(arguments, stdin)
    out = child.read_all()
    status, errors = child.finish()
    return status, out, errors


def ask(arguments: Sequence[str | bytes], stdin: bytes | None = None) -> bytes:
    """Standard output of a git command that must succeed.

    Raises GitError with git's own words when it does not.
    """
    status, out, errors = answer(arguments, stdin)
    if status != 0:
        raise refusal(arguments, status, errors)
    return out


def refusal(arguments: Sequence[str | bytes], status: int, errors: str) -> GitError:
    """The error for a git command that ended with `status`."""
    words = b" ".join(map(os.fsencode, arguments)).decode("utf-8", "replace")
    seen = errors.splitlines()[0] if errors else f"exit status {status}"
    hint = ""
    if "dubious ownership" in errors:
        hint = 'git config --global --add safe.directory "$(pwd)"'
    elif "not a git repository" in errors:
        return GitError("there is no git repository here", "run it inside a git repository, or: git init")
    return GitError(f"git {words[:120]}: {seen}", hint)

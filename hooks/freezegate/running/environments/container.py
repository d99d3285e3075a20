"""A container of an image that has Python: no network, an unwritable file system, the tree mounted into it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from shutil import which

from freezegate.running.environments.place import Absent
from freezegate.running.environments.tools import run, tool_environment
from freezegate.running.launch import SOURCES_BOOT, Launch, child_env
from freezegate.running.leftovers import new_name

_ENGINES = ("podman", "docker")
_TREE, _TEMP = "/freezegate/tree", "/tmp"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LIMIT = 60.0  # seconds in which an engine answers


class ContainerPlace:
    """Children of the `python3` of an image, one container each. The harness is sent to it."""

    preset = "container"

    def __init__(self, name: str, image: str) -> None:
        self.name = name
        self.image = image

    @contextmanager
    def open(self, tree: str, python: str) -> Iterator[Launch]:
        """Children in containers. Raises Absent where no engine answers, or none has the image."""
        engine = _engine()
        self._require_image(engine)
        container = new_name()
        remove = partial(_remove, engine, container)
        try:
            yield Launch(
                (*self._command(engine, container, tree), "-c", SOURCES_BOOT),
                tool_environment(),
                _TREE,
                sources=True,
                wipe=remove,
            )
        finally:
            remove()

    def _command(self, engine: str, container: str, tree: str) -> list[str]:
        if ":" in tree or "," in tree:
            raise Absent("the path of the worktree has a colon or a comma, which engines cannot mount", "set TMPDIR")
        bounds = ["--rm", "--interactive", "--network", "none", "--read-only", "--cap-drop", "ALL"]
        bounds += ["--security-opt", "no-new-privileges", "--security-opt", "label=disable", "--pids-limit", "4096"]
        # Docker's containers run as the root of this machine unless told otherwise; podman's as the user.
        user = ["--user", f"{os.getuid()}:{os.getgid()}"] if os.path.basename(engine) == "docker" else []
        named = ["--name", container, "--hostname", "freezegate", "--label", "freezegate"]
        files = ["--tmpfs", f"{_TEMP}:rw,exec,mode=1777", "--volume", f"{tree}:{_TREE}:ro", "--workdir", _TEMP]
        variables = [word for name, value in child_env(_TEMP, _PATH).items() for word in ("--env", f"{name}={value}")]
        options = [*bounds, *user, *named, *files, *variables, "--pull", "never", "--entrypoint", "python3"]
        return [engine, "run", *options, self.image, "-s", "-X", "utf8"]

    def _require_image(self, engine: str) -> None:
        if self.image.startswith("-"):
            raise Absent(f"{self.image} is no name of an image", "name an image")
        done = run([engine, "image", "inspect", "--format", "{{.Id}}", self.image], tool_environment(), limit=_LIMIT)
        if done.status != 0:
            name = os.path.basename(engine)
            raise Absent(
                f"{name} has no image {self.image}: {done.why or done.last_lines}", f"{name} pull {self.image}"
            )


@lru_cache
def _engine() -> str:
    """The first engine that answers."""
    found = [engine for engine in map(which, _ENGINES) if engine is not None]
    why = "neither podman nor docker is installed"
    for engine in found:
        done = run([engine, "version"], tool_environment(), limit=_LIMIT)
        if done.status == 0:
            return engine
        why = f"{os.path.basename(engine)} does not answer: {done.why or done.last_lines}"
    raise Absent(why, "start a container engine, or choose another preset")


def _remove(engine: str, container: str) -> None:
    """End the container, where it still runs: killing the engine's client does not."""
    subprocess.run(
        [engine, "rm", "--force", container],
        env=tool_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_LIMIT,
        check=False,
    )

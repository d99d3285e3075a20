"""The active interpreter, with whatever is installed for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from freezegate.running.launch import Launch, local_launch
from freezegate.running.leftovers import scratch


class LocalPlace:
    """Children of the interpreter itself."""

    preset = "local"

    def __init__(self, name: str) -> None:
        self.name = name

    @contextmanager
    def open(self, tree: str, python: str) -> Iterator[Launch]:
        """Children that see the folder `tree` itself."""
        with scratch() as folder:
            yield local_launch(python, tree, new_temp(folder))


def new_temp(folder: str) -> str:
    """An empty folder for the files of children, in a scratch folder."""
    temp = os.path.join(folder, "temp")
    os.mkdir(temp, 0o700)
    return temp

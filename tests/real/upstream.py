"""Source distributions of other people's projects, fetched by pip; nothing of them is kept."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from building import environment

# pip asks a source distribution for its metadata before it keeps it: these build it, once for all of them.
_BUILDERS = ("setuptools>=70.1", "wheel")
# How pip says that it found no registry, rather than that something is wrong with what it found there.
_UNREACHED = ("No matching distribution found", "connection broken", "Connection refused", "Network is unreachable")


def fetched(requirements: tuple[str, ...], needs: tuple[str, ...], folder: Path) -> Path:
    """A folder with the archives of `requirements`; its subfolder "tools" holds what can be imported of `needs`.

    Without a registry the test is skipped, with the reason, or fails where nothing may be left out.
    """
    tools = folder / "tools"
    _pip("install", "--target", tools, *_BUILDERS, *needs)
    exact = ("--no-deps", "--no-build-isolation", "--no-binary", ":all:", "-d", folder)
    _pip("download", *exact, *requirements, PYTHONPATH=str(tools))
    return folder


def interpreter(needs: tuple[str, ...], folder: Path) -> str:
    """A Python in a virtual environment at `folder` with these packages, and no pip; skipped or failed as above."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = str(folder / "bin" / "python")
    asked = [python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = subprocess.run(asked, env=environment(), capture_output=True, encoding="utf-8", check=True).stdout
    _pip("install", "--target", packages.strip(), *needs)
    return python


def _pip(*words: str | Path, **variables: str) -> None:
    always = ("--disable-pip-version-check", "--no-input", "--retries", "1", "--timeout", "20")
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, *always],
        env=environment(**variables), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace", timeout=300, check=False,
    )  # fmt: skip
    if done.returncode == 0:
        return
    unreached = any(words in done.stdout for words in _UNREACHED)
    if unreached and "TESTS_MUST_ALL_RUN" not in os.environ:
        pytest.skip(f"the package registry cannot be reached from here: {done.stdout.strip().splitlines()[-1]}")
    pytest.fail(f"pip {words[0]}: exit {done.returncode}\n{done.stdout}")


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack it into `folder`; the one folder that it holds."""
    with tarfile.open(archive) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extractall(folder, filter="data")
        else:  # a Python from before its security release of 2023
            tar.extractall(folder)
    (top,) = folder.iterdir()
    return top

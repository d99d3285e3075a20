"""Run every check: `python3 tests/run.py [--fast] [--fresh] [pytest arguments]`; needs Python 3.10 and git, no more.

Lints, types, import contracts, the quick tests under every other Python at hand, then all tests. What the checks need
is installed into a temporary environment, unless the interpreter that runs this has it already.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MINORS = range(10, 14)
# What the quick tests import.
QUICK_NEEDS = ("pytest>=8", "pytest-xdist>=3.5", "hypothesis>=6.100", "junitparser>=3.1")
# What the version of Python could change: reading, parsing, hashing, judging. The rest runs under one Python only.
QUICK = ("decisions", "digests", "documents_*", "imports", "rules_[!t]*", "source_*")
READY = f"""
import build, hypothesis, importlinter, junitparser, mypy, pre_commit, pytest, xdist, freezegate, os, shutil, sys
assert os.path.samefile(os.path.dirname(freezegate.__file__), {str(ROOT / "hooks" / "freezegate")!r})
assert all(os.path.exists(os.path.join(os.path.dirname(sys.executable), tool)) for tool in ("ruff", "prek"))
"""


def main() -> int:
    """Run the steps; 0 only if every one of them succeeded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fast", action="store_true", help="without slow tests and other Pythons (not where CI=true)")
    parser.add_argument("--fresh", action="store_true", help="install into a temporary environment in any case")
    options, for_pytest = parser.parse_known_args()
    fast = options.fast and os.environ.get("CI") != "true"
    with tempfile.TemporaryDirectory(prefix="freezegate-tests-") as folder:
        python = None if options.fresh else ready()
        if python is None:
            say("installing the project and its development tools")
            python = new_environment(sys.executable, Path(folder, "main"), "-e", f"{ROOT}[dev]")
        failed = [name for name, command in checks(python).items() if not step(name, command)]
        if not fast and not for_pytest:
            for version, other in other_pythons(python):
                if not quick_tests(version, other, Path(folder, version)):
                    failed.append(f"the quick tests under Python {version}")
        if failed:
            say(f"FAILED before the tests: {', '.join(failed)}")
        selection = ["-n", "2", "--dist", "loadfile", *(["-m", "not slow"] if fast else [])]
        passed = step("pytest", [python, "-m", "pytest", *selection, *for_pytest])
    return 0 if passed and not failed else 1


def checks(python: str) -> dict[str, list[str]]:
    """The checks of the code itself."""
    tools = Path(python).parent
    return {
        "ruff check": [str(tools / "ruff"), "check"],
        "ruff format": [str(tools / "ruff"), "format", "--check"],
        "mypy": [python, "-m", "mypy"],
        "import contracts": [str(tools / "lint-imports"), "--no-cache", "--no-logo"],
    }


def step(name: str, command: list[str]) -> bool:
    """Run one command from the root of the project; whether it succeeded."""
    say(name)
    started = time.monotonic()
    succeeded = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    if name != "pytest":  # whose own line closes the whole run
        say(f"{name}: {'ok' if succeeded else 'FAILED'}, {time.monotonic() - started:.0f} s")
    return succeeded


def quick_tests(version: str, base: str, folder: Path) -> bool:
    """Whether the quick tests pass under another Python."""
    name = f"quick tests under Python {version}"
    try:
        python = new_environment(base, folder, "-e", str(ROOT), *QUICK_NEEDS)
    except subprocess.CalledProcessError as error:
        say(f"{name}: FAILED to install: {error}")
        return False
    quick = sorted(str(path) for part in QUICK for path in ROOT.glob(f"tests/test_{part}.py"))
    return step(name, [python, "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "-m", "not slow", *quick])


def ready() -> str | None:
    """The running interpreter, where it has all that the checks need."""
    known = subprocess.run([sys.executable, "-c", READY], cwd=ROOT, capture_output=True, check=False)
    return sys.executable if known.returncode == 0 else None


def new_environment(base: str, folder: Path, *packages: str) -> str:
    """The interpreter of a new virtual environment with these packages.

    Raises CalledProcessError where neither venv nor virtualenv can make one, or a package cannot be installed.
    """
    made = subprocess.run([base, "-m", "venv", str(folder)], capture_output=True, check=False)
    if made.returncode != 0:  # Debian's Python without python3-venv
        shutil.rmtree(folder, ignore_errors=True)
        tools = folder.with_name(folder.name + "-tools")
        pip = [base, "-m", "pip", "install", "-q", "--target", str(tools), "virtualenv"]
        subprocess.run(pip, check=True)
        virtualenv = [base, "-m", "virtualenv", "-q", str(folder)]
        subprocess.run(virtualenv, check=True, env={**os.environ, "PYTHONPATH": str(tools)})
    python = str(folder / "bin" / "python")
    install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages]
    subprocess.run(install, cwd=folder, check=True)
    return python


def other_pythons(python: str) -> Iterator[tuple[str, str]]:
    """Version and path of one Python of each supported version at hand, but for the version of `python`."""
    done = {version_of(python)}
    for candidate in candidates():
        version = version_of(candidate)
        if version in {f"3.{minor}" for minor in MINORS} - done:
            done.add(version)
            yield version, candidate


def candidates() -> Iterator[str]:
    """Interpreters by name on PATH, then those that pyenv keeps."""
    for minor in MINORS:
        if (found := shutil.which(f"python3.{minor}")) is not None:
            yield found
    if shutil.which("pyenv") is not None:
        root = subprocess.run(["pyenv", "root"], capture_output=True, text=True, check=False).stdout.strip()
        yield from sorted(map(str, Path(root).glob("versions/3.*/bin/python")))


def version_of(python: str) -> str:
    """Such as ``3.12``; empty for what does not run or cannot make an environment."""
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 else ""


def say(text: str) -> None:
    """A line of our own among those of the tools."""
    print(f"== {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""Every git option in use is as old as the oldest git that the project supports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import freezegate

PACKAGE = Path(freezegate.__file__).parent
OLDEST = (2, 34)

# Each option as its command reads it, with the release that brought it (for -c: the setting). Releases before 1.8 are
# written as 1.7.
SINCE = {
    "--absolute-git-dir": (2, 13),
    "--bare": (1, 5),
    "--allow-empty": (1, 7),
    "--force": (1, 5),
    "--literally": (2, 2),
    "--no-verify": (1, 5),
    "--update-head-ok": (1, 5),
    "gc.auto": (1, 5),
    "--get": (1, 5),
    "--git-dir": (1, 5),
    "--show-object-format": (2, 28),
    "--template": (1, 5),
    "--type": (2, 18),
    "-m": (1, 5),
    "-q": (1, 5),
    "user.email": (1, 5),
    "user.name": (1, 5),
    "--topo-order": (1, 7),
    "--reverse": (1, 7),
    "--format": (1, 7),
    "--batch": (1, 7),
    "--batch-check": (1, 7),
    "--buffer": (2, 6),
    "--branches": (1, 7),
    "--not": (1, 7),
    "--is-bare-repository": (1, 5),
    "--remotes": (1, 6),
    "--cached": (1, 7),
    "--contains": (2, 7),
    "--detach": (2, 5),
    "--count": (1, 7),
    "--end-of-options": (2, 30),
    "--full-name": (1, 7),
    "--full-tree": (1, 7),
    "--git-common-dir": (2, 5),
    "--git-path": (2, 5),
    "--ignore-submodules": (1, 7),
    "--index-info": (1, 7),
    "--is-ancestor": (1, 8),
    "--is-shallow-repository": (2, 15),
    "--ita-invisible-in-index": (2, 11),
    "--no-abbrev": (1, 7),
    "--no-checkout": (2, 9),
    "--no-color": (1, 7),
    "--no-commit-header": (2, 33),
    "--no-ext-diff": (1, 7),
    "--no-filters": (1, 7),
    "--no-relative": (2, 28),
    "--no-renames": (1, 7),
    "--no-textconv": (1, 7),
    "--numstat": (1, 7),
    "--quiet": (1, 7),
    "--raw": (1, 7),
    "--show-prefix": (1, 7),
    "--show-toplevel": (1, 7),
    "--stdin": (1, 7),
    "--verify": (1, 7),
    "-A": (1, 7),
    "-C": (1, 9),
    "-F": (1, 7),
    "-a": (1, 7),
    "-c": (1, 7),
    "-e": (1, 7),
    "-l": (1, 7),
    "-p": (1, 7),
    "-r": (1, 7),
    "-t": (1, 7),
    "-w": (1, 7),
    "-z": (1, 7),
    "add.ignoreErrors": (1, 7),
    "advice.addEmbeddedRepo": (2, 14),
    "core.attributesFile": (1, 8),
    "core.fsmonitor": (2, 16),
    "core.hooksPath": (2, 9),
    "core.safecrlf": (1, 7),
    "core.sparseCheckout": (1, 7),
    "core.splitIndex": (2, 8),
    "core.untrackedCache": (2, 8),
    "grep.threads": (2, 11),
}
# Settings that switch off what later releases brought; earlier ones know nothing of them, and need not.
SWITCHED_OFF = {"worktree.useRelativePaths": (2, 48)}
# Of freezegate itself, or of Python, named by a module that also asks git.
OWN = {"--hook", "--config", "--default-branch", "--rev", "--revision", "--digest", "--attempts", "--out", "-I"}
_OPTION = re.compile(r"(--?[A-Za-z][A-Za-z-]*|[a-z]+\.[a-zA-Z]+(?==))(=.*)?", re.DOTALL)


def asks_git(tree: ast.Module) -> bool:
    """Whether a module calls git: it is given git's plumbing, or names the program itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "freezegate.git.plumbing":
            if {name.name for name in node.names} & {"Child", "answer", "ask", "with_requests"}:
                return True
        elif isinstance(node, ast.List) and [getattr(first, "value", None) for first in node.elts[:1]] == ["git"]:
            return True
    return False


def options_of(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            value = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
            if (found := _OPTION.fullmatch(value)) is not None:
                yield found.group(1)


def used() -> dict[str, set[str]]:
    """Each git option in use, with the modules that use it."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if PACKAGE / "cli" not in path.parents and asks_git(tree):
            for option in options_of(tree):
                if option not in OWN:
                    found.setdefault(option, set()).add(str(path.relative_to(PACKAGE)))
    return found


def test_the_options_in_use_are_the_listed_ones() -> None:
    found = used()
    known = {*SINCE, *SWITCHED_OFF}
    assert {option: modules for option, modules in found.items() if option not in known} == {}
    assert known - set(found) == set()


def test_none_is_newer_than_the_oldest_git() -> None:
    assert {option: since for option, since in SINCE.items() if since > OLDEST} == {}


def test_the_search_sees_options() -> None:
    source = (
        'from freezegate.git.plumbing import ask\nask(["-c", "a.b=1", "log", b"--since=1", f"--max={1}", "not -x"])\n'
    )
    tree = ast.parse(source)
    assert asks_git(tree) and set(options_of(tree)) == {"-c", "a.b", "--since", "--max"}
    assert asks_git(ast.parse('run(["git", "log"])')) and not asks_git(ast.parse('run(["ls", "-l"])'))

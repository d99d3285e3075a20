"""How often the predicate screen speaks about the tests of real packages: every alarm is printed, to be looked at.

Usage: python benchmarks/vacuity.py FOLDER...

Each FOLDER is an unpacked source distribution. A test is a function or method named test* or decorated with ``given``
that asserts something or is decorated with ``given``; those with ``given`` are asked to depend on their parameters, others
only not to assert what is always true.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from freezegate.source.influence import arguments
from freezegate.source.vacuity import Definition, Found, Helper, Vacuity, vacuities


def main(folders: list[str]) -> None:
    """Print a line for each alarm, then one for each folder."""
    rows = []
    for folder in map(Path, folders):
        counts = {True: [0, 0], False: [0, 0]}
        for path in sorted(folder.rglob("*.py")):
            for function, properties, found in screened(path):
                counts[properties][0] += 1
                counts[properties][1] += bool(found)
                for each in found:
                    kind = "property" if properties else "test"
                    print(f"{path}:{each.line}: {kind} {function.name}: {each.why}")
        rows.append(
            f"{folder.name:40} {counts[True][0]:10} {counts[True][1]:6} {counts[False][0]:10} {counts[False][1]:6}"
        )
    print(f"\n{'package':40} {'properties':>10} {'alarms':>6} {'other tests':>11} {'alarms':>6}", *rows, sep="\n")


def screened(path: Path) -> Iterator[tuple[Definition, bool, list[Vacuity]]]:
    """The tests of a file, whether each is a property, and what the screen says of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    helper = helpers(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            properties = any(_is_given(each) for each in node.decorator_list)
            if properties or (node.name.startswith("test") and _asserts(node)):
                cases = arguments(node) if properties else None
                yield node, properties, vacuities(node, helper, cases)


def helpers(tree: ast.Module) -> Helper:
    """The functions that stand directly in the file."""
    known = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}

    def helper(name: str) -> Found | None:
        return Found(known[name], helper) if name in known else None

    return helper


def _is_given(decorator: ast.expr) -> bool:
    named = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(named, "id", None) == "given" or getattr(named, "attr", None) == "given"


def _asserts(function: Definition) -> bool:
    return any(
        isinstance(node, ast.Assert)
        or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert"))
        for node in ast.walk(function)
    )


if __name__ == "__main__":
    main(sys.argv[1:])

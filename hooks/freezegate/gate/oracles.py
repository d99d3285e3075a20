"""Where a property's oracle is, and whether it is one function that can judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from freezegate.documents.catalog import Property
from freezegate.gate.placing import Places
from freezegate.gate.scopes import python_misplaced
from freezegate.paths import RepoPath
from freezegate.source.module import Module
from freezegate.source.predicates import function_problem, oracle_function

if TYPE_CHECKING:
    from freezegate.gate.governed import Governed


@dataclass(frozen=True)
class Oracle:
    """The file of an oracle, the function in it (None: not to be told), and whether it is a pytest node."""

    path: RepoPath
    function: str | None
    is_node: bool


def oracle_place(prop: Property, places: Places) -> str | None:
    """Why the oracle's path may not be followed, or None: it lies below oracles, or with a scope below properties."""
    return python_misplaced(prop.oracle_path, places.properties if prop.scope is not None else places.oracles)


def oracle_of(prop: Property, tree: Governed) -> Oracle | None:
    """The oracle of a property in a tree; None where its text may not be followed."""
    if oracle_place(prop, tree.places) is not None:
        return None
    path = RepoPath.of(prop.oracle_path)
    if prop.oracle_node is not None:
        return Oracle(path, _unparametrized(prop.oracle_node), True)
    view = tree.scope_named(prop.scope) if prop.scope is not None else None
    if view is not None and view.value is not None and view.value.predicate_path == prop.oracle_path:
        return Oracle(path, view.value.predicate_function, False)
    if prop.oracle_function is not None:
        return Oracle(path, prop.oracle_function, False)
    entry = tree.entry(path)
    only = oracle_function(tree.archive.module(entry.oid))[0] if entry is not None and entry.is_file else None
    return Oracle(path, only, False)


def oracle_problem(prop: Property, tree: Governed) -> str | None:
    """Why the oracle's file does not hold the one function that judges the property, or None."""
    path = RepoPath.of(prop.oracle_path)
    entry = tree.entry(path)
    if entry is None or not entry.is_file:
        return f"there is no regular file {path}"
    module = tree.archive.module(entry.oid)
    if module.parse_error is not None:
        return f"{path} does not parse (line {module.parse_error[0]}: {module.parse_error[2]})"
    if prop.scope is not None:
        return _scope_problem(prop, prop.scope, tree)
    if prop.oracle_node is not None:
        return _node_problem(prop.oracle_node, module, path)
    name = prop.oracle_function
    if name is None:
        name, why = oracle_function(module)
        if name is None:
            return f"{path}: {why}"
    if (problem := function_problem(module, name)) is not None:
        return f"{path}: {problem}"
    (parameter,) = module.functions[name].positional_required
    if parameter not in ("case", "fixtures"):
        return f"{path}: {name} takes {parameter}, an oracle takes case or fixtures"
    return None


def _scope_problem(prop: Property, scope: str, tree: Governed) -> str | None:
    view = tree.scope_named(scope)
    if view is None or view.value is None:
        return f'there is no readable scope "{scope}"'
    if prop.oracle_node is not None or prop.oracle not in (view.value.predicate, view.value.predicate_path):
        return f"with a scope the oracle is the scope's predicate, {view.value.predicate}"
    return None


def _node_problem(node: str, module: Module, path: RepoPath) -> str | None:
    """Whether a pytest node is a function that the file binds once, or a class with what the node names in it."""
    name, *inside = _unparametrized(node).split("::")
    if module.bindings.get(name, 0) != 1 or module.star_import:
        return f"{path} does not bind {name} exactly once"
    if inside and name in module.functions:
        return f"{path}: {name} is a function and has no {inside[0]}"
    members = module.classes.get(name)
    if inside and members is not None and inside[0] not in members:
        return f"{path}: the class {name} does not define {inside[0]}"
    return None


def _unparametrized(node: str) -> str:
    """A pytest node without the parameters in brackets: all its cases are one function."""
    return node.partition("[")[0]

"""What to do about an oracle that is missing, by its cause."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from freezegate.documents import checks
from freezegate.documents.catalog import Property
from freezegate.gate import commands
from freezegate.gate.saying import did_you_mean
from freezegate.paths import RepoPath
from freezegate.source.module import Module
from freezegate.source.predicates import oracle_function
from freezegate.text import escape

if TYPE_CHECKING:
    from freezegate.gate.governed import Governed

_LOOKED_AT = 100  # scope files of which one may be meant


def oracle_hint(prop: Property, entry: RepoPath, tree: Governed) -> str:
    """What to do where `oracle_problem` found one; `entry` is the catalog entry's file."""
    path = RepoPath.of(prop.oracle_path)
    oracle = tree.entry(path)
    if oracle is None and tree.snapshot.obstruction(path) is None:
        return (
            f"{commands.add([path])} where it is only in the working tree, else edit {entry}: name a file that is there"
        )
    near = ""
    if oracle is not None and oracle.is_file:
        near = _scope_hint(prop.scope, tree) if prop.scope is not None else _near(prop, tree.archive.module(oracle.oid))
    return f"{near + ' ' if near else ''}edit {entry} or the oracle: one plain function that takes case or fixtures"


def _scope_hint(scope: str, tree: Governed) -> str:
    """The scope that is meant by what names none."""
    view = tree.scope_named(scope)
    if view is not None:
        return "" if view.value is not None else f"mend {view.path};"
    if checks.SCOPE_ID.fullmatch(scope) and (named := tree.scope_of(scope)) is not None:
        return f"name the scope by its path, {named.path}:"
    return did_you_mean(scope, (path.text for path in islice(tree.scope_entries, _LOOKED_AT)))


def _near(prop: Property, module: Module) -> str:
    """The name that is meant by what the file does not bind; or that a test is named as one of pytest's."""
    if module.parse_error is not None:
        return ""
    if prop.oracle_node is not None:
        name, *inside = prop.oracle_node.partition("[")[0].split("::")
        if not module.bindings.get(name):
            return did_you_mean(name, [*module.functions, *module.classes])
        members = module.classes.get(name)
        return did_you_mean(inside[0], sorted(members)) if inside and members else ""
    only = prop.oracle_function or oracle_function(module)[0]
    if only is None:
        return ""
    if not module.bindings.get(only):
        return did_you_mean(only, module.functions)
    # What pytest collects, and calls with its fixtures: any test that stands there once.
    if only.startswith("test") and only in module.functions and module.bindings[only] == 1:
        return f"written with two colons before {escape(only)}, it is a test of pytest; else"
    return ""

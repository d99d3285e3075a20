"""`freezegate binding-digest` and `freezegate fixture-lock`: print what the gate would compute."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.cli.trees import add_tree_options, seen


def add(commands: Any) -> None:
    """Add both commands."""
    parser = commands.add_parser(
        "binding-digest",
        help="print a scope's binding digest",
        description="Prints the digest of a scope's generator, scope file, seed lock and inputs, of the index.",
    )
    parser.add_argument("scope", metavar="SCOPE", help="a scope file, or a scope id")
    add_tree_options(parser)
    parser.set_defaults(run=run_binding)
    parser = commands.add_parser(
        "fixture-lock",
        help="print the digest of a fixture tree",
        description="Prints the digest of every file below a folder, of the index.",
    )
    parser.add_argument("root", metavar="ROOT", help="the folder")
    add_tree_options(parser)
    parser.set_defaults(run=run_fixtures)


def run_binding(options: argparse.Namespace) -> int:
    """Print the digest; 0. Raises CannotJudge where there is none that may be used."""
    from freezegate.gate.alone import scope_given
    from freezegate.gate.locking import binding_digest

    with seen(options) as sight:
        print(binding_digest(scope_given(sight.tree, options.scope, sight.prefix)))
    return 0


def run_fixtures(options: argparse.Namespace) -> int:
    """Print the digest; 0. Raises CannotJudge where there is none that may be used."""
    import gc

    from freezegate.gate.alone import fixture_lock

    gc.disable()  # a large tree is a hundred thousand small objects, none of them garbage before the end
    with seen(options) as sight:
        sys.stdout.write(fixture_lock(sight.tree, options.root, sight.prefix) + "\n")
    return 0

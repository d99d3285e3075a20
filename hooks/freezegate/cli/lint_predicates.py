"""`freezegate lint-predicates`: name predicates and oracle functions that cannot fail."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from freezegate.cli.trees import add_tree_options, seen
from freezegate.text import escape


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "lint-predicates",
        help="name predicates and oracle functions that cannot fail",
        description="Looks at the text of predicates and oracle functions, of the index, for what cannot fail: nothing "
        "depends on the case, a handler swallows the assertion, a constant or a tuple is asserted, a value is compared with "
        "itself. Without names: every predicate of a scope, and every function that is an oracle of the catalog. Runs none "
        "of it.",
        epilog="Exit status: 0 none; 1 some cannot fail; 2 a name is unknown, or a function cannot be read.",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="PATH_OR_SCOPE",
        help="a Python file, a folder, a scope file, a scope id or a property id",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the answer (text)")
    add_tree_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print each place with its reason; a function that cannot be read is said to standard error."""
    from freezegate.gate.screening import functions_given

    with seen(options) as sight:
        functions = functions_given(sight.tree, options.names, sight.prefix)
        unread = [(each, why) for each in functions if (why := each.problem) is not None]
        findings = sorted({finding for each in functions for finding in each.findings()})
    rows = [
        {
            "rule": finding.rule,
            "path": str(finding.path),
            "line": finding.line,
            "column": finding.column,
            "message": finding.message,
            "hint": finding.hint,
        }
        for finding in findings
    ]
    screened = len(functions) - len(unread)
    if options.format == "json":
        import json

        print(json.dumps({"format_version": 1, "findings": rows, "screened": screened}, indent=2))
    else:
        for row in rows:
            print(f"{row['path']}:{row['line']}:{row['column']}: {row['rule']}: {row['message']}")
            print(f"    hint: {row['hint']}")
    for function, why in unread:
        sys.stderr.write(f"freezegate: {function.path}:{escape(function.name)} was not screened: {escape(why)}\n")
    said = f"freezegate: {len(rows)} finding{'' if len(rows) == 1 else 's'}; screened {screened}"
    sys.stderr.write(f"{said} function{'' if screened == 1 else 's'}\n")
    return 2 if unread else int(bool(rows))

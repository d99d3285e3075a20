"""The files that `init` writes, and what it says."""

from __future__ import annotations

import json
from collections.abc import Sequence

from freezegate import __version__

REPOSITORY = "https://github.com/freezegate/freezegate"
INSTALL_TYPES = "default_install_hook_types: [pre-commit, pre-merge-commit]"

ENTRY = f"""\
  - repo: {REPOSITORY}
    rev: v{__version__}
    hooks:
      - id: freezegate
"""

PRE_COMMIT = f"""\
{INSTALL_TYPES}
repos:
{ENTRY}"""


def config_text(*, sized: bool, source: Sequence[str]) -> str:
    """A ``.freezegate.yaml`` with the settings that differ from the defaults, and nothing else."""
    lines = ["policy:", "  require_predicate_digest: true"]
    if sized:
        lines.append("  framing: sized")
    if source:
        # A package may be called `null`, which YAML would not read as text.
        lines += ["layout:", f"  source: {json.dumps(list(source), ensure_ascii=False)}"]
    return "\n".join(lines) + "\n"


FIRST_PROPERTY = """\
Then the first property, four files that one scope ties together:
  {properties}/NAME.py           the predicate: def test_NAME(case)
  {generators}/gen_NAME.py       the generator: def generate(domain, rng), or strategy(domain)
  {generators}/NAME.lock         the seed lock, a line: SCOPE_ID SEED MAX_EXAMPLES
  {properties}/NAME.scope.yaml   the scope:

    scope_id: area.name
    predicate: {properties}/NAME.py:test_NAME
    domain:
      qty: {{min: 1, max: 20}}
    generator: {generators}/gen_NAME.py
    seed_lock: {generators}/NAME.lock
    schema_version: 3

`freezegate lock` adds its predicate_digest. Give each scope its own seed lock: a shared one reopens every
record when a line is added.
"""

FIRST_CLAIM = """\
Then the first claim, in a change of its own:
  {oracles}/NAME.py         the oracle: def check_NAME(case)
  {fixtures}/               the cases (no .gitkeep is put there: every file in it is part of the fixture digest)
  {catalog}/NAME.yaml       the property: id, oracle, claim, mutates_fixture, cases
  {claimed}   the list of claimed ids, which turns this half of the gate on
"""

NO_SOURCE = """\
No source folder was found: there is no src/ and no package (a folder with __init__.py) at the root. The gate
has to know which code the properties judge. Move it into src/, or name its folders in .freezegate.yaml:

    layout:
      source: [FOLDER]
"""

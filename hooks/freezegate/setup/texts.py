"""The files that `init` writes, and what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from freezegate import __version__
from freezegate.documents.config import Layout
from freezegate.text import escape

REPOSITORY = "https://github.com/freezegate/freezegate"
TAG = f"v{__version__}"
INSTALL_TYPES = "default_install_hook_types: [pre-commit, pre-merge-commit]"


def entry(repo: str = REPOSITORY, rev: str = TAG) -> str:
    """The entry for freezegate under ``repos:``; both texts are printable."""
    return f"""\
  - repo: {_scalar(repo)}
    rev: {_scalar(rev)}
    hooks:
      - id: freezegate
"""


def pre_commit(repo: str = REPOSITORY, rev: str = TAG) -> str:
    """A whole ``.pre-commit-config.yaml``."""
    return f"{INSTALL_TYPES}\nrepos:\n{entry(repo, rev)}"


def trusted(path: str, repo: str, rev: str) -> str:
    """Whose word is taken for the freezegate that runs."""
    return f"""\
`repo` and `rev` in {path} have to be those of the copy of freezegate that you trust. Here they are
{escape(repo)} and {escape(rev)}; `rev` may also be a full commit id.
Where these are not yours, edit them. `freezegate init --repo URL --rev REV` writes others where there is no such file.
"""


def _scalar(text: str) -> str:
    """`text` as YAML reads it back: quoted where it could be anything but a plain string, such as a number."""
    return text if _PLAIN.fullmatch(text) and text.casefold() not in _NOT_TEXT else json.dumps(text, ensure_ascii=False)


_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9+._@:/-]*[A-Za-z0-9/_-]")
# What YAML 1.1 or 1.2 does not read as text, though a package or a branch may be called so.
_NOT_TEXT = frozenset(("null", "true", "false", "yes", "no", "on", "off"))


def config_text(*, sized: bool, source: Sequence[str]) -> str:
    """A ``.freezegate.yaml`` with the settings that differ from the defaults, and nothing else."""
    lines = ["policy:", "  require_predicate_digest: true"]
    if sized:
        lines.append("  framing: sized")
    if source:
        names = (f'"{name}"' if name.casefold() in _NOT_TEXT else name for name in source)
        lines += ["layout:", f"  source: [{', '.join(names)}]"]
    return "\n".join(lines) + "\n"


NO_SOURCE = """\
No source folder was found: there is no src/ and no package (a folder with __init__.py) at the root. The gate
has to know which code the properties judge. Move it into src/, or name its folders and files in .freezegate.yaml:

    layout:
      source: [FOLDER, MODULE.py]
"""


def first_property(layout: Layout) -> str:
    """How the first scope is written, under this layout."""
    properties, generators = layout.properties, layout.generators
    files = (
        (f"{properties}/NAME.py", "the predicate: def test_NAME(case)"),
        (f"{generators}/gen_NAME.py", "the generator: def generate(domain, rng), or strategy(domain)"),
        (f"{generators}/NAME.lock", "the seed lock, one line: SCOPE_ID SEED MAX_EXAMPLES"),
        (f"{properties}/NAME.scope.yaml", "the scope:"),
    )
    return f"""\
Then the first property, four files:
{_table(files)}

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


def first_claim(layout: Layout) -> str:
    """How the first property of the catalog is written, under this layout."""
    files = (
        (f"{layout.oracles}/NAME.py", "the oracle: def check_NAME(case)"),
        (f"{layout.fixtures}/", "its cases (not made here: each file in it is part of the fixture digest)"),
        (f"{layout.catalog}/NAME.yaml", "the property: id, oracle, claim, mutates_fixture, cases"),
        (str(layout.claimed), "the list of claimed ids, which turns the verdict half on"),
    )
    return f"Then the first claim, in a change of its own:\n{_table(files)}\n"


def _table(rows: Sequence[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"  {name:<{width}}  {what}" for name, what in rows)

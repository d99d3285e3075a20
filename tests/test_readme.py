"""The front page says what the program does: hooks, rules, commands and links are held to the code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from freezegate.cli.commands import parser
from freezegate.documents.config import DEFAULT
from freezegate.gate.registry import HOOKS, all_rules
from freezegate.reports import FORMATS
from freezegate.setup import texts

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sections() -> dict[str, str]:
    """The text below each second-level heading."""
    parts = re.split(r"^## (.+)$", README, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def commands() -> dict[str, Any]:
    """The subcommands of the command line."""
    (group,) = (action.choices for action in parser()._actions if action.dest == "command")
    assert isinstance(group, dict)
    return group


def table_rows() -> list[tuple[str, str, str]]:
    rows = re.findall(r"^\| ([a-z-]+) \| `([a-z-]+)` \| (.*) \|$", sections()["Rules"], re.MULTILINE)
    return [(hook, rule, re.sub(r"\\(.)", r"\1", rejects)) for hook, rule, rejects in rows]


def test_the_table_of_rules_is_the_registry() -> None:
    by_hook = [rule for hook in HOOKS for rule in all_rules().values() if rule.hook == hook]
    assert table_rows() == [(rule.hook, rule.name, rule.rejects) for rule in by_hook]


def test_it_names_every_hook_of_the_manifest() -> None:
    manifest = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    unnamed = [
        hook["id"] for hook in manifest if f"`{hook['id']}`" not in sections()["In a commit: pre-commit or prek"]
    ]
    assert unnamed == []


def test_it_names_every_format() -> None:
    assert [name for name in FORMATS if f"`{name}`" not in sections()["Exit status and formats"]] == []


def shell_lines() -> list[str]:
    """The calls of freezegate in the page's shell examples."""
    calls = []
    for language, body in FENCE.findall(README):
        for line in body.splitlines() if language == "sh" else ():
            words = shlex.split(line, comments=True)
            if "&&" in words and not any(word.endswith("freezegate") for word in words):
                continue
            starts = [index for index, word in enumerate(words) if Path(word).name == "freezegate"]
            calls += [shlex.join(words[start + 1 :]) for start in starts]
    return calls


@pytest.mark.parametrize("line", shell_lines())
def test_a_command_in_an_example_is_understood(line: str) -> None:
    assert parser().parse_args(shlex.split(line)).run


def test_the_tour_has_examples() -> None:
    assert {"demo", "check --base origin/main --require-base"} <= set(shell_lines()) and len(shell_lines()) > 8


def test_named_commands_exist() -> None:
    named = set(re.findall(r"`freezegate ([a-z-]+)", README))
    assert "verdict" in named
    assert named - set(commands()) == set()


def test_commands_that_hints_name_exist() -> None:
    rooms = (ROOT / "hooks" / "freezegate" / room for room in ("documents", "gate", "git"))
    text = "".join(path.read_text(encoding="utf-8") for room in rooms for path in sorted(room.rglob("*.py")))
    hinted = set(re.findall(r"[\"'`]freezegate ([a-z][a-z-]+)[ \"'`]", text))
    assert "lock" in hinted
    assert hinted - set(commands()) == set()


def test_the_configuration_to_paste_is_the_one_that_init_writes() -> None:
    assert ("yaml", texts.pre_commit()) in FENCE.findall(README)


def test_extras_that_it_installs_exist() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = project.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    named = set(re.findall(r"\.\[([a-z]+)\]", README))
    assert named and all(re.search(rf"^{name} = \[", extras, re.MULTILINE) for name in named)


def anchors(page: Path) -> set[str]:
    """What a link into the page may name."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_resolve(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        if name.startswith("https:"):
            continue
        there = page.parent / name if name else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


# The page of commands


COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def test_every_command_has_a_row_with_its_exit_statuses() -> None:
    rows = re.findall(r"^\| `([a-z-]+)\b[^|]*` \| [^|]+ \| ([^|]+) \|$", COMMANDS, re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(commands())
    assert all(re.match("0|see below", statuses) for _, statuses in rows)


def test_the_statuses_of_check_binding_are_listed() -> None:
    from freezegate.gate import three_files as codes

    listed = re.findall(r"^\| (\d) \|", COMMANDS, re.MULTILINE)
    named = (codes.CLOSED, codes.UNREADABLE, codes.MISMATCH, codes.NOT_FAIL, codes.OTHER_BYTES)
    assert list(map(int, listed)) == list(named)


def test_the_variables_of_ci_are_those_that_are_read() -> None:
    from freezegate.git.change import _SERVICES

    rows = re.findall(r"^\| [A-Z][^|]+ \| `([A-Z_]+)` \| (.+) \|$", COMMANDS, re.MULTILINE)
    assert [(name, tuple(re.findall("`(.+?)`", folders))) for name, folders in rows] == list(_SERVICES)


# The page of documents


DOCUMENTS = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"<!-- example: (\w+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_kind_has_an_example() -> None:
    from freezegate.documents.schemas import KINDS

    assert {kind for kind, _ in EXAMPLE.findall(DOCUMENTS)} == set(KINDS)
    assert len(re.findall(r"^```(?:yaml|json)$", DOCUMENTS, re.MULTILINE)) == len(EXAMPLE.findall(DOCUMENTS))


@pytest.mark.parametrize(("kind", "text"), EXAMPLE.findall(DOCUMENTS))
def test_an_example_of_a_document_loads(kind: str, text: str) -> None:
    from freezegate.documents import reading

    read = getattr(reading, f"read_{kind}")(text.encode())
    assert read.problems == () and read.document is not None


def test_the_example_record_and_citation_fit_the_example_counterexample() -> None:
    import hashlib
    import json

    texts_of = dict(EXAMPLE.findall(DOCUMENTS))
    case = hashlib.sha256(texts_of["counterexample"].encode()).hexdigest()
    record, citation = json.loads(texts_of["record"]), json.loads(texts_of["citation"])
    assert record["counterexample_sha256"] == citation["counterexample_sha256"] == case
    assert record["fixture_digest"] == citation["fixture_digest"]


def test_the_table_of_settings_is_the_default_config() -> None:
    rows = dict(re.findall(r"^\| `((?:layout|policy)\.\w+)` \| (.+?) \|", DOCUMENTS, re.MULTILINE))
    held: dict[str, str] = {}
    for section, values in (("layout", DEFAULT.layout), ("policy", DEFAULT.policy)):
        for key in type(values).__dataclass_fields__:
            value = getattr(values, key)
            if value is None:
                held[f"{section}.{key}"] = "none"
            elif isinstance(value, bool):
                held[f"{section}.{key}"] = f"`{str(value).lower()}`"
            elif isinstance(value, tuple):
                held[f"{section}.{key}"] = f"`[{', '.join(map(str, value))}]`"
            else:
                held[f"{section}.{key}"] = f"`{value}`"
    assert rows == held


def test_each_command_is_found_in_its_module_and_parsed_as_among_all() -> None:
    from freezegate.cli import catalogue

    assert sorted(catalogue.MODULES) == sorted(commands())
    for name in catalogue.MODULES:
        (group,) = (action.choices for action in parser(name)._actions if action.dest == "command")
        assert isinstance(group, dict)
        assert group[name].format_help() == commands()[name].format_help()

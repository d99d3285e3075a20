"""`freezegate explain`: every rule and hook is told, unknown names get the nearest ones, the page is the registry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from building import Completed, Repo
from freezegate.errors import CannotJudge
from freezegate.gate.explaining import HOOK_TEXTS, WIDTH, explain, listing, rules_of, rules_page
from freezegate.gate.registry import HOOKS, all_rules

_ROOT = Path(__file__).parents[1]


def _explain(folder: Path, *args: str) -> Completed:
    return Repo(folder, create=False).run("explain", *args)


def _words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", sorted(all_rules()))
def test_a_rule_is_told_whole(name: str) -> None:
    rule = all_rules()[name]
    text = explain(name)
    told = _words(text)
    assert f"{name} (hook {rule.hook})" in text
    for field in (rule.rejects, rule.protects, rule.mend, rule.accepted, rule.rejected):
        assert field
        assert _words(field) in told
    assert max(map(len, text.splitlines())) <= WIDTH


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_is_told_with_all_its_rules(hook: str) -> None:
    text = explain(hook)
    assert HOOK_TEXTS[hook] in text
    assert [line.split()[0] for line in text.splitlines() if line.endswith(f"(hook {hook})")] == [
        rule.name for rule in rules_of(hook)
    ]


def test_kinds_follow_the_registry() -> None:
    assert "change rule" in explain("gate-mixed")
    assert "state rule: judges the new tree alone" in explain("record-open")
    assert "state rule where the scope has a predicate_digest, else a change rule" in explain("predicate-without-scope")


def test_the_list_has_one_line_a_rule() -> None:
    lines = listing().splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")] == [
        rule.name for hook in HOOKS for rule in rules_of(hook)
    ]
    assert len(all_rules()) == sum(line.startswith("  ") for line in lines)
    assert [line.split(":")[0] for line in lines if line.split(":")[0] in HOOKS] == list(HOOKS)
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("predicate-without-scop", "predicate-without-scope"),
        ("Gate_Mixed", "gate-mixed"),
        ("binding-records", "binding-record"),
    ],
)
def test_an_unknown_name_gets_the_nearest(name: str, near: str) -> None:
    with pytest.raises(CannotJudge) as caught:
        explain(name)
    assert near in caught.value.hint


def test_nothing_near_sends_to_the_list() -> None:
    with pytest.raises(CannotJudge) as caught:
        explain("qqqqqqqq")
    assert caught.value.hint.startswith("freezegate explain")


def test_the_command(tmp_path: Path) -> None:
    assert _explain(tmp_path).out.startswith(listing())
    assert _explain(tmp_path, "record-open").out == explain("record-open")
    assert _explain(tmp_path, "catalog").out == explain("catalog")
    assert _explain(tmp_path, "--markdown").out == rules_page()


def test_the_command_refuses_an_unknown_name_safely(tmp_path: Path) -> None:
    done = _explain(tmp_path, "record-opne\x1b[2J")
    assert (done.code, done.out) == (2, "")
    assert "record-open" in done.err
    assert "\x1b" not in done.err
    assert "Traceback" not in done.err
    assert _explain(tmp_path, "record-open", "--markdown").code == 2


def test_the_page_of_documentation_is_generated() -> None:
    page = (_ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert page == rules_page(), "freezegate explain --markdown > docs/rules.md"


def test_the_page_names_every_rule_once() -> None:
    headings = re.findall(r"^### (.*)$", rules_page(), re.MULTILINE)
    assert sorted(headings) == sorted(all_rules())


def test_the_page_shows_characters_as_they_are() -> None:
    page = rules_page()
    assert r"\_\_pycache\_\_" in page
    assert r"test\_\*" in page
    assert "`freezegate lock SCOPE`" in page


def test_hook_texts_are_those_of_the_manifest() -> None:
    manifest = yaml.safe_load((_ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    described = {hook["id"]: hook["description"] for hook in manifest if hook["id"] != "freezegate"}
    assert described == HOOK_TEXTS

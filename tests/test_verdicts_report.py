"""The reports on a run folder, read back as their readers read them, with hostile text in every field."""

from __future__ import annotations

import argparse
import json
import re
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from freezegate.cli import report
from freezegate.documents.evidence import (
    BaseSignature,
    Buckets,
    ChangedFile,
    EditedOracle,
    RunRow,
    Runs,
    SplitDiff,
    Verdicts,
    encoded,
)
from freezegate.documents.ledger import Freeze
from freezegate.errors import CannotJudge
from freezegate.verdicts.applying import apply
from freezegate.verdicts.reporting import FORMATS, VERDICT_FORMATS, render, render_verdicts
from freezegate.verdicts.reporting.folder import read_folder
from freezegate.verdicts.reporting.style import STYLE
from freezegate.verdicts.reporting.table import Evidence

SIG, SIG2 = "a" * 64, "b" * 64
DIGEST, BASE, HEAD, FORK = "d" * 64, "9" * 40, "7" * 40, "6" * 40
HOSTILE = [
    "<script>alert(1)</script>",
    "</style></table><img src=x onerror=alert(1)>",
    "right\u202eleft\u2066",
    "\x1b[2Jcleared\x07",
    "a\n::error::forged",
    "]]><failure/>&amp;",
    "quo\"te's",
    "$outcome ${state} {x} %s",
    "\u2028\ufeff\ufffe\U000e0001\x00",
    "lone \udc80\ud800",
    "##vso[task.complete]",
    "https://example.invalid/ javascript:alert(1)",
]


def row(prop_id: str, status: str, signature: str | None = None, **more: Any) -> RunRow:
    return RunRow(prop_id, status, signature, DIGEST, BASE, more.pop("oracle_edited", False), **more)


def evidence(promoted: bool = False) -> Evidence:
    """A run with every verdict and, unless `promoted`, every kind of fail."""
    rows = [row("prop.held", "pass"), row("prop.frozen", "fail", SIG, detail="fixtures/orders.json, line 4")]
    if not promoted:
        rows += [
            row("prop.failed", "fail", SIG2, detail="tests/test_x.py::test_y"),
            row("prop.moved", "missing", oracle_edited=True),
            row("prop.missing", "missing", reason="timeout"),
        ]
    runs = Runs(DIGEST, BASE, HEAD, tuple(rows))
    freezes = [Freeze(0, "prop.frozen", SIG, DIGEST, BASE), Freeze(1, "prop.held", SIG2, DIGEST, BASE)]
    emitted = (BaseSignature("prop.frozen", SIG, DIGEST, BASE),)
    voided = {} if promoted else {"prop.moved": ("catalog/moved.yaml", "props/moved.py")}
    claimed = [each.prop_id for each in rows]
    attempts = {("prop.frozen", SIG): (3, 5)}
    verdicts = apply(runs, freezes, claimed, emitted, False, voided=voided, attempts=attempts)
    buckets = Buckets(source=(ChangedFile("src/a.py", 3, 1),), other=(ChangedFile("logo.png", None, None),))
    split = SplitDiff(BASE, FORK, HEAD, buckets, tuple(EditedOracle(*each) for each in voided.items()))
    return Evidence(verdicts, runs, split, emitted)


def hostile() -> Evidence:
    """Text that attacks a reader, wherever text from a project can stand."""
    rows = []
    for index, text in enumerate(HOSTILE):
        status = ("pass", "fail", "missing")[index % 3]
        rows.append(row(text, status, SIG if status == "fail" else None, reason=text, detail=text))
    runs = Runs(DIGEST, BASE, HEAD, tuple(rows))
    freezes = [Freeze(0, text, SIG2, DIGEST, BASE) for text in HOSTILE]
    voided = {text: (text,) for text in HOSTILE[3:6]}
    verdicts = apply(runs, freezes, HOSTILE, (), False, voided=voided)
    split = SplitDiff(
        BASE,
        FORK,
        HEAD,
        Buckets(oracles=tuple(ChangedFile(text, 1, 1) for text in HOSTILE)),
        tuple(EditedOracle(*each) for each in voided.items()),
    )
    return Evidence(verdicts, runs, split, tuple(BaseSignature(text, SIG, DIGEST, BASE) for text in HOSTILE))


# Every format


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_text_reaches_no_reader(format: str) -> None:
    shown = render(hostile(), format)
    assert shown.endswith("\n")
    shown.encode("utf-8")
    for char in shown:
        assert char == "\n" or (char.isprintable() and unicodedata.category(char) != "Cf"), ascii(char)
    if format != "html":
        assert not re.search(r"^\s*(::|##)", shown, re.MULTILINE)


def test_text_is_a_table_that_ends_with_the_outcome() -> None:
    lines = render(evidence(), "text").splitlines()
    assert [line.split()[:2] for line in lines if line[0] != " "][:5] == [
        ["pass", "prop.held"],
        ["inconclusive", "prop.frozen"],
        ["fail", "prop.failed"],
        ["fail", "prop.moved"],
        ["fail", "prop.missing"],
    ]
    inside = [line.strip() for line in lines]
    assert "the base revision gave it in 3 of 5 attempts" in inside
    assert "edited: props/moved.py" in inside
    assert f"stale freeze of prop.held: the property passes; signature {SIG2}" in inside
    assert f"base {BASE}, head {HEAD}" in inside
    assert lines[-1] == (
        "freezegate: not promoted: failed: prop.failed, prop.missing, prop.moved; 1 pass, 1 inconclusive, 3 fail"
    )


def test_text_has_colours_only_where_asked() -> None:
    assert "\x1b" not in render(evidence(), "text")
    coloured = render(evidence(), "text", colour=True)
    assert re.sub(r"\x1b\[\d+m", "", coloured) == render(evidence(), "text")
    assert "\x1b[31mfail" in coloured


def test_json_holds_each_file() -> None:
    shown = json.loads(render(evidence(), "json"))
    assert shown["verdicts"]["promoted"] is False
    assert [each["status"] for each in shown["runs"]["runs"]] == ["pass", "fail", "fail", "missing", "missing"]
    assert shown["oracle_edited"]["merge_base"] == FORK
    assert shown["base_signatures"][0]["signature"] == SIG
    assert json.loads(render(Evidence(evidence().verdicts), "json"))["runs"] is None


@pytest.mark.parametrize("format", VERDICT_FORMATS)
def test_verdicts_alone_are_shown_too(format: str) -> None:
    shown = render_verdicts(evidence().verdicts, format)
    assert "prop.frozen" in shown and shown.endswith("\n")
    if format == "json":
        assert shown.encode() == encoded(evidence().verdicts)


def test_a_review_is_no_promotion() -> None:
    verdicts = replace(evidence().verdicts, review=True)
    assert "freezegate: needs review: nothing but edited definitions" in render_verdicts(verdicts, "text")
    (suite,) = JUnitXml.fromstring(render_verdicts(verdicts, "junit").encode())
    assert suite.failures == 3
    assert '<h1 class="inconclusive">Needs review</h1>' in render(Evidence(verdicts), "html")


def test_many_ids_are_counted() -> None:
    ids = tuple(f"prop.p{index:02}" for index in range(25))
    verdicts = replace(evidence().verdicts, promotion_ids=ids)
    assert "prop.p09, and 15 more; " in render_verdicts(verdicts, "text")


# JUnit


def cases(shown: str) -> dict[str, Any]:
    (suite,) = JUnitXml.fromstring(shown.encode())
    return {case.name: case.result for case in suite}


def test_junit_shows_inconclusive_as_skipped_and_never_as_passed() -> None:
    found = cases(render(evidence(), "junit"))
    assert found["prop.held"] == []
    (skipped,) = found["prop.frozen"]
    assert isinstance(skipped, Skipped) and skipped.type == "frozen"
    assert skipped.message.startswith("frozen: it failed as its freeze says")
    for name, kind, reason in [
        ("prop.failed", Failure, "failed"),
        ("prop.moved", Failure, "oracle_moved"),
        ("prop.missing", Error, "missing_run"),
    ]:
        (result,) = found[name]
        assert type(result) is kind and result.type == reason
    (suite,) = JUnitXml.fromstring(render(evidence(), "junit").encode())
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (6, 3, 1, 1)


def test_junit_fails_where_no_property_does_but_the_change_is_not_promoted() -> None:
    assert cases(render(evidence(promoted=True), "junit"))["promoted"] == []
    runs = Runs(DIGEST, BASE, HEAD, ())
    for verdicts in (apply(runs, [], [], (), False), apply(runs, [], ["prop.a"], (), False)):
        (result,) = cases(render_verdicts(verdicts, "junit"))["promoted"]
        assert isinstance(result, Failure) and result.type == verdicts.promotion_reason


def test_junit_of_hostile_text_has_the_right_cases() -> None:
    found = cases(render(hostile(), "junit"))
    assert len(found) == len(HOSTILE) + 1
    assert "]]><failure/>&amp;" in found


# HTML


class Page(HTMLParser):
    """Tags with their attributes, and the text of table cells."""

    def __init__(self, shown: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(shown)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


@pytest.mark.parametrize("each", [evidence(), evidence(True), hostile(), Evidence(hostile().verdicts)])
def test_the_page_is_whole_and_asks_for_nothing(each: Evidence) -> None:
    shown = render(each, "html")
    page = Page(shown)
    assert page.open == []
    assert {tag for tag, _ in page.tags} <= {
        *("html", "head", "meta", "title", "style", "body", "header", "main", "section", "p", "h1", "h2", "div", "dl"),
        *("dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "span", "code", "bdi", "ul", "li", "br"),
    }
    attributes = {name for _, found in page.tags for name in found}
    assert attributes <= {
        *("lang", "charset", "http-equiv", "content", "name", "class", "id", "scope", "role", "tabindex"),
        *("aria-hidden", "aria-labelledby"),
    }
    assert "url(" not in shown and "@import" not in shown
    assert "default-src 'none'" in shown
    if each.runs is not None and HOSTILE[0] not in [run.prop_id for run in each.runs.runs]:
        assert not re.search("https?:", shown)


def test_the_page_says_all_of_the_evidence() -> None:
    shown = render(evidence(), "html")
    page = Page(shown)
    rows = {tuple(cells[:2]): cells for cells in page.rows}
    frozen = rows["prop.frozen", "? inconclusive"]
    assert frozen[2].startswith("frozen") and "3 of 5 attempts" in frozen[3] and SIG in frozen[3]
    assert "fixtures/orders.json, line 4" in frozen[3]
    assert "tests/test_x.py::test_y" in rows["prop.failed", "✗ fail"][3]
    assert ("prop.moved", "catalog/moved.yamlprops/moved.py") in rows
    assert ("prop.held", "the property passes") in rows
    assert ("src/a.py", "source") in rows and rows["logo.png", "other"][2] == "binary"
    for fact in (DIGEST, BASE, HEAD, FORK):
        assert f"<code>{fact}</code>" in shown
    assert '<h1 class="fail">Not promoted</h1>' in shown
    assert '<h1 class="pass">Promoted</h1>' in render(evidence(True), "html")


def test_every_hostile_text_is_shown_as_text() -> None:
    page = Page(render(hostile(), "html"))
    firsts = [cells[0] for cells in page.rows]
    for text in ("<script>alert(1)</script>", "right\\u202eleft\\u2066", "\\x1b[2Jcleared\\x07", HOSTILE[7]):
        assert text in firsts


def test_headers_of_tables_have_a_scope_and_frames_a_name() -> None:
    page = Page(render(evidence(), "html"))
    scopes = [found.get("scope") for tag, found in page.tags if tag == "th"]
    assert set(scopes) == {"col", "row"}
    ids = [found["id"] for _, found in page.tags if "id" in found]
    assert len(set(ids)) == len(ids)
    assert {found["aria-labelledby"] for _, found in page.tags if "aria-labelledby" in found} <= set(ids)


def schemes() -> dict[str, dict[str, str]]:
    light, dark = (dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", part)) for part in STYLE.split("@media (prefers"))
    assert light.keys() == dark.keys()
    return {"light": light, "dark": dark}


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(colour: str) -> float:
        channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
        linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "quiet", "pass", "inconclusive", "fail"])
def test_both_schemes_can_be_read(scheme: str, ink: str) -> None:
    colours = schemes()[scheme]
    for ground in ("ground", "raised"):
        assert contrast(colours[ink], colours[ground]) >= 4.5
    assert (contrast(colours["ground"], "#ffffff") < 1.1) is (scheme == "light")


def test_every_colour_is_one_of_the_scheme() -> None:
    rules = STYLE.split("}\n* {")[1]
    assert "#" not in rules
    assert set(re.findall(r"var\(--(\w+)\)", rules)) <= schemes()["light"].keys()


# The command


def fill(folder: Path, given: Evidence) -> None:
    assert given.runs is not None and given.split is not None and given.base_signatures is not None
    (folder / "fixture.digest").write_text(given.verdicts.fixture_digest + "\n")
    (folder / "oracle_edited.json").write_bytes(encoded(given.split))
    (folder / "base.sig.json").write_bytes(encoded(given.base_signatures))
    (folder / "runs.json").write_bytes(encoded(given.runs))
    (folder / "verdicts.json").write_bytes(encoded(given.verdicts))


def shown_by(*words: str) -> int:
    parser = argparse.ArgumentParser()
    report.add(parser.add_subparsers())
    options = parser.parse_args(["report", *words])
    status: int = options.run(options)
    return status


def test_a_folder_is_read_as_it_was_written(tmp_path: Path) -> None:
    fill(tmp_path, evidence())
    assert read_folder(str(tmp_path)) == evidence()


@pytest.mark.parametrize("format", FORMATS)
def test_the_command_shows_and_writes(tmp_path: Path, format: str, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path, evidence())
    assert shown_by(str(tmp_path), f"--format={format}") == 0
    printed = capsys.readouterr().out
    assert printed == render(evidence(), format)
    assert shown_by(str(tmp_path), f"--format={format}", f"--output={tmp_path / 'report'}") == 0
    assert (tmp_path / "report").read_text(encoding="utf-8") == printed
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "name", ["fixture.digest", "oracle_edited.json", "base.sig.json", "runs.json", "verdicts.json"]
)
def test_a_folder_that_lacks_a_file_or_has_a_broken_one_is_not_shown(tmp_path: Path, name: str) -> None:
    fill(tmp_path, evidence())
    (tmp_path / name).write_text("{")
    with pytest.raises(CannotJudge, match=re.escape(name)):
        shown_by(str(tmp_path))
    (tmp_path / name).unlink()
    with pytest.raises(CannotJudge, match=f"lacks {re.escape(name)}"):
        shown_by(str(tmp_path))


def other_digest(found: Verdicts) -> Verdicts:
    return replace(found, fixture_digest="e" * 64)


def forged_pass(found: Verdicts) -> Verdicts:
    row = replace(found.verdicts[2], verdict="pass", reason="held", observed="pass")
    return replace(found, verdicts=(*found.verdicts[:2], row, *found.verdicts[3:]))


@pytest.mark.parametrize("change", [other_digest, forged_pass])
def test_files_of_two_runs_are_not_shown_as_one(tmp_path: Path, change: Any) -> None:
    given = evidence()
    fill(tmp_path, given._replace(verdicts=change(given.verdicts)))
    (tmp_path / "fixture.digest").write_text(DIGEST + "\n")
    with pytest.raises(CannotJudge, match="are not of one run"):
        read_folder(str(tmp_path))

"""Every report format, read back as its readers read it, with hostile names in it."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Failure, JUnitXml, Skipped

from freezegate.findings import DOCUMENT_KINDS, Finding, Report
from freezegate.paths import RepoPath
from freezegate.reports import FORMATS, RuleText, render, summary

RULES = {
    "scope-schema": RuleText("scope-schema", "a scope that its schema refuses", "edit the scope"),
    "digest-mismatch": RuleText("fixture-digest", "a record with another digest", "bind again"),
}
HOSTILE = [
    b"a\n::error::forged.yaml",
    b"\x1b[2Jcleared",
    "right\u202eleft".encode(),
    b"a::set-output name=x::y",
    b"]]><failure/>",
    b"caf\xe9",
    b"quo\"te's & <tag>",
    b"sp ace, comma: colon%0A%",
    b"\r\t\x00\x7f",
    "\u2028\ufeff\ufffe\U000e0001".encode(),
    b"\xed\xa0\x80",
]


def finding(
    path: bytes = b"a.yaml", line: int = 1, rule: str = "scope-schema", column: int = 1, **text: str
) -> Finding:
    return Finding(RepoPath(path), line, rule, column, text.get("message", "is wrong"), text.get("hint", ""))


def report(*findings: Finding, **fields: object) -> Report:
    values = {
        "mode": "commit",
        "compared": "HEAD with the index",
        "checked": {"scope": 3, "record": 1},
        **fields,
    }
    return Report(findings=findings, **values)


def shown(value: Report, format: str) -> str:
    return render(value, format, rules=RULES)


def hostile_report() -> Report:
    texts = [raw.decode("utf-8", "surrogateescape") for raw in HOSTILE]
    rows = [
        finding(raw, 2, message=f"saw {text}", hint=f"run {text}") for raw, text in zip(HOSTILE, texts, strict=True)
    ]
    return report(*rows, compared=f"{texts[0]} with HEAD", notes=tuple(texts))


def test_text() -> None:
    value = report(
        finding(b"b.json", 4, "digest-mismatch", 7, message="differs", hint="freezegate bind"),
        finding(b"a.yaml", 9),
        notes=("no old side",),
    )
    assert shown(value, "text") == (
        "a.yaml:9:1: scope-schema: is wrong\n"
        "b.json:4:7: digest-mismatch: differs\n"
        "    hint: freezegate bind\n"
        "note: no old side\n"
        "freezegate: 2 findings; compared HEAD with the index; checked 3 scopes, 1 record\n"
    )


def test_text_of_a_clean_report_is_one_line() -> None:
    assert (
        shown(report(), "text") == "freezegate: no findings; compared HEAD with the index; checked 3 scopes, 1 record\n"
    )
    assert "1 finding;" in shown(report(finding()), "text")


@pytest.mark.parametrize("checked", [{}, {"scope": 0}])
def test_that_nothing_was_checked_is_said_loudly(checked: dict[str, int]) -> None:
    for format in ("text", "github", "junit", "sarif"):
        assert "checked NO DOCUMENTS AT ALL" in shown(report(checked=checked), format)
        assert "NO DOCUMENTS" not in shown(report(), format)


def test_colour_is_in_text_only_and_changes_nothing_else() -> None:
    value = report(finding(b"dir/a.yaml", 3))
    coloured = render(value, "text", rules=RULES, colour=True)
    assert "\x1b[1mdir/a.yaml\x1b[0m:3:1: \x1b[31mscope-schema\x1b[0m: is wrong" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == shown(value, "text")
    for format in FORMATS[1:]:
        assert render(value, format, rules=RULES, colour=True) == shown(value, format)


def test_json_is_the_documented_object() -> None:
    value = report(finding(b"a.yaml", 9, column=2, hint="edit it"), mode="range")
    assert json.loads(shown(value, "json")) == {
        "format_version": 1,
        "mode": "range",
        "python": ".".join(map(str, sys.version_info[:2])),
        "findings": [
            {
                "rule": "scope-schema",
                "path": "a.yaml",
                "line": 9,
                "column": 2,
                "message": "is wrong",
                "hint": "edit it",
            }
        ],
        "checked": {kind: {"scope": 3, "record": 1}.get(kind, 0) for kind in DOCUMENT_KINDS},
    }


def test_findings_are_sorted_by_path_line_and_rule() -> None:
    rows = [(b"b", 1, "r"), (b"a", 2, "r"), (b"a", 1, "s"), (b"a", 1, "r"), (b"a-b", 1, "r")]
    found = json.loads(shown(report(*(finding(*row) for row in rows)), "json"))["findings"]
    assert [(row["path"].encode(), row["line"], row["rule"]) for row in found] == sorted(rows)


def sarif_run(value: Report) -> dict:
    log = json.loads(shown(value, "sarif"))
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    return run


def test_sarif_lists_every_rule_and_results_point_at_theirs() -> None:
    run = sarif_run(report(finding(b"b", 4, "digest-mismatch", 7), finding(b"a", rule="unlisted")))
    driver = run["tool"]["driver"]
    assert driver["name"] == "freezegate" and driver["version"]
    assert [rule["id"] for rule in driver["rules"]] == list(RULES)
    assert driver["rules"][1]["shortDescription"] == {"text": RULES["digest-mismatch"].rejects}
    assert driver["rules"][1]["help"] == {"text": RULES["digest-mismatch"].mend}
    assert [(row["ruleId"], row["ruleIndex"]) for row in run["results"]] == [
        ("unlisted", -1),
        ("digest-mismatch", 1),
    ]
    assert run["results"][1]["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "b", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 4, "startColumn": 7},
            }
        }
    ]
    assert all(row["level"] == "error" for row in run["results"])


def test_sarif_carries_notes_and_what_was_compared() -> None:
    (invocation,) = sarif_run(report(notes=("mind this",)))["invocations"]
    assert invocation["executionSuccessful"] is True
    texts = [(row["level"], row["message"]["text"]) for row in invocation["toolExecutionNotifications"]]
    assert texts[0] == ("note", "mind this") and "compared HEAD with the index" in texts[1][1]


def test_sarif_uris_are_the_paths_own_bytes() -> None:
    results = sarif_run(hostile_report())["results"]
    uris = [row["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for row in results]
    assert [unquote_to_bytes(uri) for uri in uris] == sorted(HOSTILE)
    assert all(re.fullmatch(r"[A-Za-z0-9._~/%-]+", uri) for uri in uris)


@pytest.mark.parametrize("format", ["sarif", "gitlab"])
def test_fingerprints_are_unique_and_outlive_moved_lines(format: str) -> None:
    def prints(*findings: Finding) -> list[str]:
        if format == "gitlab":
            return [row["fingerprint"] for row in json.loads(shown(report(*findings), format))]
        return [row["partialFingerprints"]["freezegate/v1"] for row in sarif_run(report(*findings))["results"]]

    first = prints(finding(line=3), finding(line=8), finding(b"b"), finding(rule="digest-mismatch", line=9))
    assert len(set(first)) == 4
    assert first == prints(finding(line=5), finding(line=6), finding(b"b", 70), finding(rule="digest-mismatch", line=9))
    assert prints(finding(message="other")) != first[:1]


def test_github_commands_decode_to_what_was_found() -> None:
    value = report(finding(b"a,b:c%.yaml", 3, column=5, message="50% of\nit", hint="mend"), notes=("100%",))
    command, notice, last = shown(value, "github").splitlines()
    assert command == ("::error file=a%2Cb%3Ac%25.yaml,line=3,col=5,title=scope-schema::50%25 of\\x0ait%0Ahint: mend")
    assert notice == "::notice title=freezegate::100%25"
    assert last.startswith("freezegate: 1 finding;")


def test_github_commands_cannot_be_forged() -> None:
    lines = shown(hostile_report(), "github").splitlines()
    assert len(lines) == 2 * len(HOSTILE) + 1
    for line in lines[:-1]:
        command, _, data = line.removeprefix("::").partition("::")
        assert re.fullmatch(r"error file=[^,:]+,line=2,col=1,title=scope-schema|notice title=freezegate", command)
        assert "::" not in data
    assert "::" not in lines[-1]


def test_junit_reads_back() -> None:
    value = report(
        finding(b"a", 1, message="one", hint="do"),
        finding(b"a", 2, message="two"),
        finding(b"b"),
        finding(b"b", rule="x"),
    )
    xml = JUnitXml.fromstring(shown(value, "junit").encode())
    (suite,) = list(xml)
    cases = list(suite)
    failed = [case for case in cases if any(isinstance(row, Failure) for row in case.result)]
    skipped = [case for case in cases if any(isinstance(row, Skipped) for row in case.result)]
    assert [(case.classname, case.name) for case in failed] == [
        ("freezegate.scope-schema", "a"),
        ("freezegate.scope-schema", "b"),
        ("freezegate.x", "b"),
    ]
    assert failed[0].result[0].message == "one (and 1 more)"
    assert failed[0].result[0].text == "a:1:1: one\nhint: do\na:2:1: two"
    assert (suite.tests, suite.failures, suite.skipped) == (len(cases), 3, len(skipped)) == (11, 3, 6)


def test_a_clean_junit_report_has_a_case_for_each_kind() -> None:
    (suite,) = list(JUnitXml.fromstring(shown(report(), "junit").encode()))
    passed = [case.name for case in suite if case.is_passed]
    assert (passed, suite.tests, suite.failures) == (["scopes", "records"], len(DOCUMENT_KINDS), 0)


def test_gitlab_entries() -> None:
    (entry,) = json.loads(shown(report(finding(b"dir/a.yaml", 9, hint="mend")), "gitlab"))
    assert len(entry.pop("fingerprint")) == 64
    assert entry == {
        "description": "is wrong\nhint: mend",
        "check_name": "scope-schema",
        "severity": "blocker",
        "location": {"path": "dir/a.yaml", "lines": {"begin": 9}},
    }
    assert json.loads(shown(report(), "gitlab")) == []


def test_the_root_is_shown_as_a_dot() -> None:
    assert shown(report(finding(b"")), "text").startswith(".:1:1: ")
    assert json.loads(shown(report(finding(b"")), "json"))["findings"][0]["path"] == "."


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="xml"):
        shown(report(), "xml")


def strings_of(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    rows = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for row in rows for text in strings_of(row)]


def assert_harmless(format: str, output: str) -> None:
    """No character of the output, nor of the strings that its reader decodes, can move, hide or command."""
    texts = [output]
    if format in ("json", "sarif", "gitlab"):
        texts += strings_of(json.loads(output))
    if format == "junit":
        texts += [
            piece for case in next(iter(JUnitXml.fromstring(output.encode()))) for row in case.result
            for piece in (row.message, row.text) if piece
        ]  # fmt: skip
    for text in texts:
        bad = {ch for ch in text if ch != "\n" and (not ch.isprintable() or unicodedata.category(ch) == "Cf")}
        assert not bad
    assert output.endswith("\n") and output.encode()


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_names_are_harmless(format: str) -> None:
    output = shown(hostile_report(), format)
    assert_harmless(format, output)
    if format == "text":
        lines = output.splitlines()
        assert len(lines) == 3 * len(HOSTILE) + 1 and "::" not in output
        assert "caf\\xe9:2:1: scope-schema: saw caf\\xe9" in lines
    if format == "junit":
        assert len(list(next(iter(JUnitXml.fromstring(output.encode()))))) == len(HOSTILE) + len(DOCUMENT_KINDS)


@given(st.binary(max_size=12), st.text(max_size=12), st.text(max_size=12), st.sampled_from(FORMATS))
def test_any_text_is_harmless(path: bytes, message: str, note: str, format: str) -> None:
    value = report(finding(path, message=message, hint=note), notes=(note,), compared=message)
    assert_harmless(format, shown(value, format))
    assert_harmless("text", summary(value))

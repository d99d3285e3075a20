"""No bytes in any governed place make an evaluation raise, and what cannot be read is never passed over."""

from __future__ import annotations

import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, good_project
from freezegate.gate.force import CannotJudge
from memory import evaluate_memory, rules

PLACES = (
    SCOPE,
    RECORD,
    COUNTEREXAMPLE,
    CITATION,
    "tests/properties/order_total.py",
    "tests/properties/amounts.py",
    "tests/fixtures/gen_orders.py",
    "tests/fixtures/order_total.lock",
    "props/order_total.py",
    "fixtures/orders.json",
    "catalog/order_total.yaml",
    "catalog/claimed.json",
    "freezes/ledger.json",
    ".freezegate.yaml",
    ".pre-commit-config.yaml",
    ".gitattributes",
    ".github/workflows/ci.yml",
)
# Each of these, put whole in the place of a document, must be refused there.
UNREADABLE = (
    b"",
    b"\xff",
    b"\0",
    b"\xef\xbb\xbf{}",
    b"[" * 100_000,
    b"a: &a [*a]",
    b"x" * ((1 << 20) + 1),
    b"\xed\xa0\x80",
)
DOCUMENTS = {
    SCOPE: "scope-",
    RECORD: "record-",
    COUNTEREXAMPLE: "counterexample-",
    CITATION: "citation-",
    "catalog/order_total.yaml": "catalog-",
    "catalog/claimed.json": "claimed-",
    "freezes/ledger.json": "ledger-",
}
_PIECES = st.sampled_from(
    [b"{", b"}", b"[", b"]", b":", b": ", b"\n", b"\r", b"\t", b'"', b"'", b",", b"null", b"1e400", b"-0", b"0x1F", b"&a ",
     b"*a", b"!!int ", b"<<: ", b"---\n", b"...\n", b"%YAML 1.1\n", b"\\ud800", b"\xe2\x80\xa8", b"\x00", b"\xff", b"#",
     b"| ", b">-\n", b"? ", b"~", b"9" * 1100, b"import x\n", b"from . import *\n", b"def f(", b"\\", b"\x0c", b"import \xef\xbd\x88"]
)  # fmt: skip


@st.composite
def _mutated(draw: st.DrawFn) -> dict[str, bytes]:
    """The good project with bytes cut from, put into or put for one or two of its governed files."""
    files = good_project()
    for path in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=2, unique=True)):
        data = files.get(path, b"policy: {framing: plain}\n")
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 20)))
        put = b"".join(draw(st.lists(_PIECES | st.binary(max_size=3), max_size=4)))
        files[path] = draw(st.sampled_from([data[:start] + put + data[end:], put, put + data[end:] + put]))
    return files


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(_mutated(), st.booleans(), st.booleans())
def test_no_bytes_make_an_evaluation_raise(files: dict[str, bytes], alone: bool, backwards: bool) -> None:
    old, new = (files, good_project()) if backwards else (good_project(), files)
    try:
        report = evaluate_memory(None if alone else old, new, narrow_from=0)
    except CannotJudge:
        assert ".freezegate.yaml" in files
        return
    for each in report.findings:
        assert each.line >= 1 and each.column >= 1
        assert each.message.isprintable() and each.hint.isprintable()
        assert each.message and each.hint


@pytest.mark.parametrize("path", DOCUMENTS)
@pytest.mark.parametrize("data", UNREADABLE, ids=lambda data: repr(data[:8]))
def test_what_cannot_be_read_is_said_on_its_own_path(path: str, data: bytes) -> None:
    found = rules(good_project(), {**good_project(), path: data})
    assert any(rule.startswith(DOCUMENTS[path]) for rule in found)
    assert rules(None, {**good_project(), path: data})


@pytest.mark.parametrize("path", [path for path in PLACES if path.endswith(".py")])
@pytest.mark.parametrize("data", [b"\0", b"\xff", b"(" * 90_000, b"a." * 60_000 + b"a", b"x" * (200 << 10), b"-" * 100_000 + b"1"],
                         ids=lambda data: repr(data[:4]))  # fmt: skip
def test_sources_that_break_parsers_are_refused(path: str, data: bytes) -> None:
    found = rules(None, {**good_project(), path: data})
    # Python 3.10 has no limit for a chain of attributes, and a helper may hold any code.
    assert found or (data.startswith(b"a.a.") and path.endswith("amounts.py") and sys.version_info < (3, 11))

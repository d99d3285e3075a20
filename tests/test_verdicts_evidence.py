"""The evidence files: written and read back, refused where they contradict themselves, equal to their schemas."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.documents import evidence
from freezegate.documents.evidence import (
    BaseSignature,
    Buckets,
    ChangedFile,
    EditedOracle,
    Reproduced,
    RunRow,
    Runs,
    SplitDiff,
    StaleFreeze,
    VerdictRow,
    Verdicts,
    encoded,
)
from freezegate.documents.explain import violations
from freezegate.documents.refusal import Refused
from freezegate.documents.schemas import EVIDENCE_KINDS, schema
from freezegate.errors import CannotJudge

SIGNATURE, OTHER = "a" * 64, "b" * 64
DIGEST, BASE, HEAD, FORK = "sized:" + "c" * 64, "1" * 40, "2" * 40, "3" * 40
CONSTRUCTORS: dict[str, Callable[[object], Any]] = {
    "oracle_edited": SplitDiff.from_value,
    "base_signatures": evidence.base_signatures,
    "runs": Runs.from_value,
    "verdicts": Verdicts.from_value,
}
READERS: dict[str, Callable[[bytes, str], Any]] = {
    "oracle_edited": evidence.read_split,
    "base_signatures": evidence.read_base_signatures,
    "runs": evidence.read_runs,
    "verdicts": evidence.read_verdicts,
}
FULL: dict[str, Any] = {
    "oracle_edited": SplitDiff(
        base=BASE,
        merge_base=FORK,
        head=HEAD,
        buckets=Buckets(
            source=(ChangedFile("src/a.py", 3, 0),),
            oracles=(ChangedFile("props/caf\\xe9.py", 1, 1),),
            fixtures=(ChangedFile("fixtures/a.bin", None, None),),
            other=(ChangedFile("README.md", 0, 2),),
        ),
        oracle_edited=(EditedOracle("prop.a", ("catalog/a.yaml", "props/a.py")), EditedOracle("prop.b", ("x",))),
    ),
    "base_signatures": (
        BaseSignature("prop.a", SIGNATURE, DIGEST, BASE),
        BaseSignature("prop.a", OTHER, DIGEST, BASE),
    ),
    "runs": Runs(
        DIGEST,
        BASE,
        HEAD,
        (
            RunRow("prop.a", "fail", None, DIGEST, BASE, False, signatures=(None, SIGNATURE), new_failures=True),
            RunRow("prop.b", "missing", None, DIGEST, BASE, True, reason="timeout", detail="after 5 s"),
            RunRow("prop.c", "pass", None, DIGEST, BASE, False),
            RunRow("prop.d", "fail", SIGNATURE, DIGEST, BASE, False),
        ),
    ),
    "verdicts": Verdicts(
        DIGEST,
        BASE,
        HEAD,
        (
            VerdictRow("prop.a", "inconclusive", "frozen", "fail", SIGNATURE, "row 3", Reproduced(2, 5)),
            VerdictRow("prop.b", "fail", "oracle_moved", "missing", None, voided_by=("props/b.py",)),
            VerdictRow("prop.c", "pass", "held", "pass", None),
        ),
        promoted=False,
        promotion="mixed",
        promotion_reason="failed",
        promotion_ids=("prop.b",),
        review=True,
        stale_freezes=(StaleFreeze("prop.c", OTHER, "the property passes"),),
    ),
}


def value(kind: str) -> Any:
    return json.loads(encoded(FULL[kind]))


def changed(kind: str, change: Callable[[Any], object]) -> Any:
    document = value(kind)
    change(document)
    return document


def refused(kind: str, document: Any) -> Refused | None:
    try:
        CONSTRUCTORS[kind](document)
    except Refused as refusal:
        return refusal
    return None


@pytest.mark.parametrize("kind", EVIDENCE_KINDS)
def test_a_document_is_read_back_as_it_was_written(kind: str) -> None:
    data = encoded(FULL[kind])
    assert data.endswith(b"\n")
    assert READERS[kind](data, "file") == FULL[kind]
    jsonschema.Draft202012Validator(schema(kind)).validate(json.loads(data))


@pytest.mark.parametrize("kind", ["oracle_edited", "runs", "verdicts"])
def test_marks_may_be_left_out_but_not_be_anothers(kind: str) -> None:
    document = value(kind)
    assert document["freezegate_artifact"] == kind and document["format_version"] == 1
    bare = {key: each for key, each in document.items() if key not in ("freezegate_artifact", "format_version")}
    assert CONSTRUCTORS[kind](bare) == FULL[kind]
    for mark in ({"freezegate_artifact": "other"}, {"format_version": 2}, {"format_version": 1.0}):
        assert refused(kind, {**document, **mark}) is not None


def test_texts_that_no_strict_reader_takes_are_written_as_escapes() -> None:
    row = RunRow("prop.a", "fail", SIGNATURE, DIGEST, BASE, False, detail="lone \udc80, \x1b[2J and \u2028")
    back = evidence.read_runs(encoded(Runs(DIGEST, BASE, HEAD, (row,))), "runs.json")
    assert back.runs[0].detail == "lone \\udc80, \x1b[2J and \u2028"


CONTRADICTIONS: list[tuple[str, Callable[[Any], object]]] = [
    ("runs", lambda d: d["runs"].append(d["runs"][0])),
    ("runs", lambda d: d["runs"][0].update(fixture_digest="c" * 64)),
    ("runs", lambda d: d["runs"][0].update(base_revision=HEAD)),
    ("runs", lambda d: d["runs"][0].update(signature=SIGNATURE)),
    ("verdicts", lambda d: d["verdicts"].append(d["verdicts"][0])),
    ("verdicts", lambda d: d["verdicts"][0].update(reason="held")),
    ("verdicts", lambda d: d["verdicts"][0].update(verdict="pass")),
    ("verdicts", lambda d: d["verdicts"][1].update(reason="held")),
    ("verdicts", lambda d: d["verdicts"][0].update(reproduced={"seen": 6, "attempts": 5})),
    ("verdicts", lambda d: d.update(promoted=True, promotion_reason="promoted", review=False)),
    ("verdicts", lambda d: d.update(promotion_reason="promoted")),
    ("oracle_edited", lambda d: d["oracle_edited"].append(d["oracle_edited"][0])),
    ("base_signatures", lambda d: d.append(d[0])),
]


@pytest.mark.parametrize(("kind", "change"), CONTRADICTIONS)
def test_a_document_that_contradicts_itself_is_refused_beyond_its_schema(
    kind: str, change: Callable[[Any], object]
) -> None:
    document = changed(kind, change)
    refusal = refused(kind, document)
    assert refusal is not None and refusal.beyond
    assert not list(violations(kind, document))
    with pytest.raises(CannotJudge):
        READERS[kind](json.dumps(document).encode(), "f")


FORMS: list[tuple[str, Callable[[Any], object]]] = [
    ("runs", lambda d: d["runs"][0].update(status="error")),
    ("runs", lambda d: d["runs"][0].update(status=None)),
    ("runs", lambda d: d["runs"][0].update(signature="")),
    ("runs", lambda d: d["runs"][0].update(signature=SIGNATURE.upper())),
    ("runs", lambda d: d["runs"][0].update(prop_id="")),
    ("runs", lambda d: d["runs"][0].update(oracle_edited="false")),
    ("runs", lambda d: d["runs"][0].pop("oracle_edited")),
    ("runs", lambda d: d["runs"][0].update(new_failures=0)),
    ("runs", lambda d: d["runs"][0].update(more=1)),
    ("runs", lambda d: d.pop("head_revision")),
    ("runs", lambda d: d.update(base_revision="main")),
    ("verdicts", lambda d: d["verdicts"][0].update(verdict="ok")),
    ("verdicts", lambda d: d["verdicts"][0].update(reason="luck")),
    ("verdicts", lambda d: d.update(promoted="yes")),
    ("verdicts", lambda d: d.update(promotion="lax")),
    ("verdicts", lambda d: d.pop("stale_freezes")),
    ("oracle_edited", lambda d: d["oracle_edited"][0].update(voided_by=[])),
    ("oracle_edited", lambda d: d["oracle_edited"][0].update(voided_by=["a", "a"])),
    ("oracle_edited", lambda d: d["buckets"].pop("other")),
    ("oracle_edited", lambda d: d["buckets"]["source"][0].update(added=-1)),
    ("oracle_edited", lambda d: d["buckets"]["source"][0].update(added=True)),
    ("base_signatures", lambda d: d[0].update(signature=None)),
    ("base_signatures", lambda d: d[0].update(extra="")),
    ("base_signatures", lambda d: d[0].pop("base_revision")),
]


@pytest.mark.parametrize(("kind", "change"), FORMS)
def test_a_wrong_form_is_refused_by_constructor_and_schema(kind: str, change: Callable[[Any], object]) -> None:
    document = changed(kind, change)
    refusal = refused(kind, document)
    assert refusal is not None and not refusal.beyond
    assert list(violations(kind, document))


def test_what_cannot_be_read_is_named_with_its_place() -> None:
    with pytest.raises(CannotJudge) as unknown:
        evidence.read_runs(json.dumps(changed("runs", FORMS[0][1]), indent=1).encode(), "a\x1b/runs.json")
    assert unknown.value.message.startswith("a\\x1b/runs.json, line 10, column 4: /runs/0/status: ")
    with pytest.raises(CannotJudge, match=r'f, line 1, column 9: the key "a" is given twice'):
        evidence.read_split(b'{"a":1, "a":2}', "f")
    with pytest.raises(CannotJudge, match="line 1, column 1"):
        evidence.read_verdicts(b"", "f")
    for kind, read in READERS.items():
        for data in (b"null", b"[1]", b"\xff", b'{"a":', b"[" * 99):
            with pytest.raises(CannotJudge):
                read(data, kind)


words = st.sampled_from(
    ["", "a", "pass", "fail", "missing", "inconclusive", "held", "failed", "strict", SIGNATURE, BASE, DIGEST]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 6) | st.just(1.0) | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, Any]:
    kind = draw(st.sampled_from(EVIDENCE_KINDS))
    document = copy.deepcopy(value(kind))
    for _ in range(draw(st.integers(1, 3))):
        document = mutate(draw, document)
    return kind, document


def mutate(draw: st.DrawFn, document: Any) -> Any:
    if isinstance(document, dict) and document and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(document)))
        if draw(st.integers(0, 5)):
            document[key] = mutate(draw, document[key])
        else:
            del document[key]
        return document
    if isinstance(document, list) and document and draw(st.integers(0, 5)):
        index = draw(st.integers(0, len(document) - 1))
        document[index] = mutate(draw, document[index])
        return document
    return draw(values)


@settings(deadline=None, max_examples=300)
@given(mutated())
def test_schema_and_constructor_judge_alike_and_nothing_else_is_raised(case: tuple[str, Any]) -> None:
    kind, document = case
    refusal = refused(kind, document)
    found = list(violations(kind, document))
    if refusal is None:
        assert found == []
        again = READERS[kind](json.dumps(document).encode(), "f")
        assert READERS[kind](encoded(again), "f") == again
    elif not refusal.beyond:
        assert found, f"only the constructor refuses: {refusal.pointer} {refusal.message}"

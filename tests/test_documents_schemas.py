"""Our own JSON Schemas: sound, complete for an editor, and equal to the constructors."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freezegate.documents import catalog, citation, config, counterexample, ledger, record, scope
from freezegate.documents.explain import violations
from freezegate.documents.loading import LoadError, load_json, load_yaml
from freezegate.documents.refusal import Refused
from freezegate.documents.schemas import EVIDENCE_KINDS, KINDS, schema, schema_folder

FOLDER = Path(__file__).parent / "documents"
CONSTRUCTORS: dict[str, Any] = {
    "scope": scope.Scope.from_value,
    "counterexample": counterexample.Counterexample.from_value,
    "record": record.Record.from_value,
    "citation": citation.Citation.from_value,
    "property": catalog.Property.from_value,
    "claimed": catalog.Claimed.from_value,
    "ledger": ledger.Ledger.from_value,
    "config": config.Config.from_value,
}
SUBSCHEMA = {"items", "additionalProperties", "if", "then", "else", "not"}
SUBSCHEMAS_BY_NAME = {"properties", "$defs"}
KEYWORDS = {
    *("$schema", "$id", "$ref", "title", "description", "default", "type", "enum", "const", "pattern"),
    *("minLength", "maxLength", "minItems", "uniqueItems", "minimum", "required", "allOf"),
    *SUBSCHEMA,
    *SUBSCHEMAS_BY_NAME,
}


def subschemas(node: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(node, dict):
        return
    yield node
    for keyword, value in node.items():
        if keyword in SUBSCHEMA:
            yield from subschemas(value)
        elif keyword in SUBSCHEMAS_BY_NAME:
            for each in value.values():
                yield from subschemas(each)
        elif keyword == "allOf":
            for each in value:
                yield from subschemas(each)


def loaded(path: Path) -> Any:
    data = path.read_bytes()
    return (load_yaml(data) if path.suffix == ".yaml" else load_json(data)).value


def readable(side: str) -> list[tuple[str, Any]]:
    found = []
    for path in sorted((FOLDER / side).glob("*/*")):
        try:
            found.append((path.parent.name, loaded(path)))
        except LoadError:
            continue
    return found


def refused(kind: str, value: Any) -> Refused | None:
    try:
        CONSTRUCTORS[kind](value)
    except Refused as refusal:
        return refusal
    return None


def assert_equal_judgement(kind: str, value: Any) -> None:
    refusal = refused(kind, value)
    found = list(violations(kind, value))
    if kind == "claimed" and value == []:
        assert refusal is None  # editors are told; the gate has a rule of its own for it
        assert len(found) == 1
    elif refusal is None:
        assert found == []
    elif not refusal.beyond:
        assert found, f"only the constructor refuses: {refusal.pointer} {refusal.message}"


@pytest.mark.parametrize("kind", KINDS + EVIDENCE_KINDS)
def test_schema_is_sound_and_has_no_misspelled_keyword(kind: str) -> None:
    own = schema(kind)
    jsonschema.Draft202012Validator.check_schema(own)
    assert own["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert own["$id"].endswith(f"/{kind}.schema.json")
    for each in subschemas(own):
        assert each.keys() <= KEYWORDS


@pytest.mark.parametrize("kind", KINDS + EVIDENCE_KINDS)
def test_every_property_is_described_and_no_other_is_allowed(kind: str) -> None:
    for each in subschemas(schema(kind)):
        for name, member in each.get("properties", {}).items():
            assert len(member.get("description", "")) > 5, name
        if each.get("type") == "object" and "properties" in each and "allOf" not in each:
            assert each["additionalProperties"] is False


@pytest.mark.parametrize("kind", KINDS + EVIDENCE_KINDS)
def test_patterns_refuse_a_trailing_newline_and_other_scripts_digits(kind: str) -> None:
    for each in subschemas(schema(kind)):
        if "pattern" in each:
            assert each["pattern"].endswith(r"$(?!\n)")
            assert not re.search(r"\\[dws]", each["pattern"])


def test_schemas_lie_in_one_folder_a_file_a_kind() -> None:
    assert {path.name for path in schema_folder().iterdir()} == {
        f"{kind}.schema.json" for kind in KINDS + EVIDENCE_KINDS
    }


@pytest.mark.parametrize(("kind", "value"), readable("accepted"))
def test_plain_validators_of_editors_accept_the_accepted(kind: str, value: Any) -> None:
    if value != []:
        jsonschema.Draft202012Validator(schema(kind)).validate(value)


def test_files_are_judged_alike_by_schema_and_constructor() -> None:
    for kind, value in readable("accepted") + readable("rejected"):
        assert_equal_judgement(kind, value)


ACCEPTED = readable("accepted")
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 5)
    | st.sampled_from([1.0, 3.0, 0.5])
    | st.sampled_from(["", "a", "a.b", "fail", "pass", "a" * 64, "a" * 40, "sized:" + "a" * 64, "a.b\n", "p:f"])
    | st.sampled_from(["2026-01-31", "2026-02-31", "venv", "ssh", "list", "object", "string", "boolean"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["min", "max", "type", "items", "fields", "preset", "command", "host", "x"]),
            inner,
        )
    ),
    max_leaves=6,
)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, Any]:
    kind, value = draw(st.sampled_from(ACCEPTED))
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        value = mutate(draw, value)
    return kind, value


def mutate(draw: st.DrawFn, value: Any) -> Any:
    """One value somewhere inside replaced, removed, repeated, or a key added."""
    if isinstance(value, dict) and value and draw(st.integers(0, 4)):
        key = draw(st.sampled_from(sorted(value)))
        action = draw(st.integers(0, 5))
        if action == 0:
            del value[key]
        elif action == 1:
            value[draw(st.sampled_from(["x", "engine", "expires", "scope", "cases", "inputs", "alphabet"]))] = draw(
                json_values
            )
        else:
            value[key] = mutate(draw, value[key])
        return value
    if isinstance(value, list) and value and draw(st.integers(0, 4)):
        index = draw(st.integers(0, len(value) - 1))
        if draw(st.booleans()):
            value.append(copy.deepcopy(value[index]))
        else:
            value[index] = mutate(draw, value[index])
        return value
    return draw(json_values)


@settings(deadline=None, max_examples=300)
@given(mutated())
def test_mutated_documents_are_judged_alike_by_schema_and_constructor(case: tuple[str, Any]) -> None:
    assert_equal_judgement(*case)


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(KINDS), json_values)
def test_any_values_are_judged_alike_by_schema_and_constructor(kind: str, value: Any) -> None:
    assert_equal_judgement(kind, value)


def test_keywords_of_the_explainer_are_typed_and_linear() -> None:
    assert not list(violations("claimed", ["1", "2"]))
    assert list(violations("scope", {"inputs": [1, 1.0, True]}))
    twice = [f"{index}" for index in range(50_000)] + ["7"]
    assert [pointer for pointer, _ in violations("claimed", twice)] == [(50_000,)]

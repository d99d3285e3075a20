"""The identity of a failure."""

from __future__ import annotations

import hashlib

import pytest

from freezegate.running.evaluation import Failure
from freezegate.running.signatures import assertion_id, signature

PREDICATE = "tests/properties/total.py:test_total"
INSIDE = Failure(
    "builtins.AssertionError", "assert total ( case ) >= 0", "tests/properties/total.py", "test_total", True, 7, "no"
)
OUTSIDE = Failure("builtins.KeyError", "return prices [ name ]", "src/shop/prices.py", "price", False, 30, "'x'")
CASE = {"items": [3, 4], "name": "x"}


def test_the_assertion_names_predicate_exception_and_statement() -> None:
    assert assertion_id(PREDICATE, INSIDE) == {
        "predicate": PREDICATE,
        "exception": "builtins.AssertionError",
        "statement": "assert total ( case ) >= 0",
    }


def test_a_statement_outside_the_closure_counts_with_file_and_function() -> None:
    assert assertion_id(PREDICATE, OUTSIDE) == {
        "predicate": PREDICATE,
        "exception": "builtins.KeyError",
        "statement": "return prices [ name ]",
        "file": "src/shop/prices.py",
        "function": "price",
    }


def test_the_signature_is_the_hash_of_the_canonical_json_of_both() -> None:
    # Written down, not computed: every freeze of every user rests on this form.
    text = (
        '{"assertion":{"exception":"builtins.AssertionError","predicate":"tests/properties/total.py:test_total",'
        '"statement":"assert total ( case ) >= 0"},"case":{"items":[3,4],"name":"x"}}'
    )
    assert signature(assertion_id(PREDICATE, INSIDE), CASE) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "same", [{"line": 90}, {"message": "another"}, {"function": "helper"}, {"file": "tests/properties/h.py"}]
)
def test_moved_lines_and_other_messages_leave_a_signature(same: dict[str, object]) -> None:
    moved = INSIDE._replace(**same)
    assert signature(assertion_id(PREDICATE, moved), CASE) == signature(assertion_id(PREDICATE, INSIDE), CASE)


@pytest.mark.parametrize(
    "other", [{"exception": "builtins.ValueError"}, {"statement": "assert 0"}, {"statement": None}]
)
def test_another_exception_or_statement_is_another_failure(other: dict[str, object]) -> None:
    changed = INSIDE._replace(**other)
    assert signature(assertion_id(PREDICATE, changed), CASE) != signature(assertion_id(PREDICATE, INSIDE), CASE)


@pytest.mark.parametrize("other", [{"file": "src/shop/other.py"}, {"function": "cost"}])
def test_outside_the_closure_another_file_or_function_is_another_failure(other: dict[str, object]) -> None:
    changed = OUTSIDE._replace(**other)
    assert signature(assertion_id(PREDICATE, changed), CASE) != signature(assertion_id(PREDICATE, OUTSIDE), CASE)


def test_another_predicate_is_another_failure() -> None:
    assert signature(assertion_id("a.py:f", INSIDE), CASE) != signature(assertion_id("a.py:g", INSIDE), CASE)


def signed(case: dict[str, object], volatile: tuple[str, ...] = (), tokens: dict[str, str] | None = None) -> str:
    return signature(assertion_id(PREDICATE, INSIDE), case, volatile, tokens)


def test_digits_count() -> None:
    assert signed({"n": 1}) != signed({"n": 2})
    assert signed({"at": "2024-01-01T00:00:00"}) != signed({"at": "2024-01-01T00:00:01"})


def test_types_count_but_for_a_whole_number_with_a_point() -> None:
    assert signed({"n": 1}) != signed({"n": True})
    assert signed({"n": 1}) != signed({"n": "1"})
    assert signed({"n": 1}) == signed({"n": 1.0})


def test_volatile_fields_of_the_case_do_not_count() -> None:
    assert signed({"n": 1, "id": 7}, ("id",)) == signed({"n": 1, "id": 8}, ("id",)) == signed({"n": 1}, ("id",))
    assert signed({"n": 1, "id": 7}, ("id",)) != signed({"n": 2, "id": 7}, ("id",))


def test_only_fields_of_the_case_itself_are_volatile() -> None:
    assert signed({"n": {"id": 7}}, ("id",)) != signed({"n": {"id": 8}}, ("id",))


def test_a_case_of_volatile_fields_alone_has_no_signature() -> None:
    with pytest.raises(ValueError, match="volatile"):
        signed({"id": 7}, ("id",))


def test_the_temporary_folder_and_the_host_become_tokens_in_values() -> None:
    def on(temp: str, host: str) -> str:
        case = {"path": f"{temp}/a.txt", "nested": [{"at": f"http://{host}:80/"}], "n": 3}
        return signed(case, (), {temp: "<temp>", host: "<host>"})

    assert on("/tmp/fz-1", "ci-1") == on("/tmp/fz-22", "ci-22.example")


def test_the_longest_word_is_replaced_first() -> None:
    tokens = {"/tmp/fz": "<temp>", "/tmp/fz/x": "<inner>"}
    assert signed({"p": "/tmp/fz/x"}, (), tokens) == signed({"p": "<inner>"})


def test_a_host_named_like_a_part_of_a_word_replaces_nothing_there() -> None:
    tokens = {"ci": "<host>", "/tmp/fz": "<temp>"}
    assert signed({"p": "circle", "q": "/tmp/fzz", "r": "ci-2"}, (), tokens) == signed(
        {"p": "circle", "q": "/tmp/fzz", "r": "ci-2"}
    )


def test_keys_stay_what_they_are() -> None:
    assert signed({"ci": 1}, (), {"ci": "<host>"}) == signed({"ci": 1})


def test_a_case_without_canonical_form_has_no_signature() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        signed({"p": "\ud800"})

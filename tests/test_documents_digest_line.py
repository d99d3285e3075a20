"""A predicate digest is put into a scope document, and nothing else in it moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freezegate.documents.digest_line import CannotEdit, with_predicate_digest
from freezegate.documents.loading import LoadError, load_yaml

OLD, NEW, SIZED = "a" * 64, "b" * 64, "sized:" + "c" * 64
DIGITS = "1" * 64
EXPONENT = "1" * 20 + "e" + "1" * 43


@pytest.mark.parametrize("digest", [NEW, SIZED, DIGITS, EXPONENT])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\npredicate_digest: {old}\nb: 2\n", "a: 1\npredicate_digest: {new}\nb: 2\n"),
        ("a: 1\npredicate_digest:   {old}  # why\n", "a: 1\npredicate_digest:   {new}  # why\n"),
        ("predicate_digest: '{old}'\r\nb: [é]\r\n", "predicate_digest: '{new}'\r\nb: [é]\r\n"),
        ('{{"a": 1, "predicate_digest": "{old}"}}', '{{"a": 1, "predicate_digest": "{new}"}}'),
        (
            "x: {{predicate_digest: {old}}}\npredicate_digest: {old}",
            "x: {{predicate_digest: {old}}}\npredicate_digest: {new}",
        ),
        (
            "--- {{a: 1, predicate_digest: {old}}} # x\n...\n# y\n",
            "--- {{a: 1, predicate_digest: {new}}} # x\n...\n# y\n",
        ),
    ],
)
def test_a_value_is_replaced_in_place(before: str, after: str, digest: str) -> None:
    edited = with_predicate_digest(before.format(old=OLD).encode(), digest).decode()
    assert edited in (after.format(old=OLD, new=digest), after.format(old=OLD, new=f'"{digest}"'))
    assert load_yaml(edited.encode()).value["predicate_digest"] == digest  # type: ignore[index]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\n", "a: 1\npredicate_digest: {new}\n"),
        ("a: 1", "a: 1\npredicate_digest: {new}"),
        ("a: 1\r\nb: 2\r\n", "a: 1\r\nb: 2\r\npredicate_digest: {new}\r\n"),
        ("a: 1\n# last words", "a: 1\n# last words\npredicate_digest: {new}"),
        ("  a: 1\n  b: 2\n", "  a: 1\n  b: 2\n  predicate_digest: {new}\n"),
        ("---\na: 1\n...\n", "---\na: 1\npredicate_digest: {new}\n...\n"),
        ("a:\n  - b\n  - c: {{d: 1}}\n\n", "a:\n  - b\n  - c: {{d: 1}}\n\npredicate_digest: {new}\n"),
        ("a: 1\nd: |\n  text\n", "a: 1\nd: |\n  text\npredicate_digest: {new}\n"),
        ("a: 1\nd: |\n  text", "predicate_digest: {new}\na: 1\nd: |\n  text"),
        ("{{a: 1}}\n", "{{a: 1, predicate_digest: {new}}}\n"),
        ("{{ a: 1, }}\n", "{{ a: 1, predicate_digest: {new}, }}\n"),
        ("{{a: {{b: [1]}} # x\n}}\n", "{{a: {{b: [1]}}, predicate_digest: {new} # x\n}}\n"),
        ("{{}}", "{{predicate_digest: {new}}}"),
        ('{{"a": "b"}}\n', '{{"a": "b", "predicate_digest": "{new}"}}\n'),
        ("# é predicate_digest: no\na: é\n", "# é predicate_digest: no\na: é\npredicate_digest: {new}\n"),
    ],
)
def test_a_line_is_added_where_there_is_none(before: str, after: str) -> None:
    assert with_predicate_digest(before.format().encode(), NEW).decode() == after.format(new=NEW)


@pytest.mark.parametrize(
    "data", [b"", b"- a\n", b"word\n", b"a: 1\na: 2\n", b"a: &x 1\n", b"\xff", b"a: 1\n---\nb: 2\n"]
)
def test_what_is_no_readable_mapping_is_left_alone(data: bytes) -> None:
    with pytest.raises(CannotEdit):
        with_predicate_digest(data, NEW)


@given(
    st.text("ab{}[]:,#'\"|>-.? \n\r\té&*!", max_size=60),
    st.sampled_from(["", f"predicate_digest: {OLD}\n", f"predicate_digest: '{OLD}'\r\n"]),
    st.sampled_from([NEW, SIZED, DIGITS]),
)
def test_whatever_the_text_the_rest_of_the_document_stays(noise: str, member: str, digest: str) -> None:
    for text in (noise, member + noise, noise + member, f"k: 1\n{member}# {noise}", f"{{k: 1, {noise}}}"):
        data = text.encode()
        try:
            edited = with_predicate_digest(data, digest)
        except CannotEdit:
            continue
        before, after = load_yaml(data).value, load_yaml(edited).value
        assert isinstance(before, dict) and isinstance(after, dict)
        assert after.pop("predicate_digest") == digest
        before.pop("predicate_digest", None)
        assert repr(after) == repr(before)
        kept = edited.decode().replace(digest, "")
        assert len(kept) <= len(text) + len('predicate_digest: ""\r\n\r\n') + 20


def test_an_ordinary_scope_is_never_refused() -> None:
    text = "scope_id: a.b\ndomain:\n  x: [1, 2]\ninputs: [a/b.py]\nschema_version: 3\n"
    for ending in ("\n", "\r\n"):
        for tail in ("", ending, ending + ending, "# end", "# end" + ending):
            data = (text.replace("\n", ending) + tail).encode()
            try:
                load_yaml(data)
            except LoadError:
                raise AssertionError from None
            assert with_predicate_digest(data, NEW).startswith(data.rstrip(b"\r\n"))

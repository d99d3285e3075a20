"""Fingerprints: what a child says of its machine, in one line that can be read back, and whether two are of two hosts."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freezegate.fingerprints import KEYS, is_damaged, names_host, other_host, parts_of, written
from freezegate.running.fingerprint import text

FACTS = {
    "os": "debian 12",
    "kernel": "Linux 6.1.0 x86_64",
    "machine": "a" * 64,
    "boot": "b" * 64,
    "python": "cpython 3.11.7",
    "distributions": "c" * 64,
    "host": "builder-7",
}


def checked(body: str) -> str:
    """A line with the check that its writer would have added."""
    return f"{body}; check={sha256(body.encode()).hexdigest()[:8]}"


BODY = (
    "environment=isolated; preset=venv; os=debian 12; kernel=Linux 6.1.0 x86_64; machine=aaaaaaaaaaaaaaaa; "
    "boot=bbbbbbbbbbbbbbbb; python=cpython 3.11.7; distributions=cccccccccccccccc"
)


def test_the_text() -> None:
    assert text("isolated", "venv", FACTS) == checked(BODY)
    assert "builder" not in text("isolated", "venv", FACTS)


def test_every_changed_character_is_seen() -> None:
    line = text("isolated", "venv", FACTS)
    assert not is_damaged(line) and not is_damaged("a fingerprint of another tool")
    for at in range(len(line)):
        for changed in (line[:at] + line[at + 1 :], line[:at] + "~" + line[at + 1 :]):
            assert is_damaged(changed) and parts_of(changed) is None, changed


def test_what_a_child_could_not_find_is_unknown() -> None:
    nothing = sha256(b"").hexdigest()
    parts = parts_of(text("isolated", "venv", {**FACTS, "machine": nothing, "boot": nothing, "distributions": nothing}))
    assert parts is not None
    assert (parts["machine"], parts["boot"], parts["distributions"]) == ("unknown", "unknown", nothing[:16])
    assert parts_of(text("isolated", "venv", {})) is not None and not names_host(text("isolated", "venv", {}))


def test_a_value_cannot_pretend_to_be_another_part() -> None:
    odd = text(
        "isolated", "venv", {**FACTS, "os": "x; machine=ffffffffffffffff\n\x1b[31m", "python": " y ", "kernel": "=;"}
    )
    parts = parts_of(odd)
    assert parts is not None and parts["os"] == "x_ machine=ffffffffffffffff__[31m"
    assert (parts["machine"], parts["python"], parts["kernel"]) == ("a" * 16, "y", "=_")


@given(st.dictionaries(st.sampled_from(KEYS), st.text(max_size=300)))
def test_whatever_is_written_can_be_read(parts: dict[str, str]) -> None:
    line = written(parts)
    read = parts_of(line)
    assert read is not None and written(read) == line
    assert line.isprintable() and tuple(read) == KEYS


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "one",
        BODY,
        checked(""),
        checked(BODY + "; more=1"),
        checked(BODY.replace("; os=", "; machine=")),
        checked(BODY.replace("debian", "de\nbian")),
        checked(BODY.replace("debian", "de\x1bbian")),
        checked(BODY.replace("; ", ";")),
        checked(BODY.replace("os=debian 12", "os=")),
    ],
)
def test_what_is_of_no_such_form_cannot_be_read(broken: str) -> None:
    assert parts_of(broken) is None and not names_host(broken)
    assert not other_host(broken, text("isolated", "venv", FACTS))


@pytest.mark.parametrize(
    ("changes", "other"),
    [
        ({"machine": "d" * 64, "boot": "e" * 64}, True),
        ({"machine": "d" * 64}, False),  # a container has a machine id of its own
        ({"boot": "e" * 64}, False),  # one machine, started again
        ({}, False),
        ({"machine": "d" * 64, "boot": ""}, False),
        ({"machine": "", "boot": "e" * 64}, False),
        ({"machine": "d" * 15, "boot": "e" * 64}, False),
        ({"machine": "D" * 64, "boot": "e" * 64}, False),
    ],
)
def test_two_hosts_are_two_only_where_both_say_so(changes: dict[str, str], other: bool) -> None:
    here, there = text("local", "local", FACTS), text("isolated", "ssh", {**FACTS, **changes})
    assert other_host(here, there) is other_host(there, here) is other

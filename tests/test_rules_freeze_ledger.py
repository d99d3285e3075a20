"""Hook freeze-ledger: each rule, accepted and rejected."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE, SCOPE_ID, Repo, as_json, good_project, with_files
from memory import Link, evaluate_memory, found, rules
from rule_tables import (
    Edit,
    Files,
    Row,
    accept,
    append,
    assert_complete,
    drop,
    edited,
    judge,
    move,
    put,
    rebound,
    reject,
    rows,
    swap,
)

LEDGER = "freezes/ledger.json"
ENTRY = "catalog/order_total.yaml"
ORACLE = "props/order_total.py"
CASES = "fixtures/orders.json"
PREDICATE = "tests/properties/order_total.py"
BASE, OTHER = "a" * 40, "b" * 40
KNOWN = {"known": (BASE,)}


def digest_of(files: Files) -> str:
    """The plain digest of the fixture tree, by the published formula and no code of the project."""
    names = sorted(path.split("/")[1:] for path in files if path.startswith("fixtures/"))
    hasher = hashlib.sha256()
    for name in names:
        content = files["/".join(["fixtures", *name])]
        assert isinstance(content, bytes)
        hasher.update("/".join(name).encode() + b"\0" + content + b"\0")
    return hasher.hexdigest()


def freeze(**changes: Any) -> dict[str, Any]:
    """A ledger entry for the good project; a value of ... removes the field."""
    entry = {
        "prop_id": "prop.order_total",
        "signature": "1" * 64,
        "fixture_digest": digest_of(dict(good_project())),
        "base_revision": BASE,
        **changes,
    }
    return {key: value for key, value in entry.items() if value is not ...}


def ledger(*entries: object) -> Edit:
    """The ledger with these entries."""
    return put(LEDGER, as_json(list(entries)))


def frozen_now(**changes: Any) -> Edit:
    """The ledger with one entry under the digest of the fixtures as they are by then."""
    return lambda files: ledger(freeze(fixture_digest=digest_of(files), **changes))(files)


def _sized() -> str:
    data = good_project()[CASES]
    framed = b"freezegate sized 1\0" + b"1\0" + b"100644\0orders.json\0" + str(len(data)).encode() + b"\0" + data
    return "sized:" + hashlib.sha256(framed).hexdigest()


SIZED = _sized()
STALE = freeze(fixture_digest="0" * 64)
# The property judged by the scope's predicate, so that its freeze rests on the scope's record.
SCOPED = put(
    ENTRY,
    f"id: prop.order_total\noracle: {PREDICATE}:test_total_non_negative\nclaim: a total is not negative\n"
    f"mutates_fixture: false\nscope: {SCOPE}\n",
)
LARGE = put(LEDGER, b" " * (1 << 20) + b"[]")

TABLE: list[Row] = [
    accept("ledger-unreadable", "empty-list", put(LEDGER, "[]")),
    accept("ledger-unreadable", "crlf", put(LEDGER, "[\r\n]\r\n")),
    accept("ledger-unreadable", "no-ledger", drop(LEDGER)),
    accept("ledger-unreadable", "stays-unreadable", append("src/orders.py", "X = 1\n"), before=(put(LEDGER, ""),)),
    reject("ledger-unreadable", "empty-file", put(LEDGER, ""), at=f"{LEDGER}:1:1", says="not JSON", hint="mend"),
    reject(
        "ledger-unreadable", "duplicate-key",
        put(LEDGER, '[{"prop_id": "a",\n  "prop_id": "b"}]'),
        at=f"{LEDGER}:2:3", says='"prop_id"', hint="mend",
    ),
    reject("ledger-unreadable", "nan", put(LEDGER, "[NaN]"), at=f"{LEDGER}:1:2", says="NaN", hint="mend"),
    reject("ledger-unreadable", "too-large", LARGE, at=f"{LEDGER}:1:1", says="1 MiB", hint="below 1 MiB"),
    accept("ledger-schema", "four-fields", ledger(freeze()), **KNOWN),
    accept("ledger-schema", "sha-256-id", ledger(freeze(base_revision="c" * 64)), known=("c" * 64,)),
    reject(
        "ledger-schema", "missing-field", ledger(freeze(signature=...)),
        at=f"{LEDGER}:2:3", says="signature", hint="four fields",
    ),
    reject(
        "ledger-schema", "fifth-field", ledger(freeze(reviewer="me")),
        at=f"{LEDGER}:7:5", says="reviewer", hint="four fields",
    ),
    reject(
        "ledger-schema", "branch-for-an-id", ledger(freeze(base_revision="main")),
        at=f"{LEDGER}:6:5", says="base_revision", hint="edit",
    ),
    reject("ledger-schema", "object", put(LEDGER, "{}"), at=f"{LEDGER}:1:1", says="array", hint="four fields"),
    accept("ledger-duplicate", "two-signatures", ledger(freeze(), freeze(signature="2" * 64)), **KNOWN),
    reject(
        "ledger-duplicate", "two-bases", ledger(freeze(), freeze(base_revision=OTHER)),
        at=f"{LEDGER}:8:3", says="prop.order_total has another entry", hint="keep one", known=(BASE, OTHER),
    ),
    reject(
        "ledger-duplicate", "one-written-twice", ledger(freeze(), freeze()), before=(ledger(freeze()),),
        at=f"{LEDGER}:8:3", says="prop.order_total has another entry", hint="keep one", **KNOWN,
    ),
    accept("ledger-unknown-property", "retired", ledger(), drop(ENTRY), put("catalog/claimed.json", '["x"]'),
           before=(ledger(freeze()),), also=("claimed-unknown",)),
    reject(
        "ledger-unknown-property", "no-entry", ledger(freeze(prop_id="prop.other")),
        at=f"{LEDGER}:3:5", says="prop.other", hint="freezegate retire prop.other", **KNOWN,
    ),
    reject(
        "ledger-unknown-property", "entry-goes", drop(ENTRY),
        at=f"{LEDGER}:3:5", says="prop.order_total", hint="retire", before=(ledger(freeze()),), also=("claimed-unknown",),
    ),
    reject(
        "ledger-unknown-property", "entry-becomes-unreadable", append(ENTRY, "id: again\n"),
        at=f"{LEDGER}:3:5", says="no readable catalog entry", hint="retire", before=(ledger(freeze()),),
        also=("claimed-unknown", "catalog-unreadable"),
    ),
    accept("ledger-digest-stale", "its-digest", ledger(freeze()), **KNOWN),
    accept("ledger-digest-stale", "old-entry-under-new-fixtures", put("fixtures/more.txt", "x"),
           before=(ledger(freeze()),)),
    accept("ledger-digest-stale", "sized", ledger(freeze(fixture_digest=SIZED)), **KNOWN),
    accept("ledger-digest-stale", "formatted-anew", put(LEDGER, as_json([STALE]).replace(b"\n", b"\r\n")), before=(ledger(STALE),)),
    reject(
        "ledger-digest-stale", "another", ledger(freeze(fixture_digest="0" * 64)),
        at=f"{LEDGER}:5:5", says="the tree gives " + digest_of(dict(good_project())),
        hint="freezegate fixture-lock fixtures", **KNOWN,
    ),
    reject(
        "ledger-digest-stale", "fixture-added-with-it", put("fixtures/more.txt", "x"), ledger(freeze()),
        at=f"{LEDGER}:5:5", says="the entry says " + digest_of(dict(good_project())), hint="fixture-lock", **KNOWN,
    ),
    reject(
        "ledger-digest-stale", "plain-where-policy-says-sized", ledger(freeze()),
        at=f"{LEDGER}:5:5", says="the tree gives sized:", hint="fixture-lock",
        config="policy: {framing: sized}\n", **KNOWN,
    ),
    reject(
        "ledger-digest-stale", "a-link-among-the-fixtures", put("fixtures/link", Link("orders.json")), ledger(freeze()),
        at=f"{LEDGER}:5:5", says="no digest", hint="fixture-lock", also=("digest-input-kind",), **KNOWN,
    ),
    reject(
        "ledger-digest-stale", "changed-entry", ledger(freeze(fixture_digest="0" * 64)), before=(ledger(freeze()),),
        at=f"{LEDGER}:5:5", says="the tree gives", hint="fixture-lock", **KNOWN,
    ),
    accept("ledger-oracle-moved", "alone", ledger(freeze()), append("src/orders.py", "X = 1\n"), **KNOWN),
    accept("ledger-oracle-moved", "taken-away-with-its-oracle", ledger(), append(ORACLE, "# x\n"),
           before=(ledger(freeze()),)),
    accept("ledger-oracle-moved", "another-oracle", put("props/other.py", "X = 1\n"), ledger(freeze()), **KNOWN),
    accept("ledger-oracle-moved", "a-fixture-that-is-no-case", put("fixtures/notes.txt", "x"), frozen_now(), **KNOWN),
    reject(
        "ledger-oracle-moved", "oracle", append(ORACLE, "# x\n"), ledger(freeze()),
        at=f"{LEDGER}:3:5", says="its oracle", hint="later change", **KNOWN,
    ),
    reject(
        "ledger-oracle-moved", "helper-of-the-oracle", append("props/adding.py", "X = 2\n"), ledger(freeze()),
        before=(put("props/adding.py", b"X = 1\n"), swap(ORACLE, "from orders", "import adding\nfrom orders")),
        at=f"{LEDGER}:3:5", says="its oracle", hint="later change", **KNOWN,
    ),
    reject(
        "ledger-oracle-moved", "module-that-shadows-a-helper", put("props/adding.py", b"X = 1\n"), ledger(freeze()),
        before=(swap(ORACLE, "from orders", "import adding\nfrom orders"),),
        at=f"{LEDGER}:3:5", says="its oracle", hint="later change", **KNOWN,
    ),
    reject(
        "ledger-oracle-moved", "catalog-entry", swap(ENTRY, "the total", "a total"), ledger(freeze()),
        at=f"{LEDGER}:3:5", says="its catalog entry", hint="later change", also=("catalog-mixed",), **KNOWN,
    ),
    reject(
        "ledger-oracle-moved", "catalog-entry-that-moves", move(ENTRY, "catalog/orders.yaml"), ledger(freeze()),
        at=f"{LEDGER}:3:5", says="its catalog entry", hint="later change", **KNOWN,
    ),
    reject(
        "ledger-oracle-moved", "case", append(CASES, " "), frozen_now(),
        at=f"{LEDGER}:3:5", says="its cases", hint="later change", **KNOWN,
    ),
    reject(
        "ledger-oracle-moved", "case-that-goes", drop("fixtures/more.json"), frozen_now(),
        before=(put("fixtures/more.json", b"[]"),),
        at=f"{LEDGER}:3:5", says="its cases", hint="later change", **KNOWN,
    ),
    reject(
        "ledger-oracle-moved", "scope-behind-it", swap(SCOPE, "max: 20", "max: 21"), rebound(), ledger(freeze()),
        before=(SCOPED,), at=f"{LEDGER}:3:5", says="its catalog entry", hint="later change", **KNOWN,
    ),
    reject(
        "ledger-oracle-moved", "new-property",
        put("catalog/two.yaml", "id: two\noracle: props/two.py\nclaim: b\nmutates_fixture: false\n"),
        put("props/two.py", "def check(case): pass\n"), ledger(freeze(prop_id="two")),
        at=(f"{LEDGER}:3:5",) * 3, says="its oracle", hint="later change", also=("catalog-mixed",), **KNOWN,
    ),
    accept("ledger-base-unknown", "known", ledger(freeze()), **KNOWN),
    accept("ledger-base-unknown", "old-entry", append("src/orders.py", "X = 1\n"), before=(ledger(freeze()),)),
    accept("ledger-base-unknown", "no-old-side-to-ask", ledger(freeze()), **KNOWN),
    reject(
        "ledger-base-unknown", "unknown", ledger(freeze()), known=(OTHER,),
        at=f"{LEDGER}:6:5", says=BASE, hint="git rev-parse origin/main",
    ),
    reject(
        "ledger-base-unknown", "old-entry-with-another-base", ledger(freeze(base_revision=OTHER)),
        before=(ledger(freeze()),), at=f"{LEDGER}:6:5", says=OTHER, hint="full id", **KNOWN,
    ),
    accept("ledger-open-record", "closed", ledger(freeze()), before=(SCOPED,), **KNOWN),
    accept("ledger-open-record", "no-scope-no-record", ledger(freeze()), before=(drop(RECORD, CITATION),), **KNOWN),
    reject(
        "ledger-open-record", "no-record", ledger(freeze()), before=(SCOPED, drop(RECORD, CITATION)),
        at=f"{LEDGER}:3:5", says=SCOPE_ID, hint="freezegate bind", **KNOWN,
    ),
    reject(
        "ledger-open-record", "record-opened-below-it", rebound(class_isolated="pass"),
        before=(SCOPED, drop(CITATION), ledger(freeze())),
        at=f"{LEDGER}:3:5", says="is open", hint="freezegate bind", also=("record-open",),
    ),
    reject(
        "ledger-open-record", "record-goes", drop(RECORD, CITATION), before=(SCOPED, ledger(freeze())),
        at=f"{LEDGER}:3:5", says="is open", hint="freezegate bind",
    ),
    reject(
        "ledger-open-record", "counterexample-edited", swap(COUNTEREXAMPLE, '"qty": 1', '"qty": 2'),
        before=(SCOPED, drop(CITATION), ledger(freeze())),
        at=f"{LEDGER}:3:5", says="is open", hint="freezegate bind", also=("counterexample-mismatch",),
    ),
    reject(
        "ledger-open-record", "scope-that-is-not-there", ledger(freeze()),
        before=(SCOPED, swap(ENTRY, "order_total.scope", "gone.scope")),
        at=f"{LEDGER}:3:5", says="tests/properties/gone.scope.yaml", hint="retire", **KNOWN,
    ),
]  # fmt: skip


@rows(TABLE)
def test_rule(row: Row) -> None:
    judge(row)


def test_table_is_complete() -> None:
    assert_complete(TABLE, "freeze-ledger")


BASE_UNKNOWN = ("ledger-base-unknown", LEDGER, 6, 5)


def test_an_entry_of_either_parent_is_free_to_merge_and_a_mixture_is_judged_against_both() -> None:
    good = dict(good_project())
    one = edited(good, ledger(freeze(base_revision=OTHER)))
    two = edited(good, append(ORACLE, "# x\n"))
    merged = edited(two, ledger(freeze(base_revision=OTHER)))
    assert rules([two, one], merged) == []
    mixed = edited(two, ledger(freeze(base_revision="c" * 40)))
    # against `one` the oracle moved and the entry is new; against `two` only the entry is
    assert rules([one, two], mixed) == ["ledger-base-unknown", "ledger-oracle-moved"]


def test_without_an_old_side_an_entry_is_judged_by_the_tree_alone() -> None:
    assert rules(None, edited(dict(good_project()), ledger(freeze(fixture_digest="0" * 64)))) == []


@pytest.mark.parametrize("old", [None, {"src/a.py": b""}], ids=["alone", "step"])
def test_a_verdict_half_that_is_off_leaves_the_ledger_alone(old: Files | None) -> None:
    """Other people's file of that name: no claims file, and no key of the half in the config."""
    theirs: Files = {"src/a.py": b"", LEDGER: b"not ours", "tests/properties/a.scope.yaml": b""}
    assert not [row for row in rules(old, theirs) if row.startswith("ledger")]
    named = {**theirs, ".freezegate.yaml": b"layout: {ledger: freezes/ledger.json}\n"}
    assert "ledger-unreadable" in rules(old, named)


def test_a_half_that_one_side_shows_is_on_for_the_step() -> None:
    good = edited(dict(good_project()), drop("catalog"), put("catalog/claimed.json", "[]"))
    gone = edited(good, drop("catalog"), put(LEDGER, "mute"))
    assert ("ledger-unreadable", LEDGER, 1, 1) in found(evaluate_memory(good, gone))


def _git_project(path: Path) -> tuple[Repo, str]:
    repo = with_files(Repo(path), good_project())
    return repo, repo.commit("base")


def _freeze_on(repo: Repo, base: str) -> None:
    repo.write(LEDGER, as_json([freeze(base_revision=base)]))
    repo.stage_all()


def test_a_commit_knows_the_ancestors_of_head_and_of_remote_tracking_refs(tmp_path: Path) -> None:
    repo, base = _git_project(tmp_path / "r")
    repo.write("notes.txt", "x")
    side = repo.commit_all("side")
    tag = _annotated(repo, base)
    repo.git("reset", "-q", "--hard", base)
    for known in (base,):
        _freeze_on(repo, known)
        assert repo.rules() == []
    for unknown in (side, tag, "d" * 40, repo.tree()):
        _freeze_on(repo, unknown)
        assert repo.rules() == [(LEDGER, "ledger-base-unknown")]
    _freeze_on(repo, side)
    repo.git("update-ref", "refs/remotes/origin/topic", side)
    assert repo.rules() == []


def _annotated(repo: Repo, commit: str) -> str:
    repo.git("tag", "-a", "-m", "x", "v1", commit)
    return repo.resolve("refs/tags/v1")


def test_a_range_knows_the_ancestors_of_its_base_only(tmp_path: Path) -> None:
    repo, base = _git_project(tmp_path / "r")
    repo.git("branch", "topic")
    repo.write("notes.txt", "x")
    main = repo.commit_all("main goes on")
    repo.git("checkout", "-q", "topic")
    repo.write("more.txt", "x")
    own = repo.commit_all("a commit of the branch")
    repo.git("update-ref", "refs/remotes/origin/topic", own)
    for commit, expected in ((base, []), (main, []), (own, [(LEDGER, "ledger-base-unknown")])):
        _freeze_on(repo, commit)
        repo.commit("freeze")
        assert repo.rules("--from-ref", "main", "--to-ref", "topic") == expected
        assert repo.rules("--base", "main") == expected
        repo.git("reset", "-q", "--hard", own)


def test_a_full_id_is_as_long_as_the_object_format_makes_it(tmp_path: Path) -> None:
    repo = with_files(Repo(tmp_path / "r", sha256=True), good_project())
    base = repo.commit("base")
    _freeze_on(repo, base)
    assert repo.rules() == []
    _freeze_on(repo, base[:40])
    assert repo.rules() == [(LEDGER, "ledger-base-unknown")]


def test_the_first_commit_has_no_revision_to_freeze_on(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    with_files(repo, dict(good_project()))
    _freeze_on(repo, BASE)
    assert repo.rules() == []  # no old side under the gate: adoption runs the rules of the tree alone

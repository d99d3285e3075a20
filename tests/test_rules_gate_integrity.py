"""Hook gate-integrity: each rule, accepted and rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from building import CITATION, RECORD, Repo, good_project, with_files
from freezegate.errors import CannotJudge
from freezegate.gate.registry import all_rules
from memory import Executable, Link, Submodule, evaluate_memory, found, rules
from rule_tables import (
    Edit,
    Files,
    Row,
    accept,
    append,
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

CONFIG = ".freezegate.yaml"
HOOKS = ".pre-commit-config.yaml"
ENTRY = "catalog/order_total.yaml"
CLAIMED = "catalog/claimed.json"
GOVERNED = append(ENTRY, "# x\n")
SIZED = "policy: {stale: fail}\n"
# As if the defaults were given by --config: a tree alone would be judged by its own config, which these rows spoil.
GIVEN = {"config": "policy: {}\n"}

OURS = """\
repos:
  - repo: https://example.org/freezegate
    rev: v1
    hooks:
      - id: freezegate
  - repo: https://example.org/other
    rev: v1
    hooks: [{id: trailing-space}]
"""
LOCAL = "repos: [{repo: local, hooks: [{id: scope-schema, entry: x, language: system, name: n}]}]\n"
BOMB = "x: &a [1]\n" + "".join(f"y{i}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(20))
CHAIN = "first: &n0 [x]\n" + "".join(f"k{i}: &n{i + 1} [*n{i}]\n" for i in range(3000))


def mixed(name: str, path: str, *edits: Edit, says: str = ENTRY, before: Iterable[Edit] = (), **more: object) -> Row:
    """A gate file that may not travel with a governed one."""
    return reject(
        "gate-mixed", name, *edits, GOVERNED, before=tuple(before),
        at=f"{path}:1:1", says=says, hint=f"commit {path} in a change of its own", **more,
    )  # fmt: skip


def free(name: str, *edits: Edit, before: Iterable[Edit] = ()) -> Row:
    """Edits that may travel with a governed file."""
    return accept("gate-mixed", name, *edits, GOVERNED, before=tuple(before))


GATE: list[Row] = [
    accept("gate-mixed", "config-alone", put(CONFIG, SIZED)),
    accept("gate-mixed", "config-with-source", put(CONFIG, SIZED), append("src/orders.py", "X = 1\n")),
    accept("gate-mixed", "gate-files-together", put(CONFIG, SIZED), put(HOOKS, OURS), put(".gitattributes", "* text\n")),
    accept("gate-mixed", "layout-that-moves",
           put(CONFIG, "layout: {oracles: checks, catalog: claims, claimed: claims/claimed.json}\n"),
           move("fixtures/more.txt", "fixtures/moved.txt"), before=(put("fixtures/more.txt", b"more"),)),
    mixed("config", CONFIG, put(CONFIG, SIZED)),
    mixed("config-and-source", CONFIG, put(CONFIG, SIZED), append("src/orders.py", "X = 1\n"), also=("catalog-mixed",)),
    reject(
        "gate-mixed", "config-goes", drop(CONFIG), GOVERNED, before=(put(CONFIG, SIZED.encode()),),
        at=f"{CONFIG}:1:1", says=f"deleted: {CONFIG} belongs to the gate", hint="of its own", also=("config-invalid",),
        **GIVEN,
    ),
    reject(
        "gate-mixed", "renamed-and-changed", put(CONFIG, SIZED), move(CITATION, "tests/freezes/README"),
        append("tests/freezes/README", " "),
        at=f"{CONFIG}:1:1", says="tests/freezes/README", hint="of its own"
    ),
    reject(
        "gate-mixed", "rename-with-another-mode", put(CONFIG, SIZED), drop("fixtures/more.txt"),
        put("fixtures/moved.txt", Executable(b"more")), before=(put("fixtures/more.txt", b"more"),),
        at=f"{CONFIG}:1:1", says="fixtures/more.txt", hint="of its own",
    ),
    reject(
        "gate-mixed", "rename-and-another-file", put(CONFIG, SIZED), move("fixtures/more.txt", "fixtures/moved.txt"),
        put("docs.md", b"x"), before=(put("fixtures/more.txt", b"more"),),
        at=f"{CONFIG}:1:1", says="fixtures/more.txt", hint="of its own",
    ),
    reject(
        "gate-mixed", "documents-in-a-layout-that-only-the-new-config-names",
        put(CONFIG, "layout: {bindings: tests/bound}\n"), put("tests/bound/a.b.json", b"{}"),
        at=f"{CONFIG}:1:1", says="tests/bound/a.b.json", hint="of its own", **GIVEN,
    ),
    mixed("a-file-of-that-name-elsewhere-is-governed", CONFIG, put(CONFIG, SIZED), put("fixtures/.freezegate.yaml", b"")),
    mixed("hooks-added", HOOKS, put(HOOKS, OURS)),
    mixed("hooks-pinned-elsewhere", HOOKS, swap(HOOKS, "freezegate\n    rev: v1", "freezegate\n    rev: v0"),
          before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-with-less", HOOKS, append(HOOKS, "    \n"), swap(HOOKS, "id: freezegate", "id: freezegate\n        stages: [manual]"),
          before=(put(HOOKS, OURS.encode()),)),
    mixed("local-hook-of-our-id", HOOKS, put(HOOKS, "repos: []\n"), before=(put(HOOKS, LOCAL.encode()),)),
    mixed("hooks-default-stages", HOOKS, append(HOOKS, "default_stages: [manual]\n"), before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-install-types", HOOKS, append(HOOKS, "default_install_hook_types: [pre-push]\n"),
          before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-ci", HOOKS, append(HOOKS, "ci: {skip: [freezegate]}\n"), before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-second-list-wins", HOOKS, append(HOOKS, "repos: []\n"), before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-merge-key", HOOKS, append(HOOKS, "<<: {default_stages: [manual]}\n"), before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-unreadable", HOOKS, append(HOOKS, "x: [\n"), before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-stay-unreadable", HOOKS, append(HOOKS, "y: 1\n"), before=(put(HOOKS, b"x: [\n"),)),
    mixed("hooks-not-utf-8", HOOKS, put(HOOKS, b"\xff"), before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-link", HOOKS, put(HOOKS, Link("other.yaml")), before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-too-large", HOOKS, append(HOOKS, "#" * (1 << 20)), before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-nested-deeply", HOOKS, append(HOOKS, f"x: {'[' * 20000}{']' * 20000}\n"), before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-unclosed-nesting", HOOKS, append(HOOKS, f"x: {'[' * 500000}\n"), before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-alias-bomb-in-ours", HOOKS,
          put(HOOKS, BOMB + "repos: [{repo: freezegate, hooks: [{id: freezegate, args: *u}]}]\n"),
          before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-alias-bomb-as-address", HOOKS, put(HOOKS, BOMB + "repos: [{repo: *u, hooks: [{id: *u, entry: *t}]}]\n"),
          before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-chain-of-aliases", HOOKS, put(HOOKS, CHAIN + "repos: [{repo: freezegate, hooks: *n3000}]\n"),
          before=(put(HOOKS, OURS.encode()),)),
    mixed("hooks-that-hold-themselves", HOOKS, put(HOOKS, "repos: &r [{repo: freezegate, hooks: *r}, *r]\n"),
          before=(put(HOOKS, OURS.encode()),)),
    reject(
        "gate-mixed", "hooks-go", drop(HOOKS), GOVERNED, before=(put(HOOKS, OURS.encode()),),
        at=f"{HOOKS}:1:1", says="deleted:", hint="of its own",
    ),
    free("others-hooks", swap(HOOKS, "trailing-space", "end-of-file"), before=(put(HOOKS, OURS.encode()),)),
    free("others-hooks-added", put(HOOKS, "repos: [{repo: https://example.org/other, hooks: [{id: a}]}]\n")),
    free("others-hooks-bomb", append(HOOKS, BOMB), before=(put(HOOKS, OURS.encode()),)),
    free("hooks-layout-of-the-text", put(HOOKS, "# ours\n" + OURS.replace("\n", "\r\n")), before=(put(HOOKS, OURS.encode()),)),
    free("another-file-of-that-name", put("docs/" + HOOKS, OURS)),
    *(
        mixed(f"ci-{path}", path, put(path, "run: freezegate check\n"))
        for path in (".github/workflows/ci.yml", ".gitlab-ci.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml",
                     "Jenkinsfile")
    ),
    mixed("ci-that-loses-us", ".gitlab-ci.yml", put(".gitlab-ci.yml", "run: true\n"),
          before=(put(".gitlab-ci.yml", b"run: freezegate check\n"),)),
    mixed("ci-link", ".gitlab-ci.yml", put(".gitlab-ci.yml", Link("ci/jobs.yml"))),
    free("ci-of-others", put(".github/workflows/docs.yml", "run: make docs\n")),
    free("ci-in-a-folder-nobody-reads", put("ci/.gitlab-ci.yml", "run: freezegate\n")),
    mixed("attributes-at-the-root", ".gitattributes", put(".gitattributes", "* text=auto\n")),
    mixed("attributes-above", "tests/.gitattributes", put("tests/.gitattributes", "* text=auto\n")),
    mixed("attributes-inside", "fixtures/a/.gitattributes", put("fixtures/a/.gitattributes", "* text=auto\n")),
    mixed("attributes-of-source", "src/.gitattributes", put("src/.gitattributes", "* text=auto\n"), also=("catalog-mixed",)),
    free("attributes-elsewhere", put("docs/.gitattributes", "* text=auto\n")),
]  # fmt: skip

CONFIGS: list[Row] = [
    accept("config-invalid", "valid", put(CONFIG, SIZED)),
    accept("config-invalid", "goes-with-everything",
           *(drop(each) for each in ("tests", "props", "catalog", "freezes", "fixtures", CONFIG)),
           before=(put(CONFIG, SIZED.encode()),), also=("claim-removed", "gate-mixed", "property-removed")),
    accept("config-invalid", "source-elsewhere", put(CONFIG, "layout: {source: [lib]}\n"), put("lib/a.py", "")),
    reject(
        "config-invalid", "unknown-word", put(CONFIG, "policy:\n  framing: loose\n"),
        at=f"{CONFIG}:2:3", says="framing", hint=f"edit {CONFIG}", **GIVEN,
    ),
    reject(
        "config-invalid", "unknown-key", put(CONFIG, "polices: {}\n"),
        at=f"{CONFIG}:1:1", says="polices", hint="explain config-invalid", **GIVEN,
    ),
    reject("config-invalid", "anchor", put(CONFIG, "layout: &a {}\n"), at=f"{CONFIG}:1:9", says="anchor", hint="edit", **GIVEN),
    reject("config-invalid", "empty", put(CONFIG, ""), at=f"{CONFIG}:1:1", says="null", hint="edit", **GIVEN),
    reject(
        "config-invalid", "overlap", put(CONFIG, "layout: {fixtures: tests}\n"),
        at=f"{CONFIG}:1:10", says="overlap", hint="edit", **GIVEN,
    ),
    reject("config-invalid", "link", put(CONFIG, Link("x")), at=f"{CONFIG}:1:1", says="no regular file", hint="commit", **GIVEN),
    reject(
        "config-invalid", "goes", drop(CONFIG), before=(put(CONFIG, SIZED.encode()),),
        at=f"{CONFIG}:1:1", says="deleted:", hint="back as it was", **GIVEN,
    ),
    reject(
        "config-invalid", "source-goes", drop("src"),
        at=f"{CONFIG}:1:1", says="(src/)", hint="name the source folders under layout.source",
    ),
    reject(
        "config-invalid", "source-that-is-not-there", put(CONFIG, "layout: {source: [lib, sources]}\n"),
        at=f"{CONFIG}:1:1", says="(lib/, sources/)", hint="layout.source",
    ),
    reject(
        "config-invalid", "source-that-is-a-link", drop("src"), put("src", Link("other")),
        at=f"{CONFIG}:1:1", says="none of the source folders exists", hint="layout.source", also=("layout-kind",),
    ),
]  # fmt: skip

CERTIFICATES: list[Row] = [
    accept("certificate-committed", "a-word-in-a-text", put("docs/a.md", '"freezegate_artifact"')),
    accept("certificate-committed", "json-without-the-mark", put("docs/a.json", '{"a": "freezegate"}')),
    accept("certificate-committed", "old-one", put("docs/b.json", "{}"),
           before=(put("docs/a.json", b'{"freezegate_artifact": 1}'),)),
    accept("certificate-committed", "one-that-goes", drop("docs"),
           before=(put("docs/a.json", b'{"freezegate_artifact": 1}'),)),
    accept("certificate-committed", "above-the-limit",
           put("docs/a.json", '{"freezegate_artifact": 1}' + " " * (1 << 20))),
    reject(
        "certificate-committed", "runs", put("a b/runs.json", '{"freezegate_artifact": 1}'),
        at="a b/runs.json:1:1", says="evidence", hint="git rm --cached -- 'a b/runs.json'",
    ),
    reject(
        "certificate-committed", "changed", append("docs/a.json", " "),
        before=(put("docs/a.json", b'{"freezegate_artifact": 1}'),),
        at="docs/a.json:1:1", says="evidence", hint="git rm --cached",
    ),
    reject(
        "certificate-committed", "base-signatures", put("runs/base.sig.json", "[]"),
        at="runs/base.sig.json:1:1", says="evidence", hint="git rm --cached",
    ),
]  # fmt: skip


def kind(name: str, path: str, *edits: Edit, says: str, hint: str = "git rm --cached", **more: object) -> Row:
    """Something in the wrong place, or of the wrong kind."""
    return reject("layout-kind", name, *edits, at=f"{path}:1:1", says=says, hint=hint, **more)


NFC, NFD = "caf\u00e9", "cafe\u0301"
ACCENTED = (put(CONFIG, f"layout: {{fixtures: {NFC}}}\n".encode()), move("fixtures/orders.json", f"{NFC}/orders.json"))
LAYOUT: list[Row] = [
    accept("layout-kind", "readme-and-git-files", put("tests/bindings/README.md", "x"), put("tests/freezes/.gitkeep", ""),
           put("tests/freezes/README", "x")),
    accept("layout-kind", "attributes", put("tests/bindings/.gitattributes", "")),
    accept("layout-kind", "counterexample-without-a-record", drop(RECORD, CITATION)),
    accept("layout-kind", "links-elsewhere", put("docs", Link("src")), put("lib", Submodule())),
    accept("layout-kind", "link-beside-documents", put("catalog/notes.txt", Link("x"))),
    accept("layout-kind", "twin-of-a-part-elsewhere", put("docs/Tests/x", "")),
    kind("folder-link", "freezes", drop("freezes"), put("freezes", Link("x")), says="a symbolic link"),
    kind("folder-submodule", "props", drop("props"), put("props", Submodule()), says="a submodule", also=("oracle-missing",)),
    kind("above-a-folder", "tests", drop("tests"), put("tests", Link("x")), says="the file or folder itself",
         also=("property-removed",)),
    kind("ledger-link", "freezes/ledger.json", put("freezes/ledger.json", Link("x")), says="a symbolic link"),
    kind("claims-link", CLAIMED, put(CLAIMED, Link("x")), says="a symbolic link", also=("claimed-empty",)),
    kind("lock-link", "tests/fixtures/seeds.lock", put("tests/fixtures/seeds.lock", Link("x")), says="a symbolic link"),
    kind("source-link", "lib", drop("lib"), put("lib", Link("x")), says="a symbolic link",
         before=(put(CONFIG, b"layout: {source: [src, lib]}\n"), put("lib/a.py", b""))),
    kind("record-link", "tests/bindings/a.b.json", put("tests/bindings/a.b.json", Link("x")), says="a symbolic link"),
    kind("case-link", "tests/bindings/a.b.cex.json", put("tests/bindings/a.b.cex.json", Link("x")), says="a symbolic link"),
    kind("citation-submodule", "tests/freezes/a.b.freeze.json", put("tests/freezes/a.b.freeze.json", Submodule()),
         says="a submodule"),
    kind("scope-link", "tests/properties/a.scope.yaml", put("tests/properties/a.scope.yaml", Link("x")), says="symbolic"),
    kind("property-link", "catalog/a.yaml", put("catalog/a.yaml", Link("x")), says="a symbolic link"),
    kind("case-twin", "Catalog", put("Catalog/a.yaml", ""), says="is catalog after Unicode and case folding",
         hint="git mv -- Catalog catalog"),
    kind("case-twin-above", "TESTS", put("TESTS/x", ""), says="is tests after", hint="git mv -- TESTS tests"),
    kind("twin-of-the-ledger", "freezes/Ledger.json", put("freezes/Ledger.json", "[]"), says="freezes/ledger.json",
         hint="git mv"),
    kind("twin-of-source", "SRC", put("SRC/a.py", ""), says="is src after", hint="git mv"),
    kind("long-s", "\u017frc", put("\u017frc/a.py", ""), says="is src after", hint="git mv"),
    kind("decomposed-twin", NFD, put(f"{NFD}/a", ""), says=f"is {NFC} after", hint="git mv", before=ACCENTED),
    kind("text-in-bindings", "tests/bindings/notes.txt", put("tests/bindings/notes.txt", ""), says="no document"),
    kind("folder-in-bindings", "tests/bindings/a/b.json", put("tests/bindings/a/b.json", "{}"), says="no document"),
    kind("record-in-freezes", "tests/freezes/a.b.json", put("tests/freezes/a.b.json", "{}"), says="nothing else belongs"),
    kind("python-in-freezes", "tests/freezes/conftest.py", put("tests/freezes/conftest.py", ""), says="no document"),
    kind("nameless-record", "tests/bindings/.json", put("tests/bindings/.json", "{}"), says="no document"),
    kind("yml", "tests/properties/a.scope.yml", put("tests/properties/a.scope.yml", ""), says="scopes end in .scope.yaml",
         hint="git mv -- tests/properties/a.scope.yml tests/properties/a.scope.yaml"),
    kind("upper-case-yaml", "tests/properties/a.Scope.YAML", put("tests/properties/a.Scope.YAML", ""),
         says="scopes end in .scope.yaml", hint="git mv"),
]  # fmt: skip

TABLE = [*GATE, *CONFIGS, *CERTIFICATES, *LAYOUT]


@rows(TABLE)
def test_rule(row: Row) -> None:
    judge(row)


def test_table_is_complete() -> None:
    judged_on_raw_trees = {"tree-malformed"}
    rejected = {row.rule for row in TABLE if row.places} | judged_on_raw_trees
    assert rejected == {name for name, rule in all_rules().items() if rule.hook == "gate-integrity"}
    assert {row.rule for row in TABLE if not row.places} == rejected - judged_on_raw_trees


def test_hostile_texts_end_and_count_as_changed() -> None:
    """Comparing what aliases unfold to would not end."""
    old = edited(dict(good_project()), put(HOOKS, OURS.encode()))
    for text in (BOMB + "repos: [{repo: *u, hooks: *u}]\nci: *u\n", CHAIN + "ci: *n3000\n", "[" * (1 << 19)):
        assert "gate-mixed" in rules(old, edited(old, put(HOOKS, text), GOVERNED))


def test_gate_integrity_holds_where_no_half_is_on() -> None:
    plain: Files = {"README.md": b"x"}
    named = edited(plain, put(CONFIG, b"policy: {}\n"))
    assert rules(named, edited(named, put("docs/base.sig.json", "[]"))) == ["certificate-committed"]
    assert rules(named, edited(named, put(CONFIG, "policy: {replays: 0}\n"))) == ["config-invalid"]
    assert rules(named, edited(named, put("tests/bindings/notes.txt", "x"), put("Catalog/x", ""))) == []
    assert rules(named, edited(named, put("catalog", Link("x")), put(".gitattributes", "* text\n"))) == []


def test_each_half_watches_its_own_folders() -> None:
    good = dict(good_project())
    binding = {path: text for path, text in good.items() if path.startswith(("src/", "tests/"))}
    verdict = {path: text for path, text in good.items() if not path.startswith("tests/")}
    theirs = put("tests/bindings/notes.txt", "x")
    assert rules(binding, edited(binding, theirs)) == ["layout-kind"]
    assert rules(verdict, edited(verdict, theirs)) == []
    link = put("catalog/a.yaml", Link("x"))
    assert rules(binding, edited(binding, link)) == []
    assert rules(verdict, edited(verdict, link)) == ["layout-kind"]
    named = put(CONFIG, b"layout: {oracles: props}\n")  # one key of a half turns it on
    assert rules(edited(binding, named), edited(binding, named, link)) == ["layout-kind"]


# -- the config in force


def test_a_patch_cannot_soften_the_rules_that_judge_it() -> None:
    strict = edited(dict(good_project()), put(CONFIG, b"policy: {framing: sized}\n"), rebound(sized=True))
    loose = edited(strict, put(CONFIG, b"policy: {framing: plain}\n"), rebound())
    assert {"digest-mismatch", "gate-mixed"} <= set(rules(strict, loose))
    assert rules(strict, edited(strict, put(CONFIG, b"policy: {framing: plain}\n"))) == []


def test_the_first_old_side_under_the_gate_gives_the_config() -> None:
    good = edited(dict(good_project()), put(CONFIG, b"policy: {framing: sized}\n"), rebound(sized=True))
    plain: Files = {"src/orders.py": b"X = 1\n"}
    merged = edited(good, rebound())
    assert "digest-mismatch" in rules([plain, good], merged)
    assert "digest-mismatch" in rules([good, plain], merged)
    # A side with documents and no config is under the gate by the defaults.
    assert "digest-mismatch" not in rules([dict(good_project()), good], merged)


def test_adoption_runs_the_rules_of_the_tree_by_the_new_sides_config() -> None:
    plain: Files = {"src/orders.py": b"X = 1\n"}
    adopted = edited(dict(good_project()), put(CONFIG, b"policy: {framing: sized}\n"), rebound(sized=True))
    report = evaluate_memory(plain, adopted)
    assert found(report) == []  # source, catalog and config in one change
    assert any("under the gate" in note for note in report.notes)
    assert report.checked["scope"] == report.checked["config"] == 1
    broken = edited(adopted, rebound(sized=True, class_local="pass"))
    assert "record-open" in rules(plain, broken)


INVALID = put(CONFIG, b"policy: {framing: loose}\n")


def test_an_invalid_config_in_force_judges_nothing() -> None:
    good = dict(good_project())
    broken = edited(good, INVALID)
    for old, new in ((broken, edited(broken, put("docs/a.md", "x"))), (None, broken), ({"a": b""}, broken)):
        with pytest.raises(CannotJudge, match="line 1, column 10") as error:
            evaluate_memory(old, new)
        assert error.value.hint
    with pytest.raises(CannotJudge, match="given by --config"):
        evaluate_memory(good, good, config="policy: {framing: loose}\n")
    linked = edited(good, put(CONFIG, Link("x")))
    with pytest.raises(CannotJudge, match="no regular file"):
        evaluate_memory(linked, linked)


def test_a_change_of_the_config_alone_to_a_valid_one_mends_it() -> None:
    for broken in (edited(dict(good_project()), INVALID), edited(dict(good_project()), put(CONFIG, Link("x")))):
        mended = edited(broken, put(CONFIG, SIZED))
        assert rules(broken, mended) == []
        for spoiled in (
            edited(mended, put("docs/a.md", "x")),
            edited(broken, put(CONFIG, "policy: {framing: other}\n")),
            edited(broken, drop(CONFIG)),
        ):
            with pytest.raises(CannotJudge):
                evaluate_memory(broken, spoiled)
        # a given config is in force whatever the tree says
        assert rules(broken, mended, config="policy: {}\n") == []


# -- raw trees, as a push or a fetched branch can bring them


def _rows(repo: Repo, tree: str) -> list[bytes]:
    """The raw entries of a tree, in order."""
    raw, rows = repo.git("cat-file", "tree", tree), []
    while raw:
        end = raw.index(b"\0") + 21
        rows.append(raw[:end])
        raw = raw[end:]
    return rows


def _commit_of(repo: Repo, tree: str, parent: str) -> str:
    return repo.git("commit-tree", "-p", parent, "-m", "raw", tree).decode().strip()


def _write_tree(repo: Repo, rows: Iterable[bytes]) -> str:
    raw = b"".join(rows)
    return repo.git("hash-object", "-t", "tree", "--literally", "-w", "--stdin", input=raw).decode().strip()


@pytest.fixture(scope="module")
def raw_repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = with_files(Repo(tmp_path_factory.mktemp("raw")), good_project())
    repo.commit("base")
    return repo


Shape = Callable[[list[bytes], Callable[[bytes, bytes], bytes]], list[bytes]]
RAW: dict[str, tuple[Shape, str]] = {
    "twice": (lambda rows, row: [rows[0], *rows], 'has "catalog" twice'),
    "unsorted": (lambda rows, row: rows[::-1], "unsorted names"),
    "git-folder": (lambda rows, row: [row(b"100644", b".git"), *rows], 'the name ".git"'),
    "git-folder-in-capitals": (lambda rows, row: [row(b"100644", b".GIT"), *rows], 'the name ".GIT"'),
    "dots": (lambda rows, row: [row(b"100644", b".."), *rows], 'the name ".."'),
    "dot": (lambda rows, row: [row(b"100644", b"."), *rows], 'the name "."'),
    "empty": (lambda rows, row: [row(b"100644", b""), *rows], 'the name ""'),
    "slash": (lambda rows, row: [*rows, row(b"100644", b"x/y")], 'the name "x/y"'),
    "mode": (lambda rows, row: [*rows, row(b"100666", b"x")], 'mode 100666 of "x"'),
    "padded-mode": (lambda rows, row: [*rows, row(b"0100644", b"x")], 'mode 0100644 of "x"'),
    "group-writable": (lambda rows, row: [*rows, row(b"100664", b"x")], 'mode 100664 of "x"'),
}  # fmt: skip


@pytest.mark.parametrize("name", RAW)
def test_a_raw_tree_that_git_would_not_write_is_malformed(raw_repo: Repo, name: str) -> None:
    shape, says = RAW[name]
    repo, base = raw_repo, raw_repo.head()
    blob = bytes.fromhex(repo.blob(b"x"))
    tree = _write_tree(repo, shape(_rows(repo, repo.tree()), lambda mode, name: mode + b" " + name + b"\0" + blob))
    head = _commit_of(repo, tree, base)
    report = repo.check_json("--from-ref", base, "--to-ref", head)
    own = [each for each in report["findings"] if each["rule"] == "tree-malformed"]
    assert [(each["line"], each["column"]) for each in own] == [(1, 1)] * len(own) and own
    assert any(says in each["message"] for each in own)
    assert all("git itself" in each["hint"] for each in own)


def test_a_malformed_folder_below_is_found_where_it_is(raw_repo: Repo) -> None:
    repo, base = raw_repo, raw_repo.head()
    inner = _rows(repo, repo.resolve("HEAD:src"))
    folder = b"40000 src\0" + bytes.fromhex(_write_tree(repo, [*inner, *inner]))
    rows = [folder if row.startswith(b"40000 src\0") else row for row in _rows(repo, repo.tree())]
    head = _commit_of(repo, _write_tree(repo, rows), base)
    assert repo.rules("--from-ref", base, "--to-ref", head) == [("src", "tree-malformed")]
    # what came in before is not the next change's fault, until the folder changes again
    later = _commit_of(repo, _write_tree(repo, [*rows, b"100644 z\0" + bytes.fromhex(repo.blob(b"z"))]), head)
    assert repo.rules("--from-ref", head, "--to-ref", later) == []


def test_a_tree_that_git_wrote_is_well_formed(raw_repo: Repo) -> None:
    """Names that only look like trouble, and git's own order of files and folders."""
    repo, base = raw_repo, raw_repo.head()
    blob = repo.blob(b"x")
    for name in ("a/b", "a.b", "a-b", ".gitx/a", "..a", "x\ny", "-dash", ":colon"):
        repo.stage_entry(name, "100644", blob)
    repo.stage_entry("tool.sh", "100755", blob)
    repo.stage_entry("link", "120000", blob)
    repo.stage_entry("module", "160000", base)
    tree = repo.git("write-tree").decode().strip()
    repo.git("read-tree", "HEAD")
    assert repo.rules("--from-ref", base, "--to-ref", _commit_of(repo, tree, base)) == []


def test_a_merge_that_takes_the_side_without_config_removes_none() -> None:
    good = dict(good_project())
    with_config = {**good, CONFIG: b"policy: {stale: fail}\n"}
    assert rules([good, with_config], good) == rules([with_config, good], good) == []
    assert "config-invalid" in rules([with_config, with_config], good)

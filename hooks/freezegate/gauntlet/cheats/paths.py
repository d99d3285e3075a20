"""Names, links, submodules and malformed trees: what is read is not what was reviewed."""

from __future__ import annotations

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("paths and trees")
_ZERO = "0" * 39 + "1"  # a commit that is nowhere: enough for the entry of a submodule


@TOPIC.cheat(
    "oracle-renamed", "The predicate is renamed and edited, so that its old path is in no list.", "predicate-missing"
)
def _renamed(work: Work) -> None:
    work.move(p.PREDICATE, "tests/properties/totals.py")
    work.append("tests/properties/totals.py", "# moved\n")


@TOPIC.cheat("folder-becomes-link", "The folder of oracles becomes a link to a new one.", "layout-kind")
def _folder_link(work: Work) -> None:
    work.move("props", "checks")
    work.append("checks/order_total.py", "\n\nLOOSE = True\n")
    work.link("props", "checks")


@TOPIC.cheat("parent-becomes-link", "The folder above the properties becomes a link.", "layout-kind", own=True)
def _parent_link(work: Work) -> None:
    work.move("tests", "suite")
    work.link("tests", "suite")


@TOPIC.cheat(
    "fixtures-behind-a-link", "A folder of fixtures is a link, so its files are in no digest.", "digest-input-kind"
)
def _fixture_link(work: Work) -> None:
    work.put("data/more.json", '[{"lines": [], "total": 0}]\n')
    work.link("fixtures/more", "../data")


@TOPIC.cheat("dangling-fixture", "A fixture is a link to a file that only the runner has.", "digest-input-kind")
def _dangling(work: Work) -> None:
    work.link("fixtures/local.json", "/var/tmp/rows.json")


@TOPIC.cheat(
    "generator-is-a-link", "The generator becomes a link to a file outside the digest.", "digest-input-kind", own=True
)
def _generator_link(work: Work) -> None:
    work.move(p.GENERATOR, "src/gen_orders.py")
    work.link(p.GENERATOR, "../../src/gen_orders.py")


@TOPIC.cheat("predicate-is-a-link", "The predicate becomes a link to source.", "predicate-missing", own=True)
def _predicate_link(work: Work) -> None:
    work.move(p.PREDICATE, "src/order_total.py")
    work.link(p.PREDICATE, "../../src/order_total.py")


@TOPIC.cheat(
    "case-is-a-link", "The counterexample becomes a link, changed after it was hashed.", "counterexample-missing"
)
def _case_link(work: Work) -> None:
    work.move(p.CASE, "docs/case.json")
    work.link(p.CASE, "../../docs/case.json")


@TOPIC.cheat("scope-is-a-link", "The scope becomes a link to a text that is not governed.", "layout-kind", own=True)
def _scope_link(work: Work) -> None:
    work.move(p.SCOPE, "docs/scope.yaml")
    work.link(p.SCOPE, "../../docs/scope.yaml")


@TOPIC.cheat(
    "case-twin", "A scope beside a twin that differs in case: one file system sees one of them.", "scope-id-duplicate"
)
def _case_twin(work: Work) -> None:
    work.put(p.PREDICATE.replace("order_total", "Order_Total"), "x = 1\n")


@TOPIC.cheat("composed-twin", "Two generators whose names differ in their Unicode form alone.", "scope-id-duplicate")
def _form_twin(work: Work) -> None:
    work.put("tests/fixtures/caf\u00e9.py", "x = 1\n")
    work.put("tests/fixtures/cafe\u0301.py", "x = 2\n")


@TOPIC.cheat(
    "layout-twin", "A file in Tests/Bindings, which some machines lay over tests/bindings.", "layout-kind", own=True
)
def _layout_twin(work: Work) -> None:
    work.put("Tests/Bindings/other.json", "{}\n")


@TOPIC.cheat(
    "fixtures-in-a-submodule",
    "Some fixtures come from a submodule, whose commit is anyone's.",
    "digest-input-kind",
    own=True,
)
def _fixture_module(work: Work) -> None:
    work.entry("fixtures/vendored", "160000", _ZERO)


@TOPIC.cheat("oracles-in-a-submodule", "The folder of oracles becomes a submodule.", "layout-kind", own=True)
def _oracle_module(work: Work) -> None:
    work.drop("props")
    work.add()
    work.entry("props", "160000", _ZERO)


@TOPIC.cheat(
    "helper-in-a-submodule",
    "A package that the predicate imports becomes a submodule.",
    "closure-undecidable",
    own=True,
)
def _helper_module(work: Work) -> None:
    work.drop(p.HELPER)
    work.add()
    work.entry("tests/properties/amounts", "160000", _ZERO)


@TOPIC.cheat(
    "fixture-in-large-file-storage",
    "A fixture becomes a pointer: the bytes lie on another server.",
    "digest-input-kind",
    own=True,
)
def _pointer(work: Work) -> None:
    oid = "4d" * 32
    work.put(p.ROWS, f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12345\n")


@TOPIC.cheat("name-not-utf8", "A fixture's name is no UTF-8, which crashes careless matchers.", "digest-ambiguous")
def _latin(work: Work) -> None:
    work.put(b"fixtures/caf\xe9.json", "[]\n")


@TOPIC.cheat(
    "name-with-a-newline",
    "A fixture's name holds a line break, which splits the lists of careless readers.",
    "digest-ambiguous",
)
def _newline(work: Work) -> None:
    work.put("fixtures/a\nb.json", "[]\n")


@TOPIC.cheat("yml-ending", "A second scope ends in .yml, which no tool reads.", "layout-kind", own=True)
def _yml(work: Work) -> None:
    work.put("tests/properties/second.scope.yml", work.read(p.SCOPE))


@TOPIC.cheat(
    "stray-file-in-bindings", "A file is parked among the records under a name of its own.", "layout-kind", own=True
)
def _stray(work: Work) -> None:
    work.put("tests/bindings/record.bak", work.read(p.RECORD))


@TOPIC.cheat(
    "no-fixtures-left", "All fixtures go: a tree of nothing would have the hash of nothing.", "digest-input-missing"
)
def _emptied(work: Work) -> None:
    work.drop("fixtures")


def _commit_tree(work: Work, rows: list[tuple[str, bytes, str]]) -> None:
    """Commit HEAD's tree with its folder `fixtures` made of these entries, in this order, unchecked."""
    folder = work.object("tree", b"".join(_row(*row) for row in rows))
    root = [_listed(line) for line in work.git("ls-tree", "HEAD").splitlines()]
    data = b"".join(_row(mode, name, folder if name == b"fixtures" else oid) for mode, name, oid in root)
    _commit_root(work, work.object("tree", data))


def _commit_root(work: Work, root: str) -> None:
    commit = work.git("commit-tree", root, "-p", "HEAD", "-m", "tree")
    work.refspecs = [f"{commit}:refs/heads/main"]


def _row(mode: str, name: bytes, oid: str) -> bytes:
    return mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid)


def _listed(line: str) -> tuple[str, bytes, str]:
    head, _, name = line.partition("\t")
    mode, _, oid = head.split()
    return mode.lstrip("0"), name.encode(), oid


def _fixtures(work: Work) -> list[tuple[str, bytes, str]]:
    return [_listed(line) for line in work.git("ls-tree", "HEAD:fixtures").splitlines()]


@TOPIC.cheat(
    "one-name-twice",
    "A tree holds one name twice: git shows the first, a checkout the second.",
    "tree-malformed",
    layer="server",
)
def _twice(work: Work) -> None:
    rows = _fixtures(work)
    _commit_tree(work, [rows[0], (rows[0][0], rows[0][1], work.blob(b"[]\n")), *rows[1:]])


@TOPIC.cheat(
    "tree-unsorted",
    "The names of a tree are not in order, so a search by halves misses one.",
    "tree-malformed",
    layer="server",
    own=True,
)
def _unsorted(work: Work) -> None:
    _commit_tree(work, _fixtures(work)[::-1])


@TOPIC.cheat("dots-in-a-tree", "A tree has an entry called '..'.", "tree-malformed", layer="server", own=True)
def _dots(work: Work) -> None:
    _commit_tree(work, [("100644", b"..", work.blob(b"x")), *_fixtures(work)])


@TOPIC.cheat("git-folder-in-a-tree", "A tree brings a folder .git with it.", "tree-malformed", layer="server", own=True)
def _git_folder(work: Work) -> None:
    hook = work.object("tree", _row("100755", b"pre-commit", work.blob(b"#!/bin/sh\n")))
    _commit_tree(work, [("40000", b".git", hook), *_fixtures(work)])


@TOPIC.cheat(
    "slash-in-a-name",
    "One entry of a tree has a slash in its name and lands in another folder.",
    "tree-malformed",
    layer="server",
    own=True,
)
def _slash(work: Work) -> None:
    _commit_tree(work, [("100644", b"a/../../props/order_total.py", work.blob(b"x")), *_fixtures(work)])


@TOPIC.cheat(
    "unknown-mode", "A fixture has a mode that git reads as another one.", "tree-malformed", layer="server", own=True
)
def _mode(work: Work) -> None:
    rows = _fixtures(work)
    _commit_tree(work, [("100664", *rows[0][1:]), *rows[1:]])

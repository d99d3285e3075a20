"""Repositories, checkouts and settings of every kind, and the tool's first day in one."""

from __future__ import annotations

import shutil

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("places")
_OURS = ("tests", "props", "fixtures", "catalog", "freezes", p.CONFIG, p.PRE_COMMIT, ".github")


def _without(work: Work) -> None:
    """A repository that has never heard of the gate."""
    work.drop(*_OURS)


def _foreign(work: Work) -> None:
    """Another project's folders of the names that the gate would use."""
    _without(work)
    work.put("catalog/products.yaml", "- {id: 1, name: &n tea}\n- *n\n")
    work.link("fixtures/latest", "../data")
    work.put("fixtures/a.json", b"\0\0")
    work.put("tests/bindings/python.c", "int x;\n")
    work.put("tests/fixtures/users.json", "{}\n")
    work.put("freezes/winter.md", "Cold.\n")
    work.put("props/chair.txt", "A chair.\n")


def _property(work: Work) -> None:
    for path in (p.PREDICATE, p.HELPER, p.SCOPE, p.GENERATOR, p.LOCK):
        work.put(path, p.FILES[path])


@TOPIC.benign("without-the-gate", "A repository that has none of the gate's files.", base=_without)
def _none(work: Work) -> None:
    work.append(p.SOURCE, "\n\nMORE = 1\n")
    work.put("tests/test_more.py", "def test_more(case):\n    assert case\n")


@TOPIC.benign("foreign-folders", "Another project has its own catalog, fixtures and bindings.", base=_foreign)
def _others(work: Work) -> None:
    work.append("catalog/products.yaml", "- {id: 2, name: salt}\n")
    work.put("fixtures/b.json", "[]\n")
    work.put("tests/bindings/ruby.c", "int y;\n")
    work.append(p.SOURCE, "\n\nMORE = 1\n")


@TOPIC.benign("foreign-folders-deleted", "Another project deletes its fixtures and its catalog.", base=_foreign)
def _deleted(work: Work) -> None:
    work.drop("fixtures", "catalog")


@TOPIC.benign(
    "adopted-with-a-property",
    "A repository adopts the gate with its first property and its configuration.",
    base=_without,
)
def _adopted(work: Work) -> None:
    _property(work)
    work.put(p.CONFIG, p.FILES[p.CONFIG])
    work.put(p.PRE_COMMIT, p.FILES[p.PRE_COMMIT])
    work.lock()


@TOPIC.benign(
    "adopted-among-foreign-folders",
    "A repository with folders of the same names adopts properties alone.",
    base=_foreign,
)
def _among(work: Work) -> None:
    work.drop("tests/bindings")
    _property(work)


@TOPIC.benign("adopted-with-a-catalog", "A repository adopts the catalog alone.", base=_without)
def _catalog(work: Work) -> None:
    for path, text in p.FILES.items():
        if path.split("/")[0] in ("props", "fixtures", "catalog"):
            work.put(path, text)


@TOPIC.benign(
    "adopted-by-init", "freezegate init sets up a repository, and all that it wrote is committed.", base=_without
)
def _init(work: Work) -> None:
    work.tool("init")


@TOPIC.benign("first-commit", "The good project is the first commit of its repository.", also=())
def _first(work: Work) -> None:
    work.git("update-ref", "-d", "HEAD")


@TOPIC.benign("sha256-repository", "The repository names its objects by SHA-256.", also=())
def _sha256(work: Work) -> None:
    shutil.rmtree(work.at(".git"))
    work.git("init", "-q", "--template=", "--initial-branch=main", "--object-format=sha256")
    work.commit("base")
    work.append(p.SOURCE, "\n\nMORE = 1\n")
    work.tool("retire", p.SCOPE_ID)


@TOPIC.benign("checkout-with-crlf", "A checkout on Windows: every text has CRLF, and core.autocrlf is set.")
def _crlf(work: Work) -> None:
    work.git("config", "core.autocrlf", "true")
    for path in (p.PREDICATE, p.HELPER, p.SCOPE, p.GENERATOR, p.LOCK, p.CASE, p.RECORD, p.ROWS, p.SOURCE):
        work.put(path, work.read(path).replace("\n", "\r\n"))
    work.append("src/report.py", "\n\nMORE = 1\n")


def _committed_crlf(work: Work) -> None:
    for path in (p.PREDICATE, p.HELPER, p.SCOPE, p.GENERATOR, p.LOCK):
        work.put(path, work.read(path).replace("\n", "\r\n"))
    text = work.read(p.SCOPE)
    work.put(
        p.SCOPE, "".join(line for line in text.splitlines(keepends=True) if not line.startswith("predicate_digest"))
    )
    work.lock()
    work.bind(cite=True)


@TOPIC.benign(
    "documents-with-crlf",
    "Documents and predicates were committed with CRLF, and a page is edited.",
    base=_committed_crlf,
)
def _windows(work: Work) -> None:
    work.append("README.md", "More.\r\n")
    work.append(p.SOURCE, "\n\nMORE = 1\n")


@TOPIC.benign("settings-of-a-person", "The person's settings change what git prints.")
def _settings(work: Work) -> None:
    for name, value in (
        ("diff.noprefix", "true"), ("color.ui", "always"), ("core.quotePath", "false"), ("diff.renames", "copies"),
        ("diff.external", "false"), ("status.short", "true"), ("core.abbrev", "4"), ("log.showSignature", "true"),
        ("diff.mnemonicPrefix", "true"), ("diff.ignoreSubmodules", "all"), ("diff.orderFile", "/dev/null"),
    ):  # fmt: skip
        work.git("config", name, value)
    work.append(p.SOURCE, "\n\nMORE = 1\n")
    work.freeze()


@TOPIC.benign("index-version-4", "The index has version 4.", also=())
def _version(work: Work) -> None:
    work.git("update-index", "--index-version", "4")
    work.tool("retire", p.SCOPE_ID)


@TOPIC.benign("split-index", "The index is split.", also=())
def _split(work: Work) -> None:
    work.git("update-index", "--split-index")
    work.tool("retire", p.SCOPE_ID)


@TOPIC.benign("sparse-checkout", "Only the source is checked out, with a sparse index.", also=())
def _sparse(work: Work) -> None:
    work.git("sparse-checkout", "set", "--sparse-index", "src")
    work.append(p.SOURCE, "\n\nMORE = 1\n")
    work.git("add", p.SOURCE)
    work.staged = True


@TOPIC.benign("intent-to-add", "A file is announced, but not added yet.", also=())
def _intent(work: Work) -> None:
    work.append(p.SOURCE, "\n\nMORE = 1\n")
    work.git("add", p.SOURCE)
    work.put("tests/properties/later.py", "def test_later(case):\n    assert case\n")
    work.git("add", "-N", "tests/properties/later.py")
    work.staged = True


@TOPIC.benign("half-staged", "A governed file has edits that are not staged.", also=())
def _half(work: Work) -> None:
    work.append(p.SOURCE, "\n\nMORE = 1\n")
    work.git("add", p.SOURCE)
    work.append(p.PREDICATE, "# later\n")
    work.staged = True


@TOPIC.benign("modes-ignored", "core.fileMode is off, and every file looks executable.", also=())
def _modes(work: Work) -> None:
    work.git("config", "core.fileMode", "false")
    for path in (p.GENERATOR, p.SCOPE, p.ROWS):
        work.at(path).chmod(0o755)
    work.append(p.SOURCE, "\n\nMORE = 1\n")

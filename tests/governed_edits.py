"""Edits of every governed kind, good and bad; names and modes that are odd."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import strategies as st

import building
from building import CITATION, COUNTEREXAMPLE, RECORD, SCOPE
from freezegate.errors import CannotJudge
from freezegate.gate.alone import alone, fixture_lock
from freezegate.gate.locking import predicate_lock
from freezegate.paths import RepoPath
from memory import Content, Executable, Link, Submodule, change
from wild_edits import Files, edits, settle, wild_project

_LEDGER, _CLAIMED, _ENTRY = "freezes/ledger.json", "catalog/claimed.json", "catalog/order_total.yaml"
_PREDICATE, _ORACLE, _SOURCE = "tests/properties/order_total.py", "props/order_total.py", "src/orders.py"
_GENERATOR, _CONFIG = "tests/fixtures/gen_orders.py", ".freezegate.yaml"
UNKNOWN, _BROKEN = "9" * 40, b"policies: {}\n"


def _added(files: Files, path: str, text: bytes) -> Files:
    content = files.get(path)
    return {**files, path: content + text} if isinstance(content, bytes) else files


def _replaced(files: Files, path: str, before: bytes, after: bytes) -> Files:
    content = files.get(path)
    return {**files, path: content.replace(before, after)} if isinstance(content, bytes) else files


def _without(files: Files, *paths: str) -> Files:
    return {path: content for path, content in files.items() if path not in paths}


def _bound(files: Files) -> Files:
    """With records and citations that fit, where they can be written."""
    plain = {path: content for path, content in files.items() if isinstance(content, bytes)}
    try:
        return {**files, **building.rebind(plain)}
    except Exception:  # whatever keeps a record from being written; the edit is then none
        return files


def _locked(files: Files) -> Files:
    """With scopes that state their predicates' digests, and records that fit again."""
    try:
        tree = alone(change(None, files).new)
        digests = {str(path): predicate_lock(view) for path in files if (view := tree.scope(RepoPath.of(path)))}
    except CannotJudge:
        return files
    locked = dict(files)
    for path, digest in digests.items():
        content = files[path]
        if isinstance(content, bytes):
            lines = [line for line in content.splitlines(True) if not line.startswith(b"predicate_digest:")]
            locked[path] = b"".join(lines) + f"predicate_digest: {digest}\n".encode()
    return _bound(locked)


def _ledger(files: Files, base: str, digest: str | None = None) -> Files:
    try:
        fits = fixture_lock(alone(change(None, files).new), "fixtures", b"")
    except CannotJudge:
        return files
    row = {
        "prop_id": "prop.order_total",
        "signature": "a" * 64,
        "fixture_digest": digest or fits,
        "base_revision": base,
    }
    return {**files, _LEDGER: building.as_json([row])}


_MORE = b"\n\nSMALL = 1\n"
_SECOND = (
    b"id: prop.second\noracle: props/second.py:check_second\nclaim: it holds\nmutates_fixture: false\ncases: '*.json'\n"
)
_WORKFLOW = ".github/workflows/check.yml"
# Each takes the files and the id of HEAD.
EDITS: dict[str, Callable[[Files, str], Files]] = {
    "predicate alone": lambda files, head: _added(files, _PREDICATE, _MORE),
    "helper alone": lambda files, head: _added(files, "tests/properties/chain.py", _MORE),
    "predicate with scope": lambda files, head: _bound(
        _added(_added(_without(files, CITATION), _PREDICATE, _MORE), SCOPE, b"description: More.\n")
    ),
    "predicate with scope and citation": lambda files, head: _bound(
        _added(_added(files, _PREDICATE, _MORE), SCOPE, b"description: More.\n")
    ),
    "new property": lambda files, head: _added(files, _PREDICATE, b"\n\ndef test_new(case):\n    assert case\n"),
    "locked": lambda files, head: _locked(files),
    "lock of seeds": lambda files, head: _added(files, "tests/fixtures/order_total.lock", b"# more\n"),
    "generator alone": lambda files, head: _added(files, _GENERATOR, b"\n# more\n"),
    "generator with record": lambda files, head: _bound(_added(files, _GENERATOR, b"\n# more\n")),
    "generator imports": lambda files, head: _bound(_added(files, _GENERATOR, b"\nimport helper\n")),
    "bound": lambda files, head: _bound(files),
    "record open": lambda files, head: _replaced(files, RECORD, b'"class_isolated": "fail"', b'"class_isolated": "pass"'),
    "record null": lambda files, head: _replaced(files, RECORD, b'"class_local": "fail"', b'"class_local": null'),
    "record gone": lambda files, head: _without(files, RECORD),
    "case outside": lambda files, head: _replaced(files, COUNTEREXAMPLE, b'"qty": 1', b'"qty": 0'),
    "citation gone": lambda files, head: _without(files, CITATION),
    "citation": lambda files, head: _bound({**files, CITATION: b"{}"}),
    "citation wrong": lambda files, head: _replaced(files, CITATION, b'"class_local": "fail"', b'"class_local": "pass"'),
    "freeze gone": lambda files, head: _without(files, RECORD, COUNTEREXAMPLE, CITATION),
    "scope gone": lambda files, head: _without(files, SCOPE, RECORD, COUNTEREXAMPLE, CITATION),
    "scope id": lambda files, head: _replaced(files, SCOPE, b"non_negative", b"other"),
    "source": lambda files, head: _added(files, _SOURCE, b"\nTAX = 0\n"),
    "page": lambda files, head: {**files, "docs/page.md": files.get("docs/page.md", b"") + b"more\n"},  # type: ignore[operator]
    "oracle": lambda files, head: _added(files, _ORACLE, b"\n# more\n"),
    "fixture": lambda files, head: _added(files, "fixtures/orders.json", b" "),
    "second property": lambda files, head: {
        **files, "catalog/second.yaml": _SECOND, "props/second.py": b"def check_second(case):\n    assert case\n",
    },
    "second claimed": lambda files, head: {**files, _CLAIMED: b'["prop.order_total", "prop.second"]\n'},
    "claim gone": lambda files, head: {**files, _CLAIMED: b"[]\n"},
    "entry gone": lambda files, head: _without(files, _ENTRY, _CLAIMED),
    "freeze": _ledger,
    "freeze of nowhere": lambda files, head: _ledger(files, UNKNOWN),
    "freeze stale": lambda files, head: _ledger(files, head, "b" * 64),
    "ledger empty": lambda files, head: {**files, _LEDGER: b"[]\n"},
    "config": lambda files, head: {**files, _CONFIG: b"policy:\n  framing: sized\n  require_predicate_digest: true\n"},
    "config plain": lambda files, head: {**files, _CONFIG: b"policy:\n  framing: plain\n"},
    "config moves": lambda files, head: {**files, _CONFIG: b"layout:\n  bindings: elsewhere\n"},
    "config broken": lambda files, head: {**files, _CONFIG: _BROKEN},
    "config gone": lambda files, head: _without(files, _CONFIG),
    "expiry": lambda files, head: {**files, _CONFIG: b"policy:\n  expiry_days: 3\n"},
    "citation expires": lambda files, head: _replaced(files, CITATION, b"\n}", b',\n  "expires": "2023-11-16"\n}'),
    "workflow": lambda files, head: {**files, _WORKFLOW: b"on: push # freezegate " + str(len(files)).encode()},
    "hooks": lambda files, head: {**files, ".pre-commit-config.yaml": b"ci: {skip: [freezegate]}\n"},
    "attributes": lambda files, head: {**files, "tests/.gitattributes": b"*.lock -text\n"},
    "certificate": lambda files, head: {**files, "runs.json": json.dumps({"freezegate_artifact": "runs"}).encode()},
    "all good again": lambda files, head: dict(wild_project()),
}  # fmt: skip
EXPIRING = ("expiry", "citation expires")
CONFIGS = (*(name for name in EDITS if name.startswith("config")), *EXPIRING)

_ODD = (
    "a b",
    "tab\tx",
    "new\nline",
    'quo"te',
    "caf\udce9",
    "cafe\u0301",
    "caf\u00e9",
    "-dash",
    ":colon",
    "UPPER",
    "\x1b[1m",
)
_SUFFIXES = (".freeze.json", ".cex.json", ".scope.yaml", ".json", ".py", ".yaml", ".lock", "")
_PLACES = (
    "tests/bindings",
    "tests/freezes",
    "tests/properties",
    "tests/fixtures",
    "fixtures",
    "catalog",
    "props",
    "docs",
)


@st.composite
def renamed(draw: st.DrawFn, files: Files) -> Files:
    """The files with one of them under an odd name, there or in another folder; or both kept."""
    path = draw(st.sampled_from(sorted(files)))
    suffix = next(each for each in _SUFFIXES if path.endswith(each))
    folder = draw(st.sampled_from([path.rpartition("/")[0] or "docs", *_PLACES]))
    kept = files if draw(st.booleans()) else _without(files, path)
    return settle({**kept, f"{folder}/{draw(st.sampled_from(_ODD))}{suffix}": files[path]})


@st.composite
def remade(draw: st.DrawFn, files: Files) -> Files:
    """The files with one of them executable, a plain file again, a link, a submodule, or gone."""
    path = draw(st.sampled_from(sorted(files)))
    content = files[path]
    plain = content.content if isinstance(content, Executable) else content
    if not isinstance(plain, bytes):
        return {**files, path: b"plain again\n"}
    kinds: list[Content] = [Executable(plain), plain, Link("x"), Link(path.rpartition("/")[2]), Submodule()]
    kind = draw(st.sampled_from([*kinds, None]))
    return _without(files, path) if kind is None else {**files, path: kind}


@st.composite
def edited(draw: st.DrawFn, files: Files, head: str, without: tuple[str, ...] = ()) -> Files:
    """The files after a few edits of any kind; those named in `without` are not made."""
    names = [name for name in EDITS if name not in without]
    if files.get(_CONFIG) == _BROKEN and draw(st.booleans()):
        return EDITS["config plain"](files, head)  # the one way on, by itself
    for _ in range(draw(st.integers(1, 3))):
        if not files:
            return dict(wild_project())
        match draw(st.integers(0, 7)):
            case 0:
                files = draw(renamed(files))
            case 1:
                files = draw(remade(files))
            case 2:
                files = draw(edits(files))
            case _:
                files = EDITS[draw(st.sampled_from(names))](files, head)
    return settle(files)

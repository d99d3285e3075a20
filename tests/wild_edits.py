"""A project with every kind of dependency, and random edits of it."""

from __future__ import annotations

import json

from hypothesis import strategies as st

import building
from memory import Content, Executable, Link, Submodule

Files = dict[str, Content]

PROPERTIES, GENERATORS, BINDINGS = "tests/properties", "tests/fixtures", "tests/bindings"
TWO, THREE = "deep.two", "pkg.three"
_CASE = {"seed": 1, "example_index": 0, "input": {"n": 1}, "predicate_result": "fail", "shrink_steps": 0}


def _scope(scope_id: str, predicate: str, generator: str, more: str = "") -> str:
    return (
        f"scope_id: {scope_id}\npredicate: {PROPERTIES}/{predicate}\ndomain:\n  n: {{min: 0, max: 9}}\n"
        f"generator: {GENERATORS}/{generator}\nschema_version: 3\n{more}"
    )


_TEXTS = {
    f"{PROPERTIES}/amounts.py": "from chain import link\n\n\ndef is_amount(cents):\n    return cents >= link\n",
    f"{PROPERTIES}/chain.py": "from importlib import import_module\nimport_module('pkg.leaf')\nlink = 0\n",
    f"{PROPERTIES}/pkg/__init__.py": "",
    f"{PROPERTIES}/pkg/leaf.py": "value = 1\n",
    f"{PROPERTIES}/pkg/inner.py": "from .leaf import value\nfrom . import leaf\n",
    f"{PROPERTIES}/pkg/stars.py": "from \\\n. import *\n",
    f"{PROPERTIES}/pkg/three.py": "from .stars import *  # noqa\n\n\ndef helper():\n    return 1\n",
    f"{PROPERTIES}/pkg/three_test.py": "from \\\n    . import stars\n\n\ndef test_three(case):\n    assert case\n",
    f"{PROPERTIES}/pkg/three.scope.yaml": _scope(THREE, "pkg/three_test.py:test_three", "gen_two.py",
                                                 "inputs: [tests/fixtures/helper.py]\n"),
    f"{PROPERTIES}/deep/two.py": "import pkg.inner\nimport rootmod\n\n\ndef test_two(case):\n    assert case\n",
    f"{PROPERTIES}/deep/two.scope.yaml": _scope(TWO, "deep/two.py:test_two", "gen_two.py",
                                                "inputs: [README.md, tests/fixtures/helper.py]\n"),
    f"{GENERATORS}/gen_two.py": "import helper\n\n\ndef generate(domain, rng):\n    return {'n': helper.A}\n",
    f"{GENERATORS}/helper.py": "A = 1\n",
    f"{GENERATORS}/seeds.lock": "deep.two 1 10\npkg.three 1 10\n",
    "rootmod.py": "R = 1\n",
    "README.md": "# orders\n",
}  # fmt: skip


def wild_project() -> dict[str, bytes]:
    """The good project with two more bound scopes, a package, a chain of helpers, a root module, inputs."""
    files = {**building.good_project(), **{path: text.encode() for path, text in _TEXTS.items()}}
    for scope_id in (TWO, THREE):
        files[f"{BINDINGS}/{scope_id}.cex.json"] = building.as_json({"scope_id": scope_id, **_CASE})
        files[f"{BINDINGS}/{scope_id}.json"] = b""
    files[f"tests/freezes/{TWO}.freeze.json"] = b""
    return building.rebind(files)


_STEMS: tuple[str, ...] = (
    "amounts",
    "chain",
    "pkg",
    "leaf",
    "inner",
    "stars",
    "three",
    "two",
    "helper",
    "gen_two",
    "gen_orders",
    "deep",
)
_STEMS += ("rootmod", "order_total", "orders", "conftest", "__init__")
_FOLDERS: tuple[str, ...] = (
    "",
    "tests",
    PROPERTIES,
    f"{PROPERTIES}/pkg",
    f"{PROPERTIES}/deep",
    GENERATORS,
    "props",
    "src",
    BINDINGS,
)
_FOLDERS += ("tests/freezes", "fixtures", "catalog", f"{PROPERTIES}/pkg/deep", f"{PROPERTIES}/amounts")
_ENDS = (".py", ".so", ".abi3.so", ".pyc", ".pyd", "/__init__.py", "/__init__.so", "", ".scope.yaml", ".json", ".yml")
_PYTHON = (
    "import {0}\n", "from {0} import {1}\n", "from . import {0}\n", "from .{0} import {1}\n", "from .. import {0}\n",
    "from ..{0} import {1}\n", "from . import *\n", "from {0} import *\n", "from .{0} import *\n", "import {0}.{1}\n",
    "from \\\n . import {0}\n", "from\\\n.{0} import {1}\n", "__import__('{0}')\n", "import importlib\n",
    "from importlib import import_module\nimport_module(\"{0}.{1}\")\n", "from ... import {0}\n", "eval('1')\n",
    "def test_{0}(case):\n    pass\n", "def test_two(case):\n    return\n", "# {0}\n", "import sys; sys.path\n", "def\n",
    "from.import {0}\n", "from .{0}.{1} import *\n", "from . import({0})\n", "if 1:\n\tfrom\t.\timport\t{0}\n",
    "from \f.{0} import {1}\n", "\ufeff", "# coding: latin-1\n", "import \uff48elper\n",
)  # fmt: skip
_stem = st.sampled_from(_STEMS)
_python = st.builds(lambda form, one, two: form.format(one, two), st.sampled_from(_PYTHON), _stem, _stem)
_module = st.lists(_python, min_size=1, max_size=3).map("".join)
_new_path = st.builds(
    lambda folder, stem, end: "/".join(part for part in (folder, stem + end) if part),
    st.sampled_from(_FOLDERS), _stem, st.sampled_from(_ENDS),
) | st.sampled_from(
    [
        f"{PROPERTIES}/__pycache__/leaf.cpython-311.pyc", f"{PROPERTIES}/pkg/__pycache__/x", "__pycache__/y.pyc",
        f"{GENERATORS}/__pycache__", ".freezegate.yaml", ".gitattributes", f"{PROPERTIES}/PKG/leaf.py",
        f"{PROPERTIES}/Pkg.py", f"{GENERATORS}/HELPER.py", "readme.md", f"{BINDINGS}/README.md", "Fixtures/x",
    ]
)  # fmt: skip
_thing: st.SearchStrategy[Content] = st.one_of(
    _module, _module, _module, st.binary(max_size=8), st.just(""), st.sampled_from(["leaf.py", "pkg", "x"]).map(Link),
    st.just(Submodule()), _module.map(lambda text: Executable(text.encode())),
)  # fmt: skip
_OBSTACLES: list[Content] = [Link("x"), Submodule(), b"import leaf\n"]
_SHADOWS = (".so", ".abi3.so", ".pyc", ".pyd", "/__init__.py", "/__init__.pyd", "/__init__.pyc", ".py/x", "/leaf.py")
_importable = st.builds(
    lambda folder, stem: f"{folder}/{stem}" if folder else stem,
    st.sampled_from(["", PROPERTIES, f"{PROPERTIES}/pkg", f"{PROPERTIES}/deep", GENERATORS, "props"]), _stem,
)  # fmt: skip
_SCOPE_LINES = st.sampled_from(
    [
        b"# more\n", b"inputs: [README.md]\n", b"inputs: [rootmod.py, tests/fixtures/helper.py]\n", b"description: x\n",
        b"seed_lock: tests/fixtures/order_total.lock\n", b"inputs: [tests/properties/pkg/leaf.py]\n", b"- x\n",
        b"predicate_digest: " + b"a" * 64 + b"\n", b'inputs: ["README\\x2emd"]\n', b"inputs: [src/orders.py]\n",
        b"inputs: [tests/fixtures]\n", b"inputs: ['a\\b']\n",
    ]
)  # fmt: skip
_SWAPS = (
    (b"order_total.non_negative", b"deep.two"), (b"deep.two", b"deep.four"), (b"pkg.three", b"deep.two"),
    (b"deep/two.py", b"pkg/three_test.py"), (b"test_two", b"test_three"), (b"gen_two.py", b"gen_orders.py"),
    (b"gen_two.py", b"helper.py"), (b"min: 0", b"min: 5"), (b"fail", b"pass"), (b'"fail"', b"null"), (b"helper", b"leaf"),
    (b"import", b"import "), (b"1", b"2"), (b"\n", b"\r\n"), (b"\n", b"\r"), (b"from .", b"from .."), (b": ", b":\n "),
    (b"a", b"\xc3\xa9"), (b"scope_id", b"scope_ids"),
)  # fmt: skip


def settle(files: Files) -> Files:
    """Without the files that stand where a folder is needed."""
    needed = {"/".join(path.split("/")[:depth]) for path in files for depth in range(1, path.count("/") + 1)}
    return {path: content for path, content in files.items() if path not in needed}


@st.composite
def edits(draw: st.DrawFn, files: Files) -> Files:
    """The files after one random edit."""
    path = draw(st.sampled_from(sorted(files)))
    content = files[path]
    match draw(st.integers(0, 13)):
        case 0:
            return {other: text for other, text in files.items() if other != path}
        case 1:
            return settle({**files, draw(_new_path): draw(_thing)})
        case 2:
            return settle({**files, path: draw(_thing)})
        case 3 if isinstance(content, bytes):
            return {**files, path: content + draw(_module).encode()}
        case 4 if isinstance(content, bytes):
            before, after = draw(st.sampled_from(_SWAPS))
            return {**files, path: content.replace(before, after, draw(st.integers(-1, 2)))}
        case 5:
            kept = {other: text for other, text in files.items() if other != path}
            return settle({**kept, draw(_new_path): content})
        case 6:
            scope = draw(st.sampled_from([each for each in sorted(files) if each.endswith(".scope.yaml")] or [path]))
            text = files[scope]
            return {**files, scope: text + draw(_SCOPE_LINES)} if isinstance(text, bytes) else files
        case 7:
            return _rebound(files)
        case 8:
            folder = path.rpartition("/")[0]
            above = folder + "/"
            return {other: text for other, text in files.items() if not folder or not other.startswith(above)} or files
        case 9:
            folder = path.rpartition("/")[0]
            if not folder:
                return files
            to = draw(st.sampled_from([each for each in _FOLDERS if each]))
            moved = {
                (to + other[len(folder) :] if other.startswith(folder + "/") else other): text
                for other, text in files.items()
            }
            return settle(moved)
        case 11:
            return settle({**files, draw(_importable): draw(st.sampled_from(_OBSTACLES))})
        case 12:
            return settle({**files, draw(_importable) + draw(st.sampled_from(_SHADOWS)): b""})
        case 10 if isinstance(content, bytes):
            return {**files, path: Executable(content)}
        case _:
            return {**files, path: content + b"\n"} if isinstance(content, bytes) else files


def _rebound(files: Files) -> Files:
    try:
        rebound: Files = {**files}
        rebound.update(building.rebind({path: each for path, each in files.items() if isinstance(each, bytes)}))
        return rebound
    except Exception:  # whatever keeps a record from being written; the edit is then none
        return files


@st.composite
def _edited(draw: st.DrawFn, start: Files, most: int) -> Files:
    files = start
    for _ in range(draw(st.integers(1, most))):
        files = draw(edits(files))
        if not files:
            return dict(start)
    return encoded(files)


class Trees:
    """Trees that grew from one another; shown as what differs."""

    def __init__(self, *trees: Files) -> None:
        self.trees = trees

    def __repr__(self) -> str:
        bases: tuple[Files, ...] = (dict(wild_project()), *self.trees)
        return "\n".join(shown(tree, base) for tree, base in zip(self.trees, bases, strict=False))


@st.composite
def steps(draw: st.DrawFn, clean: bool = False) -> Trees:
    """An old tree (the wild project, or it after edits unless `clean`) and a new one that grew from it."""
    old: Files = dict(wild_project())
    if not clean and draw(st.booleans()):
        old = draw(_edited(old, 4))
    return Trees(old, draw(_edited(old, 4)))


@st.composite
def merges(draw: st.DrawFn) -> Trees:
    """Two sides that grew from the wild project, and a mixture of their files."""
    base: Files = dict(wild_project())
    ours, theirs = draw(_edited(base, 3)), draw(_edited(base, 3))
    both = {**ours, **theirs}
    differing = sorted(path for path in both if ours.get(path) != theirs.get(path))
    mixed = dict(both)
    for path in differing:
        side = ours if draw(st.booleans()) else theirs
        mixed.pop(path)
        if path in side:
            mixed[path] = side[path]
    return Trees(ours, theirs, settle(mixed) or dict(base))


def encoded(files: Files) -> Files:
    """The same with texts as bytes."""
    return {path: content.encode() if isinstance(content, str) else content for path, content in files.items()}


def shown(files: Files, base: Files) -> str:
    """What differs, to be read by a person."""
    rows = {path: (base.get(path), files.get(path)) for path in {**base, **files} if base.get(path) != files.get(path)}
    return json.dumps({path: [repr(side) for side in sides] for path, sides in sorted(rows.items())}, indent=1)

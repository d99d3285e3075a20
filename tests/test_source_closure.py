from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from freezegate.gate.narrow import RELATIVE
from freezegate.source.closure import Closure, closure
from freezegate.source.narrow import stems
from source_files import LINK, ROOTS, SUBMODULE, Tree

START = "tests/properties/pred.py"


def look(start: str, contents: dict[str, str | bytes | int], conftest: bool = False) -> Closure:
    return closure(start.encode(), Tree(contents), ROOTS, (b"src",), conftest)


def paths(found: Closure) -> set[str]:
    return {path.decode() for path in found.files}


BELONG = {
    "own folder": ("import a", ["tests/properties/a.py"]),
    "other roots": ("import a", ["tests/fixtures/a.py", "props/a.py", "a.py"]),
    "every candidate": ("import a.b", ["a.py", "a/__init__.py", "a/b.py", "a/b/__init__.py", "props/a/b.py"]),
    "prefixes": ("import a.b.c", ["a/__init__.py", "a/b/__init__.py", "a/b/c.py"]),
    "name of a package": ("from a import b, c", ["a/__init__.py", "a/b.py", "a/c/__init__.py"]),
    "name of a folder without init": ("from a import b", ["a/b.py"]),
    "star": ("from a import *", ["a/__init__.py", "a/b.py", "a/c.py", "a/d/__init__.py"]),
    "star with odd names": ("from a import *", ["a/__init__.py", "a/my-pkg/__init__.py", "a/\u00fc/__init__.py"]),
    "patched": ("mock.patch('a.b.c')", ["a/__init__.py", "a/b.py"]),
    "resources": ("resources.files('a')", ["a/__init__.py"]),
    "relative": ("from .a import b", ["tests/properties/a.py"]),
    "relative name": (
        "from . import a",
        ["tests/properties/a.py", "tests/properties/__init__.py", "tests/__init__.py"],
    ),
    "relative above": ("from ..a import b", ["tests/a/b.py", "tests/__init__.py"]),
    "relative star": ("from . import *", ["tests/properties/x.py"]),
    "other part of a namespace": ("from . import a", ["props/tests/properties/a.py"]),
    "literal call": ("import_module('a.b')", ["a/b.py"]),
    "name that is no identifier": ("__import__('a-b')", ["a-b.py"]),
    "in a function": ("def f():\n    import a", ["a.py"]),
    "chain": ("import one", ["one.py"]),
}


@pytest.mark.parametrize("case", BELONG)
def test_what_can_be_imported_belongs(case: str) -> None:
    text, wanted = BELONG[case]
    contents: dict[str, str | bytes | int] = {START: text, "unrelated.py": "", "a/not_python.txt": ""}
    found = look(START, contents | dict.fromkeys(wanted, ""))
    assert paths(found) == {START, *wanted}
    assert found.problems == ()
    assert next(iter(found.files)) == START.encode()


def test_it_goes_on_from_each_file_with_its_own_folder() -> None:
    found = look(
        START,
        {
            START: "import lib.one",
            "lib/one.py": "import two",
            "lib/two.py": "import lib.one",
            "lib/three.py": "",
        },
    )
    assert paths(found) == {START, "lib/one.py", "lib/two.py"}


def test_a_helper_elsewhere_reaches_the_start_files_folder() -> None:
    contents: dict[str, str | bytes | int] = {
        "tests/properties/deep/pred.py": "import one",
        "one.py": "import two",
        "tests/properties/deep/two.py": "",
    }
    assert "tests/properties/deep/two.py" in paths(look("tests/properties/deep/pred.py", contents))


def test_source_files_never_belong_and_are_not_walked() -> None:
    contents: dict[str, str | bytes | int] = {
        START: "import src.app, srcs.x\nfrom src import *",
        "src/__init__.py": "",
        "src/app.py": "import helper\neval('x')",
        "src/app.so": b"",
        "srcs/x.py": "",
        "helper.py": "",
    }
    found = look(START, contents)
    assert paths(found) == {START, "srcs/x.py"}
    assert (found.problems, found.shadows) == ((), ())
    assert look("src/app.py", contents).files == {}


def test_modes_and_ids_are_those_of_the_tree() -> None:
    tree = Tree({START: "import a", "a.py": ""})
    found = closure(START.encode(), tree, ROOTS, ())
    assert found.files == {path: tree.entry(path) for path in (START.encode(), b"a.py")}


def test_conftest_files_belong_only_where_asked() -> None:
    contents: dict[str, str | bytes | int] = {
        START: "",
        "conftest.py": "import a",
        "tests/conftest.py": "",
        "tests/properties/conftest.py": LINK,
        "tests/properties/__init__.py": "",
        "props/conftest.py": "",
        "a.py": "",
    }
    assert paths(look(START, contents)) == {START}
    found = look(START, contents, conftest=True)
    assert paths(found) == {START, "conftest.py", "tests/conftest.py", "tests/properties/__init__.py", "a.py"}
    assert found.links == (b"tests/properties/conftest.py",)


def problems(found: Closure) -> list[tuple[str, str, int]]:
    return [(path.decode(), problem.rule, problem.line) for path, problem in found.problems]


def test_problems_of_every_file_are_said_at_their_place() -> None:
    found = look(START, {START: "\neval\nimport a", "a.py": "\n\nexec\nimport b", "b.py": "x = '\u202e'"})
    assert problems(found) == [
        ("a.py", "closure-undecidable", 3),
        ("b.py", "source-disguised", 1),
        (START, "closure-undecidable", 2),
    ]


def test_a_helper_that_does_not_parse_is_undecidable_and_the_start_is_not() -> None:
    found = look(START, {START: "import a, b", "a.py": "x = 1\ndef (", "b.py": b"\xff"})
    assert problems(found) == [("a.py", "closure-undecidable", 2), ("b.py", "source-disguised", 1)]
    assert look(START, {START: "def ("}).problems == ()


def test_a_relative_import_that_leaves_the_repository() -> None:
    assert problems(look(START, {START: "\nfrom ... import a"})) == []
    assert problems(look(START, {START: "\nfrom .... import a"})) == [(START, "closure-undecidable", 2)]


def test_a_submodule_on_the_way() -> None:
    contents: dict[str, str | bytes | int] = {
        START: "import os\nimport lib.x, a.b",
        "a/b": SUBMODULE,
        "lib/x.py": "",
    }
    found = look(START, contents)
    assert problems(found) == [(START, "closure-undecidable", 2)]
    assert "a/b" in found.problems[0][1].message
    assert problems(look(START, {START: "import a", "b": SUBMODULE})) == []


def test_links_in_the_place_of_a_candidate_or_on_the_way() -> None:
    contents: dict[str, str | bytes | int] = {
        START: "import a, b.c, d.e",
        "a.py": LINK,
        "b": LINK,
        "d/e/__init__.py": LINK,
        "other": LINK,
    }
    assert look(START, contents).links == (b"a.py", b"b", b"d/e/__init__.py")
    assert look(START, {START: LINK}).links == (START.encode(),)
    assert look(START, {"tests": LINK}).links == (b"tests",)
    assert look(START, {}) == Closure()


SHADOWED = {
    "compiled start": ("", "tests/properties/pred.pyc"),
    "extension beside the start": ("", "tests/properties/pred.so"),
    "tagged extension": ("import a", "a.cpython-311-x86_64-linux-gnu.so"),
    "stable extension of a name without a file": ("import b", "tests/fixtures/b.abi3.so"),
    "windows": ("import a", "a.pyd"),
    "init": ("import p.x", "p/__init__.pyc"),
    "name": ("from p import y", "p/y.so"),
    "star": ("from p import *", "p/z.so"),
    "cache": ("", "tests/properties/__pycache__/pred.cpython-311.pyc"),
    "cache as a file": ("import a", "__pycache__"),
    "package": ("", "tests/properties/pred/__init__.py"),
    "compiled package": ("import a", "a/__init__.pyc"),
}


@pytest.mark.parametrize("case", SHADOWED)
def test_what_would_run_instead_is_a_shadow(case: str) -> None:
    text, shadow = SHADOWED[case]
    plain: dict[str, str | bytes | int] = {
        START: text,
        "a.py": "",
        "p/x.py": "",
        "tests/properties/pred2.so": b"",
    }
    assert look(START, plain).shadows == ()
    wanted = shadow.partition("__pycache__")[0] + "__pycache__" if "__pycache__" in shadow else shadow
    assert look(START, plain | {shadow: b""}).shadows == (wanted.encode(),)


def test_a_link_of_a_files_stem_is_a_shadow() -> None:
    assert look(START, {START: "", START.removesuffix(".py"): LINK}).shadows == (b"tests/properties/pred",)
    assert look(START, {START: "", START.removesuffix(".py"): b"a file"}).shadows == ()


def test_each_level_is_asked_for_once() -> None:
    start = START.encode()
    tree = Tree({START: "import a, c", "a.py": "import b", "c.py": "import b", "b.py": ""})
    assert len(closure(start, tree, ROOTS, (b"src",)).files) == 4
    assert [sorted(batch) for batch in tree.batches] == [[start], [b"a.py", b"c.py"], [b"b.py"]]
    assert len(closure(start, tree, ROOTS, (b"src",)).files) == 4 and len(tree.batches) == 3


def test_a_thousand_modules_that_import_each_other_are_walked_once() -> None:
    text = "import " + ", ".join(f"m{n}" for n in range(300)) + "\nfrom . import *\n"
    tree = Tree({f"m{n}.py": text for n in range(300)})
    assert len(closure(b"m0.py", tree, ROOTS, ()).files) == 300


def test_a_long_chain_needs_no_deep_stack() -> None:
    tree = Tree({f"m{n}.py": f"import m{n + 1}" for n in range(3000)})
    assert len(closure(b"m0.py", tree, ROOTS, ()).files) == 3000


def test_trees_do_not_share_what_is_known() -> None:
    assert paths(look(START, {START: "import a", "a.py": ""})) == {START, "a.py"}
    assert paths(look(START, {START: "import a"})) == {START}
    tree = Tree({START: "import a", "a.py": ""})
    assert closure(START.encode(), tree, ROOTS, ()).files != closure(START.encode(), tree, ROOTS, (b"a.py",)).files


# -- generated trees

FOLDERS = ("", "tests/properties", "tests/fixtures", "props", "p", "p/q", "tests/properties/p", "props/p")
NAMES = ("__init__", "m", "n", "q", "p")
MODULES = ("m", "n", "p", "p.m", "p.q", "p.q.n", "q")
LINES = st.one_of(
    st.sampled_from([f"import {name}" for name in MODULES]),
    st.sampled_from([f"from {name} import m, n, q" for name in MODULES]),
    st.sampled_from([f"from {name} import *" for name in MODULES]),
    st.sampled_from(
        [
            f"from {dots}{name} import {what}"
            for dots in (".", "..")
            for name in ("", "m", "q", "p")
            for what in ("m", "*")
        ]
    ),
    st.sampled_from([f"importlib.import_module('{name}')" for name in MODULES]),
    st.just("__all__ = ['m', 'n']"),
)
TREES = st.dictionaries(
    st.builds(
        lambda folder, name: f"{folder}/{name}.py".lstrip("/"),
        st.sampled_from(FOLDERS),
        st.sampled_from(NAMES),
    ),
    st.lists(LINES, max_size=3),
    min_size=1,
    max_size=12,
)

# Every line runs for itself, so that one failing import does not keep the others from being tried.
CHILD = """
import importlib, importlib.util, json, os, sys
root, start, roots = os.getcwd(), sys.argv[1], sys.argv[2:]
sys.path += [os.path.join(root, folder) for folder in roots]
spec = importlib.util.spec_from_file_location("started", start)
try:
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
except Exception:
    pass
origins = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
loaded = getattr(sys, "_loaded", [])
inside = {os.path.relpath(path, root) for path in [*origins, *loaded] if path and path.startswith(root)}
print(json.dumps(sorted(inside)))
"""


def really_loaded(folder: Path, files: dict[str, list[str]], start: str) -> set[str]:
    for path, lines in files.items():
        text = "import importlib, sys\nsys._loaded = getattr(sys, '_loaded', []) + [__file__]\n"
        for line in lines:
            # A star import must stand at the module's top level, and `try` is no scope.
            text += f"try:\n    {line}\nexcept Exception: pass\n"
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    roots = [str(Path(start).parent), *[root.decode() for root in ROOTS]]
    run = subprocess.run(
        [sys.executable, "-I", "-B", "-c", CHILD, start, *roots],
        cwd=folder,
        capture_output=True,
        check=True,
        text=True,
    )
    return set(json.loads(run.stdout))


def check_against_python(folder: Path, files: dict[str, list[str]], start: str) -> None:
    loaded = really_loaded(folder, files, start)
    text = {path: "\n".join(["import importlib", *lines]) for path, lines in files.items()}
    found = look(start, dict(text))
    assert loaded <= paths(found) | {start}


def test_python_loads_what_the_examples_expect(tmp_path: Path) -> None:
    files = {START: ["import p.m", "from n import *"], "p/__init__.py": [], "p/m.py": ["from . import n"]}
    files |= {"p/n.py": [], "n/__init__.py": ["__all__ = ['m']"], "n/m.py": [], "q.py": []}
    assert really_loaded(tmp_path, files, START) == {*files} - {"q.py"}
    check_against_python(tmp_path, files, START)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TREES, st.data())
def test_the_closure_holds_whatever_python_loads(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, list[str]], data: st.DataObject
) -> None:
    start = data.draw(st.sampled_from(sorted(files)))
    check_against_python(tmp_path_factory.mktemp("tree"), files, start)


@settings(max_examples=200, deadline=None)
@given(TREES, st.data())
def test_the_word_search_finds_every_importer(files: dict[str, list[str]], data: st.DataObject) -> None:
    text = {path: "\n".join(lines) for path, lines in files.items()}
    start = data.draw(st.sampled_from(sorted(files)))
    found = paths(look(start, dict(text)))

    def may_import(importer: str, path: bytes) -> bool:
        content = text[importer].encode()
        return re.search(RELATIVE, content) is not None or any(word in content for word in stems(path))

    for path in found - {start}:
        assert any(may_import(importer, path.encode()) for importer in found)


def test_words_of_a_path() -> None:
    assert stems(b"a/b/c.py") == {b"c", b"b"}
    assert stems(b"c.py") == {b"c"}
    assert stems(b"a/b/__init__.py") == {b"b", b"a"}
    assert stems(b"a/c.cpython-311.so") == {b"c", b"c.cpython-311.so", b"a"}
    assert stems(b"a/__pycache__/c.pyc") == {b""}
    assert stems(b"a/link") == {b"link", b"a"}

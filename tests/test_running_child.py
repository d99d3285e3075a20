"""What a child imports, from where, and what it tells of a failure: the same under every Python at hand."""

from __future__ import annotations

import compileall
import os
import py_compile
import shutil
import subprocess
import sys
import textwrap
import venv
from pathlib import Path

import pytest

from children import PREDICATE, Project, pythons
from freezegate.running.evaluation import evaluate, replay
from freezegate.running.launch import HARNESS, SOURCES_BOOT, Launch, emptied

PYTHONS = pythons()
every_python = pytest.mark.parametrize("python", PYTHONS, ids=[Path(python).parts[-3] for python in PYTHONS])
MODULES = (
    "json",
    "hashlib",
    "yaml",
    "random",
    "os",
    "sitecustomize",
    "usercustomize",
    "ast",
    "traceback",
    "fcntl",
    "resource",
)
HARMFUL = "import os\nos.write(2, b'taken')\nraise SystemExit(__name__)\n"


def sources(project: Project, python: str = sys.executable) -> Launch:
    """The same launch with the harness sent."""
    return project.launch(python)._replace(argv=(python, "-s", "-X", "utf8", "-c", SOURCES_BOOT), sources=True)


@every_python
def test_the_tree_shadows_nothing_of_the_standard_library(python: str, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"{folder}{name}.py": HARMFUL
        for folder in ("", "tests/properties/", "src/")
        for name in MODULES
        if name != "yaml"
    }
    source = (
        "import json, hashlib, random, ast, traceback\ndef test_p(case): assert json.loads('1') == case['a'], 'real'"
    )
    project = Project(tmp_path, source, files)
    assert project.outcome({"a": 1}, python=python, facts=True)[:2] == ("pass", None)
    outcome = project.outcome({"a": 2}, python=python)
    assert outcome.failure is not None and outcome.failure.message == "real"
    assert outcome.noise == ""


def test_a_package_of_the_tree_is_taken_before_an_installed_one(tmp_path: Path) -> None:
    source = "import yaml, helper\ndef test_p(case): assert (yaml.HERE, helper.HERE) == ('root', 'beside')"
    files: dict[str, str | bytes] = {
        "yaml.py": "HERE = 'root'",
        "helper.py": "HERE = 'root'",
        "tests/properties/helper.py": "HERE = 'beside'",
    }
    assert Project(tmp_path, source, files).outcome()[:2] == ("pass", None)


@every_python
def test_bytecode_of_the_tree_is_neither_read_nor_written(python: str, tmp_path: Path) -> None:
    source = (
        "import helper, src_helper\ndef test_p(case): assert (helper.HERE, src_helper.HERE) == ('source', 'source')"
    )
    project = Project(tmp_path, source)
    for file in (project.root / "helper.py", project.root / "src/src_helper.py", project.root / PREDICATE):
        right = file.read_text() if file.exists() else "HERE = 'source'"
        file.parent.mkdir(exist_ok=True)
        file.write_text("HERE = 'bytecode'\ndef test_p(case): pass")
        # Such a file is believed without a look at the source.
        made = "import py_compile, sys; py_compile.compile(sys.argv[1], invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)"
        subprocess.run([python, "-c", made, file], check=True)
        shutil.copy(next((file.parent / "__pycache__").glob(f"{file.stem}.*")), file.with_suffix(".pyc"))
        file.write_text(right)
    before = {path: path.read_bytes() for path in project.root.rglob("*") if path.is_file()}
    assert project.outcome(python=python)[:2] == ("pass", None)
    assert {path: path.read_bytes() for path in project.root.rglob("*") if path.is_file()} == before


def test_bytecode_without_a_source_is_no_module(tmp_path: Path) -> None:
    project = Project(tmp_path, "import helper\ndef test_p(case): pass")
    file = project.write("helper.py", "")
    py_compile.compile(str(file), str(file) + "c")
    file.unlink()
    assert "No module named 'helper'" in (project.outcome().reason or "")


def test_extensions_are_importable_from_source_only(tmp_path: Path) -> None:
    import _testcapi as extension

    project = Project(tmp_path, "import _testcapi\ndef test_p(case): assert False, _testcapi.__file__")
    where = "_testcapi.so" if extension.__file__ is None else Path(extension.__file__).name
    assert extension.__file__ is not None
    for folder in ("", "tests/properties/"):
        (project.root / folder / where.replace("_testcapi", "native")).write_bytes(
            Path(extension.__file__).read_bytes()
        )
    project.write(PREDICATE, "import native\ndef test_p(case): pass")
    assert "No module named 'native'" in (project.outcome().reason or "")
    project.write("src/" + where.replace("_testcapi", "native"), Path(extension.__file__).read_bytes())
    # It is found now; the name in it is another one.
    assert "PyInit_native" in (project.outcome().reason or "")


@every_python
def test_relative_imports_lead_to_the_files_beside(python: str, tmp_path: Path) -> None:
    source = """
        from . import NAMED, helper
        from .helper import HERE
        from ..more.deep import DEEP
        def test_p(case): assert (HERE, DEEP, NAMED, helper.HERE) == (1, 2, 3, 1)
        """
    files: dict[str, str | bytes] = {
        "tests/properties/helper.py": "HERE = 1",
        "tests/more/deep.py": "DEEP = 2",
        "tests/properties/__init__.py": "NAMED = 3",
        "tests/__init__.py": HARMFUL,
    }
    assert Project(tmp_path, source, files).outcome(python=python)[:2] == ("pass", None)


def test_a_predicate_file_may_have_any_name(tmp_path: Path) -> None:
    project = Project(tmp_path, "")
    path = "tests/a b.c/p-q.r é.py"
    project.write(path, "from .h import H\ndef test_p(case): assert H == 2")
    project.write("tests/a b.c/h.py", "H = 1")
    outcome = project.outcome(predicate={"path": path, "function": "test_p"}, closure=[path])
    assert outcome.failure is not None and (outcome.failure.file, outcome.failure.inside) == (path, True)


@every_python
def test_the_child_sees_its_tree_and_a_clean_environment(python: str, tmp_path: Path) -> None:
    source = f"""
        import os, sys, tempfile, time
        def test_p(case):
            assert os.getcwd() == {str(tmp_path / "tree")!r}
            assert tempfile.gettempdir() == os.environ["HOME"] == {str(tmp_path / "temp")!r}
            assert not [path for path in sys.path if path == "" or path.endswith("harness")]
            assert sys.flags.hash_randomization == 0 and sys.flags.optimize == 0 and sys.flags.utf8_mode == 1
            assert sys.dont_write_bytecode and time.tzname[0] == "UTC"
            assert sys.stdin.read() == "" and not [name for name in sys.modules if name.startswith("freezegate_c")]
            # All that it was given is its own three descriptors; what it holds besides is not passed on.
            assert not any(os.get_inheritable(fd) for fd in range(3, 300) if os.path.exists(f"/proc/self/fd/{{fd}}"))
            open(os.path.join(tempfile.gettempdir(), "left"), "w").close()
        """
    project = Project(tmp_path, source)
    assert project.outcome(python=python)[:2] == ("pass", None)
    assert not list(project.temp.iterdir())


def test_one_replay_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    source = """
        import os, tempfile
        def test_p(case):
            folder = tempfile.gettempdir()
            assert not os.listdir(folder)
            os.makedirs(folder + "/a/b")
            os.symlink("/", folder + "/a/root")
            os.mkfifo(folder + "/a/b/pipe")
            os.chmod(folder + "/a/b", 0)
        """
    project = Project(tmp_path, source)
    assert replay(project.launch(), project.job(), b"{}", 3, 20)[1:] == ("pass", None)


def test_a_link_in_the_temporary_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/file").touch()
    (tmp_path / "temp").mkdir()
    (tmp_path / "temp/link").symlink_to(tmp_path / "kept")
    emptied(str(tmp_path / "temp"))
    assert (tmp_path / "kept/file").exists() and not list((tmp_path / "temp").iterdir())


LAYOUTS = [
    "def test_p(case):\n    assert f(case['a'] , \"x  y\") == f\"{case['a']:>{3}}\", 'why'",
    "\n\n# more\ndef test_p(case):\n  if True:\n    assert f(  # here\n      case['a'],\n    \"x  y\") \\\n  == f\"{case['a']:>{3}}\", (\n 'why')",
]


@every_python
def test_what_is_told_of_a_failure_depends_on_no_layout(python: str, tmp_path: Path) -> None:
    project = Project(tmp_path, "")
    failures = []
    for text in LAYOUTS:
        project.write(PREDICATE, text.replace("(\n 'why')", "'why'") + "\ndef f(a, b): return a\n")
        failure = project.outcome({"a": 1}, python=python).failure
        assert failure is not None
        failures.append(failure._replace(line=0))
    assert failures[0] == failures[1]
    assert failures[0].statement == """assert f ( case [ 'a' ] , "x  y" ) == f"{case['a']:>{3}}" , 'why'"""
    assert (failures[0].function, failures[0].message) == ("test_p", "why")


@every_python
def test_the_innermost_statement_of_the_closure_is_named(python: str, tmp_path: Path) -> None:
    source = """
        import helper, product
        class Check:
            def all(self, case):
                def one(x):
                    return helper.checked(x)
                return [one(x) for x in case["xs"]]
        def test_p(case): Check().all(case)
        """
    files: dict[str, str | bytes] = {
        "helper.py": "import product\ndef checked(x):\n    return product.half(\n        x)\n",
        "src/product.py": "def half(x):\n    raise ValueError(x)\n",
    }
    project = Project(tmp_path, source, files)
    inner = project.outcome({"xs": [1]}, python=python, closure=[PREDICATE, "helper.py"]).failure
    outer = project.outcome({"xs": [1]}, python=python).failure
    outside = project.outcome({"xs": [1]}, python=python, closure=[]).failure
    assert inner is not None and outer is not None and outside is not None
    assert inner[:5] == ("builtins.ValueError", "return product . half ( x )", "helper.py", "checked", True)
    assert outer[1:5] == ("return helper . checked ( x )", PREDICATE, "Check.all.<locals>.one", True)
    assert outside[1:5] == ("raise ValueError ( x )", "src/product.py", "half", False)


def test_a_file_that_rewrites_itself_is_told_of_as_it_ran(tmp_path: Path) -> None:
    source = "def test_p(case):\n    open(__file__, 'w').write('x = 1\\n' * 9)\n    assert case is None\n"
    failure = Project(tmp_path, source).outcome().failure
    assert failure is not None and failure.statement == "assert case is None"


@every_python
def test_the_harness_can_be_sent(python: str, tmp_path: Path) -> None:
    project = Project(tmp_path, "import json\ndef test_p(case): assert case['a'] < 2", {"json.py": HARMFUL})
    job = project.job(facts=True)
    passed = evaluate(sources(project, python), job, b'{"a": 1}', 20)
    failed = evaluate(sources(project, python), job, b'{"a": 2}', 20)
    seen = evaluate(project.launch(python), job, b'{"a": 2}', 20)
    assert passed.label == "pass" and failed == seen and failed.failure is not None


@every_python
def test_a_case_arrives_as_json_has_it(python: str, tmp_path: Path) -> None:
    case = {"a": [1, -0.0, 1.5e300, 2**63, 10**999, True, None, 'é😀\u2028"\\', {"": []}], "b": {}, "\x7f": 1}
    source = f"def test_p(case): assert repr(case) == {repr(case)!a}"
    project = Project(tmp_path, source)
    assert project.outcome(case, python=python)[:2] == ("pass", None)


def test_facts_are_given_where_they_are_asked_for(tmp_path: Path) -> None:
    project = Project(tmp_path, "def test_p(case): pass")
    facts = project.outcome(facts=True).facts
    assert facts is not None and project.outcome().facts is None
    assert facts.keys() == {"os", "kernel", "machine", "boot", "python", "distributions", "host"}
    assert all(isinstance(value, str) and value for value in facts.values())
    assert facts == project.outcome(facts=True).facts
    assert facts["host"] == os.uname().nodename and "cpython" in facts["python"]


@pytest.mark.slow
def test_an_editable_installation_of_the_project_is_not_what_runs(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", symlinks=True)
    python = str(tmp_path / "env/bin/python")
    site = next((tmp_path / "env/lib").glob("python3.*/site-packages"))
    working = tmp_path / "working"
    (working / "src").mkdir(parents=True)
    (working / "src/product.py").write_text("HERE = 'working tree'")
    (working / "src/gone.py").touch()
    (working / "src/hooked.py").touch()
    (site / "product.py").write_text("HERE = 'installed'")
    (site / "other.py").write_text("HERE = 'installed'")
    (site / "project.pth").write_text(f"{working}/src\n")
    (site / "__editable___project_finder.py").write_text(
        f"""
import sys
from importlib.util import spec_from_file_location
MAPPING = {{"hooked": "{working}/src/hooked.py"}}
class _EditableFinder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return spec_from_file_location(name, MAPPING[name]) if name in MAPPING else None
def install(): sys.meta_path.append(_EditableFinder)
"""
    )
    (site / "__editable__.project.pth").write_text("import __editable___project_finder as f; f.install()")
    source = """
        import product, other
        def there(name):
            try: __import__(name)
            except ImportError: return False
            return True
        def test_p(case): assert [product.HERE, other.HERE, there("gone"), there("hooked")] == case["here"]
        """
    project = Project(tmp_path, source, {"src/product.py": "HERE = 'tree'"})
    clean = project.outcome({"here": ["tree", "installed", False, False]}, python=python, elsewhere=[str(working)])
    assert clean[:2] == ("pass", None), clean
    loose = project.outcome({"here": ["tree", "installed", True, True]}, python=python)
    assert loose[:2] == ("pass", None), loose


def test_an_environment_inside_the_tree_keeps_its_packages(tmp_path: Path) -> None:
    project = Project(tmp_path, "import installed\ndef test_p(case): assert installed.HERE")
    venv.create(project.root / ".venv", symlinks=True)
    site = next((project.root / ".venv/lib").glob("python3.*/site-packages"))
    (site / "installed.py").write_text("HERE = True")
    compileall.compile_dir(str(site), quiet=1)
    assert project.outcome(python=str(project.root / ".venv/bin/python"))[:2] == ("pass", None)


def test_the_child_imports_little(tmp_path: Path) -> None:
    project = Project(
        tmp_path, "import sys\nSEEN = ' '.join(sorted(sys.modules))\ndef test_p(case): assert False, SEEN"
    )
    # In slices, since a message is cut; the modules of a bare interpreter are left out.
    bare = subprocess.run(
        [sys.executable, "-s", "-X", "utf8", "-c", "import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    project.write(
        PREDICATE,
        f"import sys\nBARE = {bare!r}\nSEEN = ' '.join(sorted(set(sys.modules) - set(BARE)))\ndef test_p(case): assert False, SEEN",
    )
    failure = project.outcome().failure
    assert failure is not None
    extra = set(failure.message.split())
    assert not extra & {"re", "json", "typing", "inspect", "subprocess", "tempfile", "hashlib", "signal", "enum", "ast"}
    assert len(extra) < 20, extra


def test_the_harness_needs_nothing_but_the_standard_library() -> None:
    names = {file.stem for file in Path(HARNESS).glob("*.py")}
    program = "import sys; sys.path[:0] = [sys.argv[1]]; import freezegate_child, freezegate_facts; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", program, HARNESS], capture_output=True, text=True, check=True)
    assert not [name for name in done.stdout.split() if name.startswith("freezegate") and name not in names]


def test_an_interpreter_that_leaves_asserts_out_is_refused(tmp_path: Path) -> None:
    project = Project(tmp_path, "def test_p(case):\n    assert False\n")
    launch = project.launch()
    optimized = launch._replace(argv=(launch.argv[0], "-O", *launch.argv[1:]))
    outcome = project.outcome(launch=optimized)
    assert outcome.label == "absent" and "-O" in (outcome.reason or "")
    assert project.outcome(launch=launch).label == "fail"


@pytest.mark.parametrize("preloaded", [False, True])
def test_a_finder_before_the_search_path_does_not_lead_out_of_the_tree(tmp_path: Path, preloaded: bool) -> None:
    """As some build tools install in editable mode; a module that was imported at start is noticed afterwards."""
    project = Project(
        tmp_path, "import orders\n\n\ndef test_p(case):\n    assert orders.HERE\n", {"src/orders.py": "HERE = True\n"}
    )
    working = tmp_path / "working"
    working.mkdir()
    (working / "orders.py").write_text("HERE = False\n")
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "_leading.py").write_text(
        textwrap.dedent(f"""\
        import importlib.util, sys
        class Finder:
            def find_spec(self, name, path=None, target=None):
                if name == "orders":
                    return importlib.util.spec_from_file_location(name, {str(working / "orders.py")!r})
        sys.meta_path.insert(0, Finder())
        """)
    )
    (site / "leading.pth").write_text("import _leading" + ("; import orders" if preloaded else "") + "\n")
    python = str(environment / "bin" / "python")
    outcome = project.outcome(python=python, elsewhere=[str(working)])
    if preloaded:
        assert outcome.label == "absent" and "not from the tree" in (outcome.reason or "")
    else:
        assert outcome.label == "pass", outcome

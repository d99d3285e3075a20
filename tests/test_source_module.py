from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freezegate.source.module import Import, read_module

UNDECIDABLE = {
    "exec": "exec('x')",
    "eval": "eval('x')",
    "compile": "compile('x', 'f', 'exec')",
    "eval without a call": "run = eval",
    "eval in a function": "def f():\n    return [eval(x) for x in y]",
    "eval folded from another script": "ｅval('x')",
    "method of eval": "eval.__call__('x')",
    "builtins attribute": "import builtins\nbuiltins.exec('x')",
    "builtins alias": "import builtins as b\nb.eval('x')",
    "builtins name": "from builtins import eval as e",
    "builtins star": "from builtins import *",
    "builtins passed on": "import builtins\nf(builtins)",
    "builtins getattr": "import builtins\ngetattr(builtins, 'ev' + 'al')",
    "builtins getattr literal": "import builtins\ngetattr(builtins, 'eval')",
    "builtins dict": "import builtins\nbuiltins.__dict__['eval']",
    "dunder builtins": "__builtins__['eval']",
    "globals builtins": "globals()['__builtins__']",
    "function globals": "f.__globals__['x']",
    "import variable": "__import__(name)",
    "import two arguments": "__import__('a', fromlist=['b'])",
    "import alias": "load = __import__",
    "import escaped": "__import__('\\x61')",
    "import concatenated": "__import__('a' 'b')",
    "import format string": "__import__(f'{x}')",
    "import plain format string": "__import__(f'a')",
    "import bytes": "__import__(b'a')",
    "import sys unseen": "__import__('sys').path",
    "import_module variable": "from importlib import import_module\nimport_module(name)",
    "import_module alias": "from importlib import import_module as im\nim(name)",
    "import_module passed on": "from importlib import import_module\nmap(import_module, names)",
    "import_module attribute": "import importlib\nimportlib.import_module(name)",
    "import_module module alias": "import importlib as il\nil.import_module(name)",
    "import_module aliased attribute": "import importlib\nload = importlib.import_module",
    "import_module relative": "from importlib import import_module\nimport_module('.x', 'a')",
    "import_module from elsewhere": "from somewhere import import_module as go\ngo(name)",
    "import_module getattr": "import importlib\ngetattr(importlib, 'import_module')",
    "importlib reload": "import importlib\nimportlib.reload(x)",
    "importlib dunder": "import importlib\nimportlib.__import__('x')",
    "importlib util": "import importlib.util",
    "importlib from util": "from importlib.util import find_spec",
    "importlib name util": "from importlib import util",
    "importlib name reload": "from importlib import reload",
    "importlib machinery": "from importlib import machinery as m",
    "importlib abc": "import importlib.abc",
    "importlib star": "from importlib import *",
    "importlib passed on": "import importlib\nf(importlib)",
    "imp": "import imp",
    "runpy": "from runpy import run_path",
    "zipimport": "import zipimport as z",
    "literal runpy": "__import__('runpy')",
    "sys path": "import sys\nsys.path.insert(0, 'x')",
    "sys path assigned": "import sys\nsys.path = []",
    "sys meta_path": "import sys\nsys.meta_path",
    "sys path_hooks": "import sys\nsys.path_hooks",
    "sys modules": "import sys\nsys.modules['a'] = b",
    "sys alias": "import sys as s\ns.path",
    "sys name": "from sys import path as p",
    "sys star": "from sys import *",
    "sys through another module": "import os\nos.sys.path.append('x')",
    "sys from another module": "from os import sys as s\ns.modules",
    "sys getattr": "import sys\ngetattr(sys, name)",
    "sys vars": "import sys\nvars(sys)['path']",
    "sys dict": "import sys\nsys.__dict__",
    "sys patched": "import sys\nmonkeypatch.setattr(sys, 'path', [])",
    "sys by string": "mock.patch('sys.path', [])",
    "sys hidden in a class": "class A:\n    import sys as s\nA.s.path",
    "syspath_prepend": "monkeypatch.syspath_prepend('x')",
    "site": "import site\nsite.addsitedir('x')",
    "pkgutil": "from pkgutil import resolve_name",
    "loader": "__loader__.get_data('x')",
    "package set": "__package__ = 'a'",
    "path changed": "__path__.append('x')",
    "importorskip variable": "import pytest\npytest.importorskip(name)",
    "plugins computed": "pytest_plugins = names()",
    "loader as an attribute": "import multiprocessing.spawn as s\ns.runpy.run_path('x')",
    "loader from another module": "from multiprocessing.spawn import runpy",
    "console as an attribute": "import pdb\npdb.code.InteractiveInterpreter",
    "exec of a builtin's module": "print.__self__.x('y')",
    "exec of any object": "thing.exec('x')",
    "eval of any object": "thing.eval(x)",
    "resources variable": "from importlib.resources import files\nfiles(name)",
    "resources module": "from importlib import resources as r\nr.open_text(name, 'x')",
    "resources chain": "import importlib.resources\nimportlib.resources.files(name)",
    "resources passed on": "from importlib import resources\nf(resources)",
    "resources aliased": "import importlib.resources\nr = importlib.resources",
    "entry point": "from importlib.metadata import EntryPoint",
    "entry points": "import importlib.metadata as m\nm.entry_points(group='x')",
    "path imported": "from cfg import where as __path__",
    "package imported": "import cfg as __package__",
    "all imported": "from cfg import names as __all__",
    "path matched": "match x:\n    case __path__: ...",
    "path aliased": "import encodings as e\np = e.__path__",
    "path passed on": "list.append(e.__path__, 'x')",
    "spec": "type(m.__spec__.x)('h')",
    "addpackage": "from site import addpackage",
    "pkgutil data": "import pkgutil\npkgutil.get_data('hidden', 'x')",
    "pkgutil of another module": "from unittest import mock\nmock.pkgutil.resolve_name('x')",
    "profiled text": "import cProfile\ncProfile.run('x')",
    "timed text": "from timeit import timeit",
    "timer": "import timeit as t\nt.Timer('x')",
    "traced text": "import trace\ntrace.Trace().run('x')",
    "debugger": "import bdb",
    "docstring": "import doctest\ndoctest.run_docstring_examples(f, {})",
    "tests by name": "loader.loadTestsFromName('x')",
    "logging": "import logging.config\nlogging.config.dictConfig({})",
    "frame": "frame.f_locals['x'] = 1",
    "dotted all": "__all__ = ['a', 'b.c']",
    "dotted all added": "__all__ = []\nif x:\n    __all__ += ['b.c']",
    "dotted all extended": "__all__ = []\n__all__.extend(['b.c'])",
    "patch of two strings": "mock.patch('he' 'lper.x')",
    "deep name": "import " + ".".join("a" * 65),
}


@pytest.mark.parametrize("source", UNDECIDABLE.values(), ids=UNDECIDABLE.keys())
def test_a_construct_that_hides_what_runs_is_undecidable(source: str) -> None:
    module = read_module(source.encode())
    assert module.parse_error is None
    assert {problem.rule for problem in module.problems} == {"closure-undecidable"}


ORDINARY = {
    "re.compile": "import re\nP = re.compile('x')",
    "other eval": "model.eval()\nwindow.exec()",
    "eval method": "class A:\n    def eval(self): ...",
    "compile keyword": "f(compile=1)",
    "literal_eval": "import ast\nast.literal_eval('1')",
    "importlib": "import importlib",
    "importlib metadata": "import importlib.metadata\nimportlib.metadata.version('x')",
    "importlib metadata name": "from importlib.metadata import version",
    "importlib resources": "from importlib import resources, metadata",
    "import_module literal": "from importlib import import_module\nimport_module('a.b')",
    "sys": "import sys\nsys.argv\nsys.version_info >= (3, 11)\nsys.stdout.write('x')",
    "sys patched": "import sys\nmonkeypatch.setattr(sys, 'argv', [])\nmock.patch.object(sys, 'stdin', x)",
    "sys getattr literal": "import sys\ngetattr(sys, 'gettrace', None)",
    "os.path": "import os.path\nfrom os import path\nos.path.join(path.sep)",
    "own modules": "self.modules.path",
    "builtins open": "import builtins\nbuiltins.open('x')\nmock.patch('builtins.open')",
    "pkgutil": "import pkgutil\npkgutil.iter_modules([folder])",
    "code of a response": "assert response.code == caught.value.code == 2",
    "resources": "from importlib.resources import files\nimport pkg\nfiles('a.b')\nfiles(__package__)\nfiles(pkg)",
    "own files": "case.files(name)\nself.resources.files(name)",
    "version": "from importlib import metadata\nmetadata.version('x')",
    "own all": "__all__ = ['a', 'b']\n__all__ += ['c']\nx = ['b.c']\nfrom .d import __all__",
    "name": "if __name__ == '__main__': f(__package__)",
    "clock": "import timeit, pdb, doctest\ntimeit.default_timer()\npdb.set_trace()\ndoctest.ELLIPSIS",
    "logging": "import logging.config\nlogging.getLogger('x').info('y')",
    "own profile": "self.profile.run('x')\nfrom things import trace\ntrace.span('x')",
    "patch": "mock.patch('a.b.c', new)\nmock.patch(name)\nclient.patch('/a/1')\nclient.patch('a b')",
    "patched object": "mock.patch.object(a, 'b')\nmonkeypatch.setattr(a, 'b', 1)",
    "relative runpy": "from . import runpy\nfrom .imp import x",
    "names in text": '"""eval exec sys.path"""\n# eval(x)',
    "code elsewhere": "from things import code\ncode.run()",
    "plugins": "pytest_plugins = ['a.b', 'c']",
}


@pytest.mark.parametrize("source", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_test_code_has_no_problem(source: str) -> None:
    module = read_module(source.encode())
    assert module.parse_error is None
    assert module.problems == ()


def test_each_construct_is_one_problem_at_its_place() -> None:
    module = read_module(b"import sys\n\nx = 1; sys.path.insert(0, eval('y'))\nfrom importlib import reload, util\n")
    assert [(found.line, found.column) for found in module.problems] == [(3, 8), (3, 27), (4, 23), (4, 31)]


def test_columns_count_characters() -> None:
    module = read_module('é = "ü"; eval(é)\n'.encode())
    assert [(found.line, found.column) for found in module.problems] == [(1, 10)]


def test_another_name_is_a_problem_for_those_who_import_the_file() -> None:
    assert read_module(b"import sys as s\n").renamed
    assert read_module(b"def f():\n    import sys as s\n").renamed == ()
    assert read_module(b"import sys\nimport os as o\n").renamed == ()


IMPORTS = {
    "import a": [(0, "a", ())],
    "import a.b as c, d": [(0, "a.b", ()), (0, "d", ())],
    "from a import b as x, c": [(0, "a", ("b", "c"))],
    "from . import a": [(1, "", ("a",))],
    "from ..a.b import *": [(2, "a.b", ("*",))],
    "def f():\n    if x:\n        import a": [(0, "a", ())],
    "__import__('a.b')": [(0, "a.b", ())],
    "import importlib as i\ni.import_module('a-b.c')": [(0, "importlib", ()), (0, "a-b.c", ())],
    "x = import_module(r'''a''')": [(0, "a", ())],
    "pytest.importorskip('a', reason='b')": [(0, "a", ())],
    "mock.patch('a.b.c')": [(0, "a.b.c", ())],
    "@patch('a.b', new=1)\ndef f(): ...": [(0, "a.b", ())],
    "from unittest.mock import patch as p\np('a.b')": [(0, "unittest.mock", ("patch",)), (0, "a.b", ())],
    "mocker.patch.dict('a.b', x=1)": [(0, "a.b", ())],
    "monkeypatch.setattr('a.b', 1)": [(0, "a.b", ())],
    "resources.files('a')": [(0, "a", ())],
    "client.patch('/a')\nx.dict('a')\nmock.patch(a)": [],
    "pytest_plugins = ('a', 'b.c')": [(0, "a", ()), (0, "b.c", ())],
    "import ｈelpers": [(0, "helpers", ())],
}


@pytest.mark.parametrize("source", IMPORTS)
def test_imports_are_read_as_written(source: str) -> None:
    imports = read_module(source.encode()).imports
    assert [(found.level, found.module, found.names) for found in imports] == IMPORTS[source]


def test_a_class_tells_what_its_body_binds_where_it_can() -> None:
    plain = "class A:\n    'x'\n    n = 1\n    k: int = 2\n    def m(self): ...\n    class B: ...\n"
    open_ones = "class C(A): ...\n@d\nclass D: ...\nclass E:\n    if x:\n        def m(self): ...\n"
    classes = read_module((plain + open_ones).encode()).classes
    assert classes == {"A": {"n", "k", "m", "B"}, "C": None, "D": None, "E": None}


def test_an_import_knows_its_place() -> None:
    assert read_module(b"x = 1\nif x:\n  import a\n").imports == (Import(0, "a", (), 3, 3),)


DISGUISED = {
    "latin-1 bytes": b"x = '\xe9'\n",
    "byte order mark": b"\xef\xbb\xbfx = 1\n",
    "cookie": b"# coding: latin-1\n",
    "cookie utf-7": b"# -*- coding: utf-7 -*-\n",
    "cookie in line 2": b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n",
    "cookie after an empty line": b"\n# coding=unicode_escape\n",
    "cookie after a form feed": b"\x0c# coding: ascii\n",
    "cookie after a blank line with form feed": b" \x0c\t\n \x0c# coding: ascii\n",
    "cookie with CRLF": b"# x\r\n# coding: rot13\r\n",
    "cookie behind a byte order mark": b"\xef\xbb\xbf# coding: latin-1\n",
    "lone CR": b"# a\rimport b\n",
    "lone CR at the end": b"x = 1\r",
    "CR CR LF": b"x = 1\r\r\n",
    "right-to-left override": "x = 1  # \u202e\n".encode(),
    "isolate": "x = '\u2066'\n".encode(),
    "mark": "x = '\u200f'\n".encode(),
    "arabic letter mark": "x = '\u061c'\n".encode(),
    "import folded to ASCII": "import ｈelpers\n".encode(),
    "from folded to ASCII": "from ｈelpers import x\n".encode(),
    "from part folded": "from a.importｈ import x\n".encode(),
    "name folded": "from a import (b,\n  ｃ as d)\n".encode(),
    "name of another script": "import модуль\n".encode(),
    "literal of another script": "__import__('модуль')\n".encode(),
    "too large": b"#" * (128 * 1024 + 1),
}


@pytest.mark.parametrize("data", DISGUISED.values(), ids=DISGUISED.keys())
def test_a_file_that_reads_differently_to_python_is_disguised(data: bytes) -> None:
    assert "source-disguised" in {problem.rule for problem in read_module(data).problems}


PLAIN = {
    "other scripts in text": "x = 'é'  # модуль\nпеременная = 1\n".encode(),
    "alias of another script": "import a as модуль\nfrom b import c as ｄ\n".encode(),
    "comment beside imports": "from a import (  # модуль\n    b,  # é\n)\n".encode(),
    "cookie utf-8": b"# -*- coding: UTF_8 -*-\n",
    "cookie utf8": b"#!/x\n# coding=utf8\n",
    "cookie of an editor": b"# coding: utf-8-unix\n",
    "cookie in line 3": b"#\n#\n# coding: latin-1\n",
    "cookie after code": b"x = 1\n# coding: latin-1\n",
    "cookie behind code": b"x = 1 # coding: latin-1\n",
    "word coding": b"# encoding the things: latin-1\n",
    "CRLF": b"import a\r\nx = 1\r\n",
    "form feed": b"x = 1\n\x0c\ny = 2\n",
    "exactly the limit": b"#" * (128 * 1024),
    "empty": b"",
}


@pytest.mark.parametrize("data", PLAIN.values(), ids=PLAIN.keys())
def test_a_plain_file_is_not_disguised(data: bytes) -> None:
    module = read_module(data)
    assert module.problems == ()
    assert module.parse_error is None


def test_a_disguised_file_still_shows_its_imports() -> None:
    assert [found.module for found in read_module(b"\xef\xbb\xbf# x\rimport b\n").imports] == ["b"]


BROKEN = {
    "syntax": b"def f(:\n",
    "NUL": b"x = 1\0\n",
    "not UTF-8": b"\xff\xfe",
    "nested": b"(" * 50_000,
    "deep unary": b"-" * 100_000 + b"1",
    "deep chain": b"x = a" + b".b" * 60_000,
    "long integer": b"x = " + b"1" * 10_000,
    "too large": b"x = 1\n" * 30_000,
    "unfinished": b"'''",
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_what_does_not_parse_is_said_with_a_place(data: bytes) -> None:
    module = read_module(data)
    if module.parse_error is None:
        assert data.startswith((b"x = a.b", b"-"))  # newer grammars manage these
    else:
        assert module.parse_error[0] >= 1 <= module.parse_error[1]
        assert module.functions == {}


def test_reading_gives_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_module(b'x = "\\d"\nassert (x, 1)\n').parse_error is None


WORDS = st.sampled_from(
    [
        "\n",
        "\r",
        "\x0c",
        "\0",
        "\\",
        "#",
        "'",
        '"',
        "f'{",
        "}",
        "é",
        "ｈ",
        "import",
        "from",
        "as",
        "a",
        "b",
        ".",
        "..",
        "*",
        "(",
        ")",
        "[",
        "]",
        ":",
        "=",
        ",",
        "def",
        "class",
        "global",
        "sys",
        "eval",
        "path",
        "coding",
        "latin-1",
        "if",
        "match",
        "case",
        "lambda",
        "yield",
        "await",
        "async",
        "for",
        "in",
        "with",
        ":=",
        "__import__",
        "@",
        "pytest_plugins",
        "x",
    ]
)


@given(st.one_of(st.binary(), st.text().map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    read_module(data)


@given(st.lists(WORDS, max_size=30))
def test_no_words_make_it_raise(words: list[str]) -> None:
    read_module(" ".join(words).encode())


def test_a_reason_is_always_given() -> None:
    for data in BROKEN.values():
        error = read_module(data).parse_error
        assert error is None or error[2].removeprefix("does not parse:").strip()

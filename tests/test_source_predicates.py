from __future__ import annotations

import pytest

from freezegate.source.module import read_module
from freezegate.source.predicates import function_problem, oracle_function, unscoped_candidates

PLAIN = [
    "def holds(case): ...",
    "def holds(case, /): ...",
    "def holds(case, limit=3): ...",
    "def holds(case, *rest, flag=True, **more): ...",
    "def other(): ...\n\ndef holds(case):\n    def inner(): yield 1\n    return [x for x in inner()]",
    "def holds(case):\n    holds = 1\n    f = lambda: (yield)",
    "x = [holds for holds in y]\ndef holds(case): ...",
    "def f():\n    holds = 1\n\ndef holds(case): ...",
    "class A:\n    holds = 1\n\ndef holds(case): ...",
    "x = lambda: (holds := 1)\ndef holds(case): ...",
    "def holds(case): ...\nholds.note = 1\nprint(holds)",
    "def holds(case): ...\nprint(globals()['LIMIT'], vars(case), self.holds)\nself.holds = 1",
    "def holds(case):\n    return sum(locals().values())\n\ndef f():\n    x = vars()\n    vars = 1",
    "import a\ndef holds(case): ...\na.other = 1\nsetattr(a, 'other', 1)\nother.holds = 1",
]


@pytest.mark.parametrize("source", PLAIN)
def test_one_plain_function_of_one_parameter_is_a_predicate(source: str) -> None:
    assert function_problem(read_module(source.encode()), "holds") is None


DEF = "def holds(case): ...\n"
REFUSED = {
    "absent": "def other(case): ...",
    "no file to parse": "def holds(case:",
    "no parameter": "def holds(): ...",
    "only optional": "def holds(case=None): ...",
    "only variadic": "def holds(*case): ...",
    "two parameters": "def holds(case, seed): ...",
    "required keyword": "def holds(case, *, seed): ...",
    "decorated": "@d\ndef holds(case): ...",
    "asynchronous": "async def holds(case): ...",
    "generator": "def holds(case):\n    if case:\n        x = yield",
    "yield from": "def holds(case):\n    yield from case",
    "twice": DEF + DEF,
    "nested": "if x:\n    def holds(case): ...",
    "method": "class A:\n    def holds(case): ...",
    "lambda": "holds = lambda case: True",
    "star import": "from a import *\n" + DEF,
    "star import below": DEF + "try:\n    from a import *\nexcept E: pass",
    "class": DEF + "class holds: ...",
    "assigned": DEF + "holds = 1",
    "assigned below": DEF + "if x:\n    while y:\n        holds = 1",
    "unpacked": DEF + "a, (b, *holds) = x",
    "augmented": DEF + "holds += 1",
    "annotated": DEF + "holds: int = 1",
    "loop": DEF + "for holds in x: ...",
    "with": DEF + "with x as holds: ...",
    "except": DEF + "try: ...\nexcept E as holds: ...",
    "import": DEF + "import holds",
    "import part": DEF + "import holds.x",
    "import as": DEF + "import a as holds",
    "from import": DEF + "from a import holds",
    "from import as": DEF + "from a import b as holds",
    "walrus": DEF + "print(holds := 1)",
    "walrus in a comprehension": DEF + "[(holds := x) for x in y]",
    "walrus in a nested comprehension": DEF + "[[(holds := x) for x in z] for z in y]",
    "walrus in a default": DEF + "def f(x=(holds := 1)): ...",
    "walrus in a decorator": DEF + "@(holds := d)\nclass A: ...",
    "walrus in a lambda's default": DEF + "f = lambda x=(holds := 1): x",
    "capture": DEF + "match x:\n    case [holds]: ...",
    "capture as": DEF + "match x:\n    case 1 as holds: ...",
    "capture star": DEF + "match x:\n    case [1, *holds]: ...",
    "capture rest": DEF + "match x:\n    case {1: 2, **holds}: ...",
    "deleted": DEF + "del holds",
    "global": DEF + "def f():\n    global holds\n    holds = 1",
    "global in a class": DEF + "class A:\n    global holds\n    holds = 1",
    "namespace": DEF + "globals()['ho' + 'lds'] = 1",
    "namespace update": DEF + "globals().update(holds=1)",
    "namespace kept": DEF + "g = globals()\ng['holds'] = 1",
    "namespace passed on": DEF + "setitem(globals(), 'holds', 1)",
    "namespace function kept": DEF + "g = globals\ng()['holds'] = 1",
    "namespace of the module": DEF + "d = vars()",
    "local namespace of the module": DEF + "d = locals()",
    "namespace of an imported module": "import me\n" + DEF + "d = vars(me)",
    "namespace key computed": DEF + "globals()[name].x",
    "code": DEF + "holds.__code__ = f.__code__",
    "defaults": DEF + "f = holds\nf.__defaults__ = (1,)",
    "code by setattr": DEF + "setattr(holds, '__code__', f)",
    "attribute of an imported module": "import me\n" + DEF + "me.holds = 1",
    "setattr": DEF + "setattr(me, 'holds', 1)",
    "setattr of a call": DEF + "setattr(me(), 'holds', 1)",
}


@pytest.mark.parametrize("source", REFUSED.values(), ids=REFUSED.keys())
def test_anything_else_that_binds_the_name_counts(source: str) -> None:
    problem = function_problem(read_module(source.encode()), "holds")
    assert problem is not None and ("holds" in problem or "parse" in problem)


def test_bindings_are_counted_in_the_modules_scope_only() -> None:
    module = read_module(b"a = b = 1\ndef f(c):\n    d = [e for e in c]\nclass K:\n    g = 1\nx = [h for h in a]\n")
    assert module.bindings == {"a": 1, "b": 1, "f": 1, "K": 1, "x": 1}


def test_an_oracle_file_has_one_function_that_checks() -> None:
    assert oracle_function(read_module(b"def helper(): ...\ndef check_sums(case): ...\n")) == (
        "check_sums",
        None,
    )
    assert oracle_function(read_module(b"def test_x(case): ...\n")) == ("test_x", None)
    for source in (
        b"def helper(): ...",
        b"def check(): ...\ndef test_x(): ...",
        b"def (",
        b"class A:\n def check(): ...",
    ):
        name, why = oracle_function(read_module(source))
        assert name is None and why


def test_candidates_for_a_scope_take_case_alone() -> None:
    source = (
        b"def test_a(case): ...\ndef test_b(case, x=1): ...\ndef test_c(other): ...\n"
        b"@d\ndef test_d(case): ...\n"
        b"def helper(case): ...\ndef test_e(case, *, k=1): ...\ndef test_f(case, **k): ...\n"
        b"class A:\n    def test_g(case): ...\nasync def test_h(case): ...\n"
    )
    assert list(unscoped_candidates(read_module(source))) == ["test_a", "test_h"]


def body(source: str) -> str:
    return read_module(source.encode()).functions["f"].body


def test_a_body_ignores_place_and_comments_and_nothing_else() -> None:
    plain = body("def f(case):\n    return case\n")
    assert body("import x\n\n\ndef f(case):  # why\n\n    # not\n    return (case)\n") == plain
    for changed in (
        "def f(case):\n    return case + 0\n",
        "def f(case, x=1):\n    return case\n",
        "@d\ndef f(case):\n    return case\n",
        "async def f(case):\n    return case\n",
        "def f(case: int):\n    return case\n",
        "def f(case):\n    'text'\n    return case\n",
    ):
        assert body(changed) != plain
    assert body("@d(1)\ndef f(case): ...") != body("@d(2)\ndef f(case): ...")


def test_a_deeply_nested_body_has_a_digest_as_any_other() -> None:
    deep = "def f(case):\n    return case" + ".x" * 600
    assert body(deep + "  # why\n") == body(deep + "\n")
    assert body(deep + ".y\n") != body(deep + "\n")

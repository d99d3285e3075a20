"""Predicates that cannot fail are named with their place and reason; those that can are left in peace."""

from __future__ import annotations

import ast
import textwrap

import pytest

from freezegate.source.module import read_module
from freezegate.source.vacuity import Why, function_vacuities, vacuities

HELPERS = """\
import contextlib
import math

import pytest
from orders import parse, total

SMALLEST = 0
SEEN = []


def is_amount(cents):
    return cents >= SMALLEST


def judge(cents):
    if cents < SMALLEST:
        raise AssertionError(cents)


def hand_on(cents):
    judge(cents)


def nod(cents):
    return True


def doze(cents):
    doubled = cents * 2


def keep(cents):
    SEEN.append(cents)


def turn(cents):
    return turn(cents)


"""
BEFORE = HELPERS.count("\n") + 1


def why(body: str) -> list[tuple[int, int, str]]:
    """What is said of a predicate with this body; lines are counted in the body, columns in the file."""
    text = f"{HELPERS}def test_it(case):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    found = function_vacuities(read_module(text.encode()), "test_it")
    return [(each.line - BEFORE, each.column, each.why) for each in found]


VACUOUS = {
    # nothing depends on the case
    "empty": ("pass", 0, "depends on case"),
    "docstring": ('"""It holds."""', 0, "depends on case"),
    "ellipsis": ("...", 0, "depends on case"),
    "reads-and-drops": ('total_cents = case["qty"] * 2', 0, "depends on case"),
    "returns-none": ("return None", 0, "depends on case"),
    "prints": ('print(case["qty"])', 0, "depends on case"),
    "only-builtins": ('cents = int(case["qty"])\nstr(sorted(case))', 0, "depends on case"),
    "reads-by-method": ('qty = case.get("qty")', 0, "depends on case"),
    "assertion-of-other-things": ("assert total(1, 2) == 2", 1, "does not depend on the case"),
    "assertion-of-other-names": ('qty = case["qty"]\nwanted = 3\nassert wanted == total(1, 3)', 3, "does not depend"),
    "returned-other-things": ("return total(1, 2) == 2", 1, "does not depend on the case"),
    "literals-that-no-order-has": ('assert 1 < "a"', 1, "does not depend"),
    "checker-of-other-things": ("judge(2)", 0, "depends on case"),
    "helper-that-does-nothing": ('doze(case["qty"])', 0, "depends on case"),
    "assumption-alone": ('assume(case["qty"] > 0)', 0, "depends on case"),
    # constants
    "true": ("assert True", 1, "constant"),
    "true-after-a-call": ('parse(case["text"])\nassert True', 2, "constant"),
    "one": ("assert 1", 1, "constant"),
    "text": ('assert "total is right"', 1, "constant"),
    "literal-comparison": ("assert 1 == 1", 1, "constant"),
    "literal-order": ("assert 1 < 2", 1, "constant"),
    "literal-membership": ("assert 1 in (1, 2)", 1, "constant"),
    "not-false": ("assert not False", 1, "constant"),
    "list": ('assert [parse(case["text"])]', 1, "constant"),
    "mapping": ('assert {"cents": parse(case["text"])}', 1, "constant"),
    "lambda": ("assert lambda: total(case) > 0", 1, "constant"),
    "or-true": ("assert total(case) > 0 or True", 1, "constant"),
    "true-both-ways": ("assert (True if case else 1)", 1, "constant"),
    "walrus": ("assert (x := 5)", 1, "constant"),
    "bool": ("assert bool(1)", 1, "constant"),
    "length": ('found = parse(case["text"])\nassert len(found) >= 0', 2, "length"),
    "object": ("assert isinstance(parse(case), object)", 1, "object"),
    "all-of-nothing": ("assert all(parse(case) == x for x in [])", 1, "nothing"),
    "helper-that-says-yes": ('assert nod(total(case["qty"]))', 1, "what nod returns"),
    # a tuple is named beside real assertions
    "tuple": ('assert (total(case) > 0, "positive")', 1, "tuple"),
    "tuple-beside-a-real-one": ('assert (total(case) > 0, "positive")\nassert total(case) < 9', 1, "tuple"),
    # a value with itself
    "same-name": ("cents = total(case)\nassert cents == cents", 2, '"cents" with itself'),
    "same-item": ('assert case["qty"] == case["qty"]', 1, "with itself"),
    "same-attribute": ("order = parse(case)\nassert order.cents == order.cents", 2, "with itself"),
    "same-sum": ("cents = total(case)\nassert cents + 1 == cents + 1", 2, "with itself"),
    "same-object": ("cents = total(case)\nassert cents is cents", 2, "with itself"),
    "not-more-than-itself": ("cents = total(case)\nassert cents <= cents", 2, "with itself"),
    "same-by-another-name": ("cents = total(case)\nwanted = cents\nassert cents == wanted", 3, "with itself"),
    "returned-same": ("cents = total(case)\nreturn cents == cents", 2, "with itself"),
    # handlers
    "swallowed-assertion": ("try:\n    assert total(case) > 0\nexcept AssertionError:\n    pass", 2, "line"),
    "swallowed-exception": ("try:\n    assert total(case) > 0\nexcept Exception:\n    pass", 2, "swallows the assertion"),
    "swallowed-base": ("try:\n    assert total(case) > 0\nexcept BaseException:\n    return", 2, "swallows"),
    "swallowed-bare": ("try:\n    assert total(case) > 0\nexcept:\n    return True", 2, "swallows"),
    "swallowed-among-others": (
        "try:\n    assert total(case) > 0\nexcept (KeyError, AssertionError):\n    print(case)", 2, "swallows"
    ),
    "suppressed": ("with contextlib.suppress(AssertionError):\n    assert total(case) > 0", 2, "swallows"),
    "suppressed-all": ("with contextlib.suppress(Exception):\n    parse(case)", 2, "swallows what it raises"),
    "swallowed-call": ("try:\n    parse(case)\nexcept Exception:\n    pass", 2, "swallows what it raises"),
    "swallowed-helper": ("try:\n    judge(total(case))\nexcept AssertionError:\n    pass", 2, "swallows what it raises"),
    "swallowed-raise": (
        "try:\n    if total(case) < 0:\n        raise AssertionError\nexcept AssertionError:\n    pass", 3, "swallows"
    ),
    "swallowed-by-finally": ("try:\n    assert total(case) > 0\nfinally:\n    return True", 2, "swallows"),
    "swallowed-in-a-loop": (
        'for line in case["lines"]:\n    try:\n        assert total(line) > 0\n    except Exception:\n        continue',
        3,
        "swallows",
    ),
    # results
    "returns-true": ("cents = total(case)\nreturn True", 2, "returns True"),
    "returns-true-both-ways": ("if total(case) > 0:\n    return True\nreturn True", 2, "returns True"),
    # never reached
    "after-return": ("cents = total(case)\nreturn\nassert cents > 0", 3, "never reached"),
    "after-both-ways-left": (
        "cents = total(case)\nif cents:\n    return\nelse:\n    return\nassert cents > 0", 6, "never reached"
    ),
    "if-false": ("cents = total(case)\nif False:\n    assert cents > 0", 3, "never true"),
    "if-zero": ("cents = total(case)\nif 0:\n    assert cents > 0", 3, "never true"),
    "else-of-true": ("cents = total(case)\nif True:\n    pass\nelse:\n    assert cents > 0", 5, "always true"),
    "while-false": ("cents = total(case)\nwhile False:\n    assert cents > 0", 3, "no round"),
    "empty-loop": ("cents = total(case)\nfor x in []:\n    assert cents > x", 3, "no round"),
    "empty-range": ("cents = total(case)\nfor x in range(0):\n    assert cents > x", 3, "no round"),
    "after-continue": ("for x in parse(case):\n    continue\n    assert x > 0", 3, "never reached"),
    "nested-and-never-called": ("cents = total(case)\ndef inner():\n    assert cents > 0", 3, "nothing calls"),
}  # fmt: skip


@pytest.mark.parametrize("name", VACUOUS)
def test_what_cannot_fail_is_named(name: str) -> None:
    body, line, part = VACUOUS[name]
    found = why(body)
    assert [each[0] for each in found] == [line], found
    assert part in found[0][2], found


SOUND = {
    "assertion": "assert total(case) > 0",
    "assertion-of-a-name": "cents = total(case)\nassert cents",
    "assertion-of-an-item": 'assert case["qty"] > 0',
    "assertion-of-a-helper": 'assert is_amount(total(case["qty"]))',
    "negated": "assert not total(case)",
    "raise-under-a-condition": "if total(case) < 0:\n    raise ValueError",
    "assert-false-under-a-condition": "if total(case) < 0:\n    assert False",
    "fail-under-a-condition": 'if total(case) < 0:\n    pytest.fail("negative")',
    "other-things-under-a-condition": 'if case["qty"]:\n    assert total(1, 2) == 2',
    "other-things-after-a-way-out": 'if case["qty"] < 0:\n    return\nassert total(1, 2) == 2',
    "always-fails": "raise NotImplementedError",
    "assert-false": 'if not case["qty"]:\n    pass\nassert False, case',
    "code-that-may-raise": 'parse(case["text"])',
    "code-that-may-raise-by-name": 'text = case["text"]\nfound = parse(text)',
    "state-left-by-the-case": "SEEN.append(case)\nassert total(1) == 1",
    "state-left-by-a-helper": "keep(case)\nassert total(1) == 1",
    "checker": "judge(total(case))",
    "checker-of-checkers": "hand_on(total(case))",
    "helper-in-a-circle": "turn(case)",
    "method": "case.check()",
    "unknown-checker": "pytest.assert_total(case)",
    "expected-exception": 'with pytest.raises(ValueError):\n    parse(case["text"])',
    "expected-exception-of-a-builtin": 'with pytest.raises(KeyError):\n    case["absent"]',
    "returned-comparison": "return total(case) >= 0",
    "returned-call": "return is_amount(case)",
    "returned-name": "good = total(case) >= 0\nreturn good",
    "returned-both": "if total(case) < 0:\n    return False\nreturn True",
    "returned-true-and-an-assertion": "assert total(case) >= 0\nreturn True",
    "returned-true-early": "if not case:\n    return True\nassert total(case) >= 0",
    "placeholder-beside-a-real-one": "assert True\nassert total(case) >= 0",
    # comparisons that look alike
    "not-a-number": "cents = total(case)\nassert cents != cents",
    "number": "cents = total(case)\nassert not cents != cents",
    "less-than-itself": "cents = total(case)\nassert cents < cents",
    "twice-computed": "assert total(case) == total(case)",
    "attribute-kept": "order = parse(case)\nassert order.lines is order.lines",
    "item-kept": 'order = parse(case)\nassert order["lines"] is order["lines"]',
    "drawn-twice": "assert (yes := next(case)) == (yes := next(case))",
    "method-in-between": "order = parse(case)\nassert order.total() == order.total()",
    "equality-of-a-class": "money = Money(case)\nassert money == money",
    "different-items": 'assert case["a"] == case["b"]',
    "bound-twice": "cents = total(case)\nwanted = cents\ncents += 1\nassert cents == wanted",
    "comprehension": "assert [x for x in case] == [x for x in case]",
    # constants that are none
    "empty-list": "found = [x for x in case]\nassert found",
    "starred-list": "assert [*parse(case)]",
    "starred-tuple": "assert (*parse(case),)",
    "or-something": "assert total(case) > 0 or total(case) < -1",
    "and-something": "assert True and total(case) > 0",
    "some-length": "assert len(parse(case)) >= 1",
    "some-kind": "assert isinstance(parse(case), dict)",
    "all-of-something": 'assert all(x > 0 for x in case["lines"])',
    "any-of-nothing": "assert any([]) or total(case)",
    "false-literal": "assert 1 == 2 or total(case)",
    # handlers that let it out
    "raised-again": "try:\n    assert total(case) > 0\nexcept AssertionError:\n    raise",
    "raised-as-another": "try:\n    assert total(case) > 0\nexcept Exception as error:\n    raise ValueError from error",
    "another-exception": "try:\n    assert total(case) > 0\nexcept KeyError:\n    pass",
    "own-exception-passed-over": "try:\n    parse(case)\nexcept ParseError:\n    pass",
    "raised-again-first": "try:\n    assert total(case) > 0\nexcept AssertionError:\n    raise\nexcept Exception:\n    pass",
    "returned-false": "try:\n    assert total(case) > 0\nexcept AssertionError:\n    return False",
    "noted-down": (
        "bad = []\ntry:\n    assert total(case) > 0\nexcept AssertionError as error:\n    bad.append(error)\nassert not bad"
    ),
    "flag": "good = True\ntry:\n    assert total(case) > 0\nexcept AssertionError:\n    good = False\nreturn good",
    "else-fails": (
        "try:\n    assert total(case) > 0\nexcept AssertionError:\n    pass\nelse:\n    raise ValueError('accepted')"
    ),
    "fails-after-all": "try:\n    judge(case)\nexcept AssertionError:\n    return\nraise ValueError('accepted')",
    "asserted-after-it": "try:\n    cents = total(case)\nexcept Exception:\n    return\nassert cents > 0",
    "in-the-handler": "try:\n    parse(case)\nexcept Exception as error:\n    assert error.args",
    "suppressed-other": "with contextlib.suppress(KeyError):\n    assert total(case) > 0",
    "suppressed-before": "with contextlib.suppress(Exception):\n    parse(case)\nassert total(case) > 0",
    "finally-cleans-up": "try:\n    assert total(case) > 0\nfinally:\n    print(case)",
    "assertions-swallowed-other-errors-not": "try:\n    parse(case)\nexcept AssertionError:\n    pass",
    # reached
    "one-way-left": "cents = total(case)\nif cents > 9:\n    return\nassert cents > 0",
    "if-true": "if True:\n    assert total(case) > 0",
    "loop": 'for line in case["lines"]:\n    assert total(line) > 0',
    "endless-loop": "while True:\n    assert total(case) > 0\n    break",
    "loop-else": "for x in []:\n    pass\nelse:\n    assert total(case) > 0",
    "nested-and-called": "def inner():\n    assert total(case) > 0\ninner()",
    "nested-and-handed-on": "def inner(x):\n    assert x > 0\nparse(inner)",
    "nested-and-decorated": "@pytest.run(case)\ndef inner(x):\n    assert x > 0",
    "nested-with-a-parameter-of-its-own": "def inner(x):\n    assert x > 0\ninner(case)",
    "method-of-a-class": "class Inner:\n    def check(self):\n        assert total(case) > 0\nInner().check()",
    "match": 'match case["kind"]:\n    case "a":\n        assert total(1) == 1\n    case kind:\n        assert kind',
    "generator": "yield case",
    "named-in-a-condition": "if (cents := total(case)) and False:\n    pass\nassert cents >= 0",
    "global-state": "global SMALLEST\nSMALLEST = 3\nassert is_amount(3)",
    "item-of-another-object": "SEEN[0] = case\nassert total(1) == 1",
    "builtin-of-the-same-name": "print = parse\nprint(case)",
    "own-order": "sorted(case, key=judge)",
    "in-a-lambda": "first = lambda: total(case)\nassert first() > 0",
}


@pytest.mark.parametrize("name", SOUND)
def test_what_can_fail_is_left_alone(name: str) -> None:
    assert why(SOUND[name]) == []


def test_the_column_counts_characters_and_the_line_is_that_of_the_file() -> None:
    text = "# first\n\ndef test_it(case):\n    parse(case); größe = 'ä'; assert True\n"
    assert function_vacuities(read_module(text.encode()), "test_it") == [
        Why(4, 31, "it asserts a constant, which is always true")
    ]


def test_lines_of_a_decorated_function_are_those_of_the_file() -> None:
    text = "import x\n\n@x.one\n@x.two\ndef test_it(case):\n    assert True\n"
    assert [(each.line, each.column) for each in function_vacuities(read_module(text.encode()), "test_it")] == [(6, 5)]


def test_a_handler_is_named_by_its_line_in_the_file() -> None:
    text = "\n\ndef test_it(case):\n    try:\n        assert case\n    except Exception:\n        pass\n"
    (found,) = function_vacuities(read_module(text.encode()), "test_it")
    assert found == Why(5, 9, "the handler in line 6 swallows the assertion")


def test_every_void_assertion_is_named_in_order() -> None:
    found = why("cents = total(case)\nassert cents == cents\nassert True\nassert (cents, 'x')")
    assert [each[0] for each in found] == [2, 3, 4]


def test_a_helper_of_another_file_is_looked_into() -> None:
    text = "from amounts import inspect\n\ndef test_it(case):\n    inspect(case)\n"
    idle = read_module(b"def inspect(case):\n    pass\n").functions
    strict = read_module(b"def inspect(case):\n    assert case\n").functions
    module = read_module(text.encode())
    assert function_vacuities(module, "test_it") == []
    assert len(function_vacuities(module, "test_it", idle.get)) == 1
    assert function_vacuities(module, "test_it", strict.get) == []


def test_names_in_another_file_are_not_those_of_this_one() -> None:
    text = "from amounts import inspect\n\ndef idle(x):\n    pass\n\ndef test_it(case):\n    inspect(case)\n"
    other = read_module(b"from strict import idle\n\ndef inspect(case):\n    idle(case)\n").functions
    assert function_vacuities(read_module(text.encode()), "test_it", other.get) == []


@pytest.mark.parametrize(
    "text",
    [
        "def other(case):\n    pass\n",  # not there
        "def test_it():\n    pass\n",  # takes no case
        "def test_it(case:\n",  # does not parse
        "test_it = 3\n",
    ],
)
def test_what_is_no_predicate_gives_nothing(text: str) -> None:
    assert function_vacuities(read_module(text.encode()), "test_it") == []


def test_a_name_bound_twice_is_no_known_helper() -> None:
    text = "def idle(x):\n    pass\n\nidle = fetch()\n\ndef test_it(case):\n    idle(case)\n"
    assert function_vacuities(read_module(text.encode()), "test_it") == []


def test_a_test_that_need_not_depend_on_anything() -> None:
    def judged(body: str) -> int:
        (function,) = ast.parse(f"def test_it(self):\n    {body}\n").body
        assert isinstance(function, ast.FunctionDef)
        return len(vacuities(function))

    assert judged("assert total(1, 2) == 2") == judged("parse('x')") == judged("pass") == 0
    assert judged("assert True") == judged("assert (1, 2)") == 1


def test_nesting_beyond_reason_is_passed_over() -> None:
    chain = "".join(f"    elif case == {number}:\n        pass\n" for number in range(3000))
    text = f"def test_it(case):\n    if case:\n        pass\n{chain}"
    assert function_vacuities(read_module(text.encode()), "test_it") == []


@pytest.mark.parametrize("name", VACUOUS)
def test_nothing_but_a_tuple_is_named_beside_what_judges(name: str) -> None:
    found = why("assert total(case) > 0\n" + VACUOUS[name][0])
    assert [each for each in found if "tuple" not in each[2]] == []
    assert bool(found) == name.startswith("tuple")

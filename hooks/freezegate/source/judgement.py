"""One function that judges a case, walked statement by statement: what of it can fail, and what only looks so."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from freezegate.source.influence import TRIES, Influence, arguments
from freezegate.source.truths import (
    LOGS,
    TUPLE,
    Truths,
    caught,
    constant,
    is_empty,
    is_quiet,
    is_true,
    is_wide,
    is_yes,
)

Definition = ast.FunctionDef | ast.AsyncFunctionDef


class Found(NamedTuple):
    """A function of the project, and what gives the functions that it calls itself by name."""

    definition: Definition
    helper: Helper


Helper = Callable[[str], "Found | None"]
"""Gives a function of the project by the name that a file has for it; None where it is not to be told."""

NOTHING, CALLS, JUDGES = range(3)
"""What a function can do to whoever calls it: nothing, fail in code that it calls, fail by its own judgement."""

_BUILTINS = (
    "abs all any ascii bool bytes bytearray chr complex dict divmod enumerate float format frozenset hasattr hash hex id"
    " int isinstance issubclass len list max min oct ord print range repr reversed round set slice sorted str sum super"
    " tuple type vars zip"
)
# Hypothesis' own say or steer, and judge nothing.
_HARMLESS = frozenset((*_BUILTINS.split(), "assume", "event", "note", "reject", "target"))
_READS = frozenset(("get", "items", "keys", "values"))
_CHECKER = re.compile(
    r"(^|_|[a-z](?=[A-Z]))(assert|check|verif|expect|ensure|validat|must|should|require|fail|raises|warns|compare)"
    r"|deprecated_call|^test",
    re.IGNORECASE,
)
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Vacuity(NamedTuple):
    """A place, and why it cannot fail. The line is 1-based, the offset counts the bytes before it in its line."""

    line: int
    offset: int
    why: str


class _Place(NamedTuple):
    """Where a statement stands: why it is not reached, which lines' handlers swallow what, under what it runs."""

    unreached: str = ""
    assertion_line: int = 0
    all_line: int = 0
    dependent: bool = False
    own: bool = True
    in_class: bool = False


class Judgement:
    """What one function can do, found when it is made.

    `cases` are the names of the parameters on which it has to depend; with None it need not depend on any. `helper`
    knows the functions that it calls.
    """

    def __init__(self, function: Definition, cases: Collection[str] | None, helper: Helper, depth: int = 0) -> None:
        self._helper = helper
        self._depth = depth
        self._powers: dict[str, int] = {}
        every = list(ast.walk(function))
        self._loaded = {node.id for node in every if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        self._locals = {node.id for node in every if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self._locals.update(arguments(function))
        self._locals.update(node.name for node in every[1:] if isinstance(node, _NAMED))
        self._influence = Influence(function, arguments(function) if cases is None else cases, self._is_harmless)
        self._influence.everywhere |= cases is None
        self.leaves = self._influence.everywhere
        self._truths = _truths(function, every)
        self.notes: list[Vacuity] = []
        self.tuples: list[Vacuity] = []
        self.independent: list[Vacuity] = []
        self.swallowed: list[Vacuity] = []
        self.power = NOTHING
        self._yes: list[ast.Return] = []
        self._other_returns = 0
        self._body(function.body, _Place())
        if self._yes and not self._other_returns and not self.notes:
            self._note(self._yes[0], "it returns True whatever the case is")

    def _note(self, node: ast.stmt | ast.expr, why: str) -> None:
        self.notes.append(Vacuity(node.lineno, node.col_offset, why))

    # -- statements

    def _body(self, body: Iterable[ast.stmt], place: _Place) -> bool:
        """Walk a block; whether its end may be reached."""
        ends = False
        for statement in body:
            if ends and not place.unreached:
                place = place._replace(unreached="what stands before it always leaves")
            ends = not self._statement(statement, place) or ends
        return not ends

    def _statement(self, statement: ast.stmt, place: _Place) -> bool:
        if isinstance(statement, ast.Assert):
            self._assertion(statement, place)
        elif isinstance(statement, ast.Raise):
            self._raise(statement, place)
            return False
        elif isinstance(statement, ast.Return):
            self._return(statement, place)
            return False
        elif isinstance(statement, (ast.Break, ast.Continue)):
            return False
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._definition(statement, place)
        elif isinstance(statement, ast.ClassDef):
            self._calls([*statement.decorator_list, *statement.bases], place)
            self._body(statement.body, place._replace(own=False, in_class=True))
        elif isinstance(statement, TRIES):
            return self._try(statement, place)
        elif isinstance(statement, ast.If):
            return self._if(statement, place)
        elif isinstance(statement, (ast.While, ast.For, ast.AsyncFor)):
            self._loop(statement, place)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            self._with(statement, place)
        elif isinstance(statement, ast.Match):
            self._calls([statement.subject], place)
            for case in statement.cases:
                if case.guard is not None:
                    self._calls([case.guard], place)
                self._body(case.body, self._under(statement.subject, place))
        else:
            self._calls([statement], place)
        return True

    def _assertion(self, statement: ast.Assert, place: _Place) -> None:
        why = self._truths.always(statement.test) or self._helper_says_yes(statement.test)
        if why == TUPLE:
            self.tuples.append(Vacuity(statement.lineno, statement.col_offset, why))
        elif why is not None:
            self._note(statement, why)
            self._calls([statement.test], place)
        elif place.unreached:
            self._note(statement, f"the assertion is never reached: {place.unreached}")
        elif place.assertion_line:
            self._note(statement, f"the handler in line {place.assertion_line} swallows the assertion")
        elif constant(statement.test) is False:
            self.power = JUDGES
        else:
            self._judged(statement, statement.test, place)

    def _judged(self, statement: ast.stmt, judging: ast.AST, place: _Place) -> None:
        if place.dependent or self._influence.reaches(judging):
            self.power = JUDGES
        else:
            self.independent.append(
                Vacuity(statement.lineno, statement.col_offset, "what it asserts does not depend on the case")
            )

    def _raise(self, statement: ast.Raise, place: _Place) -> None:
        kind = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        is_assertion = isinstance(kind, ast.Name) and kind.id == "AssertionError"
        line = place.assertion_line if is_assertion else place.all_line
        if place.unreached:
            return
        if line:
            self._note(statement, f"the handler in line {line} swallows what it raises")
        else:
            self.power = JUDGES

    def _return(self, statement: ast.Return, place: _Place) -> None:
        value = statement.value
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            return
        self._calls([value], place)
        if not place.own or place.unreached or self._depth:
            return
        if isinstance(value, ast.Constant) and value.value is True:
            self._yes.append(statement)
        elif (why := self._truths.comparison(value)) is not None:
            self._note(statement, why.replace("it asserts", "it returns"))
        else:
            self._other_returns += 1
            self._judged(statement, value, place)

    def _definition(self, statement: Definition, place: _Place) -> None:
        self._calls([*statement.decorator_list, *statement.args.defaults], place)
        if not (place.in_class or statement.decorator_list or statement.name in self._loaded) and not place.unreached:
            place = place._replace(unreached="nothing calls the function that holds it")
        # Where it is called, other handlers may stand around it, or none.
        self._body(statement.body, _Place(unreached=place.unreached, dependent=place.dependent, own=False))

    def _if(self, statement: ast.If, place: _Place) -> bool:
        self._calls([statement.test], place)
        known = constant(statement.test)
        inside = self._under(statement.test, place)
        first = other = inside
        if not place.unreached:
            first = inside._replace(unreached="its condition is never true") if known is False else inside
            other = inside._replace(unreached="the condition before it is always true") if known else inside
        ends_first, ends_other = self._body(statement.body, first), self._body(statement.orelse, other)
        if known is not None:
            return ends_first if known else ends_other
        return ends_first or ends_other

    def _loop(self, statement: ast.While | ast.For | ast.AsyncFor, place: _Place) -> None:
        head = statement.test if isinstance(statement, ast.While) else statement.iter
        self._calls([head], place)
        inside = self._under(head, place)
        never = constant(head) is False if isinstance(statement, ast.While) else is_empty(head)
        if never and not place.unreached:
            self._body(statement.body, inside._replace(unreached="the loop around it has no round"))
        else:
            self._body(statement.body, inside)
        self._body(statement.orelse, inside)

    def _with(self, statement: ast.With | ast.AsyncWith, place: _Place) -> None:
        inside = place
        for item in statement.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and _name(call.func) == "suppress":
                kinds = frozenset[str]().union(*(caught(kind) for kind in call.args))
                if kinds:
                    wide = call.lineno if is_wide(kinds) else inside.all_line
                    inside = inside._replace(assertion_line=call.lineno, all_line=wide)
            else:
                # An expected exception is asked for by the statement as a whole.
                self._calls([call], self._under(statement, place))
        self._body(statement.body, inside)

    def _try(self, statement: ast.stmt, place: _Place) -> bool:
        assert isinstance(statement, TRIES)
        handlers: list[ast.ExceptHandler] = getattr(statement, "handlers")  # noqa: B009
        body, orelse, final = (getattr(statement, name) for name in ("body", "orelse", "finalbody"))
        inside = self._under(statement, place)
        protected = inside
        undecided, loud = True, False
        for handler in handlers:
            kinds, quiet = caught(handler.type), is_quiet(handler.body)
            if kinds and undecided:
                undecided = False
                if quiet:
                    protected = protected._replace(assertion_line=handler.lineno)
            if quiet and is_wide(kinds) and not loud:
                protected = protected._replace(all_line=handler.lineno)
            loud = loud or not quiet
        if any(isinstance(each, ast.Return) and is_yes(each.value) for each in final):
            line = final[0].lineno
            protected = protected._replace(assertion_line=line, all_line=line)
            inside = protected
        alive = self._body(body, protected)
        alive = self._body(orelse, inside if alive else inside._replace(unreached=inside.unreached or _LEFT)) and alive
        for handler in handlers:
            alive = self._body(handler.body, inside) or alive
        return self._body(final, self._under(statement, place)) and alive

    def _under(self, head: ast.AST, place: _Place) -> _Place:
        return place if place.dependent or not self._influence.reaches(head) else place._replace(dependent=True)

    # -- calls

    def _calls(self, nodes: Iterable[ast.AST], place: _Place) -> None:
        if place.unreached:
            return
        for root in nodes:
            for node in ast.walk(root):
                if isinstance(node, ast.Call):
                    self._call(node, place)

    def _call(self, call: ast.Call, place: _Place) -> None:
        if self._is_harmless(call) or not (place.dependent or self._influence.reaches(call)):
            return
        name = _name(call.func)
        known = self._power_of(call)
        judging = known == JUDGES if known is not None else bool(_CHECKER.search(name))
        if not place.all_line:
            # A judge that fails by another exception than an assertion is not stopped by a handler for assertions.
            self.power = max(self.power, JUDGES if judging and not place.assertion_line else CALLS)
        if line := place.all_line or (place.assertion_line if judging else 0):
            why = f"the handler in line {line} swallows what it raises"
            (self.notes if judging else self.swallowed).append(Vacuity(call.lineno, call.col_offset, why))

    def _is_harmless(self, call: ast.Call) -> bool:
        function = call.func
        if isinstance(function, ast.Name):
            if function.id in _HARMLESS and function.id not in self._locals:
                return not any(keyword.arg == "key" for keyword in call.keywords) and self._helper(function.id) is None
            return self._power_of(call) == NOTHING
        if isinstance(function, ast.Attribute):
            root: ast.expr = function
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            return function.attr in _READS or (isinstance(root, ast.Name) and root.id in LOGS)
        return False

    def _power_of(self, call: ast.Call) -> int | None:
        """What the called function of the project can do; None where it is not to be told which one that is."""
        if not isinstance(call.func, ast.Name) or call.func.id in self._locals:
            return None
        name = call.func.id
        if name not in self._powers:
            found = self._helper(name)
            if found is None or not _is_plain(found.definition):
                return None
            # Deeper, and in a circle, whatever is called may fail.
            self._powers[name] = JUDGES
            if self._depth < _DEEPEST:
                self._powers[name] = _power(found, self._depth + 1)
        return self._powers[name]

    def _helper_says_yes(self, test: ast.expr) -> str | None:
        if not isinstance(test, ast.Call) or not isinstance(test.func, ast.Name) or test.func.id in self._locals:
            return None
        found = self._helper(test.func.id)
        if found is None or not _is_plain(found.definition):
            return None
        nodes = list(ast.walk(found.definition))
        returns = [node.value for node in nodes if isinstance(node, ast.Return)]
        plain = not any(isinstance(node, (ast.Yield, ast.YieldFrom, ast.Raise, ast.Assert)) for node in nodes)
        if plain and returns and isinstance(found.definition.body[-1], ast.Return) and all(map(is_true, returns)):
            return f"it asserts what {test.func.id} returns, which is always true"
        return None


_DEEPEST = 3
_LEFT = "what stands before it always leaves"


def _is_plain(definition: Definition) -> bool:
    return isinstance(definition, ast.FunctionDef) and not definition.decorator_list


def _power(called: Found, depth: int) -> int:
    found = Judgement(called.definition, arguments(called.definition), called.helper, depth)
    # What it keeps elsewhere may be judged there; what does not depend on its arguments may fail all the same.
    return max(found.power, CALLS if found.independent or found.leaves else NOTHING)


def _truths(function: Definition, every: list[ast.AST]) -> Truths:
    parameters = arguments(function)
    bound: dict[str, int] = dict.fromkeys(parameters, 1)
    for node in every:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound[node.id] = bound.get(node.id, 0) + 1
    aliases: dict[str, str] = {}
    made = set()
    for node in every:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if isinstance(value, ast.Name) and bound[name] == 1 and bound.get(value.id) == 1:
                aliases[name] = aliases.get(value.id, value.id)
            elif isinstance(value, ast.Call) and _name(value.func)[:1].isupper():
                made.add(name)
    return Truths(aliases, parameters, made)


def _name(called: ast.expr) -> str:
    """The last part of the name of what is called; empty where it has none."""
    if isinstance(called, ast.Name):
        return called.id
    return called.attr if isinstance(called, ast.Attribute) else ""

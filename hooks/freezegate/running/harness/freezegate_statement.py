"""The statement that a traceback points at, as text that does not depend on how it is laid out.

Where it stands, how it is indented or broken into lines, and comments make no difference; nor does the version of Python,
whose tokenizers differ: so the text is cut into tokens here.
"""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Span = tuple[int, int, int, int]  # first line, first column, last line, end column (columns in bytes)

globals()["__builtins__"] = dict(vars(builtins))  # which the project cannot replace

_ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST; the ast module itself would cost an import
_INNER = ("body", "handlers", "orelse", "finalbody", "cases")
_OPERATORS = " **= //= >>= <<= ... ** // >> << <= >= == != -> := += -= *= /= %= &= |= ^= @= "
_PREFIXES = frozenset(("r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"))


def statement(source: bytes, line: int) -> tuple[str | None, str]:
    """The statement at `line` (1-based) of a Python file, and the qualified name of the function that it is in.

    Of a compound statement it is the header alone. Several statements that share the line are taken together, since
    before Python 3.11 nothing tells which of them ran. None where no statement is there or the source does not parse.
    """
    data = source[3:] if source.startswith(b"\xef\xbb\xbf") else source
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        tree = compile(data, "<source>", "exec", _ONLY_TREE, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError, SystemError):
        return None, ""
    spans: list[tuple[Span, str]] = []
    stack: list[tuple[Any, str]] = [(child, "") for child in tree.body]
    while stack:
        node, scope = stack.pop()
        span = _span(node)
        if span[0] <= line <= span[2]:
            spans.append((span, scope))
        kind = type(node).__name__
        if kind == "ClassDef":
            scope += node.name + "."
        elif kind in ("FunctionDef", "AsyncFunctionDef"):
            scope += node.name + ".<locals>."
        for field in _INNER:
            stack += [(child, scope) for child in getattr(node, field, ())]
    if not spans:
        return None, ""
    starts = [0]
    for text in data.split(b"\n"):
        starts.append(starts[-1] + len(text) + 1)
    first = min(starts[span[0] - 1] + span[1] for span, _ in spans)
    last = max(starts[span[2] - 1] + span[3] for span, _ in spans)
    scope = max(spans)[1]
    for ending in (".<locals>.", "."):
        if scope.endswith(ending):
            scope = scope[: -len(ending)]
            break
    return normalized(data[first:last].decode("utf-8", "replace")), scope or "<module>"


def _span(node: Any) -> Span:
    """The lines and columns of a statement, or of the header where it holds other statements."""
    if not any(hasattr(node, field) for field in _INNER):
        return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
    if not hasattr(node, "lineno"):  # a case of a match statement: its keyword is not in the tree
        start = (node.pattern.lineno, node.pattern.col_offset)
    else:
        start = (node.lineno, node.col_offset)
    for decorator in getattr(node, "decorator_list", ()):
        start = min(start, (decorator.lineno, decorator.col_offset))
    end = (start[0], start[1] + 1)
    stack = [getattr(node, field) for field in node._fields if field not in _INNER]
    while stack:
        part = stack.pop()
        if type(part) is list:
            stack += part
        elif hasattr(part, "end_lineno"):
            end = max(end, (part.end_lineno, part.end_col_offset))
        elif hasattr(part, "_fields"):
            stack += [getattr(part, field, None) for field in part._fields]
    return (*start, *end)


def normalized(text: str) -> str:
    """The tokens of Python text with one blank between them; strings are kept as they are written."""
    tokens = []
    position = 0
    while position < len(text):
        character = text[position]
        if character in " \t\f\n":
            position += 1
        elif character == "#":
            position = _line_end(text, position)
        elif text.startswith("\\\n", position):
            position += 2
        else:
            end = _token(text, position)
            tokens.append(text[position:end])
            position = end
    return " ".join(tokens)


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _token(text: str, start: int) -> int:
    """Where the token ends that begins at `start`."""
    first = text[start]
    following = text[start + 1 : start + 2]
    if first in "'\"":
        return _string(text, start, False)
    if first.isdigit() or (first == "." and following.isdigit()):
        return _number(text, start)
    end = start + 1
    if first == "_" or first.isalpha():
        while end < len(text) and (text[end] == "_" or text[end].isalnum() or text[end] > "\x7f"):
            end += 1
        prefix = text[start:end].lower()
        if prefix in _PREFIXES and text[end : end + 1] in ("'", '"'):
            return _string(text, end, "f" in prefix or "t" in prefix)
        return end
    for size in (3, 2):
        if f" {text[start : start + size]} " in _OPERATORS:
            return start + size
    return end


def _number(text: str, start: int) -> int:
    end = start + 1
    whole = text[start : start + 2].lower() in ("0x", "0o", "0b")
    while end < len(text):
        exponent = text[end] in "+-" and text[end - 1] in "eE" and not whole
        if not (exponent or text[end] in "._" or text[end].isalnum()):
            break
        end += 1
    return end


def _string(text: str, start: int, fields: bool) -> int:
    """Where the string ends whose first quote is at `start`. `fields`: braces in it hold expressions."""
    quote = text[start]
    if text[start : start + 3] == quote * 3:
        quote *= 3
    position = start + len(quote)
    while position < len(text):
        if text[position] == "\\":
            # In f"\{x}" the brace still opens an expression.
            position += 1 if fields and text[position + 1 : position + 2] == "{" else 2
        elif text.startswith(quote, position):
            return position + len(quote)
        elif fields and text[position] == "{":
            position = position + 2 if text[position + 1 : position + 2] == "{" else _field(text, position + 1)
        else:
            position += 1
    return len(text)


def _field(text: str, position: int) -> int:
    """Where a replacement field ends. From Python 3.12 on it may hold the quotes of the string that it is in."""
    depth = 0
    while position < len(text):
        character = text[position]
        if character == "#":
            position = _line_end(text, position)
        elif character in "'\"_" or character.isalnum():
            position = _token(text, position)
        elif character == ":" and not depth:
            return _format(text, position + 1)
        else:
            if character == "}" and not depth:
                return position + 1
            depth += (character in "([{") - (character in ")]}")
            position += 1
    return len(text)


def _format(text: str, position: int) -> int:
    """Where a field ends whose format begins at `position`: quotes mean nothing here."""
    while position < len(text) and text[position] != "}":
        position = _field(text, position + 1) if text[position] == "{" else position + 1
    return position + 1

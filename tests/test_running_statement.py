"""Statements as text: the same however they are laid out, another one for another statement."""

from __future__ import annotations

import io
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from children import pythons
from freezegate.running.harness.freezegate_statement import normalized, statement
from freezegate.running.launch import HARNESS

SOURCE = rb'''
import x
class A:
    @deco(
      1)
    def f(self, a=3):
        for q in foo(
             a):  # comment
            # more
            assert f"{a:'>10} {d['x']!r}" ==  \
               2, "a" \
               "b"
        x = 1; y = 1.5e-3 if x else 0x1e-3
        async def inner():
            with open(z) as (a,
               b):
                try:
                    return 1
                except foo(1) as e: bar()
                finally:
                    x = """ a
  b """
        if x: assert y
        while True: pass
lambda: (
   1)
'''
EXPECTED = {
    2: ("import x", "<module>"),
    5: ("deco ( 1 ) def f ( self , a = 3", "A"),
    7: ("for q in foo ( a )", "A.f"),
    8: ("for q in foo ( a )", "A.f"),
    9: (None, ""),
    11: ("""assert f"{a:'>10} {d['x']!r}" == 2 , "a" "b\"""", "A.f"),
    13: ("x = 1 ; y = 1.5e-3 if x else 0x1e - 3", "A.f"),
    16: ("with open ( z ) as ( a , b )", "A.f.<locals>.inner"),
    18: ("return 1", "A.f.<locals>.inner"),
    19: ("except foo ( 1 ) as e : bar ( )", "A.f.<locals>.inner"),
    22: ('x = """ a\n  b """', "A.f.<locals>.inner"),
    23: ("if x : assert y", "A.f"),
    25: ("lambda : ( 1 )", "<module>"),
    26: ("lambda : ( 1 )", "<module>"),
    99: (None, ""),
}


@pytest.mark.parametrize("line", EXPECTED)
def test_the_statement_at_a_line(line: int) -> None:
    assert statement(SOURCE, line) == EXPECTED[line]
    assert statement(b"\xef\xbb\xbf" + SOURCE.replace(b"\n", b"\r\n"), line)[1] == EXPECTED[line][1]


@pytest.mark.parametrize("python", pythons())
def test_every_python_sees_the_same(python: str, tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(SOURCE)
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from freezegate_statement import statement
source = open(sys.argv[2], "rb").read()
print([statement(source, line) for line in range(1, 40)])
"""
    done = subprocess.run(
        [python, "-B", "-c", program, HARNESS, tmp_path / "source"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{[statement(SOURCE, line) for line in range(1, 40)]}\n"


@pytest.mark.parametrize("source", [b"def f(:", b"x = '\0'", b"(" * 5000, b"\xff = 1", b""])
def test_what_does_not_parse_has_no_statement(source: bytes) -> None:
    assert statement(source, 1) == (None, "")


@pytest.mark.skipif(sys.version_info < (3, 10), reason="it does not parse there")
def test_cases_of_a_match_statement() -> None:
    source = b"def f(x):\n    match x(\n  1):\n        case [1,\n              2] if g(): return 1\n        case _:\n            h()\n"
    texts = [statement(source, line)[0] for line in range(2, 8)]
    header, guarded = "match x ( 1 )", "1 , 2 ] if g ( )"
    assert texts[:2] == [header, header]
    assert texts[2:] == [f"[ {guarded}", f"[ {guarded} : return 1", "_", "h ( )"]


@pytest.mark.parametrize(
    "text",
    [
        "a  +  b",
        "f( 'a  b' ,\n # no\n r'\\n' , b\"x\")",
        "f'{x:{width}}' \\\n rf\"\\{y}\"",
        "f'{x!r:>{w}} {{ }} {d[\"k\"]}'",
        "x if y else ...",
        "a <<= b ** c // d -> e",
        "'''it's''' \"\"\"a\"b\"\"\"",
    ],
)
def test_it_is_its_own_normal_form(text: str) -> None:
    assert normalized(normalized(text)) == normalized(text)
    assert normalized(f"\n   {text}  # remark\n") == normalized(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f'{d['k']}'  +  1", "f'{d['k']}' + 1"),  # 3.12: the same quotes inside
        ("f'{x:\">5}'  +  1", "f'{x:\">5}' + 1"),
        ("f'{ {1: \"}\"}[1] }'  +  1", "f'{ {1: \"}\"}[1] }' + 1"),
        ("'{'  +  '}'", "'{' + '}'"),
        ("f'{{'  +  '}'", "f'{{' + '}'"),
        ("'open", "'open"),
        ("f'{open", "f'{open"),
    ],
)
def test_strings_are_kept_as_they_are(text: str, expected: str) -> None:
    assert normalized(text) == expected


_TOKENS = st.sampled_from(
    [
        "a",
        "_b1",
        "é",
        "1",
        "0x1f",
        "1.5e-3",
        ".5",
        "1_0j",
        "'s  p'",
        '"#"',
        "b'\\''",
        "'''a\n b'''",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "+",
        "**",
        "//=",
        "->",
        ":=",
        "...",
        ".",
        ",",
        ":",
        ";",
        "@",
        "!=",
        "~",
        "if",
        "lambda",
    ]
)


@given(st.lists(st.tuples(_TOKENS, st.sampled_from([" ", "\n", " \\\n", " # c 'x\n", "\t"])), max_size=12))
def test_tokens_are_found_whatever_stands_between(parts: list[tuple[str, str]]) -> None:
    assert normalized("".join(token + space for token, space in parts)) == " ".join(token for token, _ in parts)


def test_it_cuts_this_file_as_the_tokenizer_does() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    left_out = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    # f-strings are several tokens from 3.12 on.
    lines = [line for line in text.split("\n") if "f'" not in line and 'f"' not in line]
    plain = "\n".join(line for line in lines if '"""' not in line and "'''" not in line)
    try:
        tokens = [
            token.string
            for token in tokenize.generate_tokens(io.StringIO(plain).readline)
            if token.type not in left_out
        ]
    except (tokenize.TokenError, IndentationError):
        pytest.fail("the file no longer survives the removal of its long strings")
    assert normalized(plain) == " ".join(tokens)

"""Code that runs: answers that are none, forged or bought, and files that are compared by hand."""

from __future__ import annotations

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("runners")
_EVAL = ("property-eval", "--scope", p.SCOPE, "--case", p.CASE)
_RUN = ("property-run", "--scope", p.SCOPE)
_TRIPLE = ("check-binding", p.CITATION, p.RECORD, p.CASE)


def _predicate(work: Work, body: str, above: str = "") -> None:
    work.put(p.PREDICATE, f"{above}def test_total_non_negative(case):\n{body}")


def _bodies() -> None:
    """One case for each way in which a predicate gives no answer."""
    for name, says, body, above in (
        ("predicate-exits", "The predicate ends the process with status 0.", "    os._exit(0)\n", "import os\n\n\n"),
        ("predicate-raises-exit", "The predicate raises SystemExit(0).", "    raise SystemExit(0)\n", ""),
        (
            "predicate-kills-itself",
            "The predicate kills its own process.",
            "    os.kill(os.getpid(), 9)\n",
            "import os\n\n\n",
        ),
        ("predicate-interrupts", "The predicate raises KeyboardInterrupt.", "    raise KeyboardInterrupt\n", ""),
        (
            "predicate-skips",
            "The predicate skips itself, as a test may.",
            '    raise unittest.SkipTest("later")\n',
            "import unittest\n\n\n",
        ),
        ("predicate-answers-otherwise", "The predicate returns an object that is true.", "    return 1\n", ""),
        (
            "predicate-returns-a-coroutine",
            "The predicate returns a coroutine, which is true.",
            "    return f()\n",
            "async def f():\n    return False\n\n\n",
        ),
        (
            "import-exits",
            "The predicate's module ends the process when it is imported.",
            "    assert False\n",
            "import sys\n\nsys.exit(0)\n\n\n",
        ),
        (
            "frame-forged",
            "The predicate writes a pass to every open descriptor and ends the process.",
            _FORGED,
            "import os\n\n\n",
        ),
        (
            "predicate-is-random",
            "The predicate fails now and then: replays do not agree.",
            "    assert os.urandom(1)[0] % 2\n",
            "import os\n\n\n",
        ),
        (
            "predicate-returns-a-liar",
            "The predicate returns an object that says it equals True.",
            "    return Liar()\n",
            _LIAR,
        ),
        (
            "predicate-raises-generator-exit",
            "The predicate ends by the exception of a generator's close.",
            "    raise GeneratorExit\n",
            "",
        ),
    ):
        # That twenty draws are all alike happens once in half a million times.
        more = ("--replays", "20") if name == "predicate-is-random" else ()
        own = name in (
            "frame-forged",
            "predicate-interrupts",
            "predicate-returns-a-liar",
            "predicate-raises-generator-exit",
        )

        def patch(work: Work, body: str = body, above: str = above) -> None:
            _predicate(work, body, above)

        TOPIC.cheat(name, says, "exit 2", layer="run", own=own, command=(*_EVAL, *more), answer="no answer: ")(patch)


_FORGED = """\
    for number in range(1, 32):
        try:
            os.write(number, b'{"result": "pass"}\\n')
        except OSError:
            pass
    os._exit(0)
"""
_LIAR = "class Liar:\n    def __eq__(self, other):\n        return True\n\n    __hash__ = None\n\n\n"
_bodies()


@TOPIC.cheat(
    "pass-printed",
    "The predicate prints that it passed, and fails.",
    "exit 1",
    layer="run",
    command=_EVAL,
    answer="AssertionError",
)
def _printed(work: Work) -> None:
    _predicate(work, '    print("pass", flush=True)\n    assert False\n')


@TOPIC.cheat(
    "exit-status-flipped",
    "A handler at the end of the process turns its status to 0.",
    "exit 1",
    layer="run",
    command=_EVAL,
    answer="AssertionError",
)
def _flipped(work: Work) -> None:
    _predicate(work, "    atexit.register(os._exit, 0)\n    assert False\n", "import atexit\nimport os\n\n\n")


@TOPIC.cheat(
    "assertions-switched-off",
    "PYTHONOPTIMIZE is set, under which no assertion is made.",
    "exit 1",
    layer="run",
    command=_EVAL,
    answer="AssertionError",
)
def _optimised(work: Work) -> None:
    work.variables = {"PYTHONOPTIMIZE": "2"}


@TOPIC.cheat(
    "site-customised",
    "A sitecustomize at the root of the repository, which PYTHONPATH names, ends every process.",
    "exit 1",
    layer="run",
    command=_EVAL,
    answer="AssertionError",
)
def _site(work: Work) -> None:
    work.put("sitecustomize.py", "import os\n\nos._exit(0)\n")
    work.variables = {"PYTHONPATH": str(work.folder)}


@TOPIC.cheat(
    "standard-library-shadowed",
    "Files at the root shadow hashlib, json and random.",
    "exit 1",
    layer="run",
    command=_EVAL,
    answer="AssertionError",
)
def _shadowed(work: Work) -> None:
    for name in ("hashlib", "json", "random", "traceback"):
        work.put(f"{name}.py", "import os\n\nos._exit(0)\n")


@TOPIC.cheat(
    "standard-library-shadowed-beside-the-predicate",
    "A json.py lies beside the predicate.",
    "exit 1",
    layer="run",
    own=True,
    command=_EVAL,
    answer="AssertionError",
)
def _beside(work: Work) -> None:
    work.put("tests/properties/json.py", "import os\n\nos._exit(0)\n")


@TOPIC.cheat(
    "hanging-predicate",
    "The predicate never ends, and the caller gives up.",
    "exit 2",
    layer="run",
    own=True,
    command=(*_EVAL, "--time-limit", "1"),
    answer="time limit",
)
def _hangs(work: Work) -> None:
    _predicate(work, "    while True:\n        pass\n")


@TOPIC.cheat(
    "child-left-behind",
    "The predicate leaves a process behind that keeps its outputs open, and fails.",
    "exit 1",
    layer="run",
    command=_EVAL,
    answer="AssertionError",
)
def _left(work: Work) -> None:
    _predicate(
        work,
        "    if os.fork() == 0:\n        time.sleep(60)\n        os._exit(0)\n    assert False\n",
        "import os\nimport time\n\n\n",
    )


@TOPIC.cheat(
    "case-of-another-scope-evaluated",
    "The case that is evaluated is of another scope.",
    "exit 2",
    layer="run",
    own=True,
    command=_EVAL,
    answer="is a case of",
)
def _other(work: Work) -> None:
    work.swap(p.CASE, p.SCOPE_ID, "tax.rounded")


@TOPIC.cheat(
    "case-with-doubled-keys",
    "The case says its input twice.",
    "exit 2",
    layer="run",
    own=True,
    command=_EVAL,
    answer="given twice",
)
def _doubled(work: Work) -> None:
    work.swap(p.CASE, '    "qty": 1,', '    "qty": 1,\n    "qty": 2,')


@TOPIC.cheat(
    "generator-without-its-seed",
    "The generator uses entropy, so that no failure comes again.",
    "exit 3",
    layer="run",
    command=_RUN,
    answer="not reproducible",
)
def _entropy(work: Work) -> None:
    work.drop(p.CASE, p.RECORD, p.CITATION)
    body = '    return {"currency": "USD", "qty": 1, "unit_cents": -3, "run": os.urandom(8).hex()}\n'
    work.put(p.GENERATOR, "import os\n\n\ndef generate(domain, rng):\n" + body)


@TOPIC.cheat(
    "generator-of-no-json",
    "The generator gives values that JSON does not carry.",
    "exit 2",
    layer="run",
    own=True,
    command=_RUN,
    answer="not a number of JSON",
)
def _no_json(work: Work) -> None:
    work.drop(p.CASE, p.RECORD, p.CITATION)
    work.put(
        p.GENERATOR,
        'def generate(domain, rng):\n    return {"currency": "USD", "qty": 1, "unit_cents": float("nan")}\n',
    )


@TOPIC.cheat(
    "other-bounds-by-flag",
    "A run asks for one example where the lock says 200.",
    "exit 2",
    layer="run",
    command=(*_RUN, "--max-examples", "1"),
    answer="the seed lock pins",
)
def _bounds(work: Work) -> None:
    work.drop(p.CASE, p.RECORD, p.CITATION)


@TOPIC.cheat(
    "retained-case-forgotten",
    "The search finds nothing any more, but the retained case still fails.",
    "exit 1",
    layer="run",
    own=True,
    command=_RUN,
    answer="the retained case",
)
def _forgotten(work: Work) -> None:
    work.put(p.GENERATOR, 'def generate(domain, rng):\n    return {"currency": "USD", "qty": 1, "unit_cents": 1}\n')


@TOPIC.cheat(
    "files-with-nulls",
    "Three files by hand: null equals null.",
    "exit 2",
    layer="run",
    command=_TRIPLE,
    answer="is null",
)
def _nulls(work: Work) -> None:
    for path in (p.RECORD, p.CITATION):
        work.fields(path, counterexample_sha256=None)


@TOPIC.cheat(
    "files-with-nothing",
    "Three files by hand: missing equals missing.",
    "exit 2",
    layer="run",
    command=_TRIPLE,
    answer="is missing",
)
def _nothing(work: Work) -> None:
    for path in (p.RECORD, p.CITATION):
        work.fields(path, scope_id=...)


@TOPIC.cheat(
    "files-that-say-twice",
    "Three files by hand: a record has a key twice.",
    "exit 1",
    layer="run",
    command=_TRIPLE,
    answer="given twice",
)
def _twice(work: Work) -> None:
    work.swap(p.RECORD, '  "class_isolated": "fail"', '  "class_isolated": "pass",\n  "class_isolated": "fail"')


@TOPIC.cheat(
    "files-with-a-pass",
    "Three files by hand: one label is a pass on both sides.",
    "exit 3",
    layer="run",
    own=True,
    command=_TRIPLE,
    answer="is pass, not fail",
)
def _label(work: Work) -> None:
    for path in (p.RECORD, p.CITATION):
        work.fields(path, class_isolated="pass")


@TOPIC.cheat(
    "files-with-another-case",
    "Three files by hand: the counterexample has other bytes.",
    "exit 4",
    layer="run",
    own=True,
    command=_TRIPLE,
    answer="has the hash",
)
def _bytes(work: Work) -> None:
    work.append(p.CASE, "\n")


@TOPIC.cheat(
    "open-record-cited",
    "A citation is asked for while the record is open.",
    "exit 1",
    layer="run",
    own=True,
    command=("cite", p.SCOPE_ID),
    answer="is open",
)
def _cite(work: Work) -> None:
    work.fields(p.RECORD, class_isolated=None)
    work.add()

"""Print what running properties takes beside named peers: ``python benchmarks/running.py [--repeat N]``.

Needs pytest and Hypothesis in the environment of the interpreter that runs it. Every figure is a median of one run in
which both sides took turns. It measures; it does not pass or fail.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import repositories
from measuring import Command, Side, compare

from run import PACKAGE, environment, line

PROPERTIES = 100
CLASSIFIED = 20

SOURCE = "def total_cents(qty, unit_cents):\n    return qty * unit_cents\n"
PREDICATE = """\
from orders import total_cents


def test_total(case):
    assert total_cents(case["qty"], case["unit_cents"]) >= {least}
"""
GENERATOR = """\
from hypothesis import strategies as st


def strategy(domain):
    numbers = {name: st.integers(each["min"], each["max"]) for name, each in domain.items()}
    return st.fixed_dictionaries(numbers)
"""
SCOPE = """\
scope_id: totals.number_{number}
predicate: tests/properties/{predicate}.py:test_total
domain:
  qty: {{min: 1, max: 20}}
  unit_cents: {{min: 0, max: 500}}
generator: tests/fixtures/gen.py
seed_lock: tests/fixtures/lock_{number}
schema_version: 3
"""
# The same property as a peer runs it: alone by pytest, and all of them by Hypothesis in one process.
TEST = """\
import sys

sys.path[:0] = ["src", "tests/properties", "tests/fixtures"]
from gen import strategy
from hypothesis import given, seed, settings
from holds import test_total as check

DOMAIN = {"qty": {"min": 1, "max": 20}, "unit_cents": {"min": 0, "max": 500}}


def of(number):
    @seed(number)
    @settings(max_examples=200, database=None, deadline=None)
    @given(strategy(DOMAIN))
    def test(case):
        check(case)

    return test
"""
ONE = TEST + "\n\ntest_one = of(0)\n"
ALL = TEST + f"\n\nfor number in range({PROPERTIES}):\n    of(number)()\n"


def files() -> Iterator[tuple[str, str]]:
    yield "src/orders.py", SOURCE
    yield "tests/properties/holds.py", PREDICATE.format(least=0)
    yield "tests/properties/fails.py", PREDICATE.format(least=1)
    yield "tests/fixtures/gen.py", GENERATOR
    for number in range(PROPERTIES + CLASSIFIED):
        predicate = "holds" if number < PROPERTIES else "fails"
        yield f"tests/properties/scope_{number}.scope.yaml", SCOPE.format(number=number, predicate=predicate)
        yield f"tests/fixtures/lock_{number}", f"totals.number_{number} {number} 200\n"
    for number in (0, *range(PROPERTIES, PROPERTIES + CLASSIFIED)):
        case = {"qty": 1, "unit_cents": 0}
        document = {"scope_id": f"totals.number_{number}", "seed": number, "example_index": 0, "input": case}
        text = json.dumps({**document, "predicate_result": "fail", "shrink_steps": 0})
        yield f"cases/{number}.json", text
    yield "one_test.py", ONE
    yield "all.py", ALL


def build(repository: Path) -> None:
    repository.mkdir()
    repositories.git(repository, "init", "-q")
    for path, text in files():
        place = repository / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    repositories.git(repository, "add", "-A")
    repositories.git(repository, "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "-m", "properties")


def sides(folder: Path) -> Iterator[tuple[str, list[Side], float]]:
    """Each comparison: its name, our sides and the peer last, and the largest ratio that we allow ourselves."""

    def side(label: str, *words: str) -> Side:
        return Side(label, (Command((sys.executable, *words), folder),))

    def ours(*words: str, label: str = "") -> Side:
        return side(label or f"freezegate {' '.join(words)}", "-m", "freezegate", *words)

    yield (
        "property-run",
        [
            ours("property-run", "--scope", "totals.number_0"),
            side("pytest -q", "-m", "pytest", "-q", "-p", "no:cacheprovider", "one_test.py"),
        ],
        0.8,
    )
    scopes = [
        word for number in range(PROPERTIES) for word in ("--scope", f"tests/properties/scope_{number}.scope.yaml")
    ]
    yield (
        f"property-run of {PROPERTIES}",
        [
            ours("property-run", *scopes, label=f"freezegate property-run, {PROPERTIES} scopes"),
            side("Hypothesis called directly, one process", "all.py"),
        ],
        1.2,
    )
    imports = "import sys; sys.path[:0] = ['src', 'tests/properties']; import holds"
    evaluate = ("property-eval", "--scope", "tests/properties/scope_0.scope.yaml", "--case", "cases/0.json")
    yield (
        "property-eval",
        [
            ours(*evaluate, "--replays", "1", label="freezegate property-eval --replays 1"),
            ours(*evaluate, label="freezegate property-eval (3 replays)"),
            side("python, and the predicate's imports", "-c", imports),
        ],
        2,
    )
    frozen = range(PROPERTIES, PROPERTIES + CLASSIFIED)
    words = [
        word for number in frozen for word in ("--scope", f"totals.number_{number}", "--case", f"cases/{number}.json")
    ]
    yield (
        f"classify of {CLASSIFIED}",
        [
            ours("classify", *words, label=f"freezegate classify, {CLASSIFIED} scopes"),
            ours("classify", "--jobs", "1", *words, label="freezegate classify --jobs 1"),
        ],
        0.65,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Print medians and ratios of running properties.")
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="rounds after the warm-up (default 7)")
    chosen = parser.parse_args()
    compileall.compile_dir(str(PACKAGE), quiet=1)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary).resolve()
        build(work / "properties")
        print(f"python {sys.version.split()[0]}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
        for name, found, bound in sides(work / "properties"):
            print(f"\n{name}")
            compare(found, environment(), chosen.repeat, work / "errors")
            for each in found:
                print(f"  {line(each)}")
            *ours, peer = found
            for each in ours:
                if each.seconds and peer.seconds:
                    ratio = each.median / peer.median
                    word = "within" if ratio <= bound else "ABOVE"
                    print(f"  ratio {ratio:.2f}, {word} the bound {bound:g}: {each.label}")


if __name__ == "__main__":
    main()

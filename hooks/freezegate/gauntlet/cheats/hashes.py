"""Digests that are left stale, typed, re-framed or asked of another formula."""

from __future__ import annotations

import json

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("hashes")


def _sized(work: Work) -> None:
    work.put(p.CONFIG, "policy:\n  framing: sized\n")
    work.add()
    _unlock(work)
    work.lock()
    work.bind(cite=True)


def _unlock(work: Work) -> None:
    kept = [line for line in work.read(p.SCOPE).splitlines() if not line.startswith("predicate_digest")]
    work.put(p.SCOPE, "\n".join([*kept, ""]))


@TOPIC.cheat("generator-narrowed", "The generator is edited under a record.", "digest-mismatch")
def _generator(work: Work) -> None:
    work.swap(p.GENERATOR, 'rng.randint(domain["qty"]["min"], domain["qty"]["max"])', "1")


@TOPIC.cheat("bounds-lowered", "The seed lock asks for one example instead of 200.", "digest-mismatch")
def _bounds(work: Work) -> None:
    work.swap(p.LOCK, "17 200", "17 1")


@TOPIC.cheat("domain-narrowed", "The domain no longer holds what fails.", "digest-mismatch")
def _domain(work: Work) -> None:
    work.swap(p.SCOPE, "min: -5", "min: 0")


@TOPIC.cheat(
    "domain-narrowed-and-bound",
    "The domain is narrowed, and all hashes are made anew.",
    "counterexample-out-of-domain",
    own=True,
)
def _domain_bound(work: Work) -> None:
    work.swap(p.SCOPE, "min: -5", "min: 0")
    work.bind(cite=True)


def _with_input(work: Work) -> None:
    work.put("tests/data/rates.csv", "USD,100\n")
    work.append(p.SCOPE, "inputs: [tests/data/rates.csv]\n")
    work.bind(cite=True)


@TOPIC.cheat(
    "input-edited",
    "A data file that the scope names as an input is edited.",
    "digest-mismatch",
    own=True,
    base=_with_input,
)
def _input(work: Work) -> None:
    work.put("tests/data/rates.csv", "USD,0\n")


@TOPIC.cheat(
    "input-deleted",
    "A data file that the scope names as an input goes.",
    "digest-input-missing",
    own=True,
    base=_with_input,
)
def _input_gone(work: Work) -> None:
    work.drop("tests/data/rates.csv")


@TOPIC.cheat(
    "input-taken-off",
    "The scope no longer names its input, and the record stays.",
    "digest-mismatch",
    own=True,
    base=_with_input,
)
def _input_off(work: Work) -> None:
    work.swap(p.SCOPE, "inputs: [tests/data/rates.csv]\n", "")


@TOPIC.cheat("digest-typed", "The record's digest is typed: it is of no tree.", "digest-mismatch")
def _typed(work: Work) -> None:
    work.fields(p.RECORD, fixture_digest="ab" * 32)


@TOPIC.cheat("digest-of-nothing", "The record has the hash of nothing.", "digest-mismatch")
def _nothing(work: Work) -> None:
    work.fields(p.RECORD, fixture_digest="e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")


@TOPIC.cheat(
    "bytes-moved-between-fixtures",
    "Bytes move from one fixture to another around a zero byte: the plain digest stays.",
    "digest-ambiguous",
)
def _moved(work: Work) -> None:
    work.put("fixtures/a.json", b"[]\n\0b.json\0[1]\n")


@TOPIC.cheat(
    "bytes-moved-between-parts", "The generator ends with the first bytes of the next part's name.", "digest-ambiguous"
)
def _parts(work: Work) -> None:
    work.put(p.GENERATOR, work.read(p.GENERATOR).rstrip("\n"))


@TOPIC.cheat(
    "zero-byte-in-the-lock",
    "The seed lock holds a zero byte, at which two readings of the parts agree.",
    "digest-ambiguous",
)
def _zero(work: Work) -> None:
    work.put(p.LOCK, work.read(p.LOCK).encode() + b"\0more\n")


@TOPIC.cheat(
    "plain-where-sized-is-asked",
    "The record's digest is of the weaker formula.",
    "digest-mismatch",
    own=True,
    base=_sized,
)
def _plain(work: Work) -> None:
    work.fields(p.RECORD, fixture_digest="ab" * 32)


@TOPIC.cheat(
    "sized-in-name-only", "A plain digest gets the prefix of the stronger formula.", "digest-mismatch", own=True
)
def _prefix(work: Work) -> None:
    work.fields(p.RECORD, fixture_digest="sized:" + json.loads(work.read(p.RECORD))["fixture_digest"])


@TOPIC.cheat(
    "executable-generator",
    "The generator becomes executable, which the sized digest covers.",
    "digest-mismatch",
    base=_sized,
)
def _executable(work: Work) -> None:
    work.at(p.GENERATOR).chmod(0o755)


@TOPIC.cheat("case-edited", "The retained counterexample is edited.", "counterexample-mismatch")
def _case(work: Work) -> None:
    work.swap(p.CASE, '"unit_cents": -1', '"unit_cents": -2')


@TOPIC.cheat(
    "case-reformatted",
    "The counterexample is formatted anew: its value stays, its bytes do not.",
    "counterexample-mismatch",
    own=True,
)
def _reformatted(work: Work) -> None:
    work.put(p.CASE, json.dumps(json.loads(work.read(p.CASE))))


@TOPIC.cheat(
    "case-deleted", "The counterexample goes, its record and citation stay.", "counterexample-missing", own=True
)
def _case_gone(work: Work) -> None:
    work.drop(p.CASE)


@TOPIC.cheat(
    "predicate-digest-typed",
    "The predicate changes, and a made-up digest is typed into its scope.",
    "predicate-without-scope",
    own=True,
)
def _digest(work: Work) -> None:
    work.append(p.HELPER, "\n\nMORE = 1\n")
    _unlock(work)
    work.append(p.SCOPE, f"predicate_digest: {'ab' * 32}\n")


@TOPIC.cheat(
    "predicate-digest-removed",
    "The digest that guards the predicate is taken out of the scope.",
    "scope-schema",
    own=True,
)
def _unlocked(work: Work) -> None:
    _unlock(work)
    work.bind()


@TOPIC.cheat("generator-deleted", "The generator goes, and nothing can be searched any more.", "digest-input-missing")
def _no_generator(work: Work) -> None:
    work.drop(p.GENERATOR)

"""Documents and code that one reader takes for something else than another."""

from __future__ import annotations

import json

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("parsers")


@TOPIC.cheat(
    "record-says-twice", "A record has a label twice: a person reads the first, a parser the last.", "record-unreadable"
)
def _record_twice(work: Work) -> None:
    work.swap(p.RECORD, '  "class_isolated": "fail"', '  "class_isolated": "pass",\n  "class_isolated": "fail"')


@TOPIC.cheat("scope-says-twice", "A scope has its generator twice.", "scope-unreadable")
def _scope_twice(work: Work) -> None:
    work.append(p.SCOPE, f"generator: {p.GENERATOR}\n")


@TOPIC.cheat("ledger-says-twice", "A ledger entry has its signature twice.", "ledger-unreadable", own=True)
def _ledger_twice(work: Work) -> None:
    work.freeze()
    work.swap(p.LEDGER, '    "signature"', f'    "signature": "{"0" * 64}",\n    "signature"')


@TOPIC.cheat("yaml-alias", "A bound of the domain is an alias of another.", "scope-unreadable", own=True)
def _alias(work: Work) -> None:
    work.swap(p.SCOPE, "{min: 1, max: 20}", "{min: &low 1, max: *low}")


@TOPIC.cheat("yaml-merge-key", "A field comes in through a merge key.", "scope-unreadable", own=True)
def _merge_key(work: Work) -> None:
    work.append(p.SCOPE, "<<: {description: merged}\n")


@TOPIC.cheat("yaml-tag", "A value is tagged, so that a lenient loader builds an object.", "scope-unreadable", own=True)
def _tag(work: Work) -> None:
    work.append(p.SCOPE, "description: !!python/name:os.system x\n")


@TOPIC.cheat("two-documents", "A second YAML document follows the scope in one file.", "scope-unreadable", own=True)
def _two(work: Work) -> None:
    work.append(p.SCOPE, "---\nscope_id: other.one\n")


@TOPIC.cheat(
    "escaped-id", "A scope's id is written with an escape, so that no search finds it.", "scope-unreadable", own=True
)
def _escaped(work: Work) -> None:
    work.swap(p.SCOPE, f"scope_id: {p.SCOPE_ID}", 'scope_id: "order_total\\x2enon_negative"')


@TOPIC.cheat(
    "yaml-octal",
    "A bound of the domain is written as an octal of YAML 1.1, and the case falls out.",
    "counterexample-out-of-domain",
)
def _octal(work: Work) -> None:
    work.swap(p.SCOPE, "{min: 1, max: 20}", "{min: 012, max: 20}")
    work.bind()


@TOPIC.cheat(
    "yaml-country", "A word of an enumeration is one that YAML 1.1 takes for false.", "counterexample-out-of-domain"
)
def _country(work: Work) -> None:
    work.swap(p.SCOPE, "[USD, EUR]", "[NO, EUR]")
    work.swap(p.CASE, '"currency": "USD"', '"currency": false')
    work.bind()


@TOPIC.cheat(
    "boolean-for-one", "A case has true where the domain has the number 1.", "counterexample-out-of-domain", own=True
)
def _boolean(work: Work) -> None:
    work.swap(p.CASE, '"qty": 1', '"qty": true')
    work.bind()


@TOPIC.cheat(
    "float-for-one", "A case has 1.0 where the domain has whole numbers.", "counterexample-out-of-domain", own=True
)
def _float(work: Work) -> None:
    work.swap(p.CASE, '"qty": 1', '"qty": 1.0')
    work.bind()


@TOPIC.cheat("digest-as-a-number", "A digest of digits alone is not quoted, and loads as a number.", "scope-schema")
def _number(work: Work) -> None:
    kept = [line for line in work.read(p.SCOPE).splitlines() if not line.startswith("predicate_digest")]
    work.put(p.SCOPE, "\n".join([*kept, f"predicate_digest: {'1' * 64}", ""]))


@TOPIC.cheat(
    "case-not-a-number",
    "A counterexample holds NaN, which equals nothing, itself included.",
    "counterexample-unreadable",
)
def _nan(work: Work) -> None:
    work.swap(p.CASE, '"unit_cents": -1', '"unit_cents": NaN')
    work.bind()


@TOPIC.cheat("case-infinite", "A counterexample holds 1e400, which loads as infinity.", "counterexample-unreadable")
def _infinite(work: Work) -> None:
    work.swap(p.CASE, '"unit_cents": -1', '"unit_cents": -1e400')
    work.bind()


@TOPIC.cheat("case-of-5000-digits", "A number is so long that the parser raises.", "counterexample-unreadable")
def _digits(work: Work) -> None:
    work.swap(p.CASE, '"unit_cents": -1', f'"unit_cents": -{"1" * 5000}')
    work.bind()


@TOPIC.cheat(
    "case-too-deep", "A counterexample is nested so deeply that the parser gives up.", "counterexample-unreadable"
)
def _deep(work: Work) -> None:
    work.swap(p.CASE, '"unit_cents": -1', f'"unit_cents": -1, "more": {"[" * 100_000}{"]" * 100_000}')
    work.bind()


@TOPIC.cheat("lone-surrogate", "A string of the case is half a character.", "counterexample-unreadable")
def _surrogate(work: Work) -> None:
    work.swap(p.CASE, '"currency": "USD"', '"currency": "\\ud800"')
    work.bind()


@TOPIC.cheat("byte-order-mark", "A record begins with a byte order mark.", "record-unreadable")
def _mark(work: Work) -> None:
    work.put(p.RECORD, b"\xef\xbb\xbf" + work.read(p.RECORD).encode())


@TOPIC.cheat(
    "record-with-comments", "A record holds comments that other JSON readers take.", "record-unreadable", own=True
)
def _comments(work: Work) -> None:
    work.put(p.RECORD, "// looks fine\n" + work.read(p.RECORD))


@TOPIC.cheat("empty-record", "The record is an empty file.", "record-unreadable")
def _empty(work: Work) -> None:
    work.put(p.RECORD, "")


@TOPIC.cheat("scope-in-utf16", "The scope is saved as UTF-16, which a byte search does not read.", "scope-unreadable")
def _wide(work: Work) -> None:
    work.put(p.SCOPE, work.read(p.SCOPE).encode("utf-16"))


@TOPIC.cheat(
    "hidden-line-break",
    "A comment of the scope ends at a separator that only YAML sees as a line break.",
    "scope-unreadable",
)
def _separator(work: Work) -> None:
    work.append(p.SCOPE, "# note\u2028description: x\n")


@TOPIC.cheat(
    "digest-with-a-line-break", "A digest ends with a line break, which a loose pattern lets in.", "record-schema"
)
def _line_break(work: Work) -> None:
    document = json.loads(work.read(p.RECORD))
    work.fields(p.RECORD, fixture_digest=document["fixture_digest"] + "\n")


@TOPIC.cheat("digits-of-another-script", "A digest is written with digits that only look like digits.", "record-schema")
def _script(work: Work) -> None:
    work.fields(p.RECORD, fixture_digest="\uff11" * 64)


@TOPIC.cheat("digest-in-capitals", "A digest is written in capitals.", "record-schema", own=True)
def _capitals(work: Work) -> None:
    document = json.loads(work.read(p.RECORD))
    work.fields(p.RECORD, fixture_digest=document["fixture_digest"].upper())


@TOPIC.cheat("schema-downgrade", "A scope claims an older schema, under which less was asked.", "scope-schema")
def _downgrade(work: Work) -> None:
    work.swap(p.SCOPE, "schema_version: 3", "schema_version: 1")


@TOPIC.cheat("schema-version-is-a-float", "The schema version is 3.0.", "scope-schema")
def _version(work: Work) -> None:
    work.swap(p.SCOPE, "schema_version: 3", "schema_version: 3.0")


@TOPIC.cheat(
    "domain-of-nothing", "A bound is below the other, so that nothing is ever generated.", "scope-schema", own=True
)
def _nothing(work: Work) -> None:
    work.swap(p.SCOPE, "{min: 1, max: 20}", "{min: 20, max: 1}")


@TOPIC.cheat("scope-of-two-megabytes", "A scope is too large to be read in good time.", "scope-unreadable", own=True)
def _large(work: Work) -> None:
    work.append(p.SCOPE, "# padding\n" * 200_000)


@TOPIC.cheat("code-in-utf7", "A cookie makes a comment of the helper code.", "source-disguised")
def _cookie(work: Work) -> None:
    work.put(p.HELPER, "# coding: utf-7\n" + work.read(p.HELPER) + "# +AAo-SMALLEST = -100\n")


@TOPIC.cheat("lone-carriage-return", "Code follows a comment after a bare carriage return.", "source-disguised")
def _return(work: Work) -> None:
    work.append(p.HELPER, "# checked\rSMALLEST = -100\n")


@TOPIC.cheat(
    "reordered-code",
    "Bidirectional controls show the helper in another order than Python reads it.",
    "source-disguised",
    own=True,
)
def _bidi(work: Work) -> None:
    work.append(p.HELPER, "LIMIT = 0  # \u202e 001- \u202c\n")


@TOPIC.cheat(
    "wide-import",
    "A module is imported by a name in wide letters, which Python reads as plain ones.",
    "source-disguised",
)
def _wide_import(work: Work) -> None:
    work.swap(p.PREDICATE, "from amounts import", "from \uff41mounts import")


@TOPIC.cheat(
    "chain-that-kills-the-parser", "A helper is a chain of names on which a parser crashes.", "source-disguised"
)
def _chain(work: Work) -> None:
    work.append(p.HELPER, "x = a" + ".b" * 140_000 + "\n")


@TOPIC.cheat(
    "brackets-that-exhaust-the-parser",
    "A predicate has more brackets than the parser takes.",
    "predicate-missing",
    own=True,
)
def _brackets(work: Work) -> None:
    work.append(p.PREDICATE, f"x = {'(' * 5000}1{')' * 5000}\n")


@TOPIC.cheat("citation-says-twice", "A citation has its hash twice.", "citation-unreadable", own=True)
def _citation_twice(work: Work) -> None:
    work.swap(p.CITATION, '  "class_local"', f'  "counterexample_sha256": "{"0" * 64}",\n  "class_local"')

"""The decision tables: may a citation stand, what is the verdict, is the change promoted.

Pure and total: any Python object may come in, and an unknown word, a null or a wrong type is neither an
exception nor an allowance. Only values whose type is exactly a builtin one are ever compared, so an object
cannot answer for itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

FREEZE_FIELDS = ("prop_id", "signature", "fixture_digest", "base_revision")

_CITATION_MESSAGES = {
    "closed": "both evaluations failed on exactly these bytes: this scope id may be cited",
    "nothing_to_bind": "the local class label is absent: there is no counterexample to bind",
    "recompute_digest": "the digest is not that of the files under review: recompute it",
    "classifier_missing": "the isolated class label is absent: the second classifier has not answered",
    "environment_split": "the two environments disagree: find out why before anything is frozen",
    "holds": "the retained input passes in both environments: there is nothing to freeze",
}


@dataclass(frozen=True)
class CitationDecision:
    """Whether a citation may stand; true exactly when it may.

    `reason` is one of closed, nothing_to_bind, recompute_digest, classifier_missing, environment_split,
    holds; `observed` the two labels and the digest's answer in words (absent, and unknown for what is no word
    at all).
    """

    allowed: bool
    reason: str
    message: str
    observed: tuple[str, str, str]

    def __bool__(self) -> bool:
        return self.allowed


@dataclass(frozen=True)
class VerdictDecision:
    """One property's verdict (pass, fail, inconclusive), its reason, and the run status that was observed.

    `reason` is one of held, failed, frozen, oracle_moved, missing_run.
    """

    verdict: str
    reason: str
    observed: str


@dataclass(frozen=True)
class Promotion:
    """Whether the change may merge; true exactly when it may. `ids` are those that the reason speaks of,
    sorted.

    `reason` is one of promoted, malformed, nothing_claimed, repeated_id, ids_differ, unknown_verdict, failed,
    nothing_passed, not_all_passed (the last under the strict policy only).
    """

    promoted: bool
    reason: str
    ids: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.promoted


def may_cite(local: object, isolated: object, digest_equal: object) -> CitationDecision:
    """Whether a record with these class labels may be cited, its digest being equal to the tree's or not.

    A digest that differs is named before the labels are: labels of other bytes say nothing about these.
    """
    labels = _label(local), _label(isolated)
    observed = (
        _observed(local, "absent"),
        _observed(isolated, "absent"),
        "yes" if digest_equal is True else "no",
    )
    if labels[0] is None:
        reason = "nothing_to_bind"
    elif digest_equal is not True:
        reason = "recompute_digest"
    elif labels[1] is None:
        reason = "classifier_missing"
    elif labels[0] != labels[1]:
        reason = "environment_split"
    else:
        reason = "closed" if labels[0] == "fail" else "holds"
    return CitationDecision(reason == "closed", reason, _CITATION_MESSAGES[reason], observed)


def freeze_matches(run_fields: Mapping[str, object], freeze_fields: Mapping[str, object]) -> bool:
    """Whether a freeze applies to a run: all four FREEZE_FIELDS present, non-empty and equal.

    Both are plain dictionaries. An empty, null, absent or non-text field matches nothing, itself included.
    """
    run, freeze = _text_fields(run_fields), _text_fields(freeze_fields)
    return all(name in run and name in freeze and run[name] == freeze[name] for name in FREEZE_FIELDS)


def verdict(status: object, freeze_match: object, oracle_edited: object) -> VerdictDecision:
    """The verdict for one property. Whatever is not exactly False counts as an edited oracle, and whatever is
    not exactly True as no matching freeze.
    """
    observed = _observed(status, "missing")
    if oracle_edited is not False:
        return VerdictDecision("fail", "oracle_moved", observed)
    word = _label(status)
    if word is None:
        return VerdictDecision("fail", "missing_run", observed)
    if word == "pass":
        return VerdictDecision("pass", "held", observed)
    if freeze_match is True:
        return VerdictDecision("inconclusive", "frozen", observed)
    return VerdictDecision("fail", "failed", observed)


def promote(verdicts: Sequence[tuple[str, str]], claimed: Collection[str], strict: object) -> Promotion:
    """Whether these (id, verdict) pairs promote a change that claims these ids.

    Lists, tuples and sets are accepted; anything else, and anything else in them, is malformed. Whatever is
    not exactly False is strict: then every verdict must be a pass.
    """
    rows, claims = _rows(verdicts), _ids(claimed)
    if rows is None or claims is None:
        return Promotion(False, "malformed")
    ids = [identifier for identifier, _ in rows]
    repeated = _repeated(ids) | _repeated(claims)
    unknown = [identifier for identifier, word in rows if word not in ("pass", "fail", "inconclusive")]
    failed = [identifier for identifier, word in rows if word == "fail"]
    unsettled = [identifier for identifier, word in rows if word == "inconclusive"]
    if not claims:
        return Promotion(False, "nothing_claimed")
    if repeated:
        return _refused("repeated_id", repeated)
    if set(ids) != set(claims):
        return _refused("ids_differ", set(ids) ^ set(claims))
    if unknown:
        return _refused("unknown_verdict", unknown)
    if failed:
        return _refused("failed", failed)
    if len(unsettled) == len(rows):
        return _refused("nothing_passed", unsettled)
    if unsettled and strict is not False:
        return _refused("not_all_passed", unsettled)
    return Promotion(True, "promoted")


def _label(value: object) -> str | None:
    return value if type(value) is str and value in ("pass", "fail") else None


def _observed(value: object, absent: str) -> str:
    if value is None or (type(value) is str and not value):
        return absent
    return value if type(value) is str else "unknown"


def _text_fields(fields: object) -> dict[str, str]:
    if type(fields) is not dict:
        return {}
    # read by iterating: a look-up would ask a foreign key with the same hash whether it is equal
    return {name: value for name, value in fields.items() if type(name) is str and type(value) is str and value}


def _members(values: object) -> list[object] | None:
    # one `is` a kind: `in` would compare the types by an __eq__ that a metaclass may define
    if type(values) is list or type(values) is tuple or type(values) is set or type(values) is frozenset:
        return list(values)
    return None


def _ids(values: object) -> list[str] | None:
    members = _members(values)
    if members is None:
        return None
    ids = [member for member in members if type(member) is str and member]
    return ids if len(ids) == len(members) else None


def _rows(values: object) -> list[tuple[str, str]] | None:
    members = _members(values)
    if members is None:
        return None
    rows: list[tuple[str, str]] = []
    for member in members:
        pair = list(member) if type(member) is tuple or type(member) is list else []
        if len(pair) != 2 or type(pair[0]) is not str or not pair[0]:
            return None
        rows.append((pair[0], pair[1] if type(pair[1]) is str else ""))
    return rows


def _repeated(ids: Sequence[str]) -> set[str]:
    counts = Counter(ids)
    return {identifier for identifier, count in counts.items() if count > 1}


def _refused(reason: str, ids: Collection[str]) -> Promotion:
    return Promotion(False, reason, tuple(sorted(set(ids))))

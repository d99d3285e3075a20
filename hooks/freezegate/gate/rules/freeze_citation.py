"""Hook freeze-citation: a citation stands only on a closed record, and never on one whose oracle just moved."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from freezegate.findings import Finding
from freezegate.gate.bindings import Binding
from freezegate.gate.commands import add, argument, unstage
from freezegate.gate.companions import companions
from freezegate.gate.registry import rule
from freezegate.gate.saying import at, found, refused
from freezegate.gate.step import Step

HOOK = "freeze-citation"
_SHARED = ("scope_id", "fixture_digest", "counterexample_sha256", "class_local", "class_isolated")


@rule(
    HOOK,
    "citation",
    rejects="a citation that the strict loader refuses",
    protects="A reviewer and the gate must read the same values.",
    mend="Write it again with `freezegate cite SCOPE_ID`.",
    accepted='{"scope_id": "a.b", ...}',
    rejected='{"scope_id": "a.b", "scope_id": "c.d", ...}',
)
def citation_unreadable(binding: Binding) -> Iterator[Finding]:
    """Each reason of the strict loader."""
    if binding.citation is not None and binding.citation.reading.problems:
        hint = cite_command(binding)
        yield from refused("citation-unreadable", "unreadable", binding.citation.path, binding.citation.reading, hint)


@rule(
    HOOK,
    "citation",
    rejects="a citation that its schema refuses; `expires` missing where policy limits it, or present where policy does not",
    protects="A citation says which triple it cites and nothing else; a date that no policy asks for is no control.",
    mend="Write it again with `freezegate cite SCOPE_ID`.",
    accepted='"freeze_reason": "retained_input_failed_in_both_classifiers"',
    rejected='"freeze_reason": "flaky"',
)
def citation_schema(binding: Binding) -> Iterator[Finding]:
    """Each violation, and an expiry that does not fit the policy."""
    if binding.citation is None:
        return
    hint = cite_command(binding)
    yield from refused("citation-schema", "schema", binding.citation.path, binding.citation.reading, hint)
    if binding.cited is not None:
        limited = binding.tree.config.policy.expiry_days is not None
        if limited and binding.cited.expires is None:
            message = "/expires: missing, and policy.expiry_days asks for it"
            yield at("citation-schema", binding.citation, (), message, hint)
        elif not limited and binding.cited.expires is not None:
            message = "/expires: policy.expiry_days is not set, so a citation carries no date"
            yield at("citation-schema", binding.citation, ("expires",), message, hint)


def cite_command(binding: Binding) -> str:
    """The command that writes the citation anew, and stages it."""
    path = binding.tree.citation_path(binding.scope_id)
    return f"freezegate cite {argument(binding.scope_id)} && {add([path])}"


@rule(
    HOOK,
    "citation",
    rejects="a citation whose file name and scope_id differ",
    protects="A citation is found by its name; another id inside would excuse another scope.",
    mend="Write it again with `freezegate cite SCOPE_ID`.",
    accepted="order_total.non_negative.freeze.json with scope_id order_total.non_negative",
    rejected="order_total.non_negative.freeze.json with scope_id order_total.rounded",
)
def citation_name(binding: Binding) -> Iterator[Finding]:
    """The two ids, on the citation."""
    if binding.citation is not None and binding.cited is not None and binding.cited.scope_id != binding.scope_id:
        message = f'the file is named for "{binding.scope_id}", its scope_id is {binding.cited.scope_id}'
        right = binding.tree.citation_path(binding.cited.scope_id)
        hint = f"git mv -- {binding.citation.path.shell} {right.shell}"
        yield at("citation-name", binding.citation, ("scope_id",), message, hint)


@rule(
    HOOK,
    "citation",
    rejects="a citation without a record for its scope id",
    protects="A freeze is a citation of evidence; here is none.",
    mend="Bind a counterexample first, or retire the freeze.",
    accepted="a record beside the citation",
    rejected="a citation alone",
)
def citation_dangling(binding: Binding) -> Iterator[Finding]:
    """On the citation."""
    if binding.citation is not None and binding.record is None:
        message = f"there is no record {binding.tree.record_path(binding.scope_id)}"
        yield found("citation-dangling", binding.citation.path, message, binding.retire_command)


@rule(
    HOOK,
    "citation",
    rejects="a citation of an open record: the reason from the decision table",
    protects="Only a case that two environments saw fail, under these very bytes, may be excused.",
    mend="Bind the case again. Where files that the record rests on are edited and not committed yet, retire the freeze in "
    "the same commit, then run the property, bind and cite again.",
    accepted="a record with equal hashes and two labels fail",
    rejected="a record whose counterexample_sha256 is null",
)
def citation_open_record(binding: Binding) -> Iterator[Finding]:
    """On the citation, with why the record is open."""
    if binding.citation is not None and binding.record is not None and binding.open_because:
        message = f"the record {binding.record.path} is open: {binding.open_because}"
        yield found("citation-open-record", binding.citation.path, message, binding.bind_command)


@rule(
    HOOK,
    "citation",
    rejects="a citation of which any of the triple, or a label, differs from the record: the keys named",
    protects="A citation excuses exactly what its record binds.",
    mend="Write it again with `freezegate cite SCOPE_ID`.",
    accepted="the record's five values",
    rejected="the record's values but for fixture_digest",
)
def citation_mismatch(binding: Binding) -> Iterator[Finding]:
    """The keys that differ, on the first of them."""
    cited, stated = binding.cited, binding.stated
    if binding.citation is None or cited is None or stated is None:
        return
    # That the citation itself is of another scope is citation-name's to say.
    shared = _SHARED if cited.scope_id == binding.scope_id else _SHARED[1:]
    keys = [key for key in shared if getattr(cited, key) != getattr(stated, key)]
    if keys:
        message = f"differs from the record in {', '.join(keys)}"
        hint = binding.bind_command if binding.open_because else cite_command(binding)
        yield at("citation-mismatch", binding.citation, (keys[0],), message, hint)


@rule(
    HOOK,
    "citation step",
    change=True,
    rejects="a citation added or changed in a change in which its predicate's closure changed or is new",
    protects="The patch that moves a check may not excuse it too.",
    mend="Bind first, and cite in a later change.",
    accepted="a citation added alone, on a record from before",
    rejected="predicate, scope, record and citation added together",
)
def citation_oracle_moved(binding: Binding, step: Step) -> Iterator[Finding]:
    """On the citation, where it and the closure both moved from this old side."""
    path = binding.tree.citation_path(binding.scope_id)
    if binding.citation is None or step.old.entry(path) == binding.citation.entry:
        return
    for what in companions("citation", binding, step):
        message = f"{what} of {binding.scope_id} is new or changed in the change that cites it"
        hint = f"take the citation out ({unstage(path)}), and cite in a change after this one: a later commit, a later pull request"
        yield found("citation-oracle-moved", path, message, hint)


@rule(
    HOOK,
    "citation",
    rejects="a citation whose `expires` is past, or further ahead than policy.expiry_days",
    protects="A freeze that policy limits in time ends in time.",
    mend="Cite again, or retire the freeze.",
    accepted="expires: a day within policy.expiry_days from today",
    rejected="expires: yesterday",
)
def citation_expired(binding: Binding) -> Iterator[Finding]:
    """On the date."""
    days = binding.tree.config.policy.expiry_days
    if binding.citation is None or binding.cited is None or binding.cited.expires is None or days is None:
        return
    day, expires = binding.tree.day, binding.cited.expires
    if expires < day:
        message = f"expired on {expires}, today is {day}"
    elif expires > day + timedelta(days=min(days, 3_000_000 - day.toordinal())):
        message = f"{expires} is more than {days} days after {day}"
    else:
        return
    yield at("citation-expired", binding.citation, ("expires",), message, cite_command(binding))

"""A command of the project's own: it evaluates the case wherever it likes, and prints what `property-eval --json` does."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from freezegate.fingerprints import is_damaged, parts_of, written
from freezegate.running.environments.place import Absent
from freezegate.running.leftovers import scratch
from freezegate.text import quoted

if TYPE_CHECKING:
    from freezegate.running.cases import Case
    from freezegate.running.labels import Label
    from freezegate.running.subject import Subject

_HINT = "the command must print what freezegate property-eval --json does"
_PLACEHOLDER = re.compile(r"\{(tree|scope|case|python|replays)\}")
_HASH = re.compile(r"[0-9a-f]{64}")
_LONGEST = 2000  # characters of a text in an answer
_KEYS = frozenset(
    (
        "format_version",
        "scope_id",
        "counterexample_sha256",
        "outcome",
        "reason",
        "replays",
        "failed",
        "signature",
        "fingerprint",
    )
)
_MORE = frozenset(("environment",))


class CommandPlace:
    """A command whose items may hold {tree}, {scope}, {case}, {python} and {replays}."""

    preset = "command"

    def __init__(self, name: str, command: tuple[str, ...]) -> None:
        self.name = name
        self.command = command

    def answer(
        self, tree: str, subject: Subject, case: Case, python: str, replays: int, time_limit: float | None
    ) -> Label:
        """What the command says of the case, in the folder `tree`. `time_limit` is in seconds, for each replay.

        Raises Absent where it gives no answer, one about another input, or one that is malformed.
        """
        from freezegate.running.environments.tools import run, tool_environment

        with scratch() as folder:
            path = os.path.join(folder, f"{subject.scope_id}.cex.json")
            with open(path, "wb") as file:
                file.write(case.data)
            values = {
                "tree": tree,
                "scope": subject.scope.text,
                "case": path,
                "python": python,
                "replays": str(replays),
            }
            # In one pass: what a value holds is no placeholder.
            command = [_PLACEHOLDER.sub(lambda found: values[found[1]], item) for item in self.command]
            limit = None if time_limit is None else time_limit * replays
            try:
                done = run(command, tool_environment(), tree, limit, flood=False)
            except (OSError, ValueError) as error:
                raise Absent(f"{quoted(command[0])} could not be started: {error}", "mend the environment") from None
        if done.status is None:
            raise Absent(f"the command gave no answer: {done.why}")
        said = done.errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return self._understood(done.out, subject.scope_id, case.sha256, replays, said)

    def _understood(self, out: bytes, scope_id: str, sha256: str, replays: int, said: str) -> Label:
        from freezegate.documents.loading import LoadError, load_json
        from freezegate.running.labels import Label

        more = f" ({quoted(said, 200)})" if said else ""
        try:
            given = load_json(out).value
        except LoadError as error:
            raise Absent(f"the command's answer is not one JSON object: {error}{more}", _HINT) from None
        if not isinstance(given, dict):
            raise Absent(f"the command's answer is not one JSON object{more}", _HINT)
        if (flaw := _flaw(given, replays)) is not None:
            raise Absent(f"the command's answer is malformed: {flaw}", _HINT)
        if given["scope_id"] != scope_id:
            raise Absent(f"the command's answer is about the scope {quoted(given['scope_id'])}", _HINT)
        if given["counterexample_sha256"] != sha256:
            raise Absent("the command's answer is about another input", _HINT)
        return Label(
            environment=self.name,
            label=given["outcome"],
            reason=given["reason"],
            replays=given["replays"],
            failed=given["failed"],
            signature=given["signature"],
            fingerprint=_renamed(given["fingerprint"], self.name),
        )


def _renamed(fingerprint: str | None, environment: str) -> str | None:
    """What the command calls its own environment is known under another name here; other tools' texts stay."""
    parts = None if fingerprint is None else parts_of(fingerprint)
    if parts is None:
        return fingerprint
    return written({**parts, "environment": environment, "preset": CommandPlace.preset})


def _flaw(given: Mapping[str, Any], replays: int) -> str | None:
    """What is wrong with an answer's form; None where nothing is."""
    if odd := sorted({*(_KEYS - given.keys()), *(given.keys() - _KEYS - _MORE)}):
        return f"missing or unknown: {', '.join(map(quoted, odd))}"
    if type(given["format_version"]) is not int or given["format_version"] != 1:
        return "format_version is not 1"
    texts = {"scope_id": False, "counterexample_sha256": False, "reason": True, "signature": True, "fingerprint": True}
    for key, may_be_null in texts.items():
        if not _is_text(given[key]) and not (may_be_null and given[key] is None):
            return f"{key} is no text of one line"
    if not all(type(given[key]) is int and given[key] >= 0 for key in ("replays", "failed")):
        return "replays and failed must be whole numbers"
    outcome = given["outcome"]
    if outcome == "absent":
        return None if given["reason"] is not None else "absent without a reason"
    if outcome not in ("pass", "fail"):
        return f"outcome is {quoted(str(outcome))}"
    if given["replays"] < replays:
        return f"{given['replays']} replays are too few: policy asks for {replays}"
    if given["failed"] != (given["replays"] if outcome == "fail" else 0):
        return f"{given['failed']} of {given['replays']} replays failed, and the outcome is {outcome}"
    if given["fingerprint"] is None:
        return "fingerprint is null"
    if is_damaged(given["fingerprint"]):
        return "fingerprint was changed after it was written"
    if outcome == "fail" and not (given["signature"] is not None and _HASH.fullmatch(given["signature"])):
        return "signature is no SHA-256"
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and 0 < len(value) <= _LONGEST

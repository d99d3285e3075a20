"""Class labels: what re-evaluating exactly one retained case gave in one environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from freezegate.running import fingerprint, signatures
from freezegate.running.evaluation import Attempts, Failure, replay

if TYPE_CHECKING:
    from freezegate.running.cases import Case
    from freezegate.running.environments import Place
    from freezegate.running.environments.command import CommandPlace
    from freezegate.running.subject import Subject

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Label:
    """One environment's answer: `label` is ``pass``, ``fail`` or ``absent``, with `reason` where it is absent.

    `signature` is there for a failure, `fingerprint` wherever the environment answered.
    """

    environment: str
    label: str
    reason: str | None
    replays: int
    failed: int
    signature: str | None = None
    fingerprint: str | None = None
    failure: Failure | None = None

    def as_json(self, scope_id: str, case: Case) -> dict[str, Any]:
        """What `property-eval --json` prints, and what a command environment answers."""
        return {
            "format_version": FORMAT_VERSION,
            "scope_id": scope_id,
            "counterexample_sha256": case.sha256,
            "outcome": self.label,
            "reason": self.reason,
            "replays": self.replays,
            "failed": self.failed,
            "signature": self.signature,
            "environment": self.environment,
            "fingerprint": self.fingerprint,
        }


def in_words(failure: Failure) -> str:
    """Where and how it failed, for a person."""
    what = failure.exception.removeprefix("builtins.")
    return f"{failure.file}:{failure.line}: {what}" + (f": {failure.message}" if failure.message else "")


def label_of(
    attempts: Attempts, environment: str, preset: str, subject: Subject, case: Case, temporary: str = ""
) -> Label:
    """The label that replays of the case in one environment amount to; `temporary` is the child's temporary folder."""
    failure = next((outcome.failure for outcome in attempts.outcomes if outcome.failure is not None), None)
    facts = next((outcome.facts for outcome in attempts.outcomes if outcome.facts is not None), None)
    signature = None
    if attempts.label == "fail" and failure is not None:
        assertion = signatures.assertion_id(subject.predicate_name, failure)
        tokens = {temporary: "{temporary folder}", str((facts or {}).get("host") or ""): "{host}"}
        signature = signatures.signature(assertion, case.document.input, tokens=tokens)
    return Label(
        environment=environment,
        label=attempts.label,
        reason=attempts.reason,
        replays=attempts.replays,
        failed=attempts.failed,
        signature=signature,
        fingerprint=None if facts is None else fingerprint.text(environment, preset, facts),
        failure=failure if attempts.label == "fail" else None,
    )


def labelled(
    place: Place | CommandPlace,
    tree: str,
    subject: Subject,
    case: Case,
    python: str,
    replays: int,
    time_limit: float | None,
) -> Label:
    """The label of the case in an environment that sees the files in the folder `tree`.

    Where no environment can be made, where it does not answer, or answers for another input, the label is absent.
    """
    from freezegate.running.environments import Absent
    from freezegate.running.environments.command import CommandPlace

    try:
        if isinstance(place, CommandPlace):
            return place.answer(tree, subject, case, python, replays, time_limit)
        with place.open(tree, python) as launch:
            job = subject.job("evaluate", launch.root, facts=True)
            attempts = replay(launch, job, case.input_json, replays, time_limit)
            temporary = launch.env.get("TMPDIR", "")
    except Absent as absent:
        hint = f"; {absent.hint}" if absent.hint else ""
        return Label(place.name, "absent", f"{absent.message}{hint}", 0, 0)
    return label_of(attempts, place.name, place.preset, subject, case, temporary)

"""What HEAD holds, as the gate sees it: the config in force, the Python that is asked for, the time of one check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import monotonic

from freezegate.errors import CannotJudge
from freezegate.gate.evaluate import Options, evaluate
from freezegate.gate.force import own_config
from freezegate.gate.governed import CONFIG_PATH
from freezegate.gate.library import Library
from freezegate.git.ancestry import known_to
from freezegate.git.change import Change, today
from freezegate.git.plumbing import GitError, answer
from freezegate.git.repository import Repository
from freezegate.git.revisions import resolve_or_none
from freezegate.git.snapshot import Snapshot
from freezegate.paths import RepoPath
from freezegate.server.line import OK, PROBLEM, WARNING, Line

# What GitHub Enterprise Server gives all its pre-receive hooks together, in seconds.
_TIME = 5.0
_REQUIRES = re.compile(rb"^\s*requires-python\s*=\s*[\"']([^\"'\n]{1,100})[\"']", re.MULTILINE)


def head_name() -> str | None:
    """The branch that HEAD names; None where it is detached."""
    status, out, _ = answer(["symbolic-ref", "-q", "HEAD"])
    return out.decode("utf-8", "surrogateescape").strip() if status == 0 else None


def requires_python() -> str | None:
    """The project's ``requires-python`` at HEAD, where it says one."""
    status, out, _ = answer(["cat-file", "blob", "HEAD:pyproject.toml"])
    found = _REQUIRES.search(out) if status == 0 else None
    return found[1].decode("utf-8", "replace") if found else None


def head(bare: bool) -> Iterator[Line]:
    """What one look at HEAD's tree shows."""
    name = head_name() or "a commit itself (detached)"
    if resolve_or_none("HEAD^{commit}") is None:
        todo = "name the one that people merge to: git symbolic-ref HEAD refs/heads/NAME, or --default-branch"
        yield Line(
            WARNING, "config", f"HEAD is {name}, which has no commit: no config is in force yet", todo if bare else ""
        )
        return
    repository = Repository()
    try:
        snapshot = repository.snapshot("HEAD")
        yield _config(snapshot, name, bare)
        yield _check(snapshot)
    finally:
        repository.close()


def _config(snapshot: Snapshot, name: str, bare: bool) -> Line:
    where = f"{CONFIG_PATH} of HEAD, {name}"
    reading = own_config(snapshot, Library(snapshot.store))
    if reading is None:
        return Line(OK, "config", f"{name} has no {CONFIG_PATH}: the defaults are in force")
    if reading.document is None:
        flaw = reading.problems[0]
        return Line(
            PROBLEM, "config", f"{where}, line {flaw.line}: {flaw.message}",
            "mend it in a change of the config alone" + (": no other push can be judged" if bare else ""),
        )  # fmt: skip
    return Line(OK, "config", f"{where}: valid")


def _check(snapshot: Snapshot) -> Line:
    change = Change("all", (), snapshot, "HEAD alone", known_to([]), today(), False)
    started = monotonic()
    try:
        report = evaluate(change, Options(verify_all=True))
    except (CannotJudge, GitError) as error:
        return Line(PROBLEM, "check of HEAD", error.message, error.hint)
    took = monotonic() - started
    documents = sum(report.checked.values())
    seen = f"{took:.2f} s for all {documents} documents, {len(report.findings)} findings"
    if report.findings:
        first = report.findings[0]
        where = f"{first.path}:{first.line}: {first.rule}"
        return Line(
            WARNING, "check of HEAD", f"{seen} (the first: {where})", "in a clone: freezegate check --all-files"
        )
    if took > _TIME:
        return Line(WARNING, "check of HEAD", seen, f"where the server stops hooks after {_TIME:.0f} s, push in parts")
    if not documents and not snapshot.entry(RepoPath(CONFIG_PATH)):
        return Line(WARNING, "check of HEAD", f"{seen}: nothing here is under the gate", "freezegate init, in a clone")
    return Line(OK, "check of HEAD", seen)

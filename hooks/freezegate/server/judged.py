"""What the default branch holds, as the gate sees it: the config in force, the Python that is asked for, the time of one check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from freezegate.documents.config import Config
from freezegate.documents.reading import Reading, read_config
from freezegate.errors import CannotJudge
from freezegate.gate.archive import Archive
from freezegate.gate.evaluate import Options, evaluate
from freezegate.gate.force import own_config
from freezegate.gate.governed import CONFIG_PATH
from freezegate.git.ancestry import known_to
from freezegate.git.change import Change, today
from freezegate.git.plumbing import GitError, answer
from freezegate.git.repository import Repository
from freezegate.git.revisions import resolve_or_none
from freezegate.git.snapshot import Snapshot
from freezegate.server.line import OK, PROBLEM, WARNING, Line

# What GitHub Enterprise Server gives all its pre-receive hooks together, in seconds.
_TIME = 5.0
_SUBJECT = "one check"
_REQUIRES = re.compile(rb"^\s*requires-python\s*=\s*[\"']([^\"'\n]{1,100})[\"']", re.MULTILINE)


def branch(given: str | None) -> tuple[str, str]:
    """The revision whose tree counts, and what to call it: the branch that the hook names, else HEAD's."""
    if given is not None:
        ref = given if given.startswith("refs/") else f"refs/heads/{given}"
        return ref, f"{ref}, which the hook names"
    status, out, _ = answer(["symbolic-ref", "-q", "HEAD"])
    return "HEAD", out.decode("utf-8", "surrogateescape").strip() if status == 0 else "HEAD, detached"


def requires_python(revision: str) -> str | None:
    """The project's ``requires-python`` at a revision, where it says one."""
    status, out, _ = answer(["cat-file", "blob", f"{revision}:pyproject.toml"])
    found = _REQUIRES.search(out) if status == 0 else None
    return found[1].decode("utf-8", "replace") if found else None


def tree(given: str | None, config: str | None, bare: bool) -> Iterator[Line]:
    """What one look at the tree of the default branch (or HEAD) shows, under the config in force.

    `given` and `config` are the branch and the file that a server's hook names.
    """
    revision, name = branch(given)
    if resolve_or_none(f"{revision}^{{commit}}") is None:
        todo = "name the one that people merge to: git symbolic-ref HEAD refs/heads/NAME, or --default-branch"
        yield Line(WARNING, "config", f"there is no commit on {name}: no config is in force yet", todo if bare else "")
        return
    text = None
    if config is not None:
        try:
            text = Path(config).read_bytes()
        except OSError as error:
            why = f"the hook names {config}: {error.strerror}, so every push is refused"
            yield Line(PROBLEM, "config", why, "put the file there, readable for the user that hooks run as")
            return
    repository = Repository()
    try:
        snapshot = repository.snapshot(revision)
        yield _config(snapshot, name, bare) if text is None else _given_config(text, config or "")
        yield _check(snapshot, text)
    finally:
        repository.close()


def _given_config(text: bytes, path: str) -> Line:
    return _judged(read_config(text), f"{path}, which the hook names", "mend that file: no push can be judged")


def _config(snapshot: Snapshot, name: str, bare: bool) -> Line:
    reading = own_config(snapshot, Archive(snapshot.store))
    if reading is None:
        return Line(OK, "config", f"{name} has no {CONFIG_PATH}: the defaults are in force")
    todo = "mend it in a change of the config alone" + (": no other push can be judged" if bare else "")
    return _judged(reading, f"{CONFIG_PATH} of {name}", todo)


def _judged(reading: Reading[Config], where: str, todo: str) -> Line:
    if reading.document is None:
        flaw = reading.problems[0]
        return Line(PROBLEM, "config", f"{where}, line {flaw.line}: {flaw.message}", todo)
    return Line(OK, "config", f"{where}: valid")


def _check(snapshot: Snapshot, config: bytes | None) -> Line:
    change = Change("all", (), snapshot, "the tree alone", known_to([]), today(), False)
    started = monotonic()
    try:
        report = evaluate(change, Options(config, verify_all=True))
    except (CannotJudge, GitError) as error:
        return Line(PROBLEM, _SUBJECT, error.message, error.hint)
    took = monotonic() - started
    documents = sum(report.checked.values())
    seen = f"{took:.2f} s for all {documents} documents, {len(report.findings)} findings"
    if report.findings:
        first = report.findings[0]
        where = f"{first.path}:{first.line}: {first.rule}"
        return Line(WARNING, _SUBJECT, f"{seen} (the first: {where})", "in a clone: freezegate check --all-files")
    if took > _TIME:
        return Line(WARNING, _SUBJECT, seen, f"where the server stops hooks after {_TIME:.0f} s, push in parts")
    if not documents and not snapshot.entry(CONFIG_PATH):
        return Line(WARNING, _SUBJECT, f"{seen}: nothing here is under the gate", "freezegate init, in a clone")
    return Line(OK, _SUBJECT, seen)

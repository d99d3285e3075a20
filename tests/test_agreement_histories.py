"""Commit hook, range check and push say the same of every step of random histories."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from building import Completed, Repo
from freezegate.errors import CannotJudge
from freezegate.findings import Finding
from freezegate.gate.archive import Archive
from freezegate.gate.evaluate import Options, evaluate
from freezegate.gate.force import is_adopted
from freezegate.gate.pushes import Judgement, judge_push
from freezegate.gate.registry import all_rules
from freezegate.gate.sieve import nothing_governed
from freezegate.git.change import Change, Choice, find_change
from freezegate.git.push import Update, read_push
from freezegate.git.repository import Repository
from freezegate.git.standing import Standing
from freezegate.reports.shared import counted
from governed_edits import CONFIGS, EDITS, EXPIRING
from histories import History, advance
from pushing import Server, push

Outcome = tuple[Finding, ...] | str
"""The findings, sorted; or why nothing could be judged."""

# The one rule whose text may come from the tree alone and from the step: a stale digest is a finding in any mode.
_BOTH = "predicate-without-scope"
CHANGE_RULES = {name for name, rule in all_rules().items() if rule.change} | {_BOTH}


def test_the_rules_that_this_compares_are_all_there() -> None:
    assert {"citation-oracle-moved", "claim-removed", "gate-mixed", "ledger-base-unknown"} < CHANGE_RULES


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """With `folder` as the current one."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def outcome(judge: Callable[[Repository], Sequence[Finding]]) -> Outcome:
    repository = Repository()
    try:
        return tuple(sorted(set(judge(repository))))
    except CannotJudge as error:
        return f"{error.message} | {error.hint}"
    finally:
        repository.close()


def committed(history: History) -> Outcome:
    """What the commit hook says of the index; the quick way out, where it is taken, must be right."""
    with inside(history.repo.path):
        standing = Standing()
        said = outcome(lambda repository: judged(find_change(repository, Choice(), {}, standing), history.day))
        assert said == () or not nothing_governed(standing)
        return said


def ranged(history: History, old: str, new: str) -> Outcome:
    """What the range from one commit to another says; it searches, where the commit hook reads all documents."""
    choice = Choice(old, new)
    with inside(history.repo.path):
        return outcome(lambda repository: judged(find_change(repository, choice, {}), history.days[new], 0))


def judged(change: Change, day: date, narrow_from: int = 200) -> Sequence[Finding]:
    # A push asks for the day on which the commit was made, the others for today.
    return evaluate(change._replace(day=day), Options(narrow_from=narrow_from)).findings


def pushed(server: Repo, before: Sequence[str], updates: Sequence[Update]) -> Judgement | str:
    """What the hook says of a push to a server whose branches stand at the commits `before`, main at the first."""
    place(server, before)
    found: list[Judgement] = []

    def judge(repository: Repository) -> Sequence[Finding]:
        found.append(judge_push(repository, read_push(tuple(updates), [b"refs/heads/*"], None), None))
        return ()

    with inside(server.path):
        said = outcome(judge)
    return said if isinstance(said, str) else found[0]


def place(server: Repo, commits: Sequence[str]) -> None:
    """Make the server's branches stand at these commits, main at the first."""
    wanted = {f"refs/heads/{f'p{number}' if number else 'main'}": oid for number, oid in enumerate(commits)}
    gone = set(server.git("for-each-ref", "--format=%(refname)").decode().split()) - wanted.keys()
    lines = [f"delete {ref}\n" for ref in gone] + [f"update {ref} {oid}\n" for ref, oid in wanted.items()]
    server.git("update-ref", "--stdin", input="".join(lines).encode())


# -- one step


def agrees(history: History, server: Repo, said: Outcome, commit: str) -> None:
    """Hold what the commit hook said of a step to what range and push say of the commit that was made."""
    parents = history.parents(commit)
    update = Update(b"refs/heads/main", parents[0] if parents else None, commit)
    judgement = pushed(server, parents, [update])
    if isinstance(judgement, str) or isinstance(said, str):
        assert judgement == said
    else:
        groups = judgement.groups
        assert tuple(sorted(finding for group in groups for finding in group.findings)) == said
        # All of it is the commit's, but where it is from before the adoption.
        assert [group.commit for group in groups] == ([commit] if said else []) or not governed(history, commit)
    ranges = [ranged(history, parent, commit) for parent in parents]
    if len(parents) == 1:
        assert ranges == [said]
    elif parents and alike(history, [commit, *parents]) and not isinstance(said, str):
        sides = [set(each) for each in ranges if not isinstance(each, str)]
        assert len(sides) == len(parents), ranges
        everywhere, anywhere = set.intersection(*sides), set.union(*sides)
        # A unit or subject counts where it differs from every side; a change rule is then read for each of them.
        assert everywhere <= set(said) <= anywhere
        assert state_rules(said) == state_rules(everywhere)


def state_rules(findings: Iterable[Finding]) -> set[Finding]:
    return {finding for finding in findings if finding.rule not in CHANGE_RULES}


def governed(history: History, commit: str) -> bool:
    """Whether a commit is under the gate: a config, or a document in its default place."""
    with inside(history.repo.path):
        repository = Repository()
        try:
            tree = repository.snapshot(commit)
            alone = Change("all", (), tree, "", frozenset[str]().intersection, history.days[commit])
            return is_adopted(tree, Archive(repository.store), alone)
        finally:
            repository.close()


def alike(history: History, commits: Sequence[str]) -> bool:
    """Whether one config is in force in all these commits, with the usual layout, and both halves are on."""
    trees = [history.entries(commit) for commit in commits]
    configs = {tree.get(b".freezegate.yaml") for tree in trees}
    if len(configs) > 1 or any(
        b"layout" in history.repo.git("cat-file", "blob", oid) for _, oid in filter(None, configs)
    ):
        return False
    return all(b"catalog/claimed.json" in tree and any(map(_is_scope, tree)) for tree in trees)


def _is_scope(path: bytes) -> bool:
    return path.startswith(b"tests/properties/") and path.endswith(b".scope.yaml")


def test_a_module_with_a_newline_in_its_name_that_may_import_what_changed(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.lay({**history.files(), "new\nline.py": b"import chain\n"})
    first = history.commit()
    history.lay(EDITS["helper alone"](history.files(), first))
    said = committed(history)
    assert "predicate-without-scope" in str(said)
    assert ranged(history, first, history.commit()) == said


# -- whole histories


class Drawn:
    """A value that is drawn; whole trees are not printed each time."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "a tree" if isinstance(self.value, dict) else repr(self.value)


def walk(data: st.DataObject, steps: int) -> None:
    """Make a history, and compare at every step; then push all of it at once."""

    def draw(strategy: st.SearchStrategy[object]) -> object:
        return data.draw(strategy.map(Drawn)).value

    with tempfile.TemporaryDirectory(prefix="history-") as folder:
        history = History(Path(folder))
        server = Repo(Path(folder, "server.git"), bare=True)
        objects = history.repo.path / ".git" / "objects"
        (server.path / "objects" / "info" / "alternates").write_text(f"{objects}\n", encoding="utf-8")
        said: dict[str, Outcome] = {history.commits[0]: ()}
        agrees(history, server, (), history.commits[0])
        # One push of all of it is judged under one config.
        without: tuple[str, ...] = draw(st.sampled_from([(), CONFIGS]))  # type: ignore[assignment]
        try:
            for _ in range(steps):
                if advance(history, draw, without):
                    outcome = committed(history)
                    commit = history.commit()
                    said[commit] = outcome
                    agrees(history, server, outcome, commit)
            together(history, server, said)
        except AssertionError:
            note(history.told())
            raise


def together(history: History, server: Repo, said: Mapping[str, Outcome]) -> None:
    """One push of all commits finds in each what was found in it alone, said once."""
    first, *rest = history.commits
    if any(isinstance(each, str) for each in said.values()) or not alike(history, history.commits):
        return
    updates = [Update(f"refs/heads/c{number}".encode(), None, commit) for number, commit in enumerate(rest)]
    judgement = pushed(server, [first], updates)
    assert not isinstance(judgement, str), judgement
    assert judgement.commits == len(rest)
    found: dict[str, set[Finding]] = {commit: set() for commit in rest}
    for group in judgement.groups:
        if group.commit is not None:
            found[group.commit] |= set(group.findings)
    anywhere = set().union(*found.values())
    for commit in rest:
        # Commits of the push itself are not known to the server yet.
        new = {finding for finding in found[commit] if finding.rule != "ledger-base-unknown"}
        assert new <= set(said[commit])
        assert set(said[commit]) - found[commit] <= anywhere


QUICK = settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.reuse, Phase.generate, Phase.shrink),
)


@QUICK
@given(st.data())
def test_commit_range_and_push_agree_on_every_step(data: st.DataObject) -> None:
    walk(data, 4)


@pytest.mark.slow
@settings(QUICK, max_examples=12)
@given(st.data())
def test_commit_range_and_push_agree_on_every_step_of_more_and_longer_histories(data: st.DataObject) -> None:
    walk(data, 9)


# -- the commands themselves


@pytest.mark.slow
@settings(QUICK, max_examples=3)
@given(st.data())
def test_the_commands_agree_on_every_step(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory(prefix="history-") as folder:
        history = History(Path(folder))
        server = Server(Path(folder, "server.git"))
        history.repo.git("remote", "add", "origin", server.repo.path.as_uri())
        history.repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
        for _ in range(5):
            # A commit hook's day is today, and that of the history long ago.
            if advance(history, lambda strategy: data.draw(strategy.map(Drawn)).value, without=EXPIRING):
                said = history.repo.check()
                commands_agree(history, server, said, history.commit())


def commands_agree(history: History, server: Server, said: Completed, commit: str) -> None:
    """Hold what `freezegate check` said before the commit to what it says of the range, and a real push of it."""
    parents = history.parents(commit)
    if len(parents) == 1:
        ranged = history.repo.check("--from-ref", parents[0], "--to-ref", commit)
        assert (ranged.code, rows(ranged.out), ranged.err) == (said.code, rows(said.out), said.err)
    place(server.repo, [])
    server.repo.git("fetch", "-q", history.repo.path.as_uri(), *(f"{each}:refs/fetched/{each}" for each in parents))
    place(server.repo, parents)
    done = push(history.repo, f"+{commit}:refs/heads/main")
    assert done.code == bool(said.code), done.err
    assert server.tip() == (commit if done.code == 0 else parents[0] if parents else None)
    if said.code == 2:
        message = said.err.splitlines()[0].removeprefix("freezegate: error: ")
        assert f"freezegate: rejected: {message}" in done.err
    elif said.code:
        shown, all_of_them = rows(done.err), rows(said.out)
        assert shown and set(shown) <= set(all_of_them)
        assert f"rejected: {counted(len(all_of_them), 'finding', 'findings')} in " in done.err
        assert shown == all_of_them or f"and {len(all_of_them) - len(shown)} more" in done.err


def rows(text: str) -> list[str]:
    """The lines of findings."""
    return sorted(line.strip() for line in text.splitlines() if re.search(r":\d+:\d+: [a-z-]+: ", line))

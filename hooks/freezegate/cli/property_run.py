"""`freezegate property-run`: search for a failing case within bounds, and retain it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.cli import running
from freezegate.errors import CannotJudge, UsageError
from freezegate.text import escape

if TYPE_CHECKING:
    from freezegate.cli.trees import Sight
    from freezegate.gate.bindings import Binding
    from freezegate.gate.scopes import ScopeView
    from freezegate.paths import RepoPath
    from freezegate.running.cases import Case
    from freezegate.running.retaining import Run
    from freezegate.running.seeds import Bounds
    from freezegate.running.subject import Subject

_STATUS = {"held": 0, "retained": 1, "still fails": 1, "absent": 2, "not reproducible": 3, "out of time": 4}
# Of several properties, the answer that most needs a person counts.
_GRAVEST = (2, 4, 3, 1, 0)


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "property-run",
        help="search for a failing case within bounds, and retain it",
        description="Replays the retained case of the scope, if there is one, then searches. A failing case is shrunk, "
        "replayed, and written; a property that holds writes nothing. Runs project code, in the working tree.",
        epilog="Exit status: 0 held; 1 a counterexample was written, or the retained one still fails; 2 bad input, or no "
        "answer; 3 cannot be reduced to one reproducible input; 4 the time limit ran out.",
    )
    running.add_scope(parser)
    parser.add_argument("--all", action="store_true", help="every scope")
    parser.add_argument("--seed", metavar="N", type=running.count, help="seed of the search (else the seed lock's)")
    parser.add_argument(
        "--max-examples", metavar="N", type=running.natural, help="how many examples are tried (else the seed lock's)"
    )
    parser.add_argument(
        "--unlocked", action="store_true", help="let the flags differ from the seed lock; then nothing can be bound"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="where the counterexample goes (else COUNTEREXAMPLE_OUT, else with the bindings)"
    )
    parser.add_argument("--rev", metavar="REV", help="run in a clean worktree of a revision")
    running.add_running(parser, search=True)
    parser.set_defaults(run=running.guarded(run))


class _Planned(NamedTuple):
    """One property to run. `place` is where its case belongs in the working tree, None where `out` is named; `standing`
    says what became of the retained case.
    """

    subject: Subject
    bounds: Bounds
    retained: Case | None
    out: str
    place: RepoPath | None
    standing: str


def run(options: argparse.Namespace) -> int:
    """Run each property and write what is retained."""
    from freezegate.files import write_whole
    from freezegate.gate.alone import scope_given
    from freezegate.git.revisions import resolve
    from freezegate.git.worktree_files import WorkTree
    from freezegate.running.workers import spread

    given = [] if options.all and not options.scope else running.scopes(options)
    if options.all and given:
        raise UsageError("name scopes, or give --all")
    out = options.out or os.environ.get("COUNTEREXAMPLE_OUT")
    if out and len(given) != 1:
        raise UsageError("--out (or COUNTEREXAMPLE_OUT) names one file: name one scope")
    python = running.python(options)
    with running.seen(options.rev) as sight:
        top = sight.top
        views = [scope_given(sight.tree, scope, sight.prefix) for scope in given] or list(sight.tree.finder.every())
        if not views:
            raise CannotJudge(
                f"there is no scope below {sight.tree.places.properties}/", "write one: docs/documents.md says how"
            )
        planned = [_planned(sight, view, options, out) for view in views]
        replays = sight.tree.config.policy.replays
    commit = None if options.rev is None else resolve(options.rev + "^{commit}")
    alone = len(planned) == 1
    examples = running.examples() if alone else None

    def work(share: Sequence[_Planned]) -> Generator[Run, None, None]:
        from freezegate.git.repository import Repository
        from freezegate.running.environments.local import LocalPlace
        from freezegate.running.retaining import Ground, run_property
        from freezegate.running.worktree import worktree

        place = LocalPlace("local")
        for each in share:
            with ExitStack() as stack:
                tree = top
                if commit is not None:
                    repository = Repository()
                    stack.callback(repository.close)
                    tree = stack.enter_context(worktree(commit, repository)).path
                ground = Ground(tree, place, python, replays, options.time_limit)
                yield run_property(each.subject, each.bounds, ground, each.retained, examples)

    runs = spread(planned, work, running.jobs(options), running.progress(len(planned), "properties"))
    if examples is not None:
        running.end_progress()
    for each, result in zip(planned, runs, strict=True):
        if result.data is not None and each.place is not None:
            WorkTree(top).write(each.place, result.data)
        elif result.data is not None:
            os.makedirs(os.path.dirname(os.path.abspath(each.out)), exist_ok=True)  # noqa: PTH100, PTH103, PTH120
            write_whole(each.out, result.data)
        _say(each, result, options.python)
    statuses = {_STATUS[result.outcome] for result in runs}
    return next(status for status in _GRAVEST if status in statuses)


def _planned(sight: Sight, view: ScopeView, options: argparse.Namespace, out: str | None) -> _Planned:
    from freezegate.git.worktree_files import WorkTree
    from freezegate.running.cases import case_in
    from freezegate.running.seeds import bounds, read_lock
    from freezegate.running.subject import subject

    tree = sight.tree
    found = subject(view, sight.top)
    lock = tree.entry(found.lock)
    text = tree.archive.store.blob(lock.oid, 1 << 20) if lock is not None and lock.is_file else None
    limits = bounds(
        found.scope_id,
        read_lock(text, found.lock.text),
        options.seed,
        options.max_examples,
        options.unlocked,
        tree.config.policy.max_examples_cap,
    )
    place = tree.case_path(found.scope_id)
    standing = _standing(tree.binding(found.scope_id), python=options.python)
    retained = None
    entry = tree.entry(place)
    if entry is not None:
        data = tree.archive.store.blob(entry.oid, 1 << 20) if entry.is_file else None
        if data is None:
            raise CannotJudge(f"{place} is no regular file of at most 1 MiB", f"mend or remove {place.shell}")
        retained = case_in(data, place.text, found.scope_id, found.domain)
    if out:
        if os.path.exists(out) and not os.path.isfile(out):  # noqa: PTH110, PTH113
            raise CannotJudge(f"{out} is no regular file", "name another --out")
        return _Planned(found, limits, retained, out, None, standing)
    there = WorkTree(sight.top).read(place)
    if there is not None and (retained is None or there != retained.data):
        raise CannotJudge(f"{place} in the working tree is another case, and would be lost", "name a file with --out")
    return _Planned(found, limits, retained, f"{sight.top}/{place.text}", place, standing)


def _standing(binding: Binding, python: str | None) -> str:
    """What became of a retained case, and what can be done with it."""
    from freezegate.gate.commands import argument
    from freezegate.text import shell_word

    scope_id = argument(binding.scope_id)
    if binding.open_because:
        named = f" --python {shell_word(python)}" if python else ""
        return f"it is not bound ({binding.open_because}): {binding.bind_command}{named}"
    if binding.citation is None:
        return f"it is bound and not cited: freezegate cite {scope_id}, or mend what fails and freezegate retire {scope_id}"
    return f"it is frozen by {binding.citation.path}; once it is mended: freezegate retire {scope_id}"


def _say(planned: _Planned, result: Run, python: str | None) -> None:
    """The outcome on one line; where to go from a counterexample."""
    from freezegate.gate.commands import argument
    from freezegate.text import shell_word

    stream = sys.stdout if result.outcome in ("held", "retained", "still fails") else sys.stderr
    stream.write(f"{planned.subject.scope_id}: {result.outcome}: {escape(result.message)}\n")
    for note in result.notes:
        stream.write(f"    note: {escape(note)}\n")
    if result.hint:
        stream.write(f"    hint: {escape(result.hint)}\n")
    if result.outcome == "still fails":
        print(f"    {planned.standing}")
    if result.outcome == "retained":
        where = os.path.relpath(planned.out)
        print(f"wrote {escape(where)}")
        if planned.bounds.locked:
            words = ["freezegate", "bind", "--scope", argument(planned.subject.scope.text), "--case", argument(where)]
            print(f"bind it: {' '.join([*words, *(['--python', shell_word(python)] if python else [])])}")
        else:
            print("searched with --unlocked: it cannot be bound")

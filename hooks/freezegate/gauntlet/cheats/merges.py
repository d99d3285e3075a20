"""Merges, rewritten histories and pushes of several refs."""

from __future__ import annotations

from freezegate.gauntlet import project as p
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("merges and pushes")


def _unlocked(work: Work) -> None:
    """A project whose scopes state no digest of their predicate, and whose records are not there yet."""
    kept = [line for line in work.read(p.SCOPE).splitlines() if not line.startswith("predicate_digest")]
    work.put(p.SCOPE, "\n".join([*kept, ""]))
    work.drop(p.CONFIG, p.RECORD, p.CASE, p.CITATION)


def _relax(work: Work) -> None:
    work.swap(p.HELPER, "SMALLEST = 0", "SMALLEST = -1")


@TOPIC.cheat(
    "merge-mixes-two-sides",
    "A merge takes the predicate of one side and the scope of the other: no path is new.",
    "predicate-without-scope",
    also=("server", "range"),
    base=_unlocked,
)
def _mixture(work: Work) -> None:
    start = work.git("rev-parse", "HEAD")
    _relax(work)
    work.swap(p.SCOPE, "min: -5", "min: -6")
    work.commit("one side")
    one = work.git("rev-parse", "HEAD")
    work.git("checkout", "-q", "-b", "other", start)
    work.append("README.md", "More.\n")
    work.commit("other side")
    work.git("merge", "-q", "--no-ff", "--no-commit", one)
    work.git("checkout", "-q", "HEAD", "--", p.SCOPE)


@TOPIC.cheat(
    "edit-inside-a-merge",
    "A merge brings a relaxed predicate that neither parent has.",
    "predicate-without-scope",
    own=True,
)
def _evil(work: Work) -> None:
    start = work.git("rev-parse", "HEAD")
    work.append("README.md", "More.\n")
    work.commit("one side")
    one = work.git("rev-parse", "HEAD")
    work.git("checkout", "-q", "-b", "other", start)
    work.append("docs/guide.md", "More.\n")
    work.commit("other side")
    work.git("merge", "-q", "--no-ff", "--no-commit", one)
    _relax(work)


@TOPIC.cheat("merge-of-three-mixes", "An octopus merge edits the generator on the way.", "digest-mismatch", own=True)
def _octopus(work: Work) -> None:
    start = work.git("rev-parse", "HEAD")
    tips = []
    for name in ("one", "two"):
        work.git("checkout", "-q", "-B", name, start)
        work.put(f"docs/{name}.md", "x\n")
        tips.append(work.commit(name))
    work.git("checkout", "-q", "-B", "three", start)
    work.put("docs/three.md", "x\n")
    work.commit("three")
    work.git("merge", "-q", "--no-ff", "--no-commit", *tips)
    work.append(p.GENERATOR, "\n\nMORE = 1\n")


@TOPIC.cheat(
    "merge-that-keeps-ours",
    "A merge by the strategy 'ours' undoes what main added, beside a source edit.",
    "property-removed",
    layer="server",
    own=True,
)
def _ours(work: Work) -> None:
    start = work.git("rev-parse", "HEAD")
    scope = (
        work.read(p.SCOPE)
        .replace(p.SCOPE_ID, "order_total.second")
        .replace("test_total_non_negative", "test_total_again")
    )
    kept = [line for line in scope.splitlines() if not line.startswith("predicate_digest")]
    work.put("tests/properties/second.scope.yaml", "\n".join([*kept, ""]))
    work.append(p.PREDICATE, '\n\ndef test_total_again(case):\n    assert total_cents(case["qty"], 1) > 0\n')
    work.drop(p.RECORD, p.CASE, p.CITATION)
    work.lock()
    tip = work.commit("a second property")
    work.publish(tip)
    work.git("checkout", "-q", "-B", "other", start)
    work.swap(p.SOURCE, "+ 50", "+ 0")
    work.commit("other side")
    work.git("merge", "-q", "-s", "ours", "-m", "merge", tip)


@TOPIC.cheat(
    "bad-commit-under-a-good-tip",
    "A bad commit is undone by the next one, and both are pushed.",
    "predicate-without-scope",
    layer="server",
    own=True,
)
def _undone(work: Work) -> None:
    _relax(work)
    work.commit("relax")
    work.git("revert", "--no-edit", "HEAD")


@TOPIC.cheat(
    "smuggled-under-a-tag",
    "A commit comes in under a tag first, so that it is no longer new.",
    "predicate-without-scope",
    layer="server",
)
def _tag(work: Work) -> None:
    _relax(work)
    work.commit("relax")
    work.git("push", "-q", "../server.git", "HEAD:refs/tags/v9")


@TOPIC.cheat("replaced-object", "A replacement makes every reader see another tree.", "rejected", layer="server")
def _replaced(work: Work) -> None:
    tip = work.git("rev-parse", "HEAD")
    _relax(work)
    commit = work.commit("relax")
    work.refspecs = [f"{commit}:refs/replace/{tip}"]


@TOPIC.cheat(
    "one-bad-ref-of-two",
    "A good branch and a bad one are pushed together.",
    "predicate-without-scope",
    layer="server",
    own=True,
)
def _two(work: Work) -> None:
    work.append("README.md", "More.\n")
    good = work.commit("good")
    _relax(work)
    bad = work.commit("bad")
    work.refspecs = [f"{good}:refs/heads/good", f"{bad}:refs/heads/bad"]


@TOPIC.cheat(
    "bad-commit-on-a-new-branch",
    "A bad commit is pushed as a branch of its own.",
    "predicate-without-scope",
    layer="server",
    own=True,
)
def _branch(work: Work) -> None:
    _relax(work)
    work.commit("bad")
    work.refspecs = ["HEAD:refs/heads/feature/x-1"]


@TOPIC.cheat(
    "history-rewritten",
    "A forced push goes back behind the property and edits the source on the way.",
    "property-removed",
    layer="server",
    own=True,
)
def _forced(work: Work) -> None:
    work.git("checkout", "-q", "--orphan", "fresh")
    work.drop("tests", "catalog", "props", "fixtures", "freezes")
    work.swap(p.SOURCE, "+ 50", "+ 0")
    work.commit("start again")
    work.refspecs = ["+HEAD:refs/heads/main"]


@TOPIC.cheat(
    "unrelated-branch-with-its-own-rules",
    "A branch without common history brings a softer policy for its own records.",
    "scope-schema",
    layer="server",
    own=True,
)
def _orphan(work: Work) -> None:
    work.git("checkout", "-q", "--orphan", "fresh")
    work.put(p.CONFIG, "policy:\n  require_predicate_digest: false\n")
    kept = [line for line in work.read(p.SCOPE).splitlines() if not line.startswith("predicate_digest")]
    work.put(p.SCOPE, "\n".join([*kept, ""]))
    work.bind()
    work.commit("start again")
    work.refspecs = ["HEAD:refs/heads/fresh"]


@TOPIC.cheat(
    "good-merge-of-a-bad-branch",
    "A bad commit lies on a side branch; its merge restores what it changed.",
    "predicate-without-scope",
    layer="server",
    own=True,
)
def _side(work: Work) -> None:
    start = work.git("rev-parse", "HEAD")
    _relax(work)
    side = work.commit("bad")
    work.git("checkout", "-q", "-B", "good", start)
    work.append("README.md", "More.\n")
    work.commit("good")
    work.git("merge", "-q", "--no-ff", "--no-commit", side)
    work.git("checkout", "-q", start, "--", p.HELPER)
    work.commit("merge")


@TOPIC.cheat(
    "no-base-in-a-shallow-clone",
    "CI has a shallow clone without the merge base, and would compare with nothing.",
    "exit 2",
    layer="range",
    answer="shallow clone",
)
def _shallow(work: Work) -> None:
    work.append("README.md", "More.\n")
    work.commit("one")
    _relax(work)
    work.commit("two")
    head = work.git("rev-parse", "HEAD")
    work.at(".git/shallow").write_text(head + "\n")


@TOPIC.cheat(
    "unrelated-base",
    "The branch shares no history with its base.",
    "exit 2",
    layer="range",
    own=True,
    answer="no common ancestor",
)
def _unrelated(work: Work) -> None:
    work.git("checkout", "-q", "--orphan", "fresh")
    _relax(work)
    work.commit("start again")


@TOPIC.cheat(
    "no-base-named",
    "The check in CI is started without a base, and asks for one.",
    "exit 2",
    layer="range",
    own=True,
    answer="no old side",
)
def _no_base(work: Work) -> None:
    _relax(work)
    work.commit("relax")
    work.options = ["--require-base"]


@TOPIC.cheat(
    "base-moved-by-the-patch",
    "The patch moves the local branch that is the base to its own commit.",
    "predicate-without-scope",
    layer="range",
    own=True,
)
def _moved_base(work: Work) -> None:
    _relax(work)
    work.commit("relax")
    work.git("branch", "-q", "-f", "main", "HEAD")

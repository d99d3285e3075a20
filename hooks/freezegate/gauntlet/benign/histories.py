"""Merges, rebases, reverts and pushes, as they come every day."""

from __future__ import annotations

from freezegate.gauntlet import project as p
from freezegate.gauntlet.benign.properties import add_tax
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("histories")


def _two_sides(work: Work) -> str:
    """Main gets a property, a record and a freeze of its own; a branch gets a page. The branch is checked out."""
    start = work.git("rev-parse", "HEAD")
    add_tax(work)
    tip = work.commit("main: a property")
    work.publish(tip)
    work.git("checkout", "-q", "-B", "topic", start)
    work.put("docs/topic.md", "x\n")
    work.put("src/topic.py", "X = 1\n")
    work.commit("topic")
    return tip


@TOPIC.benign("main-merged", "Main, which got a property, is merged into a branch.", also=("server", "range"))
def _merged(work: Work) -> None:
    tip = _two_sides(work)
    work.git("merge", "-q", "--no-ff", "--no-commit", tip)


@TOPIC.benign("branch-merged", "A branch is merged into main, which got a property.", also=("server", "range"))
def _into(work: Work) -> None:
    tip = _two_sides(work)
    topic = work.git("rev-parse", "HEAD")
    work.git("checkout", "-q", "-B", "merged", tip)
    work.git("merge", "-q", "--no-ff", "--no-commit", topic)


@TOPIC.benign("conflict-mended", "Both sides edit one page and one source file; the merge is mended by hand.")
def _conflict(work: Work) -> None:
    start = work.git("rev-parse", "HEAD")
    work.swap(p.SOURCE, "* 19", "* 20")
    other = work.commit("one")
    work.git("checkout", "-q", "-B", "topic", start)
    work.swap(p.SOURCE, "* 19", "* 21")
    work.commit("two")
    work.git("merge", "-q", other, check=False)
    work.git("checkout", "-q", "--theirs", "--", p.SOURCE)


@TOPIC.benign("octopus-merged", "Three branches are merged at once.")
def _octopus(work: Work) -> None:
    start = work.git("rev-parse", "HEAD")
    tips = []
    for name in ("one", "two"):
        work.git("checkout", "-q", "-B", name, start)
        work.put(f"src/{name}.py", "X = 1\n")
        tips.append(work.commit(name))
    work.git("checkout", "-q", "-B", "three", start)
    work.put("docs/three.md", "x\n")
    work.commit("three")
    work.git("merge", "-q", "--no-ff", "--no-commit", *tips)


@TOPIC.benign("retired-on-main-and-merged", "Main retired a freeze, and is merged into a branch.", layer="server")
def _retired(work: Work) -> None:
    start = work.git("rev-parse", "HEAD")
    work.tool("retire", p.SCOPE_ID)
    tip = work.commit("retire")
    work.publish(tip)
    work.git("checkout", "-q", "-B", "topic", start)
    work.put("src/topic.py", "X = 1\n")
    work.commit("topic")
    work.git("merge", "-q", "--no-ff", "-m", "merge", tip)
    work.refspecs = ["HEAD:refs/heads/topic"]


@TOPIC.benign("source-reverted", "A source edit is reverted.")
def _reverted(work: Work) -> None:
    work.swap(p.SOURCE, "+ 50", "+ 49")
    work.commit("edit")
    work.git("revert", "--no-commit", "HEAD")


@TOPIC.benign("property-reverted", "The commit that brought a property is reverted.", also=("server", "range"))
def _property(work: Work) -> None:
    add_tax(work)
    work.commit("a property")
    work.git("revert", "--no-commit", "HEAD")


@TOPIC.benign("retirement-reverted", "The commit that retired a freeze is reverted.")
def _retirement(work: Work) -> None:
    work.tool("retire", p.SCOPE_ID)
    work.commit("retire")
    work.git("revert", "--no-commit", "HEAD")


@TOPIC.benign("property-picked", "The commit that brought a property is picked onto another branch.")
def _picked(work: Work) -> None:
    tip = _two_sides(work)
    work.git("cherry-pick", "--no-commit", tip)
    work.refspecs = ["HEAD:refs/heads/topic"]


@TOPIC.benign(
    "branch-rebased", "A branch is rebased onto main, and pushed with force.", layer="server", also=("range",)
)
def _rebased(work: Work) -> None:
    tip = _two_sides(work)
    work.git("push", "-q", "../server.git", "HEAD:refs/heads/topic", check=False)
    work.git("rebase", "-q", tip)
    work.refspecs = ["+HEAD:refs/heads/topic"]


@TOPIC.benign("branch-squashed", "A branch with a property is squashed into one commit.")
def _squashed(work: Work) -> None:
    start = work.git("rev-parse", "HEAD")
    add_tax(work)
    work.commit("a property")
    work.put("src/more.py", "X = 1\n")
    tip = work.commit("more")
    work.git("checkout", "-q", "-B", "squashed", start)
    work.git("merge", "-q", "--squash", tip)


@TOPIC.benign("commit-amended", "The last commit, a property, is amended.")
def _amended(work: Work) -> None:
    add_tax(work)
    work.commit("a property")
    work.append("README.md", "More.\n")
    work.commit("a property", "--amend")
    work.append("README.md", "And more.\n")


@TOPIC.benign(
    "bind-then-cite",
    "One commit binds, the next one cites, and both are pushed.",
    layer="server",
    also=("range",),
    base=lambda work: work.drop(p.RECORD, p.CASE, p.CITATION),
)
def _bound(work: Work) -> None:
    work.put(p.CASE, p.FILES[p.CASE])
    work.bind()
    work.commit("bind")
    work.bind(cite=True)
    work.commit("cite")


@TOPIC.benign("branch-created", "A new branch is pushed.", layer="server")
def _created(work: Work) -> None:
    work.put("src/topic.py", "X = 1\n")
    work.refspecs = ["HEAD:refs/heads/feature/new"]


@TOPIC.benign("branch-deleted", "A branch that is not the default one is deleted.", layer="server")
def _deleted(work: Work) -> None:
    work.git("-C", "../server.git", "branch", "old", "main")
    work.refspecs = [":refs/heads/old"]


@TOPIC.benign("tag-pushed", "A tag is pushed with its commit.", layer="server")
def _tagged(work: Work) -> None:
    work.put("src/topic.py", "X = 1\n")
    work.commit("topic")
    work.git("tag", "-a", "-m", "v2", "v2")
    work.refspecs = ["HEAD:refs/heads/main", "refs/tags/v2"]


@TOPIC.benign("two-branches-pushed", "Two branches are pushed together.", layer="server")
def _two(work: Work) -> None:
    work.put("src/one.py", "X = 1\n")
    one = work.commit("one")
    work.put("src/two.py", "X = 1\n")
    work.refspecs = [f"{one}:refs/heads/one", "HEAD:refs/heads/two"]


@TOPIC.benign("branch-without-history", "A branch for web pages, without common history, is pushed.", layer="server")
def _pages(work: Work) -> None:
    work.git("checkout", "-q", "--orphan", "pages")
    work.git("rm", "-rfq", "--cached", ".")
    for path in work.folder.iterdir():
        if path.name != ".git":
            work.drop(path.name)
    work.put("index.html", "<p>hello</p>\n")
    work.refspecs = ["HEAD:refs/heads/pages"]


@TOPIC.benign("fifty-commits", "Fifty commits of source are pushed at once.", layer="server", also=("range",))
def _fifty(work: Work) -> None:
    for number in range(50):
        work.put("src/counter.py", f"X = {number}\n")
        work.git("add", "src/counter.py")
        work.git("commit", "-q", "-m", str(number))


@TOPIC.benign(
    "freeze-of-an-older-base",
    "A freeze of a commit further back on main.",
    also=("server", "range"),
    base=lambda work: work.append("README.md", "More.\n"),
)
def _older(work: Work) -> None:
    work.freeze(base_revision=work.git("rev-parse", "HEAD~1"))

"""The story: a property is adopted, bound and frozen; then ways to cheat are refused."""

from __future__ import annotations

from freezegate.demo import project
from freezegate.demo.cheats import CHEATS
from freezegate.demo.sandbox import Sandbox
from freezegate.demo.stage import Bad, Differs, Good, Stage
from freezegate.demo.telling import Teller


def tell(keep: bool) -> bool:
    """Play the story on standard output; whether everything happened as told.

    Raises CannotJudge without pre-commit. The folder is removed unless it is to be kept.
    """
    teller = Teller()
    with Sandbox(keep) as sandbox:
        stage = Stage(sandbox, teller)
        accepted: list[Good] = []
        refused: list[Bad] = []
        differences: list[str] = []
        try:
            _set_up(stage)
            for good in GOOD:
                _accepted(stage, good)
                accepted.append(good)
            for number, cheat in enumerate(CHEATS, start=1):
                difference = _refused(stage, cheat, f"cheat {number} of {len(CHEATS)}: {cheat.title}")
                if difference:
                    differences.append(difference)
                else:
                    refused.append(cheat)
            _rechecked(stage)
        except Differs as difference:
            differences.append(str(difference))
        _sum_up(teller, accepted, refused, differences)
        if keep:
            teller.say(f"The repository is kept in {sandbox.folder}")
    return not differences


def _set_up(stage: Stage) -> None:
    stage.teller.chapter(
        "a repository under the gate",
        "The hook is a local one that runs this interpreter's freezegate; a project of yours names the repository and "
        "a version instead, as `freezegate init` writes it.",
    )
    stage.shell("git", "init", "--quiet", "--initial-branch=main")
    stage.write(".pre-commit-config.yaml", project.pre_commit_config())
    stage.shell("pre-commit", "install")
    stage.write(project.SOURCE, project.FILES[project.SOURCE])
    stage.shell("freezegate", "init", "--no-pre-commit")


def _adopt(stage: Stage) -> None:
    for path, text in project.FILES.items():
        if path != project.SOURCE:
            stage.write(path, text)
    stage.shell("freezegate", "lock")


def _bind(stage: Stage) -> None:
    stage.shell("freezegate", "property-run", "--scope", project.SCOPE, status=1)
    stage.shell("freezegate", "classify", "--scope", project.SCOPE)
    stage.shell("freezegate", "bind", "--scope", project.SCOPE, "--case", project.CASE)


def _cite(stage: Stage) -> None:
    stage.shell("freezegate", "cite", project.SCOPE_ID)


def _work(stage: Stage) -> None:
    stage.replace(project.SOURCE, "    return qty * unit_cents\n", "    total = qty * unit_cents\n    return total\n")


GOOD = (
    Good(
        "a property with its scope",
        "A predicate judges one case, a scope ties it to a domain and a generator. `freezegate lock` writes the hash of "
        "all files that the predicate imports into the scope.",
        "Adopt the gate",
        _adopt,
    ),
    Good(
        "the retained counterexample and its record",
        "A bounded search finds a case for which the check fails, and reduces it. The case is evaluated again in clean "
        "worktrees, here and in a fresh environment; the record binds it to the bytes of scope, generator and seed lock.",
        "Bind the counterexample",
        _bind,
    ),
    Good(
        "a citation: the freeze itself",
        "Only a closed record can be cited. The freeze excuses this one failure, under these very bytes.",
        "Freeze order_total.non_negative",
        _cite,
    ),
    Good(
        "ordinary work goes on",
        "A commit that touches no property, record or fixture has nothing to prove.",
        "Name the total",
        _work,
    ),
)


def _accepted(stage: Stage, good: Good) -> None:
    stage.teller.chapter(good.title, good.why)
    good.edit(stage)
    made, rules = stage.commit(good.message)
    if not made or rules:
        stage.teller.outcome(False, "refused, though it should have been accepted")
        raise Differs(f'the commit "{good.message}" was refused: {", ".join(rules) or "see above"}')
    stage.teller.outcome(True, "accepted")


def _refused(stage: Stage, cheat: Bad, title: str) -> str:
    """How this differed from what was told; empty where it was refused for the named rules."""
    stage.teller.chapter(title, cheat.why)
    before = stage.sandbox.head()
    cheat.edit(stage)
    made, rules = stage.commit(cheat.message)
    difference = ""
    if made:
        difference = f'"{cheat.message}" was accepted'
    elif set(rules) != set(cheat.rules):
        told, seen = (", ".join(each) or "no rule" for each in (cheat.rules, rules))
        difference = f'"{cheat.message}" was refused with {seen}, not with {told}'
    stage.teller.outcome(not difference, difference or f"refused: {', '.join(cheat.rules)}")
    if not stage.sandbox.put_back(before):
        raise Differs("git reset and git clean did not put the repository back")
    return difference


def _rechecked(stage: Stage) -> None:
    stage.teller.chapter(
        "what no hook can see",
        "The hooks run nothing, so a label is a word to them: after this edit the retained case passes, and every document "
        "still fits. `freezegate recheck` evaluates it again; CI runs that beside the check.",
    )
    before = stage.sandbox.head()
    stage.replace(project.SOURCE, "    total = qty * unit_cents\n", "    total = qty * max(unit_cents, 0)\n")
    made, _ = stage.commit("Mend the total")
    said = stage.shell("freezegate", "recheck", "--base", "HEAD~1", "--all", status=1)
    if not made or "record-stale" not in said:
        raise Differs("recheck did not say that the record is stale")
    stage.teller.outcome(True, "refused: record-stale")
    if not stage.sandbox.put_back(before):
        raise Differs("git reset and git clean did not put the repository back")


def _sum_up(teller: Teller, accepted: list[Good], refused: list[Bad], differences: list[str]) -> None:
    teller.chapter("what this showed")
    teller.say(f"{len(accepted)} good commits were accepted:")
    for good in accepted:
        teller.say(f"  {good.message}")
    teller.say(f"{len(refused)} bad commits were refused:")
    width = max((len(cheat.message) for cheat in refused), default=0)
    for cheat in refused:
        teller.say(f"  {cheat.message:<{width}}  {', '.join(cheat.rules)}")
    for difference in differences:
        teller.outcome(False, f"not as told: {difference}")
    if not differences:
        teller.outcome(True, "Everything happened as told. `freezegate explain RULE` says more of each rule.")

"""How each entry point finds its trees: flags, then pre-commit's variables, a staged commit, CI's variables, none."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import date, datetime, timezone
from typing import NamedTuple

from freezegate.errors import UsageError
from freezegate.git import revisions
from freezegate.git.ancestry import Known, known_to
from freezegate.git.plumbing import GitError, answer, ask
from freezegate.git.repository import Repository
from freezegate.git.snapshot import Snapshot
from freezegate.git.standing import Standing
from freezegate.git.steps import Compared
from freezegate.text import escape, shell_word

# Per CI service: the variable that names the target branch of a pull request, and those that name the work tree.
_SERVICES = (
    ("GITHUB_BASE_REF", ("GITHUB_WORKSPACE",)),
    ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", ("CI_PROJECT_DIR",)),
    ("SYSTEM_PULLREQUEST_TARGETBRANCH", ("BUILD_SOURCESDIRECTORY", "BUILD_REPOSITORY_LOCALPATH")),
    ("BITBUCKET_PR_DESTINATION_BRANCH", ("BITBUCKET_CLONE_DIR",)),
    ("CHANGE_TARGET", ("WORKSPACE",)),
)


class Change(NamedTuple):
    """A step between trees.

    `old` holds the sides that the new tree grew from (a merge has several; none: the tree stands alone). `known` gives
    those of some full commit ids that the old side knows. `day` is the checker's UTC day, `compared` says in words what is
    compared. `well_formed` is false where the new tree came from outside git's index and may be malformed. `accepted` are
    trees whose units were let in before: no rule is read against them, but what equals theirs is passed over. `force` is
    the tree whose config judges, where that is no old side's matter (on a server, the default branch's). `steps`
    says what differs from each old side, where that is known already.
    """

    mode: str
    old: tuple[Snapshot, ...]
    new: Snapshot
    compared: str
    known: Known
    day: date
    well_formed: bool = True
    accepted: tuple[Snapshot, ...] = ()
    force: Snapshot | None = None
    steps: tuple[Compared, ...] | None = None


class Choice(NamedTuple):
    """What the command line says about the trees."""

    from_ref: str | None = None
    to_ref: str | None = None
    base: str | None = None


def find_change(
    repository: Repository, choice: Choice, env: Mapping[str, str], standing: Standing | None = None
) -> Change:
    """The change that this call is about; `standing` spares asking git again. Raises UsageError, GitError."""
    if choice.base is not None and (choice.from_ref or choice.to_ref):
        raise UsageError("--base names the old side; it cannot go with --from-ref and --to-ref")
    if (choice.from_ref is None) != (choice.to_ref is None):
        raise UsageError("--from-ref and --to-ref go together")
    if choice.from_ref is not None and choice.to_ref is not None:
        return _range(repository, choice.from_ref, choice.to_ref)
    if choice.base is not None:
        return _range(repository, choice.base, "HEAD")
    before, after = env.get("PRE_COMMIT_FROM_REF"), env.get("PRE_COMMIT_TO_REF")
    if before and after:
        return _range(repository, before, after)
    if branch := env.get("PRE_COMMIT_LOCAL_BRANCH"):
        return _alone(repository.snapshot(branch), escape(branch), well_formed=False)
    standing = standing or Standing()
    if standing.bare and "GIT_INDEX_FILE" not in env:
        raise GitError("a bare repository has no index to judge", "name the trees: --from-ref REV --to-ref REV")
    parents = commit_parents(standing, env)
    staged = repository.staged(standing)
    if staged.staged or "GIT_INDEX_FILE" in env or len(parents) > 1:
        return _commit(repository, staged, parents)
    if target := _ci_target(env):
        return _range(repository, target, "HEAD")
    return _alone(staged, "the index")


def commit_parents(standing: Standing, env: Mapping[str, str]) -> list[str]:
    """The commits that a commit made now would have as parents: HEAD, and those of a merge in progress."""
    parents = [standing.head] if standing.head is not None else []
    # In pre-merge-commit there is no MERGE_HEAD yet; git names the merged commits in variables instead.
    merged = [name[8:] for name in env if re.fullmatch(r"GITHEAD_(?:[0-9a-f]{40}|[0-9a-f]{64})", name)]
    if standing.merging:  # git resolves the name to the first line only; an octopus merge has several
        path = ask(["rev-parse", "--git-path", "MERGE_HEAD"]).removesuffix(b"\n")
        try:
            with open(path, encoding="ascii") as file:  # noqa: PTH123 (a path of bytes)
                merged += file.read().split()
        except FileNotFoundError:
            pass  # it was a branch or tag of that name
    return list(dict.fromkeys([*parents, *merged]))


def _commit(repository: Repository, staged: Snapshot, parents: list[str]) -> Change:
    old = (*([repository.tree(staged.root)] if parents else []), *map(repository.snapshot, parents[1:]))
    sides = "HEAD" if len(parents) < 2 else "HEAD and " + ", ".join(parent[:12] for parent in parents[1:])
    compared = f"{sides} with the index" if parents else "the first commit's index with nothing"
    return Change("commit", old, staged, compared, known_to(parents, remotes=True), today())


def _range(repository: Repository, before: str, after: str) -> Change:
    if re.fullmatch("0{40}|0{64}", before):
        raise GitError(
            f"the old side {before} is all zeros: a new branch has no commit before it",
            "name the branch that it grew from: freezegate check --base origin/main",
        )
    old, new = revisions.resolve(before + "^{commit}"), revisions.resolve(after + "^{commit}")
    base = revisions.merge_base(old, new)
    return Change(
        "range",
        (repository.snapshot(base),),
        repository.snapshot(new),
        f"{base[:12]} (merge base of {escape(before)} and {escape(after)}) with {new[:12]}",
        known_to([old]),
        today(),
        well_formed=False,
    )


def _alone(new: Snapshot, name: str, well_formed: bool = True) -> Change:
    return Change("all", (), new, f"{name} alone", known_to([]), today(), well_formed)


def _ci_target(env: Mapping[str, str]) -> str | None:
    """The pull request's target branch that CI names, as a remote-tracking name; None outside CI's own work tree."""
    for variable, workspaces in _SERVICES:
        branch = env.get(variable, "").removeprefix("refs/heads/")
        if not branch or not _in_workspace([env[name] for name in workspaces if env.get(name)]):
            continue
        target = f"refs/remotes/origin/{branch}"
        if revisions.resolve_or_none(target + "^{commit}") is None:
            raise GitError(
                f"{variable} names the target branch {escape(branch)}, but origin/{escape(branch)} is not here",
                f"git fetch --unshallow origin; git fetch origin {shell_word(f'+refs/heads/{branch}:{target}')}",
            )
        return target  # the short name could be a tag's
    return None


def _in_workspace(workspaces: list[str]) -> bool:
    status, out, _ = answer(["rev-parse", "--show-toplevel"])
    if status != 0 or not workspaces:
        return False
    top = os.path.realpath(out.removesuffix(b"\n").decode("utf-8", "surrogateescape"))
    for workspace in map(os.path.realpath, workspaces):
        if top == workspace:
            return True
        # A checkout below the work tree has a remote; repositories that test suites make there have none.
        if top.startswith(workspace + os.sep) and answer(["remote", "get-url", "origin"])[0] == 0:
            return True
    return False


def today() -> date:
    """The UTC day."""
    return datetime.now(timezone.utc).date()

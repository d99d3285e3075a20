"""Names to ids, and who descends from whom."""

from __future__ import annotations

import re

from freezegate.git.plumbing import GitError, answer, ask


def resolve(revision: str) -> str:
    """The full id that a revision names. Raises GitError where it names nothing, or may mean two refs."""
    if len(refs := _refs(revision)) > 1:
        raise GitError(f"{revision.partition('^{')[0]} may mean {' or '.join(refs)}", f"name it in full: {refs[-1]}")
    oid = resolve_or_none(revision)
    if oid is None:
        raise _absent(revision.partition("^{")[0])
    return oid


def _absent(name: str) -> GitError:
    """The error of a revision that names nothing, with the fetch that may bring it."""
    if _is_shallow():
        # A shallow clone has one branch, which all history of that branch does not make two.
        more = " origin '+refs/heads/*:refs/remotes/origin/*'" if name.startswith("origin/") else ""
        return GitError(
            f"the revision {name} does not exist here, where the history is shallow",
            f"git fetch --unshallow{more}, then name it again",
        )
    remotes = ask(["remote"]).decode("utf-8", "replace").splitlines()
    if not remotes:
        return GitError(f"the revision {name} does not exist here", "name a branch (git branch lists them) or a commit")
    remote = "origin" if "origin" in remotes else remotes[0]
    return GitError(f"the revision {name} does not exist here", f"git fetch {remote}, then name it again")


def _is_shallow() -> bool:
    return ask(["rev-parse", "--is-shallow-repository"]).strip() == b"true"


_WHERE = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")


def _refs(revision: str) -> list[str]:
    """The refs that the name in a revision may mean: git takes the first, which may be a tag that somebody pushed."""
    name = re.split(r"[~^@:{]", revision, maxsplit=1)[0]
    if name in ("", "HEAD") or name.startswith("refs/") or re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", name):
        return []
    wanted = [where.format(name) for where in _WHERE]
    status, out, _ = answer(["for-each-ref", "--format=%(refname)", *wanted])
    found = out.decode("utf-8", "replace").splitlines() if status == 0 else []
    return [ref for ref in wanted if ref in found]


def resolve_or_none(revision: str) -> str | None:
    """The full id that a revision names, or None."""
    status, out, _ = answer(["rev-parse", "--quiet", "--verify", "--end-of-options", revision])
    return out.decode("ascii").strip() if status == 0 else None


def merge_base(one: str, other: str) -> str:
    """The best common ancestor of two commits.

    Raises GitError that says what to do where there is none: a shallow clone hides it, or the histories are unrelated.
    """
    status, out, errors = answer(["merge-base", one, other])
    if status == 0:
        return out.split()[0].decode("ascii")
    if _is_shallow():
        raise GitError(f"no merge base of {one[:12]} and {other[:12]} in this shallow clone", "git fetch --unshallow")
    if errors:
        raise GitError(f"no merge base of {one[:12]} and {other[:12]}: {errors.splitlines()[0]}")
    raise GitError(
        f"{one[:12]} and {other[:12]} have no common ancestor (unrelated histories)",
        "name a base that the change grew from",
    )


def top_and_prefix() -> tuple[str, bytes]:
    """The root of the work tree, and the path of the current folder below it (empty at the root). Raises GitError in a
    bare repository."""
    top, prefix, _ = ask(["rev-parse", "--show-toplevel", "--show-prefix"]).rsplit(b"\n", 2)
    return top.decode("utf-8", "surrogateescape"), prefix.removesuffix(b"/")


def top_folder() -> str:
    """The root of the work tree. Raises GitError in a bare repository."""
    return ask(["rev-parse", "--show-toplevel"]).removesuffix(b"\n").decode("utf-8", "surrogateescape")

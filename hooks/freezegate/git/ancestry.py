"""Which commits an old side knows: those that its tips descend from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from freezegate.git.plumbing import answer, ask

Known = Callable[[Collection[str]], frozenset[str]]
# From this many commits on, one walk over the whole history costs less than a question for each.
_MANY = 20


def known_to(tips: Sequence[str], remotes: bool = False) -> Known:
    """A function that gives those of some full commit ids that are, or are ancestors of, one of the `tips`.

    `remotes` adds the remote-tracking refs to the tips. Tags, abbreviations and ids of nothing are not known.
    """

    def known(commits: Collection[str]) -> frozenset[str]:
        existing = commits_among(commits)
        if len(existing) < _MANY:
            return frozenset(commit for commit in existing if _is_known(commit, tips, remotes))
        walk = ask(
            ["rev-list", "--stdin", *(["--remotes"] if remotes else [])], "".join(f"{tip}\n" for tip in tips).encode()
        )
        return existing & frozenset(walk.decode("ascii").split())

    return known


def commits_among(names: Collection[str]) -> frozenset[str]:
    """Those of the names that are whole ids of commits here."""
    asked = [name for name in set(names) if len(name) in (40, 64) and not set(name) - set("0123456789abcdef")]
    if not asked:
        return frozenset()
    questions = "".join(f"{name}\n" for name in asked).encode("ascii")
    rows = ask(["cat-file", "--batch-check=%(objectname) %(objecttype)"], questions).decode("ascii", "replace")
    found = zip(asked, rows.splitlines(), strict=True)
    return frozenset(name for name, row in found if row == f"{name} commit")


def _is_known(commit: str, tips: Sequence[str], remotes: bool) -> bool:
    if any(answer(["merge-base", "--is-ancestor", commit, tip])[0] == 0 for tip in tips):
        return True
    if not remotes:
        return False
    status, out, _ = answer(["for-each-ref", "--count=1", f"--contains={commit}", "refs/remotes"])
    return status == 0 and bool(out.strip())

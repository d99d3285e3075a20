"""Where the repository stands: HEAD, the staged difference, a merge in progress. Asked once, of three children at a time.

Kept free of costly imports: a commit that touches nothing governed is over after this.
"""

from __future__ import annotations

import os

from freezegate.git.plumbing import Child, GitError, ask, refusal, scratch

# --ita-invisible-in-index: entries of `git add -N` are not part of the commit. The other options undo user
# configuration that changes plumbing output (diff.relative, submodule ignore rules, renames, fsmonitor).
_DIFF_INDEX = (
    "-c",
    "core.fsmonitor=false",
    "diff-index",
    "--cached",
    "--ita-invisible-in-index",
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-renames",
    "--no-relative",
    "--ignore-submodules=none",
)
_QUESTIONS = (
    b"HEAD^{commit}",
    b"HEAD^{tree}",
    b"MERGE_HEAD",
    b"HEAD:.freezegate.yaml",
    b"HEAD:tests/properties",
)


class Row:
    """One staged difference: a path, the modes of both sides (``000000`` where one has none), and both ids."""

    __slots__ = ("mode", "oid", "old_mode", "old_oid", "path")

    def __init__(self, path: bytes, old_mode: bytes, mode: bytes, old_oid: bytes, oid: bytes) -> None:
        self.path = path
        self.old_mode = old_mode
        self.mode = mode
        self.old_oid = old_oid
        self.oid = oid


class Standing:
    """What git says of HEAD and the index.

    `head` and `tree` are None before the first commit; `config` and `properties` are what HEAD holds at the default
    paths; `rows` is the index against HEAD; `folder` is the git folder that all work trees share; `bare` says that the
    repository has no work tree, and so no index that means anything.
    """

    __slots__ = ("bare", "config", "folder", "head", "merging", "properties", "rows", "tree")

    def __init__(self) -> None:
        """Ask git. Raises GitError where it cannot answer, or where paths are unmerged."""
        questions = scratch(b"".join(question + b"\n" for question in _QUESTIONS))
        difference = Child([*_DIFF_INDEX, "HEAD", "--"])
        facts = Child(["cat-file", "--batch-check=%(objectname) %(objecttype)"], questions)
        folder = Child(["rev-parse", "--is-bare-repository", "--git-common-dir"])
        os.close(questions)
        rows, answers, common = difference.read_all(), facts.read_all(), folder.read_all()
        ended = difference.finish()
        for child in (folder, facts):
            status, errors = child.finish()
            if status != 0:
                raise refusal(child.arguments, status, errors)
        found = [_object(line) for line in answers.splitlines()]
        self.head, self.tree, merging, self.config, self.properties = found
        self.merging = merging is not None
        bare, _, common = common.removesuffix(b"\n").partition(b"\n")
        self.bare = bare == b"true"
        self.folder = os.fsdecode(common)
        if self.head is None:
            rows = ask([*_DIFF_INDEX, ask(["hash-object", "-t", "tree", "--stdin"], b"").decode("ascii").strip(), "--"])
        elif ended[0] != 0:
            raise refusal(difference.arguments, *ended)
        self.rows = _parse(rows)


def _object(line: bytes) -> str | None:
    """The id in a line of batch-check output; None for what is missing."""
    words = line.split(b" ")
    return words[0].decode("ascii") if len(words) == 2 and words[1] in (b"blob", b"tree", b"commit") else None


def _parse(out: bytes) -> list[Row]:
    """The rows of ``--raw -z`` output without renames. Raises GitError that names unmerged paths."""
    rows = []
    unmerged = []
    fields = out.split(b"\0")
    for header, path in zip(fields[0:-1:2], fields[1::2], strict=False):
        old_mode, mode, old_oid, oid, status = header[1:].split(b" ")
        if status == b"U":
            unmerged.append(path)
        rows.append(Row(path, old_mode, mode, old_oid, oid))
    if unmerged:
        from freezegate.paths import RepoPath

        shown = ", ".join(str(RepoPath(path)) for path in unmerged[:5])
        raise GitError(
            f"the index has unmerged paths: {shown}", "resolve the conflicts, git add the files, and commit again"
        )
    return rows

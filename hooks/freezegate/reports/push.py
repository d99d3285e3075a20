"""What a pusher sees: the verdict first, then findings by ref and commit, at most one screen of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from freezegate.reports.shared import counted, shown
from freezegate.text import escape, shell_word

if TYPE_CHECKING:
    from freezegate.gate.pushes import Group, Judgement

_SCREEN = 40
_REWRITE = (
    "a refused commit stays refused, also where a later one mends it: rewrite it (git commit --amend or git rebase -i)"
)
_GITLAB = ("GL_PROTOCOL", "GL_ID", "GL_REPOSITORY")


def render(judgement: Judgement, env: Mapping[str, str]) -> str:
    """The verdict and, where the push is refused, why. The first line is plain ASCII."""
    judged = f"{counted(judgement.commits, 'new commit', 'new commits')}, {counted(judgement.refs, 'ref', 'refs')}"
    count = sum(len(group.findings) for group in judgement.groups)
    if not count:
        return f"freezegate: accepted: {judged}\n"
    commits = sum(group.commit is not None for group in judgement.groups)
    where = counted(commits, "commit", "commits") if commits else "the push as a whole"
    lines = [f"freezegate: rejected: {counted(count, 'finding', 'findings')} in {where} ({judged})"]
    # What a later commit mends is still in the history that others would get.
    advice = [_REWRITE] if commits else []
    room = _SCREEN - 2 - len(advice)
    left = count
    for group in judgement.groups:
        if len(lines) > room - 2:
            break
        lines.append(_title(group))
        for lines_of in _findings(group):
            if len(lines) + len(lines_of) > room:
                break
            lines += lines_of
            left -= 1
        else:
            continue
        break
    lines += advice
    if left:
        lines.append(f"and {left} more; to see all of them, run in your clone:")
        lines.append(f"    {_command(judgement)}")
    return _as_lines(lines, env)


def refusal(message: str, hint: str, env: Mapping[str, str], rows: Sequence[str] = ()) -> str:
    """The verdict where nothing could be judged, or where nothing had to be: `rows` are what is refused unread."""
    why = escape(message).encode("ascii", "backslashreplace").decode("ascii")
    lines = [f"freezegate: rejected: {why}", *(f"  {escape(row)}" for row in rows[: _SCREEN - 3])]
    if len(rows) > _SCREEN - 3:
        lines.append(f"and {len(rows) - _SCREEN + 3} more")
    if hint:
        lines.append(f"    hint: {escape(hint)}")
    return _as_lines(lines, env)


def _as_lines(lines: list[str], env: Mapping[str, str]) -> str:
    # GitLab's web page shows a refused pusher only the lines that begin so.
    prefix = "GL-HOOK-ERR: " if any(name in env for name in _GITLAB) else ""
    return "".join(f"{prefix}{line}\n" for line in lines)


def _name(ref: bytes) -> str:
    return escape(ref.decode("utf-8", "surrogateescape"))


def _title(group: Group) -> str:
    if group.commit is not None:
        return f"{_name(group.ref)}, commit {group.commit[:12]}:"
    old = "nothing before it" if group.old is None else group.old[:12]
    return f"{_name(group.ref)} as a whole, {group.new[:12]} against {old}:"


def _findings(group: Group) -> Iterator[list[str]]:
    for finding in group.findings:
        lines = [f"  {shown(finding.path)}:{finding.line}:{finding.column}: {finding.rule}: {finding.message}"]
        if finding.hint:
            lines.append(f"      hint: {finding.hint}")
        yield lines


def _command(judgement: Judgement) -> str:
    """The command that shows the first group with more than was shown: the widest step of its ref."""
    ref = judgement.groups[-1].ref
    groups = [group for group in judgement.groups if group.ref == ref]
    old, new = groups[0].old, groups[-1].new
    if old is None:
        return f"git switch --detach {shell_word(new)} && freezegate check --all-files"
    return f"freezegate check --from-ref {shell_word(old)} --to-ref {shell_word(new)}"

"""Pushes through real servers: what is good lands, what is bad is refused with the ref unmoved, and git's quarantine
keeps the objects of a refused push out of the repository."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

import transports
from building import SCOPE, Completed, Repo, environment, good_project, with_files
from transports import Remote

pytestmark = pytest.mark.slow

_PREDICATE = "tests/properties/order_total.py"
_HOOK = "hooks/pre-receive"


@pytest.fixture(
    params=[transports.over_files, transports.over_ssh, transports.over_http, transports.over_gitolite],
    ids=["file", "ssh", "http", "gitolite"],
)
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Remote]:
    serve: Callable[[Path], AbstractContextManager[Remote]] = request.param
    with serve(tmp_path) as made:
        done = made.bare.run("install-server", str(made.bare.path))
        assert done.code == 0, done.err
        yield made


@pytest.fixture
def work(tmp_path: Path) -> Repo:
    made = with_files(Repo(tmp_path / "work"), {**good_project(), "docs/guide.md": b"Before.\n"})
    made.commit("under the gate")
    return made


def _push(work: Repo, remote: Remote, *refs: str) -> Completed:
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "push", "-q", remote.url, *refs],
        cwd=work.path, env=environment(**remote.variables), capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    return Completed(done.returncode, done.stdout, done.stderr)


def _refs(remote: Remote) -> dict[str, str]:
    """Names and ids of the server's refs."""
    rows = remote.bare.git("for-each-ref", "--format=%(refname) %(objectname)").decode().split()
    refs = dict(zip(rows[::2], rows[1::2], strict=True))
    return {name: oid for name, oid in refs.items() if name != "refs/heads/master"}  # gitolite's own first branch


def _holds(remote: Remote, oid: str) -> bool:
    return remote.bare.git("cat-file", "--batch-check", input=f"{oid}\n".encode()).split()[1] != b"missing"


def _leftovers(remote: Remote) -> list[str]:
    """Folders of quarantined objects that no push is using any more."""
    found = [*remote.bare.path.glob("objects/tmp_objdir-*"), *remote.bare.path.glob("objects/incoming-*")]
    return [str(path) for path in found]


def _edit_predicate(work: Repo) -> str:
    work.write(_PREDICATE, good_project()[_PREDICATE].replace(b"assert is_amount(total)", b"assert total is not None"))
    return work.commit_all("a weaker predicate, without its scope")


def _edit_page(work: Repo) -> str:
    work.write("docs/guide.md", "After.\n")
    return work.commit_all("a page")


def test_good_lands_and_bad_is_refused(remote: Remote, work: Repo) -> None:
    first = _push(work, remote, "main")
    assert first.code == 0, first.err
    assert "freezegate: accepted" in first.err
    page = _edit_page(work)
    assert _push(work, remote, "main").code == 0
    assert _refs(remote) == {"refs/heads/main": page}

    bad = _edit_predicate(work)
    refused = _push(work, remote, "main")
    assert refused.code != 0
    assert "freezegate: rejected" in refused.err
    assert "predicate-without-scope" in refused.err and _PREDICATE in refused.err
    assert _refs(remote) == {"refs/heads/main": page}
    assert not _holds(remote, bad)
    assert _leftovers(remote) == []

    work.git("reset", "-q", "--hard", page)
    work.write("docs/guide.md", "Once more.\n")
    good = work.commit_all("another page")
    assert _push(work, remote, "main").code == 0
    assert _refs(remote) == {"refs/heads/main": good}


def test_a_bad_commit_under_a_good_tip_is_refused(remote: Remote, work: Repo) -> None:
    assert _push(work, remote, "main").code == 0
    before = _refs(remote)
    bad = _edit_predicate(work)
    work.git("revert", "--no-edit", bad)
    refused = _push(work, remote, "main")
    assert refused.code != 0 and "predicate-without-scope" in refused.err
    assert bad[:7] in refused.err
    assert _refs(remote) == before


def test_one_bad_ref_holds_back_the_good_one_beside_it(remote: Remote, work: Repo) -> None:
    assert _push(work, remote, "main").code == 0
    before = _refs(remote)
    work.git("switch", "-q", "-c", "pages")
    _edit_page(work)
    work.git("switch", "-q", "-c", "weaker", "main")
    _edit_predicate(work)
    assert _push(work, remote, "pages", "weaker").code != 0
    assert _refs(remote) == before
    assert _push(work, remote, "pages").code == 0


def test_the_hook_judges_objects_in_quarantine(remote: Remote, work: Repo, tmp_path: Path) -> None:
    """git names the quarantine to the hook, and the hook's verdict is over objects that lie nowhere else."""
    hook = remote.bare.path / _HOOK
    log = tmp_path / "variables"
    shebang, call, _ = hook.read_text(encoding="utf-8").split("\n")
    hook.write_text(f"{shebang}\nenv >>'{log}'\n{call}\n", encoding="utf-8")
    assert _push(work, remote, "main").code == 0
    bad = _edit_predicate(work)
    assert _push(work, remote, "main").code != 0
    seen = re.findall(r"^GIT_QUARANTINE_PATH=(.+)$", log.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(set(seen)) == 2
    for quarantine in seen:
        assert Path(quarantine).resolve().is_relative_to((remote.bare.path / "objects").resolve())
        assert not Path(quarantine).exists()
    assert not _holds(remote, bad)


def test_a_hook_that_cannot_start_accepts_nothing(remote: Remote, work: Repo) -> None:
    hook = remote.bare.path / _HOOK
    text = hook.read_text(encoding="utf-8")
    assert sys.executable in text
    hook.write_text(text.replace(sys.executable, "/nonexistent/python"), encoding="utf-8")
    refused = _push(work, remote, "main")
    assert refused.code != 0 and "/nonexistent/python" in refused.err
    assert _refs(remote) == {}


def test_gitolite_keeps_the_hook_and_can_give_it_to_every_repository(tmp_path: Path, work: Repo) -> None:
    with transports.over_gitolite(tmp_path) as remote:
        bare, home = remote.bare, tmp_path / "home"
        assert bare.run("install-server", str(bare.path)).code == 0
        hook = bare.path / _HOOK
        once = hook.read_bytes()
        again = ["gitolite", "setup", "--hooks-only"]
        subprocess.run(again, env=environment(HOME=str(home)), cwd=home, check=True, capture_output=True)
        assert hook.read_bytes() == once

        hook.rename(home / ".gitolite" / "hooks" / "common" / "pre-receive")
        subprocess.run(again, env=environment(HOME=str(home)), cwd=home, check=True, capture_output=True)
        assert hook.is_symlink() and hook.read_bytes() == once
        admin = home / "repositories" / "gitolite-admin.git" / _HOOK
        assert admin.read_bytes() == once
        assert _push(work, remote, "main").code == 0
        _edit_predicate(work)
        refused = _push(work, remote, "main")
        assert refused.code != 0 and "predicate-without-scope" in refused.err
        assert "GL-HOOK-ERR" not in refused.err  # GitLab's form, though gitolite sets GL_ variables too
        assert bare.run("doctor", str(bare.path)).out.count("problem ") == 0


def test_a_hook_that_is_killed_accepts_nothing_and_leaves_nothing(remote: Remote, work: Repo) -> None:
    assert _push(work, remote, "main").code == 0
    before = _refs(remote)
    hook = remote.bare.path / _HOOK
    shebang, call, _ = hook.read_text(encoding="utf-8").split("\n")
    killed = call.replace("exec ", "").replace(" -m freezegate pre-receive", ' -c "import os; os.kill(os.getpid(), 9)"')
    hook.write_text(f"{shebang}\n{killed}\n", encoding="utf-8")
    page = _edit_page(work)
    assert _push(work, remote, "main").code != 0
    assert _refs(remote) == before
    assert not _holds(remote, page)
    assert _leftovers(remote) == []
    hook.write_text(f"{shebang}\n{call}\n", encoding="utf-8")
    assert _push(work, remote, "main").code == 0


def test_pushes_at_once_are_judged_each_on_its_own(remote: Remote, work: Repo) -> None:
    assert _push(work, remote, "main").code == 0
    tips = {}
    for number in range(4):
        work.git("switch", "-q", "-c", f"branch-{number}", "main")
        tips[f"refs/heads/branch-{number}"] = _edit_predicate(work) if number % 2 else _edit_page(work)
    with ThreadPoolExecutor(4) as pool:
        pushes = [pool.submit(_push, work, remote, f"branch-{number}") for number in range(4)]
    for number, push in enumerate(pushes):
        done = push.result()
        assert (done.code != 0) == bool(number % 2), done.err
        assert ("predicate-without-scope" in done.err) == bool(number % 2)
    landed = {name for name in _refs(remote) if name.startswith("refs/heads/branch")}
    assert landed == {"refs/heads/branch-0", "refs/heads/branch-2"}
    assert _leftovers(remote) == []
    assert not _holds(remote, tips["refs/heads/branch-1"])


def test_no_second_ref_and_no_earlier_tag_brings_a_bad_commit_in(remote: Remote, work: Repo) -> None:
    assert _push(work, remote, "main").code == 0
    before = _refs(remote)
    bad = _edit_predicate(work)
    tag = "refs/tags/first"
    for refs in ((f"{bad}:{tag}", "main"), ("main:refs/heads/aside", "main"), ("main", "main:refs/heads/zebra")):
        refused = _push(work, remote, *refs)
        assert refused.code != 0 and "predicate-without-scope" in refused.err
        assert _refs(remote) == before
    assert _push(work, remote, f"{bad}:{tag}").code == 0
    refused = _push(work, remote, "main")  # it is on the server now, and still new to every protected ref
    assert refused.code != 0 and "predicate-without-scope" in refused.err
    assert _refs(remote) == {**before, tag: bad}


def test_a_replacement_is_not_taken(remote: Remote, work: Repo) -> None:
    assert _push(work, remote, "main").code == 0
    good = work.head()
    bad = _edit_predicate(work)
    before = _refs(remote)
    refused = _push(work, remote, f"{good}:refs/replace/{bad}")
    assert refused.code != 0
    assert "freezegate: rejected: replacement objects are not taken" in refused.err
    assert _refs(remote) == before
    # Where one came in before the gate did, the hook does not look through it.
    assert _push(work, remote, f"{bad}:refs/tags/there").code == 0
    remote.bare.git("update-ref", f"refs/replace/{bad}", good)
    refused = _push(work, remote, "main")
    assert refused.code != 0 and "predicate-without-scope" in refused.err


def test_a_merge_of_two_accepted_sides_may_not_mix_them(remote: Remote, work: Repo) -> None:
    work.git("branch", "topic")
    _edit_page(work)
    work.git("switch", "-q", "topic")
    # The freeze goes, and the predicate moves with its scope: no path of the mixture below differs from both sides.
    work.remove("tests/freezes")
    work.remove("tests/bindings")
    work.write(SCOPE, good_project()[SCOPE] + b"description: Weaker.\n")
    _edit_predicate(work)
    assert _push(work, remote, "main", "topic").code == 0
    before = _refs(remote)
    work.git("merge", "-q", "--no-commit", "--no-ff", "main")
    work.write(SCOPE, good_project()[SCOPE])
    mixed = work.commit_all("a merge that takes the predicate from one side and its scope from the other")
    refused = _push(work, remote, "topic")
    assert refused.code != 0 and "predicate-without-scope" in refused.err
    assert mixed[:12] in refused.err and _refs(remote) == before
    work.git("reset", "-q", "--hard", "HEAD~1")
    work.git("merge", "-q", "--no-edit", "main")
    assert _push(work, remote, "topic").code == 0


_NAMES = ("yaml", "git", "sitecustomize", "usercustomize", "json", "jsonschema", "subprocess", "freezegate")


def test_nothing_of_the_push_is_executed(remote: Remote, work: Repo, tmp_path: Path) -> None:
    marker = tmp_path / "executed"
    code = f"open({str(marker)!r}, 'w').close()\n"
    payload = {f"{name}.py": code for name in _NAMES} | {"evil.pth": f"import os; {code}"}
    for path, text in payload.items():
        for folder in ("", "tests/properties/", "tests/fixtures/", "src/", "props/"):
            work.write(folder + path, text)
        (remote.bare.path / path).write_text(text, encoding="utf-8")  # the folder that the hook runs in
    subprocess.run([sys.executable, "-c", "import yaml"], cwd=remote.bare.path, check=True)
    assert marker.exists()  # so it would be seen
    marker.unlink()
    work.commit_all("modules with well-known names")
    first = _push(work, remote, "main")
    assert first.code == 0, first.err
    _edit_predicate(work)
    refused = _push(work, remote, "main")
    assert refused.code != 0 and "predicate-without-scope" in refused.err
    assert not marker.exists()

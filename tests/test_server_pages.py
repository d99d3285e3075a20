"""The pages about servers and CI: their commands exist, and do in a clone like the service's what the page says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from building import Completed, Repo, environment, good_project, with_files
from freezegate.cli.commands import parser

DOCS = Path(__file__).parent.parent / "docs"
CI = (DOCS / "ci.md").read_text(encoding="utf-8")
SERVERS = (DOCS / "servers.md").read_text(encoding="utf-8")
_PREDICATE = "tests/properties/order_total.py"
# What the service tells its job of a pull request to `main`.
_SERVICES = {
    "GitHub Actions": {"BASE": "main"},
    "GitLab CI": {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"},
    "Azure Pipelines": {"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"},
    "Bitbucket Pipelines": {"BITBUCKET_PR_DESTINATION_BRANCH": "main"},
    "Jenkins": {"CHANGE_TARGET": "main"},
}


def _section(page: str, title: str) -> str:
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def _blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _steps(service: str) -> list[str]:
    """The shell lines of a recipe that fetch or judge."""
    (recipe,) = _blocks(_section(CI, service), r"\w+")
    lines = (
        line.strip().removeprefix("- ").removeprefix("run: ").removeprefix("script: ") for line in recipe.splitlines()
    )
    lines = (line.removeprefix("sh '").removesuffix("'").replace(".gate/bin/", "") for line in lines)
    return [line for line in lines if line.startswith(("git fetch", "freezegate check"))]


@pytest.fixture
def origin(tmp_path: Path) -> Repo:
    """A repository whose branch `weaker` has a finding and whose branch `page` has none, each two commits from main."""
    made = with_files(Repo(tmp_path / "origin"), {**good_project(), "docs/guide.md": b"Before.\n"})
    made.commit("under the gate")
    for branch, path, text in (
        ("weaker", _PREDICATE, good_project()[_PREDICATE].replace(b"assert is_amount(total)", b"assert total")),
        ("page", "docs/guide.md", b"After.\n"),
    ):
        made.git("switch", "-q", "-c", branch, "main")
        made.write(path, text)
        made.commit_all(branch)
        made.write("docs/more.md", "More.\n")
        made.commit_all("more")
    made.git("switch", "-q", "main")
    return made


def _play(clone: Repo, steps: list[str], **variables: str) -> Completed:
    bin = str(Path(sys.executable).parent)
    env = environment(**variables)
    env["PATH"] = f"{bin}:{env['PATH']}"
    git = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "protocol.file.allow", "GIT_CONFIG_VALUE_0": "always"}
    script = "set -e\n" + "\n".join(steps)
    done = subprocess.run(
        ["sh", "-c", script], cwd=clone.path, env={**env, **git}, capture_output=True, encoding="utf-8", check=False
    )  # fmt: skip
    return Completed(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("service", _SERVICES)
def test_a_recipe_judges_a_full_clone(service: str, origin: Repo, tmp_path: Path) -> None:
    for branch, code in (("weaker", 1), ("page", 0)):
        clone = origin.clone(tmp_path / branch, f"--branch={branch}")
        done = _play(clone, _steps(service), **_SERVICES[service])
        assert done.code == code, done.out + done.err
        reports = [*clone.path.glob("*.xml"), *clone.path.glob("*.json")]
        said = done.out + done.err + "".join(path.read_text(encoding="utf-8") for path in reports)
        assert ("predicate-without-scope" in said) == (code == 1)


@pytest.mark.parametrize("service", _SERVICES)
def test_a_recipe_never_passes_a_shallow_clone(service: str, origin: Repo, tmp_path: Path) -> None:
    """Where the depth was forgotten the answer is that nothing could be judged, whatever the branch holds."""
    for branch in ("weaker", "page"):
        clone = origin.clone(tmp_path / branch, f"--branch={branch}", "--depth=1")
        done = _play(clone, _steps(service), **_SERVICES[service])
        assert done.code != 0, done.out + done.err
        assert "freezegate: error: " in done.err


def test_the_loop_over_commits_finds_what_a_later_commit_hides(origin: Repo, tmp_path: Path) -> None:
    clone = origin.clone(tmp_path / "clone", "--branch=weaker")
    clone.git("revert", "--no-edit", "HEAD~1")
    (base, loop, *_) = _blocks(CI, "sh")
    assert _play(clone, [base]).code == 0
    assert _play(clone, [loop]).code == 1


@pytest.mark.parametrize("service", ["GitHub Actions", "GitLab CI", "Azure Pipelines", "Bitbucket Pipelines"])
def test_a_recipe_is_yaml_with_the_full_history(service: str) -> None:
    (recipe,) = _blocks(_section(CI, service), "yaml")
    assert yaml.safe_load(recipe)
    assert re.search(r'fetch-depth: 0|GIT_DEPTH: "0"|fetchDepth: 0|depth: full', recipe)


@pytest.mark.parametrize("results", ["success", "failure", "skipped", "cancelled", ""])
def test_the_aggregate_passes_on_success_alone(results: str, tmp_path: Path) -> None:
    (recipe,) = _blocks(_section(CI, "GitHub Actions"), "yaml")
    line = yaml.safe_load(recipe)["jobs"]["required"]["steps"][0]["run"]
    assert _play(Repo(tmp_path), [line], RESULTS=results).code == (0 if results == "success" else 1)


def _calls() -> list[str]:
    """The calls of freezegate on the page about servers."""
    shell = "".join(_blocks(SERVERS, "sh"))
    return re.findall(r"(?:^|\| )(?:/opt/\S+/bin/)?freezegate (.+)$", shell, re.MULTILINE)


def test_the_commands_of_the_page_about_servers_are_understood() -> None:
    calls = _calls()
    assert {call.split()[0] for call in calls} == {"install-server", "doctor", "pre-receive"}
    for call in calls:
        assert parser().parse_args(shlex.split(call)).run


def test_a_replay_finds_what_was_put_in_behind_the_hook(origin: Repo, tmp_path: Path) -> None:
    server = origin.clone(tmp_path / "shop.git", "--bare")
    old, new = server.resolve("main"), server.resolve("weaker")
    server.git("update-ref", "refs/heads/main", new)
    (replay,) = [block for block in _blocks(SERVERS, "sh") if "proof.git" in block]
    replay = replay.replace("/srv/git/", f"{tmp_path}/").replace("/opt/freezegate/bin/", "")
    replay = replay.replace("OLD", old).replace("NEW", new)
    (work := tmp_path / "work").mkdir()
    done = _play(Repo(work, create=False), [replay])
    assert done.code == 1 and "predicate-without-scope" in done.err, done.err


def test_the_archive_for_gitlab_holds_the_hook(tmp_path: Path) -> None:
    (recipe,) = [block for block in _blocks(SERVERS, "sh") if "scratch.git" in block]
    steps = [line.replace("/opt/freezegate/bin/", "") for line in recipe.splitlines() if not line.startswith("sudo")]
    done = _play(Repo(tmp_path, create=False), steps)
    assert done.code == 0, done.err
    listed = subprocess.run(["tar", "-tvf", tmp_path / "custom_hooks.tar"], capture_output=True, text=True, check=True)
    (row,) = [row for row in listed.stdout.splitlines() if row.endswith("custom_hooks/pre-receive.d/freezegate")]
    assert row.startswith("-rwxr-xr-x")

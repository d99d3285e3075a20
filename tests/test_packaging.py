"""The project as others get it: a wheel, an editable install, and hooks that pre-commit and prek run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from building import COUNTEREXAMPLE, RECORD, SCOPE, Completed, Repo, environment, good_project, with_files
from freezegate import __version__
from freezegate.cli.commands import parser
from freezegate.gate.registry import HOOKS

ROOT = Path(__file__).parent.parent
STAGES = ["pre-commit", "pre-merge-commit", "pre-push", "manual"]
MANIFEST = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
SCHEMAS = """
from freezegate.documents.schemas import KINDS, schema, schema_folder
assert all(schema(kind)["$id"] for kind in KINDS)
print(schema_folder())
"""


def run(folder: Path, *command: str | Path, **variables: str) -> Completed:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return Completed(done.returncode, done.stdout, done.stderr)


def must(folder: Path, *command: str | Path, **variables: str) -> str:
    done = run(folder, *command, **variables)
    assert done.code == 0, done.out + done.err
    return done.out


def project_files() -> Iterator[tuple[bytes, Path]]:
    """The files of this project: what git tracks or would track, or all where there is no repository."""
    listing = ["git", "-c", "safe.directory=*", "ls-files", "-coz", "--exclude-standard"]
    done = subprocess.run(listing, cwd=ROOT, capture_output=True, check=False)
    if done.returncode == 0 and done.stdout:
        names = done.stdout.split(b"\0")[:-1]
    else:
        names = [os.fsencode(path.relative_to(ROOT)) for path in ROOT.rglob("*") if "__pycache__" not in path.parts]
    for name in names:
        if (path := ROOT / os.fsdecode(name)).is_file():
            yield name, path


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """This project as a git repository with one commit, which hook tools clone."""
    repo = Repo(tmp_path_factory.mktemp("published"))
    for name, path in project_files():
        repo.write(name, path.read_bytes(), path.stat().st_mode & 0o777)
    repo.commit_all()
    return repo


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Where pre-commit and prek keep what they install: apart from the user's, shared by the tests of this module."""
    folder = tmp_path_factory.mktemp("tools")
    return {"PRE_COMMIT_HOME": str(folder / "pre-commit"), "PREK_HOME": str(folder / "prek")}


TOOLS = {
    "pre-commit": [sys.executable, "-m", "pre_commit"],
    "prek": [str(Path(sys.executable).parent / "prek")],
}


# The manifest


def test_the_manifest_offers_the_umbrella_and_every_hook() -> None:
    assert [hook["id"] for hook in MANIFEST] == ["freezegate", *HOOKS]


@pytest.mark.parametrize("hook", MANIFEST, ids=[hook["id"] for hook in MANIFEST])
def test_a_hook_reaches_deletions_and_runs_once(hook: dict[str, object]) -> None:
    fields = dict(hook)
    assert fields.pop("name") and fields.pop("description")
    own = "" if fields.pop("id") == "freezegate" else f" --hook {hook['id']}"
    assert fields == {
        "entry": f"freezegate check{own}",
        "language": "python",
        "always_run": True,
        "pass_filenames": False,
        "require_serial": True,
        "stages": STAGES,
    }


@pytest.mark.parametrize("hook", MANIFEST, ids=[hook["id"] for hook in MANIFEST])
def test_a_hook_entry_runs(tmp_path: Path, hook: dict[str, str]) -> None:
    program, *words = hook["entry"].split()
    assert program == "freezegate" and parser().parse_args(words).command == "check"
    repo = with_files(Repo(tmp_path), good_project())
    done = repo.run(*words)
    assert done.code == 0 and "1 scope" in done.out, done.err


# The distribution


@pytest.fixture(scope="module")
def built(published: Repo, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("built")
    must(folder, sys.executable, "-m", "build", "--outdir", folder, published.path)
    return folder


@pytest.fixture(scope="module")
def fresh(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh virtual environment with nothing but the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("fresh")
    must(folder, sys.executable, "-m", "virtualenv", "-q", folder / "venv")
    (wheel,) = built.glob("*.whl")
    must(folder, folder / "venv/bin/python", "-m", "pip", "install", "-q", wheel)
    return folder / "venv" / "bin"


@pytest.mark.slow
def test_the_installed_wheel_checks_a_repository(fresh: Path, tmp_path: Path) -> None:
    assert must(tmp_path, fresh / "freezegate", "--version") == f"freezegate {__version__}\n"
    assert must(tmp_path, fresh / "python", "-m", "freezegate", "--version") == f"freezegate {__version__}\n"
    folder = must(tmp_path, fresh / "python", "-c", SCHEMAS).strip()
    assert folder.endswith("site-packages/freezegate/schemas")
    repo = with_files(Repo(tmp_path / "repo"), good_project())
    assert "1 scope" in must(repo.path, fresh / "freezegate", "check")
    # The child's files came along; Hypothesis is an extra, and its absence is said.
    done = run(repo.path, fresh / "freezegate", "property-eval", "--scope", SCOPE, "--case", COUNTEREXAMPLE)
    assert (done.code, done.out) == (1, "fail\n"), done
    repo.remove(COUNTEREXAMPLE)
    done = run(repo.path, fresh / "freezegate", "property-run", "--scope", SCOPE)
    assert done.code == 2 and "hypothesis" in done.err.lower(), done
    repo.write(SCOPE, good_project()[SCOPE] + b"colour: red\n")
    repo.stage_all()
    done = run(repo.path, fresh / "freezegate", "check")
    assert done.code == 1 and "scope-schema" in done.out and "colour" in done.out


@pytest.mark.slow
def test_the_source_distribution_holds_the_whole_project(built: Path, tmp_path: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    must(tmp_path, "tar", "-xzf", archive, "--strip-components=1")
    for name in ("README.md", "CHANGELOG.md", "LICENSE", ".pre-commit-hooks.yaml", "tests/run.py", ".ci/run", "docs"):
        assert (tmp_path / name).exists(), name
    mine = {path.name for path in (ROOT / "schemas").iterdir()}
    assert {path.name for path in (tmp_path / "schemas").iterdir()} == mine


@pytest.mark.slow
def test_an_editable_install_reads_the_schemas_of_the_checkout(fresh: Path, published: Repo, tmp_path: Path) -> None:
    must(tmp_path, sys.executable, "-m", "virtualenv", "-q", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    must(tmp_path, python, "-m", "pip", "install", "-q", "-e", published.path)
    assert Path(must(tmp_path, python, "-c", SCHEMAS).strip()).samefile(published.path / "schemas")
    assert must(tmp_path, tmp_path / "venv/bin/freezegate", "--version") == f"freezegate {__version__}\n"


@pytest.mark.slow
def test_the_first_command_of_the_readme_works_in_a_fresh_clone(published: Repo, tmp_path: Path) -> None:
    (line,) = re.findall(r"^python3 -m venv .*freezegate demo$", (ROOT / "README.md").read_text(), re.MULTILINE)
    clone = published.clone(tmp_path / "clone")
    programs = tmp_path / "programs"  # `python3` is the one that runs the tests, whatever PATH says
    programs.mkdir()
    (programs / "python3").symlink_to(Path(sys.base_prefix, "bin", Path(sys._base_executable).name))  # type: ignore[attr-defined]
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    said = must(clone.path, "bash", "-c", line, PATH=path)
    assert "predicate-without-scope" in said
    assert clone.git("status", "--porcelain") == b""


# pre-commit and prek


def install(repo: Repo, published: Repo, tool: list[str], variables: dict[str, str], *types: str) -> None:
    """A good project in its first commit, with the configuration that the README shows, and the hooks installed."""
    config = {
        "default_install_hook_types": ["pre-commit", "pre-merge-commit"],
        "repos": [{"repo": str(published.path), "rev": published.head(), "hooks": [{"id": "freezegate"}]}],
    }
    files = {**good_project(), ".pre-commit-config.yaml": yaml.safe_dump(config).encode()}
    with_files(repo, files).commit("a good project")
    must(repo.path, *tool, "install", *types, **variables)


@pytest.mark.slow
@pytest.mark.parametrize("name", TOOLS)
def test_try_repo_runs_the_umbrella(published: Repo, tools: dict[str, str], tmp_path: Path, name: str) -> None:
    repo = with_files(Repo(tmp_path), good_project())
    command = [*TOOLS[name], "try-repo", str(published.path), "freezegate", "--all-files", "--verbose"]
    said = must(repo.path, *command, **tools)
    assert "Passed" in said and "1 scope, 1 counterexample, 1 record" in said
    with_files(repo, {**good_project(), RECORD: b"{}"})
    refused = run(repo.path, *command, **tools)
    assert refused.code == 1 and "record-schema" in refused.out, refused.out + refused.err


@pytest.mark.slow
@pytest.mark.parametrize("name", TOOLS)
def test_good_commits_pass_and_bad_ones_are_refused(
    published: Repo, tools: dict[str, str], tmp_path: Path, name: str
) -> None:
    repo = Repo(tmp_path)
    install(repo, published, TOOLS[name], tools)
    assert "Passed" in must(repo.path, *TOOLS[name], "run", "--all-files", **tools)

    repo.write("docs/guide.md", "A page.\n")
    repo.add("docs/guide.md")
    must(repo.path, "git", "commit", "-q", "-m", "a page", **tools)
    good = repo.head()

    predicate = "tests/properties/order_total.py"
    repo.write(predicate, good_project()[predicate] + b"    assert total != 7\n")
    repo.add(predicate)
    refused = run(repo.path, "git", "commit", "-q", "-m", "a predicate alone", **tools)
    assert refused.code == 1 and re.search(r"order_total\.scope\.yaml:2:\d+: predicate-without-scope", refused.err)
    assert repo.head() == good

    repo.git("reset", "-q", "--hard")
    repo.remove(RECORD)
    repo.add(RECORD)
    refused = run(repo.path, "git", "commit", "-q", "-m", "a record deleted", **tools)
    assert refused.code == 1 and "citation-dangling" in refused.err
    assert repo.head() == good
    failing = run(repo.path, *TOOLS[name], "run", "--all-files", **tools)
    assert failing.code == 1 and "citation-dangling" in failing.out


def two_branches_with_one_id(repo: Repo) -> None:
    """Leave `main` checked out; merging `other` has no conflict, and gives two scopes with one id."""
    second = good_project()[SCOPE].replace(b"order_total.non_negative", b"shared.name")
    repo.git("checkout", "-q", "-b", "other")
    repo.write("tests/properties/left.scope.yaml", second)
    repo.commit_all("left")
    repo.git("checkout", "-q", "main")
    repo.write("tests/properties/right.scope.yaml", second)
    repo.commit_all("right")
    assert repo.rules("--all-files") == []


@pytest.mark.slow
@pytest.mark.parametrize("name", TOOLS)
def test_merges_are_judged_where_that_hook_type_is_installed(
    published: Repo, tools: dict[str, str], tmp_path: Path, name: str
) -> None:
    repo = Repo(tmp_path)
    install(repo, published, TOOLS[name], tools)
    two_branches_with_one_id(repo)
    before = repo.head()
    refused = run(repo.path, "git", "merge", "--no-edit", "other", **tools)
    assert refused.code == 1 and "scope-id-duplicate" in refused.out + refused.err
    assert repo.head() == before


@pytest.mark.slow
def test_merges_pass_unseen_where_it_is_not(published: Repo, tools: dict[str, str], tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    install(repo, published, TOOLS["pre-commit"], tools, "--hook-type", "pre-commit")
    two_branches_with_one_id(repo)
    must(repo.path, "git", "merge", "--no-edit", "other", **tools)
    assert ("tests/properties/right.scope.yaml", "scope-id-duplicate") in repo.rules("--all-files")

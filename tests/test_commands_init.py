"""`freezegate init`: writes what is missing and no more, is repeatable, and what it writes is accepted by the gate."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from building import Completed, Repo, environment, good_project
from freezegate import __version__
from freezegate.documents.reading import read_config
from freezegate.gate.sieve import _is_plain_policy

_BINDING = ["tests/bindings/.gitkeep", "tests/fixtures/.gitkeep", "tests/freezes/.gitkeep", "tests/properties/.gitkeep"]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "r")
    made.write("src/shop.py", "PRICE = 1\n")
    return made


def _init(repo: Repo, *args: str, cwd: Path | None = None) -> Completed:
    done = repo.run("init", *args, cwd=cwd)
    assert (done.code, done.err) == (0, "")
    return done


def _files(repo: Repo) -> dict[str, bytes]:
    found = {}
    for folder, folders, names in os.walk(repo.path):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = Path(folder, name)
            found[str(path.relative_to(repo.path))] = b"link" if path.is_symlink() else path.read_bytes()
    return found


def _config(repo: Repo) -> bytes:
    return repo.at(".freezegate.yaml").read_bytes()


def test_it_writes_config_folders_and_hook(repo: Repo) -> None:
    said = _init(repo).out
    written = sorted(set(_files(repo)) - {"src/shop.py"})
    assert written == [".freezegate.yaml", ".pre-commit-config.yaml", *_BINDING]
    assert all(f"wrote  {path}" in said for path in written)
    assert "pre-commit install" in said
    hooks = yaml.safe_load(repo.at(".pre-commit-config.yaml").read_bytes())
    assert hooks["default_install_hook_types"] == ["pre-commit", "pre-merge-commit"]
    assert hooks["repos"] == [
        {
            "repo": "https://github.com/freezegate/freezegate",
            "rev": f"v{__version__}",
            "hooks": [{"id": "freezegate"}],
        }
    ]


@pytest.mark.parametrize("flags", [(), ("--sized",), ("--verdict",)])
def test_the_default_config_is_known_to_the_quick_way_out(repo: Repo, flags: tuple[str, ...]) -> None:
    _init(repo, *flags)
    config = read_config(_config(repo)).document
    assert config is not None
    assert config.policy.require_predicate_digest
    assert (config.policy.framing == "sized") == ("--sized" in flags)
    assert config.named == frozenset()
    assert _is_plain_policy(_config(repo))


def test_a_second_run_changes_nothing(repo: Repo) -> None:
    _init(repo)
    before = _files(repo)
    said = _init(repo).out
    assert _files(repo) == before
    assert "nothing was written" in said
    assert "wrote" not in said


def test_halves_are_as_asked(repo: Repo) -> None:
    _init(repo, "--verdict", "--no-pre-commit")
    written = sorted(set(_files(repo)) - {"src/shop.py"})
    # None in fixtures/: it would be part of the fixture digest.
    assert written == [".freezegate.yaml", "catalog/.gitkeep", "props/.gitkeep"]
    _init(repo, "--binding", "--verdict", "--no-pre-commit")
    assert sorted(set(_files(repo)) - {"src/shop.py"} - set(written)) == _BINDING


def test_what_is_there_is_left_alone(repo: Repo) -> None:
    repo.write(".pre-commit-config.yaml", "repos: []\n")
    repo.write("tests/properties/test_a.py", "A = 1\n")
    repo.write(".freezegate.yaml", "policy: {stale: fail}\n")
    before = _files(repo)
    said = _init(repo).out
    after = _files(repo)
    assert {path: after[path] for path in before} == before
    assert "tests/properties/.gitkeep" not in after
    entry = said[said.index("  - repo:") :].split("\n\n")[0]
    assert yaml.safe_load(entry)[0]["hooks"] == [{"id": "freezegate"}]
    assert "default_install_hook_types: [pre-commit, pre-merge-commit]" in said


def test_a_complete_pre_commit_config_is_not_asked_for_again(repo: Repo) -> None:
    _init(repo)
    said = _init(repo).out
    assert "- repo:" not in said
    assert "default_install_hook_types" not in said


def test_folders_follow_the_config_that_is_there(repo: Repo) -> None:
    repo.write(".freezegate.yaml", "layout: {properties: checks/props, source: [src]}\n")
    said = _init(repo).out
    assert repo.at("checks/props/.gitkeep").exists()
    assert not repo.at("tests/properties").exists()
    assert "checks/props/NAME.scope.yaml" in said


def test_a_folder_that_looks_like_an_option(repo: Repo) -> None:
    repo.write(".freezegate.yaml", "layout: {properties: --props}\n")
    repo.write(".gitignore", "-*\n")
    assert "git ignores --props/.gitkeep" in _init(repo).out


def test_a_config_that_is_refused_ends_it_before_anything_is_written(repo: Repo) -> None:
    repo.write(".freezegate.yaml", "policy: {framing: loose}\n")
    before = _files(repo)
    done = repo.run("init")
    assert done.code == 2
    assert ".freezegate.yaml, line 1, column" in done.err
    assert _files(repo) == before


def test_a_zero_byte_in_the_fixtures_asks_for_sized(repo: Repo) -> None:
    repo.write("tests/fixtures/table.bin", b"a\0b")
    _init(repo)
    assert b"framing: sized" in _config(repo)


def test_zero_bytes_that_no_digest_covers_do_not(repo: Repo) -> None:
    repo.write(".gitignore", "*.pyc\n")
    repo.write("tests/fixtures/x.pyc", b"a\0b")
    repo.write("tests/fixtures/__pycache__/y.bin", b"a\0b")
    repo.write("fixtures/other.bin", b"a\0b")  # the verdict half is not asked for
    repo.write("src/data.bin", b"a\0b")
    repo.write("tests/fixtures/text.txt", "a\n")
    _init(repo)
    assert b"framing" not in _config(repo)
    repo.remove(".freezegate.yaml")
    _init(repo, "--verdict")
    assert b"framing: sized" in _config(repo)


def _flat(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "flat")
    for path in ("shop/__init__.py", "null/__init__.py", "tests/__init__.py", "docs/__init__.py", "props/__init__.py"):
        repo.write(path, "")
    repo.write("notes/readme.txt", "no package\n")
    repo.write("built/__init__.py", "")
    repo.write("b\u00e2ti/__init__.py", "")
    repo.write(".gitignore", "built/\nb\u00e2ti/\n")
    repo.link("linked", "shop")
    return repo


def test_a_flat_layout_names_its_packages(tmp_path: Path) -> None:
    repo = _flat(tmp_path)
    said = _init(repo).out
    config = read_config(_config(repo)).document
    assert config is not None
    assert [str(path) for path in config.layout.source] == ["null", "shop"]
    assert "No source folder" not in said


def test_a_default_source_folder_without_python_does_not_hide_the_packages(tmp_path: Path) -> None:
    repo = _flat(tmp_path)
    repo.write("src/speedups.c", "int x;\n")
    _init(repo)
    config = read_config(_config(repo)).document
    assert config is not None
    assert [str(path) for path in config.layout.source] == ["src", "null", "shop"]
    repo.remove(".freezegate.yaml")
    repo.write("src/deep/shop.py", "PRICE = 1\n")
    _init(repo)
    assert b"layout" not in _config(repo)


def test_no_source_is_said_and_the_rest_is_written(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.write("shop.py", "PRICE = 1\n")
    repo.write("bank.py", "RATE = 1\n")
    said = _init(repo).out
    assert "No source folder was found" in said
    assert b"layout" not in _config(repo)
    assert repo.at("tests/properties/.gitkeep").exists()
    repo.write("src/shop.py", "PRICE = 1\n")
    assert "No source folder was found" not in _init(repo).out


def test_a_flat_repository_goes_through_the_gate(tmp_path: Path) -> None:
    repo = _flat(tmp_path)
    _init(repo, "--binding", "--verdict")
    repo.stage_all()
    assert repo.rules() == []
    repo.commit()
    files = good_project()
    for path, content in files.items():
        if not path.startswith(("src/", "tests/freezes/", "catalog/", "freezes/")):
            repo.write(path, content)
    repo.write("shop/orders.py", files["src/orders.py"])
    repo.stage_all()
    # The config that init wrote demands the digest of each predicate.
    assert repo.rules() == [("tests/properties/order_total.scope.yaml", "scope-schema")]
    repo.remove("tests/bindings/order_total.non_negative.json")
    repo.remove("tests/bindings/order_total.non_negative.cex.json")
    repo.stage_all()
    assert repo.run("lock").code == 0
    repo.stage_all()
    assert repo.rules() == []
    repo.commit()
    # The packages are source: an edit beside a dropped property is seen.
    repo.write("shop/orders.py", "def total_cents(qty, unit_cents):\n    return 0\n")
    repo.remove("tests/properties/order_total.scope.yaml")
    repo.remove("tests/properties/order_total.py")
    repo.stage_all()
    assert [rule for _, rule in repo.rules()] == ["property-removed"]


def test_links_and_files_in_the_way_are_named_and_left(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    repo.link("tests/properties", str(outside))
    repo.write("tests/bindings", "a file\n")
    said = _init(repo).out
    assert "tests/properties is, or lies behind, a link" in said
    assert "tests/bindings is, or lies behind, a file" in said
    assert list(outside.iterdir()) == []
    repo.remove("tests")
    repo.link("tests", str(outside))
    assert "tests/freezes is, or lies behind, a link" in _init(repo).out
    assert list(outside.iterdir()) == []


def test_ignored_folders_are_named(repo: Repo) -> None:
    repo.write(".gitignore", "bindings/\n")
    assert "git ignores tests/bindings/.gitkeep" in _init(repo).out


def test_it_works_from_below_and_names_paths_from_there(repo: Repo) -> None:
    said = _init(repo, cwd=repo.path / "src").out
    assert repo.at(".freezegate.yaml").exists()
    line = next(line for line in said.splitlines() if line.startswith("  git add"))
    assert " ../.freezegate.yaml " in line
    repo.git("add", "--", *(f"src/{word}" for word in line.split()[3:]))
    assert len(repo.git("ls-files", "-z").split(b"\0")) == 7


@pytest.mark.parametrize(
    "name", ["a b", "new\nline", "-dash", ":colon", "q'uote\"", "\u00e9t\u00e9", os.fsdecode(b"\xe9")]
)
def test_folders_with_odd_names(tmp_path: Path, name: str) -> None:
    repo = Repo(tmp_path / name)
    repo.write("shop/__init__.py", "")
    repo.write("tests/fixtures/x.bin", b"\0")
    said = _init(repo).out
    assert len(said.splitlines()[0].split("setting up")) == 2
    assert _config(repo) == b"policy:\n  require_predicate_digest: true\n  framing: sized\nlayout:\n  source: [shop]\n"


def test_linked_worktrees_and_sha256(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r", sha256=True)
    repo.write("src/a.py", "")
    repo.commit_all()
    repo.git("worktree", "add", "-q", str(tmp_path / "w"))
    linked = Repo(tmp_path / "w", create=False)
    _init(linked)
    assert linked.at(".freezegate.yaml").exists()
    assert not repo.at(".freezegate.yaml").exists()


def test_no_working_tree_no_set_up(tmp_path: Path) -> None:
    bare = Repo(tmp_path / "bare.git", bare=True)
    done = bare.run("init")
    assert done.code == 2
    assert "bare" in done.err
    nowhere = Repo(tmp_path / "nowhere", create=False)
    nowhere.path.mkdir()
    done = nowhere.run("init", env={"GIT_CEILING_DIRECTORIES": str(tmp_path)})
    assert done.code == 2
    assert "no git repository" in done.err
    assert "hint: git init" in done.err
    assert list(nowhere.path.iterdir()) == []


def test_a_broken_git_config_is_told_without_a_traceback(repo: Repo) -> None:
    repo.write(".git/config", "[core\nbare = ???\n")
    done = repo.run("init", env=environment())
    assert done.code == 2
    assert "Traceback" not in done.err
    assert done.err.startswith("freezegate: error: ")


def _entry(repo: Repo) -> tuple[str, str]:
    (entry,) = yaml.safe_load(repo.at(".pre-commit-config.yaml").read_bytes())["repos"]
    return entry["repo"], entry["rev"]


@pytest.mark.parametrize(
    ("url", "rev"),
    [
        ("https://example.org/freezegate.git", "v9.1"),
        ("git@example.org:a/freezegate", "0123456789" * 4),
        ("../a clone/of: it's #1", "1e5"),
        ("\u00e9t\u00e9", "12_3"),
        ("on", "release/2.0:"),
    ],
)
def test_the_copy_that_is_trusted_is_named(repo: Repo, url: str, rev: str) -> None:
    said = _init(repo, "--repo", url, "--rev", rev).out
    assert _entry(repo) == (url, rev)
    assert url in said and rev in said and "copy of freezegate that you trust" in said


def test_address_and_tag_of_the_release_are_said_to_be_checked(repo: Repo) -> None:
    said = _init(repo).out
    assert "copy of freezegate that you trust" in said and "https://github.com/freezegate/freezegate" in said
    assert "trust" not in _init(repo).out


def test_a_configuration_that_is_there_is_not_pointed_elsewhere(repo: Repo) -> None:
    repo.write(".pre-commit-config.yaml", "repos: []\n")
    assert "repo: https://example.org/x" in _init(repo, "--repo", "https://example.org/x").out
    repo.remove(".pre-commit-config.yaml")
    _init(repo)
    assert "set repo and rev by hand" in _init(repo, "--rev", "v9.1").out
    assert _entry(repo)[1] == f"v{__version__}"
    assert "by hand" not in _init(repo, "--rev", f"v{__version__}").out


@pytest.mark.parametrize("words", [("--repo", ""), ("--rev", "a\nb"), ("--rev", "v1", "--no-pre-commit")])
def test_a_copy_that_cannot_be_named_is_refused(repo: Repo, words: tuple[str, ...]) -> None:
    before = _files(repo)
    done = repo.run("init", *words)
    assert done.code == 2 and words[0] in done.err
    assert _files(repo) == before

"""The gate in every kind of repository, index, name and user configuration that git allows."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from building import CITATION, SCOPE, Repo, environment, good_project, rebind, with_files
from freezegate.gate.registry import all_rules
from freezegate.paths import RepoPath
from test_entry_points import ENTRY, MIXED, mix, project

SOURCE = "src/orders.py"

pytestmark = pytest.mark.slow  # real git in many kinds of repositories


def plain(repo: Repo) -> None:
    """An index as git makes it."""


def version_4(repo: Repo) -> None:
    """Names compressed in the index."""
    repo.git("update-index", "--index-version", "4")
    assert repo.at(".git/index").read_bytes()[4:8] == b"\0\0\0\4"


def split(repo: Repo) -> None:
    """Most of the index in a file of its own."""
    repo.git("update-index", "--split-index")
    assert list(repo.at(".git").glob("sharedindex.*"))


def sparse(repo: Repo) -> None:
    """Folders outside the working tree as one entry each."""
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "src", "catalog")
    assert not repo.at("tests").exists()
    assert b"\ntests/\n" in b"\n" + repo.git("ls-files", "--sparse")


INDEXES = (plain, version_4, split, sparse)


KINDS = [
    # Every index and every object format in the quick loop; every pair of them in the slow one.
    pytest.param(index, sha256, id=f"{index.__name__}-{'sha256' if sha256 else 'sha1'}",
                 marks=[pytest.mark.slow] if sha256 == (index in (version_4, sparse)) else [])
    for index in INDEXES
    for sha256 in (False, True)
]  # fmt: skip


@pytest.mark.parametrize(("index", "sha256"), KINDS)
def test_a_commit_in_every_kind_of_index(tmp_path: Path, index: Callable[[Repo], None], sha256: bool) -> None:
    repo = project(tmp_path / "r", sha256=sha256)
    index(repo)
    repo.write("catalog/later.yaml", "no property")
    repo.git("add", "-N", "catalog/later.yaml")
    mix(repo)
    before = repo.at(".git/index").read_bytes()
    assert repo.rules() == [MIXED]
    assert repo.at(".git/index").read_bytes() == before
    assert b"catalog/later.yaml" in repo.git("ls-files")
    repo.git("reset", "-q", "--", "catalog/later.yaml")
    repo.commit("mixed")
    assert repo.rules("--base", "HEAD~1") == [MIXED]
    assert repo.check_json()["mode"] == "all"
    assert repo.git("fsck", "--strict", "--no-dangling") == b""


@pytest.mark.slow
@pytest.mark.parametrize("sha256", [False, True], ids=["sha1", "sha256"])
@pytest.mark.parametrize("index", INDEXES, ids=lambda index: index.__name__)
def test_deletions_renames_and_types_in_every_kind_of_index(
    tmp_path: Path, index: Callable[[Repo], None], sha256: bool
) -> None:
    repo = project(tmp_path / "r", sha256=sha256)
    index(repo)
    blob = repo.git("hash-object", "-w", "--stdin", input=b"elsewhere").decode().strip()
    steps: list[tuple[Callable[[], object], list[tuple[str, str]]]] = [
        (lambda: repo.git("rm", "-q", "--cached", "--sparse", CITATION), []),
        (lambda: repo.git("rm", "-q", "--cached", "--sparse", "catalog/claimed.json"), [(ENTRY, "claimed-empty")]),
        (lambda: repo.stage_entry(ENTRY, "120000", blob), [
            ("catalog/claimed.json", "claimed-unknown"), (ENTRY, "layout-kind")]),
        (lambda: repo.git("update-index", "--chmod=+x", SOURCE), []),
        (lambda: repo.stage_entry("catalog/x.yaml", "160000", repo.head()), [("catalog/x.yaml", "layout-kind")]),
    ]  # fmt: skip
    for step, expected in steps:
        step()
        assert repo.check_json()["mode"] == "commit"
        assert repo.rules() == expected
        before = repo.head()
        repo.commit("step")
        assert repo.rules("--from-ref", before, "--to-ref", "HEAD") == expected
        repo.git("reset", "-q", "--soft", before)
        repo.git("read-tree", before)


NAMES = {
    "newline": b"a\nb",
    "tab": b"a\tb",
    "quotes": b"a\"b'c",
    "backslash": b"a\\b",
    "spaces": b" a b ",
    "leading-dash": b"-rf",
    "leading-colon": b":(top)a",
    "glob": b"*?[a]",
    "latin-1": b"caf\xe9",
    "nfc": "caf\u00e9".encode(),
    "nfd": "cafe\u0301".encode(),
    "escape": b"a\x1b[31mb",
    "bidirectional": "a\u202eb".encode(),
    "workflow-command": b"::error::a",
    "arrow": b"a => b",
    "dollar": b"$(touch x)",
    "long": b"x" * 200,
}


def test_every_name_is_judged_and_shown_safely(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    blob = repo.blob(b"x")
    for name in NAMES.values():
        for folder in (b"docs/", b"src/"):
            repo.stage_entry(folder + name, "100644", blob)
    assert repo.rules() == []
    for name in NAMES.values():
        repo.stage_entry(b"tests/bindings/" + name, "100644", blob)
    paths = sorted(RepoPath(b"tests/bindings/" + name) for name in NAMES.values())
    strange = [(str(path), "layout-kind") for path in paths]
    folder = b"tests/bindings/"
    twins = (str(RepoPath(folder + max(NAMES["nfc"], NAMES["nfd"]))), "scope-id-duplicate")
    done = repo.check()
    assert done.code == 1
    assert all(char.isprintable() for char in done.out.replace("\n", ""))
    assert "::error" not in done.out
    lines = [line for line in done.out.splitlines() if not line.startswith("    hint: ")][:-1]
    for path, rule in strange:
        assert [line for line in lines if line.startswith(f"{path}:1:1: {rule}: ")]
    found = repo.rules()
    assert sorted(found) == sorted([*strange, twins])
    assert repo.rules("--all-files") == found
    repo.commit("strange")
    assert repo.rules("--base", "HEAD~1") == found


def test_the_hint_for_a_strange_name_mends_it(tmp_path: Path) -> None:

    repo = project(tmp_path / "r")
    blob = repo.blob(b"x")
    for name in NAMES.values():
        repo.stage_entry(b"tests/bindings/" + name, "100644", blob)
    hints = [row["hint"] for row in repo.check_json()["findings"] if row["rule"] == "layout-kind"]
    assert len(hints) == len(NAMES)
    for hint in hints:
        subprocess.run(["bash", "-c", hint], cwd=repo.path, env=environment(), check=True, capture_output=True)
    assert repo.git("diff", "--cached", "--name-only") == b""
    assert not repo.at("x").exists()


def test_twins_after_normalization_collide(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    for name in (NAMES["nfc"], NAMES["nfd"]):
        repo.stage_entry(b"fixtures/" + name, "100644", repo.blob(b"x"))
    assert ("scope-id-duplicate") in {rule for _, rule in repo.rules()}


# -- the user's configuration


def many_scopes(path: Path) -> Repo:
    """So many scopes that a small change is narrowed by searching with git."""
    files = dict(good_project())
    functions = []
    for number in range(210):
        functions.append(f"def test_{number}(case):\n    assert case\n")
        files[f"tests/fixtures/gen_{number}.py"] = b"def generate(domain, rng):\n    return {}\n"
        files[f"tests/properties/s{number}.scope.yaml"] = (
            f"scope_id: many.n{number}\npredicate: tests/properties/many.py:test_{number}\ndomain: {{}}\n"
            f"generator: tests/fixtures/gen_{number}.py\nseed_lock: tests/fixtures/order_total.lock\n"
            "schema_version: 3\n"
        ).encode()
    files["tests/properties/many.py"] = "\n\n".join(functions).encode()
    case = files["tests/bindings/order_total.non_negative.cex.json"].replace(b"order_total.non_negative", b"many.n7")
    files["tests/bindings/many.n7.cex.json"] = case
    files["tests/bindings/many.n7.json"] = b""
    repo = with_files(Repo(path), rebind(files))
    repo.commit("base")
    return repo


CONFIGURATIONS = {
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.relative": "true",
    "diff.renames": "copies",
    "diff.external": "false",
    "diff.orderFile": "order",
    "diff.ignoreSubmodules": "all",
    "diff.submodule": "log",
    "diff.wordRegex": "x",
    "color.ui": "always",
    "color.diff": "always",
    "color.grep": "always",
    "core.quotePath": "false",
    "core.fsmonitor": "false-monitor",
    "core.abbrev": "4",
    "core.ignoreCase": "true",
    "core.precomposeUnicode": "true",
    "core.pager": "false",
    "core.attributesFile": "attributes",
    "core.autocrlf": "true",
    "grep.patternType": "perl",
    "grep.fallbackToNoIndex": "true",
    "grep.lineNumber": "true",
    "grep.column": "true",
    "grep.fullName": "true",
    "submodule.recurse": "true",
    "submodule.vendor.ignore": "all",
    "index.sparse": "true",
    "log.showSignature": "true",
    "status.relativePaths": "true",
}
VARIABLES = {
    "GIT_EXTERNAL_DIFF": "false",
    "GIT_DIFF_OPTS": "-u0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ICASE_PATHSPECS": "1",
    "GIT_NOGLOB_PATHSPECS": "1",
    "GIT_PAGER": "false",
    "GIT_FLUSH": "0",
    "LC_ALL": "de_DE.UTF-8",
    "CLICOLOR_FORCE": "1",
}


def test_user_configuration_changes_nothing(tmp_path: Path) -> None:
    """All of it together, then, where that went wrong, one by one to say which."""
    repo = many_scopes(tmp_path / "r")
    repo.stage_entry("vendor", "160000", repo.head())
    repo.commit("a submodule")
    repo.write("order", "tests\n")
    repo.write("attributes", "*.py diff=external filter=none\n")
    generator = "tests/fixtures/gen_7.py"
    repo.write(generator, repo.at(generator).read_bytes() + b"# more\n")
    repo.add(generator)
    repo.stage_entry("props/sub", "160000", repo.head())
    expected = repo.check_json()
    assert [(row["path"], row["rule"]) for row in expected["findings"]] == [
        ("tests/bindings/many.n7.json", "digest-mismatch")
    ]
    assert expected["checked"]["scope"] == 1
    for name, value in CONFIGURATIONS.items():
        repo.git("config", name, value)
    inside = repo.at("tests/fixtures")
    for folder in (None, inside):
        done = repo.check("--format", "json", env=VARIABLES, cwd=folder)
        assert done.out == repo.check("--format", "json", env=VARIABLES).out
        assert '"digest-mismatch"' in done.out and '"layout-kind"' not in done.out, done
    assert repo.check_json(env=VARIABLES) == expected
    repo.commit("step")
    assert repo.check_json("--base", "HEAD~1", env=VARIABLES)["findings"] == expected["findings"]


@pytest.mark.parametrize(
    ("where", "config"), [(".", None), ("src", b"policy: {stale: fail}\n"), ("docs", b"layout: {source: [src]}\n")]
)
def test_the_quick_way_out_knows_every_input_wherever_it_is_called(
    tmp_path: Path, where: str, config: bytes | None
) -> None:
    """What it keeps of one call serves the next: neither folder nor colours may spoil it."""
    files = {**good_project(), "docs/table.txt": b"1\n", "docs/other.txt": b"1\n"}
    files[SCOPE] += b"inputs: [docs/table.txt]\n"
    if config is not None:
        files[".freezegate.yaml"] = config
    repo = with_files(Repo(tmp_path / "r"), rebind(files))
    repo.commit("base")
    repo.git("config", "color.ui", "always")
    repo.write("docs/other.txt", "2\n")
    repo.add("docs/other.txt")
    assert "NO DOCUMENTS" in repo.check(cwd=repo.at(where)).out
    assert repo.at(".git/freezegate-sieve").exists()
    repo.write("docs/table.txt", "2\n")
    repo.add("docs/table.txt")
    for folder in (".", where):
        assert "digest-mismatch" in repo.check(cwd=repo.at(folder)).out


def test_the_quick_way_out_sees_a_source_folder_become_a_package(tmp_path: Path) -> None:
    """Then the folder above it is searched for imports too, and a predicate may import other files than before."""
    files = {**good_project(), "lib/shop/orders.py": b"A = 1\n", "lib/tax.py": b"A = 1\n"}
    files[".freezegate.yaml"] = b"layout: {source: [src, lib/shop]}\n"
    files["tests/properties/order_total.py"] += b"import tax\n"
    repo = with_files(Repo(tmp_path / "r"), files)
    repo.commit("base")
    repo.write("lib/shop/more.py", "A = 1\n")
    repo.add("lib/shop/more.py")
    assert "NO DOCUMENTS" in repo.check().out
    repo.write("lib/shop/__init__.py", "")
    repo.add("lib/shop/__init__.py")
    assert "lib/tax.py changed" in repo.check().out


def test_a_spoiled_list_of_inputs_is_no_obstacle(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    repo.write("docs/a.md", "1\n")
    repo.add("docs/a.md")
    assert repo.check().code == 0
    kept = repo.at(".git/freezegate-sieve")
    kept.write_bytes(kept.read_bytes().split(b"\n")[0] + b"\nnonsense\n.")
    assert repo.check().code == 0


def test_a_replacement_object_deceives_nobody(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    mix(repo)
    honest = repo.git("show", f"HEAD:{ENTRY}")
    repo.git("replace", repo.resolve(f":{ENTRY}"), repo.blob(honest))
    assert repo.rules() == [MIXED]
    repo.commit("mixed")
    repo.git("replace", repo.head(), repo.resolve("HEAD~1"))
    assert repo.rules("--from-ref", "main~1", "--to-ref", "refs/heads/main") == [MIXED]


def test_working_tree_conversions_change_nothing(tmp_path: Path) -> None:
    repo = project(tmp_path / "r")
    repo.write(".git/info/attributes", "* text eol=crlf working-tree-encoding=UTF-16 ident filter=other\n")
    repo.git("config", "filter.other.clean", "cat")
    repo.git("config", "filter.other.smudge", "sed s/a/b/")
    repo.git("checkout", "-q", "-f", "HEAD", "--", ".")
    assert repo.rules("--all-files") == []


# -- one engine


CHANGE_RULES = {name for name, rule in all_rules().items() if rule.change}
Step = Callable[[dict[str, bytes]], dict[str, bytes]]


def appending(path: str, text: bytes) -> Step:
    return lambda files: {**files, path: files[path] + text} if path in files else files


def without(path: str) -> Step:
    return lambda files: {name: content for name, content in files.items() if name != path}


def writing(path: str, content: bytes) -> Step:
    return lambda files: {**files, path: content}


def moving(before: str, after: str) -> Step:
    return lambda files: {**without(before)(files), after: files[before]} if before in files else files


STEPS: list[Step] = [
    appending(SOURCE, b"X = 1\n"),
    appending(ENTRY, b"# more\n"),
    appending("props/order_total.py", b"# more\n"),
    appending("tests/properties/amounts.py", b"MORE = 1\n"),
    appending("tests/properties/order_total.scope.yaml", b"# more\n"),
    appending("tests/fixtures/gen_orders.py", b"# more\n"),
    appending("fixtures/orders.json", b" "),
    writing("fixtures/zero", b"\0"),
    writing("tests/bindings/notes.txt", b"x"),
    writing("tests/properties/amounts/__init__.py", b""),
    writing("freezes/ledger.json", b"[{}]"),
    writing("docs/base.sig.json", b"[]"),
    writing(".pre-commit-config.yaml", b"repos: [{repo: freezegate}]\n"),
    writing("Catalog/x", b""),
    without(CITATION),
    without("tests/bindings/order_total.non_negative.cex.json"),
    without("tests/fixtures/order_total.lock"),
    moving(ENTRY, "catalog/moved.yaml"),
    moving("tests/properties/order_total.scope.yaml", "tests/properties/moved.scope.yaml"),
    moving("tests/properties/amounts.py", "tests/fixtures/amounts.py"),
    rebind,
]


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(history=st.lists(st.lists(st.sampled_from(range(len(STEPS))), min_size=1, max_size=3), min_size=1, max_size=4))
def test_commit_range_and_whole_tree_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, history: list[list[int]]
) -> None:
    """A step gives one set of findings as commit and as range; from a clean tree, that of its new tree alone."""
    repo = project(tmp_path_factory.mktemp("history") / "r")
    files, clean = dict(good_project()), True
    for chosen in history:
        for number in chosen:
            files = STEPS[number](files)
        with_files(repo, files)
        staged = repo.check_json() if repo.git("diff", "--cached", "--raw") else None
        before = repo.head()
        repo.commit("step")
        step = repo.check_json("--from-ref", before, "--to-ref", "HEAD")
        alone = repo.check_json("--all-files")
        if staged is not None:
            assert staged["findings"] == step["findings"]
            assert staged["checked"] == step["checked"]
        if clean:
            assert state(alone) == state(step)
        assert not [row for row in alone["findings"] if row["rule"] in CHANGE_RULES]
        clean = not alone["findings"]


def state(report: dict[str, list[dict[str, object]]]) -> list[dict[str, object]]:
    """The findings of the rules about the tree itself."""
    return [
        row
        for row in report["findings"]
        if row["rule"] not in CHANGE_RULES and not str(row["message"]).endswith("did not change with it")
    ]

"""The same two projects under the verdict half: a catalog of ten of their own tests each, and edits that break them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from building import Completed, Repo
from real.projects import HYPERLINK, NATSORT, Project

LEDGER = "freezes/ledger.json"
CLAIMED = "catalog/claimed.json"
FIXTURES = {"fixtures/names.json": '["a2", "a10", "a1"]\n'}


@dataclass(frozen=True)
class Break:
    """An edit of the source that one property of the catalog sees: the file, what goes, what comes, the property."""

    path: str
    before: str
    after: str
    seen_by: str


@dataclass(frozen=True)
class Catalog:
    """Ten tests of a project, by the last part of the property's id: the pytest node, and what it claims."""

    project: Project
    layout: dict[str, Any]
    nodes: dict[str, tuple[str, str]]
    drawn: frozenset[str]  # those that Hypothesis gives their cases
    example: Break  # seen by one of those
    plain: Break  # seen by another
    steady: str  # a property of another test file than those two
    conftest: str  # one that pytest reads for all the tests, there or not
    settings: str  # a file in which pytest finds settings
    other_settings: tuple[str, str, str]  # an edit of such a file that is not about pytest

    def id(self, name: str) -> str:
        """The property's id."""
        return f"{self.project.name}.{name}"

    @property
    def ids(self) -> set[str]:
        """Of all properties."""
        return set(map(self.id, self.nodes))

    def test_file(self, name: str) -> str:
        """The file that a property's test is in."""
        return self.nodes[name][0].partition("::")[0]


_NUMBERS, _UTILS = "tests/test_fake_fastnumbers.py", "tests/test_utils.py"
_STRATEGIES = "src/hyperlink/test/test_hypothesis.py::TestHypothesisStrategies"
_URLS, _DECODED = "src/hyperlink/test/test_url.py::TestURL", "src/hyperlink/test/test_decoded_url.py::TestURL"
CATALOGS = (
    Catalog(
        project=NATSORT,
        layout={
            "source": ["natsort"],
            "oracles": "tests",
            # No place of the other half may lie in the tests' folder, though that half is off.
            "properties": "scopes/predicates",
            "generators": "scopes/generators",
            "seed_lock": "scopes/generators/seeds.lock",
            "bindings": "scopes/bindings",
            "freezes": "scopes/freezes",
        },
        nodes={
            "int_text": (
                f"{_NUMBERS}::test_fast_int_converts_int_string_to_int",
                "the text of an integer is read as that integer",
            ),
            "float_text": (
                f"{_NUMBERS}::test_fast_float_converts_float_string_to_float",
                "the text of a float is read as that float",
            ),
            "other_text": (f"{_NUMBERS}::test_fast_int_leaves_string_as_is", "text that is no integer is left alone"),
            "letter_pairs": (
                f"{_UTILS}::test_groupletters_gives_letters_with_lowercase_letter_transform",
                "each letter follows its lower case form",
            ),
            "separators": (
                f"{_UTILS}::test_sep_inserter_inserts_separator_between_two_numbers",
                "a separator stands between two numbers only",
            ),
            "path_parts": (
                f"{_UTILS}::test_path_splitter_splits_path_string_by_sep",
                "a path is split as pathlib splits it",
            ),
            "dots": (f"{_UTILS}::test_path_splitter_handles_dot_properly", "the path of one dot is kept"),
            "letter_case": (
                "tests/test_input_string_transform_factory.py::test_input_string_transform_factory",
                "options change the case of letters as they say",
            ),
            "versions": (
                "tests/test_natsorted.py::test_natsorted_can_sort_as_version_numbers",
                "version numbers are sorted part by part",
            ),
            "presort": (
                "tests/test_natsorted.py::test_natsort_sorts_consistently_with_presort",
                "with PRESORT the order of the input does not matter",
            ),
        },
        drawn=frozenset(
            ("int_text", "float_text", "other_text", "letter_pairs", "separators", "path_parts", "letter_case")
        ),
        example=Break("natsort/compat/fake_fastnumbers.py", "return int(x)", "return int(x[:12])", "int_text"),
        plain=Break("natsort/utils.py", "base = str(s)", 'base = ""', "dots"),
        steady="versions",
        conftest="tests/conftest.py",
        settings="pytest.ini",
        other_settings=("setup.cfg", "max-complexity = 10", "max-complexity = 11"),
    ),
    Catalog(
        project=HYPERLINK,
        # The tests are a folder of the package, and two places may not overlap.
        layout={
            "source": [f"src/hyperlink/{name}.py" for name in ("__init__", "_socket", "_url", "hypothesis")],
            "oracles": "src/hyperlink/test",
        },
        nodes={
            "ports": (f"{_STRATEGIES}::test_port_numbers_bounds", "drawn ports are from 1 to 65535"),
            "ports_or_zero": (
                f"{_STRATEGIES}::test_port_numbers_bounds_allow_zero",
                "drawn ports are from 0 to 65535 where zero is allowed",
            ),
            "label_sizes": (f"{_STRATEGIES}::test_idna_text_min_max", "labels without a character are refused"),
            "long_labels": (
                f"{_STRATEGIES}::test_hostname_labels_long_idn_punycode",
                "labels that are too long when they are encoded are cut",
            ),
            "round_trip": (f"{_URLS}::test_roundtrip", "the text of a URL is that it was read from"),
            "click": (f"{_URLS}::test_clickRFC3986", "links are resolved as the examples of RFC 3986"),
            "query_remove": (f"{_URLS}::test_queryRemove", "a query parameter is removed by name, value and number"),
            "invalid_port": (f"{_URLS}::test_invalid_port", "a port that is no number is refused"),
            "percent": (f"{_DECODED}::test_percent_decode_mixed", "only what is text in UTF-8 is decoded"),
            "replace": (f"{_DECODED}::test_replace_roundtrip", "replacing each part by itself changes nothing"),
        },
        drawn=frozenset(("ports", "ports_or_zero", "label_sizes", "long_labels")),
        example=Break("src/hyperlink/hypothesis.py", "min_value = 1\n", "min_value = 0\n", "ports"),
        plain=Break("src/hyperlink/_url.py", 'segs.append(u"")', "pass", "click"),
        steady="replace",
        conftest="conftest.py",
        settings="pytest.ini",
        other_settings=("tox.ini", "max-line-length = 80", "max-line-length = 90"),
    ),
)


class Judged:
    """A repository of such a project, with its catalog on `main` and the branch `patch` checked out."""

    def __init__(self, catalog: Catalog, repo: Repo, python: str) -> None:
        self.catalog = catalog
        self.repo = repo
        self.python = python

    def adopt(self) -> None:
        """Commit what was released, then catalog, claims and fixtures."""
        self.repo.commit_all("as released")
        self.repo.write(".freezegate.yaml", yaml.safe_dump({"layout": self.catalog.layout}))
        for name, (node, claim) in self.catalog.nodes.items():
            entry = {"id": self.catalog.id(name), "oracle": node, "claim": claim, "mutates_fixture": False}
            self.repo.write(f"catalog/{name}.yaml", yaml.safe_dump(entry, sort_keys=False))
        for path, text in FIXTURES.items():
            self.repo.write(path, text)
        self.claim(self.catalog.nodes)
        self.repo.commit_all("Adopt")

    def claim(self, names: Iterable[str]) -> None:
        self.repo.write(CLAIMED, json.dumps([self.catalog.id(name) for name in names], indent=2) + "\n")

    def branch(self, *edits: Break) -> None:
        """Commit what is there and the edits as base, and begin the change."""
        for edit in edits:
            self.apply(edit)
        self.repo.commit_all("base")
        self.repo.git("checkout", "-q", "-b", "patch")

    def apply(self, edit: Break) -> None:
        self.replace(edit.path, edit.before, edit.after)

    def replace(self, path: str, before: str, after: str) -> None:
        """Replace the first such text in a file, which must hold it."""
        text = self.repo.at(path).read_text(encoding="utf-8")
        assert before in text, f"no {before!r} in {path}"
        self.repo.write(path, text.replace(before, after, 1))

    def harmless(self) -> None:
        """Source that does more, and settings that pytest does not read."""
        self.replace(self.catalog.project.source, "import ", "import sys\nimport ")
        self.replace(*self.catalog.other_settings)

    def mark(self, name: str, mark: str) -> None:
        """Put a mark of pytest on a property's test."""
        path = self.catalog.test_file(name)
        function = self.catalog.nodes[name][0].rpartition("::")[2]
        text = self.repo.at(path).read_text(encoding="utf-8")
        marked = rf"\1@pytest.mark.{mark}\n\1\2"
        text, count = re.subn(rf"^([ ]*)((?:@.*\n[ ]*)?def {function}\()", marked, text, flags=re.MULTILINE)
        assert count == 1
        # Behind the imports from the future, which have to be the first.
        first = re.compile(r"^(?=import |from (?!__future__))", re.MULTILINE)
        self.repo.write(path, first.sub("import pytest\n", text, count=1))

    def reproduced(self, name: str, folder: Path, attempts: int = 1) -> tuple[str, list[dict[str, str]]]:
        """What ``reproduce`` says of one property on main, and the records that it writes."""
        digest = self.repo.run("fixture-lock", "fixtures", "--rev", "main").out.strip()
        out = folder / "base.sig.json"
        words = ["--revision", "main", "--digest", digest, "--only-id", self.catalog.id(name), "--out", str(out)]
        done = self.repo.run("reproduce", *words, "--attempts", str(attempts), "--python", self.python)
        assert done.code == 0, done
        rows: list[dict[str, str]] = json.loads(out.read_bytes())
        return done.out, rows

    def freeze(self, rows: Sequence[dict[str, str]]) -> None:
        """Write these records as the ledger."""
        self.repo.write(LEDGER, json.dumps(rows, indent=2) + "\n")

    def verdict(self, folder: Path, attempts: int = 1) -> tuple[Completed, dict[str, Any]]:
        """Commit the change; what ``verdict`` does against main, and the verdicts that it archives."""
        self.repo.commit_all("patch")
        run = folder / "run"
        words = ["--base", "main", "--run-dir", str(run), "--attempts", str(attempts), "--python", self.python]
        done = self.repo.run("verdict", *words)
        assert (run / "verdicts.json").exists(), done
        verdicts: dict[str, Any] = json.loads((run / "verdicts.json").read_bytes())
        return done, verdicts

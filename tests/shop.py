"""A small shop under the verdict half: two properties, of which one fails on the base revision already."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from building import Completed, Repo

FILES = {
    "src/orders.py": """\
def total(lines):
    return sum(qty * cents for qty, cents in lines if qty)


def tax(cents):
    return (cents * 19 + 50) // 100
""",
    "props/order_total.py": """\
from orders import total


def check_total(case):
    assert total(case["lines"]) == case["total"]
""",
    "props/tax_round.py": """\
from orders import tax


def check_tax(case):
    assert tax(int(case["cents"])) == int(case["tax"])
""",
    "fixtures/orders.json": '[{"lines": [[2, 150]], "total": 300},\n {"lines": [[0, 100]], "total": 100}]\n',
    "fixtures/tax.csv": "cents,tax\n100,19\n103,20\n",
    "catalog/order_total.yaml": """\
id: prop.order_total
oracle: props/order_total.py
claim: sum(lines) == total for every fixture row
mutates_fixture: false
cases: orders.json
""",
    "catalog/tax_round.yaml": """\
id: prop.tax_round
oracle: props/tax_round.py:check_tax
claim: tax is rounded to the nearest cent
mutates_fixture: false
cases: "*.csv"
""",
    "catalog/claimed.json": '["prop.order_total", "prop.tax_round"]\n',
}
LEDGER = "freezes/ledger.json"


class Shop(Repo):
    """The repository, with its base commit on the branch `main` and a branch `patch` checked out."""

    def __init__(self, path: Path, **changes: str | None) -> None:
        super().__init__(path)
        self.runs = 0
        for name, text in FILES.items():
            self.write(name, text)
        self.edit(**changes)
        self.base = self.commit_all("base")
        self.git("checkout", "-q", "-b", "patch")

    def edit(self, **changes: str | None) -> None:
        """Write files by the last part of their names, dots as `_`; None removes one."""
        for name, text in changes.items():
            path = next(path for path in FILES if Path(path).name.replace(".", "_") == name)
            if text is None:
                self.remove(path)
            else:
                self.write(path, text)

    def patch(self, **changes: str | None) -> str:
        """Commit a change on the branch."""
        self.edit(**changes)
        return self.commit_all("patch")

    def freeze(self, *rows: dict[str, str]) -> None:
        """Write these entries as the ledger."""
        self.write(LEDGER, json.dumps(list(rows), indent=2) + "\n")

    def reproduced(self, revision: str = "main") -> list[dict[str, str]]:
        """The four-field records that a revision gives."""
        digest = self.run("fixture-lock", "fixtures", "--rev", revision).out.strip()
        self.runs += 1
        out = self.path.parent / f"base-{self.runs}.sig.json"
        done = self.run("reproduce", "--revision", revision, "--digest", digest, "--attempts", "2", "--out", str(out))
        assert done.code == 0, done.err
        rows: list[dict[str, str]] = json.loads(out.read_text())
        return rows

    def verdict(self, *more: str, env: dict[str, str] | None = None) -> tuple[Completed, Path]:
        """What ``freezegate verdict`` does against main, and the run folder."""
        self.runs += 1
        folder = self.path.parent / f"run-{self.runs}"
        words = ["verdict", "--base", "main", "--run-dir", str(folder), "--attempts", "2", *more]
        return self.run(*words, env=env), folder

    def verdicts(self, *more: str) -> tuple[int, dict[str, tuple[str, str]]]:
        """The exit status, and each property's verdict and reason."""
        done, folder = self.verdict(*more)
        assert (folder / "verdicts.json").exists(), done.err
        rows = evidence(folder, "verdicts")["verdicts"]
        return done.code, {row["prop_id"]: (row["verdict"], row["reason"]) for row in rows}


def evidence(folder: Path, name: str) -> dict[str, Any]:
    """A file of a run folder."""
    value: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    return value

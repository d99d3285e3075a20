"""Properties and verdicts that run, and hold, among noise."""

from __future__ import annotations

from freezegate.gauntlet import project as p
from freezegate.gauntlet.benign.properties import add_tax
from freezegate.gauntlet.cheats.evidence import GATE, typed_runs
from freezegate.gauntlet.model import Topic
from freezegate.gauntlet.work import Work

TOPIC = Topic("runs and verdicts")
_EVAL = ("property-eval", "--scope", p.SCOPE, "--case", p.CASE)
_RUN = ("property-run", "--scope", p.SCOPE)


def _mend(work: Work) -> None:
    work.swap(p.SOURCE, "    return qty * unit_cents\n", "    return max(0, qty * unit_cents)\n")


@TOPIC.benign("property-holds", "The source is mended, and the retained case holds.", layer="run", command=_EVAL)
def _holds(work: Work) -> None:
    _mend(work)


@TOPIC.benign(
    "property-holds-everywhere", "The source is mended, and a search finds nothing.", layer="run", command=_RUN
)
def _everywhere(work: Work) -> None:
    _mend(work)


@TOPIC.benign(
    "noisy-predicate",
    "The predicate prints, warns, starts a thread and writes into its temporary folder.",
    layer="run",
    command=_EVAL,
)
def _noisy(work: Work) -> None:
    _mend(work)
    body = "    print('x' * 10_000)\n    threading.Thread(target=print).start()\n    tempfile.mkdtemp()\n    warnings.warn('x')\n"
    work.put(
        p.PREDICATE,
        "import tempfile\nimport threading\nimport warnings\n\n\ndef test_total_non_negative(case):\n" + body,
    )


@TOPIC.benign("predicate-returns-true", "The predicate returns True.", layer="run", command=_EVAL)
def _true(work: Work) -> None:
    work.put(p.PREDICATE, "def test_total_non_negative(case):\n    return case['qty'] > 0\n")


@TOPIC.benign(
    "leaked-variables",
    "The caller's environment has git's variables of another repository.",
    layer="run",
    command=_EVAL,
)
def _leaked(work: Work) -> None:
    _mend(work)
    work.variables = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error", "CI": "true", "TZ": "Asia/Tokyo"}


@TOPIC.benign(
    "files-that-agree",
    "Three files by hand, closed.",
    layer="run",
    command=("check-binding", p.CITATION, p.RECORD, p.CASE),
)
def _agree(work: Work) -> None:
    work.append("README.md", "More.\n")


@TOPIC.benign(
    "record-cited", "A closed record is cited with the command for it.", layer="run", command=("cite", p.SCOPE_ID)
)
def _cited(work: Work) -> None:
    work.drop(p.CITATION)
    work.add()


@TOPIC.benign("frozen-failure-promoted", "A source edit beside a frozen failure of the base.", layer="verdict")
def _frozen(work: Work) -> None:
    work.append(p.SOURCE, "\n\ndef gross(cents):\n    return cents + tax(cents)\n")


@TOPIC.benign("frozen-failure-moved", "What fails as on base moves down by some lines.", layer="verdict")
def _moved(work: Work) -> None:
    work.put(p.SOURCE, "# moved\n\n\n" + work.read(p.SOURCE))


@TOPIC.benign("failure-mended", "The frozen failure is mended, and its freeze is needed no more.", layer="verdict")
def _mended(work: Work) -> None:
    work.swap(
        p.SOURCE, "for qty, cents in lines if qty", "for qty, cents in ((qty or 1, cents) for qty, cents in lines)"
    )


@TOPIC.benign("docs-promoted", "A page is edited beside a frozen failure.", layer="verdict")
def _docs(work: Work) -> None:
    work.append("docs/guide.md", "More.\n")


@TOPIC.benign(
    "modules-of-other-names-at-the-root", "A hashlib.py at the root of the repository disturbs nobody.", layer="verdict"
)
def _root(work: Work) -> None:
    work.put("hashlib.py", "import os\n\nos._exit(0)\n")


@TOPIC.benign(
    "property-added-to-the-binding-half", "A new scope beside a frozen failure of the catalog.", layer="verdict"
)
def _scope(work: Work) -> None:
    add_tax(work)


@TOPIC.benign(
    "all-hold",
    "Nothing fails, on base or head.",
    layer="verdict",
    base=lambda work: work.swap(p.ROWS, '"total": 100', '"total": 0'),
)
def _all(work: Work) -> None:
    work.append(p.SOURCE, "\n\nMORE = 1\n")


@TOPIC.benign(
    "runs-that-pass", "The runs of two properties that passed are given to the gate by hand.", layer="run", command=GATE
)
def _typed(work: Work) -> None:
    typed_runs(work)

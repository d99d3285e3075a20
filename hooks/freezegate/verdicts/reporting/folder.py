"""A run folder, read whole."""

from __future__ import annotations

from pathlib import Path

from freezegate.documents import checks
from freezegate.documents.evidence import LARGEST, read_base_signatures, read_runs, read_split, read_verdicts
from freezegate.documents.refusal import Refused
from freezegate.errors import CannotJudge
from freezegate.text import escape
from freezegate.verdicts import reading
from freezegate.verdicts.reporting.table import Evidence

FILES = ("fixture.digest", "oracle_edited.json", "base.sig.json", "runs.json", "verdicts.json")


def read_folder(folder: str) -> Evidence:
    """The evidence of one run. Raises CannotJudge where a file is missing, unreadable, or of another run."""
    root = Path(folder)
    missing = [name for name in FILES if not reading.is_there(root / name)]
    if missing:
        raise CannotJudge(
            f"{escape(folder)} lacks {', '.join(missing)}", "name the folder that `freezegate verdict` filled"
        )
    names = [str(root / name) for name in FILES]
    data = [reading.contents(root / name, LARGEST) for name in FILES]
    digest = _digest(data[0], names[0])
    split = read_split(data[1], names[1])
    base = read_base_signatures(data[2], names[2])
    runs = read_runs(data[3], names[3])
    verdicts = read_verdicts(data[4], names[4])
    header = (verdicts.fixture_digest, verdicts.base_revision, verdicts.head_revision)
    others = {
        FILES[0]: digest == header[0],
        FILES[1]: (split.base, split.head) == header[1:],
        FILES[3]: (runs.fixture_digest, runs.base_revision, runs.head_revision) == header
        and [(row.prop_id, row.status) for row in runs.runs]
        == [(row.prop_id, row.observed) for row in verdicts.verdicts],
    }
    others[FILES[1]] = others[FILES[1]] and all(
        split.voided.get(row.prop_id, ()) == row.voided_by and (row.prop_id in split.voided) == run.oracle_edited
        for row, run in zip(verdicts.verdicts, runs.runs, strict=False)
    )
    emitted = {each.fields for each in base}
    others[FILES[2]] = all(
        row.signature is not None and (row.prop_id, row.signature, *header[:2]) in emitted
        for row in verdicts.verdicts
        if row.verdict == "inconclusive"
    )
    others[FILES[3]] = others[FILES[3]] and all(
        row.signature == run.signature for row, run in zip(verdicts.verdicts, runs.runs, strict=False)
    )
    foreign = [name for name, same in others.items() if not same]
    if foreign:
        raise CannotJudge(
            f"{escape(folder)}: {', '.join(foreign)} and verdicts.json are not of one run", "run the verdict once more"
        )
    return Evidence(verdicts, runs, split, base)


def _digest(data: bytes, name: str) -> str:
    try:
        return checks.digest(data.decode("ascii", "backslashreplace").removesuffix("\n"), ())
    except Refused as refusal:
        raise CannotJudge(f"{escape(name)}: {refusal.message}", "evidence is made anew, not mended") from None

"""Runs cases: each in a folder of its own, made from one prepared repository, judged as its layer judges."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from freezegate.errors import CannotJudge
from freezegate.gauntlet import project
from freezegate.gauntlet.model import PASS, Case, Layer, Outcome, Result
from freezegate.gauntlet.work import Work

_FINDING = re.compile(r"^\s*.+?:\d+:\d+: ([a-z-]+): ", re.MULTILINE)
_LONGEST = 2000  # characters of an answer that are kept


# Whether the layer let the patch in, what it named (rules, reasons, ``exit N``), and its words.
Seen = tuple[bool, frozenset[str], str]


class Gauntlet:
    """The prepared repositories, and where cases are built; `keep` is a folder that is left for a look."""

    def __init__(self, keep: str | None = None) -> None:
        self._kept = keep is not None
        if keep is None:
            self._top = Path(tempfile.mkdtemp(prefix="freezegate-gauntlet-")).resolve()
        else:
            self._top = Path(keep).resolve()
            if self._top.exists() and (not self._top.is_dir() or any(self._top.iterdir())):
                raise CannotJudge(f"{keep} is not an empty folder", "name one that is not there yet")
            self._top.mkdir(parents=True, exist_ok=True)
        self._guard = threading.Lock()
        self._ready: set[str] = set()

    def __enter__(self) -> Gauntlet:
        return self

    def __exit__(self, *error: object) -> None:
        if not self._kept:
            shutil.rmtree(self._top, ignore_errors=True)

    def run(self, cases: Sequence[Case], layers: Sequence[Layer], jobs: int) -> Iterator[Outcome]:
        """What each layer makes of each case, in order."""
        pairs = [(case, layer) for case in cases for layer in case.layers if layer in layers]
        # The longest first, so that no worker is left alone with one at the end.
        order = sorted(pairs, key=lambda pair: pair[1] not in ("verdict", "run"))
        pool = ThreadPoolExecutor(max_workers=jobs)
        try:
            futures = {(case.name, layer): pool.submit(self.judge, case, layer) for case, layer in order}
            for case, layer in pairs:
                yield futures[case.name, layer].result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def judge(self, case: Case, layer: Layer) -> Outcome:
        """Build the case and let the layer judge it; what cannot be built or judged is `broken`."""
        started = time.monotonic()
        place = self._top / f"{case.name}.{layer}"
        try:
            work = self._laid(place, layer)
            if case.base is not None:
                case.base(work)
                work.commit("base")
                work.staged = False
            if layer in {"verdict", "range"}:
                work.base = work.git("rev-parse", "HEAD")
                work.git("checkout", "-q", "-B", "patch")
            if layer == "server" and case.base is not None:
                work.publish("main")
            if layer == "verdict" and case.base is None:
                work.put(project.LEDGER, (self._prepared("frozen") / "work" / project.LEDGER).read_bytes())
            case.patch(work)
            allowed, named, words = _JUDGES[layer](work, case)
            result = _result(case, allowed, named, words)
        except (CannotJudge, OSError) as error:
            result, words = "broken", str(error)
        finally:
            if not self._kept:
                shutil.rmtree(place, ignore_errors=True)
        return Outcome(case, layer, result, words[:_LONGEST], time.monotonic() - started)

    def _laid(self, place: Path, layer: Layer) -> Work:
        base = self._prepared("base")
        place.mkdir()
        (place / "home").mkdir()
        shutil.copytree(base / "work", place / "work", symlinks=True)
        if layer == "server":
            shutil.copytree(base / "server.git", place / "server.git", symlinks=True)
        return Work(place / "work")

    def _prepared(self, name: str) -> Path:
        """The folder of a prepared repository, made when it is first asked for."""
        with self._guard:
            place = self._top / f"prepared-{name}"
            if name not in self._ready:
                if name == "base":
                    prepare(place)
                else:
                    reproduce(self._top / "prepared-base", place)
                self._ready.add(name)
            return place


def prepare(place: Path) -> None:
    """The good project, bound and cited, on the branch main; a server whose hook ``install-server`` wrote."""
    (place / "work").mkdir(parents=True)
    (place / "home").mkdir()
    work = Work(place / "work")
    work.git("init", "-q", "--template=", "--initial-branch=main")
    for path, text in project.FILES.items():
        work.put(path, text, 0o755 if path.endswith(".sh") else None)
    work.lock()
    work.bind(cite=True)
    work.commit("base")
    work.git("init", "-q", "--bare", "--template=", "--initial-branch=main", "../server.git")
    work.tool("install-server", str(place / "server.git"))
    work.publish("main")
    for each in (work, Work(place / "server.git")):
        # A case copies what is few files, and starts nothing behind the answer.
        each.git("repack", "-adq")
        each.git("config", "gc.auto", "0")
        each.git("config", "receive.autogc", "false")


def reproduce(base: Path, place: Path) -> None:
    """The good project with the ledger that freezes what its base really gives."""
    shutil.copytree(base, place, symlinks=True)
    Work(place / "work").reproduce()


def _commit(work: Work, case: Case) -> Seen:
    if not work.staged:
        work.add()
    return _static(work, *work.options)


def _range(work: Work, case: Case) -> Seen:
    work.finish()
    return _static(work, *(work.options or ["--base", work.base, "--require-base"]))


def _static(work: Work, *options: str) -> Seen:
    done = work.gate("check", *options, **work.variables)
    words = done.out + done.err
    return done.code == 0, frozenset((f"exit {done.code}", *_FINDING.findall(words))), words


def _server(work: Work, case: Case) -> Seen:
    work.finish()
    code, said = work.push(*work.refspecs)
    text = re.sub(r"^remote: ?(.*?) *$", r"\1", said, flags=re.MULTILINE)
    if "freezegate: accepted" not in text and "freezegate: rejected" not in text:
        raise CannotJudge(f"the hook did not answer: {text.strip()}")
    return code == 0, frozenset((*_FINDING.findall(text), "rejected")), text


def _run(work: Work, case: Case) -> Seen:
    done = work.gate(*case.command, *work.options, **work.variables)
    return done.code == 0, frozenset((f"exit {done.code}",)), done.out + done.err


def _verdict(work: Work, case: Case) -> Seen:
    work.commit("patch")
    folder = work.folder.parent / "run"
    words = ("verdict", "--base", "main", "--run-dir", str(folder), "--attempts", "1", "--jobs", "1", *work.options)
    done = work.gate(*words, **work.variables)
    named = {f"exit {done.code}"}
    if (folder / "verdicts.json").exists():
        document = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
        named |= {row["reason"] for row in document["verdicts"]}
    return done.code == 0, frozenset(named), done.out + done.err


_JUDGES: dict[Layer, Callable[[Work, Case], Seen]] = {
    "commit": _commit,
    "server": _server,
    "range": _range,
    "run": _run,
    "verdict": _verdict,
}


def _result(case: Case, allowed: bool, named: frozenset[str], words: str) -> Result:
    if case.expect == PASS:
        return "passed" if allowed else "false alarm"
    if allowed:
        return "missed"
    return "caught" if case.expect in named and case.answer in words else "wrong rule"

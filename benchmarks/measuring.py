"""Time and memory of one child process at a time, measured the same way for us and for a peer."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Command:
    """A child to start: absolute program, folder, and the file that feeds its standard input."""

    words: tuple[str, ...]
    folder: Path
    stdin: Path = Path(os.devnull)


@dataclass(frozen=True)
class Outcome:
    """What one child took. Seconds of wall clock; peaks in bytes.

    `peak_tree` is the largest peak among the child and what it waited for (git's mapped packs count there);
    `peak_self` is the child alone, sampled while it ran, or 0 where that was not asked for.
    """

    status: int
    seconds: float
    peak_tree: int
    peak_self: int = 0


@dataclass
class Side:
    """Commands run one after the other whose times are added, and the sums of the rounds."""

    label: str
    commands: tuple[Command, ...]
    seconds: list[float] = field(default_factory=list)
    problem: str = ""

    @property
    def median(self) -> float:
        return median(self.seconds)


def run(command: Command, environment: dict[str, str], errors: Path | None = None, sample: bool = False) -> Outcome:
    """Start the command, wait for it, and say what it took. Its output is dropped, its errors go to `errors`.

    posix_spawn and wait4 give each child its own figures. The kernel counts the starting process in
    `peak_tree`, so whoever calls this must stay smaller than what it measures.
    """
    # posix_spawn has no argument for the folder
    os.chdir(command.folder)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(command.stdin), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, str(errors or os.devnull), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    begin = time.perf_counter()
    child = os.posix_spawn(command.words[0], command.words, environment, file_actions=actions)
    peak = _watch(child) if sample else 0
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - begin
    return Outcome(os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss * 1024, peak)


def _watch(child: int) -> int:
    """The largest resident size of the child itself until it ends; needs /proc, else 0."""
    peak = 0
    status = Path(f"/proc/{child}/status")
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        try:
            rows = [row for row in status.read_text().splitlines() if row.startswith("VmHWM:")]
        except OSError:
            rows = []
        if rows:
            peak = max(peak, int(rows[0].split()[1]) * 1024)
        time.sleep(0.0005)
    return peak


def compare(sides: list[Side], environment: dict[str, str], rounds: int, errors: Path) -> None:
    """Fill the sides' times: one warm-up, then `rounds` rounds in which every side runs once.

    Taking turns spreads the machine's noise evenly. A side that has a problem, or whose warm-up does not
    exit 0, is left out and keeps the reason.
    """
    for side in sides:
        if side.problem:
            continue
        for command in side.commands:
            outcome = run(command, environment, errors)
            if outcome.status != 0:
                said = errors.read_text(errors="replace").strip().splitlines() or ["it printed nothing"]
                side.problem = f"exit {outcome.status}: {said[-1][:200]}"
                break
    running = [side for side in sides if not side.problem]
    for number in range(rounds):
        turn = number % len(running) if running else 0
        for side in running[turn:] + running[:turn]:
            side.seconds.append(sum(run(command, environment).seconds for command in side.commands))

"""One evaluation, several, and children that could not even be started."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from children import Project
from freezegate.running.evaluation import attempts, evaluate, replay
from freezegate.running.launch import Launch
from freezegate.running.process import Process


def test_a_command_that_is_not_there_is_absent(tmp_path: Path) -> None:
    project = Project(tmp_path, "")
    outcome = project.outcome(launch=Launch(("no-such-command",), {"PATH": "/bin"}, str(project.root)))
    assert outcome[:2] == ("absent", "no-such-command could not be started: no such command")


def test_a_command_that_fails_is_absent_with_what_it_said(tmp_path: Path) -> None:
    project = Project(tmp_path, "")
    program = "raise SystemExit('cannot \\x1b[1m do it')"
    launch = Launch((sys.executable, "-c", program), {}, str(project.root), cwd=str(tmp_path))
    outcome = project.outcome(launch=launch)
    assert outcome.reason is not None and "(exit status 1)" in outcome.reason
    assert "do it" in outcome.reason and "\x1b" not in outcome.reason


def test_the_folder_to_start_in_is_taken(tmp_path: Path) -> None:
    launch = Project(tmp_path, "")
    started = Launch(
        (sys.executable, "-c", "import os, sys; sys.stderr.write(os.getcwd()); sys.exit(1)"), {}, "/", cwd=str(tmp_path)
    )
    assert launch.outcome(launch=started).noise == str(tmp_path)


def test_a_process_may_be_started_before_its_job_is_known(tmp_path: Path) -> None:
    project = Project(tmp_path, "def test_p(case): assert case['a']")
    started = Process(project.launch())
    outcome = evaluate(project.launch(), project.job(), json.dumps({"a": 0}).encode(), 20, started)
    assert outcome.label == "fail" and started.ended


def test_replays_that_disagree_have_no_label(tmp_path: Path) -> None:
    source = """
        import os
        COUNT = os.path.join(os.getcwd(), "count")
        def test_p(case):
            open(COUNT, "a").write("x")
            number = len(open(COUNT).read())
            if case["how"] == "some" and number == 2: return
            if case["how"] == "differently":
                if number == 2: raise ValueError
                raise KeyError
            if case["how"] == "not": raise SystemExit
            assert case["how"] == "pass", number
        """
    expected: dict[str, Any] = {
        "pass": ("pass", None, 3, 0),
        "fail": ("fail", None, 3, 3),
        "some": ("absent", "unstable: 2 of 3 replays failed", 3, 2),
        "differently": ("absent", "unstable: 3 replays failed in different ways", 3, 3),
        "not": ("absent", "the predicate raised SystemExit, which is no failure of the case", 1, 0),
    }
    for number, (how, (label, reason, replays, failed)) in enumerate(expected.items()):
        (tmp_path / str(number)).mkdir()
        project = Project(tmp_path / str(number), source)
        made = replay(project.launch(), project.job(), json.dumps({"how": how}).encode(), 3, 20)
        assert (made.label, made.reason, made.replays, made.failed) == (label, reason, replays, failed), how
    assert attempts([]).label == "absent"


def test_a_descriptor_that_freezegate_was_given_is_not_passed_on(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    source = (
        "import os\ndef test_p(case):\n    try: os.fstat(case['fd'])\n    except OSError: return True\n    return False"
    )
    assert Project(tmp_path, source).outcome({"fd": writing}).label == "pass"
    os.close(reading)
    os.close(writing)

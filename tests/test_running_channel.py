"""What a child writes to its channel is taken only as one complete answer to the question that was asked."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path

import pytest

from children import Project
from freezegate.running.evaluation import _understood
from freezegate.running.frames import LIMIT
from freezegate.running.harness.freezegate_wire import decode
from freezegate.running.launch import Launch

FIND = """
    import os, re
    def channels():
        # what the child holds besides 0, 1 and 2: pipes that can be written to
        for number in os.listdir("/proc/self/fd"):
            try:
                if int(number) > 2 and os.readlink(f"/proc/self/fd/{number}").startswith("pipe:"):
                    flags = open(f"/proc/self/fdinfo/{number}").read()
                    if int(re.search(r"flags:\\s*(\\d+)", flags)[1], 8) & 3 == os.O_WRONLY:
                        yield int(number)
            except OSError:
                pass
    def say(data):
        for fd in channels(): os.write(fd, data)
    def frame(text):
        return b"FZG1" + len(text).to_bytes(8, "big") + text
"""
FORGED = {
    "garbage": ("def test_p(case): say(b'pass')", "no frame"),
    "a frame without the nonce": ('def test_p(case): say(frame(b\'{"outcome": "pass"}\'))', "not to the question"),
    "a frame with another nonce": (
        'def test_p(case): say(frame(b\'{"nonce": "00", "outcome": "pass"}\'))',
        "not to the question",
    ),
    "no JSON": ("def test_p(case): say(frame(b'{'))", "no JSON"),
    "no object": ("def test_p(case): say(frame(b'[]'))", "no JSON object"),
    "nested JSON": ("def test_p(case): say(frame(b'[' * 200000))", "no JSON"),
    "a length beyond all": ("def test_p(case): say(b'FZG1' + b'\\xff' * 8)", f"more than the {LIMIT} allowed"),
    "half a frame": ("def test_p(case): say(frame(b'{}' * 9)[:-3]); os._exit(0)", "in the middle of its answer"),
    "an early answer": ('say(frame(b\'{"outcome": "pass"}\'))\ndef test_p(case): pass', "before it was asked"),
    "ready, and more": ('say(frame(b\'{"state": "ready"}\') * 2)\ndef test_p(case): pass', "before it was asked"),
    "ready, then the real one": ('say(frame(b\'{"state": "ready"}\'))\ndef test_p(case): pass', ""),
}


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are found through /proc")
@pytest.mark.parametrize("name", FORGED)
def test_forged_frames_are_absent(name: str, tmp_path: Path) -> None:
    source, reason = FORGED[name]
    outcome = Project(tmp_path, textwrap.dedent(FIND) + source).outcome()
    assert outcome.label == "absent" and reason in (outcome.reason or ""), outcome


def test_what_comes_after_the_answer_is_absent(tmp_path: Path) -> None:
    program = """
import os
def take(size):
    data = b""
    while len(data) < size: data += os.read(0, size - len(data))
    return data
def message(): return take(int.from_bytes(take(12)[4:], "big"))
def frame(text): return b"FZG1" + len(text).to_bytes(8, "big") + text
message()
os.write(1, frame(b'{"state": "ready"}'))
nonce = message()[10:42]
answer = frame(b'{"outcome": "pass", "nonce": "' + nonce + b'"}')
os.write(1, answer + EXTRA)
"""
    project = Project(tmp_path, "")
    labels = {}
    for extra in ("b''", "b'F'", "answer"):
        launch = Launch(
            (sys.executable, "-c", program.replace("EXTRA", extra)), {"PATH": os.defpath}, str(project.root)
        )
        labels[extra] = project.outcome(launch=launch)[:2]
    more = ("absent", "the child said more after its answer")
    assert labels == {"b''": ("pass", None), "b'F'": more, "answer": more}


@pytest.mark.parametrize(
    "answer",
    [
        b'"outcome": "passed"',
        b'"outcome": "pass", "reason": "but"',
        b'"outcome": "fail"',
        b'"outcome": "fail", "failure": {"exception": "x"}',
        b'"outcome": "absent"',
        b'"outcome": true',
    ],
)
def test_a_malformed_answer_is_absent(answer: bytes) -> None:
    assert _understood(decode(b"{" + answer + b"}")) == ("absent", "the child's answer is malformed", None)

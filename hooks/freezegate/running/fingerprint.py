"""The fingerprint of an environment, from what the child says of its machine and interpreter."""

from __future__ import annotations

from collections.abc import Mapping

from freezegate.fingerprints import written

_SHOWN = 16  # digits of a hash
# What a child hashes where it found nothing is no identity: SHA-256 of the empty text.
_NOTHING = "e3b0c44298fc1c14"
_HASHED = ("machine", "boot", "distributions")


def text(environment: str, preset: str, facts: Mapping[str, object]) -> str:
    """One line that names the environment, operating system, kernel, machine and its boot, interpreter, distributions."""
    parts = {"environment": environment, "preset": preset}
    for key in ("os", "kernel", "python"):
        parts[key] = str(facts.get(key) or "")
    for key in _HASHED:
        shown = str(facts.get(key) or "")[:_SHOWN]
        parts[key] = "" if shown == _NOTHING and key != "distributions" else shown
    return written(parts)

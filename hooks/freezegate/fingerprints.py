"""Environment fingerprints as records hold them: one line of `key=value` parts, from which machines can be compared.

    environment=isolated; preset=venv; os=debian 12; kernel=Linux 6.1.0 x86_64; machine=<16 hex>; boot=<16 hex>;
    python=CPython 3.11.7; distributions=<16 hex>; check=<8 hex>

Machine, boot and distributions are hashes: equal ones can be told from different ones, and nothing else is given away.
The check is one over the rest, so that a fingerprint that was edited by accident is seen; whoever forges one computes it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

KEYS = ("environment", "preset", "os", "kernel", "machine", "boot", "python", "distributions")
UNKNOWN = "unknown"
_HASH = re.compile(r"[0-9a-f]{16}")
_HOST = ("machine", "boot")
_CHECK = "; check="
_LONGEST = 200  # characters of one value


def written(parts: Mapping[str, str]) -> str:
    """The fingerprint with these parts; what is missing or empty among them is unknown."""
    text = "; ".join(f"{key}={_plain(parts.get(key) or UNKNOWN)}" for key in KEYS)
    return f"{text}{_CHECK}{_check(text)}"


def _check(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _plain(value: str) -> str:
    """A value that neither ends its part nor breaks the line."""
    shown = "".join(char if char.isprintable() and char != ";" else "_" for char in value)
    return shown.strip()[:_LONGEST] or UNKNOWN


def parts_of(fingerprint: str) -> dict[str, str] | None:
    """The parts of a fingerprint; None where it is not of this form."""
    text, _, check = fingerprint.rpartition(_CHECK)
    if check != _check(text):
        return None
    pairs = [part.partition("=") for part in text.split("; ")]
    if tuple(key for key, _, _ in pairs) != KEYS:
        return None
    found = {key: value for key, _, value in pairs}
    return found if all(_plain(value) == value for value in found.values()) else None


def is_damaged(fingerprint: str) -> bool:
    """Whether it was one of this form, and something in it is no longer what was written."""
    ours = fingerprint.startswith(f"{KEYS[0]}=") or _CHECK in fingerprint
    return ours and parts_of(fingerprint) is None


def names_host(fingerprint: str) -> bool:
    """Whether it can be read and says which machine it is of."""
    parts = parts_of(fingerprint)
    return parts is not None and all(_HASH.fullmatch(parts[key]) for key in _HOST)


def other_host(one: str, other: str) -> bool:
    """Whether the two are known to be of two machines: both name theirs, and neither machine nor boot is equal.

    A container has a machine id of its own, and runs under the boot of its host.
    """
    first, second = parts_of(one), parts_of(other)
    if first is None or second is None or not (names_host(one) and names_host(other)):
        return False
    return all(first[key] != second[key] for key in _HOST)

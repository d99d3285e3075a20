"""What the child says of the machine and the interpreter that it runs on."""

from __future__ import annotations

import os
import sys
from hashlib import sha256


def facts() -> dict[str, str]:
    """Operating system, kernel, interpreter, host name; machine, boot and installed distributions as SHA-256 in hex."""
    system = os.uname()
    return {
        "os": _release() or f"{system.sysname} {system.release}",
        "kernel": f"{system.sysname} {system.release} {system.version} {system.machine}",
        "machine": _hashed(_read("/etc/machine-id") or _read("/var/lib/dbus/machine-id") or system.nodename),
        "boot": _hashed(_read("/proc/sys/kernel/random/boot_id")),
        "python": f"{sys.implementation.name} {sys.version}".replace("\n", " "),
        "distributions": _hashed("\n".join(sorted(_distributions()))),
        "host": system.nodename,
    }


def _hashed(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(1 << 16).strip()
    except OSError:
        return ""


def _release() -> str:
    wanted = {"ID": "", "VERSION_ID": "", "BUILD_ID": ""}
    for line in _read("/etc/os-release").splitlines():
        name, _, value = line.partition("=")
        if name in wanted:
            wanted[name] = value.strip("\"'")
    return " ".join(value for value in wanted.values() if value)


def _distributions() -> set[str]:
    """Name and version of each, as the names of their metadata folders have them: importlib.metadata would open all."""
    found = set()
    for folder in sys.path:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            stem, dot, ending = name.rpartition(".")
            if dot and ending in ("dist-info", "egg-info"):
                distribution, _, version = stem.partition("-")
                found.add(f"{distribution.lower().replace('_', '-').replace('.', '-')}=={version.partition('-py')[0]}")
    return found

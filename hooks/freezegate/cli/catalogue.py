"""The list of commands. Each module parses its arguments, calls, and prints."""

from __future__ import annotations

from freezegate.cli import check, check_binding, cite, demo, digest, explain, init, lock, retire

ADDERS = (
    check.add,
    check_binding.add,
    cite.add,
    demo.add,
    digest.add,
    explain.add,
    init.add,
    lock.add,
    retire.add,
)

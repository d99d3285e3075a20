"""The list of commands. Each module parses its arguments, calls, and prints."""

from __future__ import annotations

from freezegate.cli import (
    check,
    check_binding,
    cite,
    demo,
    digest,
    doctor,
    explain,
    init,
    install_server,
    lock,
    pre_receive,
    retire,
)

ADDERS = (
    check.add,
    check_binding.add,
    cite.add,
    demo.add,
    digest.add,
    doctor.add,
    explain.add,
    init.add,
    install_server.add,
    lock.add,
    pre_receive.add,
    retire.add,
)

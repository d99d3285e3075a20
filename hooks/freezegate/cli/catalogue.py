"""The list of commands. Each module parses its arguments, calls, and prints."""

from __future__ import annotations

from freezegate.cli import (
    bind,
    check,
    check_binding,
    cite,
    classify,
    demo,
    digest,
    doctor,
    explain,
    init,
    install_server,
    lock,
    pre_receive,
    property_eval,
    property_run,
    recheck,
    retire,
)

ADDERS = (
    bind.add,
    check.add,
    check_binding.add,
    cite.add,
    classify.add,
    demo.add,
    digest.add,
    doctor.add,
    explain.add,
    init.add,
    install_server.add,
    lock.add,
    pre_receive.add,
    property_eval.add,
    property_run.add,
    recheck.add,
    retire.add,
)

"""Which functions of a file can judge one case."""

from __future__ import annotations

from freezegate.source.model import Function, Module
from freezegate.text import quoted


def function_problem(module: Module, name: str) -> str | None:
    """Why `name` is not bound once, by one plain function of one required positional parameter; else None.

    Plain: a ``def`` directly in the module, undecorated, synchronous, no generator. Anything else that binds
    the name, or could (a star import, a write through ``globals()``), counts as a second binding.
    """
    shown = quoted(name)
    if module.parse_error is not None:
        return f"the file {_reason(module.parse_error)}"
    if module.star_import:
        return f"a star import may bind {shown} as well"
    if module.rebinds:
        return f"the file binds names through its namespace, and {shown} may be one of them"
    times = module.bindings.get(name, 0)
    if times == 0:
        return f"no function {shown} is defined in the file"
    if times > 1:
        return f"{shown} is bound {times} times in the file"
    function = module.functions.get(name)
    if function is None:
        return f"{shown} is not a def that stands directly in the file"
    return _signature_problem(function, shown)


def _signature_problem(function: Function, shown: str) -> str | None:
    if function.decorated:
        return f"{shown} is decorated"
    if function.asynchronous:
        return f"{shown} is asynchronous"
    if function.generator:
        return f"{shown} is a generator"
    if len(function.positional_required) != 1:
        return f"{shown} has {len(function.positional_required)} required positional parameters; it needs one"
    if function.keyword_required:
        return f"{shown} has required keyword-only parameters"
    return None


def _reason(error: tuple[int, int, str]) -> str:
    line, _, message = error
    return f"does not parse (line {line}: {message.removeprefix('does not parse: ')})"


def oracle_function(module: Module) -> tuple[str | None, str | None]:
    """The file's only top-level function named ``check*`` or ``test_*``: its name, or None and why not."""
    if module.parse_error is not None:
        return None, f"the file {_reason(module.parse_error)}"
    names = [name for name in module.functions if name.startswith(("check", "test_"))]
    if len(names) == 1:
        return names[0], None
    if not names:
        return None, "no top-level function is named check* or test_*"
    shown = ", ".join(quoted(name) for name in sorted(names)[:5])
    return None, f"{len(names)} top-level functions are named check* or test_*: {shown}"


def unscoped_candidates(module: Module) -> dict[str, Function]:
    """The undecorated top-level ``test_*`` functions whose only parameter is ``case``."""
    return {
        name: function
        for name, function in module.functions.items()
        if name.startswith("test_")
        and not function.decorated
        and function.positional_required == ("case",)
        and not (function.positional_optional or function.keyword_required or function.keyword_optional)
        and not function.variadic
    }

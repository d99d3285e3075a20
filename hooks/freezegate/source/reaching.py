"""The names through which a file reaches code that its own text does not name."""

from __future__ import annotations

RUNNERS = frozenset(("exec", "eval", "compile"))
IMPORTERS = frozenset(("import_module", "__import__", "importorskip"))
# Whole modules whose purpose is to load or run code that is found or made at run time.
LOADERS = frozenset(
    ("imp", "runpy", "zipimport", "code", "codeop", "bdb", "_imp", "_frozen_importlib", "_frozen_importlib_external")
)
# As attribute or name of another module, too; but too many things have a code.
LOADER_NAMES = LOADERS - {"code"}
IMPORTLIB = frozenset(("import_module", "metadata", "resources"))
SYS = frozenset(("path", "meta_path", "path_hooks", "modules", "path_importer_cache"))
_SITE = frozenset(
    (
        "addsitedir",
        "addpackage",
        "addsitepackages",
        "addusersitepackages",
        "execsitecustomize",
        "execusercustomize",
        "venv",
        "main",
    )
)
_DOCTEST = frozenset(
    ("testmod", "testfile", "testsource", "debug", "debug_src", "debug_script", "run_docstring_examples")
)
_DOCTEST_CLASSES = frozenset(("DocTestSuite", "DocFileSuite", "DocTestRunner", "DebugRunner"))
_PROFILES = frozenset(("run", "runctx", "Profile"))
_ENTRY_POINTS = frozenset(("EntryPoint", "EntryPoints", "entry_points"))
RESOURCES = "importlib.resources"
# Functions of importlib.resources; the first argument names the package that they import.
READERS = frozenset(
    ("files", "contents", "is_resource", "open_binary", "open_text", "path", "read_binary", "read_text")
)
# Of these modules only the attributes named are refused, and the module may be passed around.
PARTLY = {
    "pkgutil": frozenset(
        (
            "resolve_name",
            "get_data",
            "get_loader",
            "find_loader",
            "get_importer",
            "iter_importers",
            "extend_path",
            "walk_packages",
        )
    ),
    "pydoc": frozenset(("locate", "importfile", "safeimport")),
    "site": _SITE,
    "cProfile": _PROFILES,
    "profile": _PROFILES,
    "timeit": frozenset(("timeit", "repeat", "Timer", "main")),
    "trace": frozenset(("Trace", "main")),
    "pdb": frozenset(("run", "runeval", "runctx", "Pdb")),
    "doctest": _DOCTEST | _DOCTEST_CLASSES,
    "logging.config": frozenset(("dictConfig", "fileConfig", "listen")),
    "importlib.metadata": _ENTRY_POINTS,
    "importlib_metadata": _ENTRY_POINTS,
    RESOURCES: frozenset[str](),
}
# These three may be used only by a literal attribute: a bare use could be the start of an alias.
GUARDED = frozenset(("sys", "builtins", "importlib"))
CLOSED = GUARDED | {RESOURCES}
TRACKED = GUARDED | PARTLY.keys()
# Words that other modules and attributes are called by, too.
HOMONYMS = frozenset(("profile", "trace", "site"))
# Under whatever name these go on, their attributes, or a literal that they take, show.
QUIET = frozenset((RESOURCES, "importlib.metadata", "importlib_metadata", "logging.config"))
REFLECTION = frozenset(("__dict__", "__getattribute__"))
DUNDER_NAMES = frozenset(("__builtins__", "__loader__", "__spec__", "__path__"))
DUNDER_STORES = DUNDER_NAMES | {"__package__", "__name__"}
ATTRIBUTES = frozenset(
    {"__builtins__", "__loader__", "__globals__", "__subclasses__", "__self__", "__spec__", "__path__"}
    | {"f_builtins", "f_globals", "f_locals", "meta_path", "path_hooks", "path_importer_cache", "syspath_prepend"}
    | {"addsitedir", "addpackage", "addsitepackages", "addusersitepackages", "dictConfig", "fileConfig"}
    | {"loadTestsFromName", "loadTestsFromNames", "run_docstring_examples", "compile_command", "runsource"}
    | {"InteractiveInterpreter", "InteractiveConsole"}
    | _DOCTEST_CLASSES
    | _ENTRY_POINTS
    | LOADER_NAMES
)
# Called with a string they import the module that it names, or begins with.
PATCHERS = frozenset(("patch", "setattr", "delattr"))
# Replacing one of these leaves a function its name and gives it another body.
INNARDS = frozenset(("__code__", "__defaults__", "__kwdefaults__"))
# Strings that patching and lookup functions would resolve to one of the above.
STRINGS = frozenset(
    {f"sys.{name}" for name in SYS}
    | {f"builtins.{name}" for name in RUNNERS | {"__import__"}}
    | {"__builtins__", "__import__", "__loader__", "importlib.import_module"}
)


def refused(module: str, name: str) -> bool:
    """Whether this name of this module reaches code that the text does not name."""
    if name in REFLECTION or name in ("__loader__", "__spec__", "__builtins__"):
        return True
    if module == "importlib":
        return name not in IMPORTLIB and name not in ("__name__", "__file__", "__doc__")
    if module == "builtins":
        return name in RUNNERS
    return name in (SYS if module == "sys" else PARTLY.get(module, ()))

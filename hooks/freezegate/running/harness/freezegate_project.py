"""The project's files as modules: always read as source, whatever bytecode lies beside them."""

from __future__ import annotations

import builtins
import os
import sys
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    BuiltinImporter,
    ExtensionFileLoader,
    FileFinder,
    FrozenImporter,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, ModuleType
    from typing import Any

globals()["__builtins__"] = dict(vars(builtins))  # which the project cannot replace

TREE = "freezegate_tree"
"""The package that stands for the root of the tree, for files that are loaded by path."""

_FINDERS = (BuiltinImporter, FrozenImporter, PathFinder)

SOURCES: dict[str, bytes] = {}
"""The bytes of each file that was loaded, by absolute path: it may be changed on disk before it fails."""

# Taken now: the project may put others in their place.
_modules = sys.modules
_variables: Any = vars(type(sys))["__dict__"].__get__
_normal = os.path.normpath
_real = os.path.realpath
_OWN: list[str] = []


class Source(SourceFileLoader):
    """A loader that neither reads nor writes bytecode."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the module's source."""
        path = self.path
        SOURCES[path] = data = self.get_data(path)
        # compile() would take its default optimisation from the interpreter, which was started without -O.
        code: CodeType = compile(data, path, "exec", dont_inherit=True)
        return code


def inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def join(root: str, relative: str) -> str:
    """`relative` below `root`; the root itself where it is empty."""
    return f"{root.rstrip('/')}/{relative}" if relative else root


def install(root: str, paths: Iterable[str], source: Iterable[str], elsewhere: Iterable[str]) -> None:
    """Make the folders `paths` of the tree importable: after the standard library, before what is installed.

    So nothing of the tree stands in for the standard library, and a copy of the project that is installed does not stand
    in for the tree. Compiled extensions are importable below the folders `source` only. Search paths that lead into the
    tree or into the folders `elsewhere` by other ways (an installation in editable mode) are taken out.
    """
    stdlib = os.path.dirname(os.__file__)
    ways = {os.path.realpath(folder) for folder in (root, *elsewhere)}
    kept = []
    position = 0
    for path in sys.path:
        packages = "/site-packages" in path or "/dist-packages" in path
        system = inside(path, stdlib) and not packages
        real = os.path.realpath(path)
        if system or packages or not any(inside(real, way) for way in ways):
            kept.append(path)
            position = len(kept) if system else position
    _without_editable(ways)
    # A finder that an installation put before the search path would lead past the tree.
    sys.meta_path.sort(key=lambda finder: finder not in _FINDERS)
    # The interpreter's own folders, which may lie below the root of the repository.
    own = [path for path in kept if inside(path, root) or inside(os.path.realpath(path), root)]
    _OWN[:] = own
    _without_distributions(root)
    folders = [join(root, path) for path in paths]
    sys.path[:] = [*kept[:position], *folders, *kept[position:]]
    natives = [join(root, folder) for folder in source]

    def hook(path: str) -> FileFinder:
        if not inside(path, root) or any(inside(path, folder) for folder in own):
            raise ImportError("not of the tree", path=path)
        details: list[Any] = [(Source, [".py"])]
        if any(inside(path, folder) for folder in natives):
            details.insert(0, (ExtensionFileLoader, EXTENSION_SUFFIXES))
        return FileFinder(path, *details)

    sys.path_hooks.insert(0, hook)
    for path in list(sys.path_importer_cache):
        if inside(path, root) and not any(inside(path, folder) for folder in own):
            del sys.path_importer_cache[path]


def _without_editable(ways: Iterable[str]) -> None:
    """Take out the finders by which setuptools leads to a working tree."""
    for finder in list(sys.meta_path):
        module = sys.modules.get(getattr(finder, "__module__", None) or "")
        mapping = getattr(module, "MAPPING", None)
        if type(mapping) is dict and any(
            inside(os.path.realpath(str(path)), way) for path in mapping.values() for way in ways
        ):
            sys.meta_path.remove(finder)


def _without_distributions(root: str) -> None:
    """Let no list of what is installed name what lies in the tree: its entry points would run before the project does.

    One that is asked for by its name is found as before: a project asks for its own version so.
    """
    finder: Any = PathFinder
    usual = getattr(finder, "find_distributions", None)
    if usual is None:
        return
    real = os.path.realpath(root)

    def find_distributions(*given: Any, **named: Any) -> Any:
        context = named.get("context", given[-1] if given else None)
        if getattr(context, "name", None) is not None:
            return usual(*given, **named)
        if context is None:
            context = sys.modules["importlib.metadata"].DistributionFinder.Context()
        outside = [
            path
            for path in context.path
            if any(inside(path, folder) for folder in _OWN) or not (inside(path, root) or inside(_real(path), real))
        ]
        return usual(type(context)(**{**vars(context), "path": outside}))

    finder.find_distributions = staticmethod(find_distributions)


def outsider(root: str, allowed: Iterable[str], source: Iterable[str]) -> str | None:
    """A file of the tree that was loaded and is neither one of `allowed` nor below the folders `source`; None if none was."""
    known = frozenset(allowed)
    behaviour = tuple(source)
    files = dict.fromkeys(SOURCES)
    for module in list(_modules.values()):
        try:
            names = _variables(module)
        except TypeError:  # anything may stand in the table
            continue
        for file in (names.get("__file__"), getattr(names.get("__spec__"), "origin", None)):
            if type(file) is str and file[:1] == "/":
                files[file] = None
    real = _real(root)
    usual = [path for path in (os.path.dirname(os.__file__), sys.prefix, sys.base_prefix) if path != "/"]
    for file in files:
        path = _below(file, root, real, usual)
        if path is not None and path not in known and not any(not it or inside(path, it) for it in behaviour):
            return f"{path} was loaded, which is neither source nor in the closure of what judges"
    return None


def _below(file: str, root: str, real: str, usual: Iterable[str]) -> str | None:
    """The path in the tree of a loaded file, None where it lies outside; whatever way leads to it."""
    if not inside(file, root):
        # To ask the file system of each module of the standard library would take longer than all else.
        if any(inside(file, folder) for folder in usual) and not inside(file, real):
            return None
        file = _real(file)
        return None if any(inside(file, _real(own)) for own in _OWN) else relative(file, real)
    if any(inside(file, own) for own in _OWN):
        return None
    return relative(_normal(file), root) or relative(_real(file), real)


def stranger(root: str, elsewhere: Iterable[str]) -> str | None:
    """A module that was loaded from the folders `elsewhere` and not from the tree, by whatever finder; None if none was."""
    ways = [os.path.realpath(folder) for folder in elsewhere if folder and not inside(os.path.realpath(root), folder)]
    own = [path for path in (sys.prefix, sys.base_prefix, sys.exec_prefix) if path != "/"]
    for name, module in list(sys.modules.items()) if ways else ():
        file = getattr(module, "__file__", None)
        if type(file) is str and not any(inside(file, folder) for folder in own):
            real = os.path.realpath(file)
            if any(inside(real, way) for way in ways) and not inside(real, os.path.realpath(root)):
                return f"{name} was imported from {file}, not from the tree"
    return None


def load(root: str, path: str) -> ModuleType:
    """The module of the file at `path` in the tree. Raises what it raises.

    It has a name of its own, below packages that stand for its folders without running their ``__init__.py``; a relative
    import finds the files beside it.
    """
    parts = [part.replace(".", "_") for part in path.split("/")]
    name = TREE
    folder = root
    _package(name, folder)
    for part, real in zip(parts[:-1], path.split("/")):  # noqa: B905 - Python 3.8 has no strict
        name += "." + part
        folder += "/" + real
        _package(name, folder)
    package = name
    name += "." + parts[-1]
    file = join(root, path)
    loader = Source(name, file)
    module = type(sys)(name)
    module.__file__ = file
    module.__loader__ = loader
    module.__package__ = package
    module.__spec__ = spec = ModuleSpec(name, loader, origin=file)
    spec.has_location = True
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def _package(name: str, folder: str) -> None:
    if name in sys.modules:
        return
    package = type(sys)(name)
    package.__path__ = [folder]
    package.__package__ = name
    package.__spec__ = spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [folder]
    sys.modules[name] = package
    init = join(folder, "__init__.py")

    def late(wanted: str) -> Any:
        """What only ``from . import wanted`` asks of a package: the names of its ``__init__.py``."""
        if (not wanted.startswith("__") or wanted == "__all__") and os.path.isfile(init):
            del package.__dict__["__getattr__"]
            Source(name, init).exec_module(package)
            if wanted in package.__dict__:
                return package.__dict__[wanted]
        raise AttributeError(f"module {name!r} has no attribute {wanted!r}")

    package.__dict__["__getattr__"] = late


def relative(file: str, root: str) -> str | None:
    """The path in the tree of an absolute path, None where it lies outside."""
    return file[len(root.rstrip("/")) + 1 :] if inside(file, root) and file != root else None

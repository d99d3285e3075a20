"""Words by which to search for the files that might import a path, so that not every file need be read.

A search by these only narrows: what it finds is judged by the closure. It must never miss, so this is why it
is sound. An imported file is named by its stem, or by a package's folder, in an ``import`` statement or a
plain string literal (escapes, and names that are not ASCII, are problems of their own). Two forms name less.
A star import names the package alone, hence the word for the folder above. A relative import may name nothing
at all (``from . import *``), or not the package whose ``__init__`` it runs: whoever searches must take every file that
holds one. What pytest loads unasked (``conftest.py``, the ``__init__`` of a test's folder) and what would
hide the start file itself no word finds: those follow from where the start file lies.
"""

from __future__ import annotations


def stems(path: bytes) -> set[bytes]:
    """Words of which a file must have one to import what is at `path`, or something that `path` would hide.

    An empty word (`path` in or at a ``__pycache__`` folder, which hides any file beside it) is in every file.
    """
    parts = path.split(b"/")
    if b"__pycache__" in parts:
        return {b""}
    words = {parts[-1].partition(b".")[0], parts[-1].removesuffix(b".py")}
    if b"__init__" in words:
        words.discard(b"__init__")
        words.discard(parts[-1])
        words.update(parts[-2:-1])
        parts = parts[:-1]
    # From the folder's file the rest follows: its package is what a star import names.
    words.update(parts[-2:-1])
    return words

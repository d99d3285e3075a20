"""The digest formulas: named git blobs in, lower-case hex out. Nothing here reads a file.

Two published formulas ("plain") and one that frames every part by its length ("sized"). Plain digests join
paths and bytes with zero bytes only, so they are ambiguous once a hashed file holds a zero byte or a path
holds a control character; `ambiguity` and the `zero_bytes` parameter name such items, and the caller refuses
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

SIZED_PREFIX = "sized:"
REGULAR, EXECUTABLE = 0o100644, 0o100755

_MODES = {REGULAR: b"100644", EXECUTABLE: b"100755"}
_JOIN_BELOW = 1 << 16  # bytes; one joined update beats several calls while copying the blob is cheap
_LFS_LIMIT = 1024  # git-lfs takes no longer blob for a pointer
_LFS_STARTS = (
    b"version https://git-lfs.github.com/spec/",
    b"version https://hawser.github.com/spec/",
    b"version http://git-media.io/v/",
)


class Item(NamedTuple):
    """One hashed blob: path as hashed, git mode, size in bytes, and its bytes in pieces.

    Give a blob that is in memory as a tuple of pieces (small ones are hashed in one call), a big one as any
    iterable: it is read once and never held whole.
    """

    path: bytes
    mode: int
    size: int
    chunks: Iterable[bytes]


Run = tuple[Sequence[bytes], Sequence[bytes]] | Item
"""Paths and contents of blobs that follow one another, at least one; or a single large blob."""


class DigestError(ValueError):
    """The items have no digest: there are none, or they are not what they claim to be."""


def binding_digest(items: Iterable[Item], *, zero_bytes: list[bytes] | None = None) -> str:
    """The plain digest over items in the given order: path, zero byte, bytes, and nothing after the bytes.

    Serves the binding digest (order: `binding_order`) and the predicate digest (order: sorted paths).
    Paths of items whose bytes hold a zero byte are appended to `zero_bytes`. Raises DigestError for no items.
    """
    return _plain(items, b"", zero_bytes)


def fixture_digest(items: Iterable[Item], *, zero_bytes: list[bytes] | None = None) -> str:
    """The plain digest over a fixture tree: path relative to its root, zero byte, bytes, zero byte.

    The caller sorts by `component_key`. `zero_bytes` and errors as in `binding_digest`.
    """
    return _plain(items, b"\0", zero_bytes)


def fixture_digest_in_runs(runs: Iterable[Run], *, zero_bytes: list[bytes] | None = None) -> str:
    """`fixture_digest` for very many blobs: paths and contents of whole blobs in runs, or one item for a large one."""
    from hashlib import sha256

    hasher = sha256()
    seen = False
    for run in runs:
        seen = True
        if isinstance(run, Item):
            hasher.update(run.path + b"\0")
            zero = False
            for chunk in run.chunks:
                hasher.update(chunk)
                zero = zero or b"\0" in chunk
            hasher.update(b"\0")
            found = [run.path] if zero else []
        else:
            joined = b"\0".join([part for item in zip(*run, strict=True) for part in item])
            hasher.update(joined)
            hasher.update(b"\0")
            clean = zero_bytes is None or joined.count(0) == 2 * len(run[0]) - 1
            found = [] if clean else [path for path, data in zip(*run, strict=True) if b"\0" in data]
        if zero_bytes is not None:
            zero_bytes += found
    if not seen:
        raise DigestError("nothing to hash")
    return hasher.hexdigest()


def sized_digest(items: Iterable[Item], count: int) -> str:
    """The length-framed digest over exactly `count` items in the given order, with its ``sized:`` prefix.

    Raises DigestError where the items are none or not `count`, a blob has not its stated size, a mode is not
    that of a regular file, or a path holds a zero byte: each would let two lists of items share a framing.
    """
    from hashlib import sha256

    hasher = sha256(b"freezegate sized 1\0%d\0" % count)
    update = hasher.update
    seen = 0
    for path, mode, size, chunks in items:
        seen += 1
        if mode not in _MODES or b"\0" in path:
            raise DigestError(f"not a regular file with a plain name: {path!r} (mode {mode:o})")
        head = b"%s\0%s\0%d\0" % (_MODES[mode], path, size)
        if type(chunks) is tuple and size < _JOIN_BELOW:
            framed = b"".join((head, *chunks))
            length = len(framed) - len(head)
            update(framed)
        else:
            update(head)
            length = 0
            for chunk in chunks:
                update(chunk)
                length += len(chunk)
        if length != size:
            raise DigestError(f"{path!r} has {length} bytes, not {size}")
    if not seen or seen != count:
        raise DigestError(f"{seen} items where {count} were announced" if seen else "nothing to hash")
    return SIZED_PREFIX + hasher.hexdigest()


def digest_of(items: Sequence[Item], *, sized: bool) -> str:
    """`sized_digest` or `binding_digest` of the items: what a scope's or record's digest is compared with."""
    return sized_digest(items, len(items)) if sized else binding_digest(items)


def is_sized(digest: str) -> bool:
    """Whether a document's digest says that it was made by the sized formula."""
    return digest.startswith(SIZED_PREFIX)


def binding_order(generator: bytes, scope: bytes, seed_lock: bytes, inputs: Iterable[bytes] = ()) -> list[bytes]:
    """The paths of a binding digest in hashing order; the inputs bytewise by whole path."""
    return [generator, scope, seed_lock, *sorted(inputs)]


def component_key(path: bytes) -> str:
    """Sort key under which paths order as Python orders `pathlib` paths: component by component.

    Components compare as str with surrogate escapes, because that is what `pathlib` compares: bytes that are
    not UTF-8 sort as U+DC80 to U+DCFF. As no component holds a zero byte, and nothing sorts below one, one
    string with zero bytes for slashes orders exactly as the list of components would.
    """
    return path.decode("utf-8", "surrogateescape").replace("/", "\0")


def ambiguity(path: bytes) -> str | None:
    """Why a plain digest cannot carry this path (a control character, bytes that are not UTF-8), or None."""
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError:
        return "its path is not UTF-8"
    if not text.isprintable() and any(ch < " " or "\x7f" <= ch <= "\x9f" for ch in text):
        return "its path holds a control character"
    return None


def is_lfs_pointer(data: bytes) -> bool:
    """Whether a blob is a Git LFS pointer (its first 1,024 bytes suffice): a test would read other bytes."""
    return len(data) < _LFS_LIMIT and data.lstrip().startswith(_LFS_STARTS)


def _plain(items: Iterable[Item], after: bytes, zero_bytes: list[bytes] | None) -> str:
    from hashlib import sha256

    hasher = sha256()
    update = hasher.update
    own_zeros = 1 + len(after)
    seen = False
    for path, _, size, chunks in items:
        seen = True
        zero = False
        if type(chunks) is tuple and size < _JOIN_BELOW:
            framed = b"".join((path, b"\0", *chunks, after))
            update(framed)
            zero = zero_bytes is not None and framed.count(0) > own_zeros
        else:
            update(path + b"\0")
            for chunk in chunks:
                update(chunk)
                zero = zero or (zero_bytes is not None and b"\0" in chunk)
            update(after)
        if zero and zero_bytes is not None:
            zero_bytes.append(path)
    if not seen:
        raise DigestError("nothing to hash")
    return hasher.hexdigest()

"""The configuration: where documents lie, which policy holds, where counterexamples are re-evaluated."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from freezegate.documents import checks
from freezegate.documents.checks import shown
from freezegate.documents.refusal import Refused
from freezegate.documents.strict_text import Pointer
from freezegate.paths import RepoPath

FOLDERS = ("properties", "generators", "bindings", "freezes", "oracles", "fixtures", "catalog")
FILES = ("seed_lock", "claimed", "ledger")
WITHIN_FOLDERS = frozenset(("seed_lock", "claimed"))
"""The files that may lie in a layout folder."""

LONGEST_PATH = 4096

_SECTIONS = frozenset(("layout", "policy", "environments"))
_LAYOUT_KEYS = frozenset((*FOLDERS, *FILES, "source"))
_WORDS = {
    "promotion": ("mixed", "strict"),
    "framing": ("plain", "sized"),
    "base_match": ("exact", "reproduced"),
    "isolation": ("any", "other_host"),
    "stale": ("report", "fail"),
    "vacuous_predicates": ("warn", "reject"),
    "attested_labels": ("none", "isolated", "both"),
}
_FLAGS = frozenset(("require_predicate_digest", "require_regenerated"))
_COUNTS = frozenset(("max_examples_cap", "replays", "expiry_days"))
_POLICY_KEYS = frozenset((*_WORDS, *_FLAGS, *_COUNTS))
_PRESETS = {"venv": (), "bwrap": (), "container": ("image",), "ssh": ("host",)}
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Layout:
    """Where governed files lie, as paths below the repository root."""

    properties: RepoPath = field(default=RepoPath(b"tests/properties"))
    generators: RepoPath = field(default=RepoPath(b"tests/fixtures"))
    seed_lock: RepoPath = field(default=RepoPath(b"tests/fixtures/seeds.lock"))
    bindings: RepoPath = field(default=RepoPath(b"tests/bindings"))
    freezes: RepoPath = field(default=RepoPath(b"tests/freezes"))
    source: tuple[RepoPath, ...] = field(default=(RepoPath(b"src"),))
    oracles: RepoPath = field(default=RepoPath(b"props"))
    fixtures: RepoPath = field(default=RepoPath(b"fixtures"))
    catalog: RepoPath = field(default=RepoPath(b"catalog"))
    claimed: RepoPath = field(default=RepoPath(b"catalog/claimed.json"))
    ledger: RepoPath = field(default=RepoPath(b"freezes/ledger.json"))


@dataclass(frozen=True)
class Policy:
    """What the gate demands; `expiry_days` None means that citations do not expire."""

    promotion: Literal["mixed", "strict"] = "mixed"
    framing: Literal["plain", "sized"] = "plain"
    base_match: Literal["exact", "reproduced"] = "exact"
    require_predicate_digest: bool = False
    require_regenerated: bool = False
    isolation: Literal["any", "other_host"] = "any"
    stale: Literal["report", "fail"] = "report"
    max_examples_cap: int = 10000
    replays: int = 3
    expiry_days: int | None = None
    attested_labels: Literal["none", "isolated", "both"] = "none"
    vacuous_predicates: Literal["warn", "reject"] = "warn"


@dataclass(frozen=True)
class Environment:
    """One way to re-evaluate a counterexample: a preset with its parameter, or a command."""

    preset: Literal["venv", "bwrap", "container", "ssh"] | None = None
    image: str | None = None
    host: str | None = None
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Config:
    """The configuration in force; `named` holds the layout keys that the file names itself."""

    layout: Layout = Layout()
    policy: Policy = Policy()
    environments: Mapping[str, Environment] = field(default_factory=lambda: {"isolated": Environment(preset="venv")})
    named: frozenset[str] = frozenset()

    @classmethod
    def from_value(cls, value: object) -> Config:
        """The configuration in a loaded document. Raises Refused."""
        given = checks.members(value, _NOTHING, _SECTIONS)
        layout_given = checks.mapping(given.get("layout", {}), ("layout",))
        layout = _layout(layout_given)
        environments = dict(DEFAULT.environments)
        for name, each in checks.mapping(given.get("environments", {}), ("environments",)).items():
            environments[name] = _environment(each, ("environments", name))
        config = cls(layout, _policy(given.get("policy", {})), environments, frozenset(layout_given))
        _refuse_overlaps(layout, layout_given)
        return config


DEFAULT = Config()


def _layout(value: object) -> Layout:
    given = checks.members(value, _NOTHING, _LAYOUT_KEYS, ("layout",))
    paths: dict[str, Any] = {}
    for key, each in given.items():
        if key == "source":
            items = checks.sequence(each, ("layout", "source"), 1)
            for index, item in enumerate(items):
                checks.text(item, ("layout", "source", index))
            paths[key] = tuple(items)
        else:
            paths[key] = checks.text(each, ("layout", key))
    for key, each in paths.items():
        if key == "source":
            paths[key] = tuple(_path(item, ("layout", key, index)) for index, item in enumerate(each))
        else:
            paths[key] = _path(each, ("layout", key))
    return Layout(**paths)


def _path(text: str, at: Pointer) -> RepoPath:
    if "\\" in text or any(part in ("", ".", "..") for part in text.split("/")):
        message = f'{shown(text)} is not a plain path below the root: no "..", ".", "//", backslash or outer "/"'
        raise Refused(at, message, beyond=True)
    if len(text) > LONGEST_PATH:
        raise Refused(at, f"a path of {len(text)} characters is too long", beyond=True)
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in text):
        raise Refused(at, f"{shown(text)} holds a control character", beyond=True)
    return RepoPath.of(text)


def _policy(value: object) -> Policy:
    given = checks.members(value, _NOTHING, _POLICY_KEYS, ("policy",))
    for key, each in given.items():
        at = ("policy", key)
        if key in _WORDS:
            checks.word(each, at, _WORDS[key])
        elif key in _FLAGS:
            checks.boolean(each, at)
        else:
            checks.whole(each, at, 1)
    return Policy(**given)


def _environment(value: object, at: Pointer) -> Environment:
    given = checks.mapping(value, at)
    if "preset" not in given:
        command = checks.members(given, frozenset(("command",)), at=at)["command"]
        items = checks.sequence(command, (*at, "command"), 1)
        return Environment(
            command=tuple(checks.text(item, (*at, "command", index)) for index, item in enumerate(items))
        )
    preset = checks.word(given["preset"], (*at, "preset"), tuple(_PRESETS))
    parameters = _PRESETS[preset]
    checks.members(given, frozenset(("preset", *parameters)), at=at)
    values = {name: checks.text(given[name], (*at, name)) for name in parameters}
    return Environment(
        preset=cast(Literal["venv", "bwrap", "container", "ssh"], preset),
        image=values.get("image"),
        host=values.get("host"),
    )


def _refuse_overlaps(layout: Layout, given: Mapping[str, Any]) -> None:
    """Two places that a case-folding or normalizing file system would mix up are one place here."""
    table: dict[str, Pointer] = {}
    places = [(pointer, _folded(path)) for pointer, path in _places(layout)]
    for pointer, place in places:
        if table.setdefault(place, pointer) != pointer:
            raise _overlap(pointer, table[place], given)
    for inner, place in places:
        for end, char in enumerate(place):
            outer = table.get(place[:end]) if char == "/" else None
            if outer is not None and (inner[0] not in WITHIN_FOLDERS or outer[0] in FILES):
                raise _overlap(inner, outer, given)


def _overlap(first: Pointer, second: Pointer, given: Mapping[str, Any]) -> Refused:
    if first[0] not in given:
        first, second = second, first
    message = f"layout.{first[0]} and layout.{second[0]} overlap"
    return Refused(("layout", *first), message, beyond=True)


def _places(layout: Layout) -> Iterator[tuple[Pointer, RepoPath]]:
    for key in (*FOLDERS, *FILES):
        yield (key,), getattr(layout, key)
    for index, path in enumerate(layout.source):
        yield ("source", index), path


def _folded(path: RepoPath) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path.text).casefold())

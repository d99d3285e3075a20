"""What may not travel together in one change: one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from freezegate.gate.force import own_config
from freezegate.gate.placing import Places
from freezegate.paths import RepoPath

if TYPE_CHECKING:
    from freezegate.gate.bindings import Binding
    from freezegate.gate.claims import EntryUnit, PropertyUnit
    from freezegate.gate.step import Step


def _source(subject: Any, step: Step) -> str | None:
    return "source" if step.touches_source else None


def _fixtures(subject: Any, step: Step) -> str | None:
    return "fixtures" if step.touches_fixtures else None


def _ledger_additions(subject: Any, step: Step) -> str | None:
    return "the ledger (an entry is added)" if step.added_freezes else None


def _other_oracles(gone: PropertyUnit | str, step: Step) -> str | None:
    """Files below the oracle folder, but for the closure of the property that goes."""
    own: set[bytes] = set()
    prop_id = gone if isinstance(gone, str) else (gone.value.id if gone.value is not None else "")
    for document in step.old.properties_by_id.get(prop_id, []):
        oracle = step.old.property_unit(document).oracle
        closure = step.old.closure(oracle.path, oracle.is_node) if oracle is not None else None
        own.update(closure.files if closure is not None else ())
    return "other oracles" if any(path not in own for path in step.moved_oracles) else None


def _before(entry: EntryUnit, step: Step) -> PropertyUnit | None:
    documents = step.old.properties_by_id.get(entry.freeze.prop_id, [])
    return step.old.property_unit(documents[0]) if documents else None


def _own_oracle(entry: EntryUnit, step: Step) -> str | None:
    before = _before(entry, step)
    moved = any(before is None or prop.oracle_key != before.oracle_key for prop in entry.properties)
    return "its oracle" if moved else None


def _own_catalog_entry(entry: EntryUnit, step: Step) -> str | None:
    before = _before(entry, step)
    moved = any(
        before is None or prop.document[:2] != before.document[:2] or _scope_moved(prop, before)
        for prop in entry.properties
    )
    return "its catalog entry" if moved else None


def _scope_moved(after: PropertyUnit, before: PropertyUnit) -> bool:
    """Whether the scope that stands behind both entries differs: its text, generator, lock or inputs."""

    def rests_on(unit: PropertyUnit) -> object:
        scope = unit.value.scope if unit.value is not None else None
        view = unit.tree.scope_named(scope) if scope is not None else None
        return view.key if view is not None else None

    return rests_on(after) != rests_on(before)


def _own_cases(entry: EntryUnit, step: Step) -> str | None:
    before = _before(entry, step)
    moved = any(before is None or prop.cases_key != before.cases_key for prop in entry.properties)
    return "its cases" if moved else None


def _governed(path: RepoPath, step: Step) -> str | None:
    """A governed file, unless every other path of the change is a rename with an equal mode and id."""
    folders = (*step.new.governed_places, *_places_named_anew(step))
    others = {other: sides for other, sides in step.delta.items() if other != path and not is_gate_file(other)}
    governed = [other for other in others if any(other.within(folder) for folder in folders)]
    gone = sorted(before for before, after in others.values() if before is not None and after is None)
    came = sorted(after for before, after in others.values() if before is None and after is not None)
    only_renames = gone == came and len(gone) + len(came) == len(others)
    return None if only_renames or not governed else str(min(governed))


def _places_named_anew(step: Step) -> tuple[RepoPath, ...]:
    """Governed places under the new side's own config: else a layout that moves would take in what no rule has seen."""
    reading = own_config(step.new.snapshot, step.new.archive)
    if reading is None or reading.document is None:
        return ()
    places = Places.of(reading.document)
    binding = places.binding_half if step.new.binding_on else ()
    return binding + (places.verdict_half if step.new.verdict_on else ())


def is_gate_file(path: RepoPath) -> bool:
    """Whether the path is one that gate-mixed watches by its name."""
    named = (b".freezegate.yaml", b".pre-commit-config.yaml")
    return path in named or path.name == b".gitattributes" or is_ci_file(path) or is_signers_file(path)


def is_signers_file(path: RepoPath) -> bool:
    """Whether the path says whose attestations of labels count, or stands in the place of the folder that does."""
    return path in (b".freezegate", b".freezegate/allowed_signers", b".freezegate/revoked_keys")


def is_ci_file(path: RepoPath) -> bool:
    """Whether a CI service reads its jobs from this path."""
    named = (b".gitlab-ci.yml", b"azure-pipelines.yml", b"bitbucket-pipelines.yml", b"Jenkinsfile")
    return path in named or path.parent == b".github/workflows"


def _own_closure(binding: Binding, step: Step) -> str | None:
    before, after = step.old.scope_of(binding.scope_id), binding.scope
    moved = before is None or after is None or step.closure_moved(before.predicate, after.predicate)
    return "the predicate's closure" if moved else None


APART: dict[str, tuple[Callable[[Any, Step], str | None], ...]] = {
    "citation": (_own_closure,),
    "ledger entry": (_own_oracle, _own_catalog_entry, _own_cases),
    "catalog entry": (_source, _ledger_additions),
    "claim removal": (_source, _other_oracles, _fixtures, _ledger_additions),
    "gate file": (_governed,),
}


def companions(kind: str, subject: Any, step: Step) -> Iterator[str]:
    """What the change also changes and may not travel with the subject, in words."""
    for companion in APART[kind]:
        if (what := companion(subject, step)) is not None:
            yield what

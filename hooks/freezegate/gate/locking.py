"""The digests of a scope as commands print and write them: computed as the rules compute them, or refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from freezegate import digests
from freezegate.errors import CannotJudge
from freezegate.gate.alone import readable
from freezegate.gate.governed import Governed
from freezegate.gate.rules.fixture_digest import digest_ambiguous, digest_input_kind, digest_input_missing
from freezegate.gate.scopes import ScopeView
from freezegate.paths import RepoPath
from freezegate.source.predicates import function_problem


def binding_digest(scope: ScopeView) -> str:
    """The binding digest in the policy's framing. Raises CannotJudge where a rule would refuse its inputs."""
    if (why := readable(scope)) is not None:
        raise CannotJudge(f"{scope.path} cannot be read: {why}", f"mend {scope.path}")
    for name in scope.named[1:]:
        if name.refused:
            raise CannotJudge(f"{scope.path}: {name.text} {name.refused}", "freezegate explain scope-path")
    for rule in (digest_input_missing, digest_input_kind, digest_ambiguous):
        for finding in rule(scope):
            raise CannotJudge(f"{finding.path}: {finding.message}", finding.hint)
    digest = scope.binding_digest(scope.tree.sized)
    if digest is None:
        raise CannotJudge(f"{scope.path}: a file that the digest covers is not there", "freezegate check --all-files")
    return digest


def stale_scopes(tree: Governed) -> Iterator[ScopeView]:
    """Scope files whose predicate digest is not that of the tree, or is missing where policy asks for one; and those
    that cannot be read, of which nobody knows.
    """
    required = tree.config.policy.require_predicate_digest
    for view in tree.finder.every():
        stated = view.value.predicate_digest if view.value is not None else None
        if view.value is None or (stated is None and required) or (stated is not None and _is_stale(view, stated)):
            yield view


def _is_stale(scope: ScopeView, stated: str) -> bool:
    return stated != scope.predicate_digest(scope.tree.sized or digests.is_sized(stated))


def staged_otherwise(staged: Governed, scopes: Iterable[ScopeView]) -> list[RepoPath]:
    """Files of the predicates' closures that the index does not hold as the scopes' own tree does, or holds besides:
    a digest of that tree fits the next commit only with them.
    """
    differing: set[bytes] = set()
    for scope in scopes:
        there, here = staged.closure(scope.predicate), scope.predicate_closure
        before, now = ({} if found is None else found.files for found in (there, here))
        differing |= {path for path, _ in before.items() ^ now.items()}
    return sorted(map(RepoPath, differing))


def predicate_lock(scope: ScopeView) -> str:
    """The predicate digest that the scope should state: sized where policy asks for it or the stated one is.

    Raises CannotJudge where the predicate is missing or its closure is not to be told.
    """
    if (why := readable(scope)) is not None:
        raise CannotJudge(f"it cannot be read: {why}")
    value, path = scope.value, scope.predicate
    assert value is not None
    if path is None:
        raise CannotJudge(f"its predicate {value.predicate_path} {scope.named[0].refused}")
    closure = scope.predicate_closure
    if closure is None or not closure.files:
        raise CannotJudge(f"there is no regular file {path}")
    if (problem := function_problem(scope.tree.module(path), value.predicate_function)) is not None:
        raise CannotJudge(f"its predicate {path}: {problem}")
    for where, found in closure.problems:
        raise CannotJudge(f"{RepoPath(where)}, line {found.line}: {found.message}")
    for link in closure.links:
        raise CannotJudge(f"{RepoPath(link)} is a link or submodule where the predicate imports from")
    sized = scope.tree.sized or (value.predicate_digest is not None and digests.is_sized(value.predicate_digest))
    if not sized:
        for file, entry in closure.files.items():
            if (ambiguous := digests.ambiguity(file)) is not None or scope.tree.archive.content(entry).has_zero:
                raise CannotJudge(f"{RepoPath(file)}: {ambiguous or 'it has a zero byte'}; set policy.framing to sized")
    digest = scope.predicate_digest(sized)
    assert digest is not None
    return digest

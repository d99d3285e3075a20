"""What the commands that run catalog properties share."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from freezegate.cli import running
from freezegate.errors import CannotJudge
from freezegate.text import escape

if TYPE_CHECKING:
    from freezegate.documents.config import Config
    from freezegate.gate.governed import Governed
    from freezegate.verdicts.propcheck import How

ATTEMPTS = 5


def add_attempts(parser: Any) -> None:
    """`--attempts N`."""
    parser.add_argument(
        "--attempts",
        metavar="N",
        type=running.natural,
        default=ATTEMPTS,
        help=f"runs of each property on the base revision (else {ATTEMPTS})",
    )


def how(options: argparse.Namespace, config: Config | None = None) -> How:
    """Where and how properties run: in `--environment` where one is named, of this config. Raises CannotJudge."""
    from freezegate.git.revisions import top_folder
    from freezegate.running.environments import chosen
    from freezegate.running.environments.command import CommandPlace
    from freezegate.running.environments.local import LocalPlace
    from freezegate.verdicts.propcheck import How

    name = getattr(options, "environment", None)
    place = LocalPlace("local") if name is None or config is None else chosen(config, name)
    if isinstance(place, CommandPlace):
        raise CannotJudge(
            f"the environment {escape(place.name)} is a command, which evaluates one case", "name another"
        )
    return How(place, running.python(options), options.time_limit, running.jobs(options), top_folder())


def say(text: str) -> None:
    """A note for a person, beside what is written."""
    sys.stderr.write(f"freezegate: {escape(text)}\n")


def refuse_other_catalog(tree: Governed, given: str) -> None:
    """The catalog is where the config in force says; a name for another folder is a mistake. Raises CannotJudge."""
    from freezegate.gate.alone import candidates
    from freezegate.git.worktree_files import current_folder

    if tree.places.catalog not in candidates(given, current_folder()):
        raise CannotJudge(
            f"{escape(given)} is not the catalog, which is {tree.places.catalog}/", f"name {tree.places.catalog}/"
        )


def chosen_ids(tree: Governed, only: str | None, claims: tuple[str, ...]) -> tuple[str, ...]:
    """The claimed ids, or the one that is named. Those of the catalog that nothing claims are named to the person.

    Raises CannotJudge where none is claimed, or the named one is not.
    """
    if not claims:
        raise CannotJudge(f"{tree.places.claimed} claims nothing that can be read", "list the claimed ids there")
    unclaimed = sorted(set(tree.properties_by_id) - set(claims))
    if unclaimed:
        say(f"not claimed, so not run: {', '.join(unclaimed)}")
    if only is not None and only not in claims:
        raise CannotJudge(f"{escape(only)} is not claimed", f"name one of: {', '.join(claims[:10])}")
    return claims if only is None else (only,)

"""A spec folder as a whole: which documents a document builds on, by where they lie and what they are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from reviewloop.review.artifact import Kind

_NAMES = {
    "prd.md": Kind.PRD,
    "research.md": Kind.RESEARCH,
    "requirements.md": Kind.REQUIREMENTS,
    "spec.md": Kind.REQUIREMENTS,
    "design.md": Kind.DESIGN,
    "plan.md": Kind.DESIGN,
    "tasks.md": Kind.TASKS,
}

_BUILDS_ON = {
    Kind.REQUIREMENTS: (Kind.PRD, Kind.RESEARCH),
    Kind.DESIGN: (Kind.RESEARCH, Kind.REQUIREMENTS),
    Kind.TASKS: (Kind.REQUIREMENTS, Kind.DESIGN),
    Kind.SPEC: (Kind.PRD,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Above:
    """A document that another builds on."""

    kind: Kind
    path: str


def upstream_of(path: str, kind: Kind, listing: Iterable[str]) -> tuple[Above, ...]:
    """What the document at `path` builds on, among the files of its folder, in the order it is written.

    Args:
        path: The document, relative to the project.
        kind: What it is.
        listing: The paths of the files around it.
    """
    here = PurePosixPath(path)
    wanted = _BUILDS_ON.get(kind, ())
    beside = [other for other in map(PurePosixPath, listing) if other.parent == here.parent and other != here]
    found = [
        Above(kind=_NAMES[other.name.lower()], path=str(other)) for other in beside if other.name.lower() in _NAMES
    ]
    return tuple(sorted((one for one in found if one.kind in wanted), key=lambda one: wanted.index(one.kind)))

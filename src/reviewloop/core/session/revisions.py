"""What the authors of a session did to the user's files, from its events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from reviewloop.core.session.events import Authored, Conflicted, Event, Resumed, Revised, Undone
from reviewloop.core.types.calls import FileChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One fix, or the first version, with the work of all its authors. `delivered`: it is in the user's tree."""

    iteration: int
    changes: tuple[FileChange, ...]
    time: datetime
    delivered: bool = False
    by_person: bool = False
    """What a person changed in the authors' files, and accepted with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdits:
    """All edits of one file in a session, oldest first."""

    path: str
    edits: tuple[FileChange, ...]

    @property
    def before(self) -> str | None:
        """The digest before the first edit; None if there was no file."""
        return self.edits[0].before

    @property
    def after(self) -> str | None:
        """The digest after the last edit; None if there is no file any more."""
        return self.edits[-1].after

    @property
    def is_broken(self) -> bool:
        """Whether somebody else changed the file between two edits."""
        return any(one.after != following.before for one, following in zip(self.edits, self.edits[1:], strict=False))

    @property
    def was_gone(self) -> bool:
        """Whether an author deleted the file at some point, and its permission bits with it."""
        return any(change.after is None for change in self.edits)


def revisions(events: Iterable[Event]) -> tuple[Revision, ...]:
    """The authors' work, oldest first. Work that met with a conflict, or was undone, is left out.

    What a person changed in the authors' files before accepting them is part of it. Only the last revision may be one
    that is on record and not delivered.
    """
    found: list[Revision] = []
    for event in events:
        match event.payload:
            case Authored(iteration=iteration, changes=changes):
                if found and not found[-1].delivered:  # the author before in the same fix, or work nobody delivered
                    found.pop()
                found.append(Revision(iteration=iteration, changes=changes, time=event.time))
            case Revised() if found:
                found[-1] = replace(found[-1], delivered=True, time=event.time)
            case Conflicted() if found:
                found.pop()
            case Resumed(changes=changes) if edited := _of_authors(changes, found):
                last = found[-1].iteration
                found.append(Revision(iteration=last, changes=edited, time=event.time, delivered=True, by_person=True))
            case Undone():
                found.clear()
            case _:
                pass
    return tuple(found)


def _of_authors(changes: tuple[FileChange, ...], works: list[Revision]) -> tuple[FileChange, ...]:
    """A person's changes to files that an author has changed before, with the permission bits that they had then."""
    bits = {change.path: change.executable for work in works for change in work.changes}
    return tuple(replace(change, executable=bits[change.path]) for change in changes if change.path in bits)


def edits_of(works: Iterable[Revision]) -> Mapping[str, FileEdits]:
    """The edits of each file, by path."""
    edits: dict[str, list[FileChange]] = {}
    for work in works:
        for change in work.changes:
            edits.setdefault(change.path, []).append(change)
    return {path: FileEdits(path=path, edits=tuple(edits[path])) for path in sorted(edits)}

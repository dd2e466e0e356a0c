"""An author's changes into the user's tree: all of them or none, and never over somebody else's work.

The order makes it safe to be killed between any two lines and to be run again. First everything is checked. Then every
new content is written beside its target and forced to disk, which is where a full disk shows. Only then are the names
moved, one after the other: each file is at any time wholly old or wholly new, and the next run sees which.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from reviewloop.core.types.artifact import digest_of
from reviewloop.core.types.calls import FileChange
from reviewloop.errors import WorkspaceError
from reviewloop.ports import Conflict
from reviewloop.temporary import is_leftover
from reviewloop.workspace.replace import Foreign, Moved, Staged, current, drop, is_done, move, stage
from reviewloop.workspace.reserved_names import never_copied, said
from reviewloop.workspace.safe_folders import folder, place_of

KEPT = ".reviewloop/conflicts"

_HINTS = {
    errno.ENOSPC: "the disk is full; make room, then resume",
    errno.EDQUOT: "your quota is used up; make room, then resume",
    errno.EFBIG: "the file is larger than this disk or this process may write",
    errno.EROFS: "the project lies on a read-only disk",
    errno.EACCES: "make the project's files and folders writable, then resume",
    errno.EPERM: "make the project's files and folders writable, then resume",
}


def bring_back(root: Path, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> Conflict | None:
    """Do what `ports.Workspace.bring_back` promises, here and now.

    Raises:
        WorkspaceError: The disk is full, a folder read-only, a content missing; the user's files are as they were.
    """
    _check_request(changes, blobs)
    with _os_errors_told():
        _remove_leftovers(root, changes)
        if foreign := [change.path for change in changes if _is_foreign(root, change)]:
            return _keep_aside(root, changes, blobs, foreign)
        return _apply(root, changes, blobs)


def _apply(root: Path, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> Conflict | None:
    staged: list[Staged] = []
    moved: list[Moved] = []
    try:
        for change in changes:
            if not is_done(root, change):
                staged.append(stage(root, change, blobs.get(change.after or "")))  # noqa: PERF401 - errors need it
        for one in staged:
            moved.append(move(root, one))  # noqa: PERF401 - what was moved before an error has to be known
    except Foreign as error:
        _undo(root, moved)
        return _keep_aside(root, changes, blobs, [error.path])
    except OSError:
        _undo(root, moved)
        raise
    finally:
        for one in staged:
            drop(root, one)
    return None


def _check_request(changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> None:
    if len({change.path for change in changes}) < len(changes):
        raise WorkspaceError("two changes to one file cannot be brought back", hint="this is a bug; please report it")
    for change in changes:
        place_of(change.path)
        if never_copied(change.path):
            raise WorkspaceError(
                f"{change.path} is not for authors to change", hint="change it yourself if you want to"
            )
        if change.after is not None and digest_of(blobs.get(change.after, b"")) != change.after:
            raise WorkspaceError(
                f"the author's version of {change.path} is missing or damaged", hint="run the author again"
            )


def _is_foreign(root: Path, change: FileChange) -> bool:
    """Whether the file is neither as the author found it nor as the author left it."""
    try:
        there = current(root, change.path)
    except Foreign:
        return True
    return (digest_of(there.data) if there else None) not in (change.before, change.after)


def _undo(root: Path, moved: Sequence[Moved]) -> None:
    """Take back what this run has moved, so that a conflict or an error leaves the tree as it was."""
    for one in reversed(moved):
        back = FileChange(
            path=one.change.path,
            before=one.change.after,
            after=digest_of(one.was.data) if one.was else None,
            executable=one.was.executable if one.was else False,
        )
        staged = stage(root, back, one.was.data if one.was else None, like=one.was.status if one.was else None)
        try:
            move(root, staged)
        except Foreign:
            continue  # the user has already gone on from the author's version; that is theirs now
        finally:
            drop(root, staged)


def _keep_aside(
    root: Path, changes: Sequence[FileChange], blobs: Mapping[str, bytes], foreign: Sequence[str]
) -> Conflict:
    """Put the author's versions where a person finds them. The same versions always get the same folder."""
    identity = digest_of("".join(f"{change.path}\0{change.after}\n" for change in changes))[:16]
    kept_at = f"{KEPT}/{identity}"
    try:
        for change in changes:
            aside = FileChange(
                path=f"{kept_at}/{change.path}", before=None, after=change.after, executable=change.executable
            )
            if change.after is not None and current(root, aside.path) is None:
                staged = stage(root, aside, blobs[change.after])
                move(root, staged)
                drop(root, staged)
    except Foreign as error:
        raise WorkspaceError(
            f"the author's version cannot be kept at {error.path}", hint=f"make {KEPT} a plain folder of the project"
        ) from error
    return Conflict(paths=tuple(foreign), kept_at=kept_at)


def _remove_leftovers(root: Path, changes: Sequence[FileChange]) -> None:
    """Remove the temporary files that a killed run left beside its targets."""
    for names in {place_of(change.path).folders for change in changes}:
        try:
            with folder(root, names) as at:
                for name in filter(is_leftover, os.listdir(at)):  # noqa: PTH208 - a descriptor has no path
                    os.unlink(name, dir_fd=at)
        except (FileNotFoundError, NotADirectoryError):
            continue


@contextmanager
def _os_errors_told() -> Generator[None]:
    try:
        yield
    except OSError as error:
        name = f" ({said(str(error.filename))})" if error.filename else ""
        raise WorkspaceError(
            f"the author's changes could not be brought back: {error.strerror}{name}",
            hint=_HINTS.get(error.errno or 0, "nothing was changed; resume when this is solved"),
        ) from error

"""Brings an author's changes into the user's tree: all or none, and never over other people's edits.

The order makes it safe to be killed between any two lines and to run again. First, everything is checked. Then every
new content is written beside its target and forced to disk, where a full disk shows. Only then are the files renamed,
one after the other. Each file is always entirely old or entirely new, and the next run sees which.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from reviewloop.core.types.artifact import digest_of
from reviewloop.core.types.calls import FileChange
from reviewloop.errors import WorkspaceError
from reviewloop.ports import Conflict
from reviewloop.temporary import is_leftover
from reviewloop.workspace.replace import ChangedMeanwhile, Moved, Staged, current, drop, is_done, move, stage
from reviewloop.workspace.reserved_names import never_copied, said
from reviewloop.workspace.safe_folders import folder, place_of

KEPT = ".reviewloop/conflicts"

_HINTS = {
    errno.ENOSPC: "the disk is full; free some space, then resume",
    errno.EDQUOT: "your disk quota is used up; free some space, then resume",
    errno.EFBIG: "the file is larger than this disk or process allows",
    errno.EROFS: "the project is on a read-only disk",
    errno.EACCES: "make the project's files and folders writable, then resume",
    errno.EPERM: "make the project's files and folders writable, then resume",
}


def bring_back(root: Path, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> Conflict | None:
    """Implement `ports.Workspace.bring_back` without async.

    Raises:
        WorkspaceError: The disk is full, a folder is read-only, or content is missing. The user's files are unchanged.
    """
    _check_request(changes, blobs)
    with _explained_os_errors("the author's changes could not be applied"):
        changed = _apply_all(root, changes, blobs)
        return _keep_aside(root, changes, blobs, changed) if changed else None


def restore(root: Path, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> tuple[str, ...]:
    """Implement `ports.Workspace.restore` without async.

    Raises:
        WorkspaceError: The disk is full, a folder is read-only, or content is missing. The user's files are unchanged.
    """
    _check_request(changes, blobs)
    with _explained_os_errors("the files could not be restored"):
        changed = _apply_all(root, changes, blobs)
        for path in [change.path for change in changes if change.after is None and not changed]:
            _remove_empty_folders(root, path)
        return tuple(changed)


def _apply_all(root: Path, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> list[str]:
    """Apply all changes. If files have changed meanwhile, apply none and return their paths."""
    _remove_leftovers(root, changes)
    changed = [change.path for change in changes if _has_changed(root, change)]
    return changed or _apply(root, changes, blobs)


def _apply(root: Path, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> list[str]:
    staged: list[Staged] = []
    moved: list[Moved] = []
    try:
        for change in changes:
            if not is_done(root, change):
                staged.append(stage(root, change, blobs.get(change.after or "")))  # noqa: PERF401 - complete also after an error
        for item in staged:
            moved.append(move(root, item))  # noqa: PERF401 - complete also after an error
    except ChangedMeanwhile as error:
        _undo(root, moved)
        return [error.path]
    except OSError:
        _undo(root, moved)
        raise
    finally:
        for item in staged:
            drop(root, item)
    return []


def _check_request(changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> None:
    if len({change.path for change in changes}) < len(changes):
        raise WorkspaceError("the author's changes name a file twice", hint="this is a bug; please report it")
    for change in changes:
        place_of(change.path)
        if never_copied(change.path):
            raise WorkspaceError(f"authors may not change {change.path}", hint="change it yourself")
        if change.after is not None and digest_of(blobs.get(change.after, b"")) != change.after:
            raise WorkspaceError(
                f"the author's version of {change.path} is missing or damaged", hint="run the author again"
            )


def _has_changed(root: Path, change: FileChange) -> bool:
    """Whether the file has neither the content that the author was given nor the author's new content."""
    try:
        content = current(root, change.path)
    except ChangedMeanwhile:
        return True
    return (digest_of(content.data) if content else None) not in (change.before, change.after)


def _undo(root: Path, moved: Sequence[Moved]) -> None:
    """Undo the moves of this run, so that a conflict or an error leaves the tree unchanged."""
    for item in reversed(moved):
        old = item.was
        back = FileChange(
            path=item.change.path,
            before=item.change.after,
            after=digest_of(old.data) if old else None,
            executable=old.executable if old else False,
        )
        staged = stage(root, back, old.data if old else None, like=old.status if old else None)
        try:
            move(root, staged)
        except ChangedMeanwhile:
            continue  # the user has already edited the author's version, so it stays
        finally:
            drop(root, staged)


def _keep_aside(
    root: Path, changes: Sequence[FileChange], blobs: Mapping[str, bytes], changed: Sequence[str]
) -> Conflict:
    """Keep the author's versions in a folder for the user. The same versions always get the same folder."""
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
    except ChangedMeanwhile as error:
        raise WorkspaceError(
            f"the author's version cannot be saved at {error.path}",
            hint=f"make {KEPT} an ordinary folder of the project",
        ) from error
    return Conflict(paths=tuple(changed), kept_at=kept_at)


def _remove_empty_folders(root: Path, path: str) -> None:
    """Remove the folders that contained nothing but this file."""
    names = place_of(path).folders
    with suppress(OSError):  # the folder is not empty, or is gone
        for depth in range(len(names) - 1, -1, -1):
            with folder(root, names[:depth]) as at:
                os.rmdir(names[depth], dir_fd=at)


def _remove_leftovers(root: Path, changes: Sequence[FileChange]) -> None:
    """Remove the temporary files that a killed run left beside its targets."""
    for names in {place_of(change.path).folders for change in changes}:
        try:
            with folder(root, names) as at:
                for name in filter(is_leftover, os.listdir(at)):  # noqa: PTH208 - pathlib takes no descriptor
                    os.unlink(name, dir_fd=at)
        except (FileNotFoundError, NotADirectoryError):
            continue


@contextmanager
def _explained_os_errors(what: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        name = f" ({said(str(error.filename))})" if error.filename else ""
        raise WorkspaceError(
            f"{what}: {error.strerror}{name}",
            hint=_HINTS.get(error.errno or 0, "your files are unchanged; try again when this is solved"),
        ) from error

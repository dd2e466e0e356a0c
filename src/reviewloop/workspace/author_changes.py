"""Finds an author's changes: compares its directory with what it was given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path

from reviewloop.core.types.artifact import Kind, digest_of
from reviewloop.core.types.calls import FileChange
from reviewloop.errors import ArtifactError, WorkspaceError
from reviewloop.ports import Work
from reviewloop.workspace import git
from reviewloop.workspace.allowed_changes import Permit
from reviewloop.workspace.directory_state import DirectoryState
from reviewloop.workspace.files import Limits, document_text, megabytes
from reviewloop.workspace.project_copy import CopiedFile, folders_of
from reviewloop.workspace.reserved_names import said
from reviewloop.workspace.safe_folders import Content, read_inside

MAX_BYTES = 100_000_000
_HINT = "your files are unchanged; check the author's answer, then run it again"

# Each changed file's new content; None if the author deleted it.
Changed = Mapping[str, Content | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """The files that an author was given, and links with their targets.

    `original` and `mode` return a file's original bytes and permission bits on demand, None if they are not known.
    """

    files: Mapping[str, CopiedFile]
    links: Mapping[str, str]
    original: Callable[[str], bytes | None]
    mode: Callable[[str], int | None] = field(default=lambda _: None)


def find_work(
    root: Path, directory: Path, before: Before, seen: DirectoryState, permit: Permit, limits: Limits
) -> Work:
    """Split the changes into those that may be brought back and those that may not.

    Raises:
        WorkspaceError: The author left nothing to review, or a file that cannot be read.
    """
    if seen.closed:
        raise WorkspaceError(f"the author removed {_names(seen.closed)} or made it unreadable", hint=_HINT)
    new = seen.files.keys() - before.files.keys()
    unwanted = {path for path in new if not permit.allows(path)}
    if permit.kind is Kind.CHANGE:
        unwanted |= git.ignored(root, sorted(new - unwanted))
    changed = _changed(directory, before, seen, unwanted)
    allowed = {path: changed[path] for path in sorted(changed) if permit.allows(path)}
    if permit.kind is not Kind.CHANGE:
        _check_documents(seen, allowed, permit, limits)
    folders = folders_of((*before.files, *before.links, *allowed))
    refused = _changed_links(directory, before, seen) | seen.odd | (changed.keys() - allowed.keys())
    refused |= {_outermost(path, folders) for path in unwanted}
    return _work(before, allowed, refused)


def _changed(directory: Path, before: Before, seen: DirectoryState, unwanted: AbstractSet[str]) -> Changed:
    changed: dict[str, Content | None] = {}
    remaining = MAX_BYTES
    for path in seen.files.keys() - unwanted:
        known, size = before.files.get(path), seen.files[path].st_size
        if size > remaining and (known is None or known.size != size):
            raise WorkspaceError(f"the author changed more than {megabytes(MAX_BYTES)}", hint=_HINT)
        content = _read(directory, path)
        if known is None or (known.digest, known.executable) != (digest_of(content.data), content.executable):
            changed[path] = content
            remaining -= len(content.data)
    # A file or folder that a link replaced does not count as deleted: the link itself is refused.
    hidden = tuple(link + "/" for link in seen.links)
    gone = before.files.keys() - seen.files.keys() - seen.links.keys()
    return changed | {path: None for path in gone if not path.startswith(hidden)}


def _read(directory: Path, path: str) -> Content:
    try:
        return read_inside(directory, path)
    except OSError as error:
        raise WorkspaceError(f"the author's {said(path)} cannot be read: {error.strerror}", hint=_HINT) from error


def _check_documents(seen: DirectoryState, allowed: Changed, permit: Permit, limits: Limits) -> None:
    """Raise if the next iteration could not review the author's result."""
    if missing := permit.named - seen.files.keys():
        raise WorkspaceError(f"the author destroyed the artifact: it deleted {_names(missing)}", hint=_HINT)
    if not (permit.files & seen.files.keys()) and not any(allowed.values()):
        raise WorkspaceError("the author destroyed the artifact: it deleted all files", hint=_HINT)
    for path, content in allowed.items():
        try:
            if content:
                document_text(path, content.data, limits)
        except ArtifactError as error:
            raise WorkspaceError(f"the author destroyed the artifact: {error.message}", hint=_HINT) from error


def _changed_links(directory: Path, before: Before, seen: DirectoryState) -> set[str]:
    now = {path: os.readlink(directory / path) for path in seen.links}  # noqa: PTH115 - keeps the target as it is written
    return {path for path in before.links.keys() | now.keys() if before.links.get(path) != now.get(path)}


def _outermost(path: str, folders: AbstractSet[str]) -> str:
    """Return the path, or the outermost new folder that contains it: build products are listed as one folder."""
    end = path.find("/")
    while end >= 0:
        if path[:end] not in folders:
            return path[: end + 1]
        end = path.find("/", end + 1)
    return path


def _work(before: Before, allowed: Changed, refused: Iterable[str]) -> Work:
    changes: list[FileChange] = []
    blobs: dict[str, bytes] = {}
    for path, content in allowed.items():
        known = before.files.get(path)
        original = before.original(path) if known else None
        if known and original is not None and digest_of(original) == known.digest:
            blobs[known.digest] = original
        after = digest_of(content.data) if content else None
        if content and after:
            blobs[after] = content.data
        changes.append(
            FileChange(
                path=path,
                before=known.digest if known else None,
                after=after,
                executable=content.executable if content else False,
                mode_before=before.mode(path) if known else None,
            )
        )
    return Work(changes=tuple(changes), refused=tuple(sorted(map(said, refused))), blobs=blobs)


def _names(paths: Iterable[str]) -> str:
    return ", ".join(sorted(map(said, paths)))

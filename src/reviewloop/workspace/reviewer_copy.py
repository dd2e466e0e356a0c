"""A reviewer's copy of the project, and a check that the reviewer changed nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from reviewloop.core.types.artifact import digest_of
from reviewloop.ports import Tampering
from reviewloop.workspace.directory_state import scan
from reviewloop.workspace.project_copy import Copied
from reviewloop.workspace.reserved_names import said
from reviewloop.workspace.safe_folders import content_of
from reviewloop.workspace.threads import in_thread

Signature = tuple[int, int, int, int]
_COMPARED_BYTES = 64_000_000  # a limit, because an agent may have created an endless file
_ODD: Signature = (-1, -1, -1, -1)


class FolderCopy:
    """A copy on disk, with a record of its files and the user's files at the time it was made."""

    def __init__(self, copied: Copied, root: Path, watched: Iterable[str]) -> None:
        self._copied = copied
        self._root = root
        self._signatures = _signatures(copied)
        self._tree = {path: _digest(root, path) for path in watched}

    @property
    def directory(self) -> Path:
        return self._copied.directory

    @property
    def complete(self) -> bool:
        """Whether the copy holds the whole project, not only the artifact and its upstream documents."""
        return self._copied.complete

    async def tampered(self) -> tuple[Tampering, ...]:
        return await in_thread(self._tampered)

    def _tampered(self) -> tuple[Tampering, ...]:
        in_copy = self._changed_in_copy()
        in_tree = tuple(sorted(path for path, was in self._tree.items() if was != _digest(self._root, path)))
        found = (("copy", in_copy), ("tree", in_tree))
        return tuple(Tampering(where=where, paths=paths) for where, paths in found if paths)

    def _changed_in_copy(self) -> tuple[str, ...]:
        now = _signatures(self._copied)
        changed = {path for path in self._signatures.keys() | now.keys() if self._signatures.get(path) != now.get(path)}
        # Files under review are compared by content, even if only their times changed.
        for path in self._copied.given:
            if _digest(self.directory, path) == self._copied.files[path].digest:
                changed.discard(path)
            else:
                changed.add(path)
        return tuple(sorted(said(path) for path in changed))


def _signatures(copied: Copied) -> Mapping[str, Signature]:
    """Return size, times and inode of every file. Every write to a file changes its ctime."""
    state = scan(copied.directory, copied.folders)
    files = {path: _signature(status) for path, status in (state.files | state.links).items()}
    return files | dict.fromkeys(state.odd | state.closed, _ODD)


def _signature(status: os.stat_result) -> Signature:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _digest(root: Path, path: str) -> str | None:
    content = content_of(root, path, most=_COMPARED_BYTES)
    return digest_of(content.data) if content else None

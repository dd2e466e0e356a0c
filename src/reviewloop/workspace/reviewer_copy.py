"""A reviewer's copy, and whether the reviewer kept its hands off."""

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
_ENOUGH = 64_000_000  # of a file to tell it from another; an agent may have made it endless
_ODD: Signature = (-1, -1, -1, -1)


class FolderCopy:
    """A copy on disk, with a record of how it and the user's own files looked when it was made."""

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
        """Whether the whole project is there, and not only the artifact and what it builds on."""
        return self._copied.complete

    async def tampered(self) -> tuple[Tampering, ...]:
        return await in_thread(self._tampered)

    def _tampered(self) -> tuple[Tampering, ...]:
        found = (
            Tampering(where="copy", paths=self._changed_in_copy()),
            Tampering(
                where="tree", paths=tuple(sorted(p for p, was in self._tree.items() if was != _digest(self._root, p)))
            ),
        )
        return tuple(one for one in found if one.paths)

    def _changed_in_copy(self) -> tuple[str, ...]:
        now = _signatures(self._copied)
        changed = {path for path in self._signatures.keys() | now.keys() if self._signatures.get(path) != now.get(path)}
        # What is reviewed counts by its content, touched or not.
        for path in self._copied.given:
            if _digest(self.directory, path) == self._copied.files[path].digest:
                changed.discard(path)
            else:
                changed.add(path)
        return tuple(sorted(said(path) for path in changed))


def _signatures(copied: Copied) -> Mapping[str, Signature]:
    """Size, times and inode of every file: nobody can write to a file and leave its ctime as it was."""
    seen = scan(copied.directory, copied.folders)
    files = {path: _signature(status) for path, status in (seen.files | seen.links).items()}
    return files | dict.fromkeys(seen.odd | seen.closed, _ODD)


def _signature(status: os.stat_result) -> Signature:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _digest(root: Path, path: str) -> str | None:
    content = content_of(root, path, most=_ENOUGH)
    return digest_of(content.data) if content else None

"""An author's scratch workspace: a copy of the project that it may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from reviewloop.ports import Work
from reviewloop.workspace.allowed_changes import Permit
from reviewloop.workspace.author_changes import Before, find_work
from reviewloop.workspace.directory_state import scan
from reviewloop.workspace.files import Limits
from reviewloop.workspace.project_copy import Copied
from reviewloop.workspace.reserved_names import said
from reviewloop.workspace.safe_folders import content_of
from reviewloop.workspace.threads import in_thread
from reviewloop.workspace.whole_file_edits import write_edits


class FolderScratch:
    """An author's copy on disk. Its changes reach the user's tree only when the engine brings them back."""

    def __init__(self, copied: Copied, root: Path, permit: Permit, limits: Limits) -> None:
        self._copied = copied
        self._root = root
        self._permit = permit
        self._limits = limits
        self._refused: frozenset[str] = frozenset()

    @property
    def directory(self) -> Path:
        return self._copied.directory

    @property
    def complete(self) -> bool:
        """Whether the copy holds the whole project, not only the artifact and its upstream documents."""
        return self._copied.complete

    async def write(self, edits: Mapping[str, str | None]) -> None:
        self._refused |= await in_thread(write_edits, self.directory, edits)

    async def work(self) -> Work:
        return with_refused(await in_thread(self._work), self._refused)

    def _work(self) -> Work:
        before = Before(files=self._copied.files, links=self._copied.links, original=self._original, mode=self._mode)
        seen = scan(self.directory, self._copied.folders)
        return find_work(self._root, self.directory, before, seen, self._permit, self._limits)

    def _original(self, path: str) -> bytes | None:
        if path in self._copied.given:
            return self._copied.given[path]
        # If the user has changed the file since, `find_work` notices by its digest.
        content = content_of(self._root, path)
        return content.data if content else None

    def _mode(self, path: str) -> int | None:
        content = content_of(self._root, path) if self._root != self.directory else None  # else there is no file
        return content.mode if content else None


def with_refused(work: Work, refused: frozenset[str]) -> Work:
    return replace(work, refused=tuple(sorted({*work.refused, *map(said, refused)})))

"""The workspace of a project on disk."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from reviewloop.core.types.artifact import Artifact, Kind, digest_of
from reviewloop.core.types.calls import FileChange
from reviewloop.core.types.scope import Scope
from reviewloop.errors import WorkspaceError
from reviewloop.ports import Conflict, Scratch
from reviewloop.temporary import folder_path, make_folder, remove_folder
from reviewloop.workspace.allowed_changes import Permit
from reviewloop.workspace.author_copy import FolderScratch
from reviewloop.workspace.bring_back import bring_back, restore
from reviewloop.workspace.file_listing import Caps
from reviewloop.workspace.files import Limits
from reviewloop.workspace.in_place import InPlace, end_record
from reviewloop.workspace.project_copy import Copied, make_copy
from reviewloop.workspace.reserved_names import never_copied
from reviewloop.workspace.reviewer_copy import FolderCopy
from reviewloop.workspace.source import Source, read_artifact
from reviewloop.workspace.threads import in_thread


class ProjectWorkspace:
    """An artifact in the user's tree, and copies of the project for agents.

    Args:
        root: The project.
        source: The files or the change under review.
        limits: The largest size of the artifact.
        caps: The largest project that is copied as a whole.
        protected: Globs of paths that no author may change.
        in_place: Let authors work in the user's tree itself, after a snapshot.
        temporary: The folder for copies; the system's temporary folder by default.
        kept_by_us: Files that Reviewloop itself writes while reviewers work.
        scope: Which documents the project wants reviewed, and their kinds.
    """

    def __init__(
        self,
        root: Path,
        source: Source,
        *,
        limits: Limits | None = None,
        caps: Caps | None = None,
        protected: Sequence[str] = (),
        in_place: bool = False,
        temporary: Path | None = None,
        kept_by_us: Sequence[str] = (),
        scope: Scope | None = None,
    ) -> None:
        self.root = Path(os.path.realpath(root))
        self.source = source
        self._limits = limits or Limits()
        self._caps = caps or Caps()
        self._protected = tuple(protected)
        self._in_place = in_place
        self._temporary = temporary
        self._kept_by_us = frozenset(kept_by_us)
        self._scope = scope

    async def read(self) -> Artifact:
        return await in_thread(read_artifact, self.root, self.source, self._limits, self._scope)

    @asynccontextmanager
    async def review_copy(
        self, artifact: Artifact, *, hides: Callable[[str], bool] | None = None
    ) -> AsyncGenerator[FolderCopy]:
        async with self._copy(artifact, hides) as copied:
            yield await in_thread(FolderCopy, copied, self.root, self._watched(artifact))

    def scratch(
        self, artifact: Artifact, *, hides: Callable[[str], bool] | None = None
    ) -> AbstractAsyncContextManager[Scratch]:
        return self._scratch_in_place(artifact) if self._in_place else self._scratch_copy(artifact, hides)

    async def bring_back(self, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> Conflict | None:
        conflict = await in_thread(bring_back, self.root, changes, blobs)
        if self._in_place:
            await in_thread(end_record, self.root, self._key)
        return conflict

    async def restore(self, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> tuple[str, ...]:
        changed = await in_thread(restore, self.root, changes, blobs)
        if self._in_place and not changed:
            await in_thread(end_record, self.root, self._key)
        return changed

    @asynccontextmanager
    async def _copy(self, artifact: Artifact, hides: Callable[[str], bool] | None) -> AsyncGenerator[Copied]:
        commit = self.source.range.end if self.source.range else None
        directory = folder_path(self.root, self._temporary)
        try:
            await in_thread(make_folder, directory)
            yield await in_thread(
                make_copy, self.root, directory, artifact, commit=commit, caps=self._caps, hides=hides
            )
        finally:
            await in_thread(remove_folder, directory)

    @asynccontextmanager
    async def _scratch_copy(
        self, artifact: Artifact, hides: Callable[[str], bool] | None
    ) -> AsyncGenerator[FolderScratch]:
        permit = self._permit(artifact)
        async with self._copy(artifact, hides) as copied:
            yield FolderScratch(copied, self.root, permit, self._limits)

    @asynccontextmanager
    async def _scratch_in_place(self, artifact: Artifact) -> AsyncGenerator[InPlace]:
        permit = self._permit(artifact)
        yield await in_thread(InPlace, self.root, self._key, permit, self._limits, self._caps)

    @property
    def _key(self) -> str:
        return digest_of(json.dumps(self.source.to_json(), sort_keys=True))[:16]

    def _permit(self, artifact: Artifact) -> Permit:
        """Return what an author may change, or raise if that is nothing."""
        if not self.source.editable:
            raise WorkspaceError(
                f"{self.source.name} is a change between two commits, which no author can edit",
                hint="omit the end of the range to review and fix the current files",
            )
        permit = Permit.of(self.root, self.source, artifact, self._protected)
        if self.source.paths and (closed := sorted(path for path in artifact.paths if never_copied(path))):
            raise WorkspaceError(
                f"{closed[0]} is where agents keep their settings, which authors may not edit",
                hint="move it to another folder, or revise it yourself",
            )
        return permit

    def _watched(self, artifact: Artifact) -> list[str]:
        """Return the user's files that reviewers must not change, except those that Reviewloop itself writes."""
        files = artifact.files[1:] if artifact.kind is Kind.CHANGE else artifact.files
        upstream = [file.path for document in artifact.upstream for file in document.files]
        return [*(file.path for file in files), *(path for path in upstream if path not in self._kept_by_us)]

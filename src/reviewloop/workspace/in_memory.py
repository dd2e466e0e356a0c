"""A workspace without files, for texts in memory and for many sessions at once."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.calls import FileChange
from reviewloop.errors import WorkspaceError
from reviewloop.ports import Conflict, Tampering, Work
from reviewloop.temporary import folder_path, make_folder, remove_folder
from reviewloop.workspace.allowed_changes import Permit
from reviewloop.workspace.author_copy import FolderScratch
from reviewloop.workspace.files import Limits, nothing_in
from reviewloop.workspace.project_copy import Copied, Copier
from reviewloop.workspace.reviewer_copy import FolderCopy
from reviewloop.workspace.whole_file_edits import write_edits


class MemoryWorkspace:
    """An artifact in memory. `kept` holds the author's versions after a conflict, by `Conflict.kept_at`."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        self.kept: dict[str, Mapping[str, str]] = {}

    async def read(self) -> Artifact:
        return self.artifact

    @asynccontextmanager
    async def review_copy(
        self,
        artifact: Artifact,
        *,
        hides: Callable[[str], bool] | None = None,  # noqa: ARG002 - nothing else is here
    ) -> AsyncGenerator[MemoryCopy]:
        copy = MemoryCopy(artifact)
        try:
            yield copy
        finally:
            copy.close()

    @asynccontextmanager
    async def scratch(
        self,
        artifact: Artifact,
        *,
        hides: Callable[[str], bool] | None = None,  # noqa: ARG002 - nothing else is here
    ) -> AsyncGenerator[MemoryScratch]:
        scratch = MemoryScratch(artifact)
        try:
            yield scratch
        finally:
            scratch.close()

    async def bring_back(self, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> Conflict | None:
        changed = await self.restore(changes, blobs)
        if not changed:
            return None
        kept_at = f"memory:{len(self.kept) + 1}"
        new = {change.path: _text(change, blobs) for change in changes}
        self.kept[kept_at] = {path: text for path, text in new.items() if text is not None}
        return Conflict(paths=changed, kept_at=kept_at)

    async def restore(self, changes: Sequence[FileChange], blobs: Mapping[str, bytes]) -> tuple[str, ...]:
        texts: dict[str, str | None] = {file.path: file.text for file in self.artifact.files}
        digests = {file.path: file.digest for file in self.artifact.files}
        new = {change.path: _text(change, blobs) for change in changes}
        changed = [change.path for change in changes if digests.get(change.path) not in (change.before, change.after)]
        if not changed:
            files = tuple(SourceFile(path=path, text=text) for path, text in (texts | new).items() if text is not None)
            self.artifact = replace(self.artifact, files=files)
        return tuple(changed)


class MemoryCopy:
    """A reviewer's copy that is only written to disk if a reviewer needs its directory."""

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact
        self._folder: FolderCopy | None = None

    @property
    def directory(self) -> Path:
        if self._folder is None:
            copied = _on_disk(self._artifact)
            self._folder = FolderCopy(copied, copied.directory, ())
        return self._folder.directory

    async def tampered(self) -> tuple[Tampering, ...]:
        return await self._folder.tampered() if self._folder else ()

    def close(self) -> None:
        if self._folder:
            remove_folder(self._folder.directory)


class MemoryScratch:
    """An author's edits by path, and a directory if the author needs one."""

    def __init__(self, artifact: Artifact) -> None:
        self._artifact = artifact
        self._permit = Permit(kind=artifact.kind, files=frozenset(artifact.paths))
        self._edits: dict[str, str | None] = {}
        self._folder: FolderScratch | None = None

    @property
    def directory(self) -> Path:
        if self._folder is None:
            copied = _on_disk(self._artifact)
            write_edits(copied.directory, self._edits)
            self._folder = FolderScratch(copied, copied.directory, self._permit, Limits())
        return self._folder.directory

    async def write(self, edits: Mapping[str, str | None]) -> None:
        if self._folder:
            await self._folder.write(edits)
        else:
            self._edits |= edits

    async def work(self) -> Work:
        return await self._folder.work() if self._folder else self._work()

    def close(self) -> None:
        if self._folder:
            remove_folder(self._folder.directory)

    def _work(self) -> Work:
        before = {file.path: file.text for file in self._artifact.files}
        digests = {file.path: file.digest for file in self._artifact.files}
        edits = {path: text for path, text in self._edits.items() if text != before.get(path)}
        allowed = {path: edits[path] for path in sorted(edits) if self._permit.allows(path)}
        self._check(before | allowed)
        old = [file for file in self._artifact.files if file.path in allowed]
        new = [SourceFile(path=path, text=text) for path, text in allowed.items() if text is not None]
        blobs = {file.digest: file.text.encode("utf-8", "surrogatepass") for file in (*old, *new)}
        after = {file.path: file.digest for file in new}
        changes = (FileChange(path=path, before=digests.get(path), after=after.get(path)) for path in allowed)
        return Work(changes=tuple(changes), refused=tuple(sorted(edits.keys() - allowed.keys())), blobs=blobs)

    def _check(self, texts: Mapping[str, str | None]) -> None:
        if self._artifact.kind is not Kind.CHANGE:
            remaining = {path: text for path, text in texts.items() if text is not None}
            problems = [f"{path} {reason}" for path, text in remaining.items() if (reason := nothing_in(text))]
            if problems or not remaining:
                problem = ", ".join(problems) or "it deleted all files"
                raise WorkspaceError(f"the author destroyed the artifact: {problem}", hint="run the author again")


def _on_disk(artifact: Artifact) -> Copied:
    directory = make_folder(folder_path())
    copier = Copier(directory, directory)
    given = {
        file.path: file.text.encode("utf-8", "surrogatepass")
        for document in (*artifact.upstream, artifact)
        for file in document.files
    }
    for path, data in given.items():
        copier.put(path, data, executable=False)
    return Copied(directory=directory, complete=True, files=copier.files, given=given)


def _text(change: FileChange, blobs: Mapping[str, bytes]) -> str | None:
    if change.after is None:
        return None
    if change.after not in blobs:
        raise WorkspaceError(f"the author's version of {change.path} is missing", hint="run the author again")
    return blobs[change.after].decode("utf-8", "surrogatepass")

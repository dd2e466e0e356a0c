"""Workspaces of tasks: where the first version is written, and a change that is known from the record, not from git."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

from reviewloop.core.types.artifact import Artifact, Kind, SourceFile
from reviewloop.core.types.calls import FileChange
from reviewloop.core.types.scope import Scope
from reviewloop.core.types.task import Commission
from reviewloop.documents import guess_kind
from reviewloop.errors import ArtifactError, WorkspaceError
from reviewloop.workspace.allowed_changes import Permit
from reviewloop.workspace.change import diff_name
from reviewloop.workspace.diff import unified
from reviewloop.workspace.documents import documents_below
from reviewloop.workspace.files import Reader, as_text
from reviewloop.workspace.project import ProjectWorkspace
from reviewloop.workspace.reserved_names import MARKDOWN, never_copied, said
from reviewloop.workspace.safe_folders import content_of
from reviewloop.workspace.source import Source, Upstream, files_of, read_upstream
from reviewloop.workspace.threads import in_thread

Changes = Callable[[], Awaitable[Sequence[FileChange]]]
"""What authors changed in a session so far, oldest first."""

Blob = Callable[[str], Awaitable[bytes | None]]


def task_source(root: Path, commission: Commission, kind: Kind | None = None) -> Source:
    """What a task's reviewers look at: its documents if it writes documents, else the change it makes.

    Raises:
        ArtifactError: Something the task is to be given is not there.
    """
    closed = next((path for path in commission.outputs if never_copied(path)), None)
    if closed:
        raise ArtifactError(
            f"{closed} lies where agents keep their settings, which no author gets to see", path=closed, hint="move it"
        )
    documents = commission.outputs and all(path.lower().endswith(MARKDOWN) for path in commission.outputs)
    first = guess_kind(commission.outputs[0], "") if documents else Kind.CHANGE
    return Source(
        kind=kind or first or Kind.DOCUMENT,
        name=commission.task,
        paths=commission.outputs if documents else (),
        upstream=tuple(one for path in commission.inputs for one in _upstream(root, path)),
    )


def _upstream(root: Path, path: str) -> list[Upstream]:
    """An input as text for reviewers. A folder without documents is there to be looked at, not to be quoted."""
    if (root / path).is_dir():
        return [Upstream(kind=Kind.SPEC, path=path, given=True)] if documents_below(root, path, Scope()).paths else []
    content = content_of(root, path)
    if content is None:
        raise ArtifactError(
            f"{path} is not there", path=path, hint="name what the task needs, and the task that writes it, if any"
        )
    text = as_text(content.data)
    kind = guess_kind(path, text or "") or Kind.DOCUMENT
    return [Upstream(kind=kind, path=path, given=True)] if text and text.strip() else []


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPermit(Permit):
    """Leave to write a task's outputs; anything, if it names none."""

    outputs: tuple[str, ...] = ()

    def allows(self, path: str) -> bool:
        # Not super(): a slotted dataclass is made anew, and the cell behind super() still holds the old one.
        mine = not self.outputs or any(path == one or path.startswith(f"{one}/") for one in self.outputs)
        return mine and Permit.allows(self, path)


def _kept_from_authors(commission: Commission) -> tuple[str, ...]:
    """A spec's list of tasks says what was asked for and what is done, which its authors do not decide."""
    return (commission.origin.file,) if commission.origin else ()


class FirstVersion(ProjectWorkspace):
    """The project before the task's work is there: what is missing of it is not an error."""

    def __init__(self, root: Path, source: Source, commission: Commission, **options: Any) -> None:
        super().__init__(root, source, protected=_kept_from_authors(commission), **options)
        self._commission = commission

    async def read(self) -> Artifact:
        return await in_thread(self._read)

    def _read(self) -> Artifact:
        there = [path for path in self.source.paths if (self.root / path).exists()]
        files_there = files_of(self.root, there, self.source.without)
        texts = [(path, content_of(self.root, path)) for path in files_there]
        files = [SourceFile(path=path, text=as_text(found.data) or "") for path, found in texts if found]
        upstream = read_upstream(self.root, self.source, Reader(self.root, self._limits)).artifacts
        return Artifact(kind=self.source.kind, name=self.source.name, files=tuple(files), upstream=upstream)

    def _permit(self, artifact: Artifact) -> Permit:
        del artifact
        protected = (*self._protected, *map(escape, self.source.without))
        return TaskPermit(kind=Kind.CHANGE, files=frozenset(), protected=protected, outputs=self._commission.outputs)


class RecordedChange(ProjectWorkspace):
    """What a task's authors changed, as a diff from what was there before them: without git, and nobody else's work."""

    def __init__(
        self, root: Path, source: Source, commission: Commission, changes: Changes, blob: Blob, **options: Any
    ) -> None:
        super().__init__(root, source, protected=_kept_from_authors(commission), **options)
        self._commission = commission
        self._changes = changes
        self._blob = blob

    async def read(self) -> Artifact:
        before: dict[str, bytes | None] = {}
        for change in await self._changes():
            if change.path not in before:
                before[change.path] = await self._blob(change.before) if change.before else None
        return await in_thread(self._as_change, before)

    def _as_change(self, before: dict[str, bytes | None]) -> Artifact:
        after = {path: content.data if (content := content_of(self.root, path)) else None for path in before}
        old, new = self._texts(before), self._texts(after)
        diff = unified(_revision(old), _revision(new)) + "".join(
            f"Binary file {said(path)} differs\n"
            for path in before
            if before[path] != after[path] and path not in old.keys() | new.keys()
        )
        if not diff and self._commission.verify is None:
            raise ArtifactError(
                f"nothing is left of what {self._commission.task} changed", hint="do it again: reviewloop work --fresh"
            )
        if len(diff) > self._limits.total:
            raise WorkspaceError("the change is too large to be reviewed", hint="split the task")
        files = (SourceFile(path=diff_name(self.root), text=diff), *_revision(new).files) if diff else ()
        upstream = read_upstream(self.root, self.source, Reader(self.root, self._limits)).artifacts
        return Artifact(kind=Kind.CHANGE, name=self.source.name, files=files, upstream=upstream)

    def _texts(self, found: dict[str, bytes | None]) -> dict[str, str]:
        return {
            path: text
            for path, data in found.items()
            if data is not None and len(data) <= self._limits.file and (text := as_text(data)) is not None
        }

    def _permit(self, artifact: Artifact) -> Permit:
        return TaskPermit(
            kind=Kind.CHANGE,
            files=frozenset(artifact.paths),
            protected=(*self._protected, *artifact.paths[:1]),
            outputs=self._commission.outputs,
        )


def _revision(texts: dict[str, str]) -> Artifact:
    files = tuple(SourceFile(path=path, text=text) for path, text in sorted(texts.items()))
    return Artifact(kind=Kind.SPEC, name="", files=files)

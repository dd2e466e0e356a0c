"""Workspaces of tasks: for the first version, and for a change that is known from the ledger, not from git."""

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
"""Returns the authors' changes in a session so far, oldest first."""

Blob = Callable[[str], Awaitable[bytes | None]]


def task_source(root: Path, commission: Commission, kind: Kind | None = None) -> Source:
    """Return what a task's reviewers review: its documents if it writes documents, else its change.

    Raises:
        ArtifactError: An input of the task does not exist.
    """
    closed = next((path for path in commission.outputs if never_copied(path)), None)
    if closed:
        raise ArtifactError(
            f"{closed} is where agents keep their settings, which authors may not edit", path=closed, hint="move it"
        )
    documents = commission.outputs and all(path.lower().endswith(MARKDOWN) for path in commission.outputs)
    first = guess_kind(commission.outputs[0], "") if documents else Kind.CHANGE
    return Source(
        kind=kind or first or Kind.DOCUMENT,
        name=commission.task,
        paths=commission.outputs if documents else (),
        upstream=tuple(upstream for path in commission.inputs for upstream in _upstream(root, path)),
    )


def _upstream(root: Path, path: str) -> list[Upstream]:
    """Return an input as upstream text for reviewers. A folder without documents is not part of the prompt."""
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
    """Permission to write a task's outputs, or any file if the task names none."""

    outputs: tuple[str, ...] = ()

    def allows(self, path: str) -> bool:
        # Not super(): a slotted dataclass replaces the class, but super() still refers to the original one.
        is_output = not self.outputs or any(path == output or path.startswith(f"{output}/") for output in self.outputs)
        return is_output and Permit.allows(self, path)


def _task_list(commission: Commission) -> tuple[str, ...]:
    """Return the spec's task list, which authors may not change: it says what was asked for and what is done."""
    return (commission.origin.file,) if commission.origin else ()


class FirstVersion(ProjectWorkspace):
    """The project before the task's first version exists, so missing outputs are not an error."""

    def __init__(self, root: Path, source: Source, commission: Commission, **options: Any) -> None:
        super().__init__(root, source, protected=_task_list(commission), **options)
        self._commission = commission

    async def read(self) -> Artifact:
        return await in_thread(self._read)

    def _read(self) -> Artifact:
        existing = [path for path in self.source.paths if (self.root / path).exists()]
        paths = files_of(self.root, existing, self.source.without)
        texts = [(path, content_of(self.root, path)) for path in paths]
        files = [SourceFile(path=path, text=as_text(found.data) or "") for path, found in texts if found]
        upstream = read_upstream(self.root, self.source, Reader(self.root, self._limits)).artifacts
        return Artifact(kind=self.source.kind, name=self.source.name, files=tuple(files), upstream=upstream)

    def _permit(self, artifact: Artifact) -> Permit:
        del artifact
        protected = (*self._protected, *map(escape, self.source.without))
        return TaskPermit(kind=Kind.CHANGE, files=frozenset(), protected=protected, outputs=self._commission.outputs)


class RecordedChange(ProjectWorkspace):
    """The changes of a task's authors as a diff, without git and without other people's changes."""

    def __init__(
        self, root: Path, source: Source, commission: Commission, changes: Changes, blob: Blob, **options: Any
    ) -> None:
        super().__init__(root, source, protected=_task_list(commission), **options)
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
                f"the changes of {self._commission.task} are gone",
                hint="restore them, or do the task again: reviewloop work with --fresh and its name",
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

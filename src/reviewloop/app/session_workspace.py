"""The workspaces of a session: where its artifact is read, and where its authors work."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reviewloop.app.project import Project
from reviewloop.core.types.artifact import Artifact, Kind
from reviewloop.core.types.scope import Scope
from reviewloop.core.types.task import Commission
from reviewloop.workspace.files import Limits
from reviewloop.workspace.source import Source, read_artifact
from reviewloop.workspace.threads import in_thread

if TYPE_CHECKING:
    from reviewloop.workspace.project import ProjectWorkspace
    from reviewloop.workspace.task_workspace import FirstVersion


def session_workspace(
    project: Project, source: Source, commission: Commission | None = None, session: str = "", *, alone: bool = True
) -> ProjectWorkspace:
    """Where a session's artifact is. In a task's session that is what its authors changed, as recorded.

    Only an author that is `alone` may work in the user's tree.
    """
    options = _options(project, alone=alone)
    if commission is None or source.kind is not Kind.CHANGE:
        from reviewloop.workspace.project import ProjectWorkspace

        return ProjectWorkspace(project.root, source, **options)
    from reviewloop.workspace.task_workspace import RecordedChange

    changes = partial(project.catalog.changes, commission.written_in, *commission.reviews, session)
    return RecordedChange(project.root, source, commission, changes, project.ledger.blob, **options)


async def session_artifact(project: Project, source: Source, commission: Commission | None, session: str) -> Artifact:
    """A session's artifact as it is now. Documents are read without the means to copy them for agents."""
    if commission and source.kind is Kind.CHANGE:
        return await session_workspace(project, source, commission, session).read()
    return await in_thread(_read, project.root, source, project.config.scope)


def _read(root: Path, source: Source, scope: Scope) -> Artifact:
    return read_artifact(Path(os.path.realpath(root)), source, Limits(), scope)


def first_version_workspace(project: Project, source: Source, commission: Commission, *, alone: bool) -> FirstVersion:
    """Where the author of a task writes the first version."""
    from reviewloop.workspace.task_workspace import FirstVersion

    return FirstVersion(project.root, source, commission, **_options(project, alone=alone))


def _options(project: Project, *, alone: bool) -> dict[str, Any]:
    from reviewloop.config.schema import WorkspaceMode

    return {
        "in_place": alone and project.config.review.workspace is WorkspaceMode.IN_PLACE,
        "kept_by_us": project.outputs.plans,
        "scope": project.config.scope,
    }

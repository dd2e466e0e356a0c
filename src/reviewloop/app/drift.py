"""Whether the passed text was changed since."""

from __future__ import annotations

from reviewloop.app.catalog import SessionState
from reviewloop.app.project import Project
from reviewloop.app.session_workspace import session_artifact
from reviewloop.core.types.artifact import Kind
from reviewloop.errors import ReviewloopError
from reviewloop.workspace.files import as_text
from reviewloop.workspace.safe_folders import content_of
from reviewloop.workspace.source import Source


async def has_drifted(project: Project, state: SessionState, *, with_boxes: bool = False) -> bool:
    """Whether the passed text was changed since. Later work by an author is recorded and does not count.

    Ticked boxes of a task list, and the fixes in it, count only `with_boxes`.
    """
    source = Source.from_json(state.history.started.source)
    if not state.history.digest or state.history.undo or not source.editable:
        return False
    try:
        now = await session_artifact(project, source, state.history.started.commission, state.id)
    except ReviewloopError:
        return True
    if now.digest == state.history.digest:
        return False
    is_diff = source.kind is Kind.CHANGE  # then the first file is no file of the project
    was = {state.path: state.digest for state in state.history.iterations[-1].checked.files[is_diff:]}
    new = {file.path: file.digest for file in now.files[is_diff:]}
    moved = {(path, new.get(path)) for path in was.keys() | new.keys() if was.get(path) != new.get(path)}
    is_list = source.kind is Kind.TASKS and not with_boxes
    ours = {(path, digest) for path, digest in moved if await _is_kept(project, path, was.get(path), is_list=is_list)}
    return not moved or not moved - ours <= await _written_since(project, state)


async def _is_kept(project: Project, path: str, before: str | None, *, is_list: bool) -> bool:
    """Whether only what Reviewloop keeps up to date in a file has changed: a plan's cells, a task list's boxes."""
    is_plan = path in project.outputs.plans
    if before is None or not (is_plan or is_list):
        return False
    blob, now = await project.ledger.blob(before), content_of(project.root, path)
    if blob is None or now is None:
        return False
    from reviewloop.documents.task_edits import without_progress
    from reviewloop.views.plan_table import without_cells

    texts = [as_text(data) or "" for data in (blob, now.data)]
    if is_plan:
        texts = [without_cells(text) for text in texts]
    if is_list:
        texts = [without_progress(text) for text in texts]
    return texts[0] == texts[1]


async def _written_since(project: Project, state: SessionState) -> set[tuple[str, str | None]]:
    """What authors wrote after a session ended: paths, and the digests of their texts."""
    heads = [head for head in await project.ledger.heads() if head.updated >= state.history.updated_at]
    later = [head.session for head in heads if head.session != state.id]
    return {(change.path, change.after) for session in later for change in await project.catalog.changes(session)}

"""The sessions that were begun on top of another one's work."""

from __future__ import annotations

from reviewloop.app.catalog import SessionState
from reviewloop.app.project import Project
from reviewloop.core.session.history import History
from reviewloop.errors import DamagedRecord


async def dependents(project: Project, state: SessionState) -> tuple[str, ...]:
    """The names of the sessions that build on this one and were begun after it, oldest first.

    A workflow's tasks depend on it by their configuration, the later tasks of a spec by their order, and every other
    session if it reads what this one wrote.
    """
    names = _dependent_tasks(project, state.history)
    found: dict[str, None] = {}
    heads = [head for head in await project.ledger.heads() if head.session != state.id]
    for head in sorted(heads, key=lambda head: head.started):
        if head.started < state.history.started_at or head.feature == state.history.feature:
            continue
        try:
            other = await project.catalog.history(head.session)
        except DamagedRecord:  # `status` names it
            continue
        if head.feature in names or _builds_on(other, state.history):
            found[head.feature] = None
    return tuple(found)


def _dependent_tasks(project: Project, history: History) -> set[str]:
    commission = history.started.commission
    if commission is None or project.config.tasks is None or commission.origin or commission.goal:
        return set()
    from reviewloop.config.workflow import workflow_of

    found = {commission.task}
    for task in workflow_of(project.config):  # in dependency order
        if found & set(task.depends_on):
            found.add(task.id)
    return found - {commission.task}


def _builds_on(other: History, history: History) -> bool:
    """Whether a session reads what another one wrote, or is a later task of the same spec."""
    mine, theirs = history.started.commission, other.started.commission
    if mine and theirs and mine.origin and theirs.origin:
        return mine.origin.folder == theirs.origin.folder
    written = {*history.started.paths, *(mine.outputs if mine else ())}
    read = {*other.started.upstream, *(theirs.inputs if theirs else ())}
    return any(
        path == above or path.startswith(f"{above}/") or above.startswith(f"{path}/")
        for path in read
        for above in written
    )

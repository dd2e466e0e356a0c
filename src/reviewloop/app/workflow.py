"""Working on tasks from the command line, for `work` and for who goes on after an answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from reviewloop.core.session.history import History
from reviewloop.core.types.review_cadence import Cadence

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.engine.context import Observer
    from reviewloop.engine.scheduler import Report
    from reviewloop.workspace.spec_folder import Spec


async def do_workflow(
    project: Project, observers: Sequence[Observer], tasks: Sequence[str], *, jobs: int = 1, fresh: Collection[str] = ()
) -> list[Report]:
    from reviewloop.app.tasks import Workshop

    return await Workshop(project=project, observers=observers, jobs=jobs, fresh=fresh).work(tasks)


async def do_spec(
    project: Project,
    observers: Sequence[Observer],
    spec: Spec,
    tasks: Sequence[str],
    *,
    when: str | None = None,
    fresh: Collection[str] = (),
) -> list[Report]:
    from reviewloop.app.spec_tasks import Builder

    cadence = (Cadence.parse(when) if when else None) or project.config.execution.review
    return await Builder(project=project, observers=observers, fresh=fresh, spec=spec, cadence=cadence).build(tasks)


async def go_on_with_the_rest(project: Project, observers: Sequence[Observer], history: History) -> list[Report]:
    """After a task of a workflow is done: the tasks that the user asked for together with it."""
    from reviewloop.workspace.spec_folder import spec_again

    commission = history.started.commission
    if commission is None:
        return []
    project = project.under(history.started.config_file)
    if origin := commission.origin:
        spec = spec_again(project.root, origin.folder, origin.file)
        return await do_spec(project, observers, spec, commission.wanted, when=origin.when)
    if project.config.tasks is None or commission.task not in project.config.tasks.entries:
        return []
    return await do_workflow(project, observers, commission.wanted)

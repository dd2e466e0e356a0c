"""Working on tasks from the command line, for `work` and for who goes on after an answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from reviewloop.review.cadence import Cadence
from reviewloop.review.history import History

if TYPE_CHECKING:
    from reviewloop.app import App
    from reviewloop.engine.desk import Observer
    from reviewloop.engine.workflow import Report
    from reviewloop.workspace.spec import Spec


async def do_workflow(
    app: App, observers: Sequence[Observer], tasks: Sequence[str], *, jobs: int = 1, fresh: Collection[str] = ()
) -> list[Report]:
    from reviewloop.workshop import Workshop

    return await Workshop(app=app, observers=observers, jobs=jobs, fresh=fresh).work(tasks)


async def do_spec(
    app: App,
    observers: Sequence[Observer],
    spec: Spec,
    tasks: Sequence[str],
    *,
    when: str | None = None,
    fresh: Collection[str] = (),
) -> list[Report]:
    from reviewloop.building import Builder

    cadence = (Cadence.parse(when) if when else None) or app.config.execution.review
    return await Builder(app=app, observers=observers, fresh=fresh, spec=spec, cadence=cadence).build(tasks)


async def go_on_with_the_rest(app: App, observers: Sequence[Observer], history: History) -> list[Report]:
    """After a task of a workflow is done: the tasks that the user asked for together with it."""
    from reviewloop.workspace.spec import spec_again

    commission = history.started.commission
    if commission is None:
        return []
    app = app.under(history.started.config_file)
    if origin := commission.origin:
        spec = spec_again(app.root, origin.folder, origin.file)
        return await do_spec(app, observers, spec, commission.wanted, when=origin.when)
    if app.config.tasks is None or commission.task not in app.config.tasks.entries:
        return []
    return await do_workflow(app, observers, commission.wanted)

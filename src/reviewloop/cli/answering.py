"""Going on with a session from the command line, for `resume` and `inbox answer`."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reviewloop.cli.output import message, print_json
from reviewloop.cli.progress import watched
from reviewloop.cli.show import exit_code, show
from reviewloop.cli.work import exit_code as workflow_exit_code
from reviewloop.cli.work import objects, table
from reviewloop.cli.working import go_on_with_the_rest
from reviewloop.engine.inbox import Said
from reviewloop.errors import ExitCode, SessionHeld
from reviewloop.views.session import session_object

if TYPE_CHECKING:
    from reviewloop.app import App
    from reviewloop.engine.desk import Observer
    from reviewloop.engine.workflow import Report
    from reviewloop.records import Ran


async def go_on(
    app: App, name: str, said: Said, *, quiet: bool, as_json: bool, overrides: Mapping[str, Any] | None = None
) -> ExitCode:
    """Put the answer on record, go on with the session and, if it is a task's, with the workflow around it."""
    from reviewloop.cli.featuring import is_feature, resume_feature

    said = replace(said, by=said.by or _who())
    if await is_feature(app, name):
        return await resume_feature(app, name, said, overrides or {}, quiet=quiet, as_json=as_json)
    with watched(quiet=quiet) as observers:
        ran = await app.resume(name, said, observers, overrides)
        reports = await _rest(app, observers, ran)
    if as_json:
        workflow = {"workflow": objects(reports)} if reports else {}
        print_json(session_object(ran.id, ran.history) | workflow)
    else:
        show(ran.id, ran.history, as_json=False, log=app.log_of(ran.history))
        table(reports)
    return workflow_exit_code(reports) if reports else exit_code(ran.history)


async def _rest(app: App, observers: tuple[Observer, ...], ran: Ran) -> list[Report]:
    if exit_code(ran.history) is not ExitCode.PASSED:
        return []
    try:
        return await go_on_with_the_rest(app, observers, ran.history)
    except SessionHeld as error:
        message(f"{error.message}, and will see the answer")
        return []


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""

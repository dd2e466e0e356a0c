"""Going on with a session from the command line, for `resume` and `inbox answer`."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reviewloop.app.workflow import go_on_with_the_rest
from reviewloop.cli.live import watched
from reviewloop.cli.output import message, print_json
from reviewloop.cli.session_text import exit_code, show
from reviewloop.cli.work import exit_code as workflow_exit_code
from reviewloop.cli.work import objects, table
from reviewloop.engine.human_answer import PersonAnswer
from reviewloop.errors import ExitCode, SessionHeld
from reviewloop.views.session_object import session_object

if TYPE_CHECKING:
    from reviewloop.app.catalog import SessionState
    from reviewloop.app.project import Project
    from reviewloop.engine.context import Observer
    from reviewloop.engine.scheduler import Report


async def go_on(
    project: Project,
    name: str,
    said: PersonAnswer,
    *,
    quiet: bool,
    as_json: bool,
    overrides: Mapping[str, Any] | None = None,
) -> ExitCode:
    """Put the answer on record, go on with the session and, if it is a task's, with the workflow around it."""
    from reviewloop.cli.feature_text import is_feature, resume_feature

    said = replace(said, by=said.by or _who())
    if await is_feature(project, name):
        return await resume_feature(project, name, said, overrides or {}, quiet=quiet, as_json=as_json)
    with watched(quiet=quiet) as observers:
        state = await project.resume(name, said, observers, overrides)
        reports = await _rest(project, observers, state)
    if as_json:
        workflow = {"workflow": objects(reports)} if reports else {}
        print_json(session_object(state.id, state.history) | workflow)
    else:
        show(state.id, state.history, as_json=False, log=project.log_of(state.history))
        table(reports)
    return workflow_exit_code(reports) if reports else exit_code(state.history)


async def _rest(project: Project, observers: tuple[Observer, ...], state: SessionState) -> list[Report]:
    if exit_code(state.history) is not ExitCode.PASSED:
        return []
    try:
        return await go_on_with_the_rest(project, observers, state.history)
    except SessionHeld as error:
        message(f"{error.message}, and will see the answer")
        return []


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""

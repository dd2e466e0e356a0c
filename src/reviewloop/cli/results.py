"""How commands show what came of sessions and tasks."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewloop.app.exit_codes import of_session, of_workflow
from reviewloop.app.session_data import restart_command, session_object, task_object
from reviewloop.cli.output import console, message, print_json, print_table
from reviewloop.errors import ArtifactError, ExitCode
from reviewloop.reports.session_text import describe

if TYPE_CHECKING:
    from reviewloop.app.answers import Answered
    from reviewloop.app.catalog import SessionState
    from reviewloop.app.project import Project
    from reviewloop.engine.scheduler import Report


def show_session(project: Project, state: SessionState, *, as_json: bool) -> ExitCode:
    """A session after it was worked on."""
    if as_json:
        print_json(session_object(state))
    else:
        describe(state.id, state.history, console(), log=project.log_of(state.history))
    return of_session(state.history)


def show_answer(project: Project, answered: Answered, *, as_json: bool) -> ExitCode:
    """A session after a person's answer, and the tasks that continued after it."""
    if answered.session is None:
        return show_feature(project, answered.feature, as_json=as_json)
    workflow = answered.workflow
    if as_json:
        rest: dict[str, object] = {"workflow": [task_object(report) for report in workflow]} if workflow else {}
        built_on = {"dependents": list(answered.dependents)} if answered.dependents else {}
        print_json(session_object(answered.session) | rest | built_on)
    else:
        show_session(project, answered.session, as_json=False)
        show_tasks(workflow, as_json=False)
    return of_workflow(workflow) if workflow else of_session(answered.session.history)


def show_feature(project: Project, reports: Sequence[Report], *, as_json: bool) -> ExitCode:
    """A feature's specs and tasks, and everything about the one that is not done."""
    from reviewloop.app.catalog import SessionState

    specs, tasks = reports
    stopped = next((report for report in reports if not report.is_done), specs)
    if stopped.history is None:
        raise ArtifactError(stopped.because, hint="fix that, then run the same command again")
    if as_json:
        assert specs.history is not None
        found = session_object(SessionState(id=tasks.session, history=tasks.history)) if tasks.history else None
        print_json(session_object(SessionState(id=specs.session, history=specs.history)) | {"tasks": found})
    else:
        show_tasks(reports, as_json=False)
        console().print()
        describe(stopped.session, stopped.history, console(), log=project.log_of(stopped.history))
        if stopped.is_done:
            message(f"do the tasks with: reviewloop work --spec {specs.task.commission.feature}")
    return ExitCode.PASSED if stopped.is_done else of_session(stopped.history)


def show_tasks(reports: Sequence[Report], *, as_json: bool) -> None:
    """Where every task stands."""
    if as_json:
        print_json({"tasks": [task_object(report) for report in reports]})
        return
    if not reports:
        return
    from reviewloop.reports.safe_text import one_line

    rows = ((report.task.id, report.state_text, one_line(report.because)) for report in reports)
    print_table(("task", "state", "why"), rows)
    for report in reports:
        if report.is_waiting:
            message(f"{report.task.id} waits for you: reviewloop inbox show {shlex.quote(report.task.id)}")
        elif command := restart_command(report):
            message(f"{report.task.id} was rejected; to start it again: {command}")

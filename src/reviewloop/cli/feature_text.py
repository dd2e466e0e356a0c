"""A feature from its PRD on the command line, for `run` and `resume`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from reviewloop.app.feature import Features, tasks_name
from reviewloop.app.targets.sources import overrides_of
from reviewloop.cli.live import watched
from reviewloop.cli.output import message, print_json
from reviewloop.cli.session_text import describe, exit_code
from reviewloop.cli.work import show as show_table
from reviewloop.engine.human_answer import PersonAnswer
from reviewloop.engine.scheduler import Report, State
from reviewloop.errors import ArtifactError, ExitCode
from reviewloop.views.session_object import session_object
from reviewloop.workspace.prds import find_prd, load_prd

if TYPE_CHECKING:
    from reviewloop.app.project import Project
    from reviewloop.documents.prd_header import Prd


def prd_of(project: Project, asked: Mapping[str, Any]) -> Prd | None:
    """The PRD that `run` is to begin with; None if it was pointed at something that is there to be reviewed."""
    path, feature = asked.get("prd"), asked.get("feature")
    if asked.get("paths") or asked.get("git_range"):
        return None
    if path:
        return load_prd(project.root, project.cwd / path).called(asked.get("name") or feature)
    return find_prd(project.root, feature) if feature else None


async def run_feature(
    project: Project, prd: Prd, asked: Mapping[str, Any], *, fresh: bool, quiet: bool, as_json: bool
) -> ExitCode:
    anew = (prd.feature, tasks_name(prd.feature)) if fresh else ()
    features = Features(project=project, overrides=overrides_of(asked), fresh=anew)
    return await _watched(features, lambda one: one.run(prd), quiet=quiet, as_json=as_json)


async def is_feature(project: Project, name: str) -> bool:
    """Whether a session is one of a feature from a PRD."""
    commission = (await project.catalog.named(name)).history.started.commission
    return commission is not None and bool(commission.feature)


async def resume_feature(
    project: Project, name: str, said: PersonAnswer, overrides: Mapping[str, Any], *, quiet: bool, as_json: bool
) -> ExitCode:
    features = Features(project=project, overrides=overrides)
    return await _watched(features, lambda one: one.resume(name, said), quiet=quiet, as_json=as_json)


async def _watched(
    features: Features, work: Callable[[Features], Awaitable[list[Report]]], *, quiet: bool, as_json: bool
) -> ExitCode:
    with watched(quiet=quiet) as observers:
        reports = await work(replace(features, observers=observers))
    return _show(features.project, reports, as_json=as_json)


def _show(project: Project, reports: list[Report], *, as_json: bool) -> ExitCode:
    """The specs and the tasks, and all about the one that is not done."""
    specs, tasks = reports
    stopped = next((one for one in reports if one.state is not State.DONE), specs)
    if stopped.history is None:
        raise ArtifactError(stopped.because)
    if as_json:
        assert specs.history is not None
        found = session_object(tasks.session, tasks.history) if tasks.history else None
        print_json(session_object(specs.session, specs.history) | {"tasks": found})
    else:
        show_table(reports, as_json=False)
        click.echo()
        describe(stopped.session, stopped.history, log=project.log_of(stopped.history))
        if stopped.state is State.DONE:
            message(f"do the tasks with: reviewloop work --spec {specs.task.feature}")
    return ExitCode.PASSED if stopped.state is State.DONE else exit_code(stopped.history)

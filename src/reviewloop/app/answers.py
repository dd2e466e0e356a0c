"""A person's answer to a session, and then the rest of the work that waited for it."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reviewloop.app.catalog import SessionState
from reviewloop.app.dependents import dependents
from reviewloop.app.feature import FeatureRun, is_feature
from reviewloop.app.project import Project
from reviewloop.app.sessions import resume
from reviewloop.app.spec_tasks import run_spec_tasks
from reviewloop.app.workflow import run_workflow
from reviewloop.core.session.history import History
from reviewloop.core.types.outcome import PASSING, Answer
from reviewloop.engine.context import Observer
from reviewloop.engine.human_answer import PersonAnswer
from reviewloop.engine.scheduler import Report
from reviewloop.errors import SessionHeld
from reviewloop.workspace.spec_folder import reopen_spec

OWNER = "owner"
"""The role of a person who does not say another one."""

__all__ = ["Answer", "Answered", "PersonAnswer", "answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came of an answer: the session, or a feature's parts, and the tasks that continued after it.

    `dependents` are sessions that were begun on top of work whose pass a person overruled. They are not stopped.
    """

    session: SessionState | None = None
    dependents: tuple[str, ...] = ()
    feature: tuple[Report, ...] = ()
    workflow: tuple[Report, ...] = ()


async def answer(
    project: Project,
    name: str,
    said: PersonAnswer,
    observers: Sequence[Observer] = (),
    overrides: Mapping[str, Any] | None = None,
) -> Answered:
    """Record a person's answer, continue the session, and then the workflow that the session belongs to."""
    said = replace(said, by=said.by or _user(), role=said.role or OWNER)
    before = await project.catalog.named(name)
    built_on = await dependents(project, before) if _overrules(before.history, said) else ()
    if _overrules(before.history, said):
        _untick(project, before.history)
    if built_on:
        project.warn(f"built on this work and not stopped: {', '.join(built_on)}")
    if await is_feature(project, name):
        feature = FeatureRun(project=project, observers=observers, overrides=overrides or {})
        return Answered(feature=tuple(await feature.resume(name, said)), dependents=built_on)
    state = await resume(project, name, said, observers, overrides)
    return Answered(session=state, workflow=tuple(await _rest(project, observers, state)), dependents=built_on)


def _untick(project: Project, history: History) -> None:
    """Open the box of a spec's task before its pass is overruled: after a crash in between, `work` ticks it again."""
    commission = history.started.commission
    origin = commission.origin if commission and not commission.reviews else None
    if origin and (project.root / origin.file).is_file():
        from reviewloop.app.spec_files import SpecFiles

        SpecFiles(project=project, spec=reopen_spec(project.root, origin.folder, origin.file)).reopen(history)


def _overrules(history: History, said: PersonAnswer) -> bool:
    return history.outcome in PASSING and said.action in (Answer.RETRY, Answer.REJECT)


async def _rest(project: Project, observers: Sequence[Observer], state: SessionState) -> list[Report]:
    if state.history.outcome not in PASSING:
        return []
    try:
        return await continue_workflow(project, observers, state.history)
    except SessionHeld as error:
        project.warn(f"{error.message}, which will pick up the answer")
        return []


async def continue_workflow(project: Project, observers: Sequence[Observer], history: History) -> list[Report]:
    """After a task is done: the tasks that the user asked for together with it."""
    commission = history.started.commission
    if commission is None:
        return []
    project = project.under(history.started.config_file)
    if origin := commission.origin:
        spec = reopen_spec(project.root, origin.folder, origin.file)
        return await run_spec_tasks(project, spec, commission.wanted, observers, when=origin.when)
    if project.config.tasks is None or commission.task not in project.config.tasks.entries:
        return []
    return await run_workflow(project, commission.wanted, observers)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""

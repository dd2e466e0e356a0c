"""Runs tasks: each is a session of its own, started, continued, or reviewed again if its work changed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from reviewloop.app.catalog import SessionState
from reviewloop.app.drift import has_drifted
from reviewloop.app.project import Project
from reviewloop.app.sessions import begin_task, continue_task, first_event
from reviewloop.core.types.outcome import PASSING, Outcome
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.task import Commission, Task
from reviewloop.engine.context import Observer
from reviewloop.engine.scheduler import Delivery, Report, Worked, work
from reviewloop.errors import SessionHeld
from reviewloop.workspace.source import Source
from reviewloop.workspace.task_workspace import task_source


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewTerms:
    """How strictly a task is reviewed, and the settings that say so."""

    overrides: Mapping[str, Any]
    policy: Policy


def terms_under(project: Project, profile: str, source: Source, settings: Mapping[str, Any]) -> ReviewTerms:
    """How work is reviewed under a profile: by the project's panel, if it is configured to have one."""
    reviewed_by = "panel" if project.config.profile == "panel" else profile
    overrides = {"profile": reviewed_by, **settings}
    return ReviewTerms(overrides=overrides, policy=project.policy(source, overrides, within=profile))


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSet:
    """What the tasks of a workflow, a plan, a feature and a spec do differently.

    Args:
        terms: How a task is reviewed.
        source: What its reviewers look at; by default its outputs, or the change it makes.
        known: The session that did the task before; by default the newest of its name.
        prepare: Completes a task right before it starts.
    """

    terms: Callable[[Task, Source], ReviewTerms]
    source: Callable[[Commission], Source] | None = None
    known: Callable[[Task], Awaitable[SessionState | None]] | None = None
    prepare: Callable[[Task], Awaitable[Task]] | None = None


@dataclass(frozen=True, kw_only=True)
class TaskRunner:
    """Works on tasks of a project, at most `jobs` at a time.

    `fresh` are tasks to do again. `wanted` is what the user asked for; it is recorded with each task, so that the
    answer to a question about one of them continues with the others.
    """

    project: Project
    tasks: TaskSet
    observers: Sequence[Observer] = ()
    jobs: int = 1
    fresh: Collection[str] = ()
    wanted: tuple[str, ...] = ()

    async def run(self, tasks: Sequence[Task]) -> list[Report]:
        """Do the tasks in dependency order."""
        return await work(tasks, self.do, jobs=self.jobs)

    async def do(self, task: Task, delivery: Delivery) -> Worked:
        """Start a task, continue it, or see that it is done."""
        if self.tasks.prepare:
            task = await self.tasks.prepare(task)
        async with self.project.ledger.hold(task.id):
            known = None if task.id in self.fresh else await self._known(task)
            outcome = known.history.outcome if known else None
            if known and outcome is None:
                alone = self.jobs == 1
                known = await continue_task(self.project, known, self.observers, delivery, alone=alone)
            elif known and outcome is not Outcome.UNDONE:
                stale = outcome in PASSING and await self._is_stale(known)
                known = await self._begin(task, delivery, again=known) if stale else known
                await self.project.outputs.catch_up(known)
            if known is None or known.history.outcome is Outcome.UNDONE:
                known = await self._begin(task, delivery, again=known)
        return Worked(session=known.id, history=known.history)

    async def _known(self, task: Task) -> SessionState | None:
        return await (self.tasks.known(task) if self.tasks.known else newest_session(self.project, task.id))

    async def _is_stale(self, state: SessionState) -> bool:
        commission = state.history.started.commission
        return commission is not None and commission.is_reviewed and await has_drifted(self.project, state)

    async def _begin(self, task: Task, delivery: Delivery, again: SessionState | None) -> SessionState:
        """Start a task. If its work is there and changed since, only review it again."""
        before = again.history.started.commission if again else None
        written_in = (before.written_in or again.id) if before and again else ""
        if before and again and again.history.outcome is Outcome.UNDONE:  # its own work is gone
            written_in = before.written_in
        commission = replace(task.commission, written_in=written_in, wanted=self.wanted)
        find = self.tasks.source
        source = find(commission) if find else task_source(self.project.root, commission)
        terms = self.tasks.terms(task, source)
        started = first_event(self.project, source, terms.policy, terms.overrides, commission)
        return await begin_task(self.project, started, source, self.observers, delivery, alone=self.jobs == 1)


async def newest_session(project: Project, task: str) -> SessionState | None:
    """The task's newest session. A session of the same name on a document does not count."""
    for head in await project.ledger.heads(task):
        history = await project.catalog.history(head.session)
        if history.started.commission:
            return SessionState(id=head.session, history=history)
    return None


@asynccontextmanager
async def exclusive(project: Project, lease: str, what: str) -> AsyncGenerator[None]:
    """Keep other processes from the same work, and refuse agents with invalid settings."""
    project.refuse_wrong_settings()
    try:
        async with project.ledger.hold(lease):
            yield
    except SessionHeld as error:
        if error.session == lease:
            error.message = f"{what} is being worked on by {error.owner}"
            error.hint = "wait for it; `reviewloop status` shows its progress"
        raise

"""A project's tasks, done: each is a session of its own, under the task's name."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from reviewloop.app.catalog import SessionState
from reviewloop.app.drift import has_drifted
from reviewloop.app.project import Project, as_commissioned, new_id
from reviewloop.config.workflow import workflow_of
from reviewloop.core.judging.condition_language import asks_for_scores, names_in, parse
from reviewloop.core.panel.stages import is_staged, with_quality
from reviewloop.core.session.events import Started
from reviewloop.core.types.outcome import PASSING
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.rubric import FOUR_CRITERIA
from reviewloop.core.types.task import Commission, Overlay, Task, with_dependencies
from reviewloop.engine.context import Observer, SessionContext
from reviewloop.engine.human_answer import PersonAnswer, answer
from reviewloop.engine.runner import run
from reviewloop.engine.scheduler import Delivery, Report, Worked, work
from reviewloop.engine.session import Session
from reviewloop.errors import SessionHeld, UsageError
from reviewloop.text import did_you_mean
from reviewloop.workspace.source import Source
from reviewloop.workspace.task_workspace import task_source

LEASE = "reviewloop work"
"""The name under which one process at a time works on the workflow."""


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """Works on the tasks of a project, at most `jobs` at a time.

    `fresh` are those to be done again. `wanted` is what the user asked for; it is on record with each task, so that who
    answers a question about one of them can go on with the others.
    """

    project: Project
    observers: Sequence[Observer] = ()
    jobs: int = 1
    fresh: Collection[str] = ()
    wanted: tuple[str, ...] = ()

    async def work(self, wanted: Sequence[str] = ()) -> list[Report]:
        """Do the wanted tasks and what they build on; all of them, if none is named."""
        tasks = workflow_of(self.project.config)
        known = [task.id for task in tasks]
        if not tasks:
            raise UsageError("there are no tasks", hint="write them under `tasks` in reviewloop.yml")
        for name in (*wanted, *self.fresh):
            if name not in known:
                near = did_you_mean(name, known)
                hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
                raise UsageError(f"there is no task `{name}`", hint=hint)
        async with self.alone(LEASE, "the workflow"):
            shop = replace(self, wanted=tuple(wanted))
            return await work(with_dependencies(tasks, wanted or known), shop.do, jobs=self.jobs)

    @asynccontextmanager
    async def alone(self, lease: str, what: str) -> AsyncGenerator[None]:
        """Be the only one who works on it, with agents whose settings make sense."""
        self.project.refuse_wrong_settings()
        try:
            async with self.project.ledger.hold(lease):
                yield
        except SessionHeld as error:
            if error.session == lease:
                error.message = f"{what} is being worked on by {error.owner}"
                error.hint = "wait for it; `reviewloop status` shows how far it is"
            raise

    async def do(self, task: Task, delivery: Delivery) -> Worked:
        """Start on a task, go on with it, or see that it is done."""
        async with self.project.ledger.hold(task.id):
            known = None if task.id in self.fresh else await self.known(task)
            outcome = known.history.outcome if known else None
            if known and outcome is None:
                state = await self._go_on(known, delivery)
            elif known and not (outcome in PASSING and await self._is_stale(known)):
                state = known
                await self.project.outputs.catch_up(state)
            else:
                state = await self._begin(task, delivery, again=known)
        return Worked(session=state.id, history=state.history)

    async def known(self, task: Task) -> SessionState | None:
        """What was done for the task already."""
        return await self.newest(task.id)

    async def newest(self, task: str) -> SessionState | None:
        """The task's newest session; one of the same name on a document does not count."""
        for head in await self.project.ledger.heads():
            if head.feature == task:
                state = SessionState(id=head.session, history=await self.project.catalog.history(head.session))
                if state.history.started.commission:
                    return state
        return None

    async def _is_stale(self, state: SessionState) -> bool:
        commission = state.history.started.commission
        return commission is not None and commission.is_reviewed and await has_drifted(self.project, state)

    async def _go_on(self, known: SessionState, delivery: Delivery) -> SessionState:
        """After a crash: where it was, under the settings as they are now."""
        started = known.history.started
        source = Source.from_json(started.source)
        await self.project.outputs.remember(source)
        context = self._context(source, started.commission, known.id, delivery)
        session = await Session.open(known.id, context)
        assert session is not None
        policy = as_commissioned(started, await self.project.informed(self.project.policy(source, started.overrides)))
        await answer(session, PersonAnswer(), policy, context)
        return SessionState(id=session.id, history=session.history)

    async def _begin(self, task: Task, delivery: Delivery, again: SessionState | None) -> SessionState:
        """Start on a task; if its work is there and somebody changed it since, review it again."""
        before = again.history.started.commission if again else None
        written_in = (before.written_in or again.id) if before and again else ""
        commission = replace(commission_of(task, written_in), wanted=self.wanted)
        source = self.source(commission)
        await self.project.outputs.remember(source)
        session_id = new_id(task.id)
        context = self._context(source, commission, session_id, delivery)
        started = self.started(task, commission, source)
        started = replace(started, policy=await self.project.informed(started.policy))
        session = Session.start(session_id, started, context)
        await run(session, context)
        return SessionState(id=session.id, history=session.history)

    def source(self, commission: Commission) -> Source:
        """What the task's reviewers look at, and what it builds on."""
        return task_source(self.project.root, commission)

    def _context(
        self, source: Source, commission: Commission | None, session: str, delivery: Delivery
    ) -> SessionContext:
        context = self.project.context(source, self.observers, commission, session, alone=self.jobs == 1)
        return replace(context, delivery=delivery)

    def started(self, task: Task, commission: Commission, source: Source) -> Started:
        """The first event of a task's session: who does it, and how strictly it is reviewed."""
        overlay = task.overlay
        overrides = {
            "author": task.agent,
            "max_iterations": overlay.max_iterations if overlay else None,
            **_reviewers(overlay),
        }
        policy = with_exits(self.project.policy(source, overrides), task)
        return self.project.started(source, policy, overrides, commission)


def commission_of(task: Task, written_in: str = "") -> Commission:
    return Commission(
        task=task.id,
        agent=task.agent,
        instructions=task.instructions,
        inputs=task.inputs,
        outputs=task.outputs,
        acceptance_criteria=task.acceptance_criteria,
        is_reviewed=task.overlay is not None,
        written_in=written_in,
        goal=task.goal,
        feature=task.feature,
        is_there=task.is_there,
        verify=task.verify,
        reviews=task.reviews,
        origin=task.origin,
        plan_row=task.plan_row,
    )


def _reviewers(overlay: Overlay | None) -> dict[str, Any]:
    """Who reviews, as settings: one reviewer's word, or the findings of several, merged."""
    if overlay and overlay.panel:
        return {"profile": "panel", "strategy": "parallel", "parallel_models": list(overlay.panel)}
    return {"profile": "overlay", "reviewer": overlay.reviewer if overlay else None}


def with_exits(policy: Policy, task: Task) -> Policy:
    """The policy with the task's rubric and exit conditions. Conditions on scores need a reviewer who gives some."""
    conditions = task.overlay.exit_conditions if task.overlay else ()
    policy = replace(policy, exit_conditions=conditions)
    asked = frozenset[str]().union(*(names_in(parse(text)) for text in conditions))
    if asks_for_scores(asked):
        return replace(policy, rubric=task.rubric or FOUR_CRITERIA, dialect="scored")
    if task.rubric is None:
        return policy
    return with_quality(policy, task.rubric) if is_staged(policy) else replace(policy, rubric=task.rubric)

"""Starts, continues and previews sessions: the only place that opens one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from reviewloop import __version__
from reviewloop.app.catalog import SessionState
from reviewloop.app.project import Project
from reviewloop.app.session_workspace import first_version_workspace, session_workspace
from reviewloop.app.targets.resolver import Target
from reviewloop.core.panel.stages import is_staged
from reviewloop.core.session.events import Started, UndoBegun
from reviewloop.core.session.history import History
from reviewloop.core.statistics.cost_estimate import Estimate, estimate
from reviewloop.core.types.artifact import Kind
from reviewloop.core.types.outcome import PASSING, Answer
from reviewloop.core.types.policy import Policy
from reviewloop.core.types.task import Commission
from reviewloop.core.types.verification import Verification
from reviewloop.engine.clock import SystemClock
from reviewloop.engine.context import Briefing, Observer, SessionContext
from reviewloop.engine.human_answer import PersonAnswer, apply_answer
from reviewloop.engine.runner import run
from reviewloop.engine.scheduler import Delivery
from reviewloop.engine.session import Session
from reviewloop.engine.undo import begin_undo
from reviewloop.errors import DamagedRecord, UsageError
from reviewloop.ledger.in_memory import MemoryLedger
from reviewloop.ports import Ledger
from reviewloop.workspace.constitution import standards
from reviewloop.workspace.source import Source


async def start(
    project: Project,
    source: Source,
    overrides: Mapping[str, Any],
    observers: Sequence[Observer] = (),
    *,
    fresh: bool = False,
) -> SessionState:
    """Run the loop on an artifact. An interrupted session on the same artifact continues, unless `fresh` is set."""
    await project.outputs.remember(source)
    policy = await project.informed(project.policy(source, overrides))
    project.refuse_wrong_agents(policy)
    project.warn_of_idle_budget(policy)
    project.report_unused(overrides)
    context = session_context(project, source, observers)
    async with project.ledger.hold(source.name):
        newest = await _newest(project, source, fresh=fresh)
        if newest and newest.history.undo:
            project.warn(f"finishing the interrupted undo of session {newest.id}")
            await _answer(newest.id, PersonAnswer(), policy, context)
        elif newest and newest.history.outcome is None and not fresh:
            project.warn(f"continuing the interrupted session {newest.id} (--fresh starts a new one)")
            return await _answer(newest.id, PersonAnswer(), policy, context)
        elif newest:
            await project.outputs.catch_up(newest)  # a crash may have come between its end and the views
        await context.workspace.read()
        project.report_missing_standards(_paths(source), policy)
        return await _begin(new_id(source.name), first_event(project, source, policy, overrides), context)


def preview(project: Project, target: Target, overrides: Mapping[str, Any]) -> Estimate:
    """What a run on this target would cost at most. Nobody is asked."""
    free = [name for name, entry in project.config.agents.items() if entry.kind == "static"]
    return estimate(target.artifact, project.policy(target.source, overrides), free)


async def resume(
    project: Project,
    name: str,
    answer: PersonAnswer,
    observers: Sequence[Observer] = (),
    overrides: Mapping[str, Any] | None = None,
) -> SessionState:
    """Continue a session after a crash, a block or a person's answer."""
    head = await project.catalog.find(name)
    async with project.ledger.hold(head.feature):
        started = await project.catalog.started_of(head)
        history = await project.catalog.history(head.session)
        given = {key: value for key, value in (overrides or {}).items() if value is not None}
        source = Source.from_json(started.source)
        then = project.under(started.config_file)
        await then.outputs.remember(source)
        context = session_context(then, source, observers, started.commission, head.session)
        settings = dict(started.overrides) | given
        found = then.policy(source, settings, for_task=started.commission is not None)
        policy = as_commissioned(started, await project.informed(found))
        goes_on = history.outcome is None or history.outcome.waits
        goes_on = goes_on or (history.outcome in PASSING and answer.action is Answer.RETRY)
        needs_text = answer.action is not Answer.REJECT and not answer.only_records
        if goes_on and not history.undo and started.commission is None and needs_text:
            then.refuse_wrong_agents(policy)
            then.warn_of_idle_budget(policy)
            await context.workspace.read()  # to accept or send back a text, it has to be there
        return await _answer(head.session, answer, policy, context)


async def begin_task(
    project: Project,
    started: Started,
    source: Source,
    observers: Sequence[Observer],
    delivery: Delivery,
    *,
    alone: bool,
) -> SessionState:
    """Start a task's session."""
    await project.outputs.remember(source)
    session_id = new_id(source.name)
    context = session_context(project, source, observers, started.commission, session_id, alone=alone)
    started = replace(started, policy=await project.informed(started.policy))
    project.warn_of_idle_budget(started.policy, started.commission.agent if started.commission else None)
    project.report_missing_standards(_paths(source, started.commission), started.policy)
    return await _begin(session_id, started, replace(context, delivery=delivery))


async def continue_task(
    project: Project, known: SessionState, observers: Sequence[Observer], delivery: Delivery, *, alone: bool
) -> SessionState:
    """Continue an interrupted task's session under the settings as they are now."""
    started = known.history.started
    source = Source.from_json(started.source)
    await project.outputs.remember(source)
    context = session_context(project, source, observers, started.commission, known.id, alone=alone)
    found = project.policy(source, started.overrides, for_task=True)
    policy = as_commissioned(started, await project.informed(found))
    return await _answer(known.id, PersonAnswer(), policy, replace(context, delivery=delivery))


async def take_back(
    project: Project, session_id: str, started: Started, undo: UndoBegun, blobs: Mapping[str, bytes]
) -> SessionState:
    """Undo a session's work: put on record what restores the files, unless that is on record, then restore them."""
    context = session_context(project, Source.from_json(started.source), (), started.commission, session_id)
    session = await Session.open(session_id, context)
    assert session is not None
    if session.history.undo is None:
        await begin_undo(session, undo, blobs)
    await run(session, context)
    return SessionState(id=session.id, history=session.history)


async def look_once(project: Project, source: Source, policy: Policy, observers: Sequence[Observer] = ()) -> History:
    """One review in a session that is not kept."""
    project.refuse_wrong_agents(policy)
    project.warn_of_idle_budget(policy)
    project.report_missing_standards(_paths(source), policy)
    context = replace(session_context(project, source), ledger=MemoryLedger(), observers=tuple(observers))
    return (await _begin(new_id(source.name), first_event(project, source, policy, {}), context)).history


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A recorded question that can be asked again, in a ledger of its own."""

    session: Session
    context: SessionContext = field(repr=False)

    @property
    def history(self) -> History:
        return self.session.history

    async def ask(self) -> History:
        return await run(self.session, self.context)


async def open_replay(
    base: str, started: Started, context: SessionContext, ledger: Ledger, is_usable: Callable[[History], bool]
) -> Replay:
    """The last session whose id starts with `base`; a new one if there is none, or its answer is not usable."""
    context = replace(context, ledger=ledger)
    times = sum(head.session.startswith(base) for head in await ledger.heads(started.feature))
    last = await Session.open(f"{base}{times}", context)
    if last is None or (last.history.outcome and not is_usable(last.history)):
        last = Session.start(f"{base}{times + 1}", started, context)
    return Replay(session=last, context=context)


async def run_in(context: SessionContext, session_id: str, started: Started) -> History:
    """Run a new session in a context that the caller has put together."""
    return (await _begin(session_id, started, context)).history


async def answer_in(context: SessionContext, session_id: str, answer: PersonAnswer, policy: Policy) -> History:
    """Continue a session in a context that the caller has put together."""
    return (await _answer(session_id, answer, policy, context)).history


async def _begin(session_id: str, started: Started, context: SessionContext) -> SessionState:
    session = Session.start(session_id, started, context)
    await run(session, context)
    return SessionState(id=session.id, history=session.history)


async def _answer(session_id: str, answer: PersonAnswer, policy: Policy, context: SessionContext) -> SessionState:
    session = await Session.open(session_id, context)
    assert session is not None
    await apply_answer(session, answer, policy, context)
    return SessionState(id=session.id, history=session.history)


async def _newest(project: Project, source: Source, *, fresh: bool) -> SessionState | None:
    """The newest session of this name, if it is about the same artifact.

    Raises:
        UsageError: The name belongs to another artifact.
    """
    heads = await project.ledger.heads(source.name)
    if not heads:
        return None
    try:
        history = await project.catalog.history(heads[0].session)
    except DamagedRecord:
        if fresh:
            return None
        raise
    other = Source.from_json(history.started.source)
    if other == source and history.started.commission is None:
        return SessionState(id=heads[0].session, history=history)
    about_files = bool(other.paths and source.paths)
    if set(other.paths).isdisjoint(source.paths) if about_files else _differ_in_kind(other, source, history):
        parent = source.paths[0].rpartition("/")[0].rpartition("/")[2] if source.paths else ""
        raise UsageError(
            f"the session name `{source.name}` belongs to {', '.join(other.paths) or 'a change'}",
            hint=f"choose another name: --name {f'{parent}-' if parent else 'other-'}{source.name}",
        )
    return None


def _differ_in_kind(other: Source, source: Source, history: History) -> bool:
    """Whether one is about files and the other about a change. Two changes may share a name."""
    return bool(other.paths) != bool(source.paths) and history.started.commission is None


def session_context(
    project: Project,
    source: Source,
    observers: Sequence[Observer] = (),
    commission: Commission | None = None,
    session: str = "",
    *,
    alone: bool = True,
) -> SessionContext:
    """Everything a session works with.

    Args:
        project: The project it belongs to.
        source: Where its artifact comes from.
        observers: Who is told of events, besides the views.
        commission: What it has to produce first, if it is a task's session.
        session: Its id, if it is a task's session.
        alone: Whether no other author is at work. Only then may an author work in the user's tree.
    """
    config, root = project.config, project.root
    paths = _paths(source, commission)
    known = project.outputs.recall(source)
    return SessionContext(
        agents=project.agent,
        ledger=project.ledger,
        workspace=session_workspace(project, source, commission, session, alone=alone),
        first_version=first_version_workspace(project, source, commission, alone=alone) if commission else None,
        clock=SystemClock(),
        rules=project.rules,
        briefing=Briefing(
            standards=standards(root, paths, [str(path) for path in config.constitution]),
            memory=known.text,
            stage_memory=known.stages,
            task=commission.description if commission else "",
            acceptance_criteria=commission.acceptance_criteria if commission else (),
        ),
        observers=(*project.outputs.views(), *observers),
        protected=root,
        identity=project.identity,
        verify=_verification(project, commission) if commission else None,
        is_record=project.outputs.is_record,
        warn=project.warn,
    )


def _paths(source: Source, commission: Commission | None = None) -> tuple[str, ...]:
    """Where the artifact is, which decides the constitutions that apply to it."""
    return source.paths or (commission.outputs if commission else ()) or (".",)


def _verification(project: Project, commission: Commission) -> Callable[[], Awaitable[Verification]] | None:
    if commission.verify is None:
        return None
    from reviewloop.agents.process.verify_command import verify  # few commands run any

    return partial(verify, commission.verify, project.root)


def first_event(
    project: Project,
    source: Source,
    policy: Policy,
    overrides: Mapping[str, Any],
    commission: Commission | None = None,
) -> Started:
    """A session's first event."""
    prds = [above.path for above in source.upstream if above.kind is Kind.PRD]
    config_file = project.config_file
    return Started(
        feature=source.name,
        prd_path=prds[0] if prds else "",
        specs_path=source.paths[0] if source.paths else "",
        kind=source.kind,
        profile=policy.profile,
        policy=policy,
        paths=source.paths,
        upstream=tuple(above.path for above in source.upstream),
        source=source.to_json(),
        overrides={key: value for key, value in overrides.items() if value is not None},
        config_file=os.path.relpath(project.cwd / config_file, project.root) if config_file else "",
        version=__version__,
        commission=commission,
    )


def as_commissioned(started: Started, policy: Policy) -> Policy:
    """The policy with what a task asks for beyond the settings."""
    if started.commission is None:
        return policy
    kept = started.policy
    return replace(
        policy,
        profile=kept.profile,
        rubric=kept.rubric,
        dialect=kept.dialect,
        exit_conditions=kept.exit_conditions,
        approval=kept.approval,
        seats=kept.seats if is_staged(kept) or is_staged(policy) else policy.seats,
    )


def new_id(name: str) -> str:
    return f"{name}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"

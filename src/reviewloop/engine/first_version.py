"""Asks an author for the first version. As with a revision, its work is recorded before it reaches the tree."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.core.loop.steps import Write
from reviewloop.core.prompts.first_version import TaskBrief, task_prompt
from reviewloop.core.session.events import Authored, AuthorFailed, Commissioned
from reviewloop.core.session.history import call_key
from reviewloop.core.types.artifact import Artifact, SourceFile
from reviewloop.core.types.calls import Call
from reviewloop.core.types.task import Commission
from reviewloop.engine.calls import WorkRefused, answer_within, author_failure, hidden_from, paid_for, time_limit
from reviewloop.engine.context import SessionContext
from reviewloop.engine.session import Session
from reviewloop.errors import AgentError, AgentFailed, WorkspaceError
from reviewloop.ports import Agent, Job, Role, Work

FIRST = 0
"""The iteration number of the first version, before any review."""


async def write(session: Session, step: Write, context: SessionContext) -> None:
    """Let the author do the task. On return, its work is recorded, but not yet in the tree."""
    agent = step.commission.agent
    window = session.history.window.number
    seat = f"author:{agent}" if window == 1 else f"author:{agent}:{window}"
    call = Call(key=call_key(FIRST, seat), agent=agent, attempt=step.attempt, marker=context.clock.marker())
    session.record(Commissioned(feature=session.history.feature, call=call))
    await session.flush()
    started = context.clock.now()
    try:
        authored = await _work(session, step, call, context)
    except (AgentError, WorkspaceError, WorkRefused) as error:
        failure, usage = author_failure(error, (context.clock.now() - started).total_seconds())
        session.record(AuthorFailed(iteration=FIRST, call=call, failure=failure, usage=usage))
    else:
        seconds = authored.usage.seconds or (context.clock.now() - started).total_seconds()
        session.record(replace(authored, usage=replace(authored.usage, seconds=seconds)))
    await session.flush()


async def _work(session: Session, step: Write, call: Call, context: SessionContext) -> Authored:
    assert context.first_version is not None
    agent = context.agents(call.agent)
    artifact = await context.first_version.read()
    async with context.first_version.scratch(artifact, hides=hidden_from(agent)) as scratch:
        job = _job(session, step.commission, call, artifact, agent, context)
        reply = await answer_within(agent, replace(job, directory=scratch.directory if agent.edits_files else None))
        with paid_for(reply):
            if reply.edits:
                await scratch.write(reply.edits)
            work = await scratch.work()
            _check(step.commission, artifact, work)
    session.keep(work.blobs)
    return Authored(
        iteration=FIRST,
        call=call,
        text=reply.text,
        changes=work.changes,
        refused=work.refused,
        usage=reply.usage,
        model=reply.model,
        version=reply.version,
        agent_session=reply.agent_session,
        denials=reply.denials,
    )


def _job(
    session: Session, commission: Commission, call: Call, artifact: Artifact, agent: Agent, context: SessionContext
) -> Job:
    history = session.history
    failures = history.writing.failures if history.writing else ()
    prompt = task_prompt(
        TaskBrief(
            commission=commission,
            artifact=artifact,
            marker=call.marker,
            notes=(*history.notes, *(added.finding.issue for added in history.added)),
            standards=context.briefing.standards,
            edits_files=agent.edits_files,
            problem=failures[-1].failure.message if failures else "",
        )
    )
    limit = time_limit(history)
    return Job(
        key=f"{session.id}/{call.key}/{call.attempt}",
        agent=call.agent,
        role=Role.AUTHOR,
        prompt=prompt,
        session=session.id,
        iteration=FIRST,
        artifact=_to_be_written(artifact, commission),
        rubric=history.policy.criteria,
        protected=context.protected,
        timeout=limit.seconds,
        budget=limit.budget,
        turns=history.policy.fix_timeout_turns,
        marker=call.marker,
        feature=history.feature,
    )


def _to_be_written(artifact: Artifact, commission: Commission) -> Artifact:
    """Return the artifact with an empty text for each file that does not exist yet."""
    missing = [
        file
        for path, file in zip(commission.outputs, commission.files, strict=True)
        if not any(_covers(path, existing) for existing in artifact.paths)
    ]
    return replace(artifact, files=(*artifact.files, *(SourceFile(path=path, text="") for path in missing)))


def _check(commission: Commission, artifact: Artifact, work: Work) -> None:
    """Check that the author wrote the outputs that the task names."""
    deleted = {change.path for change in work.changes if change.after is None}
    existing = {*artifact.paths, *(change.path for change in work.changes)} - deleted
    missing = [path for path in commission.outputs if not any(_covers(path, file) for file in existing)]
    other = f"it changed {', '.join(work.refused)}, which the task does not allow" if work.refused else None
    if missing:
        raise AgentFailed(f"{commission.agent} did not write {', '.join(missing)}", hint=other)


def _covers(output: str, path: str) -> bool:
    return path == output or path.startswith(f"{output}/")

"""Asking the author: in a scratch workspace, its work on record before it reaches the user's tree."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.engine.asking import answer_within, failure_of, hidden_from, time_left
from reviewloop.engine.desk import Desk
from reviewloop.engine.session import Session
from reviewloop.errors import AgentError, WorkspaceError
from reviewloop.ports import Agent, Job, Role
from reviewloop.review.artifact import Artifact
from reviewloop.review.events import Authored, AuthorFailed, Call, Conflicted, Feedback, Iterated, Revised
from reviewloop.review.history import Iteration, call_key
from reviewloop.review.loop import BringBack, Revise
from reviewloop.review.prompt import AuthorBrief, author_prompt
from reviewloop.review.review import Failure, Usage


async def revise(session: Session, step: Revise, desk: Desk) -> None:
    """Let the author address the findings. What it did is on record when this returns, and not yet in the tree."""
    iteration = session.history.current
    assert iteration is not None
    author = session.history.policy.author
    assert author is not None
    artifact = await desk.workspace.read()
    call = Call(
        key=call_key(iteration.number, f"author:{author}"),
        agent=author,
        attempt=step.attempt,
        marker=desk.clock.marker(),
    )
    _say_feedback(session, iteration, step.conclusion, call)
    await session.flush()
    started = desk.clock.now()
    try:
        authored = await _work(session, iteration, step, call, artifact, desk)
    except (AgentError, WorkspaceError) as error:
        usage = Usage(seconds=(desk.clock.now() - started).total_seconds())
        failure = failure_of(error) if isinstance(error, AgentError) else _broken(error)
        session.record(AuthorFailed(iteration=iteration.number, call=call, failure=failure, usage=usage))
    else:
        seconds = authored.usage.seconds or (desk.clock.now() - started).total_seconds()
        session.record(replace(authored, usage=replace(authored.usage, seconds=seconds)))
    await session.flush()


async def bring_back(session: Session, step: BringBack, desk: Desk) -> None:
    """Put recorded work into the user's tree. After a crash this runs again and comes to the same."""
    authored = step.authored
    blobs: dict[str, bytes] = {}
    for digest in {change.after for change in authored.changes if change.after}:
        data = await desk.ledger.blob(digest)
        if data is None:
            raise WorkspaceError(f"the ledger has lost the author's text {digest[:12]}")
        blobs[digest] = data
    conflict = await desk.workspace.bring_back(authored.changes, blobs)
    if conflict:
        session.record(Conflicted(iteration=authored.iteration, paths=conflict.paths, kept_at=conflict.kept_at))
    else:
        paths = tuple(change.path for change in authored.changes)
        session.record(Revised(iteration=authored.iteration, paths=paths))


def _say_feedback(session: Session, iteration: Iteration, conclusion: Iterated, call: Call) -> None:
    if iteration.feedback and iteration.feedback.call.attempt == call.attempt:
        return
    session.record(
        Feedback(
            feature=session.history.feature,
            iteration=iteration.number,
            feedback=conclusion.feedback,
            scores=conclusion.scores,
            call=call,
        )
    )


async def _work(
    session: Session, iteration: Iteration, step: Revise, call: Call, artifact: Artifact, desk: Desk
) -> Authored:
    agent = desk.agents(call.agent)
    async with desk.workspace.scratch(artifact, hides=hidden_from(agent)) as scratch:
        job = _job(session, iteration, step, call, artifact, agent, desk)
        reply = await answer_within(agent, replace(job, directory=scratch.directory if agent.hands_on else None))
        if reply.edits:
            await scratch.write(reply.edits)
        work = await scratch.work()
    session.keep(work.blobs)
    return Authored(
        iteration=iteration.number,
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
    session: Session, iteration: Iteration, step: Revise, call: Call, artifact: Artifact, agent: Agent, desk: Desk
) -> Job:
    history = session.history
    policy = history.policy
    findings = tuple(one for one in step.conclusion.findings if not one.is_late and not one.suppressed)
    prompt = author_prompt(
        AuthorBrief(
            artifact=artifact,
            marker=call.marker,
            findings=findings,
            iteration=iteration.number,
            fix=history.reviews_in_window,
            max_fixes=policy.max_fix_iterations,
            facts=iteration.checked.facts,
            notes=history.notes,
            standards=desk.briefing.standards,
            hands_on=agent.hands_on,
            problem=iteration.author_failures[-1].failure.message if iteration.author_failures else "",
        )
    )
    return Job(
        key=f"{session.id}/{call.key}/{call.attempt}",
        agent=call.agent,
        role=Role.AUTHOR,
        prompt=prompt,
        session=session.id,
        iteration=iteration.number,
        artifact=artifact,
        rubric=policy.criteria,
        protected=desk.protected,
        timeout=time_left(history),
        turns=policy.fix_timeout_turns,
        facts=iteration.checked.facts,
        marker=call.marker,
    )


def _broken(error: WorkspaceError) -> Failure:
    return Failure(cause="failed", message=error.message, hint=error.hint)

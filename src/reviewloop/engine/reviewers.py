"""Asks all reviewers at once, each on its own copy. Every answer is on disk before the next agent is asked."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from reviewloop.core.dialects import Answer, parse
from reviewloop.core.judging.quotes import unfounded, verify
from reviewloop.core.loop.steps import Due
from reviewloop.core.prompts.section_cache import SMALL
from reviewloop.core.session.events import Answered, Asked, MalformedAnswer, Payload, Tampered, Unanswered
from reviewloop.core.session.history import History
from reviewloop.core.types.calls import Call
from reviewloop.core.types.policy import Receipt
from reviewloop.core.types.review import Failure, Review, Usage
from reviewloop.documents.placement import placed
from reviewloop.engine.calls import answer_within, failure_of, hidden_from, quotable
from reviewloop.engine.checks import reviewed_artifact
from reviewloop.engine.context import SessionContext
from reviewloop.engine.questions import Question, questions
from reviewloop.engine.session import Session
from reviewloop.errors import AgentError
from reviewloop.ports import Job, Reply, ReviewCopy


async def ask(session: Session, due: tuple[Due, ...], context: SessionContext) -> None:
    """Ask all due reviewers, and record each answer as it arrives."""
    iteration = session.history.current
    assert iteration is not None
    artifact = await reviewed_artifact(session, iteration.checked, context)
    before = await session.before() if session.history.policy.cache and artifact.size > SMALL else None
    asked = questions(session, due, artifact, before, context)
    session.record(Asked(iteration=iteration.number, calls=tuple(question.call for question in asked)))
    await session.flush()
    if any(seat.attempt > 1 for seat in due):
        await context.clock.sleep(session.history.policy.retry_pause)
    running = {asyncio.create_task(_call(question, session.history, context)) for question in asked}
    try:
        while running:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                for payload in task.result():
                    session.record(payload)
            await session.flush()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _call(question: Question, history: History, context: SessionContext) -> list[Payload]:
    """Ask one question, and return the events to record."""
    call, job = question.call, question.job
    started = context.clock.now()
    try:
        agent = context.agents(call.agent)
        if agent.edits_files:
            async with context.workspace.review_copy(job.artifact, hides=hidden_from(agent)) as copy:
                reply = await answer_within(agent, replace(job, directory=copy.directory))
                tampered = await _tampered(call, job, copy)
        else:
            reply, tampered = await answer_within(agent, job), []
    except AgentError as error:
        usage = Usage(seconds=(context.clock.now() - started).total_seconds())
        return [Unanswered(iteration=job.iteration, call=call, failure=failure_of(error), usage=usage)]
    usage = _timed(reply, (context.clock.now() - started).total_seconds())
    if tampered:
        paths = ", ".join(dict.fromkeys(path for change in tampered for path in change.paths))
        by_reviewer = f"{call.agent} changed {paths}, and reviewers may only read"
        in_project = any(change.where == "tree" for change in tampered)  # where the user may have edited it
        failure = Failure(
            cause="tampered",
            message=f"{paths} changed while {call.agent} was reviewing" if in_project else by_reviewer,
            hint="the review was discarded; if you edited the file yourself, resume",
            detail=reply.text,
        )
        return [*tampered, Unanswered(iteration=job.iteration, call=call, failure=failure, usage=usage)]
    return [_read_reply(call, job, reply, usage, history)]


async def _tampered(call: Call, job: Job, copy: ReviewCopy) -> list[Tampered]:
    return [
        Tampered(iteration=job.iteration, key=call.key, where=change.where, paths=change.paths)
        for change in await copy.tampered()
    ]


def _read_reply(call: Call, job: Job, reply: Reply, usage: Usage, history: History) -> Payload:
    policy = history.policy
    texts = [file.text for document in (job.artifact, *job.artifact.upstream) for file in document.files]
    answer = Answer(
        text=reply.text,
        marker=call.marker,
        receipt_required=policy.receipt is Receipt.REQUIRED,
        confidence_asked=policy.asks_confidence,
        sources=quotable(reply.text, texts),
        prompt="\n".join(quotable(reply.text, [job.prompt])),
    )
    if reply.answered_by:
        call = replace(call, sent=None)  # another agent answered, so this reviewer has not seen the text
    review = reply.review or parse(policy.dialect, answer, job.rubric)
    if isinstance(review, Review):
        review = replace(review, findings=placed(verify(review.findings, job.artifact), job.artifact))
        review = unfounded(review) or review
    if isinstance(review, Review):
        return Answered(
            iteration=job.iteration,
            call=call,
            text=reply.text,
            review=review,
            usage=usage,
            model=reply.model,
            version=reply.version,
            agent_session=reply.agent_session,
            denials=reply.denials,
            answered_by=reply.answered_by,
        )
    return MalformedAnswer(
        feature=history.feature,
        raw_output=reply.text,
        parse_error=review.parse_error,
        retry_number=call.attempt,
        iteration=job.iteration,
        call=call,
        problem=review,
        usage=usage,
        answered_by=reply.answered_by,
    )


def _timed(reply: Reply, seconds: float) -> Usage:
    return replace(reply.usage, seconds=reply.usage.seconds or seconds)

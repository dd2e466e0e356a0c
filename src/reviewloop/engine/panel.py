"""Asking the reviewers: all at once, each on its own copy, every answer on record before the next step."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace

from reviewloop.engine.asking import answer_within, failure_of, hidden_from, time_left
from reviewloop.engine.checking import reviewed_artifact
from reviewloop.engine.desk import Desk
from reviewloop.engine.session import Session
from reviewloop.errors import AgentError
from reviewloop.ports import Job, Reply, ReviewCopy, Role
from reviewloop.review.artifact import Artifact
from reviewloop.review.cache import SMALL, cache_key, excerpt, last_seen, sent
from reviewloop.review.calls import Call
from reviewloop.review.contest import contests_told
from reviewloop.review.dialects import DIALECTS, Answer, parse
from reviewloop.review.events import Answered, Asked, MalformedAnswer, Payload, Tampered, Unanswered
from reviewloop.review.history import History, Iteration, call_key
from reviewloop.review.loop import Due
from reviewloop.review.policy import Receipt
from reviewloop.review.prompt import ReviewBrief, review_prompt
from reviewloop.review.quotes import verify
from reviewloop.review.review import Failure, Review, Usage
from reviewloop.review.standing import dismiss, earlier_findings


async def ask(session: Session, due: tuple[Due, ...], desk: Desk) -> None:
    """Ask everybody who is due and put down each answer as it comes."""
    iteration = session.history.current
    assert iteration is not None
    artifact = await reviewed_artifact(session, iteration.checked, desk)
    before = await session.before() if session.history.policy.cache and artifact.size > SMALL else None
    jobs = [_job(one, iteration, artifact, session, before, desk) for one in due]
    session.record(Asked(iteration=iteration.number, calls=tuple(call for call, _ in jobs)))
    await session.flush()
    if any(one.attempt > 1 for one in due):
        await desk.clock.sleep(session.history.policy.retry_pause)
    running = {asyncio.create_task(_call(call, job, session.history, desk)) for call, job in jobs}
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


def _job(
    due: Due, iteration: Iteration, artifact: Artifact, session: Session, before: History | None, desk: Desk
) -> tuple[Call, Job]:
    history = session.history
    policy = history.policy
    rubric = policy.rubric_of(due.seat)
    marker = desk.clock.marker()
    facts = tuple(fact for fact in dismiss(iteration.checked.facts, history) if not fact.suppressed)
    whole = ReviewBrief(
        artifact=artifact,
        rubric=rubric,
        dialect=policy.dialect,
        marker=marker,
        iteration=history.reviews_in_window,
        max_iterations=policy.max_iterations,
        stage=due.seat.stage,
        facts=facts,
        earlier=earlier_findings(history),
        dismissed=tuple(one.finding for one in history.dismissed),
        notes=history.notes,
        standards=desk.briefing.standards,
        memory=desk.briefing.memory_of(due.seat.stage),
        task=desk.briefing.task,
        acceptance_criteria=desk.briefing.acceptance_criteria,
        receipt_required=policy.receipt is Receipt.REQUIRED,
        problem=due.problem,
        contests=contests_told(history),
    )
    reviewer = _reviewer_key(due, artifact, history, desk)
    brief = _without_known(whole, reviewer, history, before) if policy.cache else whole
    prompt = review_prompt(brief)
    whole_prompt = review_prompt(whole) if brief.excerpt else prompt
    key = call_key(iteration.number, due.seat.name)
    call = Call(
        key=key,
        agent=due.seat.agent,
        attempt=due.attempt,
        stage=due.seat.stage,
        marker=marker,
        prompt_chars=len(prompt),
        sent=sent(reviewer, brief.excerpt, len(whole_prompt) - len(prompt)),
    )
    job = Job(
        key=f"{session.id}/{key}/{due.attempt}",
        agent=due.seat.agent,
        role=Role.REVIEW,
        prompt=prompt,
        session=session.id,
        iteration=iteration.number,
        artifact=artifact,
        rubric=rubric,
        stage=due.seat.stage,
        protected=desk.protected,
        timeout=time_left(history),
        answer_schema=DIALECTS[policy.dialect].schema(rubric),
        facts=facts,
        marker=marker,
        whole_prompt=whole_prompt,
    )
    return call, job


def _reviewer_key(due: Due, artifact: Artifact, history: History, desk: Desk) -> str:
    policy, briefing = history.policy, desk.briefing
    return cache_key(
        agent=desk.identity(due.seat.agent),
        rubric=policy.rubric_of(due.seat),
        dialect=policy.dialect,
        artifact=artifact,
        stage=due.seat.stage,
        told=(briefing.standards, *briefing.acceptance_criteria, *filter(None, [briefing.task])),
    )


def _without_known(brief: ReviewBrief, reviewer: str, history: History, before: History | None) -> ReviewBrief:
    """The same question about what this reviewer does not know yet, in this session or from the one before."""
    seen = last_seen(history, reviewer)
    earlier = brief.earlier
    if seen is None and before and (seen := last_seen(before, reviewer)):
        earlier += tuple(one for one in earlier_findings(before) if not one.suppressed)
    part = excerpt(brief.artifact, seen, earlier)
    return replace(brief, excerpt=part, earlier=earlier) if part else brief


async def _call(call: Call, job: Job, history: History, desk: Desk) -> list[Payload]:
    """One question, and what there is to put down about it."""
    started = desk.clock.now()
    try:
        agent = desk.agents(call.agent)
        async with AsyncExitStack() as stack:
            copy: ReviewCopy | None = None
            if agent.hands_on:
                copies = desk.workspace.review_copy(job.artifact, hides=hidden_from(agent))
                copy = await stack.enter_async_context(copies)
                job = replace(job, directory=copy.directory)
            reply = await answer_within(agent, job)
            tampered = await _tampered(call, job, copy)
    except AgentError as error:
        usage = Usage(seconds=(desk.clock.now() - started).total_seconds())
        return [Unanswered(iteration=job.iteration, call=call, failure=failure_of(error), usage=usage)]
    usage = _timed(reply, (desk.clock.now() - started).total_seconds())
    if tampered:
        paths = ", ".join(path for one in tampered for path in one.paths)
        failure = Failure(
            cause="tampered",
            message=f"files changed while {call.agent} was reviewing: {paths}",
            hint="a reviewer may only read; if you edited the file yourself, resume",
            detail=reply.text,
        )
        return [*tampered, Unanswered(iteration=job.iteration, call=call, failure=failure, usage=usage)]
    return [_understood(call, job, reply, usage, history)]


async def _tampered(call: Call, job: Job, copy: ReviewCopy | None) -> list[Tampered]:
    changes = await copy.tampered() if copy else ()
    return [
        Tampered(iteration=job.iteration, key=call.key, where=change.where, paths=change.paths) for change in changes
    ]


def _understood(call: Call, job: Job, reply: Reply, usage: Usage, history: History) -> Payload:
    policy = history.policy
    answer = Answer(
        text=reply.text,
        marker=call.marker,
        receipt_required=policy.receipt is Receipt.REQUIRED,
        sources=[file.text for one in (job.artifact, *job.artifact.upstream) for file in one.files],
    )
    if reply.answered_by:
        call = replace(call, sent=None)  # what somebody else has read, this reviewer has not
    review = reply.review or parse(policy.dialect, answer, job.rubric)
    if isinstance(review, Review):
        review = replace(review, findings=verify(review.findings, job.artifact))
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
        parse_error=str(review),
        retry_number=call.attempt,
        iteration=job.iteration,
        call=call,
        problem=review,
        usage=usage,
    )


def _timed(reply: Reply, seconds: float) -> Usage:
    return replace(reply.usage, seconds=reply.usage.seconds or seconds)

"""Asks an independent agent whether two findings are the same, and who is right about a contested finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from reviewloop.core.dialects import Answer
from reviewloop.core.judging.contest import RULING_SCHEMA, read_ruling
from reviewloop.core.judging.independence import why_not_rule
from reviewloop.core.loop.steps import Rule
from reviewloop.core.panel import tiebreak
from reviewloop.core.panel.stages import StagePair
from reviewloop.core.prompts.arbiter import ruling_prompt
from reviewloop.core.session.events import Asked, Ruled, Settled, Tampered
from reviewloop.core.session.events.review import PairRuling
from reviewloop.core.session.history import RULING, TIE_BREAK, call_key
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.calls import Call
from reviewloop.core.types.review import Failure, Usage
from reviewloop.engine.calls import answer_within, failure_of, hidden_from, quotable, time_limit
from reviewloop.engine.checks import reviewed_artifact
from reviewloop.engine.context import SessionContext
from reviewloop.engine.session import Session
from reviewloop.errors import AgentError, AgentFailed
from reviewloop.ports import Job, Reply, Role


async def settle(session: Session, pairs: tuple[StagePair, ...], context: SessionContext) -> None:
    """Ask the tie-break agent once about all pairs. Without an answer, the pairs stay possibly the same."""
    iteration = session.history.current
    agent = session.history.policy.tie_break
    assert iteration is not None
    assert agent is not None
    findings = [staged.pair for staged in pairs]
    disputed = [finding for pair in findings for finding in (pair.left, pair.right)]
    barred = partial(why_not_rule, findings=disputed, history=session.history)
    stages = "+".join(dict.fromkeys(staged.stage for staged in pairs))
    call = _call(iteration.number, f"{TIE_BREAK}:{stages}", agent, context)
    artifact = await reviewed_artifact(session, iteration.checked, context)
    prompt = tiebreak.question(findings, call.marker)
    question = _Question(call=call, prompt=prompt, artifact=artifact, schema=tiebreak.schema(findings), barred=barred)
    opinion = await _ask(session, iteration.number, question, context)
    session.record(
        Settled(
            iteration=iteration.number,
            call=opinion.call,
            pairs=_rulings(pairs, opinion.text),
            text=opinion.text,
            usage=opinion.usage,
            model=opinion.model,
            failure=opinion.failure,
            answered_by=opinion.answered_by,
        )
    )
    await session.flush()


async def rule(session: Session, step: Rule, context: SessionContext) -> None:
    """Ask the arbiter once about a contested finding, showing the text as it was when the finding was raised."""
    contest = step.contest
    raised_in = session.history.iterations[contest.iteration - 1]
    artifact = await reviewed_artifact(session, raised_in.checked, context)
    call = _call(contest.iteration, f"{RULING}:{contest.finding.id}:{step.arbiter}", step.arbiter, context)
    call = replace(call, attempt=1 + sum(ruled.call.key == call.key for ruled in session.history.ruled))
    prompt = ruling_prompt(contest, artifact, call.marker)
    barred = partial(why_not_rule, findings=(contest.finding,), history=session.history)
    question = _Question(call=call, prompt=prompt, artifact=artifact, schema=RULING_SCHEMA, barred=barred)
    opinion = await _ask(session, contest.iteration, question, context)
    answer = Answer(text=opinion.text, marker=call.marker, sources=quotable(opinion.text, _texts(artifact)))
    ruling = None if opinion.failure else read_ruling(answer)
    no_ruling = opinion.failure.message if opinion.failure else "the answer contains no ruling"
    session.record(
        Ruled(
            iteration=contest.iteration,
            call=opinion.call,
            finding=contest.finding,
            ruling=ruling.ruling if ruling else None,
            reason=ruling.reason if ruling else no_ruling,
            text=opinion.text,
            usage=opinion.usage,
            model=opinion.model,
            failure=opinion.failure,
            answered_by=opinion.answered_by,
        )
    )
    await session.flush()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opinion:
    """The agent's answer, or why it gave none."""

    call: Call
    text: str = ""
    usage: Usage
    model: str | None = None
    failure: Failure | None = None
    answered_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A question to an agent that nobody may answer who is `barred`."""

    call: Call
    prompt: str
    artifact: Artifact
    schema: Mapping[str, Any]
    barred: Callable[[str], str | None]


def _call(iteration: int, seat: str, agent: str, context: SessionContext) -> Call:
    return Call(key=call_key(iteration, seat), agent=agent, attempt=1, marker=context.clock.marker())


async def _ask(session: Session, iteration: int, question: _Question, context: SessionContext) -> _Opinion:
    call = replace(question.call, prompt_chars=len(question.prompt))
    if why := question.barred(call.agent):
        return _Opinion(call=call, usage=Usage(), failure=Failure(cause="refused", message=f"not asked: {why}"))
    session.record(Asked(iteration=iteration, calls=(call,)))
    await session.flush()
    started = context.clock.now()
    try:
        reply = await _reply(session, replace(question, call=call), context)
    except AgentError as error:
        seconds = (context.clock.now() - started).total_seconds()
        return _Opinion(call=call, usage=Usage(seconds=seconds), failure=failure_of(error))
    seconds = reply.usage.seconds or (context.clock.now() - started).total_seconds()
    return _Opinion(
        call=call,
        text=reply.text,
        usage=replace(reply.usage, seconds=seconds),
        model=reply.model,
        answered_by=reply.answered_by,
    )


async def _reply(session: Session, question: _Question, context: SessionContext) -> Reply:
    """Ask the agent. It may only read, so its answer is discarded if files changed meanwhile."""
    history, call, artifact = session.history, question.call, question.artifact
    limit = time_limit(history)
    job = Job(
        key=f"{session.id}/{call.key}/{call.attempt}",
        agent=call.agent,
        role=Role.REVIEW,
        prompt=question.prompt,
        session=session.id,
        iteration=len(history.iterations),
        artifact=artifact,
        rubric=history.policy.criteria,
        protected=context.protected,
        timeout=limit.seconds,
        budget=limit.budget,
        answer_schema=question.schema,
        marker=call.marker,
        barred=question.barred,
        feature=history.feature,
    )
    agent = context.agents(call.agent)
    if not agent.edits_files:
        return await answer_within(agent, job)
    hidden = hidden_from(agent)

    def hides(path: str) -> bool:
        return context.is_record(path) or (hidden is not None and hidden(path))

    async with context.workspace.review_copy(artifact, hides=hides) as copy:
        reply = await answer_within(agent, replace(job, directory=copy.directory))
        changes = await copy.tampered()
    for change in changes:
        session.record(Tampered(iteration=job.iteration, key=call.key, where=change.where, paths=change.paths))
    if changes:
        paths = ", ".join(path for change in changes for path in change.paths)
        raise AgentFailed(f"`{call.agent}` changed {paths}, and arbiters may only read")
    return reply


def _rulings(pairs: tuple[StagePair, ...], text: str) -> tuple[PairRuling, ...]:
    rulings = tiebreak.read_answer(text, [staged.pair for staged in pairs]).rulings
    return tuple(
        PairRuling(
            pair=staged.pair.id,
            stage=staged.stage,
            first=staged.pair.left.issue,
            second=staged.pair.right.issue,
            ruling=rulings.get(staged.pair.id),
        )
        for staged in pairs
    )


def _texts(artifact: Artifact) -> list[str]:
    return [file.text for source in (artifact, *artifact.upstream) for file in source.files]

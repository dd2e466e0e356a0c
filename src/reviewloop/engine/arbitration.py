"""Asks an independent agent whether two findings are the same, and who is right about a contested finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from reviewloop.core.dialects import Answer
from reviewloop.core.judging.contest import RULING_SCHEMA, read_ruling
from reviewloop.core.loop.steps import Rule
from reviewloop.core.panel import tiebreak
from reviewloop.core.panel.stages import StagePair
from reviewloop.core.prompts.arbiter import ruling_prompt
from reviewloop.core.session.events import Asked, Ruled, Settled, Tampered
from reviewloop.core.session.events.review import PairRuling
from reviewloop.core.session.history import call_key
from reviewloop.core.types.artifact import Artifact
from reviewloop.core.types.calls import Call
from reviewloop.core.types.review import Failure, Usage
from reviewloop.engine.calls import answer_within, failure_of, hidden_from, time_left
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
    stages = "+".join(dict.fromkeys(staged.stage for staged in pairs))
    call = _call(iteration.number, f"tie-break:{stages}", agent, context)
    artifact = await reviewed_artifact(session, iteration.checked, context)
    prompt = tiebreak.question(findings, call.marker)
    opinion = await _ask(session, iteration.number, call, prompt, artifact, tiebreak.schema(findings), context)
    session.record(
        Settled(
            iteration=iteration.number,
            call=opinion.call,
            pairs=_rulings(pairs, opinion.text),
            text=opinion.text,
            usage=opinion.usage,
            model=opinion.model,
            failure=opinion.failure,
        )
    )
    await session.flush()


async def rule(session: Session, step: Rule, context: SessionContext) -> None:
    """Ask the arbiter once about a contested finding, showing the text as it was when the finding was raised."""
    contest = step.contest
    raised_in = session.history.iterations[contest.iteration - 1]
    artifact = await reviewed_artifact(session, raised_in.checked, context)
    call = _call(contest.iteration, f"ruling:{contest.finding.id}:{step.arbiter}", step.arbiter, context)
    prompt = ruling_prompt(contest, artifact, call.marker)
    opinion = await _ask(session, contest.iteration, call, prompt, artifact, RULING_SCHEMA, context)
    answer = Answer(text=opinion.text, marker=call.marker, sources=_texts(artifact))
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


def _call(iteration: int, seat: str, agent: str, context: SessionContext) -> Call:
    return Call(key=call_key(iteration, seat), agent=agent, attempt=1, marker=context.clock.marker())


async def _ask(
    session: Session,
    iteration: int,
    call: Call,
    prompt: str,
    artifact: Artifact,
    schema: Mapping[str, Any],
    context: SessionContext,
) -> _Opinion:
    call = replace(call, prompt_chars=len(prompt))
    session.record(Asked(iteration=iteration, calls=(call,)))
    await session.flush()
    started = context.clock.now()
    try:
        reply = await _reply(session, call, prompt, artifact, schema, context)
    except AgentError as error:
        seconds = (context.clock.now() - started).total_seconds()
        return _Opinion(call=call, usage=Usage(seconds=seconds), failure=failure_of(error))
    seconds = reply.usage.seconds or (context.clock.now() - started).total_seconds()
    return _Opinion(call=call, text=reply.text, usage=replace(reply.usage, seconds=seconds), model=reply.model)


async def _reply(
    session: Session, call: Call, prompt: str, artifact: Artifact, schema: Mapping[str, Any], context: SessionContext
) -> Reply:
    """Ask the agent. It may only read, so its answer is discarded if files changed meanwhile."""
    history = session.history
    job = Job(
        key=f"{session.id}/{call.key}/{call.attempt}",
        agent=call.agent,
        role=Role.REVIEW,
        prompt=prompt,
        session=session.id,
        iteration=len(history.iterations),
        artifact=artifact,
        rubric=history.policy.criteria,
        protected=context.protected,
        timeout=time_left(history),
        answer_schema=schema,
        marker=call.marker,
    )
    agent = context.agents(call.agent)
    if not agent.edits_files:
        return await answer_within(agent, job)
    async with context.workspace.review_copy(artifact, hides=hidden_from(agent)) as copy:
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

"""Asking somebody independent about a finding that an author contests: once, whatever comes of it."""

from __future__ import annotations

from dataclasses import replace

from reviewloop.engine.asking import failure_of
from reviewloop.engine.checking import reviewed_artifact
from reviewloop.engine.consulting import consult
from reviewloop.engine.desk import Desk
from reviewloop.engine.session import Session
from reviewloop.errors import AgentError
from reviewloop.review.artifact import Artifact
from reviewloop.review.calls import Call
from reviewloop.review.contest import RULING_SCHEMA, read_ruling
from reviewloop.review.dialects import Answer
from reviewloop.review.events import Asked, Ruled
from reviewloop.review.history import call_key
from reviewloop.review.prompts.ruling import ruling_prompt
from reviewloop.review.review import Usage
from reviewloop.review.steps import Rule


async def rule(session: Session, step: Rule, desk: Desk) -> None:
    """Put the question about the text as it was when the finding was raised, and put down the answer."""
    contest = step.contest
    raised_in = session.history.iterations[contest.iteration - 1]
    artifact = await reviewed_artifact(session, raised_in.checked, desk)
    marker = desk.clock.marker()
    prompt = ruling_prompt(contest, artifact, marker)
    call = Call(
        key=call_key(contest.iteration, f"ruling:{contest.finding.id}:{step.arbiter}"),
        agent=step.arbiter,
        attempt=1,
        marker=marker,
        prompt_chars=len(prompt),
    )
    session.record(Asked(iteration=contest.iteration, calls=(call,)))
    await session.flush()
    started = desk.clock.now()
    ruled = Ruled(iteration=contest.iteration, call=call, finding=contest.finding, ruling=None, reason="")
    try:
        reply = await consult(session, call, prompt, artifact, desk, RULING_SCHEMA)
    except AgentError as error:
        seconds = (desk.clock.now() - started).total_seconds()
        ruled = replace(ruled, failure=failure_of(error), reason=error.message, usage=Usage(seconds=seconds))
    else:
        seconds = reply.usage.seconds or (desk.clock.now() - started).total_seconds()
        said = read_ruling(Answer(text=reply.text, marker=marker, sources=_texts(artifact)))
        ruled = replace(
            ruled,
            ruling=said.ruling if said else None,
            reason=said.reason if said else "the answer has no ruling in it",
            text=reply.text,
            usage=replace(reply.usage, seconds=seconds),
            model=reply.model,
        )
    session.record(ruled)
    await session.flush()


def _texts(artifact: Artifact) -> list[str]:
    return [file.text for one in (artifact, *artifact.upstream) for file in one.files]

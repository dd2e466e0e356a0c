"""Asking somebody for their opinion about an artifact, without asking for a review: a tie-break, a ruling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reviewloop.engine.asking import answer_within, hidden_from, time_left
from reviewloop.engine.desk import Desk
from reviewloop.engine.session import Session
from reviewloop.errors import AgentFailed
from reviewloop.ports import Job, Reply, Role
from reviewloop.review.artifact import Artifact
from reviewloop.review.calls import Call
from reviewloop.review.events import Tampered


async def consult(
    session: Session, call: Call, prompt: str, artifact: Artifact, desk: Desk, schema: Mapping[str, Any]
) -> Reply:
    """The agent's reply, or an `AgentError`. It may only read: if files changed, its word does not count."""
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
        protected=desk.protected,
        timeout=time_left(history),
        answer_schema=schema,
        marker=call.marker,
    )
    agent = desk.agents(call.agent)
    if not agent.hands_on:
        return await answer_within(agent, job)
    async with desk.workspace.review_copy(artifact, hides=hidden_from(agent)) as copy:
        reply = await answer_within(agent, replace(job, directory=copy.directory))
        changes = await copy.tampered()
    for change in changes:
        session.record(Tampered(iteration=job.iteration, key=call.key, where=change.where, paths=change.paths))
    if changes:
        raise AgentFailed(f"files changed while {call.agent}, who may only read, was at work")
    return reply

"""What asking a reviewer and asking an author have in common: a time limit, and failures as data."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

from reviewloop.engine.desk import Desk
from reviewloop.engine.session import Session
from reviewloop.errors import AgentError, AgentFailed, AgentTimedOut
from reviewloop.ports import Agent, Blinkered, Job, Reply, turn_of
from reviewloop.review.history import History
from reviewloop.review.review import Failure

T = TypeVar("T")

GRACE = 15.0
"""Seconds an agent gets beyond its own time limit to end its processes."""

AT_ONCE = 0.005
"""Seconds within which an answer is put down together with its question. Every other question is on disk by then."""


def time_left(history: History) -> float:
    """Seconds a call may take: the policy's limit, or what is left of the budget."""
    policy = history.policy
    if policy.budget.seconds is None:
        return policy.timeout
    return max(1.0, min(policy.timeout, policy.budget.seconds - history.spent().seconds))


async def answer_within(agent: Agent, job: Job) -> Reply:
    """The agent's reply, or an `AgentError`: whatever else goes wrong inside an adapter is one too."""
    try:
        async with turn_of(agent), asyncio.timeout(job.timeout + GRACE):
            return await agent.ask(job)
    except AgentError:
        raise
    except TimeoutError:
        raise AgentTimedOut(f"{job.agent} did not answer within {job.timeout:g} s") from None
    except Exception as error:  # an adapter's bug must not count as anything but a missing answer
        raise AgentFailed(f"{job.agent} broke: {type(error).__name__}: {error}") from error


def works_on_files(agents: Iterable[str], desk: Desk) -> bool:
    """Whether one of them gets files into its hands. What views write must be there before, or it looks like theirs."""
    try:
        return any(desk.agents(name).hands_on for name in agents)
    except AgentError:
        return True


async def on_record(work: Coroutine[Any, Any, T], session: Session) -> T:
    """What the work comes to. If it does not end at once, what is to be known of it goes to disk meanwhile."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait((task,), timeout=AT_ONCE)
        if not task.done():
            await session.flush()
        return await task
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def hidden_from(agent: Agent) -> Callable[[str], bool] | None:
    """Says of which files an agent's copy must not have them."""
    return agent.hides if hasattr(agent, "hides") and isinstance(agent, Blinkered) else None


def failure_of(error: AgentError) -> Failure:
    return Failure(cause=error.cause, message=error.message, hint=error.hint, detail=error.stderr)

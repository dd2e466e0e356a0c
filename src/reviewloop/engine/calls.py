"""Calls an agent with a time limit, and turns its failures into data."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from reviewloop.core.session.history import History
from reviewloop.core.types.review import Failure
from reviewloop.errors import AgentError, AgentFailed, AgentTimedOut
from reviewloop.ports import Agent, HidesFiles, Job, Reply, turn_of

GRACE = 15.0
"""Extra seconds after an agent's time limit, in which it ends its processes."""


def time_left(history: History) -> float:
    """Return the seconds that a call may take: the policy's limit, or the rest of the budget."""
    policy = history.policy
    if policy.budget.seconds is None:
        return policy.timeout
    return max(1.0, min(policy.timeout, policy.budget.seconds - history.spent().seconds))


async def answer_within(agent: Agent, job: Job) -> Reply:
    """Return the agent's reply. Every exception of an adapter becomes an `AgentError`."""
    try:
        async with turn_of(agent), asyncio.timeout(job.timeout + GRACE):
            return await agent.ask(job)
    except AgentError:
        raise
    except TimeoutError:
        raise AgentTimedOut(f"{job.agent} did not answer within {job.timeout:g} s") from None
    except Exception as error:  # a bug in an adapter counts as a missing answer
        raise AgentFailed(f"{job.agent} crashed: {type(error).__name__}: {error}") from error


def hidden_from(agent: Agent) -> Callable[[str], bool] | None:
    """Return the function that says which files an agent's copy must not contain."""
    return agent.hides if hasattr(agent, "hides") and isinstance(agent, HidesFiles) else None


def failure_of(error: AgentError) -> Failure:
    return Failure(cause=error.cause, message=error.message, hint=error.hint, detail=error.stderr)

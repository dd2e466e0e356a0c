"""What asking a reviewer and asking an author have in common: a time limit, and failures as data."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from reviewloop.core.session.history import History
from reviewloop.core.types.review import Failure
from reviewloop.errors import AgentError, AgentFailed, AgentTimedOut
from reviewloop.ports import Agent, HidesFiles, Job, Reply, turn_of

GRACE = 15.0
"""Seconds an agent gets beyond its own time limit to end its processes."""


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


def hidden_from(agent: Agent) -> Callable[[str], bool] | None:
    """Says of which files an agent's copy must not have them."""
    return agent.hides if hasattr(agent, "hides") and isinstance(agent, HidesFiles) else None


def failure_of(error: AgentError) -> Failure:
    return Failure(cause=error.cause, message=error.message, hint=error.hint, detail=error.stderr)

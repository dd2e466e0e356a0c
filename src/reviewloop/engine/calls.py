"""Calls an agent with a time limit, and turns its failures into data."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace

from reviewloop.core.session.history import History
from reviewloop.core.types.review import Failure, Usage
from reviewloop.errors import AgentError, AgentFailed, AgentTimedOut, WorkspaceError
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


class WorkRefused(Exception):
    """An author answered, but its work cannot be used. The answer was paid for all the same."""

    def __init__(self, error: AgentError | WorkspaceError, usage: Usage) -> None:
        super().__init__(str(error))
        self.error = error
        self.usage = usage


@contextmanager
def paid_for(reply: Reply) -> Generator[None]:
    """What goes wrong in this block goes wrong after the author's answer: its cost is kept."""
    try:
        yield
    except (AgentError, WorkspaceError) as error:
        raise WorkRefused(error, reply.usage) from error


def author_failure(error: AgentError | WorkspaceError | WorkRefused, seconds: float) -> tuple[Failure, Usage]:
    """Why an author's call came to nothing, and what it cost."""
    usage = error.usage if isinstance(error, WorkRefused) else Usage()
    cause = error.error if isinstance(error, WorkRefused) else error
    broken = Failure(cause="failed", message=cause.message, hint=cause.hint)
    failure = failure_of(cause) if isinstance(cause, AgentError) else broken
    return failure, replace(usage, seconds=usage.seconds or seconds)


def hidden_from(agent: Agent) -> Callable[[str], bool] | None:
    """Return the function that says which files an agent's copy must not contain."""
    return agent.hides if hasattr(agent, "hides") and isinstance(agent, HidesFiles) else None


def failure_of(error: AgentError) -> Failure:
    return Failure(cause=error.cause, message=error.message, hint=error.hint, detail=error.stderr)

"""Calls an agent with a time limit, and turns its failures into data."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace

from reviewloop.core.session.history import History
from reviewloop.core.types.review import Failure, Usage
from reviewloop.errors import AgentError, AgentFailed, AgentTimedOut, BudgetSpent, WorkspaceError
from reviewloop.ports import Agent, HidesFiles, Job, Reply, turn_of
from reviewloop.redaction import MARK, redact

_ROUNDING = 0.1
GRACE = 15.0
"""Extra seconds after an agent's time limit, in which it ends its processes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimit:
    """The seconds that a call may take; `budget` is the whole budget, if they are the rest of it."""

    seconds: float
    budget: float | None = None


def time_limit(history: History) -> TimeLimit:
    """Return the time that a call may take: the policy's limit, or the rest of the budget."""
    policy, budget = history.policy, history.policy.budget.seconds
    left = None if budget is None else max(1.0, budget - history.spent().seconds)
    if left is None or left >= policy.timeout:
        return TimeLimit(seconds=policy.timeout)
    return TimeLimit(seconds=left, budget=budget)


async def answer_within(agent: Agent, job: Job) -> Reply:
    """Return the agent's reply. Every exception of an adapter becomes an `AgentError`.

    If the time was up and was the rest of the budget, the budget ended the call, and not the agent.
    """
    async with turn_of(agent):
        began = time.monotonic()
        try:
            return await _answer(agent, job)
        except AgentError as error:
            if job.budget is None or time.monotonic() - began < job.timeout - _ROUNDING:
                raise
            message = f"the budget of {job.budget:g} seconds ended the call: {error.message}"
            raise BudgetSpent(message, stderr=error.stderr, hint="raise `budget.seconds`") from error


async def _answer(agent: Agent, job: Job) -> Reply:
    try:
        async with asyncio.timeout(job.timeout + GRACE):
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


def quotable(answer: str, texts: Iterable[str]) -> list[str]:
    """Return the texts that an answer may quote from: also as the agent saw them, if secrets were replaced in them."""
    sources = list(texts)
    return sources + [redact(text) for text in sources] if MARK in answer else sources


def hidden_from(agent: Agent) -> Callable[[str], bool] | None:
    """Return the function that says which files an agent's copy must not contain."""
    return agent.hides if hasattr(agent, "hides") and isinstance(agent, HidesFiles) else None


def failure_of(error: AgentError) -> Failure:
    return Failure(cause=error.cause, message=error.message, hint=error.hint, detail=error.stderr)

"""Asks another agent for a review if the first one gave none."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from reviewloop.agents.wrappers.wrapper import Wrapper
from reviewloop.errors import AgentError
from reviewloop.ports import Agent, HidesFiles, Job, Reply, Role, turn_of

_MIN_SECONDS = 1.0


class WithFallback(Wrapper):
    """An agent with a fallback. Only for reviews, because a failed author may leave half an edit behind.

    Args:
        inner: The agent that is asked first.
        name: The fallback's name in the configuration.
        find: Returns the agent with a name.
    """

    def __init__(self, inner: Agent, name: str, find: Callable[[str], Agent]) -> None:
        super().__init__(inner)
        self._name = name
        self._find = find

    def hides(self, path: str) -> bool:
        """Hide what either agent must not see, because both work on the same copy."""
        other = self._find(self._name)
        return super().hides(path) or (isinstance(other, HidesFiles) and other.hides(path))

    async def ask(self, job: Job) -> Reply:
        began = time.monotonic()
        try:
            return await self.inner.ask(job)
        except AgentError as error:
            left = job.timeout - (time.monotonic() - began)
            if job.role is not Role.REVIEW or left < _MIN_SECONDS:
                raise
            if job.barred and (why := job.barred(self._name)):
                raise _also(error, f"fallback {self._name} was not asked: {why}", error) from error
            prompt = job.whole_prompt() if job.whole_prompt else job.prompt
            other = replace(job, agent=self._name, timeout=left, prompt=prompt, whole_prompt=None)
            return await self._ask_other(other, error)

    async def _ask_other(self, job: Job, first: AgentError) -> Reply:
        other = self._find(self._name)
        try:
            async with turn_of(other):
                reply = await other.ask(job)
        except AgentError as error:
            raise _also(first, f"fallback {self._name} failed too: {error.message}", error) from error
        return replace(reply, answered_by=reply.answered_by or self._name)


def _also(first: AgentError, what: str, second: AgentError) -> AgentError:
    """The first agent's error, with what became of its fallback."""
    message = f"{first.message}; {what}"
    return type(first)(message, stderr=first.stderr or second.stderr, hint=first.hint or second.hint)

"""Another agent for a review that the first one could not give."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from reviewloop.agents.wrappers.wrapper import Around
from reviewloop.errors import AgentError
from reviewloop.ports import Agent, HidesFiles, Job, Reply, Role, turn_of

_TOO_LATE = 1.0


class WithFallback(Around):
    """An agent with another behind it, for reviews only: what a failed author left half done is no place to begin.

    Args:
        inner: Who is asked first.
        name: What the configuration calls the other one.
        find: Finds an agent by its name.
    """

    def __init__(self, inner: Agent, name: str, find: Callable[[str], Agent]) -> None:
        super().__init__(inner)
        self._name = name
        self._find = find

    def hides(self, path: str) -> bool:
        """Both work on the same copy."""
        other = self._find(self._name)
        return super().hides(path) or (isinstance(other, HidesFiles) and other.hides(path))

    async def ask(self, job: Job) -> Reply:
        began = time.monotonic()
        try:
            return await self.inner.ask(job)
        except AgentError as error:
            left = job.timeout - (time.monotonic() - began)
            if job.role is not Role.REVIEW or left < _TOO_LATE:
                raise
            prompt = job.whole_prompt() if job.whole_prompt else job.prompt
            other = replace(job, agent=self._name, timeout=left, prompt=prompt, whole_prompt=None)
            return await self._ask_other(other, error)

    async def _ask_other(self, job: Job, first: AgentError) -> Reply:
        other = self._find(self._name)
        try:
            async with turn_of(other):
                reply = await other.ask(job)
        except AgentError as error:
            message = f"{first.message}; its fallback {self._name}: {error.message}"
            raise type(first)(message, stderr=first.stderr or error.stderr, hint=first.hint or error.hint) from error
        return replace(reply, answered_by=reply.answered_by or self._name)

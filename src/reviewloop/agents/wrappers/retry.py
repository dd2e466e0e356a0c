"""Repeats a call after a transient failure, with exponential backoff and jitter, within the call's timeout.

Permanent failures, such as a wrong key, are not retried. Malformed answers are retried by the review loop.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from reviewloop.agents.wrappers.wrapper import Wrapper
from reviewloop.errors import AgentFailed
from reviewloop.ports import Agent, Job, Reply

RETRIES = 2
FIRST_PAUSE = 2.0
LONGEST_PAUSE = 60.0


class Retrying(Wrapper):
    """Retries transient failures of an agent.

    Args:
        inner: The agent.
        retries: The number of calls after the first one.
        sleep: Waits for a number of seconds.
        now: Returns the seconds of a monotonic clock.
        jitter: Returns a number from 0 to 1, so that calls that failed together are not repeated together.
    """

    def __init__(
        self,
        inner: Agent,
        retries: int = RETRIES,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        super().__init__(inner)
        self._retries = retries
        self._sleep = sleep
        self._now = now
        self._jitter = jitter

    async def ask(self, job: Job) -> Reply:
        until = self._now() + job.timeout
        for attempt in range(self._retries + 1):
            left = until - self._now()
            try:
                return await self.inner.ask(job if attempt == 0 else replace(job, timeout=left))
            except AgentFailed as error:
                pause = self._pause(attempt, error.retry_after)
                if not error.transient or attempt == self._retries or self._now() + pause >= until:
                    raise
            await self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _pause(self, attempt: int, retry_after: float | None) -> float:
        """Return half of the backoff plus up to as much jitter, but never less than the provider asks for."""
        longest = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
        return max(retry_after or 0.0, longest * (1 + self._jitter()) / 2)

"""Asks again when an agent had no capacity: after a pause that doubles, with chance in it, inside the call's time.

Only what may pass by itself is tried again. A wrong key is not, and a malformed answer is the loop's business.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from reviewloop.agents.wrappers.wrapper import Around
from reviewloop.errors import AgentFailed
from reviewloop.ports import Agent, Job, Reply

RETRIES = 2
FIRST_PAUSE = 2.0
LONGEST_PAUSE = 60.0


class Retrying(Around):
    """An agent that is asked again if it may help.

    Args:
        inner: The agent.
        retries: How often it is asked again.
        sleep: How to wait.
        now: Seconds on a clock that never goes back.
        chance: A number from 0 to 1, so that those who failed together do not come back together.
    """

    def __init__(
        self,
        inner: Agent,
        retries: int = RETRIES,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        super().__init__(inner)
        self._retries = retries
        self._sleep = sleep
        self._now = now
        self._chance = chance

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
        """Half of the pause is certain, half is chance; never sooner than the provider says."""
        longest = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
        return max(retry_after or 0.0, longest * (1 + self._chance()) / 2)

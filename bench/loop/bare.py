"""The floor: the same calls in bare asyncio. Nothing is kept, checked or judged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from run_sessions import RunSession, main
from workload import ITERATIONS, Agents, passes, spec


@asynccontextmanager
async def engine(_: Path, agents: Agents) -> AsyncGenerator[RunSession]:
    async def session(number: int) -> bool:
        text = spec(number)
        for iteration in range(1, ITERATIONS + 1):
            answers = await asyncio.gather(*(agents.review(reviewer, iteration, text) for reviewer in agents.reviewers))
            verdicts = [passes(answer) for answer in answers]
            if all(verdicts):
                return True
            text = await agents.revise(text, iteration)
        return False

    yield session


if __name__ == "__main__":
    main(engine)

"""The same loop in bare asyncio: prompts, parsing and judging are Reviewloop's own; nothing is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from pure_loop import PureLoop
from run_sessions import RunSession, main
from workload import Agents, spec

from reviewloop.core.loop.steps import Ask


@asynccontextmanager
async def engine(_: Path, agents: Agents) -> AsyncGenerator[RunSession]:
    async def session(number: int) -> bool:
        loop = PureLoop(spec(number), agents.reviewers)
        while step := loop.step():
            if isinstance(step, Ask):
                loop.prompts(step)
                asked = (agents.review(due.seat.agent, loop.iteration, loop.text) for due in step.due)
                loop.heard(step, await asyncio.gather(*asked))
            else:
                loop.author_prompt(step)
                loop.revised(await agents.revise(loop.text, loop.iteration))
        return loop.passed

    yield session


if __name__ == "__main__":
    main(engine)

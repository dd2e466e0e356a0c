"""The same loop on LangGraph: prompts, parsing and judging are Reviewloop's own; calls are tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langgraph.func import entrypoint, task
from langgraph_sqlite import DURABILITY, checkpointer
from pure_loop import PureLoop
from run_sessions import RunSession, main
from workload import Agents, spec

from reviewloop.core.loop.steps import Ask


@asynccontextmanager
async def engine(folder: Path, agents: Agents) -> AsyncGenerator[RunSession]:
    review, revise = task(agents.review), task(agents.revise)
    async with checkpointer(folder) as saver:

        @entrypoint(checkpointer=saver)
        async def run(text: str) -> entrypoint.final[dict[str, Any], None]:
            loop = PureLoop(text, agents.reviewers)
            iterations: list[list[str]] = []
            while step := loop.step():
                if isinstance(step, Ask):
                    loop.prompts(step)
                    asked = (review(due.seat.agent, loop.iteration, loop.text) for due in step.due)
                    iterations.append(await asyncio.gather(*asked))
                    loop.heard(step, iterations[-1])
                else:
                    loop.author_prompt(step)
                    loop.revised(await revise(loop.text, loop.iteration))
            result = {"passed": loop.passed, "text": loop.text, "iterations": iterations}
            return entrypoint.final(value=result, save=None)

        async def session(number: int) -> bool:
            thread = {"configurable": {"thread_id": f"feature-{number}"}}
            result = await run.ainvoke(spec(number), thread, durability=DURABILITY)
            return result["passed"]

        yield session


if __name__ == "__main__":
    main(engine)

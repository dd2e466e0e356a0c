"""LangGraph's functional API with its SQLite checkpointer: each call is a task, whose result is kept.

The loop returns what a caller of Reviewloop gets as well: the outcome, the text, and every answer of every iteration.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.func import entrypoint, task
from run_sessions import RunSession, main
from workload import ITERATIONS, Agents, passes, spec

DURABILITY = os.environ.get("LANGGRAPH_DURABILITY", "async")
"""Its default, `async`, goes on while a step is written; `sync` waits for the disk, as Reviewloop always does."""


@asynccontextmanager
async def checkpointer(folder: Path) -> AsyncGenerator[AsyncSqliteSaver]:
    async with AsyncSqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
        await saver.setup()  # turns the write-ahead log on
        await saver.conn.execute("PRAGMA synchronous = FULL")
        yield saver


@asynccontextmanager
async def engine(folder: Path, agents: Agents) -> AsyncGenerator[RunSession]:
    review, revise = task(agents.review), task(agents.revise)
    async with checkpointer(folder) as saver:

        @entrypoint(checkpointer=saver)
        async def loop(text: str) -> entrypoint.final[dict[str, Any], None]:
            iterations: list[list[str]] = []
            for number in range(1, ITERATIONS + 1):
                answers = await asyncio.gather(*(review(reviewer, number, text) for reviewer in agents.reviewers))
                iterations.append(answers)
                verdicts = [passes(answer) for answer in answers]
                if all(verdicts):
                    break
                text = await revise(text, number)
            result = {"passed": len(iterations) == ITERATIONS, "text": text, "iterations": iterations}
            return entrypoint.final(value=result, save=None)  # or the result would be kept twice

        async def session(number: int) -> bool:
            thread = {"configurable": {"thread_id": f"feature-{number}"}}
            result = await loop.ainvoke(spec(number), thread, durability=DURABILITY)
            return result["passed"]

        yield session


if __name__ == "__main__":
    main(engine)

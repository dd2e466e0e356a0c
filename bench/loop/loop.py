"""Reviewloop: every answer parsed, judged and on disk before the next step."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from run_sessions import RunSession, main
from workload import Agents, spec

from reviewloop import Job, Outcome, Reply, ReviewLoop, SqliteLedger


class Reviewer:
    edits_files = False

    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def ask(self, job: Job) -> Reply:
        (file,) = job.artifact.files
        return Reply(text=await self._agents.review(job.agent, job.iteration, file.text))


class Author:
    edits_files = False

    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    async def ask(self, job: Job) -> Reply:
        (file,) = job.artifact.files
        return Reply(text="done", edits={file.path: await self._agents.revise(file.text, job.iteration)})


@asynccontextmanager
async def engine(folder: Path, agents: Agents) -> AsyncGenerator[RunSession]:
    ledger = SqliteLedger(folder / "ledger.db")

    async def session(number: int) -> bool:
        reviewers = {name: Reviewer(agents) for name in agents.reviewers}
        # Without the offline rules: they are no part of the loop, and nobody else runs any.
        loop = ReviewLoop(reviewers, Author(agents), ledger=ledger, rules=False)
        result = await loop.run(spec(number), name=f"feature-{number}")
        return result.outcome is Outcome.PASSED

    try:
        yield session
    finally:
        await ledger.close()


if __name__ == "__main__":
    main(engine)

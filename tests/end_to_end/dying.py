"""Run the loop in the current directory and die at a chosen point, as by kill -9.

python dying.py before:3    before the third append reaches the ledger
python dying.py after:3     right after it
python dying.py call:review:2    while the reviewer of iteration 2 is at work
python dying.py never       not at all; prints how many appends there were
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from reviewloop.app import App, open_app
from reviewloop.ports import Agent, Job, Ledger, Reply
from reviewloop.review.artifact import Kind
from reviewloop.review.events import Draft, Event
from reviewloop.workspace.source import locate


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class DyingLedger:
    """A ledger whose process dies before or after its nth append."""

    def __init__(self, ledger: Ledger, point: str) -> None:
        self._ledger = ledger
        self._point = point
        self.appends = 0

    async def append(
        self, session: str, expected: int, drafts: Sequence[Draft], blobs: Mapping[str, bytes] | None = None
    ) -> list[Event]:
        self.appends += 1
        if self._point == f"before:{self.appends}":
            die()
        events = await self._ledger.append(session, expected, drafts, blobs)
        if self._point == f"after:{self.appends}":
            die()
        return events

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


class DyingAgent:
    """An agent whose host dies while it works."""

    def __init__(self, agent: Agent, point: str) -> None:
        self._agent = agent
        self._point = point
        self.hands_on = agent.hands_on

    async def ask(self, job: Job) -> Reply:
        if self._point == f"call:{job.role}:{job.iteration}":
            asyncio.get_running_loop().call_later(0.02, die)
        return await self._agent.ask(job)


async def main(point: str) -> None:
    app: App = open_app()
    ledger = DyingLedger(app.ledger, point)
    app.__dict__["ledger"] = ledger
    for name in ("reviewer", "author"):
        app._agents[name] = DyingAgent(app.agent(name), point)
    source = locate(app.root, app.cwd, ["specs"], kind=Kind.SPEC)
    await app.run(source, {})
    print(ledger.appends)
    await app.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

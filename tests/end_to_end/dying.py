"""Do some work in the current directory and die at a chosen point, as by kill -9.

python dying.py before:3 loop specs            the loop on specs; dies before the third append reaches the ledger
python dying.py after:3 feature docs/prd/a.md  specs and tasks from a PRD; dies right after it
python dying.py call:review:2 work             the workflow; dies while the reviewer of iteration 2 is at work
python dying.py never spec export final        a spec's tasks, reviewed at the end; prints how many appends there were
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from reviewloop.app.feature import FeatureRun
from reviewloop.app.project import Project, open_project
from reviewloop.app.sessions import start
from reviewloop.app.spec_tasks import run_named_spec
from reviewloop.app.targets.request import TargetRequest
from reviewloop.app.workflow import run_workflow
from reviewloop.core.session.events import Draft, Event
from reviewloop.ports import Agent, Job, Ledger, Reply
from reviewloop.workspace.prds import load_prd


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
        self.edits_files = agent.edits_files

    async def ask(self, job: Job) -> Reply:
        if self._point == f"call:{job.role}:{job.iteration}":
            asyncio.get_running_loop().call_later(0.02, die)
        return await self._agent.ask(job)


async def loop(app: Project, path: str) -> None:
    await start(app, app.resolver.resolve(TargetRequest(paths=(path,))).source, {})


async def feature(app: Project, prd: str) -> None:
    await FeatureRun(project=app).run(load_prd(app.root, prd))


async def work(app: Project) -> None:
    await run_workflow(app)


async def spec(app: Project, name: str, when: str) -> None:
    await run_named_spec(app, name, when=when)


WORK: dict[str, Callable[..., Awaitable[None]]] = {"loop": loop, "feature": feature, "work": work, "spec": spec}


async def main(point: str, what: str, *more: str) -> None:
    app = open_project()
    ledger = DyingLedger(app.ledger, point)
    app.store._ledger = ledger
    for name in app.config.agents:
        app._agents[name] = DyingAgent(app.agent(name), point)
    await WORK[what](app, *more)
    print(ledger.appends)
    await app.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

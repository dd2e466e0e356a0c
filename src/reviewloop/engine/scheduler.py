"""Tasks in dependency order: what is ready runs, several at a time if wanted, and one that waits stops no other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum

from reviewloop.core.session.history import History
from reviewloop.core.types.outcome import Outcome
from reviewloop.core.types.task import Task
from reviewloop.errors import ReviewloopError


class State(StrEnum):
    """Where a task stands."""

    DONE = "done"
    WAITING = "waiting"
    REJECTED = "rejected"
    PAUSED = "paused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A task after the workflow was worked on. `paused_by` are the tasks it would need."""

    task: Task
    state: State
    because: str = ""
    session: str = ""
    history: History | None = None
    paused_by: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        return self.state is State.DONE

    @property
    def is_waiting(self) -> bool:
        return self.state is State.WAITING

    @property
    def state_text(self) -> str:
        """The state for people: work that passed with warnings says so."""
        warned = self.is_done and self.history and self.history.outcome is Outcome.PASSED_WITH_WARNINGS
        return f"{self.state}, with warnings" if warned else str(self.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """A task's session after it was worked on."""

    session: str
    history: History


Delivery = Callable[[], AbstractAsyncContextManager[None]]
Do = Callable[[Task, Delivery], Awaitable[Worked]]


async def work(tasks: Sequence[Task], do: Do, *, jobs: int = 1) -> list[Report]:
    """Do the tasks, which come in order, and say where each of them stands.

    What is done at the same time is delivered in the tasks' order, so that the result does not depend on who is faster.
    """
    reports: dict[str, Report] = {}
    running: dict[asyncio.Task[Report], Task] = {}
    queue = Queue()
    try:
        while len(reports) < len(tasks):
            _start(tasks, reports, running, queue, do, jobs)
            if running:
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for one in done:
                    reports[running.pop(one).id] = one.result()
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return [reports[task.id] for task in tasks]


def _start(
    tasks: Sequence[Task],
    reports: dict[str, Report],
    running: dict[asyncio.Task[Report], Task],
    queue: Queue,
    do: Do,
    jobs: int,
) -> None:
    """Start what is ready, as far as there are hands; say of what will never be ready why."""
    for task in tasks:
        if task.id in reports or task in running.values():
            continue
        known = [reports.get(one) for one in task.depends_on]
        if stopped := tuple(one.task.id for one in known if one and one.state is not State.DONE):
            because = f"it needs {', '.join(stopped)}"
            reports[task.id] = Report(task=task, state=State.PAUSED, because=because, paused_by=stopped)
        elif all(known) and len(running) < jobs:
            running[asyncio.create_task(_one(task, do, queue.join()))] = task


async def _one(task: Task, do: Do, place: Place) -> Report:
    try:
        worked = await do(task, place.delivery)
    except ReviewloopError as error:
        because = f"{error.message} (hint: {error.hint})" if error.hint else error.message
        return Report(task=task, state=State.FAILED, because=because)
    finally:
        place.leave()
    history = worked.history
    return Report(
        task=task,
        state=_STATES.get(history.outcome, State.WAITING),
        because=history.explanation,
        session=worked.session,
        history=history,
    )


_STATES: dict[Outcome | None, State] = {
    Outcome.PASSED: State.DONE,
    Outcome.PASSED_WITH_WARNINGS: State.DONE,
    Outcome.REJECTED: State.REJECTED,
}


class Place:
    """A task's place among those that run."""

    def __init__(self, before: Sequence[asyncio.Event]) -> None:
        self._before = before
        self.delivered = asyncio.Event()

    @asynccontextmanager
    async def delivery(self) -> AsyncGenerator[None]:
        for earlier in self._before:
            await earlier.wait()
        try:
            yield
        finally:
            self.delivered.set()

    def leave(self) -> None:
        """Whoever comes later need not wait for this one any more."""
        self.delivered.set()


class Queue:
    """Gives every task its place, in the order they start."""

    def __init__(self) -> None:
        self._events: list[asyncio.Event] = []

    def join(self) -> Place:
        self._events = [one for one in self._events if not one.is_set()]
        place = Place(tuple(self._events))
        self._events.append(place.delivered)
        return place

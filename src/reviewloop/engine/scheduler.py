"""Runs tasks in dependency order, several at a time if wanted. A waiting task does not stop independent ones."""

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
    """The state of a task."""

    DONE = "done"
    WAITING = "waiting"
    REJECTED = "rejected"
    PAUSED = "paused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A task's state after a run. `paused_by` are the unfinished tasks it depends on."""

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
    """A task's session after a run."""

    session: str
    history: History


Delivery = Callable[[], AbstractAsyncContextManager[None]]
Do = Callable[[Task, Delivery], Awaitable[Worked]]


async def work(tasks: Sequence[Task], do: Do, *, jobs: int = 1) -> list[Report]:
    """Do the tasks, given in dependency order, and return a report for each.

    Parallel tasks deliver their work in the order of the tasks, so that the result does not depend on their speed.
    """
    reports: dict[str, Report] = {}
    running: dict[asyncio.Task[Report], Task] = {}
    queue = Queue()
    try:
        while len(reports) < len(tasks):
            _start(tasks, reports, running, queue, do, jobs)
            if running:
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for finished in done:
                    reports[running.pop(finished).id] = finished.result()
    finally:
        for unfinished in running:
            unfinished.cancel()
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
    """Start the tasks that are ready, up to `jobs` at a time, and report those that cannot become ready."""
    for task in tasks:
        if task.id in reports or task in running.values():
            continue
        known = [reports.get(name) for name in task.depends_on]
        if stopped := tuple(report.task.id for report in known if report and report.state is not State.DONE):
            because = f"it needs {', '.join(stopped)}"
            reports[task.id] = Report(task=task, state=State.PAUSED, because=because, paused_by=stopped)
        elif all(known) and len(running) < jobs:
            running[asyncio.create_task(_do_task(task, do, queue.join()))] = task


async def _do_task(task: Task, do: Do, place: Place) -> Report:
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
    """A running task's place in the order of delivery."""

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
        """Let later tasks deliver without waiting for this one."""
        self.delivered.set()


class Queue:
    """Gives every task its place, in the order in which they start."""

    def __init__(self) -> None:
        self._events: list[asyncio.Event] = []

    def join(self) -> Place:
        self._events = [event for event in self._events if not event.is_set()]
        place = Place(tuple(self._events))
        self._events.append(place.delivered)
        return place

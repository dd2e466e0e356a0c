"""Limits an agent's concurrent calls and its calls per period, across all sessions of the process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from reviewloop.agents.wrappers.wrapper import Wrapper
from reviewloop.ports import Agent, Job, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """The number of calls allowed in a number of seconds."""

    calls: int
    seconds: float = 60.0


class Gate:
    """Admits calls up to a concurrency and a rate; further calls wait their turn.

    One gate serves several threads, each with its own event loop.
    """

    def __init__(
        self,
        concurrency: int | None = None,
        rate: Rate | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._free = concurrency
        self._rate = rate
        self._now = now
        self._sleep = sleep
        self._lock = threading.Lock()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._starts: deque[float] = deque(maxlen=rate.calls if rate else 0)

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        await self._enter()
        try:
            await self._sleep_until_due()
            yield
        finally:
            self._leave()

    async def _enter(self) -> None:
        with self._lock:
            if self._free is None:
                return
            if self._free > 0:
                self._free -= 1
                return
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            with self._lock:
                still_waits = turn in self._waiting
                if still_waits:
                    self._waiting.remove(turn)
            if not still_waits:  # the turn was already ours: hand it on
                self._leave()
            raise

    def _leave(self) -> None:
        """Hand the slot to the call that has waited longest, or free it."""
        with self._lock:
            if self._free is None:
                return
            while self._waiting:
                turn = self._waiting.popleft()
                try:
                    turn.get_loop().call_soon_threadsafe(_admit, turn)
                except RuntimeError:  # the waiting call's event loop was closed
                    continue
                return
            self._free += 1

    async def _sleep_until_due(self) -> None:
        if self._rate is None:
            return
        with self._lock:
            now = self._now()
            full = len(self._starts) == self._rate.calls
            due = max(now, self._starts[0] + self._rate.seconds) if full else now
            self._starts.append(due)
        if due > now:
            await self._sleep(due - now)


def _admit(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key:
    kind: str
    name: str
    concurrency: int | None
    rate: Rate | None


_gates: dict[_Key, Gate] = {}
_gates_lock = threading.Lock()


def gate_for(kind: str, name: str, *, concurrency: int | None, rate: Rate | None) -> Gate:
    """Return the gate that all agents with this kind, name and limits share in this process."""
    key = _Key(kind=kind, name=name, concurrency=concurrency, rate=rate)
    with _gates_lock:
        return _gates.setdefault(key, Gate(concurrency, rate))


class Limited(Wrapper):
    """An agent with a gate. The engine waits for its turn before the call's time starts."""

    def __init__(self, inner: Agent, gate: Gate) -> None:
        super().__init__(inner)
        self._gate = gate

    def turn(self) -> AbstractAsyncContextManager[None]:
        return self._gate.turn()

    async def ask(self, job: Job) -> Reply:
        return await self.inner.ask(job)

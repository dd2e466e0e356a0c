"""The ledger in a SQLite file, safe for many sessions in many processes of one machine."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from reviewloop.core.session.events import Draft, Event
from reviewloop.core.session.session_head import Hold, SessionHead
from reviewloop.errors import LedgerError, SessionHeld
from reviewloop.ledger import leases, tables
from reviewloop.ledger.codec import check_name, encode, number
from reviewloop.ledger.database import Database, explain
from reviewloop.ledger.leases import INTERVAL, LEASE_SECONDS, Heartbeat
from reviewloop.ledger.writer import Writer

T = TypeVar("T")


class SqliteLedger:
    """A `Ledger` in a file. The file and its directory are created on first use.

    One thread writes and commits all waiting requests at once. Another thread reads, and never waits for writers.

    Args:
        path: The file. It must be on a local disk.
        patience: Seconds to wait for other processes that write, before `LedgerError`.
        lease_seconds: How long a hold is valid without a heartbeat, if its process cannot be checked.
        heartbeat_seconds: Seconds between heartbeats.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        patience: float = 15.0,
        lease_seconds: float = LEASE_SECONDS,
        heartbeat_seconds: float = INTERVAL,
    ) -> None:
        self.path = Path(path)
        self._lease_seconds = lease_seconds
        self._writer = Writer(Database(self.path, patience=patience))
        self._heartbeat = Heartbeat(self._writer, interval=heartbeat_seconds, seconds=lease_seconds)
        self._database = Database(self.path, patience=patience)
        self._reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reviewloop-ledger-reader")
        self._closed = False

    async def append(
        self, session: str, expected: int, drafts: Sequence[Draft], blobs: Mapping[str, bytes] | None = None
    ) -> list[Event]:
        events = number(check_name(session), expected, drafts)
        payloads = [encode(event.payload) for event in events]
        packed = tables.pack(blobs or {})
        # No `await` before this line: once begun, an append is written even if its caller is cancelled.
        await self._writer.submit(
            partial(tables.append, session=session, expected=expected, events=events, payloads=payloads, blobs=packed)
        )
        return events

    async def read(self, session: str, after: int = 0) -> list[Event]:
        return await self._read(partial(tables.read, session=check_name(session), after=after))

    async def feed(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]:
        return await self._read(partial(tables.feed, after=after, limit=limit))

    async def heads(self, feature: str | None = None) -> list[SessionHead]:
        return await self._read(partial(tables.heads, feature=feature))

    async def blob(self, digest: str) -> bytes | None:
        return await self._read(partial(tables.blob, digest=digest))

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncGenerator[Hold, None]:
        """Be the only writer of the sessions with this name.

        If the lease is lost (the machine slept until it expired, and another machine shares the file), the body is
        cancelled and `SessionHeld` is raised. The record is safe in any case: an append that did not expect the other
        writer's events is a conflict.
        """
        check_name(name)
        holder = _Holder()
        try:
            lease = await self._writer.submit(
                partial(leases.acquire, name=name, owner=holder.owner, seconds=self._lease_seconds)
            )
            self._heartbeat.keep(lease, holder.lost)
            yield lease.hold
        except asyncio.CancelledError:
            if holder.lost_lease():
                raise SessionHeld(name, owner=await self._owner(name)) from None
            raise
        finally:
            holder.done = True
            self._heartbeat.drop(holder.owner)
            # Also after a cancellation before the lease was confirmed. If this fails, the lease ends with the process.
            with suppress(LedgerError):
                await self._writer.submit(partial(leases.release, name=name, owner=holder.owner))

    async def holder(self, name: str) -> Hold | None:
        lease = await self._read(partial(leases.find, name=check_name(name)))
        return lease.hold if lease and lease.valid else None

    async def close(self) -> None:
        """Finish all writes. Holds that are still open end with the process."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._reader, self._end_threads)
        self._reader.shutdown()

    def _end_threads(self) -> None:
        self._database.close()
        self._heartbeat.close()
        self._writer.close()

    async def _owner(self, name: str) -> str:
        holder = await self.holder(name)
        return holder.owner if holder else "a process that has ended"

    async def _read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        def run() -> T:
            try:
                return query(self._database.for_reading())
            except (sqlite3.Error, OSError) as error:
                raise explain(error, self.path) from error

        if self._closed:
            raise LedgerError(f"the ledger {self.path} is closed")
        return await asyncio.get_running_loop().run_in_executor(self._reader, run)


class _Holder:
    """The task inside a hold, which is cancelled if the lease is taken away."""

    def __init__(self) -> None:
        self.owner = uuid4().hex
        self.done = False
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._loop = asyncio.get_running_loop()
        self._cancelling = task.cancelling()
        self._lost = False

    def lost(self) -> None:
        # The event loop may be closed, and the holder with it.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._interrupt)

    def lost_lease(self) -> bool:
        """Whether the lost lease alone caused the cancellation."""
        return self._lost and self._task.uncancel() <= self._cancelling

    def _interrupt(self) -> None:
        if not self.done:
            self._lost = True
            self._task.cancel()

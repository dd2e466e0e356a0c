"""The one thread that writes to a ledger file, many requests to a commit."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from reviewloop.errors import LedgerError
from reviewloop.ledger.database import Database, explain

T = TypeVar("T")

MAX_BATCH = 500  # so that other processes get their turn


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    work: Callable[[sqlite3.Connection], Any]
    future: asyncio.Future[Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settlement:
    """What a request came to, told to its owner only once it is on disk."""

    future: asyncio.Future[Any] | None
    result: Any = None
    error: Exception | None = None


class Writer:
    """Commits all the work that is waiting at once.

    A lone request is committed at once; while a commit is under way, the next batch gathers by itself. Work that fails
    does so before it writes; if it has written, the whole batch is undone, and each request tried by itself.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queue = SimpleQueue[_Request | None]()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="reviewloop-ledger-writer", daemon=True)

    def submit(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        """Done when `work` and its commit are; an error of `work` undoes what it did and nothing else.

        The work is done even if the one who waits is cancelled.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._enqueue(_Request(work=work, future=future))
        return future

    def submit_and_forget(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """For work that nobody waits for, from any thread."""
        self._enqueue(_Request(work=work, future=None))

    def close(self) -> None:
        """Finish what was submitted, then end the thread."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        if self._thread.ident is not None:
            self._thread.join()

    def _enqueue(self, request: _Request) -> None:
        with self._lock:
            if self._closed:
                raise LedgerError(f"the ledger {self._database.path} is closed")
            if self._thread.ident is None:
                self._thread.start()
            self._queue.put(request)

    def _run(self) -> None:
        open_for_work = True
        while open_for_work:
            waiting = self._waiting()
            open_for_work = waiting[-1] is not None
            batch = [request for request in waiting if request is not None]
            if batch:
                self._settle(batch)
        self._database.close()

    def _waiting(self) -> list[_Request | None]:
        waiting = [self._queue.get()]
        while len(waiting) < MAX_BATCH and waiting[-1] is not None:
            try:
                waiting.append(self._queue.get_nowait())
            except Empty:
                break
        return waiting

    def _settle(self, batch: list[_Request]) -> None:
        try:
            settlements = self._commit(batch)
        except Exception as error:  # noqa: BLE001 - told to those who wait, or they would wait for ever
            settlements = [_Settlement(future=one.future, error=self._explained(error)) for one in batch]
        _tell(settlements)

    def _commit(self, batch: list[_Request]) -> list[_Settlement]:
        connection = self._database.begin()
        try:
            settlements = [_attempt(connection, request) for request in batch]
            connection.execute("COMMIT")
        except Exception:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if len(batch) == 1:
                raise
        else:
            return settlements
        # Perhaps one of them was too large for the disk; the others shall not suffer for it.
        for request in batch:
            self._settle([request])
        return []

    def _explained(self, error: Exception) -> Exception:
        return explain(error, self._database.path) if isinstance(error, sqlite3.Error | OSError) else error


def _attempt(connection: sqlite3.Connection, request: _Request) -> _Settlement:
    before = connection.total_changes
    try:
        return _Settlement(future=request.future, result=request.work(connection))
    except sqlite3.Error:
        raise
    except Exception as error:
        if connection.total_changes != before:
            raise
        return _Settlement(future=request.future, error=error)


def _tell(settlements: Iterable[_Settlement]) -> None:
    """Wake each event loop once, however many wait in it."""
    by_loop = defaultdict[asyncio.AbstractEventLoop, list[_Settlement]](list)
    for settlement in settlements:
        if settlement.future is not None:
            by_loop[settlement.future.get_loop()].append(settlement)
    for loop, own in by_loop.items():
        # A loop that was closed meanwhile has nobody left who waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_resolve, own)


def _resolve(settlements: Iterable[_Settlement]) -> None:
    for settlement in settlements:
        future = settlement.future
        if future is None or future.done():
            continue
        if settlement.error is None:
            future.set_result(settlement.result)
        else:
            future.set_exception(settlement.error)

"""The thread that writes to a ledger file, with many requests in each commit."""

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

MAX_BATCH = 500  # so that other processes get a turn


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    work: Callable[[sqlite3.Connection], Any]
    future: asyncio.Future[Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """The outcome of a request. Its caller learns it only once it is on disk."""

    future: asyncio.Future[Any] | None
    result: Any = None
    error: Exception | None = None


class Writer:
    """Commits all waiting requests together.

    A single request is committed immediately; requests that arrive during a commit form the next batch. A request that
    fails before it writes affects no other. If it has written, the batch is rolled back and each request is retried
    alone.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queue = SimpleQueue[_Request | None]()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="reviewloop-ledger-writer", daemon=True)

    def submit(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        """Run `work` in a transaction. The future is done after the commit; an error undoes only this work.

        The work is done even if the caller is cancelled.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._enqueue(_Request(work=work, future=future))
        return future

    def submit_and_forget(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Run `work` without waiting for it. May be called from any thread."""
        self._enqueue(_Request(work=work, future=None))

    def close(self) -> None:
        """Finish all submitted work, then end the thread."""
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
        running = True
        while running:
            waiting = self._waiting()
            running = waiting[-1] is not None
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
            outcomes = self._commit(batch)
        except Exception as error:  # noqa: BLE001 - the callers get it, else they would wait forever
            outcomes = [_Outcome(future=request.future, error=self._explained(error)) for request in batch]
        _report(outcomes)

    def _commit(self, batch: list[_Request]) -> list[_Outcome]:
        connection = self._database.begin()
        try:
            outcomes = [_attempt(connection, request) for request in batch]
            connection.execute("COMMIT")
        except Exception:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if len(batch) == 1:
                raise
        else:
            return outcomes
        # One request may be too large for the disk. The others can still succeed alone.
        for request in batch:
            self._settle([request])
        return []

    def _explained(self, error: Exception) -> Exception:
        return explain(error, self._database.path) if isinstance(error, sqlite3.Error | OSError) else error


def _attempt(connection: sqlite3.Connection, request: _Request) -> _Outcome:
    before = connection.total_changes
    try:
        return _Outcome(future=request.future, result=request.work(connection))
    except sqlite3.Error:
        raise
    except Exception as error:
        if connection.total_changes != before:
            raise
        return _Outcome(future=request.future, error=error)


def _report(outcomes: Iterable[_Outcome]) -> None:
    """Resolve the futures, and wake each event loop only once."""
    by_loop = defaultdict[asyncio.AbstractEventLoop, list[_Outcome]](list)
    for outcome in outcomes:
        if outcome.future is not None:
            by_loop[outcome.future.get_loop()].append(outcome)
    for loop, resolved in by_loop.items():
        # Nothing waits in a loop that was closed meanwhile.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_resolve, resolved)


def _resolve(outcomes: Iterable[_Outcome]) -> None:
    for outcome in outcomes:
        future = outcome.future
        if future is None or future.done():
            continue
        if outcome.error is None:
            future.set_result(outcome.result)
        else:
            future.set_exception(outcome.error)

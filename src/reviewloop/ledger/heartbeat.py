"""Renews the leases of one ledger, and tells their holders if a lease was lost."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass

from reviewloop.ledger.leases import Lease, renew
from reviewloop.ledger.writer import Writer

INTERVAL = 10.0
LEASE_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    lease: Lease
    on_lost: Callable[[], None]


class Heartbeat:
    """Renews all leases in one commit, from its own thread, so that a busy event loop loses none."""

    def __init__(self, writer: Writer, *, interval: float, seconds: float) -> None:
        self._writer = writer
        self._interval = interval
        self._seconds = seconds
        self._lock = threading.Lock()
        self._kept: dict[str, _Kept] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reviewloop-ledger-heartbeat", daemon=True)

    def keep(self, lease: Lease, on_lost: Callable[[], None]) -> None:
        """Renew the lease from now on. `on_lost` is called from another thread."""
        with self._lock:
            self._kept[lease.owner] = _Kept(lease=lease, on_lost=on_lost)
            if self._thread.ident is None:
                self._thread.start()

    def drop(self, owner: str) -> None:
        with self._lock:
            self._kept.pop(owner, None)

    def close(self) -> None:
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self._interval):
            if self._kept:
                # If this fails, the next append reports why, and the next beat tries again.
                self._writer.submit_and_forget(self._beat)

    def _beat(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            kept = dict(self._kept)
        for lost in renew(connection, [entry.lease for entry in kept.values()], self._seconds):
            self.drop(lost.owner)
            kept[lost.owner].on_lost()

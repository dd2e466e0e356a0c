"""Leases in a ledger file: one row per name, held by one process.

On one machine, a lease is valid as long as its process runs. When the process ends, even by `kill -9`, the next one
takes over at once. If the process cannot be checked (another machine or container, or this process itself), the lease
is valid until it expires, and a heartbeat renews it.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reviewloop.core.session.session_head import Hold
from reviewloop.errors import SessionHeld
from reviewloop.ledger.codec import format_time, parse_time
from reviewloop.ledger.lease_owner import Process, this_process
from reviewloop.ledger.writer import Writer

INTERVAL = 10.0
LEASE_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A name that a process holds. `owner` distinguishes holds of the same process."""

    name: str
    owner: str
    process: Process
    since: datetime
    expires: datetime

    @property
    def valid(self) -> bool:
        runs = None if self.process == this_process() else self.process.runs
        return datetime.now(UTC) < self.expires if runs is None else runs

    @property
    def hold(self) -> Hold:
        return Hold(
            name=self.name,
            owner=f"pid {self.process.pid} on {self.process.host} since {self.since:%H:%M} UTC",
            pid=self.process.pid,
            host=self.process.host,
            expires=self.expires,
        )


def acquire(connection: sqlite3.Connection, name: str, owner: str, seconds: float) -> Lease:
    """Take the name, also from a process that has ended.

    Raises:
        SessionHeld: Another holder has it.
    """
    if (other := find(connection, name)) and other.valid:
        raise SessionHeld(name, owner=other.hold.owner)
    now = datetime.now(UTC)
    own = this_process()
    lease = Lease(name=name, owner=owner, process=own, since=now, expires=now + timedelta(seconds=seconds))
    connection.execute(
        "INSERT OR REPLACE INTO leases (name, owner, pid, process_start, host, boot, since, expires)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (name, owner, own.pid, own.start, own.host, own.boot, format_time(lease.since), format_time(lease.expires)),
    )
    return lease


def renew(connection: sqlite3.Connection, leases: Iterable[Lease], seconds: float) -> list[Lease]:
    """Extend leases. Returns those that another holder has taken."""
    expires = format_time(datetime.now(UTC) + timedelta(seconds=seconds))
    update = "UPDATE leases SET expires = ? WHERE name = ? AND owner = ?"
    return [lease for lease in leases if not connection.execute(update, (expires, lease.name, lease.owner)).rowcount]


def release(connection: sqlite3.Connection, name: str, owner: str) -> None:
    connection.execute("DELETE FROM leases WHERE name = ? AND owner = ?", (name, owner))


def find(connection: sqlite3.Connection, name: str) -> Lease | None:
    row = connection.execute(
        "SELECT owner, pid, process_start, host, boot, since, expires FROM leases WHERE name = ?", (name,)
    ).fetchone()
    if row is None:
        return None
    owner, pid, start, host, boot, since, expires = row
    return Lease(
        name=name,
        owner=owner,
        process=Process(pid=pid, start=start, host=host, boot=boot),
        since=parse_time(since),
        expires=parse_time(expires),
    )


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

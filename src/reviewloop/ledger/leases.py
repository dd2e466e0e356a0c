"""Leases in a ledger file: one row per name, held by one process.

On one machine, a lease is valid as long as its process runs. When the process ends, even by `kill -9`, the next one
takes over at once. If the process cannot be checked (another machine or container, or this process itself), the lease
is valid until it expires, and a heartbeat renews it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reviewloop.core.session.session_head import Hold
from reviewloop.errors import SessionHeld
from reviewloop.ledger.codec import format_time, parse_time
from reviewloop.ledger.lease_owner import Process, this_process


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

"""Leases in a ledger file: one row a name, in the hands of one process.

On one machine a lease is worth as much as its process: while it runs the lease stands, and when it is gone, even by
`kill -9`, the next one takes over at once. Where nobody can look (another machine or container, or a lease of this
very process), the lease stands until it expires, and a heartbeat keeps it from expiring.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reviewloop.errors import SessionHeld
from reviewloop.ledger.codec import format_time, parse_time
from reviewloop.ledger.lease_owner import Process, this_process
from reviewloop.ports import Hold


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A name in the hands of a process. `owner` tells holds of the same process apart."""

    name: str
    owner: str
    process: Process
    since: datetime
    expires: datetime

    @property
    def stands(self) -> bool:
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
    """Take the name, also from a holder that is gone.

    Raises:
        SessionHeld: Somebody else has it.
    """
    if (other := find(connection, name)) and other.stands:
        raise SessionHeld(name, owner=other.hold.owner)
    now = datetime.now(UTC)
    me = this_process()
    lease = Lease(name=name, owner=owner, process=me, since=now, expires=now + timedelta(seconds=seconds))
    connection.execute(
        "INSERT OR REPLACE INTO leases (name, owner, pid, process_start, host, boot, since, expires)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (name, owner, me.pid, me.start, me.host, me.boot, format_time(lease.since), format_time(lease.expires)),
    )
    return lease


def renew(connection: sqlite3.Connection, leases: Iterable[Lease], seconds: float) -> list[Lease]:
    """Put off the end of leases; gives back those that somebody else has taken."""
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

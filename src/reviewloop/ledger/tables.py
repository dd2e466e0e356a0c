"""Reading and writing the tables of a ledger file. Writers run inside a transaction of their caller."""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from reviewloop.core.session.events import Event
from reviewloop.errors import AppendConflict, DamagedRecord, LedgerError
from reviewloop.ledger.codec import feature_of, format_time, parse_time, restore
from reviewloop.ports import MEMORY_BOOK, SessionHead

_SMALL = 16 * 1024
_ROWS = 16


def pack(blobs: Mapping[str, bytes]) -> dict[str, bytes]:
    # A caller waits for it: the lightest level, and small texts as they are.
    return {
        digest: zlib.compress(data, level=1) if len(data) > _SMALL else _as_it_is(data)
        for digest, data in blobs.items()
    }


def _as_it_is(data: bytes) -> bytes:
    """What `zlib.compress` gives at level 0, but for tables that it fills and never looks at."""
    size = len(data)
    head, tail = struct.pack("<3sHH", b"\x78\x01\x01", size, size ^ 0xFFFF), struct.pack(">I", zlib.adler32(data))
    return head + data + tail


def append(
    connection: sqlite3.Connection,
    session: str,
    expected: int,
    events: Sequence[Event],
    payloads: Sequence[str],
    blobs: Mapping[str, bytes],
) -> None:
    # First the one statement that tells whether nobody else has written: what fails has changed nothing.
    times = [format_time(event.time) for event in events]
    if not _moved(connection, session, expected, events, times):
        raise AppendConflict(session, expected=expected, actual=_events_of(connection, session))
    _insert(connection, "INSERT OR IGNORE INTO blobs (digest, data)", [*blobs.items()])
    _insert(
        connection,
        "INSERT INTO events (id, session, seq, time, type, payload)",
        [
            (event.id, session, event.seq, time, event.type, payload)
            for event, time, payload in zip(events, times, payloads, strict=True)
        ],
    )


def _insert(connection: sqlite3.Connection, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Many rows to a statement: at every statement threads change places, which takes longer than the row."""
    for start in range(0, len(rows), _ROWS):
        some = rows[start : start + _ROWS]
        connection.execute(_inserting(into, len(some), len(some[0])), list(chain.from_iterable(some)))


@cache
def _inserting(into: str, rows: int, columns: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return f"{into} VALUES {', '.join([row] * rows)}"


def _moved(
    connection: sqlite3.Connection, session: str, expected: int, events: Sequence[Event], times: Sequence[str]
) -> bool:
    """Count the new events in the session's head; False if it is not as expected."""
    if not events:
        return _events_of(connection, session) == expected
    feature = feature_of(events)
    name = None if feature is None else json.dumps(feature)
    if expected:
        return bool(
            connection.execute(
                "UPDATE sessions SET feature = coalesce(?, feature), events = events + ?, updated = ?,"
                " position = (SELECT max(position) FROM events) + ? WHERE session = ? AND events = ?",
                (name, len(events), times[-1], len(events), session, expected),
            ).rowcount
        )
    return bool(
        connection.execute(
            "INSERT OR IGNORE INTO sessions (session, feature, events, started, updated, position)"
            " VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(position), 0) FROM events) + ?)",
            (session, name or json.dumps(session), len(events), times[0], times[-1], len(events)),
        ).rowcount
    )


def _events_of(connection: sqlite3.Connection, session: str) -> int:
    head = connection.execute("SELECT events FROM sessions WHERE session = ?", (session,)).fetchone()
    return head[0] if head else 0


def read(connection: sqlite3.Connection, session: str, after: int) -> list[Event]:
    rows = connection.execute(
        "SELECT id, session, seq, time, type, payload FROM events WHERE session = ? AND seq > ? ORDER BY seq",
        (session, after),
    )
    try:
        events = [restore(*row) for row in rows]
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
        raise DamagedRecord(f"an event of session {session} cannot be read: it is not UTF-8") from error
    if events and events[-1].seq != after + len(events):
        raise DamagedRecord(f"session {session} lacks an event: it has {len(events)} up to number {events[-1].seq}")
    return events


def feed(connection: sqlite3.Connection, after: int, limit: int) -> list[tuple[int, Event]]:
    rows = connection.execute(
        "SELECT position, id, session, seq, time, type, payload FROM events WHERE position > ?"
        " ORDER BY position LIMIT ?",
        (after, limit),
    )
    page: list[tuple[int, Event]] = []
    for position, *columns in rows:
        try:
            page.append((position, restore(*columns)))
        except DamagedRecord as damage:
            if page:  # what is before it can be read; it is told when it comes first
                break
            session: str = columns[1]
            raise type(damage)(damage.message, session=session, position=position) from damage
    return page


def heads(connection: sqlite3.Connection, feature: str | None) -> list[SessionHead]:
    rows = connection.execute(
        "SELECT session, feature, events, started, updated FROM sessions WHERE feature = coalesce(?, feature)"
        " AND session <> ? ORDER BY position DESC",
        (None if feature is None else json.dumps(feature), MEMORY_BOOK),
    )
    return [
        SessionHead(
            session=session,
            feature=json.loads(feature),
            events=events,
            started=parse_time(started),
            updated=parse_time(updated),
        )
        for session, feature, events, started, updated in rows
    ]


def blob(connection: sqlite3.Connection, digest: str) -> bytes | None:
    row = connection.execute("SELECT data FROM blobs WHERE digest = ?", (digest,)).fetchone()
    try:
        return zlib.decompress(row[0]) if row else None
    except zlib.error as error:
        raise LedgerError(
            f"the text {digest} is damaged in the ledger: {error}",
            hint="restore the ledger from a backup",
        ) from error

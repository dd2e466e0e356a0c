"""Reads and writes the tables of a ledger file. Writing functions run inside the caller's transaction."""

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
from reviewloop.core.session.session_head import MEMORY_BOOK, SessionHead
from reviewloop.errors import AppendConflict, DamagedRecord, LedgerError
from reviewloop.ledger.codec import feature_of, format_time, parse_time, restore

_SMALL = 16 * 1024
_ROWS = 16


def pack(blobs: Mapping[str, bytes]) -> dict[str, bytes]:
    # The caller waits for this, so large texts get the fastest level and small texts are stored uncompressed.
    return {
        digest: zlib.compress(data, level=1) if len(data) > _SMALL else _uncompressed(data)
        for digest, data in blobs.items()
    }


def _uncompressed(data: bytes) -> bytes:
    """Return what `zlib.compress` returns at level 0, without the time it spends on tables it never uses."""
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
    # The statement that can fail comes first, so that a conflict changes nothing.
    times = [format_time(event.time) for event in events]
    if not _update_head(connection, session, expected, events, times):
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
    """Insert many rows with each statement: the thread switch at every statement takes longer than a row."""
    for start in range(0, len(rows), _ROWS):
        batch = rows[start : start + _ROWS]
        connection.execute(_insert_statement(into, len(batch), len(batch[0])), list(chain.from_iterable(batch)))


@cache
def _insert_statement(into: str, rows: int, columns: int) -> str:
    row = f"({', '.join('?' * columns)})"
    return f"{into} VALUES {', '.join([row] * rows)}"


def _update_head(
    connection: sqlite3.Connection, session: str, expected: int, events: Sequence[Event], times: Sequence[str]
) -> bool:
    """Add the new events to the session's head. Returns False if another writer was faster."""
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
        raise DamagedRecord(f"session {session} is missing events: it has {len(events)} up to number {events[-1].seq}")
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
            if page:  # return the readable events first; the next call reports the damage
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

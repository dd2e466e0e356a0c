"""The memory database beside the ledger: one memory per stage and service, one writer at a time.

It is a view: it records the last ledger event that it includes, and can be rebuilt from the ledger.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from reviewloop.core.types.memory_pattern import Memory
from reviewloop.core.types.review import Stage
from reviewloop.views.write_lock import write_lock

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS memory (stage TEXT, service TEXT, body TEXT NOT NULL, PRIMARY KEY (stage, service))",
    "CREATE TABLE IF NOT EXISTS progress (row INTEGER PRIMARY KEY CHECK (row = 0), position INTEGER NOT NULL)",
)


class MemoryStore:
    """The database, open for one update."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def get(self, stage: Stage, service: str) -> Memory:
        query = "SELECT body FROM memory WHERE stage = ? AND service = ?"
        row = self._db.execute(query, (str(stage), service)).fetchone()
        return _stored(row[0]) if row else Memory(stage=stage, service=service)

    def put(self, memory: Memory) -> None:
        row = (str(memory.stage), memory.service, encode(memory))
        self._db.execute("INSERT OR REPLACE INTO memory VALUES (?, ?, ?)", row)

    @property
    def position(self) -> int | None:
        """The last ledger event that is included; None if the database is older than the events for memory."""
        row = self._db.execute("SELECT position FROM progress").fetchone()
        return row[0] if row else None

    def set_position(self, position: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO progress VALUES (0, ?)", (position,))

    def clear(self) -> None:
        self._db.execute("DELETE FROM memory")

    def all(self) -> list[Memory]:
        return [_stored(body) for (body,) in self._db.execute("SELECT body FROM memory ORDER BY service, stage DESC")]


@contextmanager
def open_store(path: Path) -> Generator[MemoryStore]:
    """Open the store for one writer at a time. Database errors become an `OSError` that names the file."""
    with write_lock(path) as connection:
        for statement in _SCHEMA:
            connection.execute(statement)
        yield MemoryStore(connection)


def encode(memory: Memory) -> str:
    return json.dumps(_adapter().dump_python(memory, mode="json"), ensure_ascii=False)


def decode(value: Any) -> Memory:
    """A memory from a value of `json.loads`. Raises `ValueError` if the value is not a memory."""
    return _adapter().validate_python(value)


def _stored(body: str) -> Memory:
    try:
        return decode(json.loads(body))
    except ValueError as error:
        raise sqlite3.DatabaseError(f"it has an entry that is not a memory: {error}") from error


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(Memory)

"""What reviewers have learned, by stage and service: a small database beside the ledger, one writer at a time.

It is a view: it says up to which event of the ledger it is, and it can be made again from there.
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
from reviewloop.views.write_lock import one_at_a_time

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
        found = self._db.execute(query, (str(stage), service)).fetchone()
        return _stored(found[0]) if found else Memory(stage=stage, service=service)

    def put(self, memory: Memory) -> None:
        row = (str(memory.stage), memory.service, encode(memory))
        self._db.execute("INSERT OR REPLACE INTO memory VALUES (?, ?, ?)", row)

    @property
    def position(self) -> int | None:
        """Up to which event of the ledger it is; None if it was written before the ledger was followed."""
        found = self._db.execute("SELECT position FROM progress").fetchone()
        return found[0] if found else None

    def reached(self, position: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO progress VALUES (0, ?)", (position,))

    def clear(self) -> None:
        self._db.execute("DELETE FROM memory")

    def all(self) -> list[Memory]:
        return [_stored(body) for (body,) in self._db.execute("SELECT body FROM memory ORDER BY service, stage DESC")]


@contextmanager
def opened(path: Path) -> Generator[MemoryStore]:
    """The store, for one writer at a time. What goes wrong with it is an `OSError` that says where."""
    with one_at_a_time(path) as connection:
        for statement in _SCHEMA:
            connection.execute(statement)
        yield MemoryStore(connection)


def encode(memory: Memory) -> str:
    return json.dumps(_adapter().dump_python(memory, mode="json"), ensure_ascii=False)


def decode(value: Any) -> Memory:
    """A memory from what `json.loads` gives. Raises `ValueError` if it is none."""
    return _adapter().validate_python(value)


def _stored(body: str) -> Memory:
    try:
        return decode(json.loads(body))
    except ValueError as error:
        raise sqlite3.DatabaseError(f"it holds what is no memory: {error}") from error


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(Memory)

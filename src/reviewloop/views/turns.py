"""One writer at a time for a file that is read, changed and written again."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 10.0


@contextmanager
def one_at_a_time(lock: Path) -> Generator[None]:
    """Wait for whoever holds the lock, and hold it. It is an empty database: a crash lets go of it."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    try:
        connection = sqlite3.connect(lock, timeout=_PATIENCE, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise OSError(f"{lock}: {error}") from error

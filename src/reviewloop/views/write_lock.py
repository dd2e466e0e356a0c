"""A lock for one writer at a time, for databases and for files that are read and rewritten."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from reviewloop.private_files import make_database

_TIMEOUT = 10.0


@contextmanager
def write_lock(database: Path, *, durable: bool = True) -> Generator[sqlite3.Connection]:
    """Wait for other writers, hold the write lock, and commit at the end.

    An empty database serves as a lock that a crash releases. Database errors become an `OSError` that names the file.

    Args:
        database: The SQLite file, created if it does not exist.
        durable: Whether the changes must survive a power failure.
    """
    make_database(database)
    try:
        connection = sqlite3.connect(database, timeout=_TIMEOUT, isolation_level=None)
        try:
            if not durable:
                connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise OSError(f"{database}: {error}") from error

"""One writer at a time: for a view's own database, and for a file that is read, changed and written again."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from reviewloop.private_files import make_database

_PATIENCE = 10.0


@contextmanager
def one_at_a_time(database: Path, *, durable: bool = True) -> Generator[sqlite3.Connection]:
    """Wait for whoever writes to the database, and be the one who does; what was written is kept at the end.

    One that stays empty is a lock: a crash lets go of it. What goes wrong is an `OSError` that says where.

    Args:
        database: Made if it is not there.
        durable: Whether what was written has to survive a loss of power.
    """
    make_database(database)
    try:
        connection = sqlite3.connect(database, timeout=_PATIENCE, isolation_level=None)
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

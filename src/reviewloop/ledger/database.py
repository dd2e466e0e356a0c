"""One thread's connection to a ledger file, and readable errors for SQLite's."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

from reviewloop.errors import LedgerUnusable
from reviewloop.ledger.schema import migrate
from reviewloop.private_files import make_database

_RETRY_SECONDS = 0.001
"""Seconds between two attempts to write while another process writes."""


class Database:
    """A connection that belongs to one thread. It opens on first use, and again if the file was replaced."""

    def __init__(self, path: Path, *, patience: float) -> None:
        self.path = path
        self._patience = patience
        self._connection: sqlite3.Connection | None = None
        self._file: os.stat_result | None = None
        self._without_busy_timeout: sqlite3.Connection | None = None

    def for_writing(self) -> sqlite3.Connection:
        """Return the connection. Creates the file if it does not exist."""
        if self._connection is not None and self._replaced():
            self.close()
        if self._connection is None:
            make_database(self.path)
            self._connection = self._open()
            self._file = self.path.stat()
        return self._connection

    def begin(self) -> sqlite3.Connection:
        """Begin to write as soon as no other process writes. SQLite's own wait would check less and less often."""
        connection = self.for_writing()
        if connection is not self._without_busy_timeout:
            connection.execute("PRAGMA busy_timeout = 0")
            self._without_busy_timeout = connection
        self._execute_when_free(connection, "BEGIN IMMEDIATE")
        return connection

    def for_reading(self) -> sqlite3.Connection:
        """Return the connection. Never creates the file: a missing file reads as an empty ledger."""
        if self.path.exists():
            try:
                return self.for_writing()
            except sqlite3.OperationalError as error:
                return self._read_only(error)
        self.close()
        self._connection = _connect(":memory:", patience=0)
        migrate(self._connection, ":memory:")
        return self._connection

    def _read_only(self, error: sqlite3.OperationalError) -> sqlite3.Connection:
        """Open a file that cannot be written, as on a read-only disk, if its log holds no further events."""
        log = self.path.with_name(f"{self.path.name}-wal")
        unwritable = _code(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not unwritable or (log.exists() and log.stat().st_size):
            raise error
        connection = sqlite3.connect(f"{self.path.absolute().as_uri()}?immutable=1", uri=True, isolation_level=None)
        migrate(connection, str(self.path))
        self._connection, self._file = connection, self.path.stat()
        return connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._file = None

    def _replaced(self) -> bool:
        # Without this check, a writer would continue in a deleted file, and its events would be lost.
        try:
            return self._file is None or not os.path.samestat(self._file, self.path.stat())
        except FileNotFoundError:
            return True

    def _open(self) -> sqlite3.Connection:
        connection = _connect(str(self.path), patience=self._patience)
        try:
            # Here SQLite does not wait for another process that opens the same new file.
            self._execute_when_free(connection, "PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            migrate(connection, str(self.path))
        except BaseException:
            connection.close()
            raise
        return connection

    def _execute_when_free(self, connection: sqlite3.Connection, statement: str) -> None:
        deadline = time.monotonic() + self._patience
        while True:
            try:
                connection.execute(statement)
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_RETRY_SECONDS)
            else:
                return


def explain(error: sqlite3.Error | OSError, path: Path) -> LedgerUnusable:
    """Convert an error of SQLite or the system to a `LedgerUnusable` with a hint."""
    if isinstance(error, OSError):
        return LedgerUnusable(f"the ledger {path} cannot be opened: {error}", hint=_PERMISSIONS)
    problem, hint = _CAUSES.get(_code(error), ("failed", None))
    return LedgerUnusable(f"the ledger {path} {problem}: {error}", hint=hint)


def _connect(name: str, *, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(name, timeout=patience, isolation_level=None)


def _code(error: sqlite3.Error) -> int:
    # The low byte is the error, the rest are details. Errors of Python's module have no code.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


_PERMISSIONS = "check that the file and its directory exist and are writable"
_DAMAGED = "move the file away, or restore it from a backup"
_FULL = "free disk space, then run `reviewloop resume`; everything recorded so far is kept"
_CAUSES = {
    sqlite3.SQLITE_BUSY: ("is locked", "another program is writing to it; wait for that program or close it"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", _PERMISSIONS),
    sqlite3.SQLITE_CORRUPT: ("is damaged", _DAMAGED),
    sqlite3.SQLITE_FULL: ("cannot grow", _FULL),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", _FULL),
    sqlite3.SQLITE_NOTADB: ("is not a ledger", _DAMAGED),
    sqlite3.SQLITE_PERM: ("cannot be opened", _PERMISSIONS),
    sqlite3.SQLITE_READONLY: ("is read-only", _PERMISSIONS),
}

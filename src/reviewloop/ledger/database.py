"""One thread's connection to a ledger file, and SQLite's errors in words."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

from reviewloop.errors import LedgerUnusable
from reviewloop.ledger.schema import migrate
from reviewloop.private_files import make_database

_GLANCE = 0.001
"""Seconds between two looks whether other processes are done."""


class Database:
    """A connection that is opened on first use, and again if the file was replaced under it.

    Belongs to one thread.
    """

    def __init__(self, path: Path, *, patience: float) -> None:
        self.path = path
        self._patience = patience
        self._connection: sqlite3.Connection | None = None
        self._file: os.stat_result | None = None
        self._looks_often: sqlite3.Connection | None = None

    def for_writing(self) -> sqlite3.Connection:
        """Creates the file if it is not there."""
        if self._connection is not None and self._replaced():
            self.close()
        if self._connection is None:
            make_database(self.path)
            self._connection = self._open()
            self._file = self.path.stat()
        return self._connection

    def begin(self) -> sqlite3.Connection:
        """Begin to write as soon as other processes let us: SQLite by itself would look less and less often."""
        connection = self.for_writing()
        if connection is not self._looks_often:
            connection.execute("PRAGMA busy_timeout = 0")
            self._looks_often = connection
        self._execute_when_free(connection, "BEGIN IMMEDIATE")
        return connection

    def for_reading(self) -> sqlite3.Connection:
        """Never creates the file: what is not there reads as empty."""
        if self.path.exists():
            try:
                return self.for_writing()
            except sqlite3.OperationalError as error:
                return self._as_it_lies(error)
        self.close()
        self._connection = _connect(":memory:", patience=0)
        migrate(self._connection, ":memory:")
        return self._connection

    def _as_it_lies(self, error: sqlite3.OperationalError) -> sqlite3.Connection:
        """Where nothing can be written, as on a read-only disk: the file alone, if it has everything in it."""
        log = self.path.with_name(f"{self.path.name}-wal")
        nothing_to_write = _code(error) in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not nothing_to_write or (log.exists() and log.stat().st_size):
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
        # Without this, a writer would go on in a file that somebody deleted, and its record would vanish with it.
        try:
            return self._file is None or not os.path.samestat(self._file, self.path.stat())
        except FileNotFoundError:
            return True

    def _open(self) -> sqlite3.Connection:
        connection = _connect(str(self.path), patience=self._patience)
        try:
            # SQLite does not wait by itself here if another process opens the same new file.
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
                time.sleep(_GLANCE)
            else:
                return


def explain(error: sqlite3.Error | OSError, path: Path) -> LedgerUnusable:
    """SQLite's error as ours, with what to do about it."""
    if isinstance(error, OSError):
        return LedgerUnusable(f"the ledger {path} cannot be opened: {error}", hint=_PERMISSIONS)
    what, hint = _CAUSES.get(_code(error), ("failed", None))
    return LedgerUnusable(f"the ledger {path} {what}: {error}", hint=hint)


def _connect(name: str, *, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(name, timeout=patience, isolation_level=None)


def _code(error: sqlite3.Error) -> int:
    # The low byte; the rest are details of the same error. Errors of the module itself have no code.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


_PERMISSIONS = "check that the file and its directory are there and can be written to"
_DAMAGED = "move the file away, or restore it from a backup"
_FULL = "make room, then go on with `reviewloop resume`; what was recorded is still there"
_CAUSES = {
    sqlite3.SQLITE_BUSY: ("is locked", "another program has it open for writing; wait for it or close it"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", _PERMISSIONS),
    sqlite3.SQLITE_CORRUPT: ("is damaged", _DAMAGED),
    sqlite3.SQLITE_FULL: ("has no room to grow", _FULL),
    sqlite3.SQLITE_IOERR: ("cannot be read or written", _FULL),
    sqlite3.SQLITE_NOTADB: ("is not a ledger", _DAMAGED),
    sqlite3.SQLITE_PERM: ("cannot be opened", _PERMISSIONS),
    sqlite3.SQLITE_READONLY: ("cannot be written to", _PERMISSIONS),
}

"""The tables of a ledger file, as a list of migrations."""

from __future__ import annotations

import sqlite3

from reviewloop.errors import LedgerUnusable, LedgerVersion

APPLICATION_ID = 0x52564C50  # "RVLP": distinguishes a ledger from other programs' databases

# One entry per version. Entries are added, never changed.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # Writers take turns, so positions follow the order of commits, and a reader of the feed misses nothing.
        """CREATE TABLE events (
            position INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            session TEXT NOT NULL,
            seq INTEGER NOT NULL,
            time TEXT NOT NULL,
            type TEXT NOT NULL,
            payload TEXT NOT NULL,
            UNIQUE (session, seq)
        )""",
        # For `heads`, so that it need not read payloads. `feature` is a JSON string, which can hold any text.
        """CREATE TABLE sessions (
            session TEXT PRIMARY KEY,
            feature TEXT NOT NULL,
            events INTEGER NOT NULL,
            started TEXT NOT NULL,
            updated TEXT NOT NULL,
            position INTEGER NOT NULL
        ) WITHOUT ROWID""",
        "CREATE TABLE blobs (digest TEXT PRIMARY KEY, data BLOB NOT NULL)",
        """CREATE TABLE leases (
            name TEXT PRIMARY KEY,
            owner TEXT NOT NULL,
            pid INTEGER NOT NULL,
            process_start TEXT NOT NULL,
            host TEXT NOT NULL,
            boot TEXT NOT NULL,
            since TEXT NOT NULL,
            expires TEXT NOT NULL
        ) WITHOUT ROWID""",
    ),
)


def migrate(connection: sqlite3.Connection, name: str) -> None:
    """Bring the file `name` to this version. Several processes may try at once."""
    if _version(connection, name) == len(MIGRATIONS):
        return
    connection.execute("BEGIN EXCLUSIVE")
    try:
        for version in range(_version(connection, name), len(MIGRATIONS)):
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, name: str) -> int:
    # In one statement, because another process might create the tables between two.
    application, version, tables = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if application != APPLICATION_ID and tables:
        raise LedgerUnusable(f"{name} is another program's database", hint="choose another file for the ledger")
    if version > len(MIGRATIONS):
        raise LedgerVersion(
            f"the ledger {name} has version {version}, but this Reviewloop reads only versions up to {len(MIGRATIONS)}",
            hint="a newer Reviewloop wrote it: upgrade this one",
        )
    return version

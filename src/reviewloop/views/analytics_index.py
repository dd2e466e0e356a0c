"""An index of the analytics file with the sums over it, so that the cost of an entry does not grow with the file.

It is a cache beside the ledger. If it is deleted, entries are recognised in the file again.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reviewloop.core.statistics.analytics import COMMON_FROM, COMMON_LISTED, Accuracy, ReviewEntry, summary_json
from reviewloop.views.analytics_shape import accuracy_in, fingerprint, issues_in
from reviewloop.views.write_lock import write_lock

_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
  position INTEGER PRIMARY KEY, id TEXT UNIQUE, start INTEGER, size INTEGER, body TEXT NOT NULL, tally TEXT NOT NULL,
  fingerprint TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS by_fingerprint ON entries (fingerprint);
CREATE INDEX IF NOT EXISTS unwritten ON entries (position) WHERE start IS NULL;
CREATE TABLE IF NOT EXISTS sums (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS issues (
  service TEXT, issue TEXT, number INTEGER NOT NULL, PRIMARY KEY (service, issue)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_number ON issues (service, number DESC, issue);
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An entry as the file has it. `id` is None if another program wrote it."""

    id: str | None
    body: str
    tally: str
    fingerprint: str

    @classmethod
    def from_entry(cls, entry: ReviewEntry) -> Row:
        value = entry.to_json()
        return cls._of(entry.id, value, _tally(value, entry.accuracy, Counter(entry.issues)))

    @classmethod
    def from_file(cls, value: Mapping[str, Any]) -> Row:
        return cls._of(None, value, _tally(value, accuracy_in(value), issues_in(value)))

    @classmethod
    def _of(cls, entry_id: str | None, value: Mapping[str, Any], tally: str) -> Row:
        body = json.dumps(value, ensure_ascii=False)
        return cls(id=entry_id, body=body, tally=tally, fingerprint=fingerprint(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """The text of one entry, to write at `position` of the list."""

    position: int
    body: str


class Index:
    """The index, open for one update while other processes wait."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    @contextmanager
    def all_or_nothing(self) -> Generator[None]:
        """Undo the changes made inside this block if it fails, and keep those made before."""
        self._db.execute("SAVEPOINT write")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK TO write")
            raise
        finally:
            self._db.execute("RELEASE write")

    def put(self, row: Row) -> None:
        """Add an entry, or replace its earlier version."""
        known = self._db.execute("SELECT position, body, tally FROM entries WHERE id = ?", (row.id,)).fetchone()
        if known is None:
            known = self._db.execute(
                "SELECT position, body, tally FROM entries WHERE fingerprint = ? AND id IS NULL "
                "ORDER BY position LIMIT 1",
                (row.fingerprint,),
            ).fetchone()
        if known is None:
            self._update_sums(None, row.tally)
            self._insert(row)
            return
        position, body, tally = known
        self._update_sums(tally, row.tally)
        self._db.execute(
            "UPDATE entries SET id = ?, body = ?, tally = ?, fingerprint = ?, start = iif(?, start, NULL) "
            "WHERE position = ?",
            (row.id, row.body, row.tally, row.fingerprint, body == row.body, position),
        )

    def adopt(self, found: list[Row]) -> None:
        """Take over a file that was changed. Entries deleted there stay deleted; entries not written yet come last."""
        ours: dict[str, list[Row]] = {}
        waiting: list[Row] = []
        columns = "id, body, tally, fingerprint, start"
        for identity, body, tally, mark, start in self._db.execute(f"SELECT {columns} FROM entries ORDER BY position"):  # noqa: S608 - no user input
            row = Row(id=identity, body=body, tally=tally, fingerprint=mark)
            ours.setdefault(mark, []).append(row)
            if start is None:
                waiting.append(row)
        for table in ("entries", "sums", "issues"):
            self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - no user input
        taken: set[str] = set()
        for row in found:
            known = ours[row.fingerprint].pop(0) if ours.get(row.fingerprint) else None
            if known and known.id:
                taken.add(known.id)
            tally = known.tally if known and known.body == row.body else row.tally
            self._insert(Row(id=known.id if known else None, body=row.body, tally=tally, fingerprint=row.fingerprint))
            self._update_sums(None, tally)
        for row in waiting:
            if row.id and row.id not in taken:
                self._insert(row)
                self._update_sums(None, row.tally)

    def unwritten(self, *, everything: bool) -> int | None:
        """The first position that is not in the file yet; None if the file has every entry."""
        clause = "" if everything else "WHERE start IS NULL"
        return self._db.execute(f"SELECT min(position) FROM entries {clause}").fetchone()[0]  # noqa: S608 - no user input

    def pieces(self, first: int) -> list[Piece]:
        rows = self._db.execute("SELECT position, body FROM entries WHERE position >= ? ORDER BY position", (first,))
        return [Piece(position=position, body=body) for position, body in rows]

    def end_before(self, first: int) -> int | None:
        """The byte where the previous entry ends; None if there is no previous entry."""
        query = "SELECT start + size FROM entries WHERE position < ? ORDER BY position DESC LIMIT 1"
        row = self._db.execute(query, (first,)).fetchone()
        return row[0] if row else None

    def written(self, position: int, start: int, size: int) -> None:
        self._db.execute("UPDATE entries SET start = ?, size = ? WHERE position = ?", (start, size, position))

    def summary(self) -> dict[str, Any]:
        sums: dict[str, int] = dict(self._db.execute("SELECT name, value FROM sums WHERE value <> 0"))
        accuracy: dict[str, Accuracy] = {}
        services: dict[str, tuple[int, list[str]]] = {}
        decisions: dict[str, int] = {}
        for name, value in sums.items():
            kind, _, rest = name.partition(":")
            match kind:
                case "decision":
                    decisions[rest] = value
                case "service":
                    services[rest] = (value, self._common_issues(rest))
                case "true_positive" | "false_positive" | "missed" | "heard":
                    counted = {} if kind == "heard" else {kind: value}
                    accuracy[rest] = accuracy.get(rest, Accuracy()) + Accuracy(**counted)
                case _:
                    pass
        return summary_json(decisions=decisions, fixes=sums.get("fixes", 0), accuracy=accuracy, services=services)

    def state(self, name: str) -> str | None:
        row = self._db.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        return row[0] if row else None

    def set_state(self, **values: str) -> None:
        self._db.executemany("INSERT OR REPLACE INTO state VALUES (?, ?)", values.items())

    def _insert(self, row: Row) -> None:
        self._db.execute(
            "INSERT INTO entries (id, body, tally, fingerprint) VALUES (?, ?, ?, ?)",
            (row.id, row.body, row.tally, row.fingerprint),
        )

    def _common_issues(self, service: str) -> list[str]:
        query = "SELECT issue FROM issues WHERE service = ? AND number >= ? ORDER BY number DESC, issue LIMIT ?"
        return [issue for (issue,) in self._db.execute(query, (service, COMMON_FROM, COMMON_LISTED))]

    def _update_sums(self, before: str | None, after: str) -> None:
        if before == after:
            return
        sums: Counter[str] = Counter()
        issues: Counter[tuple[str, str]] = Counter()
        for tally, sign in ((before, -1), (after, 1)):
            if not tally:
                continue
            counted = json.loads(tally)
            for name, value in counted["sums"].items():
                sums[name] += sign * value
            for issue, number in counted["issues"].items():
                issues[counted["service"], issue] += sign * number
        self._db.executemany(
            "INSERT INTO sums VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            [(name, value) for name, value in sums.items() if value],
        )
        self._db.executemany(
            "INSERT INTO issues VALUES (?, ?, ?) "
            "ON CONFLICT (service, issue) DO UPDATE SET number = number + excluded.number",
            [(service, issue, number) for (service, issue), number in issues.items() if number],
        )


@contextmanager
def open_index(path: Path) -> Generator[Index]:
    """Open the index for one writer at a time. Database errors become an `OSError` that names the file."""
    with write_lock(path, durable=False) as connection:
        _prepare(connection)
        yield Index(connection)


def _prepare(connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > _VERSION:
        raise sqlite3.DatabaseError("a newer version of Reviewloop wrote this file; delete it to create a new one")
    if version < _VERSION:
        for statement in _SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {_VERSION}")


def _tally(value: Mapping[str, Any], accuracy: Mapping[str, Accuracy], issues: Counter[str]) -> str:
    """The figures that an entry adds to the sums, as JSON."""
    sums: Counter[str] = Counter({f"decision:{value['auto_decision']}": 1, f"service:{value['service']}": 1})
    sums["fixes"] = value["fix_iterations"]
    for model, counted in accuracy.items():
        sums[f"heard:{model}"] = 1
        sums[f"true_positive:{model}"] = counted.true_positive
        sums[f"false_positive:{model}"] = counted.false_positive
        sums[f"missed:{model}"] = counted.missed
    return json.dumps({"sums": dict(sums), "service": value["service"], "issues": dict(issues)})

"""`analytics.json`: figures about every review, kept up to date during sessions.

A damaged file is left unchanged, with a warning.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from reviewloop.core.session.events import (
    Added,
    Blocked,
    Dismissed,
    Escalated,
    Event,
    Iterated,
    Passed,
    Rejected,
    Resumed,
    Revised,
    Ruled,
    Undone,
    UndoStopped,
)
from reviewloop.core.session.history import History
from reviewloop.core.session.services import Services, service_of
from reviewloop.core.statistics.analytics import ReviewEntry, entries
from reviewloop.private_files import make_folders
from reviewloop.views.analytics_index import Index, Row, open_index
from reviewloop.views.analytics_shape import LARGEST, Damaged, read_reviews
from reviewloop.views.tail_splice import splice

REVIEW_EVENTS = (
    Iterated,
    Ruled,
    Revised,
    Passed,
    Blocked,
    Escalated,
    Rejected,
    Resumed,
    Dismissed,
    Added,
    UndoStopped,
    Undone,
)
"""The events after which an entry, or what is learned from a review, may differ."""

_HEAD = b'{\n  "reviews": ['
_CLOSE = b'\n  ],\n  "summary": '


class AnalyticsFile:
    """Writes the file. The database `index` remembers its contents."""

    label: ClassVar[str] = "the review analytics"

    def __init__(self, path: Path, index: Path, services: Services, warn: Callable[[str], None]) -> None:
        self._path = path.resolve()
        self._given_path = path
        self._index = index
        self._services = services
        self._warn = warn
        self._warned_about = ""

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        if events and not any(isinstance(event.payload, REVIEW_EVENTS) for event in events):
            return
        new = entries(session, history, service_of(history, self._services))
        if new:
            await asyncio.to_thread(self.update, new)

    def update(self, new: Sequence[ReviewEntry]) -> None:
        """Write these entries to the file; a new version of an entry replaces the old one."""
        failed: OSError | None = None
        rewrite: bool | None = None
        with open_index(self._index) as index:
            try:
                rewrite = self._needs_rewrite(index)
            except OSError as error:
                failed = error
            for entry in new:
                index.put(Row.from_entry(entry))
            if rewrite is not None:
                try:
                    with index.all_or_nothing():
                        self._write(index, rewrite=rewrite)
                except OSError as error:
                    failed = error
        if failed:  # only now, so that the index keeps the entries for the next write
            raise failed

    def _needs_rewrite(self, index: Index) -> bool | None:
        """Whether to write the file from its start; None if it is damaged and must not be written."""
        now = _file_mark(self._path)
        try:
            return self._read_changes(index, now)
        except Damaged as damage:
            if now != self._warned_about:
                self._warned_about = now
                self._warn(f"{self._given_path} was not changed: {damage}; move it away to get a new file")
            return None

    def _read_changes(self, index: Index, now: str) -> bool:
        """Whether the file was changed or deleted since the last write. Changes are read into the index."""
        if not now:
            return True
        if now == index.state("file"):
            return False
        if self._path.stat().st_size > LARGEST:
            raise Damaged(f"it was changed and is larger than {LARGEST // 1024 // 1024} MB")
        index.adopt([Row.from_file(value) for value in read_reviews(self._path.read_bytes())])
        return True

    def _write(self, index: Index, *, rewrite: bool) -> None:
        first = index.unwritten(everything=rewrite)
        if first is None:
            return
        spare = self._spare()
        before = index.end_before(first)
        keep = 0 if before is None else before
        trusted = not rewrite and _file_mark(spare) == index.state("spare")
        shared = int(index.state("shared") or 0) if trusted else 0
        parts = [] if before is not None else [_HEAD]
        at = keep + sum(map(len, parts))
        for number, piece in enumerate(index.pieces(first)):
            comma = "" if before is None and number == 0 else ","
            part = f"{comma}\n    {piece.body}".encode("utf-8", "replace")
            index.written(piece.position, at, len(part))
            parts.append(part)
            at += len(part)
        summary = json.dumps(index.summary(), indent=2, ensure_ascii=False).replace("\n", "\n  ")
        parts += [_CLOSE, summary.encode("utf-8", "replace"), b"\n}\n"]
        splice(self._path, spare, keep=keep, shared=shared, end=b"".join(parts))
        index.set_state(file=_file_mark(self._path), spare=_file_mark(spare), shared=str(keep))

    def _spare(self) -> Path:
        """In the index's hidden folder; beside the target if only there a rename is possible."""
        make_folders(self._path.parent)
        name = f".{self._path.name}.spare"
        beside = self._path.parent.stat().st_dev != self._index.parent.stat().st_dev
        return (self._path.parent if beside else self._index.parent) / name


def _file_mark(path: Path) -> str:
    """A text that changes whenever the file is touched; empty if there is no file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return ""
    return f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"

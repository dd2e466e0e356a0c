"""`analytics.json`: every review in figures, kept up to date as sessions go on.

The file is a view: what is wrong with it is said, and it is left as it is.
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
)
from reviewloop.core.session.history import History
from reviewloop.core.session.services import Services, service_of
from reviewloop.core.statistics.analytics import ReviewEntry, entries
from reviewloop.private_files import make_folders
from reviewloop.views.analytics_index import Index, Row, opened
from reviewloop.views.analytics_shape import LARGEST, Damaged, read_reviews
from reviewloop.views.tail_splice import splice

TELLING = (Iterated, Passed, Blocked, Escalated, Rejected, Resumed, Dismissed, Added)
_HEAD = b'{\n  "reviews": ['
_CLOSE = b'\n  ],\n  "summary": '


class AnalyticsFile:
    """Keeps the file. `index` is where it remembers what the file holds."""

    called: ClassVar[str] = "the figures of all reviews"

    def __init__(self, path: Path, index: Path, services: Services, warn: Callable[[str], None]) -> None:
        self._path = path.resolve()
        self._shown = path
        self._index = index
        self._services = services
        self._warn = warn
        self._refused = ""

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:
        if events and not any(isinstance(event.payload, TELLING) for event in events):
            return
        found = entries(session, history, service_of(history, self._services))
        if found:
            await asyncio.to_thread(self.update, found)

    def update(self, found: Sequence[ReviewEntry]) -> None:
        """Bring these entries into the file, each in place of its earlier version."""
        failed: OSError | None = None
        rewrite: bool | None = None
        with opened(self._index) as index:
            try:
                rewrite = self._adopted(index)
            except OSError as error:
                failed = error
            for entry in found:
                index.put(Row.of(entry))
            if rewrite is not None:
                try:
                    with index.all_or_nothing():
                        self._write(index, rewrite=rewrite)
                except OSError as error:
                    failed = error
        if failed:  # only now: what could not be written is remembered, and comes with the next write
            raise failed

    def _adopted(self, index: Index) -> bool | None:
        """Whether the file has to be written from its start; None if it must not be written at all."""
        now = _look(self._path)
        try:
            return self._changed(index, now)
        except Damaged as damage:
            if now != self._refused:
                self._refused = now
                self._warn(f"{self._shown} is left as it is: {damage}; move it away to have it written again")
            return None

    def _changed(self, index: Index, now: str) -> bool:
        """Whether somebody else changed the file, or took it away."""
        if not now:
            return True
        if now == index.state("file"):
            return False
        if self._path.stat().st_size > LARGEST:
            raise Damaged(f"it has more than {LARGEST // 1024 // 1024} MB, and not as it was last written")
        index.adopt([Row.found(value) for value in read_reviews(self._path.read_bytes())])
        return True

    def _write(self, index: Index, *, rewrite: bool) -> None:
        first = index.unwritten(everything=rewrite)
        if first is None:
            return
        spare = self._spare()
        before = index.end_before(first)
        keep = 0 if before is None else before
        trusted = not rewrite and _look(spare) == index.state("spare")
        shared = int(index.state("shared") or 0) if trusted else 0
        parts = [] if before is not None else [_HEAD]
        at = keep + sum(map(len, parts))
        for number, piece in enumerate(index.pieces(first)):
            comma = "" if before is None and number == 0 else ","
            part = f"{comma}\n    {piece.body}".encode("utf-8", "replace")
            index.written(piece.position, at, len(part))
            parts.append(part)
            at += len(part)
        summed = json.dumps(index.summary(), indent=2, ensure_ascii=False).replace("\n", "\n  ")
        parts += [_CLOSE, summed.encode("utf-8", "replace"), b"\n}\n"]
        splice(self._path, spare, keep=keep, shared=shared, end=b"".join(parts))
        index.set_state(file=_look(self._path), spare=_look(spare), shared=str(keep))

    def _spare(self) -> Path:
        """Out of sight, unless only files beside the target can take its place."""
        make_folders(self._path.parent)
        name = f".{self._path.name}.spare"
        beside = self._path.parent.stat().st_dev != self._index.parent.stat().st_dev
        return (self._path.parent if beside else self._index.parent) / name


def _look(path: Path) -> str:
    """What tells whether somebody touched a file since; nothing if it is not there."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return ""
    return f"{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"

"""Keeps the memory up to date with the ledger, in a database and in files that people edit.

The ledger is the record. A change that people make, in a file or by a command, becomes an event before it counts, so
that a deleted database can be rebuilt exactly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, ClassVar

from reviewloop.core.memory.learning import changed, is_heard, learn
from reviewloop.core.memory.recall import HandWritten, memory_brief, suppressions
from reviewloop.core.session.events import Draft, Event
from reviewloop.core.session.events.memory import (
    MemoryChange,
    MemoryImported,
    MemoryPayload,
    PatternsTakenOut,
    RowsAdopted,
)
from reviewloop.core.session.history import History
from reviewloop.core.session.services import Services, service_of
from reviewloop.core.session.session_head import MEMORY_BOOK
from reviewloop.core.types.memory_pattern import Memory
from reviewloop.core.types.policy import Suppression
from reviewloop.core.types.review import Stage
from reviewloop.errors import AppendConflict, DamagedRecord, LedgerError, NewerRecord
from reviewloop.memory.feed import FeedReader
from reviewloop.memory.files import MemoryFiles
from reviewloop.memory.store import MemoryStore, open_store
from reviewloop.ports import Ledger
from reviewloop.views.analytics import REVIEW_EVENTS

_PAGE = 500
_TRIES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The memory for a review: a text for the reviewers of each stage, and `text` for reviewers without a stage."""

    text: str = ""
    stages: Mapping[Stage, str] = field(default_factory=dict[Stage, str])
    suppressions: tuple[Suppression, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A ledger event, with its session's state at that time if there is something to learn from it."""

    position: int
    event: Event
    history: History | None = None


class MemoryKeeper:
    """Keeps the memory up to date with the ledger."""

    label: ClassVar[str] = "the reviewer memory"

    def __init__(
        self, files: MemoryFiles, store: Path, ledger: Ledger, services: Services, warn: Callable[[str], None]
    ) -> None:
        self.files = files
        self.store = store
        self._ledger = ledger
        self._services = services
        self._warn = warn
        self._feed = FeedReader(ledger)
        self._lock = asyncio.Lock()
        self._event_count = 0
        self._imported_old = False
        self._unwritten: dict[tuple[Stage, str], None] = {}
        self._reviews: dict[tuple[Stage, str], History] = {}

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:  # noqa: ARG002 - see Observer
        if events and not any(isinstance(event.payload, REVIEW_EVENTS) for event in events):
            return
        if any(iteration.is_reviewed for iteration in history.iterations):
            await self.catch_up(history.updated_at.date(), service_of(history, self._services))

    async def catch_up(self, today: date, service: str | None = None) -> None:
        """Learn from new ledger events and from edits in the files of a service."""
        async with self._lock:
            await self._import_old_store(today)
            await self._read_feed()
            edits = await asyncio.to_thread(self._file_edits, service, today) if service else []
            if edits:
                await self._append(edits)
                await self._read_feed()
            if self._unwritten:
                await asyncio.to_thread(self._write_files, today)

    async def record(self, changes: Sequence[MemoryPayload], today: date) -> None:
        """Record changes that people made, and learn them."""
        await self._append(changes)
        await self.catch_up(today)

    def everything(self) -> list[Memory]:
        if not self.store.exists():
            return []
        with open_store(self.store) as store:
            return store.all()

    def recall(self, service: str, today: date) -> Recall:
        """The texts for the reviewers of a service, and the findings that must not block. Read errors are warnings."""
        try:
            memories = self._known(service, today)
            written = [_unknown_to(memory, self.files.hand_written(memory.stage, service)) for memory in memories]
        except OSError as error:
            self._warn(f"the reviewer memory cannot be read: {error}")
            return Recall()
        pairs = zip(memories, written, strict=True)
        return Recall(
            text=memory_brief(memories, written, today),
            stages={memory.stage: memory_brief([memory], [notes], today) for memory, notes in pairs},
            suppressions=suppressions(memories, today),
        )

    def _known(self, service: str, today: date) -> list[Memory]:
        """The memories of a service, from its files if the database has none. Reading creates no database."""
        if not self.store.exists():
            return [self.files.adopted(stage, service, today) for stage in Stage]
        with open_store(self.store) as store:
            stored = [store.get(stage, service) for stage in Stage]
        return [memory if memory.numbered else self.files.adopted(memory.stage, service, today) for memory in stored]

    async def _import_old_store(self, today: date) -> None:
        """Record the contents of a database that is older than the events for memory."""
        if self._imported_old:
            return
        if memories := await asyncio.to_thread(self._unrecorded):
            await self._append(
                MemoryImported(stage=memory.stage, service=memory.service, on=today, memory=memory, origin="memory.db")
                for memory in memories
            )
            await asyncio.to_thread(self._start_over)
        self._imported_old = True

    def _unrecorded(self) -> list[Memory]:
        if not self.store.exists():
            return []
        with open_store(self.store) as store:
            return store.all() if store.position is None else []

    def _start_over(self) -> None:
        with open_store(self.store) as store:
            store.clear()
            store.set_position(0)

    async def _append(self, changes: Iterable[MemoryPayload]) -> None:
        drafts = [Draft(time=datetime.now(UTC), payload=change) for change in changes]
        if not drafts:
            return
        for _ in range(_TRIES):
            try:
                written = await self._ledger.append(MEMORY_BOOK, self._event_count, drafts)
            except AppendConflict as conflict:
                self._event_count = conflict.actual
            else:
                self._event_count += len(written)
                return
        raise LedgerError("too many processes write to the memory at once", hint="try again")

    async def _read_feed(self) -> None:
        """Learn from new ledger events, page by page."""
        position = await asyncio.to_thread(self._position)
        while page := await self._page(position):
            steps = [await self._step(place, event) for place, event in page]
            position = await asyncio.to_thread(self._learn, steps)
            await asyncio.to_thread(self._write_reviews)

    async def _page(self, after: int) -> list[tuple[int, Event]]:
        """The next events. Damaged sessions are skipped with a warning.

        A damaged event of the memory itself, or of a newer version, is an error: nothing after it is learned until it
        can be read.
        """
        while True:
            try:
                return await self._ledger.feed(after, _PAGE)
            except NewerRecord:
                raise
            except DamagedRecord as error:
                if error.position is None or error.session == MEMORY_BOOK:
                    raise
                self._warn(f"a session was skipped in the reviewer memory: {error.message}")
                after = error.position

    def _position(self) -> int:
        if not self.store.exists():
            return 0
        with open_store(self.store) as store:
            return store.position or 0

    async def _step(self, position: int, event: Event) -> _Step:
        if event.session == MEMORY_BOOK:
            return _Step(position=position, event=event)
        try:
            history = await self._feed.at(event)
        except DamagedRecord:
            history = None
        reviewed = history and any(iteration.is_reviewed for iteration in history.iterations)
        relevant = reviewed and isinstance(event.payload, REVIEW_EVENTS)
        return _Step(position=position, event=event, history=history if relevant else None)

    def _learn(self, steps: Sequence[_Step]) -> int:
        """Learn from the events that no process has learned from yet, and return the last position."""
        with open_store(self.store) as store:
            learned = store.position or 0
            memories = _LoadedMemories(store)
            for step in steps:
                if step.position > learned:
                    self._learn_from(step, memories)
            memories.save()
            self._unwritten |= dict.fromkeys(memories.changed)
            store.set_position(max(learned, steps[-1].position))
            return max(learned, steps[-1].position)

    def _learn_from(self, step: _Step, memories: _LoadedMemories) -> None:
        payload, session = step.event.payload, step.event.session
        if isinstance(payload, MemoryChange):
            before = memories.get(payload.stage, payload.service)
            memories.put(changed(before, payload, key=f"{session}/{step.event.seq}"))
        elif step.history:
            service = service_of(step.history, self._services)
            for stage in Stage:
                memories.put(learn(memories.get(stage, service), session, step.history))
                if any(is_heard(iteration, stage) for iteration in step.history.iterations if iteration.conclusion):
                    self._reviews[stage, session] = step.history

    def _file_edits(self, service: str, today: date) -> list[MemoryPayload]:
        """The changes that people made to a service's files since they were written."""
        memories = [Memory(stage=stage, service=service) for stage in Stage]
        if self.store.exists():
            with open_store(self.store) as store:
                memories = [store.get(stage, service) for stage in Stage]
        edits: list[MemoryPayload] = []
        for memory in memories:
            common: dict[str, Any] = {"stage": memory.stage, "service": service, "on": today}
            if deleted := self.files.deleted(memory):
                edits.append(PatternsTakenOut(**common, patterns=deleted))
            if not memory.numbered and (adopted := self.files.adopted(memory.stage, service, today)).numbered:
                edits.append(MemoryImported(**common, memory=adopted, replaces=False, origin="its file"))
            if rows := self.files.counted_by_others(memory):
                edits.append(RowsAdopted(**common, patterns=rows))
        return edits

    def _write_files(self, today: date) -> None:
        with open_store(self.store) as store:
            for stage, service in self._unwritten:
                before = store.get(stage, service)
                after = self.files.written(before, today)
                if after != before:
                    store.put(after)
            memories = store.all()
            for stage in dict.fromkeys(stage for stage, _ in self._unwritten):
                self.files.write_index(stage, [memory for memory in memories if memory.stage is stage], today)
        self._unwritten = {}

    def _write_reviews(self) -> None:
        for (stage, session), history in self._reviews.items():
            self.files.write_review(stage, session, history)
        self._reviews = {}


def _unknown_to(memory: Memory, written: HandWritten) -> HandWritten:
    """What people wrote, without the issues that the memory lists itself."""
    return replace(written, issues=tuple(issue for issue in written.issues if not memory.knows(issue)))


class _LoadedMemories:
    """Memories that are read from the store once and saved together."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._known: dict[tuple[Stage, str], Memory] = {}
        self.changed: dict[tuple[Stage, str], None] = {}

    def get(self, stage: Stage, service: str) -> Memory:
        if (stage, service) not in self._known:
            self._known[stage, service] = self._store.get(stage, service)
        return self._known[stage, service]

    def put(self, memory: Memory) -> bool:
        """Replace a memory that was read before; False if nothing changed."""
        key = (memory.stage, memory.service)
        if memory == self._known[key]:
            return False
        self._known[key] = memory
        self.changed[key] = None
        return True

    def save(self) -> None:
        for key in self.changed:
            self._store.put(self._known[key])

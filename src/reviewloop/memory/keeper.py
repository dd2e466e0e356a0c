"""Follows the ledger and keeps what reviewers learn from it: in a database, and in files that people write in.

The ledger is the record. What somebody does to a file, or says with a command, becomes an event before it counts; so
the database can be deleted, and comes out the same again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, ClassVar

from reviewloop.core.memory.learning import changed, learn
from reviewloop.core.memory.recall import memory_brief, suppressions
from reviewloop.core.session.events import Draft, Event
from reviewloop.core.session.events.memory import MemoryChange, MemoryImported, MemoryPayload, PatternsTakenOut
from reviewloop.core.session.history import History
from reviewloop.core.session.services import Services, service_of
from reviewloop.core.types.memory_pattern import Memory
from reviewloop.core.types.policy import Suppression
from reviewloop.core.types.review import Stage
from reviewloop.errors import AppendConflict, DamagedRecord, LedgerError, NewerRecord
from reviewloop.memory.feed import Followed
from reviewloop.memory.files import MemoryFiles
from reviewloop.memory.store import MemoryStore, opened
from reviewloop.ports import MEMORY_BOOK, Ledger
from reviewloop.views.analytics import TELLING

_PAGE = 500
_TRIES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What is known before a review: what each stage's reviewers are told, and, as `text`, one who has no stage."""

    text: str = ""
    stages: Mapping[Stage, str] = field(default_factory=dict[Stage, str])
    suppressions: tuple[Suppression, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """An event of the ledger, with its session as it was then if there is something to learn from it."""

    position: int
    event: Event
    history: History | None = None


class MemoryKeeper:
    """Keeps what reviewers have learned up to date with the ledger."""

    called: ClassVar[str] = "what reviewers have learned"

    def __init__(
        self, files: MemoryFiles, store: Path, ledger: Ledger, services: Services, warn: Callable[[str], None]
    ) -> None:
        self.files = files
        self.store = store
        self._ledger = ledger
        self._services = services
        self._warn = warn
        self._followed = Followed(ledger)
        self._turn = asyncio.Lock()
        self._on_record = 0
        self._taken_over = False
        self._unwritten: dict[tuple[Stage, str], None] = {}
        self._reviews: dict[tuple[Stage, str], History] = {}

    async def notice(self, session: str, history: History, events: Sequence[Event]) -> None:  # noqa: ARG002 - see Observer
        if events and not any(isinstance(event.payload, TELLING) for event in events):
            return
        if any(iteration.is_reviewed for iteration in history.iterations):
            await self.catch_up(history.updated_at.date(), service_of(history, self._services))

    async def catch_up(self, today: date, service: str | None = None) -> None:
        """Learn what is new in the ledger, and in the files of a service."""
        async with self._turn:
            await self._take_over(today)
            await self._follow()
            edits = await asyncio.to_thread(self._edits, service, today) if service else []
            if edits:
                await self._append(edits)
                await self._follow()
            if self._unwritten:
                await asyncio.to_thread(self._write, today)

    async def record(self, changes: Sequence[MemoryPayload], today: date) -> None:
        """Put down what somebody told the memory, and learn it."""
        await self._append(changes)
        await self.catch_up(today)

    def everything(self) -> list[Memory]:
        if not self.store.exists():
            return []
        with opened(self.store) as store:
            return store.all()

    def recall(self, service: str, today: date) -> Recall:
        """What reviewers of a service are told, and what is not to block. What cannot be read is a warning."""
        try:
            memories = self._known(service, today)
            written = [self.files.hand_written(memory.stage, service) for memory in memories]
        except OSError as error:
            self._warn(f"what reviewers have learned cannot be read: {error}")
            return Recall()
        return Recall(
            text=memory_brief(memories, written, today),
            stages={one.stage: memory_brief([one], [said], today) for one, said in zip(memories, written, strict=True)},
            suppressions=suppressions(memories, today),
        )

    def _known(self, service: str, today: date) -> list[Memory]:
        """Without a database, none is made: to look something up leaves no trace."""
        if not self.store.exists():
            return [self.files.adopted(stage, service, today) for stage in Stage]
        with opened(self.store) as store:
            kept = [store.get(stage, service) for stage in Stage]
        return [one if one.numbered else self.files.adopted(one.stage, service, today) for one in kept]

    async def _take_over(self, today: date) -> None:
        """What is in a database from before the ledger was followed goes on record, and stays."""
        if self._taken_over:
            return
        if kept := await asyncio.to_thread(self._unrecorded):
            await self._append(
                MemoryImported(stage=one.stage, service=one.service, on=today, memory=one, origin="memory.db")
                for one in kept
            )
            await asyncio.to_thread(self._start_over)
        self._taken_over = True

    def _unrecorded(self) -> list[Memory]:
        if not self.store.exists():
            return []
        with opened(self.store) as store:
            return store.all() if store.position is None else []

    def _start_over(self) -> None:
        with opened(self.store) as store:
            store.clear()
            store.reached(0)

    async def _append(self, changes: Iterable[MemoryPayload]) -> None:
        drafts = [Draft(time=datetime.now(UTC), payload=change) for change in changes]
        if not drafts:
            return
        for _ in range(_TRIES):
            try:
                written = await self._ledger.append(MEMORY_BOOK, self._on_record, drafts)
            except AppendConflict as conflict:
                self._on_record = conflict.actual
            else:
                self._on_record += len(written)
                return
        raise LedgerError("too many processes tell the memory something at once", hint="try again")

    async def _follow(self) -> None:
        """Learn what is new in the ledger, page by page."""
        position = await asyncio.to_thread(self._position)
        while page := await self._page(position):
            steps = [await self._step(place, event) for place, event in page]
            position = await asyncio.to_thread(self._learn, steps)
            await asyncio.to_thread(self._write_reviews)

    async def _page(self, after: int) -> list[tuple[int, Event]]:
        """What comes next; a damaged session keeps nobody from learning of the others.

        What a newer Reviewloop wrote, or people told the memory, waits until it can be read.
        """
        while True:
            try:
                return await self._ledger.feed(after, _PAGE)
            except NewerRecord:
                raise
            except DamagedRecord as error:
                if error.position is None or error.session == MEMORY_BOOK:
                    raise
                self._warn(f"reviewers learn nothing of a session: {error.message}")
                after = error.position

    def _position(self) -> int:
        if not self.store.exists():
            return 0
        with opened(self.store) as store:
            return store.position or 0

    async def _step(self, position: int, event: Event) -> _Step:
        if event.session == MEMORY_BOOK:
            return _Step(position=position, event=event)
        try:
            history = await self._followed.at(event)
        except DamagedRecord:
            history = None
        telling = (
            history and isinstance(event.payload, TELLING) and any(past.is_reviewed for past in history.iterations)
        )
        return _Step(position=position, event=event, history=history if telling else None)

    def _learn(self, steps: Sequence[_Step]) -> int:
        """Learn what was not yet learned, by this process or another. Gives how far that is."""
        with opened(self.store) as store:
            learned = store.position or 0
            shelf = _Shelf(store)
            for step in steps:
                if step.position > learned:
                    self._learn_one(step, shelf)
            shelf.put_back()
            self._unwritten |= dict.fromkeys(shelf.changed)
            store.reached(max(learned, steps[-1].position))
            return max(learned, steps[-1].position)

    def _learn_one(self, step: _Step, shelf: _Shelf) -> None:
        payload, session = step.event.payload, step.event.session
        if isinstance(payload, MemoryChange):
            before = shelf.take(payload.stage, payload.service)
            shelf.put(changed(before, payload, key=f"{session}/{step.event.seq}"))
        elif step.history:
            service = service_of(step.history, self._services)
            for stage in Stage:
                if shelf.put(learn(shelf.take(stage, service), session, step.history)):
                    self._reviews[stage, session] = step.history

    def _edits(self, service: str, today: date) -> list[MemoryPayload]:
        """What people did to a service's files since they were written."""
        memories = [Memory(stage=stage, service=service) for stage in Stage]
        if self.store.exists():
            with opened(self.store) as store:
                memories = [store.get(stage, service) for stage in Stage]
        found: list[MemoryPayload] = []
        for one in memories:
            about: dict[str, Any] = {"stage": one.stage, "service": service, "on": today}
            if gone := self.files.deleted(one):
                found.append(PatternsTakenOut(**about, patterns=gone))
            if not one.numbered and (theirs := self.files.adopted(one.stage, service, today)).numbered:
                found.append(MemoryImported(**about, memory=theirs, replaces=False, origin="its file"))
        return found

    def _write(self, today: date) -> None:
        with opened(self.store) as store:
            for stage, service in self._unwritten:
                before = store.get(stage, service)
                after = self.files.written(before, today)
                if after != before:
                    store.put(after)
            every = store.all()
            for touched in dict.fromkeys(stage for stage, _ in self._unwritten):
                self.files.write_index(touched, [one for one in every if one.stage is touched], today)
        self._unwritten = {}

    def _write_reviews(self) -> None:
        for (stage, session), history in self._reviews.items():
            self.files.write_review(stage, session, history)
        self._reviews = {}


class _Shelf:
    """Memories in use: taken from the store once, and put back together."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._known: dict[tuple[Stage, str], Memory] = {}
        self.changed: dict[tuple[Stage, str], None] = {}

    def take(self, stage: Stage, service: str) -> Memory:
        if (stage, service) not in self._known:
            self._known[stage, service] = self._store.get(stage, service)
        return self._known[stage, service]

    def put(self, memory: Memory) -> bool:
        """Whether it is another one than before."""
        place = (memory.stage, memory.service)
        if memory == self._known[place]:
            return False
        self._known[place] = memory
        self.changed[place] = None
        return True

    def put_back(self) -> None:
        for place in self.changed:
            self._store.put(self._known[place])

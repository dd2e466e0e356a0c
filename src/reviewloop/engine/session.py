"""An open session: its history, and events that are not yet on disk.

Events that follow from the record alone (a conclusion, the start of an iteration) may wait for the next flush, because
they can be derived again. Answers are flushed before the next agent is asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from reviewloop.core.session.events import Draft, Event, Payload, Started
from reviewloop.core.session.fold import after, begin, fold
from reviewloop.core.session.history import History
from reviewloop.core.types.artifact import Artifact
from reviewloop.engine.context import SessionContext


class Session:
    """A session that this process writes to."""

    def __init__(self, session_id: str, history: History, context: SessionContext) -> None:
        self.id = session_id
        self.history = history
        self.artifact: Artifact | None = None
        self._before: History | None = None
        self._looked_back = False
        self._context = context
        self._on_disk = history.seq
        self._drafts: list[Draft] = []
        self._blobs: dict[str, bytes] = {}
        self._kept: set[str] = set()

    @classmethod
    def start(cls, session_id: str, started: Started, context: SessionContext) -> Session:
        now = context.clock.now()
        session = cls(session_id, begin(started, now), context)
        session._on_disk = 0
        session._drafts.append(Draft(time=now, payload=started))
        return session

    @classmethod
    async def open(cls, session_id: str, context: SessionContext) -> Session | None:
        history = fold(await context.ledger.read(session_id))
        return cls(session_id, history, context) if history else None

    async def before(self) -> History | None:
        """Return the previous session on the same document, or None."""
        if not self._looked_back:
            self._looked_back = True
            self._before = await _predecessor(self.id, self.history, self._context)
        return self._before

    def record(self, payload: Payload) -> None:
        """Record an event. It is on disk after the next flush."""
        now = max(self._context.clock.now(), self.history.updated_at)
        self.history = after(self.history, payload, now)
        self._drafts.append(Draft(time=now, payload=payload))

    def keep(self, blobs: Mapping[str, bytes]) -> None:
        """Add texts that the next events refer to by digest. Texts that are already on disk are not written again."""
        self._blobs |= {digest: data for digest, data in blobs.items() if digest not in self._kept}

    async def text(self, digest: str) -> bytes | None:
        """Return a text by its digest."""
        return self._blobs.get(digest) or await self._context.ledger.blob(digest)

    async def flush(self) -> list[Event]:
        """Write all events to disk in one step, then notify the observers."""
        if not self._drafts:
            return []
        drafts, blobs = self._drafts, self._blobs
        self._drafts, self._blobs = [], {}
        events = await self._context.ledger.append(self.id, self._on_disk, drafts, blobs)
        self._on_disk += len(events)
        self._kept |= blobs.keys()
        await self.tell(events)
        return events

    async def tell(self, events: Sequence[Event] = ()) -> None:
        """Notify the observers, also of events whose notification a crash prevented."""
        for observer in self._context.observers:
            try:
                await observer.notice(self.id, self.history, events)
            except Exception as error:  # noqa: BLE001 - an observer must not be able to end a session
                self._context.warn(f"an observer of session {self.id} failed: {type(error).__name__}: {error}")


async def _predecessor(session: str, history: History, context: SessionContext) -> History | None:
    document = _document(history.started)
    same_name = await context.ledger.heads(history.feature)
    earlier = [head for head in same_name if head.session != session and head.started <= history.started_at]
    for head in sorted(earlier, key=lambda head: head.started, reverse=True):
        found = fold(await context.ledger.read(head.session))
        if found and _document(found.started) == document:
            return found
    return None


def _document(started: Started) -> str:
    """Identify a session's document, in the same way whether it was read from the ledger or not."""
    return json.dumps([started.kind, started.specs_path, started.source], sort_keys=True)

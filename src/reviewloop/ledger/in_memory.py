"""The ledger in memory, for tests and for programs that keep no record."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from reviewloop.core.session.events import Draft, Event
from reviewloop.core.session.session_head import MEMORY_BOOK, Hold, SessionHead
from reviewloop.errors import AppendConflict, SessionHeld
from reviewloop.ledger.codec import check_name, decode, encode, feature_of, number
from reviewloop.ledger.lease_owner import this_process
from reviewloop.ledger.leases import Lease


class MemoryLedger:
    """A `Ledger` that ends with its process. It belongs to one event loop.

    Payloads are encoded and decoded as in a file, so that both ledgers accept the same events.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, list[Event]] = {}
        self._feed: list[Event] = []
        self._blobs: dict[str, bytes] = {}
        self._holds: dict[str, Hold] = {}

    async def append(
        self, session: str, expected: int, drafts: Sequence[Draft], blobs: Mapping[str, bytes] | None = None
    ) -> list[Event]:
        events = number(check_name(session), expected, drafts)
        stored = [replace(event, payload=decode(event.type, encode(event.payload))) for event in events]
        actual = len(self._sessions.get(session, ()))
        if actual != expected:
            raise AppendConflict(session, expected=expected, actual=actual)
        if stored:
            # Keep the session that was written to last at the end.
            self._sessions[session] = [*self._sessions.pop(session, ()), *stored]
        self._feed += stored
        self._blobs |= blobs or {}
        return events

    async def read(self, session: str, after: int = 0) -> list[Event]:
        return self._sessions.get(check_name(session), [])[after:]

    async def feed(self, after: int = 0, limit: int = 1000) -> list[tuple[int, Event]]:
        return list(enumerate(self._feed[after : after + limit], after + 1))

    async def heads(self, feature: str | None = None) -> list[SessionHead]:
        heads = [
            SessionHead(
                session=session,
                feature=feature_of(events) or session,
                events=len(events),
                started=events[0].time,
                updated=events[-1].time,
            )
            for session, events in reversed(self._sessions.items())
        ]
        return [head for head in heads if feature in (None, head.feature) and head.session != MEMORY_BOOK]

    async def blob(self, digest: str) -> bytes | None:
        return self._blobs.get(digest)

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncGenerator[Hold, None]:
        if other := self._holds.get(check_name(name)):
            raise SessionHeld(name, owner=other.owner)
        self._holds[name] = _lease(name).hold
        try:
            yield self._holds[name]
        finally:
            del self._holds[name]

    async def holder(self, name: str) -> Hold | None:
        return self._holds.get(check_name(name))

    async def close(self) -> None:
        """Do nothing: the events stay readable."""


def _lease(name: str) -> Lease:
    """Return a lease that never expires, because it ends with its `async with`."""
    never = datetime.max.replace(tzinfo=UTC)
    return Lease(name=name, owner="", process=this_process(), since=datetime.now(UTC), expires=never)

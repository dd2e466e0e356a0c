"""Follows the ledger's feed and gives the state of each event's session."""

from __future__ import annotations

from reviewloop.core.session.events import Event, Started
from reviewloop.core.session.fold import after, begin, fold
from reviewloop.core.session.history import History
from reviewloop.ports import Ledger

_KEPT = 200


class FeedReader:
    """Keeps recent sessions in memory, so that they are not read again for each event."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._sessions: dict[str, History] = {}

    async def at(self, event: Event) -> History | None:
        """The session up to and including this event; None if the session has no start."""
        known = self._sessions.pop(event.session, None)
        if isinstance(event.payload, Started) and event.seq == 1:
            history = begin(event.payload, event.time)
        elif known and known.seq == event.seq - 1:
            history = after(known, event.payload, event.time)
        else:
            history = await self._read(event)
        if history:
            self._sessions[event.session] = history
        if len(self._sessions) > _KEPT:
            del self._sessions[next(iter(self._sessions))]
        return history

    async def _read(self, event: Event) -> History | None:
        events = await self._ledger.read(event.session)
        if not events or not isinstance(events[0].payload, Started):
            return None
        return fold(earlier for earlier in events if earlier.seq <= event.seq)

"""What the ledger has of a project's sessions: by name, the newest, all of them in figures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from reviewloop.errors import UnknownSession
from reviewloop.ports import Ledger, SessionHead
from reviewloop.review.analytics import entries as analytics_entries
from reviewloop.review.calibration import decisions
from reviewloop.review.calls import FileChange
from reviewloop.review.events import Authored, Conflicted, Payload, Started
from reviewloop.review.folding import fold
from reviewloop.review.history import History
from reviewloop.review.services import Services, service_of
from reviewloop.review.stated import claims
from reviewloop.review.stats import Told

SESSIONS_REMEMBERED = 100
"""How many sessions are asked what people decided in them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A session after it was worked on."""

    id: str
    history: History


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """The sessions of a project, read from its ledger."""

    ledger: Ledger
    services: Services

    async def find(self, name: str) -> SessionHead:
        """The newest session of that name, or the session with that id."""
        heads = await self.ledger.heads()
        for head in heads:
            if name in (head.session, head.feature):
                return head
        names = list(dict.fromkeys(head.feature for head in heads))
        known = f"known are {', '.join(names[:8])}" if names else "there is none yet; start one with `reviewloop run`"
        raise UnknownSession(f"there is no session `{name}`", hint=known)

    async def named(self, name: str) -> Ran:
        """The same with all that happened in it."""
        head = await self.find(name)
        return Ran(id=head.session, history=await self.history(head.session))

    async def history(self, session: str) -> History:
        history = fold(await self.ledger.read(session))
        if history is None:
            raise UnknownSession(f"there is no session `{session}`")
        return history

    async def latest(self) -> list[Ran]:
        """The newest session of every name, the one worked on last first."""
        newest = {head.feature: head for head in reversed(await self.ledger.heads())}
        return [Ran(id=head.session, history=await self.history(head.session)) for head in reversed(newest.values())]

    async def told(self, since: datetime | None = None) -> list[Told]:
        """All sessions with their figures, the oldest first."""
        heads = [head for head in await self.ledger.heads() if since is None or head.started >= since]
        found: list[Told] = []
        for head in sorted(heads, key=lambda head: head.started):
            events = await self.ledger.read(head.session)
            history = fold(events)
            assert history is not None
            service = service_of(history, self.services)
            payloads = [event.payload for event in events]
            found.append(
                Told(
                    session=head.session,
                    history=history,
                    entries=analytics_entries(head.session, history, service),
                    service=service,
                    decisions=tuple(decisions(head.session, payloads)),
                    claims=tuple(claims(payloads)),
                )
            )
        return found

    async def started_of(self, head: SessionHead) -> Started:
        payload = (await self.ledger.read(head.session))[0].payload
        assert isinstance(payload, Started)
        return payload

    async def recent(self) -> dict[str, list[Payload]]:
        """What happened in each of the newest sessions, the oldest of them first."""
        newest = (await self.ledger.heads())[:SESSIONS_REMEMBERED][::-1]
        return {
            head.session: [event.payload for event in await self.ledger.read(head.session)]
            for head in sorted(newest, key=lambda head: head.started)
        }

    async def changes(self, *sessions: str) -> list[FileChange]:
        """What the authors of these sessions changed, oldest first."""
        brought_back: list[Authored] = []
        for payload in [event.payload for session in sessions for event in await self.ledger.read(session)]:
            if isinstance(payload, Authored):
                brought_back.append(payload)
            elif isinstance(payload, Conflicted):
                brought_back.pop()
        return [change for one in brought_back for change in one.changes]
